#!/usr/bin/env python3
"""Prints the figures of run.py as the table of docs/develop/gpu.md: python3 table.py results/figures.json.

With --write PAGE it replaces the table between the two marks in that page. Without a file and --write it prints the table with
"not measured" in each row. A figure that is missing, or whose step failed, stays "not measured". A rehearsal's figures are no
figures of a GPU, so --write refuses them.
"""

import argparse
import json
import sys

BEGIN = "<!-- figures of the GPU kit: begin -->"
END = "<!-- figures of the GPU kit: end -->"
NOT_MEASURED = "not measured"


def figures(state, step):
    row = state.get("steps", {}).get(step, {})
    return row.get("figures", {}) if row.get("exit") == 0 else {}


def percent(value):
    return None if value is None else f"{100 * value:.1f} %"


def bench_rows(state, step, **wanted):
    rows = figures(state, step).get("rows", [])
    return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]


def best(rows, key):
    values = [row[key] for row in rows if row.get(key) is not None]
    return max(values) if values else None


def pinned_share(state):
    return percent(best(bench_rows(state, "bench-device", memory="pinned", mode="asynchronous"), "share_of_peak"))


def pinned_and_pageable(state):
    speeds = [best(bench_rows(state, "bench-device", memory=memory), "gb_per_s") for memory in ("pinned", "pageable")]
    return None if None in speeds else "{:.1f} and {:.1f} GB/s".format(*speeds)


def overlap(state, in_flight):
    rows = bench_rows(state, "bench-overlap", memory="pinned", mode="asynchronous", in_flight=in_flight)
    return percent(best(rows, "overlap"))


def starved(state, step):
    found = figures(state, step)
    if found.get("starvation") is None:
        return None
    use = found.get("device_use") or {}
    text = percent(found["starvation"])
    return text if use.get("copy_overlap") is None else f"{text}, overlap {percent(use['copy_overlap'])}"


def difference(state, name):
    value = (figures(state, "starvation").get("difference") or {}).get(name)
    return None if value is None else f"{100 * value:+.1f} points"


def step_times(state, precision):
    ours = figures(state, "resnet50-" + precision).get("step_ms")
    theirs = figures(state, "pytorch-" + precision).get("step_ms")
    if not ours or not theirs:
        return None
    return f"{ours:.1f} and {theirs:.1f} ms ({100 * (ours / theirs - 1):+.1f} %)"


def rungs(state):
    rates = {row.get("cache"): row.get("images_per_s") for row in figures(state, "ladder").get("ladder") or []}
    host, device = rates.get("host"), rates.get("device")
    return f"{host:,.0f} and {device:,.0f} images/s ({100 * (device / host - 1):+.1f} %)" if host and device else None


def tests(state):
    row = state.get("steps", {}).get("gpu-tests", {})
    found = row.get("figures", {})
    if not found.get("found"):
        return None
    return "{successful} of {found} succeeded, {skipped} skipped, {failed} failed".format(**found)


def client(state):
    found = state.get("steps", {}).get("client", {}).get("figures", {})
    return "{passed} of {found} succeeded".format(**found) if found.get("found") else None


def beside(state):
    found = state.get("steps", {}).get("client", {}).get("figures", {}).get("checks", {}).get("overlap", {})
    return "{:.2f}, {:.2f} and {:.2f} ms".format(max(found["step_ms"]), found["beside_ms"], found["behind_ms"]) if found.get("step_ms") else None


def planted(state):
    found = figures(state, "starvation")
    if found.get("expected_starvation") is None or found.get("starvation") is None:
        return None
    return f"{percent(found['starvation'])}, planted {percent(found['expected_starvation'])}"


def too_large(state):
    found = figures(state, "oversized-batch")
    return "refused with a message" if found.get("gpu_usable_afterwards") else None


def bridge(state):
    found = figures(state, "bridge")
    if not found:
        return None
    how = "accepted from an earlier call" if found.get("accepted") else f"compiled in {found['compile_s']:.0f} s"
    return f"{how} for PyTorch {found['python']['torch']}"


# figure, expected value, step of the kit, the value in the figures
ROWS = [
    ("checks of the Python client's copies, each with a control", "all succeed", "client", client),
    ("a step of 10 ms alone, with copies beside it and behind it", "beside it within 2 % of alone, behind it more", "client", beside),
    ("the bridge for the machine's PyTorch", "compiles with g++ alone", "bridge", bridge),
    ("tests with the tag `gpu`", "all succeed", "gpu-tests", tests),
    ("speed of copies from host to device, as a share of the pinned peak", "at least 95 % in the best row", "bench-device", pinned_share),
    ("speed of pinned and of pageable copies", "pinned is faster", "bench-device", pinned_and_pageable),
    ("overlap for a step of 100 ms, with memory for 4 batches", "at least 95 %", "bench-overlap", lambda s: overlap(s, 4)),
    ("overlap of the same step with memory for one batch", "below 5 %; this value shows that the overlap is not always high", "bench-overlap", lambda s: overlap(s, 1)),
    ("step of ResNet-50 in bfloat16, Millrace and PyTorch", "within 3 % of PyTorch", "resnet50-bfloat16, pytorch-bfloat16", lambda s: step_times(s, "bfloat16")),
    ("step of ResNet-50 in float32, Millrace and PyTorch", "within 3 % of PyTorch", "resnet50-float32, pytorch-float32", lambda s: step_times(s, "float32")),
    ("starvation when the data is fast enough", "below 2 %, with an overlap of at least 95 %", "resnet50-bfloat16", lambda s: starved(s, "resnet50-bfloat16")),
    ("starvation with pageable memory", "no expectation", "pageable", lambda s: starved(s, "pageable")),
    ("starvation minus (1 - utilisation), fast data", "within 1 point", "starvation", lambda s: difference(s, "fast_data")),
    ("starvation that a delay of each sample plants", "within 10 points of the figure computed beforehand", "starvation", planted),
    ("starvation minus (1 - utilisation), slow data", "within 1 point", "starvation", lambda s: difference(s, "slow_data")),
    ("the rungs host and device of the [caching ladder](../diagnose/diagnosis.md)", "within 3 % of each other", "ladder", rungs),
    ("a batch that is too large", "fails with a message about memory; the GPU stays usable", "oversized-batch", too_large),
]


def table(state):
    lines = ["| figure | expected value | measured | step of the kit |", "|---|---|---|---|"]
    for figure, expected, step, value in ROWS:
        found = value(state)
        steps = ", ".join(f"`{name}`" for name in step.split(", "))
        lines.append(f"| {figure} | {expected} | {found or NOT_MEASURED} | {steps} |")
    return "\n".join(lines)


def replaced(page, text):
    """Returns the page with the table between its marks replaced."""
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        raise ValueError(f"expected one '{BEGIN}' and one '{END}' after it")
    return page[: page.index(BEGIN) + len(BEGIN)] + "\n\n" + text + "\n\n" + page[page.index(END) :]


def load(path):
    """Returns the content of the file that run.py wrote; another file raises ValueError."""
    with open(path, encoding="utf-8") as file:
        state = json.load(file)
    steps = state.get("steps") if isinstance(state, dict) else None
    if not isinstance(steps, dict) or not all(isinstance(row, dict) and isinstance(row.get("figures", {}), dict) for row in steps.values()):
        raise ValueError("expected the object with 'steps' that run.py writes")
    return state


def main(arguments):
    parser = argparse.ArgumentParser(description="Prints the figures of the GPU kit as a table.")
    parser.add_argument("figures", nargs="?", help="the file that run.py wrote")
    parser.add_argument("--write", metavar="PAGE", help="replace the table in this page instead of printing it")
    options = parser.parse_args(arguments)
    if options.write and not options.figures:
        parser.error("--write needs the file with the figures: without one it would replace each measured value")
    state = {}
    if options.figures:
        try:
            state = load(options.figures)
        except (OSError, ValueError) as e:
            print(f"table.py: {options.figures} cannot be read: {e}", file=sys.stderr)
            return 1
    if not options.write:
        print(table(state))
        return 0
    if not state["steps"]:
        print(f"table.py: {options.figures} has no result of a step: expected at least one to write into {options.write}", file=sys.stderr)
        return 1
    if state.get("rehearsal"):
        print(f"table.py: {options.figures} is of a rehearsal: expected figures of a GPU", file=sys.stderr)
        return 1
    try:
        with open(options.write, encoding="utf-8") as file:
            page = replaced(file.read(), table(state))
        with open(options.write, "w", encoding="utf-8") as file:
            file.write(page)
    except (OSError, ValueError) as e:
        print(f"table.py: {options.write}: {e}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

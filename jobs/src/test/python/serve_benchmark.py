"""Compares the delivery of ready batches to one Python process: gigabytes and batches per second, and CPU seconds per gigabyte.

    python serve_benchmark.py [--rounds 5] [--seconds 5] [--millrace <script>]

Needs numpy, torch and the package millrace. In each round, each program delivers batches of 9.6 MB (64 images of 224x224x3)
and of 50 KB (64 images of 28x28) for some seconds, one program after the other, after a warm-up:

memfd        `./millrace serve` on one slot, through memory that server and client share
tcp          the same over TCP on this machine
dataloader   torch's DataLoader with 2 workers, from an array in memory

The CPU time is that of all processes of a program.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from metered import Meter

PROGRAMS = ["memfd", "tcp", "dataloader"]
SHAPES = {"9.6 MB": ((224, 224, 3), 2048), "50 KB": ((28, 28, 1), 60000)}
BATCH = 64
PIPELINE = """
name: ready
dataset: {{format: npy, path: {data}, epochs: endless}}
order: {{seed: 1, shuffle: full}}
batch: {{size: 64}}
parallelism: 1
stages: one_task
"""


def batches_of_millrace(arguments, data, work):
    import millrace

    pipeline = pathlib.Path(work, "ready.yaml")
    pipeline.write_text(PIPELINE.format(data=data))
    ready = pathlib.Path(work, "ready.json")
    command = [str(arguments.millrace), "serve", str(pipeline), "--listen", "127.0.0.1:0", "--ready-file", str(ready)]
    server = subprocess.Popen(command, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not ready.exists():
            if server.poll() is not None:
                sys.exit(f"{' '.join(command)} failed")
            time.sleep(0.1)
        found = json.loads(ready.read_text())
        address = found["addresses"][0 if arguments.peer == "memfd" else 1]
        with millrace.Loader(address, token=found["token"]) as loader:
            for batch in loader.steps():
                yield batch["image"]
    finally:
        server.terminate()
        server.wait()


def batches_of_dataloader(data):
    import numpy
    import torch

    images = torch.from_numpy(numpy.load(pathlib.Path(data, "images.npy")))
    labels = torch.from_numpy(numpy.load(pathlib.Path(data, "labels.npy")))
    torch.set_num_threads(1)
    dataset = torch.utils.data.TensorDataset(images, labels)
    while True:
        for batch, _ in torch.utils.data.DataLoader(dataset, BATCH, shuffle=True, num_workers=2, drop_last=True):
            yield batch


def peer(arguments):
    with tempfile.TemporaryDirectory() as work:
        batches = batches_of_dataloader(arguments.data) if arguments.peer == "dataloader" \
            else batches_of_millrace(arguments, arguments.data, work)
        warm = time.time() + arguments.warm
        for batch in batches:
            if time.time() > warm:
                break
        begin, count, size = time.time(), 0, 0
        for batch in batches:
            count += 1
            size += batch.nbytes
            if time.time() > begin + arguments.seconds:
                break
        print(json.dumps({"begin": begin, "end": time.time(), "batches": count, "bytes": size}), flush=True)
        batch = None
        time.sleep(0.5)  # so that the meter sees the end
        batches.close()


def measure(arguments, program, name, data):
    command = [sys.executable, __file__, "--peer", program, "--data", str(data), "--millrace", str(arguments.millrace),
               "--seconds", str(arguments.seconds), "--warm", str(arguments.warm)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    meter = Meter(process)
    meter.start()
    output, errors = process.communicate()
    if process.returncode != 0 or not output:
        sys.exit(f"{' '.join(command)} failed:\n{errors[-2000:]}")
    found = json.loads(output)
    own, others = meter.between(found["begin"], found["end"])
    seconds = found["end"] - found["begin"]
    return {"program": program, "batches": name, "gb_per_s": found["bytes"] / 1e9 / seconds,
            "batches_per_s": found["batches"] / seconds, "cpu_s_per_gb": own / (found["bytes"] / 1e9),
            "other": others / seconds}


def spread(values, digits):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def table(results):
    print("\n| batches | program | GB/s | batches/s | CPU s per GB | its rate relative to DataLoader's | other cores |")
    print("|---|---|---|---|---|---|---|")
    for name in SHAPES:
        base = [r["gb_per_s"] for r in results if r["batches"] == name and r["program"] == "dataloader"]
        for program in PROGRAMS:
            rows = [r for r in results if r["batches"] == name and r["program"] == program]
            ratios = [row["gb_per_s"] / other for row, other in zip(rows, base)]
            print(f"| {name} | {program} | {spread([r['gb_per_s'] for r in rows], 2)} "
                  f"| {spread([r['batches_per_s'] for r in rows], 0)} | {spread([r['cpu_s_per_gb'] for r in rows], 2)} "
                  f"| {spread(ratios, 2)} | {max(r['other'] for r in rows):.2f} at most |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--warm", type=float, default=15)
    parser.add_argument("--millrace", type=lambda text: pathlib.Path(text).resolve(),
                        default=pathlib.Path(__file__).resolve().parents[4] / "millrace")
    parser.add_argument("--peer", choices=PROGRAMS, help=argparse.SUPPRESS)
    parser.add_argument("--data", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        peer(arguments)
        return
    import numpy

    results = []
    with tempfile.TemporaryDirectory() as work:
        for name, (shape, count) in SHAPES.items():
            folder = pathlib.Path(work, name.replace(" ", ""))
            folder.mkdir()
            random = numpy.random.default_rng(1)
            numpy.save(folder / "images.npy", random.integers(0, 256, (count, *shape), dtype=numpy.uint8))
            numpy.save(folder / "labels.npy", random.integers(0, 10, count))
        for _ in range(arguments.rounds):
            for name in SHAPES:
                for program in PROGRAMS:
                    results.append(measure(arguments, program, name, pathlib.Path(work, name.replace(" ", ""))))
                    print(json.dumps(results[-1]), file=sys.stderr, flush=True)
    table(results)


if __name__ == "__main__":
    main()

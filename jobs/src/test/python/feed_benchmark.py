"""Compares Millrace with other programs that feed photos to a training: images per second, and CPU time per image.

    python feed_benchmark.py --photos <folder> [--photos <folder>] [--millrace <script>] [--rounds 5] [--out rounds.jsonl]
    python feed_benchmark.py --table rounds.jsonl

Each folder has class folders of JPEGs, for example from `./millrace generate photos` and from detailed_photos.py. In each round,
each program decodes, crops, flips and normalises all photos several times, one program after the other. Millrace runs
`train` without a model in 2 slots. feed_peer.py describes the other programs, which need torch, torchvision, opencv-python,
Pillow, tensorflow and the package millrace. `program+malloc` is the same program with the settings of glibc's allocator that keep freed memory.

Only the time from the second epoch on counts. metered.py measures the CPU time of all programs. `other` is the number of cores that all other programs of the machine used meanwhile.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile

from metered import peer, spread, trained

PEER = pathlib.Path(__file__).with_name("feed_peer.py")
MALLOC = {
    "MALLOC_MMAP_THRESHOLD_": "1073741824",
    "MALLOC_TRIM_THRESHOLD_": "4294967296",
    "MALLOC_TOP_PAD_": "67108864",
}
PIPELINE = """
name: feed
dataset: {{format: folder, path: {photos}, epochs: {epochs}}}
order: {{seed: {seed}, shuffle: full}}
transforms:
  - decode
  - RandomResizedCrop: {{size: [224, 224]}}
  - RandomHorizontalFlip: {{p: 0.5}}
batch: {{size: 64}}
parallelism: 2
device:
  kind: host
  transforms:
    - ToFloat: {{scale: 255}}
    - Normalize: {{mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}}
train: {{model: none}}
"""
PROGRAMS = ["millrace", "torchvision", "torchvision+malloc", "torchvision-batch", "torchvision-batch+malloc", "tf.data",
            "tf.data+malloc", "opencv", "opencv+malloc", "millrace-serve"]


def ends_of_millrace(arguments, photos, images, work, number):
    epochs = max(8, round(arguments.images * 1.5 / images))
    pipeline = PIPELINE.format(photos=photos, epochs=epochs, seed=number + 1)
    ends, meter, summary = trained(arguments.millrace, pipeline, work, epochs * images)
    return ends, meter, {
        "start_s": round(summary["first_step_s"], 2),
        "epoch_s": summary["epoch_s"],
        "images_in_10_s": images_until(10, summary["first_step_s"], summary["epoch_s"], images),
        "kernels": summary["kernels"],
        "cpu_ms_by_stage": {stage["name"]: stage["cpu_ms"] for stage in summary["stages"] if stage.get("cpu_ms")},
    }


def images_until(limit, begin, seconds, images):
    count = 0.0
    for duration in seconds:
        share = min(1.0, max(0.0, (limit - begin) / duration))
        count += share * images
        begin += duration
    return round(count)


def ends_of_peer(program, arguments, photos, images, work):
    epochs = 1 + max(1, round(arguments.images / images))
    name, _, malloc = program.partition("+")
    environment = {**os.environ, "MILLRACE": str(arguments.millrace), "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", **(MALLOC if malloc else {})}
    command = [sys.executable, str(PEER), name, str(photos), str(epochs)]
    return *peer(command, work, epochs, environment), {}


def measure(program, arguments, photos, number):
    images = sum(1 for _ in photos.glob("*/**/*.jpg"))
    with tempfile.TemporaryDirectory() as work:
        if program == "millrace":
            ends, meter, more = ends_of_millrace(arguments, photos, images, work, number)
        else:
            ends, meter, more = ends_of_peer(program, arguments, photos, images, work)
    seconds, count = ends[-1] - ends[0], images * (len(ends) - 1)
    own, others = meter.between(ends[0], ends[-1])
    result = {"photos": photos.name, "round": number, "program": program, "images_per_s": round(count / seconds, 1),
              "cpu_ms": round(1000 * own / count, 4), "other": round(others / seconds, 2), "images": count,
              "seconds": round(seconds, 2)}
    if program == "millrace":
        half = len(ends) // 2
        own, _ = meter.between(ends[half], ends[-1])
        result["late_images_per_s"] = round(images * (len(ends) - 1 - half) / (ends[-1] - ends[half]), 1)
        result["late_cpu_ms"] = round(1000 * own / images / (len(ends) - 1 - half), 4)
    return {**result, **more}


def table(results):
    for photos in dict.fromkeys(result["photos"] for result in results):
        own = {r["round"]: r for r in results if r["photos"] == photos and r["program"] == "millrace"}
        if not own:
            sys.exit(f"there is no result of Millrace for {photos}")
        print(f"\n{photos}, {len(own)} rounds; median (least to most)\n")
        print("| program | images/s | CPU ms per image | Millrace's rate relative to it | its CPU time relative to Millrace's | other cores |")
        print("|---|---|---|---|---|---|")
        for program in dict.fromkeys(result["program"] for result in results):
            rows = [r for r in results if r["photos"] == photos and r["program"] == program and r["round"] in own]
            if not rows:
                continue
            rates = spread([own[r["round"]]["images_per_s"] / r["images_per_s"] for r in rows], 2)
            costs = spread([r["cpu_ms"] / own[r["round"]]["cpu_ms"] for r in rows], 2)
            print(f"| {program} | {spread([r['images_per_s'] for r in rows], 0)} | {spread([r['cpu_ms'] for r in rows], 3)} "
                  f"| {rates} | {costs} | {max(r['other'] for r in rows):.2f} at most |")
        late = list(own.values())
        print(f"\nMillrace's later half of the epochs: {spread([r['late_images_per_s'] for r in late], 0)} images/s, "
              f"{spread([r['late_cpu_ms'] for r in late], 3)} ms. First step after {spread([r['start_s'] for r in late], 1)} s; "
              f"{spread([r['images_in_10_s'] for r in late], 0)} images in the first 10 s.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=lambda text: pathlib.Path(text).resolve(), action="append", default=[])
    parser.add_argument("--millrace", type=lambda text: pathlib.Path(text).resolve(),
                        default=pathlib.Path(__file__).resolve().parents[4] / "millrace")
    parser.add_argument("--programs", nargs="+", default=PROGRAMS, help="default: " + " ".join(PROGRAMS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--images", type=int, default=6000, help="images to measure in each round; Millrace: 1.5 times as many")
    parser.add_argument("--out", type=pathlib.Path, help="a file to which each result is added; default: none")
    parser.add_argument("--table", type=pathlib.Path, help="only print the table of such a file")
    arguments = parser.parse_args()
    if arguments.table:
        table([json.loads(line) for line in arguments.table.read_text().splitlines()])
        return
    results = []
    first = 0
    if arguments.out and arguments.out.exists():
        first = 1 + max(json.loads(line)["round"] for line in arguments.out.read_text().splitlines())
    for number in range(first, first + arguments.rounds):
        for photos in arguments.photos:
            for program in arguments.programs:
                result = measure(program, arguments, photos, number)
                results.append(result)
                print(json.dumps(result), file=sys.stderr, flush=True)
                if arguments.out:
                    with arguments.out.open("a") as file:
                        file.write(json.dumps(result) + "\n")
    table(results)


if __name__ == "__main__":
    main()

"""Compares a Python transform in Millrace with the same transform in a DataLoader of torch: images per second, CPU time per image.

    python python_benchmark.py --photos <folder> [--millrace <script>] [--rounds 5] [--out rounds.jsonl]
    python python_benchmark.py --table rounds.jsonl

The folder has class folders of JPEGs. In each round, each program decodes all photos several times, crops, flips and changes their
colours, and makes batches of 64 as uint8. The trainer would normalise them, so no program does. photo_functions.py has the
transforms: of Albumentations and of torchvision, as far as they can be imported. Millrace has 2 slots, and `decode` is Millrace's own. The DataLoader
has 2 workers, which decode with OpenCV, Pillow or torchvision. Only the time from the second epoch on counts. metered.py measures the CPU time.
"""

import argparse
import importlib
import json
import pathlib
import random
import sys
import tempfile
import time

import metered
from feed_peer import BATCH, WORKERS, labelled
from metered import spread

HERE = pathlib.Path(__file__).resolve().parent
PIPELINE = """
name: python
dataset: {{format: folder, path: {photos}, epochs: {epochs}}}
order: {{seed: {seed}, shuffle: full}}
python: {{executable: {python}, path: [{here}]}}
transforms: [ decode, python: {{ {function} }} ]
batch: {{size: 64}}
parallelism: 2
device: {{kind: host}}
train: {{model: none}}
"""
# Millrace's programs by library, and the programs of torch that they are compared with.
MILLRACE = {
    "albumentations": 'call: "photo_functions:albumentations", args: {}',
    "torchvision": 'call: "photo_functions:TorchvisionImage", args: {}, tensors: true',
}
PEERS = {
    "albumentations": ["albumentations+cv2", "albumentations+pillow"],
    "torchvision": ["torchvision+decode_jpeg", "torchvision+pillow"],
}


def decoder(name):
    if name == "cv2":
        import cv2
        import numpy

        cv2.setNumThreads(0)
        return lambda path: cv2.imdecode(numpy.fromfile(path, numpy.uint8), cv2.IMREAD_COLOR_RGB)
    if name == "decode_jpeg":
        from torchvision.io import ImageReadMode, decode_jpeg, read_file

        return lambda path: decode_jpeg(read_file(path), ImageReadMode.RGB)
    from PIL import Image

    return lambda path: Image.open(path).convert("RGB")


def photo(program):
    """Returns the function from a path to the pixels that a DataLoader collates."""
    import numpy
    import photo_functions
    import torch

    library, _, decoding = program.partition("+")
    decode, transform = decoder(decoding), getattr(photo_functions, library)()
    if library == "albumentations":
        return lambda path: torch.from_numpy(transform(image=numpy.asarray(decode(path)))["image"])
    if decoding == "pillow":
        from torchvision.transforms.v2.functional import pil_to_tensor

        return lambda path: pil_to_tensor(transform(decode(path)))
    return lambda path: transform(decode(path))


def peer(program, folder, epochs):
    import torch
    from torch.utils import data

    files = labelled(folder)

    class Photos(data.Dataset):
        work = None

        def __len__(self):
            return len(files)

        def __getitem__(self, index):
            self.work = self.work or photo(program)
            path, label = files[index]
            return self.work(path), label

    class Endless(data.Sampler):
        def __iter__(self):
            while True:
                yield from torch.randperm(len(files)).tolist()

    torch.set_num_threads(1)
    images = 0
    for batch, _ in data.DataLoader(Photos(), BATCH, sampler=Endless(), num_workers=WORKERS):
        if images // len(files) < (images + len(batch)) // len(files):
            print("epoch", time.time(), flush=True)
        images += len(batch)
        if images >= epochs * len(files):
            return


def findings(summary):
    return {
        "verdict": summary["verdict"]["line"] if summary["verdict"] else None,
        "cpu_us_by_stage": {stage["name"]: round(1000 * stage["cpu_ms"] / stage["records"])
                            for stage in summary["stages"] if stage.get("cpu_ms")},
        "lines": [[round(line["share"], 3), f"{line['file']}:{line['line']}", line["text"]]
                  for stage in summary["stages"] for line in stage.get("code", {}).get("lines", [])[:5]],
    }


def measure(program, arguments, images, number):
    epochs = 1 + max(1, round(arguments.images / images))
    more = {}
    with tempfile.TemporaryDirectory() as work:
        if program.startswith("millrace-"):
            epochs += epochs // 2  # the first epochs of a JVM are slower
            pipeline = PIPELINE.format(photos=arguments.photos, epochs=epochs, seed=number + 1, here=HERE, python=sys.executable,
                                       function=MILLRACE[program.partition("-")[2]])
            ends, meter, summary = metered.trained(arguments.millrace, pipeline, work, epochs * images)
            more = findings(summary)
        else:
            command = [sys.executable, __file__, "--peer", program, str(arguments.photos), str(epochs)]
            ends, meter = metered.peer(command, work, epochs)
    seconds, count = ends[-1] - ends[0], images * (len(ends) - 1)
    own, others = meter.between(ends[0], ends[-1])
    return {"round": number, "program": program, "images_per_s": round(count / seconds, 1),
            "cpu_ms": round(1000 * own / count, 4), "other": round(others / seconds, 2), "images": count, **more}


def table(results):
    print("| program | images/s | CPU ms per image | Millrace's rate relative to it | its CPU time relative to Millrace's | other cores |")
    print("|---|---|---|---|---|---|")
    for library, peers in PEERS.items():
        base = {r["round"]: r for r in results if r["program"] == "millrace-" + library}
        for program in ["millrace-" + library, *peers]:
            rows = [r for r in results if r["program"] == program and r["round"] in base]
            if rows:
                rates = spread([base[r["round"]]["images_per_s"] / r["images_per_s"] for r in rows], 2)
                costs = spread([r["cpu_ms"] / base[r["round"]]["cpu_ms"] for r in rows], 2)
                print(f"| {program} | {spread([r['images_per_s'] for r in rows], 0)} | {spread([r['cpu_ms'] for r in rows], 3)} "
                      f"| {rates} | {costs} | {max(r['other'] for r in rows):.2f} at most |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--millrace", type=lambda text: pathlib.Path(text).resolve(), default=HERE.parents[3] / "millrace")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--images", type=int, default=6000, help="images to measure in each round; Millrace: half as many more")
    parser.add_argument("--programs", nargs="+", help="default: all whose libraries can be imported")
    parser.add_argument("--out", type=pathlib.Path, help="a file to which each result is added; default: none")
    parser.add_argument("--table", type=pathlib.Path, help="only print the table of such a file")
    parser.add_argument("--peer", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        peer(arguments.peer[0], arguments.peer[1], int(arguments.peer[2]))
        return
    if arguments.table:
        table([json.loads(line) for line in arguments.table.read_text().splitlines()])
        return
    if not arguments.photos:
        parser.error("expected --photos or --table")
    programs = arguments.programs
    if not programs:
        programs = []
        for library, peers in PEERS.items():
            try:
                importlib.import_module(library)
                programs += ["millrace-" + library, *peers]
            except ImportError as e:
                print(f"left out: {library} ({e})", file=sys.stderr)
    images = sum(1 for _ in arguments.photos.glob("*/**/*.jpg"))
    results = []
    for number in range(arguments.rounds):
        for program in random.sample(programs, len(programs)):
            results.append(measure(program, arguments, images, number))
            print(json.dumps(results[-1]), file=sys.stderr, flush=True)
            if arguments.out:
                with arguments.out.open("a") as file:
                    file.write(json.dumps(results[-1]) + "\n")
    table(results)


if __name__ == "__main__":
    main()

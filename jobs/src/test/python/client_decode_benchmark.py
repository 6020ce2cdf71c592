"""Compares who decodes the JPEGs of a Python loop on the CPU: Millrace's data stages, or the loop by torchvision.

    python client_decode_benchmark.py --photos <folder> [--rounds 2] [--seconds 15] [--warm-up 15]

Needs numpy, torch, torchvision, Pillow and the package millrace. Both programs make batches of 64 normalised floats
[64, 3, 224, 224] of random crops, one program after the other; no model trains:

server   `decode`, RandomResizedCrop and flip in Millrace, ToFloat and Normalize in torch
client   the bytes of the files from Millrace, everything else as in python/examples/gpu_decode.py, on the CPU with one thread

The CPU time is that of all processes of a program. Prints one JSON line for each program and round.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from metered import Meter

EXAMPLES = pathlib.Path(__file__).resolve().parents[4] / "python" / "examples"
COMMON = """
order: {{ seed: 1, shuffle: full }}
batch: {{ size: 64 }}
run: {{ web_port: 0 }}
"""
PIPELINES = {
    "server": """
dataset: {{ format: folder, path: {photos}, epochs: endless }}
transforms: [ decode, RandomResizedCrop: {{ size: [224, 224] }}, RandomHorizontalFlip: {{ p: 0.5 }} ]
device:
  transforms: [ ToFloat: {{ scale: 255 }}, Normalize: {{ mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] }} ]
""",
    "client": """
dataset: {{ format: folder, path: {photos}, epochs: endless, fields: {{ image: {{ from: file, as: ragged }}, label: label }} }}
""",
}


def batches(program, photos, work):
    import torch
    from torchvision.transforms import v2

    import millrace

    sys.path.insert(0, str(EXAMPLES))
    import gpu_decode

    torch.set_num_threads(1)
    pipeline = pathlib.Path(work, "photos.yaml")
    pipeline.write_text((PIPELINES[program] + COMMON).format(photos=photos))
    steps = [v2.RandomResizedCrop((224, 224), antialias=True), v2.RandomHorizontalFlip()]
    crop = v2.Compose(steps)
    normalize = v2.Compose([v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])
    with millrace.Loader(str(pipeline)) as loader:
        for batch in loader.steps():
            if program == "server":
                yield batch.torch("image", transforms=True)
            else:
                images = gpu_decode.decode(batch["image"].rows(), torch.device("cpu"))
                yield normalize(torch.stack([crop(image) for image in images]))


def peer(arguments):
    with tempfile.TemporaryDirectory() as work:
        made = batches(arguments.peer, arguments.photos, work)
        next(made)
        warm, count = time.time() + arguments.warm_up, 0
        begin = end = 0.0
        for batch in made:
            assert tuple(batch.shape[1:]) == (3, 224, 224), batch.shape
            end = time.time()
            if not begin:
                begin = end if end >= warm else 0.0
                continue
            count += len(batch)
            if end >= begin + arguments.seconds:
                break
        time.sleep(1)  # the meter needs a sample after the end
        print(json.dumps({"begin": begin, "end": end, "images": count}), flush=True)
        made.close()


def measure(program, arguments):
    options = ["--photos", arguments.photos, "--seconds", str(arguments.seconds), "--warm-up", str(arguments.warm_up)]
    command = [sys.executable, __file__, "--peer", program, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        meter = Meter(process)
        meter.start()
        out = process.stdout.read()
    if process.returncode != 0:
        sys.exit(f"{program} failed")
    meter.join()
    found = json.loads(out.splitlines()[-1])
    own, others = meter.between(found["begin"], found["end"])
    seconds = found["end"] - found["begin"]
    return {
        "program": program,
        "images_per_s": round(found["images"] / seconds, 1),
        "cpu_ms_per_image": round(1000 * own / found["images"], 3),
        "cores_of_others": round(others / seconds, 2),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", required=True)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--warm-up", type=float, default=15)
    parser.add_argument("--peer", choices=PIPELINES)
    arguments = parser.parse_args()
    arguments.photos = str(pathlib.Path(arguments.photos).resolve())
    if arguments.peer:
        peer(arguments)
        return
    for _ in range(arguments.rounds):
        for program in PIPELINES:
            print(json.dumps(measure(program, arguments)), flush=True)


if __name__ == "__main__":
    main()

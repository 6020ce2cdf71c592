"""Compares the kernels with torchvision v2 and other decoders, in images per second of one thread's CPU time.

    python photo_benchmark.py <class path> <folder of JPEGs> [rounds] [kernels,kernels]

The class path is that of the operators' tests. Each round measures each kind of kernels and each other program for a second, one
after the other, on the same photos. The script prints medians, with the least and the most, and the ratios to torchvision. It
needs torch and torchvision. It also measures the decoders of OpenCV, Pillow, simplejpeg and imagecodecs if they are installed.
`oneStep` resizes rows as soon as they are decoded; `laterEpochs` does so with entry points, which the first rounds record.
"""

import importlib
import io
import math
import pathlib
import random
import statistics
import subprocess
import sys
import time

import torch
from torchvision.io import ImageReadMode, decode_jpeg
from torchvision.transforms.v2 import functional as F

EDGE = 224
PHOTOS = 256
SECONDS = 1.0

torch.set_num_threads(1)
draw = random.Random(1)
folder = sys.argv[2]
photos = [
    torch.frombuffer(bytearray(path.read_bytes()), dtype=torch.uint8)
    for path in sorted(pathlib.Path(folder).rglob("*.jpg"))[:PHOTOS]
]
encoded = [bytes(photo.numpy()) for photo in photos]
whole = decode_jpeg(photos[0], ImageReadMode.RGB)
turn = 0


def photo():
    return photos[following()]


def following():
    global turn
    turn = (turn + 1) % len(photos)
    return turn


def resized(image):
    rows, columns = image.shape[-2:]
    while True:
        area = rows * columns * draw.uniform(0.08, 1)
        shape = math.exp(draw.uniform(-math.log(4 / 3), math.log(4 / 3)))
        width, height = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
        if width <= columns and height <= rows:
            top, left = draw.randrange(rows - height + 1), draw.randrange(columns - width + 1)
            return F.resized_crop(image, top, left, height, width, [EDGE, EDGE], antialias=True)


def augmented():
    image = resized(decode_jpeg(photo(), ImageReadMode.RGB))
    return F.horizontal_flip(image) if draw.random() < 0.5 else image


def decoders():
    """The decoders of other programs that are installed."""

    def opencv(cv2):
        cv2.setNumThreads(0)
        numpy = importlib.import_module("numpy")
        return lambda file: cv2.imdecode(numpy.frombuffer(file, numpy.uint8), cv2.IMREAD_COLOR_RGB)

    modules = {
        "cv2": opencv,
        "PIL.Image": lambda pillow: lambda file: pillow.open(io.BytesIO(file)).convert("RGB"),
        "simplejpeg": lambda simplejpeg: simplejpeg.decode_jpeg,
        "imagecodecs": lambda imagecodecs: imagecodecs.jpeg8_decode,
    }
    for name, decoder in modules.items():
        try:
            decode = decoder(importlib.import_module(name))
        except ImportError:
            continue
        yield name, lambda decode=decode: decode(encoded[following()])


TORCHVISION = "torchvision v2"
PEERS = {
    "augmented": {TORCHVISION: augmented},
    "decode": {TORCHVISION: lambda: decode_jpeg(photo(), ImageReadMode.RGB), **dict(decoders())},
    "resize": {TORCHVISION: lambda: resized(whole)},
}
OURS = {"augmented": ("threeStages", "oneStep", "laterEpochs"), "decode": ("decode",), "resize": ("resize",)}


def rate(work):
    begun, cpu, count = time.perf_counter(), time.thread_time(), 0
    while time.perf_counter() - begun < SECONDS:
        work()
        count += 1
    return count / (time.thread_time() - cpu)


def main():
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    java = subprocess.Popen(
        ["java", "-Xmx1g", "-cp", sys.argv[1], "io.millrace.image.PhotoBenchmark", folder],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ours(kernels, name):
        java.stdin.write(f"{kernels} {name} {SECONDS}\n")
        java.stdin.flush()
        return float(java.stdout.readline())

    measured = {}
    kinds = sys.argv[4].split(",") if len(sys.argv) > 4 else ("native", "scalar")
    for number in range(rounds + 2):  # two to warm up
        for task, peers in PEERS.items():
            results = {name: rate(work) for name, work in peers.items()}
            for kernels in kinds:
                for name in OURS[task]:
                    results[f"{kernels} {name}"] = ours(kernels, name)
            if number >= 2:
                for who, value in results.items():
                    measured.setdefault((task, who), []).append(value)
    java.stdin.close()
    java.wait()
    for (task, who), values in measured.items():
        ratios = [value / base for value, base in zip(values, measured[task, TORCHVISION])]
        print(f"{task:10} {who:20} {statistics.median(values):7.0f}/s ({min(values):.0f} to {max(values):.0f})  "
              f"{1000 / statistics.median(values):7.3f} ms  "
              f"{statistics.median(ratios):5.2f} ({min(ratios):.2f} to {max(ratios):.2f}) times torchvision")


main()

"""Compares the kernels with torchvision v2, in images per second of one thread's CPU time.

    python photo_benchmark.py <class path> <folder of JPEGs> [rounds]

The class path is that of the operators' tests. Each round measures each kind of kernels and torchvision for a second, one after
the other, on the same photos. The script prints the medians and their ratios to torchvision's. It needs torch and torchvision.
"""

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
whole = decode_jpeg(photos[0], ImageReadMode.RGB)
turn = 0


def photo():
    global turn
    turn = (turn + 1) % len(photos)
    return photos[turn]


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


PEERS = {
    "augmented": augmented,
    "decode": lambda: decode_jpeg(photo(), ImageReadMode.RGB),
    "resize": lambda: resized(whole),
}
OURS = {"augmented": ("threeStages",), "decode": ("decode",), "resize": ("resize",)}


def rate(work):
    begun, cpu, count = time.perf_counter(), time.thread_time(), 0
    while time.perf_counter() - begun < SECONDS:
        work()
        count += 1
    return count / (time.thread_time() - cpu)


def main():
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    flags = ["--add-modules=jdk.incubator.vector", "-Xmx1g"]
    java = subprocess.Popen(
        ["java", *flags, "-cp", sys.argv[1], "io.millrace.image.PhotoBenchmark", folder],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ours(kernels, name):
        java.stdin.write(f"{kernels} {name} {SECONDS}\n")
        java.stdin.flush()
        return float(java.stdout.readline())

    measured = {}
    for number in range(rounds + 2):  # two to warm up
        for task, work in PEERS.items():
            results = {"torchvision v2": rate(work)}
            for kernels in ("native", "vector", "scalar"):
                for name in OURS[task]:
                    results[f"{kernels} {name}"] = ours(kernels, name)
            if number >= 2:
                for who, value in results.items():
                    measured.setdefault((task, who), []).append(value)
    java.stdin.close()
    java.wait()
    for (task, who), values in measured.items():
        median = statistics.median(values)
        ratio = median / statistics.median(measured[task, "torchvision v2"])
        print(f"{task:10} {who:20} {median:7.0f}/s  {ratio:5.2f}")


main()

"""Milliseconds of CPU per image of 1024x1024 for four changes, ours beside PyTorch's, one thread each:

    python toy_transforms_benchmark.py <test class path of gpu-sink>

A random crop of 256x256, a random mask (a quarter of the pixels and their four neighbours black), RGB to YCbCr by a
matrix, and division by 255. PyTorch's are those that the article's pipeline is written with: torchvision's crop of a
tensor, SciPy's convolution to grow the mask, one matrix product, one division, sample by sample. Ours are those of
ToyTransformsBenchmark, alternating with them. The ratio is of medians.
"""

import re
import statistics
import subprocess
import sys
import time

import numpy
import torch
from PIL import Image
from scipy.signal import convolve2d
from torchvision import transforms

torch.set_num_threads(1)
EDGE, IMAGES = 256, 64
MATRIX = torch.tensor([[0.299, 0.587, 0.114], [-0.16874, -0.33126, 0.5], [0.5, -0.41869, -0.08131]])
OFFSET = torch.tensor([0.0, 128.0, 128.0])[:, None]
CROSS = numpy.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])


def mask(image):
    chosen = numpy.random.uniform(size=(EDGE, EDGE)) < 0.25
    grown = convolve2d(chosen, CROSS, mode="same") > 0
    image[:, torch.from_numpy(grown)] = 0
    return image


def convert(image):
    return (MATRIX @ image.float().flatten(1) + OFFSET).view(3, EDGE, EDGE)


THEIRS = transforms.Compose(
    [transforms.PILToTensor(), transforms.RandomCrop(EDGE), mask, convert, lambda image: image / 255]
)
noise = Image.fromarray(numpy.random.randint(0, 256, (1024, 1024, 3), dtype=numpy.uint8))


def theirs():
    begin = time.process_time()
    for _ in range(IMAGES):
        THEIRS(noise)
    return (time.process_time() - begin) * 1e3 / IMAGES


OPTIONS = ["--add-opens=java.base/java.nio=ALL-UNNAMED", "-Dai.djl.offline=true"]
command = ["java", *OPTIONS, "-cp", sys.argv[1], "io.millrace.train.input.ToyTransformsBenchmark"]
ours, seen = [], []
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as benchmark:
    for line in benchmark.stdout:
        figures = re.findall(r"([0-9.]+) ms", line)
        if len(figures) == 2:
            ours.append(sum(map(float, figures)))
            seen.append(theirs())
            print(line.strip(), f"- PyTorch {seen[-1]:.2f} ms", flush=True)
first, second = statistics.median(ours), statistics.median(seen)
print(f"medians: ours {first:.3f} ms, PyTorch {second:.3f} ms, ratio {second / first:.1f}")

"""Measures with torchvision what WarpBenchmark measures, on one thread: python geometry_benchmark.py

The same 224x224 pictures and parameters on Pillow images (the reference for pixels) and on uint8 tensors (v2's kernels).
"""

import random
import time

import numpy as np
import torch
from PIL import Image
from torchvision.transforms import InterpolationMode
from torchvision.transforms.v2 import functional as F

torch.set_num_threads(1)
SIZE = 224
pixels = np.random.default_rng(1).integers(0, 256, (SIZE, SIZE, 3), dtype=np.uint8)
tensor = torch.from_numpy(pixels).permute(2, 0, 1)
draw = random.Random(1)
start = [[0, 0], [SIZE - 1, 0], [SIZE - 1, SIZE - 1], [0, SIZE - 1]]


def corners():
    half = SIZE // 4
    near, far = lambda: draw.randrange(half + 1), lambda: SIZE - 1 - draw.randrange(half + 1)
    return [[near(), near()], [far(), near()], [far(), far()], [near(), far()]]


def works(image, mode):
    return {
        "rotate": lambda: F.rotate(image, draw.uniform(-30, 30), mode),
        "affine": lambda: F.affine(image, draw.uniform(-30, 30), [draw.randrange(-20, 21), draw.randrange(-20, 21)], draw.uniform(0.8, 1.2), [draw.uniform(-10, 10), 0.0], mode),
        "perspective": lambda: F.perspective(image, start, corners(), mode),
    }


def rate(work, seconds=1.5):
    for _ in range(20):
        work()
    count, begin = 0, time.process_time()
    while time.process_time() - begin < seconds:
        work()
        count += 1
    return count / (time.process_time() - begin)


for kind, image in (("Pillow", Image.fromarray(pixels)), ("tensor", tensor)):
    for mode in ("nearest", "bilinear", "bicubic"):
        if kind == "tensor" and mode == "bicubic":
            continue  # torchvision has no bicubic affine or perspective for tensors
        for name, work in works(image, InterpolationMode(mode)).items():
            print(f"{kind} {name} {mode}: {rate(work):.0f} per CPU second", flush=True)
for kind, image in (("Pillow", Image.fromarray(pixels)), ("tensor", tensor)):
    for mode in ("constant", "reflect"):
        print(f"{kind} pad {mode}: {rate(lambda: F.pad(image, [16], padding_mode=mode), 1):.0f} per CPU second")
    print(f"{kind} flip: {rate(lambda: F.horizontal_flip(image), 1):.0f} per CPU second")
print(f"tensor erase: {rate(lambda: F.erase(tensor, 50, 50, 90, 80, torch.tensor([0.0])[:, None, None]), 1):.0f} per CPU second")
photo = Image.fromarray(np.random.default_rng(1).integers(0, 256, (375, 500, 3), dtype=np.uint8))
for mode in ("box", "hamming", "lanczos"):
    print(f"Pillow resize {mode}: {rate(lambda: F.resize(photo, [224, 224], InterpolationMode(mode)), 1):.0f} per CPU second")

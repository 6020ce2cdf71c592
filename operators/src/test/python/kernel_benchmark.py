"""Prints a table that compares the scalar and native kernels with torchvision v2 on uint8 tensors, by the CPU time of
one thread:

    python kernel_benchmark.py <test class path>

The table has nanoseconds per pixel of a colour image of 224x224. The ratio is torchvision's time divided by that of the fastest
kernels.
"""

import math
import random
import subprocess
import sys
import time

import torch
from torchvision.transforms.v2 import InterpolationMode
from torchvision.transforms.v2 import functional as F

torch.set_num_threads(1)
photo = torch.randint(0, 256, (375, 500, 3), dtype=torch.uint8).permute(2, 0, 1)
image = F.gaussian_blur(torch.randint(0, 256, (3, 224, 224), dtype=torch.uint8), [9, 9], [2.0, 2.0])
draw = random.Random(1)


def crop(**options):
    area = 375 * 500 * draw.uniform(0.08, 1)
    shape = math.exp(draw.uniform(-math.log(4 / 3), math.log(4 / 3)))
    width, height = min(500, round(math.sqrt(area * shape))), min(375, round(math.sqrt(area / shape)))
    top, left = draw.randrange(376 - height), draw.randrange(501 - width)
    return F.resized_crop(photo, top, left, height, width, [224, 224], antialias=True, **options)


def jitter():
    changed = F.adjust_contrast(F.adjust_brightness(image, 1.3), 0.8)
    return F.adjust_hue(F.adjust_saturation(changed, 1.2), 0.05)


OPERATIONS = {
    "resized_crop": crop,
    "resized_crop_bicubic": lambda: crop(interpolation=InterpolationMode.BICUBIC),
    "hflip": lambda: F.horizontal_flip(image),
    "brightness": lambda: F.adjust_brightness(image, 1.3),
    "contrast": lambda: F.adjust_contrast(image, 1.3),
    "saturation": lambda: F.adjust_saturation(image, 1.3),
    "hue": lambda: F.adjust_hue(image, 0.1),
    "grayscale": lambda: F.rgb_to_grayscale(image, 3),
    "jitter": jitter,
}


def nanos(operation):
    for _ in range(20):
        operation()
    best = math.inf
    for _ in range(7):
        count, begin = 0, time.process_time()
        while time.process_time() - begin < 0.3:
            operation()
            count += 1
        best = min(best, (time.process_time() - begin) / count * 1e9 / (224 * 224))
    return best


command = ["java", "-cp", sys.argv[1], "io.millrace.image.KernelTwinsBenchmark"]
print("| operation | torchvision ns/px | scalar | plain C | native | ratio | allocated, bytes |\n|---|---|---|---|---|---|---|")
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as ours:
    for line in ours.stdout:
        name, scalar, plain, native, allocated = line.split()
        theirs = nanos(OPERATIONS[name])
        ratio = theirs / min(float(scalar), float(plain), float(native))
        print(f"| {name} | {theirs:.2f} | {scalar} | {plain} | {native} | {ratio:.1f} | {allocated} |", flush=True)

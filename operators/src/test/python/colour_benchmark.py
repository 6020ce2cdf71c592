"""Measures torchvision's colour changes, which ColorBenchmark measures for Millrace: microseconds of CPU time per image on one thread.

    python colour_benchmark.py
"""

import statistics
import time

import numpy as np
import torch
from torchvision.transforms.v2 import functional as F

from colour_vectors import chw, pixels

torch.set_num_threads(1)
image = F.autocontrast(F.gaussian_blur(chw(pixels(1, "noise", 224, 224, 3)).contiguous(), [9, 9], [2.0, 2.0]))


def jitter():
    changed = F.adjust_contrast(F.adjust_brightness(image, 1.3), 0.8)
    return F.adjust_hue(F.adjust_saturation(changed, 1.2), 0.05)


OPERATIONS = {
    "brightness": lambda: F.adjust_brightness(image, 1.3),
    "contrast": lambda: F.adjust_contrast(image, 1.3),
    "saturation": lambda: F.adjust_saturation(image, 1.3),
    "hue": lambda: F.adjust_hue(image, 0.1),
    "jitter": jitter,
    "grayscale": lambda: F.rgb_to_grayscale(image, 3),
    "blur3": lambda: F.gaussian_blur(image, [3, 3], [1.0, 1.0]),
    "blur9": lambda: F.gaussian_blur(image, [9, 9], [1.0, 1.0]),
    "blur23": lambda: F.gaussian_blur(image, [23, 23], [1.0, 1.0]),
    "invert": lambda: F.invert(image),
    "posterize": lambda: F.posterize(image, 4),
    "solarize": lambda: F.solarize(image, 128.0),
    "sharpness": lambda: F.adjust_sharpness(image, 1.5),
    "autocontrast": lambda: F.autocontrast(image),
    "equalize": lambda: F.equalize(image),
}

for name, operation in OPERATIONS.items():
    for _ in range(20):
        operation()
    times = []
    for _ in range(15):
        start = time.process_time()
        for _ in range(20):
            operation()
        times.append((time.process_time() - start) / 20 * 1e6)
    print(f"{name:12} {statistics.median(times):8.0f} us")

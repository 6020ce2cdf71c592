"""Measures the operations of ResamplerBenchmark and ImageDecoderBenchmark with torchvision, on one thread: python resize_benchmark.py [photo.jpg]"""

import math
import random
import sys
import time

import torch
from torchvision.io import ImageReadMode, decode_jpeg
from torchvision.transforms.v2 import functional as F

torch.set_num_threads(1)
# decode_jpeg returns channels-last memory, on which torchvision's uint8 kernel is fastest.
image = torch.randint(0, 256, (375, 500, 3), dtype=torch.uint8).permute(2, 0, 1)
draw = random.Random(1)


def crop():
    area = 375 * 500 * draw.uniform(0.08, 1)
    shape = math.exp(draw.uniform(-math.log(4 / 3), math.log(4 / 3)))
    width, height = min(500, round(math.sqrt(area * shape))), min(375, round(math.sqrt(area / shape)))
    top, left = draw.randrange(376 - height), draw.randrange(501 - width)
    return F.resized_crop(image, top, left, height, width, [224, 224], antialias=True)


def rate(work, seconds=5):
    for _ in range(200):
        work()
    count, begin, cpu = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - begin < seconds:
        work()
        count += 1
    return count / (time.perf_counter() - begin), count / (time.process_time() - cpu)


print("resized_crop: %.0f per second, %.0f per CPU second" % rate(crop))
if len(sys.argv) > 1:
    data = torch.frombuffer(bytearray(open(sys.argv[1], "rb").read()), dtype=torch.uint8)
    print("decode_jpeg: %.0f per second, %.0f per CPU second" % rate(lambda: decode_jpeg(data, ImageReadMode.RGB)))

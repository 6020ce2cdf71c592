"""Makes the vectors in src/test/resources/vectors/transform/geometry with torchvision on Pillow images.

    python geometry_vectors.py ../resources/vectors/transform/geometry

Made with Pillow 12.3.0, torchvision 0.29.1, torch 2.14.1, numpy 2. Expected pixels are stored as SHA-256, because the tests
require a difference of 0. Source pixels come from a generator that the tests have, too (`pixels`, as in image_vectors.py).
"""

import csv
import hashlib
import itertools
import pathlib
import sys

import numpy as np
import torch
from PIL import Image
from torchvision.transforms import InterpolationMode, RandomPerspective, v2
from torchvision.transforms.functional import _get_perspective_coeffs
from torchvision.transforms.v2 import functional as F

OUT = pathlib.Path(sys.argv[1])
OUT.mkdir(parents=True, exist_ok=True)
MODES = {mode: InterpolationMode(mode) for mode in ("nearest", "bilinear", "bicubic", "box", "hamming", "lanczos")}
WARPS = ("nearest", "bilinear", "bicubic")
SIZES = [(24, 32, 3), (17, 33, 3), (33, 17, 1), (20, 20, 3)]


def pixels(seed, kind, height, width, channels):
    count = height * width * channels
    state = np.uint32(seed)
    with np.errstate(over="ignore"):
        powers = np.cumprod(np.full(count, 1664525, np.uint32), dtype=np.uint32)
        ones = np.concatenate([[np.uint32(1)], powers[:-1]])
        sums = np.cumsum(ones, dtype=np.uint32)
        values = powers * state + sums * np.uint32(1013904223)
    noise = (values >> np.uint32(24)).astype(np.uint8)
    if kind == "ramp":
        index = np.arange(count)
        noise = ((index // 7 + (noise & 7)) & 255).astype(np.uint8)
    return noise.reshape(height, width, channels)


def as_image(array):
    return Image.fromarray(array[:, :, 0] if array.shape[2] == 1 else array)


def sha(image):
    return hashlib.sha256(np.ascontiguousarray(np.asarray(image)).tobytes()).hexdigest()


def table(name, header, rows):
    with open(OUT / name, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def words(numbers):
    return "" if numbers is None else " ".join(str(n) for n in numbers)


def fills(channels, k):
    return [0] if k % 2 == 0 else [255] if channels == 1 else [255, 17, 90]


SOURCE = ["seed", "kind", "height", "width", "channels"]


def source(k, size):
    row = [k + 1, ("noise", "ramp")[k % 2], *size]
    return row, as_image(pixels(*row))


def rotations():
    angles = [0, 15, -30.5, 45, 90, 180, 270, -90, 359.99, 91, 720, 1e-9, 123.456]
    cases = [(a, e, c) for a, e in itertools.product(angles, (False, True)) for c in (None, (5, 8))]
    rows = []
    for k, (angle, expand, center) in enumerate(cases):
        for size, mode in zip(SIZES, (WARPS * 2)[k % 3 : k % 3 + 4]):
            row, image = source(k, size)
            fill = fills(size[2], k // 2)
            out = F.rotate(image, angle, MODES[mode], expand=expand, center=None if center is None else list(center), fill=fill)
            rows.append([*row, angle, int(expand), words(center), mode, words(fill), out.height, out.width, sha(out)])
    table("rotate.csv", [*SOURCE, "angle", "expand", "center", "interpolation", "fill", "out_height", "out_width", "sha256"], rows)


def affines():
    rng = np.random.default_rng(3)
    cases = [
        (0, (0, 0), 1.0, (0, 0), None),
        (0, (5, -3), 1.0, (0, 0), None),
        (0, (0, 0), 1.37, (0, 0), None),
        (0, (0, 0), 0.4, (0, 0), None),
        (180, (0, 0), 1.0, (0, 0), None),
        (90, (2, 1), 1.0, (0, 0), None),
        (0, (0, 0), 1.0, (16.7, 0), (0, 0)),
        (0, (0, 0), 1.0, (0, -16.7), (0, 0)),
        (0, (0, 0), 0.0004, (0, 10), None),
        (30, (100, 0), 1.0, (0, 0), None),
    ]
    for _ in range(25):
        cases.append((
            float(rng.uniform(-180, 180)),
            tuple(int(t) for t in rng.integers(-8, 9, 2)),
            float(rng.uniform(0.5, 2)),
            tuple(float(s) for s in rng.uniform(-30, 30, 2)),
            None if rng.random() < 0.7 else tuple(int(c) for c in rng.integers(0, 20, 2)),
        ))
    rows = []
    for k, (angle, translate, scale, shear, center) in enumerate(cases):
        for size, mode in itertools.product(SIZES[k % 2 :: 2], WARPS):
            row, image = source(k, size)
            fill = fills(size[2], k)
            out = F.affine(image, angle, list(translate), scale, list(shear), MODES[mode], fill=fill, center=None if center is None else list(center))
            rows.append([*row, angle, words(translate), scale, words(shear), words(center), mode, words(fill), sha(out)])
    table("affine.csv", [*SOURCE, "angle", "translate", "scale", "shear", "center", "interpolation", "fill", "sha256"], rows)


def perspectives():
    torch.manual_seed(11)
    rows = []
    for k in range(36):
        size = (*SIZES, (90, 120, 3))[k % 5]
        height, width = size[:2]
        row, image = source(k, size)
        distortion = (0.5, 0.9, 0.1)[k // 5 % 3]
        start, end = RandomPerspective.get_params(width, height, distortion)
        fill = fills(size[2], k)
        coefficients = words(_get_perspective_coeffs(start, end))
        for mode in WARPS:
            out = F.perspective(image, start, end, MODES[mode], fill=fill)
            rows.append([*row, words(sum(end, [])), coefficients, mode, words(fill), sha(out)])
    table("perspective.csv", [*SOURCE, "corners", "coefficients", "interpolation", "fill", "sha256"], rows)


def pads():
    cases = [
        ([3], "constant"), ([2, 5], "constant"), ([1, 2, 3, 4], "constant"), ([0], "constant"),
        ([3], "edge"), ([2, 5], "edge"), ([1, 2, 3, 4], "edge"),
        ([3], "reflect"), ([2, 5], "reflect"), ([1, 2, 3, 4], "reflect"), ([40], "reflect"), ([95, 70], "reflect"),
        ([3], "symmetric"), ([2, 5], "symmetric"), ([1, 2, 3, 4], "symmetric"), ([40], "symmetric"), ([95, 70], "symmetric"),
    ]
    rows = []
    for k, (padding, mode) in enumerate(cases):
        for size in (*SIZES, (1, 5, 3)):
            row, image = source(k, size)
            fill = fills(size[2], k)
            out = F.pad(image, padding, fill=fill, padding_mode=mode)
            rows.append([*row, words(padding), mode, words(fill), out.height, out.width, sha(out)])
    table("pad.csv", [*SOURCE, "padding", "padding_mode", "fill", "out_height", "out_width", "sha256"], rows)


def resizes():
    targets = [(24, 32), (7, 9), (64, 50), (1, 1), (17, 40), (300, 3), (33, 17)]
    rows = []
    for k, (size, target) in enumerate(itertools.product([*SIZES, (100, 141, 3), (1, 9, 1), (240, 2, 3)], targets)):
        row, image = source(k, size)
        for mode in ("box", "hamming", "lanczos"):
            out = F.resize(image, list(target), MODES[mode])
            rows.append([*row, mode, *target, sha(out)])
    table("resize.csv", [*SOURCE, "filter", "out_height", "out_width", "sha256"], rows)


def erasures():
    """Counts of torchvision's parameters: area and shape of the rectangle in bins, for a two-sample test."""
    torch.manual_seed(5)
    erasing = v2.RandomErasing(p=1)
    image = torch.zeros(3, 60, 80)
    draws = 20000
    heights, widths = np.zeros(60, int), np.zeros(80, int)
    tops, lefts = np.zeros(10, int), np.zeros(10, int)
    for _ in range(draws):
        drawn = erasing.make_params([image])
        heights[drawn["h"] if drawn["v"] is not None else 0] += 1
        widths[drawn["w"] if drawn["v"] is not None else 0] += 1
        if drawn["v"] is not None:
            tops[10 * drawn["i"] // (60 - drawn["h"] + 1)] += 1
            lefts[10 * drawn["j"] // (80 - drawn["w"] + 1)] += 1
    rows = [["height", words(heights)], ["width", words(widths)], ["top", words(tops)], ["left", words(lefts)]]
    table("erasing_draws.csv", ["what", "counts"], rows)


def casts():
    """Numbers that fit, little-endian in hex. Millrace refuses numbers that do not fit, and PyTorch leaves their results undefined."""
    rng = np.random.default_rng(2)
    integers = {"uint8": (0, 255), "int8": (-128, 127), "int16": (-32768, 32767), "uint16": (0, 65535), "int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
    floats = {"float16": 65504.0, "float32": float(np.finfo(np.float32).max), "float64": float(np.finfo(np.float64).max)}
    sources = {name: np.array([low, high, 0, 1, low // 3, high // 3, *rng.integers(low, high, 10)], name) for name, (low, high) in integers.items()}
    reals = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.9999, 254.99, 255.0, 127.5, 1e-7, -6e-8, 2.98e-8, 2.9802322387695312e-08, 6.1e-5, 3e-5, 1 / 3, 2049.0, 2051.0, 65504.0, 65519.0, 1e-320, 3e-46, float("inf"), float("-inf"), float("nan"), 16777217.0, 1e30]
    with np.errstate(over="ignore"):
        sources |= {name: np.array(reals, name) for name in floats}
    sources["bool"] = np.array([True, False])
    rows = []
    for name, values in sources.items():
        for to in (*integers, *floats, "bool"):
            fits = np.ones(len(values), bool)
            if to in integers:
                low, high = integers[to]
                fits = np.array([bool(np.isfinite(v)) and low <= int(v) <= high for v in values])
            elif to in floats:
                limit = {"float16": 65520.0, "float32": 3.4028235677973366e38}.get(to, np.inf)
                fits = np.array([not np.isfinite(v) or abs(float(v)) < limit for v in values])
            kept = values[fits]
            with np.errstate(all="ignore"):
                # PyTorch converts a double to a half through a float, so it rounds twice. numpy rounds once.
                cast = kept.astype(to) if (name, to) == ("float64", "float16") else torch.from_numpy(kept).to(getattr(torch, to)).numpy()
            assert to in floats or np.array_equal(cast, kept.astype(to)), (name, to)
            cast = np.where(np.isnan(cast), np.array(np.nan, to), cast) if to in floats else cast
            rows.append([name, to, kept.tobytes().hex(), cast.tobytes().hex()])
    table("cast.csv", ["from", "to", "values", "cast"], rows)


for make in (casts, rotations, affines, perspectives, pads, resizes, erasures):
    make()

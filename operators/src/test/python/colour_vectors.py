"""Makes the vectors of colour transforms in src/test/resources/vectors/transform/colour with torchvision.

    python colour_vectors.py ../resources/vectors

Made with torchvision 0.29.1, torch 2.14.1 on an x86-64 with AVX2. Pixels are the results of v2's functional
on uint8 tensors. They are stored as digits of SHA-256 where the tests require a difference of 0, and as hexadecimal digits where
the tests allow a difference of 1. Sources are generated (`pixels`,
ImageVectors.pixels) or files of vectors/image/decode.
"""

import csv
import hashlib
import itertools
import pathlib
import sys

import numpy as np
import torch
from PIL import Image
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as F

VECTORS = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "../resources/vectors")
OUT = VECTORS / "transform" / "colour"
OUT.mkdir(parents=True, exist_ok=True)

POINTWISE = {
    "brightness": (F.adjust_brightness, (0.0, 0.1, 0.6, 1.0, 1.37, 1.4, 2.5)),
    "contrast": (F.adjust_contrast, (0.0, 0.1, 0.6, 1.0, 1.37, 1.4, 3.0)),
    "saturation": (F.adjust_saturation, (0.0, 0.3, 1.0, 1.4, 4.0)),
    "hue": (F.adjust_hue, (-0.5, -0.1, 0.0, 0.07, 0.5)),
    "grayscale": (lambda image, channels: F.rgb_to_grayscale(image, int(channels)), (1, 3)),
    "invert": (lambda image, _: F.invert(image), ("",)),
    "posterize": (lambda image, bits: F.posterize(image, int(bits)), (0, 1, 3, 4, 7, 8)),
    "solarize": (F.solarize, (0.0, 0.5, 100.0, 127.5, 128.0, 254.99, 255.0)),
    "sharpness": (F.adjust_sharpness, (0.0, 0.4, 1.0, 1.9, 2.0, 5.5)),
    "autocontrast": (lambda image, _: F.autocontrast(image), ("",)),
    "equalize": (lambda image, _: F.equalize(image), ("",)),
}


def sha(tensor):
    return hashlib.sha256(hwc(tensor).tobytes()).hexdigest()


def hwc(tensor):
    return np.ascontiguousarray(tensor.permute(1, 2, 0).numpy())


def chw(array):
    return torch.from_numpy(np.ascontiguousarray(np.moveaxis(array, -1, 0)))


def table(name, header, rows):
    with open(OUT / name, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def pixels(seed, kind, height, width, channels):
    """As in image_vectors.py; `soft` is noise between 70 and 197, which leaves room to stretch."""
    count = height * width * channels
    state = np.uint32(seed)
    with np.errstate(over="ignore"):
        powers = np.cumprod(np.full(count, 1664525, np.uint32), dtype=np.uint32)
        sums = np.cumsum(np.concatenate([[np.uint32(1)], powers[:-1]]), dtype=np.uint32)
        values = powers * state + sums * np.uint32(1013904223)
    noise = (values >> np.uint32(24)).astype(np.uint8)
    if kind == "extremes":
        noise = np.where(noise < 128, 0, 255).astype(np.uint8)
    if kind == "ramp":
        noise = ((np.arange(count) // 7 + (noise & 7)) & 255).astype(np.uint8)
    if kind == "soft":
        noise = (70 + noise // 2).astype(np.uint8)
    return noise.reshape(height, width, channels)


def sources():
    for number, (height, width) in enumerate([(1, 1), (1, 7), (3, 3), (5, 2), (13, 17), (61, 67), (224, 225)]):
        for channels in (1, 3):
            kind = ("noise", "extremes", "soft", "ramp", "soft", "noise", "ramp")[number]
            yield number, kind, height, width, channels, chw(pixels(number, kind, height, width, channels))
    for name in ("rgb.png", "noise.jpg"):
        array = np.asarray(Image.open(VECTORS / "image" / "decode" / name).convert("RGB"))
        yield 0, name, *array.shape, chw(array)


def pointwise_vectors():
    rows = []
    for seed, kind, height, width, channels, image in sources():
        for name, (function, values) in POINTWISE.items():
            for value in values:
                rows.append([name, value, seed, kind, height, width, channels, sha(function(image, value))[:16]])
    table("pixels.csv", ["operation", "value", "seed", "kind", "height", "width", "channels", "digest"], rows)


def cube_vectors():
    """All colours. Red changes slowest and blue changes fastest."""
    green, blue = (axis.astype(np.uint8) for axis in np.mgrid[0:256, 0:256])
    rows = []
    for name, values in (("grayscale", (3,)), ("saturation", (0.0, 0.61, 1.37, 2.0)), ("hue", (-0.5, -0.318, -1e-9, 0.05, 0.1, 0.4999))):
        for value in values:
            digest = hashlib.sha256()
            for red in range(256):
                image = chw(np.stack([np.full_like(green, red), green, blue], 2))
                digest.update(hwc(POINTWISE[name][0](image, value)).tobytes())
            rows.append([name, value, digest.hexdigest()])
    table("cube.csv", ["operation", "value", "sha256"], rows)


def blur_vectors():
    rows = []
    for number, (height, width, channels, kind, across, down, sigma) in enumerate([
        (13, 17, 3, "noise", 3, 3, 0.1), (13, 17, 3, "noise", 3, 3, 1.0), (13, 17, 3, "extremes", 5, 9, 0.7), (13, 17, 1, "ramp", 9, 5, 2.0),
        (13, 17, 3, "noise", 9, 9, 1.3), (13, 17, 3, "extremes", 23, 23, 1.9), (13, 17, 1, "noise", 23, 23, 40.0), (1, 17, 3, "noise", 7, 1, 1.5),
        (17, 1, 3, "noise", 1, 7, 1.5), (5, 5, 3, "noise", 1, 1, 2.0), (12, 12, 1, "soft", 23, 23, 0.35), (31, 2, 3, "soft", 3, 3, 5.0),
    ]):
        image = chw(pixels(number, kind, height, width, channels))
        blurred = F.gaussian_blur(image, [across, down], [sigma, sigma])
        rows.append([number, kind, height, width, channels, across, down, sigma, hwc(blurred).tobytes().hex()])
    table("blur.csv", ["seed", "kind", "height", "width", "channels", "kernel_width", "kernel_height", "sigma", "hex"], rows)


def jitter_vectors():
    """All orders of the four changes, for given factors. An order is written as digits, from 0 for brightness to 3 for hue."""
    factors = {"brightness_factor": 1.3, "contrast_factor": 0.7, "saturation_factor": 1.6, "hue_factor": -0.08}
    image = chw(pixels(9, "noise", 19, 23, 3))
    rows = []
    for order in itertools.permutations(range(4)):
        changed = v2.ColorJitter(1, 1, 1, 0.5).transform(image, dict(fn_idx=torch.tensor(order), **factors))
        rows.append(["".join(map(str, order)), sha(changed)])
    table("jitter.csv", ["order", "sha256"], rows)


SPACES = {"RandAugment": v2.RandAugment, "AutoAugment": v2.AutoAugment, "TrivialAugmentWide": v2.TrivialAugmentWide}
GEOMETRY = {"ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate"}


def space_vectors():
    """torchvision's tables of operations: the sign flag and the magnitudes."""
    rows = []
    for name, transform in SPACES.items():
        for bins in ((10,) if name == "AutoAugment" else (2, 11, 31)):
            for height, width in ((32, 37), (375, 500)):
                for operation, (function, signed) in transform._AUGMENTATION_SPACE.items():
                    magnitudes = function(bins, height, width)
                    values = "" if magnitudes is None else " ".join(f"{float(m):.9g}" for m in magnitudes)
                    rows.append([name, bins, height, width, operation, signed, values])
    table("spaces.csv", ["transform", "bins", "height", "width", "operation", "signed", "magnitudes"], rows)
    rows = []
    for policy in v2.AutoAugmentPolicy:
        for number, pair in enumerate(v2.AutoAugment(policy)._policies):
            for operation, probability, magnitude in pair:
                rows.append([policy.name.lower(), number, operation, probability, 0 if magnitude is None else magnitude])
    table("policies.csv", ["policy", "pair", "operation", "probability", "bin"], rows)


def augmentation_vectors():
    """Each operation at each magnitude: geometry on a Pillow image, colours on a uint8 tensor. Eight digits of SHA-256 each."""
    array = np.asarray(Image.open(VECTORS / "image" / "decode" / "rgb.png").convert("RGB"))
    rows = []
    for name, transform in SPACES.items():
        bins = 10 if name == "AutoAugment" else 31
        for interpolation in ("nearest", "bilinear"):
            augment = transform(interpolation=interpolation)
            for operation, (function, signed) in transform._AUGMENTATION_SPACE.items():
                if interpolation != "nearest" and operation not in GEOMETRY:
                    continue
                magnitudes = function(bins, *array.shape[:2])
                for sign in (1, -1) if signed else (1,):
                    digests = []
                    for magnitude in [0.0] if magnitudes is None else magnitudes:
                        source = Image.fromarray(array) if operation in GEOMETRY else chw(array)
                        result = augment._apply_image_or_video_transform(
                            source, operation, sign * float(magnitude), interpolation=augment.interpolation, fill=augment._fill)
                        result = np.asarray(result) if operation in GEOMETRY else hwc(result)
                        digests.append(hashlib.sha256(np.ascontiguousarray(result).tobytes()).hexdigest()[:8])
                    rows.append([name, bins, interpolation, operation, sign, " ".join(digests)])
    table("augmentations.csv", ["transform", "bins", "interpolation", "operation", "sign", "digests"], rows)


if __name__ == "__main__":
    torch.set_num_threads(1)
    pointwise_vectors()
    cube_vectors()
    blur_vectors()
    jitter_vectors()
    space_vectors()
    augmentation_vectors()

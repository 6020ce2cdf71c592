"""Writes random JPEGs with Pillow and with ImageMagick, and hashes all JPEGs of the folder into jpeg.csv.

    node mozjpeg_vectors.mjs ../resources/vectors/jpeg 16 1
    python jpeg_vectors.py ../resources/vectors/jpeg --pillow 24 --imagemagick 16 --seed 1

Made with Pillow 12.3.0 and ImageMagick 6.9.11-60 (the program `convert`). A row of jpeg.csv has the name of a file, and the SHA-256
of the pixels of `Image.open(file).convert("RGB")`. With larger numbers, the script makes files for jpegcheck.c (mode `files`).
"""

import argparse
import csv
import hashlib
import pathlib
import random
import subprocess

import numpy as np
from PIL import Image, ImageFile

ImageFile.MAXBLOCK = 1 << 24  # for optimized tables, Pillow must hold the whole file
SAMPLINGS = ["4:4:4", "4:2:2", "4:2:0"]


def picture(numbers, largest):
    """Pixels between a smooth picture and noise, in color or gray."""
    height, width = (numbers.randint(1, largest if numbers.random() < 0.5 else 40) for _ in range(2))
    y, x, c = np.mgrid[0:height, 0:width, 0:3]
    phases = [numbers.random() for _ in range(4)]
    smooth = 128 + 90 * np.sin(0.2 * phases[0] * x + 0.2 * phases[1] * y + 6 * phases[2] + c * phases[3])
    noise = np.random.default_rng(numbers.getrandbits(32)).uniform(-0.5, 0.5, smooth.shape)
    values = smooth + noise * (255 if numbers.random() < 0.3 else 60 * numbers.random())
    image = Image.fromarray(values.clip(0, 255).astype(np.uint8))
    return image.convert("L") if numbers.random() < 0.2 else image


def write_pillow(file, numbers, largest):
    image = picture(numbers, largest)
    options = {"quality": numbers.randint(1, 100), "optimize": numbers.random() < 0.4}
    if image.mode == "RGB":
        options["subsampling"] = numbers.choice(SAMPLINGS)
        options["keep_rgb"] = options["subsampling"] == "4:4:4" and numbers.random() < 0.5
    kind = numbers.random()
    if kind < 0.2:
        options["restart_marker_blocks"] = numbers.randint(1, 12)
    elif kind < 0.3:
        options["restart_marker_rows"] = numbers.randint(1, 2)
    elif kind < 0.35:
        options["progressive"] = True
    elif kind < 0.5:
        options["qtables"] = [[numbers.randint(1, 255) for _ in range(64)] for _ in range(2)]
    image.save(file, "JPEG", **options)


def write_imagemagick(file, numbers, largest):
    image = picture(numbers, largest)
    source = file.with_suffix(".ppm")
    image.save(source)
    options = ["-quality", str(numbers.randint(1, 100))]
    if image.mode == "RGB" and numbers.random() < 0.8:
        options += ["-sampling-factor", numbers.choice(SAMPLINGS + ["4:4:0"])]
    if numbers.random() < 0.3:
        options += ["-define", "jpeg:optimize-coding=false"]
    if numbers.random() < 0.1:
        options += ["-interlace", "JPEG"]
    if numbers.random() < 0.2:
        options += ["-define", "jpeg:dct-method=float"]
    subprocess.run([CONVERT, str(source), *options, str(file)], check=True)
    source.unlink()


def write_hashes(folder):
    with open(folder / "jpeg.csv", "w", newline="") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["file", "sha256"])
        for file in sorted(folder.glob("*.jpg")):
            with Image.open(file) as image:
                writer.writerow([file.name, hashlib.sha256(image.convert("RGB").tobytes()).hexdigest()])


arguments = argparse.ArgumentParser()
arguments.add_argument("folder", type=pathlib.Path)
arguments.add_argument("--pillow", type=int, default=0)
arguments.add_argument("--imagemagick", type=int, default=0)
arguments.add_argument("--seed", type=int, default=1)
arguments.add_argument("--largest", type=int, default=90, help="the largest height and width")
arguments.add_argument("--convert", default="convert", help="ImageMagick's program")
given = arguments.parse_args()
CONVERT = given.convert
given.folder.mkdir(parents=True, exist_ok=True)
for name, count, write in [
    ("pillow", given.pillow, write_pillow),
    ("imagemagick", given.imagemagick, write_imagemagick),
]:
    for number in range(count):
        write(given.folder / f"{name}-{number:02d}.jpg", random.Random(f"{given.seed} {name} {number}"), given.largest)
write_hashes(given.folder)

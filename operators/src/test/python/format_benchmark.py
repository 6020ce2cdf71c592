"""Compares decoding of PNG, WebP, progressive JPEG, TIFF, BMP and PPM with Pillow and OpenCV, in milliseconds of one thread's CPU time for an image.

    python format_benchmark.py <class path> <folder of JPEGs> [rounds] [kernels,kernels] [part of the kinds' names]

The class path is that of the operators' tests. The script turns 16 photos into files of several kinds, and draws windows
with text and flat colours for the kinds `screen`. Each round decodes the files of each kind to RGB for half a second with each
program in turn. The script needs numpy, Pillow and opencv-python.
"""

import io
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import cv2
import numpy
from PIL import Image, ImageDraw

FILES = 16
SECONDS = 0.5

cv2.setNumThreads(0)


def saved(image, form="PNG", **options):
    data = io.BytesIO()
    image.save(data, form, **options)
    return data.getvalue()


def screen(number):
    """A window of 1280x800 with panels, lines and text, and an image in it."""
    draw = numpy.random.default_rng(number)
    image = Image.new("RGB", (1280, 800), (245, 245, 247))
    pen = ImageDraw.Draw(image)
    for _ in range(12):
        x, y = int(draw.integers(0, 1100)), int(draw.integers(0, 700))
        fill = tuple(int(value) for value in draw.integers(120, 255, 3))
        pen.rectangle([x, y, x + int(draw.integers(40, 500)), y + int(draw.integers(20, 300))], fill=fill, outline=(90, 90, 90))
    for line in range(45):
        words = " ".join("".join(chr(97 + letter) for letter in draw.integers(0, 26, 6)) for _ in range(14))
        pen.text((20, 20 + 17 * line), words, fill=(20, 20, 20))
    return image


def wide(image):
    """16 bits for each channel, with noise in the lower byte."""
    pixels = numpy.asarray(image).astype(numpy.uint16) * 256
    pixels += numpy.random.default_rng(1).integers(0, 256, pixels.shape, numpy.uint16)
    return cv2.imencode(".png", pixels)[1].tobytes()


PHOTOS = {
    "png rgb": lambda image: saved(image),
    "png rgb of opencv": lambda image: cv2.imencode(".png", numpy.asarray(image)[:, :, ::-1])[1].tobytes(),
    "png rgba": lambda image: saved(image.convert("RGBA")),
    "png palette": lambda image: saved(image.quantize(256)),
    "png gray": lambda image: saved(image.convert("L")),
    "png gray and alpha": lambda image: saved(image.convert("LA")),
    "png gray 16 bits": lambda image: wide(image.convert("L")),
    "png rgb 16 bits": wide,
    "webp 80": lambda image: saved(image, "WEBP", quality=80),
    "webp lossless": lambda image: saved(image, "WEBP", lossless=True),
    "jpeg progressive": lambda image: saved(image, "JPEG", quality=90, progressive=True),
    "tiff": lambda image: saved(image, "TIFF"),
    "tiff packbits": lambda image: saved(image, "TIFF", compression="packbits"),
    "tiff lzw": lambda image: saved(image, "TIFF", compression="tiff_lzw"),
    "tiff lzw with predictor": lambda image: saved(image, "TIFF", compression="tiff_lzw", tiffinfo={317: 2}),
    "tiff deflate": lambda image: saved(image, "TIFF", compression="tiff_adobe_deflate"),
    "tiff jpeg": lambda image: saved(image, "TIFF", compression="jpeg"),
    "tiff g4": lambda image: saved(image.convert("1"), "TIFF", compression="group4"),
    "bmp": lambda image: saved(image, "BMP"),
    "ppm": lambda image: saved(image, "PPM"),
}
SCREENS = {
    "screen png": lambda image: saved(image),
    "screen png palette 4 bits": lambda image: saved(image.quantize(16), bits=4),
    "screen webp lossless": lambda image: saved(image, "WEBP", lossless=True),
}


def pillow(data):
    return Image.open(io.BytesIO(data)).convert("RGB")


def opencv(data):
    return cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_COLOR_RGB)


def cost(decode, files):
    begun, cpu, count = time.perf_counter(), time.thread_time(), 0
    while time.perf_counter() - begun < SECONDS:
        for data in files:
            decode(data)
        count += len(files)
    return 1000 * (time.thread_time() - cpu) / count


def main():
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    kinds = sys.argv[4].split(",") if len(sys.argv) > 4 else ("native", "scalar")
    photos = [Image.open(path).convert("RGB") for path in sorted(pathlib.Path(sys.argv[2]).rglob("*.jpg"))]
    photos = photos[:: max(1, len(photos) // FILES)][:FILES]
    sets = {kind: [write(photo) for photo in photos] for kind, write in PHOTOS.items()}
    sets |= {kind: [write(screen(number)) for number in range(4)] for kind, write in SCREENS.items()}
    sets = {kind: files for kind, files in sets.items() if len(sys.argv) < 6 or sys.argv[5] in kind}
    with tempfile.TemporaryDirectory() as folder:
        for kind, files in sets.items():
            for number, data in enumerate(files):
                path = pathlib.Path(folder, kind.replace(" ", "-"), str(number))
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(data)
        # The launcher sets the same, so that glibc keeps the memory of large blocks.
        memory = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "8589934592", "MALLOC_ARENA_MAX": "1"}
        java = subprocess.Popen(
            ["java", "-Xmx1g", "-XX:+UseParallelGC", "-cp", sys.argv[1],
             "io.millrace.image.FormatBenchmark", folder],
            env={**os.environ, **memory}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

        def ours(kernels, kind):
            java.stdin.write(f"{kernels} {kind.replace(' ', '-')} {SECONDS}\n")
            java.stdin.flush()
            return float(java.stdout.readline())

        measured = {kind: [] for kind in sets}
        for number in range(rounds + 2):  # two to warm up
            for kind, files in sets.items():
                row = {"Pillow": cost(pillow, files), "OpenCV": cost(opencv, files)}
                row |= {kernels: ours(kernels, kind) for kernels in kinds}
                if number >= 2:
                    measured[kind].append(row)
        java.stdin.close()
        java.wait()
    print("| files | KB | " + " | ".join(["Pillow ms", "OpenCV ms"] + [f"Millrace, {name} ms" for name in kinds])
          + " | faster peer's time / Millrace's, median (least to most) |")
    print("|---|---|" + "---|" * (len(kinds) + 3))
    for kind, rows in measured.items():
        ratios = [min(row["Pillow"], row["OpenCV"]) / row[kinds[0]] for row in rows]
        size = sum(map(len, sets[kind])) / len(sets[kind]) / 1000
        medians = " | ".join(f"{statistics.median(row[name] for row in rows):.3f}" for name in ("Pillow", "OpenCV", *kinds))
        print(f"| {kind} | {size:.0f} | {medians} | {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) |")


main()

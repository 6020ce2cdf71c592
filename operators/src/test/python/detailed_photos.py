"""Writes JPEGs with as much detail as photographs: `detailed_photos.py <folder> <count> [<width>x<height>] [<quality>]`.

The brightness of an image is noise whose amplitude falls with the frequency as in photographs, with grain, soft colours and
some shapes with sharp edges. The images are put into ten class folders, with the same colours of shapes in each class. The
photos of `./millrace generate` are smoother. The same arguments give the same files. Needs numpy and Pillow.
"""

import pathlib
import sys

import numpy
from PIL import Image, ImageDraw, ImageFilter

CLASSES = 10


def main():
    folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    width, height = (int(word) for word in (sys.argv[3] if len(sys.argv) > 3 else "500x375").split("x"))
    quality = int(sys.argv[4]) if len(sys.argv) > 4 else 90
    frequencies = numpy.hypot(numpy.fft.fftfreq(height)[:, None], numpy.fft.rfftfreq(width)[None, :])
    frequencies[0, 0] = 1 / width

    def noise(draw, power):
        phases = numpy.exp(2j * numpy.pi * draw.random(frequencies.shape))
        values = numpy.fft.irfft2(phases * frequencies**-power, s=(height, width))
        return (values - values.mean()) / values.std()

    for number in range(count):
        draw = numpy.random.default_rng((7, number))
        brightness = 128 + 45 * noise(draw, draw.uniform(1.0, 1.3)) + 5 * draw.standard_normal((height, width))
        colours = numpy.stack([18 * noise(draw, 1.6) for _ in range(3)], -1) + draw.uniform(-25, 25, 3)
        image = Image.fromarray(numpy.clip(brightness[..., None] + colours, 0, 255).astype(numpy.uint8))
        shapes = image.copy()
        pen = ImageDraw.Draw(shapes)
        colour = numpy.random.default_rng(number % CLASSES).integers(0, 256, 3)
        for _ in range(draw.integers(3, 9)):
            x, y = draw.integers(0, width), draw.integers(0, height)
            across, down = draw.integers(width // 32, width // 5, 2)
            fill = tuple(int(value) for value in numpy.clip(colour + draw.integers(-40, 40, 3), 0, 255))
            (pen.ellipse if draw.random() < 0.5 else pen.rectangle)([x - across, y - down, x + across, y + down], fill=fill)
        image = Image.blend(image, shapes.filter(ImageFilter.GaussianBlur(0.7)), 0.6)
        path = folder / f"class{number % CLASSES}" / f"{number:06}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        image.save(path, "JPEG", quality=quality, subsampling="4:2:0")


main()

"""Writes masks and the class numbers that Pillow reads from them: resources/vectors/image/mask/ and masks.csv.

Run in this folder: python mask_vectors.py
"""
import hashlib
import pathlib

import numpy as np
from PIL import Image

OUT = pathlib.Path("../resources/vectors/image")
HEIGHT, WIDTH = 21, 35


def classes(most):
    rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH]
    return ((rows // 4 * 7 + columns // 5) % most).astype(np.uint8)


def palette(bits):
    image = Image.fromarray(classes(1 << bits), "P")
    image.putpalette([(i * 37) % 256 for i in range(3 << bits)])
    return image


def main():
    (OUT / "mask").mkdir(exist_ok=True)
    rows = ["file,sha256"]
    images = {f"palette{bits}.png": (palette(bits), {"bits": bits}) for bits in (1, 2, 4, 8)}
    images["palette-transparent.png"] = (palette(8), {"transparency": 0})
    images["gray.png"] = (Image.fromarray(classes(200), "L"), {})
    images["bilevel.png"] = (Image.fromarray(classes(2).astype(bool)), {})
    for name, (image, options) in images.items():
        image.save(OUT / "mask" / name, **options)
        values = np.array(Image.open(OUT / "mask" / name)).astype(np.uint8)
        rows.append(f"{name},{hashlib.sha256(values.tobytes()).hexdigest()}")
    # A photo with the size of the masks, for tests that crop both together.
    noise = np.random.default_rng(1).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    Image.fromarray(noise).resize((WIDTH, HEIGHT)).save(OUT / "mask" / "photo.jpg", quality=85)
    (OUT / "masks.csv").write_text("\n".join(rows) + "\n")


main()

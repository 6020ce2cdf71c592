"""Writes what torchvision and Pillow make of small pictures, for the tests of the device's transforms.

    python picture_vectors.py ../resources/io/millrace/train

Made with torch 2.13.0, torchvision 0.28.0 and Pillow 12.3.0 on x86-64. Colours and mirrors are those of torchvision's v2
functional on uint8 tensors; sizes are Pillow's, and beside them those of torchvision on uint8 tensors. All [rows, height,
width, channels].
"""
import json
import struct
import sys
from pathlib import Path

import numpy as np
import PIL
import torch
import torchvision
from PIL import Image
from torchvision.transforms import InterpolationMode
from torchvision.transforms.v2 import functional as F

ROWS, HEIGHT, WIDTH = 6, 18, 22


def write(path, tensors):
    """A safetensors file, in a few lines so that the reader of the tests is checked against another hand."""
    types = {"float32": "F32", "uint8": "U8"}
    header, blobs, offset = {}, [], 0
    for key, array in tensors.items():
        blob = np.ascontiguousarray(array).tobytes()
        header[key] = {"dtype": types[str(array.dtype)], "shape": list(array.shape),
                       "data_offsets": [offset, offset + len(blob)]}
        offset += len(blob)
        blobs.append(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def pictures():
    random = np.random.default_rng(5)
    noise = random.integers(0, 256, (ROWS, HEIGHT, WIDTH, 3)).astype(np.uint8)
    noise[1] = np.where(noise[1] < 128, 0, 255)
    noise[2] = (np.arange(noise[2].size).reshape(noise[2].shape) // 5) & 255
    noise[3] = 100 + (noise[3] & 3)
    noise[4] = 17
    return noise


def tensors(images):
    return torch.from_numpy(np.ascontiguousarray(images.transpose(0, 3, 1, 2)))


def rows(tensor):
    return np.ascontiguousarray(tensor.numpy().transpose(0, 2, 3, 1))


def each(images, change):
    """Picture by picture: the mean gray is that of one."""
    return np.stack([rows(change(one)[None])[0] for one in tensors(images)])


def pillow(images, size, mode):
    return np.stack([np.asarray(Image.fromarray(one).resize((size[1], size[0]), mode)) for one in images])


def main():
    images = pictures()
    made = {
        "images": images,
        "horizontal": rows(F.horizontal_flip(tensors(images))),
        "vertical": rows(F.vertical_flip(tensors(images))),
        "brightness": each(images, lambda one: F.adjust_brightness(one, 1.4)),
        "contrast": each(images, lambda one: F.adjust_contrast(one, 0.6)),
        "saturation": each(images, lambda one: F.adjust_saturation(one, 1.37)),
        "hue": each(images, lambda one: F.adjust_hue(one, 0.07)),
        "normalized": (rows(tensors(images)).astype(np.float32) / np.float32(255) - np.float32([0.485, 0.456, 0.406]))
        / np.float32([0.229, 0.224, 0.225]),
    }
    modes = {"nearest": (Image.NEAREST, InterpolationMode.NEAREST_EXACT), "bilinear": (Image.BILINEAR, InterpolationMode.BILINEAR),
             "bicubic": (Image.BICUBIC, InterpolationMode.BICUBIC)}
    for name, (of_pillow, of_tensors) in modes.items():
        for way, size in {"down": (9, 8), "up": (25, 40)}.items():
            made[f"{name}_{way}"] = pillow(images, size, of_pillow)
            made[f"{name}_{way}_tensors"] = rows(F.resize(tensors(images), size, of_tensors, antialias=True))
    write(Path(sys.argv[1]) / "pictures.safetensors", made)
    print(torch.__version__, torchvision.__version__, PIL.__version__)


main()

"""Photos in class folders, as a dataset for torch's DataLoader: `before.py` uses it, and the pipeline files name it."""

import random
from pathlib import Path

import numpy as np
from PIL import Image


class Photos:
    """A map-style dataset of `folder/class/file.jpg`. A sample is an image, uint8 [size, size, 3], and a class number."""

    def __init__(self, folder, size=64):
        self.classes = sorted(path.name for path in Path(folder).iterdir())
        self.files = [(path, label) for label, name in enumerate(self.classes) for path in sorted(Path(folder, name).iterdir())]
        self.augment = Augment(size)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        path, label = self.files[index]
        image = np.asarray(Image.open(path).convert("RGB"))
        return self.augment(image), label


class Augment:
    """A random square of the image, sometimes mirrored."""

    def __init__(self, size):
        self.size = size

    def __call__(self, image):
        height, width, _ = image.shape
        top, left = random.randint(0, height - self.size), random.randint(0, width - self.size)
        image = image[top : top + self.size, left : left + self.size]
        return (image[:, ::-1] if random.random() < 0.5 else image).copy()

"""Feeds photos as other programs do, for feed_benchmark.py: `feed_peer.py <program> <folder> <epochs>`.

Files of class folders are read in a random order, decoded, cropped to 224x224 as by RandomResizedCrop, flipped with
probability 1/2, batched in 64 and normalised to floats. The program prints `epoch <Unix time>` after each epoch. Epochs are
not separated otherwise: the order continues with a new permutation, so that no worker waits for the end of an epoch.

torchvision         DataLoader with 2 workers; read_file, decode_jpeg, transforms.v2 on tensors, ToDtype and Normalize in the workers
torchvision-batch   the same, but the main process normalises whole batches, so that workers send bytes, not floats
opencv              DataLoader with 2 workers; imdecode and resize of OpenCV; the main process normalises
pillow              DataLoader with 2 workers; Pillow's images with torchvision's transforms; the main process normalises
tf.data             2 threads; decode_and_crop_jpeg with TensorFlow's fast, inexact transform; resize without antialias
tf.data-exact       the same with the exact transform, INTEGER_ACCURATE
millrace-serve      a loop of PyTorch that takes its batches from `./millrace serve`, which it starts; the loop normalises

`feed_peer.py torchvision-stages <folder> <epochs>` does the work of torchvision-batch in one process, and prints the CPU
time of each operation, in microseconds for a photo.
"""

import math
import os
import pathlib
import random
import sys
import time

EDGE, BATCH, WORKERS = 224, 64, 2
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def labelled(folder):
    classes = sorted(entry for entry in pathlib.Path(folder).iterdir() if entry.is_dir())
    return [(str(file), label) for label, group in enumerate(classes) for file in sorted(group.rglob("*.jpg"))]


def crop(height, width):
    """Draws a rectangle (top, left, height, width) like RandomResizedCrop."""
    for _ in range(10):
        area = height * width * random.uniform(0.08, 1)
        shape = math.exp(random.uniform(-math.log(4 / 3), math.log(4 / 3)))
        columns, rows = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
        if 0 < columns <= width and 0 < rows <= height:
            return random.randint(0, height - rows), random.randint(0, width - columns), rows, columns
    edge = min(height, width)
    return (height - edge) // 2, (width - edge) // 2, edge, edge


def torchvision_photo(normalised):
    import torch
    from torchvision.io import ImageReadMode, decode_jpeg, read_file
    from torchvision.transforms import v2

    steps = [v2.RandomResizedCrop(EDGE, antialias=True), v2.RandomHorizontalFlip()]
    if normalised:
        steps += [v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, DEVIATION)]
    transform = v2.Compose(steps)
    return lambda path: transform(decode_jpeg(read_file(path), ImageReadMode.RGB))


def opencv_photo():
    import cv2
    import numpy
    import torch

    cv2.setNumThreads(0)

    def photo(path):
        image = cv2.imdecode(numpy.fromfile(path, numpy.uint8), cv2.IMREAD_COLOR_RGB)
        top, left, rows, columns = crop(*image.shape[:2])
        part = image[top : top + rows, left : left + columns]
        image = cv2.resize(part, (EDGE, EDGE), interpolation=cv2.INTER_LINEAR)
        if random.random() < 0.5:
            image = cv2.flip(image, 1)
        return torch.from_numpy(numpy.ascontiguousarray(image.transpose(2, 0, 1)))

    return photo


def pillow_photo():
    from PIL import Image
    from torchvision import transforms

    transform = transforms.Compose(
        [transforms.RandomResizedCrop(EDGE), transforms.RandomHorizontalFlip(), transforms.PILToTensor()])
    return lambda path: transform(Image.open(path).convert("RGB"))


PHOTOS = {
    "torchvision": lambda: torchvision_photo(True),
    "torchvision-batch": lambda: torchvision_photo(False),
    "opencv": opencv_photo,
    "pillow": pillow_photo,
}


def loader(program, files):
    import torch
    from torch.utils import data

    class Photos(data.Dataset):
        work = None

        def __len__(self):
            return len(files)

        def __getitem__(self, index):
            self.work = self.work or PHOTOS[program]()
            path, label = files[index]
            return self.work(path), label

    class Endless(data.Sampler):
        def __iter__(self):
            while True:
                yield from torch.randperm(len(files)).tolist()

    torch.set_num_threads(1)
    scale, shift = (torch.tensor(values).view(1, 3, 1, 1) * 255 for values in (DEVIATION, MEAN))
    for images, labels in data.DataLoader(Photos(), BATCH, sampler=Endless(), num_workers=WORKERS):
        if images.dtype == torch.uint8:
            images = images.to(torch.float32).sub_(shift).div_(scale)
        yield images, labels


def torchvision_stages(files, epochs):
    import torch
    from torchvision.io import ImageReadMode, decode_jpeg, read_file
    from torchvision.transforms import v2

    torch.set_num_threads(1)
    cropped, flip = v2.RandomResizedCrop(EDGE, antialias=True), v2.RandomHorizontalFlip()
    scale, shift = (torch.tensor(values).view(1, 3, 1, 1) * 255 for values in (DEVIATION, MEAN))
    spent = dict.fromkeys(("read", "decode", "crop and resize", "flip", "batch", "normalise"), 0)

    def timed(name, work, *arguments):
        began = time.process_time_ns()
        result = work(*arguments)
        spent[name] += time.process_time_ns() - began
        return result

    photos = 0
    for epoch in range(epochs + 1):
        if epoch == 1:  # the first epoch warms up
            spent, photos = dict.fromkeys(spent, 0), 0
        for first in range(0, len(files) - BATCH + 1, BATCH):
            images = []
            for path, _ in files[first : first + BATCH]:
                encoded = timed("read", read_file, path)
                image = timed("decode", decode_jpeg, encoded, ImageReadMode.RGB)
                images.append(timed("flip", flip, timed("crop and resize", cropped, image)))
            batch = timed("batch", torch.stack, images)
            timed("normalise", lambda: batch.to(torch.float32).sub_(shift).div_(scale))
            photos += BATCH
    for name, nanos in spent.items():
        print(f"{name:16} {nanos / photos / 1000:8.1f}")


def tensorflow(program, files):
    import tensorflow as tf

    method = "INTEGER_ACCURATE" if program == "tf.data-exact" else ""

    def photo(path, label):
        encoded = tf.io.read_file(path)
        begin, size, _ = tf.image.sample_distorted_bounding_box(
            tf.io.extract_jpeg_shape(encoded), tf.zeros([1, 0, 4]), area_range=(0.08, 1.0),
            aspect_ratio_range=(3 / 4, 4 / 3), min_object_covered=0.0, use_image_if_no_bounding_boxes=True)
        window = tf.concat([begin[:2], size[:2]], 0)
        image = tf.image.decode_and_crop_jpeg(encoded, window, channels=3, dct_method=method)
        image = tf.image.random_flip_left_right(tf.image.resize(image, (EDGE, EDGE)))
        return (image - shift) / scale, label

    scale, shift = (tf.constant([255 * value for value in values]) for values in (DEVIATION, MEAN))
    options = tf.data.Options()
    options.threading.private_threadpool_size = WORKERS
    paths, labels = zip(*files)
    photos = tf.data.Dataset.from_tensor_slices((list(paths), list(labels))).shuffle(len(files)).repeat()
    photos = photos.map(photo, num_parallel_calls=WORKERS, deterministic=False).batch(BATCH).prefetch(2)
    yield from photos.with_options(options).as_numpy_iterator()


PIPELINE = """
name: feed
dataset: {{format: folder, path: {photos}, epochs: endless}}
order: {{seed: 1, shuffle: full}}
transforms:
  - decode
  - RandomResizedCrop: {{size: [224, 224]}}
  - RandomHorizontalFlip: {{p: 0.5}}
batch: {{size: 64}}
parallelism: 2
device:
  transforms:
    - ToFloat: {{scale: 255}}
    - Normalize: {{mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}}
"""


def served(folder):
    """Runs in a folder for temporary files. The environment's MILLRACE is the launcher."""
    import millrace
    import torch

    torch.set_num_threads(1)
    pipeline = pathlib.Path("feed.yaml")
    pipeline.write_text(PIPELINE.format(photos=folder))
    with millrace.Loader(str(pipeline), millrace=os.environ["MILLRACE"]) as batches:
        for batch in batches:
            yield batch.torch("image", "label", transforms=True)


def main():
    program, folder, epochs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    files = labelled(folder)
    if program == "torchvision-stages":
        return torchvision_stages(files, epochs)
    if program == "millrace-serve":
        batches = served(folder)
    else:
        batches = (tensorflow if program.startswith("tf.data") else loader)(program, files)
    seen = 0
    for images, _ in batches:
        assert tuple(images.shape[1:]) in ((3, EDGE, EDGE), (EDGE, EDGE, 3)), images.shape
        before, seen = seen // len(files), seen + len(images)
        if seen // len(files) > before:
            print("epoch", time.time(), flush=True)
            if seen // len(files) >= epochs:
                break


if __name__ == "__main__":
    main()

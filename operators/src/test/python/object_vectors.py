"""Makes the vectors in src/test/resources/vectors/transform/objects with torchvision's tv_tensors.

    python object_vectors.py ../resources/vectors/transform/objects

Made with torchvision 0.28.0, torch 2.13.0. Each row of masks.csv is one call of a function of torchvision.transforms.v2.functional for the
masks of objects, tv_tensors.Mask [objects, height, width]. Only for resize they are Pillow's images with
NEAREST, whose pixels lie up to one pixel below and right of those that torchvision takes for tensors. Each row of flipped.csv is a horizontal flip of tv_tensors.KeyPoints
[objects, points, 2], after which the points of each pair change places, as create_keypoint_hflip_indices of detectron2 and flip_indices
of mmpose do it. ids.csv has pictures of ids and their masks, as in torchvision's tutorial on Penn-Fudan: ids == unique(ids)[:, None, None].
"""

import csv
import pathlib
import sys

import torch
from PIL import Image
from torchvision import tv_tensors
from torchvision.transforms import InterpolationMode
from torchvision.transforms.v2 import functional as F

OUT = pathlib.Path(sys.argv[1])
OUT.mkdir(parents=True, exist_ok=True)
RANDOM = torch.Generator().manual_seed(33)


def whole(low, high):
    return int(torch.randint(low, high + 1, (), generator=RANDOM))


def bits(masks):
    return "".join(str(int(v)) for v in masks.flatten())


def drawn_masks(count, height, width):
    masks = torch.zeros((count, height, width), dtype=torch.bool)
    for mask in masks:
        top, left = whole(0, height - 2), whole(0, width - 2)
        mask[top : top + whole(1, height), left : left + whole(1, width)] = True
        mask ^= torch.rand((height, width), generator=RANDOM) < 0.1
    return masks


def resized_by_pillow(masks, size):
    images = [F.resize(Image.fromarray(mask.numpy().astype("uint8")), size, InterpolationMode.NEAREST) for mask in masks]
    return torch.stack([F.pil_to_tensor(image)[0] for image in images]) if images else torch.zeros((0, *size))


def drawn_call(i, height, width):
    name = CALLS[i % len(CALLS)]
    if name == "horizontal_flip":
        return name, [], F.horizontal_flip
    if name == "vertical_flip":
        return name, [], F.vertical_flip
    if name == "resize":
        size = [whole(3, 40), whole(3, 40)]
        return name, size, lambda t: resized_by_pillow(t, size)
    if name == "center_crop":
        size = [whole(2, height // 2) * 2 - height % 2, whole(2, width // 2) * 2 - width % 2]
        return name, size, lambda t: F.center_crop(t, size)
    if name == "pad":
        padding = [whole(0, 9) for _ in range(4)]
        return name, padding, lambda t: F.pad(t, padding)
    angle = whole(-170, 170)
    if name == "rotate":
        return name, [angle], lambda t: F.rotate(t, angle)
    if name == "rotate_expand":
        return name, [angle], lambda t: F.rotate(t, angle, expand=True)
    scale, shear = whole(5, 15) / 10, [whole(-30, 30), whole(-30, 30)]
    return name, [angle, scale, *shear], lambda t: F.affine(t, angle=angle, translate=[0, 0], scale=scale, shear=shear)


CALLS = ("horizontal_flip", "vertical_flip", "resize", "center_crop", "pad", "rotate", "rotate_expand", "affine")


def write(name, header, rows):
    with open(OUT / name, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header.split())
        writer.writerows(rows)


def masks():
    for i in range(64):
        height, width = whole(8, 24), whole(8, 24)
        name, numbers, call = drawn_call(i, height, width)
        given = drawn_masks(whole(0, 3), height, width)
        moved = call(tv_tensors.Mask(given)).as_subclass(torch.Tensor)
        words = " ".join(str(v) for v in numbers)
        yield [name, words, len(given), height, width, moved.shape[1], moved.shape[2], bits(given), bits(moved)]


def words(values):
    return " ".join(repr(float(v)) for v in values.flatten())


def flipped():
    for _ in range(24):
        height, width, count, points = whole(8, 90), whole(8, 90), whole(0, 4), whole(2, 9)
        order = torch.randperm(points, generator=RANDOM).tolist()
        pairs = [order[2 * i : 2 * i + 2] for i in range(whole(1, points // 2))]
        indices = list(range(points))
        for left, right in pairs:
            indices[left], indices[right] = right, left
        given = torch.rand((count, points, 2), generator=RANDOM) * torch.tensor([width, height])
        moved = F.horizontal_flip(tv_tensors.KeyPoints(given, canvas_size=(height, width))).as_subclass(torch.Tensor)
        flat = " ".join(str(v) for pair in pairs for v in pair)
        yield [height, width, count, points, flat, words(given), words(moved[:, indices])]


def ids():
    for i in range(24):
        height, width = whole(3, 12), whole(3, 12)
        most = (3, 255, 40000)[i % 3]
        known = torch.randint(0, most + 1, (whole(1, 6),), generator=RANDOM)
        picture = known[torch.randint(0, len(known), (height, width), generator=RANDOM)]
        least, largest = (1, 2**31 - 1) if i % 2 == 0 else (2, most - 1)
        found = torch.unique(picture)
        found = found[(found >= least) & (found <= largest)]
        objects = picture == found[:, None, None]
        numbers = " ".join(str(int(v)) for v in picture.flatten())
        yield [height, width, least, largest, numbers, len(found), bits(objects)]


write("masks.csv", "call numbers objects height width result_height result_width masks moved", masks())
write("flipped.csv", "height width objects points pairs given moved", flipped())
write("ids.csv", "height width least largest ids objects masks", ids())

"""Makes the vectors in src/test/resources/vectors/transform/annotations with torchvision's tv_tensors.

    python annotation_vectors.py ../resources/vectors/transform/annotations

Made with torchvision 0.28.0, torch 2.13.0. Each row is one call of a function of torchvision.transforms.v2.functional for boxes
and for points in a picture of a size, then of clamp_bounding_boxes and sanitize_bounding_boxes(min_size=1). Boxes of almost
exactly one pixel are not drawn, because rounding would decide whether they stay.
"""

import csv
import pathlib
import sys

import torch
from torchvision import tv_tensors
from torchvision.transforms import InterpolationMode
from torchvision.transforms.v2 import functional as F

OUT = pathlib.Path(sys.argv[1])
OUT.mkdir(parents=True, exist_ok=True)
RANDOM = torch.Generator().manual_seed(32)
FORMATS = ("xyxy", "xywh", "cxcywh")


def uniform(low, high):
    return float(torch.rand((), generator=RANDOM, dtype=torch.float64) * (high - low) + low)


def whole(low, high):
    return int(torch.randint(low, high + 1, (), generator=RANDOM))


def drawn_boxes(height, width, layout):
    """Boxes inside, across the edges and outside, also of whole numbers, without a size, or with edges in the wrong order."""
    rows = []
    for i in range(whole(0, 9)):
        x, y = uniform(-0.3 * width, width), uniform(-0.3 * height, height)
        w, h = uniform(2, 0.8 * width), uniform(2, 0.8 * height)
        kind = whole(0, 9)
        if kind == 0:
            w = 0.0
        elif kind == 1:
            h = -h
        elif kind == 2:
            w, h = uniform(0.1, 3), uniform(0.1, 3)
        elif kind == 3:
            x, y = x + 2 * width, y
        if kind >= 7:
            x, y, w, h = (float(round(v)) for v in (x, y, w, h))
        rows.append([x, y, x + w, y + h])
    boxes = torch.tensor(rows, dtype=torch.float32).reshape(-1, 4)
    # By hand, because torchvision has no name for a conversion that keeps boxes in the wrong order.
    if layout == "xywh":
        boxes = torch.cat([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], 1)
    elif layout == "cxcywh":
        boxes = torch.cat([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]], 1)
    return boxes


def drawn_call(height, width):
    """A function, its name and its numbers."""
    name = CALLS[whole(0, len(CALLS) - 1)]
    if name == "horizontal_flip":
        return name, [], lambda t: F.horizontal_flip(t)
    if name == "vertical_flip":
        return name, [], lambda t: F.vertical_flip(t)
    if name == "resize":
        size = [whole(8, 90), whole(8, 90)]
        return name, size, lambda t: F.resize(t, size)
    if name == "crop":
        crop = [whole(-10, height - 5), whole(-10, width - 5), whole(5, height + 10), whole(5, width + 10)]
        return name, crop, lambda t: F.crop(t, *crop)
    if name == "resized_crop":
        h, w = whole(4, height), whole(4, width)
        crop = [whole(0, height - h), whole(0, width - w), h, w]
        size = [whole(8, 90), whole(8, 90)]
        return name, crop + size, lambda t: F.resized_crop(t, *crop, size)
    if name == "pad":
        padding = [whole(0, 12) for _ in range(4)]
        return name, padding, lambda t: F.pad(t, padding)
    if name == "center_crop":
        size = [whole(4, height), whole(4, width)]
        return name, size, lambda t: F.center_crop(t, size)
    center = [uniform(0, width), uniform(0, height)] if whole(0, 1) else []
    if name == "affine":
        angle, scale = uniform(-180, 180), uniform(0.4, 2)
        shear = [uniform(-40, 40), uniform(-40, 40)]
        move = [whole(-9, 9), whole(-9, 9)] if whole(0, 1) else [0, 0]
        call = dict(angle=angle, translate=move, scale=scale, shear=shear, center=center or None)
        return name, [angle, *move, scale, *shear, *center], lambda t: F.affine(
            t, interpolation=InterpolationMode.NEAREST, **call
        )
    if name in ("rotate", "rotate_expand"):
        angle = float(whole(-4, 4) * 90) if whole(0, 3) == 0 else uniform(-180, 180)
        expand = name == "rotate_expand"
        center = [] if expand else center
        return name, [angle, *center], lambda t: F.rotate(t, angle, expand=expand, center=center or None)
    corners = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
    x, y = width // 4, height // 4
    moved = [
        [whole(0, x), whole(0, y)],
        [width - 1 - whole(0, x), whole(0, y)],
        [width - 1 - whole(0, x), height - 1 - whole(0, y)],
        [whole(0, x), height - 1 - whole(0, y)],
    ]
    return "perspective", [v for point in moved for v in point], lambda t: F.perspective(t, corners, moved)


CALLS = (
    "horizontal_flip",
    "vertical_flip",
    "resize",
    "crop",
    "resized_crop",
    "pad",
    "center_crop",
    "affine",
    "affine",
    "rotate",
    "rotate_expand",
    "perspective",
    "perspective",
)


def sanitized(call, boxes, layout, height, width, dtype):
    given = tv_tensors.BoundingBoxes(boxes.to(dtype), format=layout.upper(), canvas_size=(height, width))
    clamped = F.clamp_bounding_boxes(call(given))
    result, kept = F.sanitize_bounding_boxes(clamped, min_size=1)
    edges = F.convert_bounding_box_format(clamped, new_format=tv_tensors.BoundingBoxFormat.XYXY)
    sizes = (edges[:, 2:] - edges[:, :2]).as_subclass(torch.Tensor)
    clear = bool(((sizes == 1) | ((sizes - 1).abs() > 1e-3)).all())
    return result.as_subclass(torch.Tensor), kept, clamped.canvas_size, clear


def words(values):
    return " ".join(repr(float(v)) for v in values)


rows = []
while len(rows) < 600:
    height, width = whole(20, 60), whole(20, 60)
    layout = FORMATS[len(rows) % 3]
    name, numbers, call = drawn_call(height, width)
    boxes = drawn_boxes(height, width, layout)
    result, kept, canvas, clear = sanitized(call, boxes, layout, height, width, torch.float32)
    _, exactly, _, _ = sanitized(call, boxes, layout, height, width, torch.float64)
    if not clear or not torch.equal(kept, exactly):
        continue
    points = torch.tensor([[uniform(-5, width + 5), uniform(-5, height + 5)] for _ in range(whole(0, 4))])
    points = points.reshape(-1, 2).to(torch.float32)
    moved = call(tv_tensors.KeyPoints(points, canvas_size=(height, width))).as_subclass(torch.Tensor)
    rows.append(
        [
            name,
            words(numbers),
            height,
            width,
            canvas[0],
            canvas[1],
            layout,
            words(boxes.flatten()),
            words(result.flatten()),
            " ".join(str(int(i)) for i in torch.nonzero(kept).flatten()),
            words(points.flatten()),
            words(moved.flatten()),
        ]
    )

with open(OUT / "moved.csv", "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(
        "call numbers height width result_height result_width format boxes moved_boxes kept points moved_points".split()
    )
    writer.writerows(rows)

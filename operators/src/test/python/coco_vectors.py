"""Makes a small dataset in COCO's form in src/test/resources/vectors/dataset/coco, and what pycocotools reads from it.

    python coco_vectors.py ../resources/vectors/dataset/coco

Made with pycocotools 2.0.11 and Pillow 12.3.0.
"""

import contextlib
import csv
import hashlib
import io
import json
import pathlib
import sys

import numpy as np
from PIL import Image
from pycocotools import mask as codec
from pycocotools.coco import COCO

OUT = pathlib.Path(sys.argv[1])
(OUT / "pictures" / "sub").mkdir(parents=True, exist_ok=True)
RANDOM = np.random.default_rng(32)
SIZES = {900: (37, 53), 7: (40, 40), 12: (24, 61), 3: (30, 30), 55: (64, 48)}
CATEGORIES = [(90, "toothbrush"), (1, "person"), (18, "dog")]
POINTS = ["nose", "left_eye", "right_eye"]


def polygon(height, width):
    corners = int(RANDOM.integers(3, 12))
    points = RANDOM.uniform(-6, 6 + max(height, width), (corners, 2))
    style = RANDOM.integers(0, 4)
    if style == 0:
        points = np.round(points)
    elif style == 1:
        points = np.round(points, 2)
    elif style == 2:
        points = np.round(points * 2) / 2
    return [float(v) for v in points.flatten()]


def segmentation(kind, height, width):
    if kind == "polygons":
        return [polygon(height, width) for _ in range(int(RANDOM.integers(1, 4)))]
    noise = (RANDOM.uniform(size=(height, width)) < RANDOM.uniform(0.05, 0.95)).astype(np.uint8)
    packed = codec.encode(np.asfortranarray(noise))
    if kind == "compressed":
        return {"size": packed["size"], "counts": packed["counts"].decode("ascii")}
    counts, latest = [0], 0
    for value in noise.flatten(order="F"):
        if value != latest:
            counts.append(0)
            latest = value
        counts[-1] += 1
    return {"size": [height, width], "counts": counts}


images, annotations = [], []
for number, (image_id, (height, width)) in enumerate(SIZES.items()):
    name = f"sub/{image_id:012d}.png" if number % 2 else f"{image_id:012d}.png"
    Image.fromarray(RANDOM.integers(0, 255, (height, width, 3), dtype=np.uint8)).save(OUT / "pictures" / name)
    images.append({"id": image_id if number else float(image_id), "file_name": name, "height": height, "width": width})
    for i in range(0 if image_id == 3 else 14):
        kind = ("polygons", "polygons", "polygons", "compressed", "uncompressed")[i % 5]
        box = [float(np.round(v, 2)) for v in RANDOM.uniform([-5, -5, 0, 0], [width, height, width, height])]
        annotations.append(
            {
                "id": 1000 - len(annotations) * 3,
                "image_id": image_id if i % 2 else float(image_id),
                "category_id": CATEGORIES[int(RANDOM.integers(0, 3))][0],
                "bbox": box,
                "area": float(np.round(box[2] * box[3], 3)),
                "iscrowd": int(kind == "uncompressed"),
                "segmentation": segmentation(kind, height, width),
                "num_keypoints": 2,
                "keypoints": [int(v) for v in RANDOM.integers(0, 40, 9)] if i % 3 else [],
            }
        )
order = RANDOM.permutation(len(annotations))
annotations = [annotations[i] for i in order]
categories = [
    {"supercategory": "thing", "id": key, "name": name, **({"keypoints": POINTS} if key == 1 else {})}
    for key, name in CATEGORIES
]
dataset = {"info": {}, "annotations": annotations, "images": images, "categories": categories}
(OUT / "instances.json").write_text(json.dumps(dataset))

with contextlib.redirect_stdout(io.StringIO()):
    coco = COCO(str(OUT / "instances.json"))
classes = {key: number for number, key in enumerate(sorted(coco.getCatIds()))}


def words(values):
    return " ".join(repr(float(v)) for v in values)


rows = []
for image_id in sorted(coco.getImgIds()):
    for found in coco.loadAnns(coco.getAnnIds(imgIds=[image_id])):
        pixels = coco.annToMask(found)
        rows.append(
            [
                int(image_id),
                coco.imgs[image_id]["file_name"],
                found["id"],
                classes[found["category_id"]],
                found["category_id"],
                found["iscrowd"],
                words([found["area"]]),
                words(found["bbox"]),
                words(found["keypoints"]),
                int(pixels.sum()),
                hashlib.sha256(np.ascontiguousarray(pixels).tobytes()).hexdigest(),
            ]
        )
with open(OUT / "expected.csv", "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow("image_id file id label category_id iscrowd area box keypoints pixels sha256".split())
    writer.writerows(rows)

# Single outlines, some of which have corners beyond the picture, corners twice, or no area.
rows = []
for number in range(400):
    height, width = (int(v) for v in RANDOM.integers(1, 40, 2))
    points = polygon(height, width)
    if number % 7 == 0:
        points = points[:2] + points[:2] + points[2:]
    elif number % 11 == 0:
        points = points[:2] * 3
    elif number % 13 == 0:
        points = points[:4] + points[:2]
    elif number % 17 == 0:
        points = [float(v) for v in np.repeat(RANDOM.uniform(-20, 60, 4), 2)]
    pixels = codec.decode(codec.frPyObjects([points], height, width))[:, :, 0]
    packed = codec.encode(np.asfortranarray(pixels))
    rows.append(
        [
            height,
            width,
            words(points),
            packed["counts"].decode("ascii"),
            int(pixels.sum()),
            hashlib.sha256(np.ascontiguousarray(pixels).tobytes()).hexdigest(),
        ]
    )
with open(OUT / "outlines.csv", "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow("height width polygon counts pixels sha256".split())
    writer.writerows(rows)

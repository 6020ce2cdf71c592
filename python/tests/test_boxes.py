"""Boxes, labels and masks of objects from a real server."""

import json

import numpy as np
import pytest

import millrace

from .server import LAUNCHER

PICTURES = 24
BATCH = 8


@pytest.fixture
def pipeline(tmp_path):
    """Returns a pipeline with black pictures, in which each object is a rectangle of its own level of gray."""
    random = np.random.default_rng(7)
    images, annotations = [], []
    for number in range(PICTURES):
        height, width = (int(n) for n in random.integers(60, 90, 2))
        pixels = np.zeros((height, width, 3), np.uint8)
        for i in range(number % 4):
            # Columns of 20 pixels, so that no object covers another one.
            left, top = 20 * i + int(random.integers(0, 4)), int(random.integers(0, height - 30))
            w, h = int(random.integers(8, 16)), int(random.integers(8, 30))
            pixels[top : top + h, left : left + w] = 80 * (i + 1)
            outline = [left, top, left + w, top, left + w, top + h, left, top + h]
            annotations.append(
                {
                    "id": len(annotations),
                    "image_id": number,
                    "category_id": 10 * (i + 1),
                    "bbox": [left, top, w, h],
                    "segmentation": [outline],
                }
            )
        name = f"{number}.ppm"
        (tmp_path / name).write_bytes(b"P6 %d %d 255\n" % (width, height) + pixels.tobytes())
        images.append({"id": number, "file_name": name, "height": height, "width": width})
    categories = [{"id": 10 * (i + 1), "name": f"gray {80 * (i + 1)}"} for i in range(3)]
    (tmp_path / "some.json").write_text(
        json.dumps({"images": images, "annotations": annotations, "categories": categories})
    )
    path = tmp_path / "boxes.yaml"
    path.write_text(
        f"""
dataset:
  format: coco
  path: {tmp_path}
  annotations: {tmp_path}/some.json
  fields: {{image: image, boxes: {{as: {{boxes: xyxy}}}}, labels: labels, masks: masks, image_id: image_id}}
  epochs: 3
transforms: [decode, RandomResizedCrop: {{size: 64, scale: [0.3, 1]}}, RandomHorizontalFlip, RandomVerticalFlip]
batch: {{size: {BATCH}}}
parallelism: 1
train: {{model: none}}
run: {{folder: {tmp_path}/run, web_port: 0}}
"""
    )
    return path


def test_boxes_labels_and_masks_lie_on_their_objects(pipeline):
    objects = removed = 0
    with millrace.Loader(str(pipeline), millrace=LAUNCHER) as loader:
        assert loader.plan.classes == ("gray 80", "gray 160", "gray 240")
        for batch in loader.steps():
            boxes, labels, masks = (batch[name].rows() for name in ("boxes", "labels", "masks"))
            for i, image in enumerate(batch["image"]):
                assert boxes[i].dtype == np.float32 and masks[i].shape == (len(boxes[i]), 64, 64)
                removed += int(batch["image_id"][i]) % 4 - len(boxes[i])
                assert len(labels[i]) == len(boxes[i]) and "label" not in batch.fields
                for (left, top, right, bottom), label, mask in zip(boxes[i], labels[i], masks[i]):
                    objects += 1
                    assert 0 <= left < right <= 64 and 0 <= top < bottom <= 64
                    level = 80 * (label + 1)
                    middle = image[int((top + bottom) / 2), int((left + right) / 2), 0]
                    if right - left > 4 and bottom - top > 4:
                        assert abs(int(middle) - level) < 40
                    rows, columns = np.nonzero(mask)
                    if len(rows):
                        # Masks are made of whole pixels.
                        found = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])
                        assert np.abs(found - [left, top, right, bottom]).max() <= 1.5
    assert objects > 30 and removed > 0

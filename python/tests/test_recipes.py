"""The recipes of docs/use/own-data.md, with files that other programs write."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import wave

import numpy as np
import pytest

import millrace

from .server import LAUNCHER, ROOT

PAGE = (ROOT / "docs/use/own-data.md").read_text()
RECIPES = dict(re.findall(r"<!-- recipe: ([\w-]+) -->\n```yaml\n(.*?)```", PAGE, re.DOTALL))
# A recipe that only replaces the dataset has the transforms of the first one.
PICTURES = "transforms: [ decode, Resize: { size: [32, 32] } ]\n"

FIELDS = {
    "folders": {"label", "image"},
    "csv-pictures": {"label", "image"},
    "webdataset": {"label", "image", "caption"},
    "hugging-face": {"label", "image"},
    "coco": {"image", "boxes", "labels", "image_id"},
    "sound": {"label", "audio"},
    "numbers": {"image", "weight"},
    "table": {"label", "features"},
    "arrays": {"label", "image"},
    "python": {"label", "text"},
}


@pytest.fixture
def nothing_left():
    """Replaces the check for open files: pyarrow keeps threads."""


def jpeg(generator, height=40, width=48):
    image = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    image.fromarray(generator.integers(0, 255, (height, width, 3), np.uint8)).save(file, "JPEG")
    return file.getvalue()


def folders(data, generator):
    for name in "cat", "dog":
        (data / "photos" / name).mkdir(parents=True)
        for i in range(12):
            (data / "photos" / name / f"{i}.jpg").write_bytes(jpeg(generator))


def csv_pictures(data, generator):
    (data / "breeds/images").mkdir(parents=True)
    lines = ["image_id,breed"]
    for i in range(20):
        (data / f"breeds/images/{i:04}.jpg").write_bytes(jpeg(generator))
        lines.append(f"{i:04},{'beagle' if i % 2 else 'pug'}")
    (data / "breeds/train.csv").write_text("\n".join(lines) + "\n")


def numbers(data, generator):
    (data / "fish/images").mkdir(parents=True)
    lines = ["file,weight_kg"]
    for i in range(20):
        (data / f"fish/images/{i}.jpg").write_bytes(jpeg(generator))
        lines.append(f"{i}.jpg,{i / 8}")
    (data / "fish/train.csv").write_text("\n".join(lines) + "\n")


def webdataset(data, generator):
    (data / "shards").mkdir()
    for shard in range(2):
        with tarfile.open(data / f"shards/train-{shard:03}.tar", "w") as file:
            for i in range(10):
                caption = json.dumps({"caption": f"picture {i}"}).encode()
                for suffix, content in ("jpg", jpeg(generator)), ("cls", b"%d" % (i % 3)), ("json", caption):
                    member = tarfile.TarInfo(f"{shard}{i:04}.{suffix}")
                    member.size = len(content)
                    file.addfile(member, io.BytesIO(content))


def hugging_face(data, generator):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    (data / "cifar100").mkdir()
    pictures = [{"bytes": jpeg(generator, 32, 32), "path": None} for _ in range(20)]
    kind = arrow.struct([("bytes", arrow.binary()), ("path", arrow.string())])
    columns = {"img": arrow.array(pictures, kind), "fine_label": [i % 5 for i in range(20)], "coarse_label": [0] * 20}
    for split in "train", "test":
        parquet.write_table(arrow.table(columns), data / f"cifar100/{split}-00000-of-00001.parquet")


def coco(data, generator):
    (data / "coco/train2017").mkdir(parents=True)
    images = [{"id": i, "file_name": f"{i:012}.jpg", "width": 48, "height": 40} for i in range(8)]
    for picture in images:
        (data / "coco/train2017" / picture["file_name"]).write_bytes(jpeg(generator))
    objects = [
        {"id": 10 * i + k, "image_id": i, "category_id": (1, 18)[k % 2], "bbox": [5 + k, 6, 10, 12], "area": 120, "iscrowd": 0}
        for i in range(8)
        for k in range(1 + i % 3)
    ]
    categories = [{"id": 1, "name": "person"}, {"id": 18, "name": "dog"}]
    content = {"images": images, "annotations": objects, "categories": categories}
    (data / "coco/instances_train2017.json").write_text(json.dumps(content))


def write_sounds(folder, generator, channels):
    for name in "yes", "no":
        (folder / name).mkdir(parents=True)
        for i in range(8):
            with wave.open(str(folder / name / f"{i}.wav"), "wb") as file:
                file.setparams((channels, 2, 16000, 0, "NONE", ""))
                frames = 800 + 100 * i
                file.writeframes(generator.normal(0, 3000, (frames, channels)).astype("<i2").tobytes())


def sound(data, generator):
    write_sounds(data / "speech", generator, 1)


def table(data, generator):
    names = "setosa", "versicolor", "virginica"
    rows = [f"{generator.random():.2f},{generator.random():.2f},{names[i % 3]}" for i in range(30)]
    (data / "iris.csv").write_text("\n".join(["sepal,petal,label", *rows]) + "\n")


def arrays(data, generator):
    (data / "arrays").mkdir()
    np.save(data / "arrays/images.npy", generator.integers(0, 255, (20, 16, 16, 3), np.uint8))
    np.save(data / "arrays/labels.npy", np.arange(20) % 4)


def python(data, generator):
    lines = [json.dumps({"text": "word " * (1 + i % 4), "label": i % 2}) for i in range(20)]
    (data / "texts.jsonl").write_text("\n".join(lines) + "\n")
    shutil.copy(ROOT / "python/examples/texts.py", data.parent)


def test_every_recipe_is_tested():
    assert set(RECIPES) == set(FIELDS)


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_a_recipe_is_inspected_and_delivers_its_fields(name, tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    globals()[name.replace("-", "_")](tmp_path / "data", np.random.default_rng(1))
    recipe = RECIPES[name]
    pipeline = tmp_path / f"{name}.yaml"
    pipeline.write_text(recipe + ("" if "transforms" in recipe else PICTURES) + ("" if "batch" in recipe else "batch: { size: 4 }\n"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MILLRACE_HOME", os.path.dirname(LAUNCHER))
    monkeypatch.setenv("MILLRACE_PYTHON", sys.executable)

    done = subprocess.run([LAUNCHER, "inspect", pipeline.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0 and "bad samples" not in done.stdout, done.stdout

    with millrace.Loader(pipeline.name, settings=["run.web=off"]) as loader:
        rows = sum(batch.samples for batch in loader)
        assert FIELDS[name] == {field for field in loader.plan.fields if not field.startswith("__")}
        assert rows == loader.plan.samples


@pytest.mark.parametrize("channels", [1, 2])
def test_the_recipe_of_sounds_delivers_each_with_its_own_frames(channels, tmp_path, monkeypatch):
    write_sounds(tmp_path / "data/speech", np.random.default_rng(1), channels)
    (tmp_path / "sound.yaml").write_text(RECIPES["sound"] + "batch: { size: 4 }\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MILLRACE_HOME", os.path.dirname(LAUNCHER))

    with millrace.Loader("sound.yaml", settings=["run.web=off"]) as loader:
        shapes = sorted(row.shape for batch in loader for row in batch["audio"].rows())

    assert shapes == sorted((800 + 100 * i, channels) for i in range(8) for _ in range(2))

"""Writes the files of operators/src/test/resources/vectors/dataset/labels: six images in each format, whose labels have other names
than the format's default.

    python operators/src/test/python/label_vectors.py

By Python's tarfile, pyarrow 25, h5py 3.16 and numpy. The TFRecord is written here.
"""

import io
import json
import pathlib
import struct
import tarfile

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

OUT = pathlib.Path(__file__).parent.parent / "resources/vectors/dataset/labels"
FINE = [0, 1, 2, 3, 1, 2]
COARSE = [0, 0, 1, 1, 0, 1]


def png(seed):
    pixels = np.random.default_rng(seed).integers(0, 256, (4, 4, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


IMAGES = [png(seed) for seed in range(6)]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def record(data):
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked(length)) + data + struct.pack("<I", masked(data))


def delimited(number, data):
    return bytes([number << 3 | 2]) + varint(len(data)) + data


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def feature(name, kind, value):
    return delimited(1, delimited(1, name.encode()) + delimited(2, delimited(kind, value)))


def features(names):
    described = {"img": {"_type": "Image"}, **{name: {"names": list(values), "_type": "ClassLabel"} for name, values in names.items()}}
    return {"huggingface": json.dumps({"info": {"features": described}})}


def table(columns, metadata=None):
    images = pa.array([{"bytes": image, "path": None} for image in IMAGES], pa.struct({"bytes": pa.binary(), "path": pa.string()}))
    made = pa.table({"img": images, **columns})
    return made.replace_schema_metadata(metadata) if metadata else made


def arrow(made, path):
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, made.schema) as writer:
        writer.write_table(made)


OUT.mkdir(parents=True, exist_ok=True)
cifar100 = table({"fine_label": FINE, "coarse_label": COARSE}, features({"fine_label": "abcd", "coarse_label": "xy"}))
pq.write_table(cifar100, OUT / "cifar100.parquet")
arrow(cifar100, OUT / "cifar100.arrow")
target = {"id": pa.array(range(100, 106)), "score": pa.array([0.5] * 6), "target": FINE, "breed": ["pug", "cur", "pug", "cur", "pug", "cur"]}
pq.write_table(table(target), OUT / "target.parquet")
arrow(table(target), OUT / "target.arrow")

with tarfile.open(OUT / "json.tar", "w", format=tarfile.PAX_FORMAT) as tar:
    for i, image in enumerate(IMAGES):
        described = {"width": 4, "annotation": {"category": FINE[i], "name": "abcd"[FINE[i]]}}
        for suffix, content in (("json", json.dumps(described).encode()), ("png", image)):
            member = tarfile.TarInfo(f"{i:04}.{suffix}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))

with open(OUT / "target.tfrecord", "wb") as file:
    for i, image in enumerate(IMAGES):
        example = feature("image/encoded", 1, delimited(1, image)) + feature("image/height", 3, delimited(1, varint(4)))
        example += feature("target", 3, delimited(1, varint(FINE[i]))) + feature("name", 1, delimited(1, b"abcd"[FINE[i]:][:1]))
        file.write(record(delimited(1, example)))

with h5py.File(OUT / "target.h5", "w") as file:
    file["images"] = np.stack([np.full((4, 4, 3), i, np.uint8) for i in range(6)])
    file["target"] = np.array(FINE)
    file["weights"] = np.ones(6)
    file["other"] = np.arange(7)

(OUT / "npy").mkdir(exist_ok=True)
np.save(OUT / "npy/images.npy", np.stack([np.full((4, 4, 3), i, np.uint8) for i in range(6)]))
np.save(OUT / "npy/y.npy", np.array(FINE))
np.save(OUT / "npy/weights.npy", np.ones(6))

"""Writes the files of operators/src/test/resources/vectors/dataset/unlike: seven samples in each format, of which the first is
an HTML page, the fourth only zeros and the last empty. The others are JPEGs.

    python operators/src/test/python/unlike_vectors.py

By Python's tarfile, pyarrow 25, h5py 3.16, and LMDB's own mdb_load (package lmdb-utils). The TFRecord is written here.
"""

import io
import pathlib
import struct
import subprocess
import tarfile

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

OUT = pathlib.Path(__file__).parent.parent / "resources/vectors/dataset/unlike"


def jpeg(seed):
    pixels = np.random.default_rng(seed).integers(0, 256, (10, 12, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "JPEG", quality=20)
    return out.getvalue()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def part(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


OUT.mkdir(parents=True, exist_ok=True)
images = [jpeg(i) for i in range(7)]
images[0] = b"<!DOCTYPE html><html><body>503</body></html>"
images[3] = bytes(600)
images[6] = b""

with tarfile.open(OUT / "images.tar", "w", format=tarfile.USTAR_FORMAT) as tar:
    for i, image in enumerate(images):
        for name, content in ((f"{i:03}.jpg", image), (f"{i:03}.cls", str(i % 2).encode())):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))

labels = pa.array([i % 2 for i in range(7)], pa.int64())
pq.write_table(pa.table({"image": pa.array(images, pa.binary()), "label": labels}), OUT / "images.parquet")
pictures = pa.array([{"bytes": image, "path": None} for image in images], pa.struct([("bytes", pa.binary()), ("path", pa.string())]))
table = pa.table({"image": pictures, "label": labels})
with pa.OSFile(str(OUT / "images.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
    writer.write_table(table)

with h5py.File(OUT / "images.h5", "w") as file:
    rows = file.create_dataset("images", 7, h5py.vlen_dtype(np.uint8))
    for i, image in enumerate(images):
        rows[i] = np.frombuffer(image, np.uint8)
    file["labels"] = np.arange(7) % 2

with open(OUT / "images.tfrecord", "wb") as file:
    for i, image in enumerate(images):
        features = part(1, part(1, b"image/encoded") + part(2, part(1, part(1, image))))
        features += part(1, part(1, b"image/class/label") + part(2, part(3, part(1, varint(i % 2)))))
        record = part(1, features)
        length = struct.pack("<Q", len(record))
        file.write(length + masked(length) + record + masked(record))

dump = ["VERSION=3", "format=bytevalue", "type=btree", "mapsize=1048576", "maxreaders=126", "HEADER=END"]
for i, image in enumerate(images):
    dump += [" " + f"{i}/image".encode().hex(), " " + image.hex()]
dump.append("DATA=END")
(OUT / "images.mdb").unlink(missing_ok=True)
subprocess.run(["mdb_load", "-n", str(OUT / "images.mdb")], input="\n".join(dump).encode() + b"\n", check=True)
for lock in OUT.glob("*-lock"):
    lock.unlink()

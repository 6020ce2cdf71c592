"""Writes the HDF5 files of operators/src/test/resources/vectors/dataset/hdf5 with h5py, and rows.json: what the datasets
hold, one object a row; bytes as hexadecimal digits.

    python operators/src/test/python/hdf5_vectors.py
"""

import io
import json
import pathlib

import h5py
import numpy as np
from PIL import Image

OUT = pathlib.Path(__file__).parent.parent / "resources/vectors/dataset/hdf5"
ROWS = 10
rng = np.random.default_rng(5)
images = rng.integers(0, 256, (ROWS, 5, 4, 3), dtype=np.uint8)
gray = rng.integers(0, 256, (ROWS, 5, 4), dtype=np.uint8)
labels = np.arange(ROWS, dtype=np.int64) % 3


def png(array):
    out = io.BytesIO()
    Image.fromarray(array).save(out, "PNG")
    return np.frombuffer(out.getvalue(), np.uint8)


pngs = np.empty(ROWS, object)
ids = np.empty(ROWS, object)
for i in range(ROWS):
    pngs[i] = png(images[i])
    ids[i] = np.arange(i, dtype=np.int32)
floats = np.linspace(-1, 1, ROWS * 6, dtype=np.float32).reshape(ROWS, 2, 3)
names = [f"row {i} zwölf" for i in range(ROWS)]

OUT.mkdir(parents=True, exist_ok=True)
(OUT / "rows.json").write_text(json.dumps([
    {"images": images[i].tolist(), "gray": gray[i].tolist(), "labels": int(labels[i]), "pngs": pngs[i].tobytes().hex(),
     "ids": ids[i].tolist(), "floats": floats[i].tolist(), "names": names[i], "flags": bool(i % 3 == 0)}
    for i in range(ROWS)]) + "\n")


def write(name, libver="earliest", **options):
    with h5py.File(OUT / (name + ".h5"), "w", libver=libver) as file:
        chunked = bool(options)
        file.create_dataset("images", data=images, **({**options, "chunks": (3, 2, 4, 3)} if chunked else {}))
        file.create_dataset("labels", data=labels, **({**options, "chunks": (4,)} if chunked else {}))
        group = file.create_group("more")
        group.create_dataset("gray", data=gray, **({**options, "chunks": (4, 5, 3)} if chunked else {}))
        group.create_dataset("floats", data=floats.astype(">f4"), **({**options, "chunks": (2, 2, 3)} if chunked else {}))


write("contiguous")
write("chunked", chunks=True)
write("gzip", compression="gzip", shuffle=True)
write("latest", "latest", compression="gzip", shuffle=True, fletcher32=True)
write("lzf", compression="lzf")
with h5py.File(OUT / "vlen.h5", "w") as file:
    file.create_dataset("images", data=pngs, dtype=h5py.vlen_dtype(np.uint8))
    file.create_dataset("ids", data=ids, dtype=h5py.vlen_dtype(np.int32), chunks=(4,))
    file.create_dataset("names", data=names, dtype=h5py.string_dtype())
    file.create_dataset("flags", data=np.arange(ROWS) % 3 == 0)
    file.create_dataset("short", data=labels[:4])
    # Rows that were never written have the value that the file says: 7.
    file.create_dataset("sparse", (ROWS, 2), np.uint8, chunks=(2, 2), fillvalue=7)[8] = [1, 2]

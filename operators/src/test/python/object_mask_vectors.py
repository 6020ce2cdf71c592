"""Writes the files of operators/src/test/resources/vectors/dataset/masks: the masks of objects in several formats, for pictures of different
sizes, one of which has no objects, and expected.json: the masks of each sample, as numpy reads them.

    python object_mask_vectors.py ../resources/vectors/dataset/masks

Made with numpy 2.4, pyarrow 25.0 and Pillow 12.3.0.
"""

import io
import json
import pathlib
import sys
import tarfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

OUT = pathlib.Path(sys.argv[1])
RANDOM = np.random.default_rng(34)
SIZES = [(5, 7), (4, 4), (6, 3), (5, 5)]
OBJECTS = [2, 3, 0, 1]


def png(array, mode=None):
    file = io.BytesIO()
    Image.fromarray(array, mode).save(file, "PNG")
    return file.getvalue()


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def drawn(objects, size):
    """Ids as in Penn-Fudan: 0 for the background, and a number for each object, which all have pixels."""
    ids = RANDOM.integers(0, objects + 1, size).astype(np.uint8)
    ids.flat[:objects] = np.arange(1, objects + 1)
    return ids


ids = [drawn(objects, size) for objects, size in zip(OBJECTS, SIZES)]
masks = [np.arange(1, n + 1)[:, None, None] == one for n, one in zip(OBJECTS, ids)]
pictures = [RANDOM.integers(0, 256, (*size, 3), dtype=np.uint8) for size in SIZES]

(OUT / "folder" / "ids").mkdir(parents=True, exist_ok=True)
lines = ["file,ids"]
with tarfile.open(OUT / "samples.tar", "w") as archive:
    for i in range(len(SIZES)):
        (OUT / "folder" / f"{i}.png").write_bytes(png(pictures[i]))
        (OUT / "folder" / "ids" / f"{i}.png").write_bytes(png(ids[i], "L"))
        lines.append(f"{i}.png,ids/{i}.png")
        wide = ids[i].astype(np.int32) * 1000 + (ids[i] > 0) * 7
        members = {
            "jpg": png(pictures[i]),
            "masks.npy": npy(masks[i].astype(np.uint8) * 255),
            "wide.npy": npy(wide),
            "ids.png": png(wide.astype(np.uint16)),
        }
        for suffix, content in members.items():
            info = tarfile.TarInfo(f"{i}.{suffix}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
(OUT / "folder" / "objects.csv").write_text("\n".join(lines) + "\n")

nested = pa.list_(pa.list_(pa.list_(pa.uint8())))
table = pa.table({
    "image": pa.array([png(one) for one in pictures], pa.binary()),
    "masks": pa.array([one.astype(np.uint8).tolist() for one in masks], nested),
    "truths": pa.array([one.tolist() for one in masks], pa.list_(pa.list_(pa.list_(pa.bool_())))),
    "ids": pa.array([png(one, "L") for one in ids], pa.binary()),
})
pq.write_table(table, OUT / "samples.parquet")

# npy: one array for all samples, of which each has the same number of masks of one size.
same = RANDOM.integers(0, 2, (3, 2, 4, 5), dtype=np.uint8)
(OUT / "npy").mkdir(exist_ok=True)
np.save(OUT / "npy" / "images.npy", RANDOM.integers(0, 256, (3, 4, 5, 3), dtype=np.uint8))
np.save(OUT / "npy" / "masks.npy", same)

expected = {
    "masks": [{"shape": list(one.shape), "values": one.astype(int).flatten().tolist()} for one in masks],
    "npy": [{"shape": list(one.shape), "values": one.astype(int).flatten().tolist()} for one in same],
}
(OUT / "expected.json").write_text(json.dumps(expected) + "\n")

"""Writes the Parquet files of operators/src/test/resources/vectors/dataset/parquet with pyarrow and Hugging Face's
datasets, and rows.json: what their rows hold, one object a row; bytes as hexadecimal digits.

    python operators/src/test/python/parquet_vectors.py
"""

import io
import json
import pathlib

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

OUT = pathlib.Path(__file__).parent.parent / "resources/vectors/dataset/parquet"
ROWS = 20
rng = np.random.default_rng(11)


def png(i):
    out = io.BytesIO()
    Image.fromarray(rng.integers(0, 256, (2 + i % 3, 5, 3), dtype=np.uint8)).save(out, "PNG")
    return out.getvalue()


def plain(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


PNGS = [png(i) for i in range(ROWS)]
TABLE = pa.table({
    "image": pa.array([{"bytes": b, "path": f"{i}.png"} for i, b in enumerate(PNGS)],
                      pa.struct([("bytes", pa.binary()), ("path", pa.string())])),
    "label": pa.array([i % 3 for i in range(ROWS)], pa.int64()),
    "name": pa.array([["", "zwölf", "a longer name"][i % 3] for i in range(ROWS)]),
    "i8": pa.array(range(-5, ROWS - 5), pa.int8()),
    "u8": pa.array(range(250 - ROWS, 250), pa.uint8()),
    "u16": pa.array(range(65000, 65000 + ROWS), pa.uint16()),
    "i32": pa.array([(-1) ** i * 2**i for i in range(ROWS)], pa.int32()),
    "u32": pa.array(range(2**32 - ROWS, 2**32), pa.uint32()),
    "f16": pa.array(np.arange(ROWS, dtype=np.float16)),
    "f32": pa.array(np.linspace(-1, 1, ROWS), pa.float32()),
    "f64": pa.array(np.linspace(-1, 1, ROWS), pa.float64()),
    "flag": pa.array([i % 3 == 0 for i in range(ROWS)], pa.bool_()),
    "ids": pa.array([list(range(i % 7)) for i in range(ROWS)], pa.list_(pa.int32())),
    "grid": pa.array([[[i, 1, 2], [3, 4, 5]] for i in range(ROWS)], pa.list_(pa.list_(pa.uint8()))),
    "cube": pa.array([[[[i, 1], [2, 3], [4, 5]]] * 2 for i in range(ROWS)], pa.list_(pa.list_(pa.list_(pa.uint8())))),
    "ragged_grid": pa.array([[[i], [3, 4]] for i in range(ROWS)], pa.list_(pa.list_(pa.uint8()))),
    "pixels": pa.array([list(range(i, i + 6)) for i in range(ROWS)], pa.list_(pa.uint8(), 6)),
    "maybe": pa.array([None if i % 4 == 1 else i for i in range(ROWS)], pa.int32()),
    "maybe_ids": pa.array([None if i % 4 == 1 else [i] for i in range(ROWS)], pa.list_(pa.int32())),
    "holes": pa.array([[i, None] for i in range(ROWS)], pa.list_(pa.int32())),
    "digest": pa.array([bytes([i] * 5) for i in range(ROWS)], pa.binary(5)),
    "names": pa.array([["a", "b"]] * ROWS),
    "when": pa.array([i * 1000 for i in range(ROWS)], pa.timestamp("ms")),
    "meta": pa.array([{"width": i, "deep": {"height": 2 * i}} for i in range(ROWS)]),
})
SMALL = ["image", "label", "name", "ids", "grid"]


def write(name, columns=None, **options):
    table = TABLE if columns is None else TABLE.select(columns)
    pq.write_table(table, OUT / (name + ".parquet"), **{"row_group_size": 8, "compression": "none", **options})


OUT.mkdir(parents=True, exist_ok=True)
(OUT / "rows.json").write_text(json.dumps([plain(row) for row in TABLE.drop(["when"]).to_pylist()]) + "\n")
write("plain", use_dictionary=False)
write("dictionary", compression="snappy")
for codec in ["snappy", "gzip", "zstd", "lz4", "brotli"]:
    write(codec, SMALL, compression=codec)
# Small pages: several in each row group.
paged = {"data_page_size": 64, "write_batch_size": 2, "row_group_size": 10, "compression": "zstd"}
write("pages", SMALL, **paged)
write("indexed", SMALL, write_page_index=True, **paged)
write("second", SMALL, data_page_version="2.0", write_page_checksum=True, **paged)
write("delta", ["name", "i32", "label", "f32"], use_dictionary=False, version="2.6", data_page_version="2.0",
      column_encoding={"name": "DELTA_BYTE_ARRAY", "i32": "DELTA_BINARY_PACKED", "label": "DELTA_BINARY_PACKED",
                       "f32": "BYTE_STREAM_SPLIT"})
features = datasets.Features({"img": datasets.Image(), "fine": datasets.ClassLabel(names=["ant", "bee", "cow"])})
datasets.Dataset.from_dict(
    {"img": [{"bytes": b, "path": None} for b in PNGS], "fine": [i % 3 for i in range(ROWS)]}, features=features
).to_parquet(str(OUT / "hub.parquet"), batch_size=7)

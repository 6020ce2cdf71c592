"""Writes the Arrow files of operators/src/test/resources/vectors/dataset/arrow with pyarrow and Hugging Face's datasets,
and beside each NAME what its rows hold, as NAME.json: one object a row; bytes as hexadecimal digits.

    python operators/src/test/python/arrow_vectors.py
"""

import io
import json
import pathlib
import shutil

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.feather
from PIL import Image

OUT = pathlib.Path(__file__).parent.parent / "resources/vectors/dataset/arrow"
ROWS = 10
rng = np.random.default_rng(7)


def png(i):
    out = io.BytesIO()
    Image.fromarray(rng.integers(0, 256, (4 + i % 3, 6, 3), dtype=np.uint8)).save(out, "PNG")
    return out.getvalue()


def plain(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, np.ndarray)):
        return [plain(item) for item in value]
    return value


def expect(name, table):
    (OUT / (name + ".json")).write_text(json.dumps([plain(row) for row in table.to_pylist()]) + "\n")


PNGS = [png(i) for i in range(ROWS)]
# The last string of text is long enough to stand outside of a view.
TABLE = pa.table({
    "image": pa.array([{"bytes": b, "path": f"{i}.png"} for i, b in enumerate(PNGS)],
                      pa.struct([("bytes", pa.binary()), ("path", pa.string())])),
    "label": pa.array([i % 3 for i in range(ROWS)], pa.int64()),
    "name": pa.array(["", "a", "zwölf"] + [f"a name of the row {i}" for i in range(3, ROWS)], pa.string()),
    "large": pa.array([bytes(range(i)) for i in range(ROWS)], pa.large_binary()),
    "view": pa.array([("v" * (3 * i)) for i in range(ROWS)], pa.string_view()),
    "i8": pa.array(range(-5, 5), pa.int8()),
    "u16": pa.array(range(65000, 65000 + ROWS), pa.uint16()),
    "u32": pa.array(range(2**32 - ROWS, 2**32), pa.uint32()),
    "u64": pa.array(range(ROWS), pa.uint64()),
    "f16": pa.array(np.arange(ROWS, dtype=np.float16)),
    "f32": pa.array(np.linspace(-1, 1, ROWS), pa.float32()),
    "f64": pa.array(np.linspace(-1, 1, ROWS), pa.float64()),
    "flag": pa.array([i % 3 == 0 for i in range(ROWS)], pa.bool_()),
    "flags": pa.array([[j % 2 == 0 for j in range(i)] for i in range(ROWS)], pa.list_(pa.bool_())),
    "ids": pa.array([list(range(i)) for i in range(ROWS)], pa.list_(pa.int32())),
    "large_ids": pa.array([list(range(i)) for i in range(ROWS)], pa.large_list(pa.int16())),
    "boxes": pa.array([[[1.0 * j, 2, 3, i] for j in range(i % 4)] for i in range(ROWS)],
                      pa.list_(pa.list_(pa.float32(), 4))),
    "grid": pa.array([[[i, 1, 2], [3, 4, 5]] for i in range(ROWS)], pa.list_(pa.list_(pa.uint8()))),
    "ragged_grid": pa.array([[[i], [3, 4]] for i in range(ROWS)], pa.list_(pa.list_(pa.uint8()))),
    "pixels": pa.array([list(range(i, i + 6)) for i in range(ROWS)], pa.list_(pa.uint8(), 6)),
    "digest": pa.array([bytes([i] * 5) for i in range(ROWS)], pa.binary(5)),
    "maybe": pa.array([None if i % 4 == 1 else i for i in range(ROWS)], pa.int32()),
    "animal": pa.array([["cat", "dog", "7"][i % 3] for i in range(ROWS)]).dictionary_encode(),
    "meta": pa.array([{"width": i, "deep": {"height": 2 * i}} for i in range(ROWS)]),
    "when": pa.array([i * 1000 for i in range(ROWS)], pa.timestamp("ms")),
})


def write(name, table, stream=False, rows_per_batch=4, **options):
    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    with pa.OSFile(str(OUT / name), "wb") as out, new(out, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as w:
        w.write_table(table, rows_per_batch)


def dictionaries():
    """A stream whose dictionary is extended, then replaced."""
    schema = pa.schema([("label", pa.dictionary(pa.int8(), pa.string()))])

    def batch(numbers, names):
        return pa.record_batch([pa.DictionaryArray.from_arrays(pa.array(numbers, pa.int8()), pa.array(names))], schema)

    batches = [batch([1, 0], ["cat", "dog"]), batch([2, 1], ["cat", "dog", "eel"]), batch([0, 1], ["eel", "cat"])]
    with pa.OSFile(str(OUT / "dictionaries.arrows"), "wb") as out:
        with pa.ipc.new_stream(out, schema, options=pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)) as writer:
            for one in batches:
                writer.write_batch(one)
    expect("dictionaries.arrows", pa.Table.from_batches(batches[:1]).select([]))
    (OUT / "dictionaries.arrows.json").write_text(json.dumps(
        [{"label": row["label"]} for one in batches for row in one.to_pylist()]) + "\n")


def tensors():
    storage = pa.array([list(range(i, i + 6)) for i in range(ROWS)], pa.list_(pa.uint8(), 6))
    type = pa.fixed_shape_tensor(pa.uint8(), [2, 3])
    table = pa.table({"tensor": pa.ExtensionArray.from_storage(type, storage)})
    write("tensors.arrow", table)
    (OUT / "tensors.arrow.json").write_text(json.dumps(
        [{"tensor": np.arange(i, i + 6).reshape(2, 3).tolist()} for i in range(ROWS)]) + "\n")


def hugging_face():
    features = datasets.Features({"img": datasets.Image(), "kind": datasets.ClassLabel(names=["ant", "bee"]),
                                  "grid": datasets.Array2D((2, 2), "int32")})
    rows = {"img": [{"bytes": b, "path": None} for b in PNGS], "kind": [i % 2 for i in range(ROWS)],
            "grid": [[[i, 1], [2, 3]] for i in range(ROWS)]}
    folder = OUT / "saved"
    shutil.rmtree(folder, ignore_errors=True)
    saved = datasets.Dataset.from_dict(rows, features=features)
    datasets.DatasetDict({"train": saved}).save_to_disk(str(folder), num_shards={"train": 2})
    (OUT / "saved.json").write_text(json.dumps(
        [{"img": PNGS[i].hex(), "kind": i % 2, "grid": rows["grid"][i]} for i in range(ROWS)]) + "\n")


OUT.mkdir(parents=True, exist_ok=True)
write("file.arrow", TABLE)
write("stream.arrow", TABLE, stream=True)
small = TABLE.select(["image", "label", "ids", "animal", "pixels"])
write("lz4.arrow", small, compression="lz4")
write("zstd.arrow", small, stream=True, rows_per_batch=3, compression="zstd")
write("legacy.arrow", small, stream=True, use_legacy_format=True)
expect("file.arrow", TABLE.drop(["when"]))
pa.feather.write_feather(small, str(OUT / "feather.arrow"), compression="uncompressed", chunksize=6)
dictionaries()
tensors()
hugging_face()

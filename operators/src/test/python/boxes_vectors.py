"""Writes the files of operators/src/test/resources/vectors/dataset/boxes: Parquet and Arrow files with boxes [n, 4], of which some
samples have none, in the first row or later, and rows.json: the shape of each row's boxes as numpy's np.array(row).reshape(-1, 4),
or "bad". pyarrow 25.0.

    python operators/src/test/python/boxes_vectors.py
"""

import json
import pathlib

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

OUT = pathlib.Path(__file__).parent.parent / "resources/vectors/dataset/boxes"
BOX = [1.0, 2.0, 3.5, 4.0]
ROWS = {
    "first": [[], [BOX], [], [BOX, BOX]],
    "later": [[BOX], [BOX, BOX, BOX], [], [BOX], []],
    "odd": [[], [BOX], [BOX, BOX], None, [[]], [[1.0, 2.0]], [BOX, []], [BOX, None], [BOX, [1.0]], [[]] * 2, [BOX]],
}


def expected(row):
    try:
        boxes = np.array(row, np.float64)
    except (ValueError, TypeError):
        return "bad"
    if row is None or (boxes.size > 0 and boxes.shape[1:] != (4,)) or (len(row) > 0 and boxes.size == 0):
        return "bad"
    return {"shape": [len(row), 4], "values": boxes.reshape(-1).tolist()}


OUT.mkdir(parents=True, exist_ok=True)
shapes = {}
for name, rows in ROWS.items():
    shapes[name] = [expected(row) for row in rows]
    types = {
        "list": pa.list_(pa.list_(pa.float32())),
        "large": pa.large_list(pa.large_list(pa.float32())),
        "view": pa.list_view(pa.list_view(pa.float32())),
    }
    if name != "odd":
        types["fixed"] = pa.list_(pa.list_(pa.float32(), 4))
    for kind, dtype in types.items():
        table = pa.table({"label": pa.array(range(len(rows)), pa.int64()), "boxes": pa.array(rows, dtype)})
        if kind != "view":
            pq.write_table(table, OUT / f"{name}-{kind}.parquet")
        feather.write_feather(table, OUT / f"{name}-{kind}.arrow", compression="uncompressed")

# Two files of a dataset, of which only the second has floats.
for number, column in enumerate([pa.array([1, 2, 3], pa.int64()), pa.array([0.5, 4, 2.0**53], pa.float64())]):
    table = pa.table({"label": pa.array([0, 1, 2], pa.int64()), "x": column})
    pq.write_table(table, OUT / f"mixed-{number}.parquet")
    feather.write_feather(table, OUT / f"mixed-{number}.arrow", compression="uncompressed")

# Lists of structs, whose columns are lists.
objects = [[], [(BOX, 3)], [(BOX, 1), (BOX, 2)], [(BOX, 7), ([1.0], 8)], [(BOX, 5)]]
shapes["objects"] = [expected([box for box, _ in row]) for row in objects]
one = pa.struct([("names", pa.list_(pa.string())), ("bbox", pa.list_(pa.float32())), ("category", pa.int64())])
table = pa.table({
    "label": pa.array(range(len(objects)), pa.int64()),
    "objects": pa.array([[{"names": ["a"], "bbox": box, "category": c} for box, c in row] for row in objects], pa.list_(one)),
    "nested": pa.array([{"inner": {"u": i, "v": 1}} for i in range(len(objects))]),
    "map": pa.array([[("k", 1)]] * len(objects), pa.map_(pa.string(), pa.int64())),
    "texts": pa.array([{"a": ["x"], "b": ["y"]}] * len(objects)),
})
pq.write_table(table, OUT / "objects.parquet")
(OUT / "rows.json").write_text(json.dumps(shapes, indent=1) + "\n")

"""Writes the files of operators/src/test/resources/vectors/dataset/differing: columns that have another type in a second file,
after more rows than a run inspects, and columns that pyarrow writes but Millrace refuses.

    python operators/src/test/python/differing_vectors.py

By pyarrow 25 and h5py 3.16.
"""

import pathlib

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

OUT = pathlib.Path(__file__).parent.parent / "resources/vectors/dataset/differing"
ROWS = 1100
FILES = {
    "a": {
        "real": np.arange(ROWS, dtype="f4") / 8,
        "whole": np.arange(ROWS, dtype="i4"),
        "mixed": np.arange(ROWS, dtype="i8"),
        "word": [f"word {number % 3}" for number in range(ROWS)],
    },
    "b": {
        "real": np.array([0.1, 1e300]),
        "whole": np.array([1 << 40, -1]),
        "mixed": np.array([0.5, 2.0], dtype="f4"),
        "word": np.array([7, 8], dtype="i8"),
    },
}


def ipc(path, table):
    with pa.ipc.new_file(path, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as file:
        file.write_table(table)


OUT.mkdir(parents=True, exist_ok=True)
for name, columns in FILES.items():
    table = pa.table(columns)
    pq.write_table(table, OUT / f"{name}.parquet", compression="zstd")
    ipc(OUT / f"{name}.arrow", table)
    with h5py.File(OUT / f"{name}.h5", "w") as file:
        for column, values in columns.items():
            stored = np.array(values, dtype="S") if isinstance(values, list) else values
            file.create_dataset(column, data=stored, compression="gzip", compression_opts=9)

twice = pa.Table.from_arrays([pa.array([1, 2]), pa.array([3, 4])], names=["x", "x"])
pq.write_table(twice, OUT / "twice.parquet")
ipc(OUT / "twice.arrow", twice)

permuted = pa.fixed_shape_tensor(pa.int32(), [2, 3], permutation=[1, 0])
storage = pa.FixedSizeListArray.from_arrays(pa.array(np.arange(12, dtype="i4")), 6)
ipc(OUT / "permuted.arrow", pa.table({"x": pa.ExtensionArray.from_storage(permuted, storage)}))

"""Reads a dumped micro-batch with pyarrow and prints what pyarrow makes of it.

    python operators/src/test/python/read_micro_batch.py operators/src/test/resources/io/millrace/batch/micro-batch.arrows \
        > operators/src/test/resources/io/millrace/batch/micro-batch.arrows.txt

The output is committed; MicroBatchArrowTest checks that it is about the bytes that we write now.
"""

import hashlib
import json
import math
import sys

import numpy as np
import pyarrow as pa

NUMBERS = ("number", "half", "tokens", "brain")


def spread(entries, shape, dtype):
    """A sparse row's entries, each the place of an element and the element, as all of its elements."""
    entry = np.dtype([("place", "<i4"), ("value", np.dtype(dtype))])
    found = np.frombuffer(b"".join(entries), entry)
    assert (np.diff(found["place"]) > 0).all()
    row = np.zeros(math.prod(shape), entry["value"])
    row[found["place"]] = found["value"]
    return row.reshape(shape)


def tell_values(table, field):
    """Each row as an array of its true shape: bits without their padding, ragged rows with their own length."""
    column = table.column(field.name).combine_chunks()
    kind = field.type
    extension = isinstance(kind, pa.FixedShapeTensorType)
    shape = kind.shape if extension else json.loads((field.metadata or {}).get(b"millrace.shape", b"[]"))
    arrays = []
    for row in column.storage if extension else column:
        values = row.as_py()
        if values is not None and pa.types.is_list(kind) and pa.types.is_fixed_size_binary(kind.value_type):
            arrays.append(spread(values, shape, (field.metadata or {})[b"millrace.dtype"].decode()))
        elif values is None:
            arrays.append(None)
        elif pa.types.is_fixed_size_list(kind) and pa.types.is_boolean(kind.value_type):
            bits = np.array(values, np.uint8)
            assert not bits[math.prod(shape):].any()
            arrays.append(bits[:math.prod(shape)].reshape(shape))
        elif pa.types.is_list(kind):
            value = kind.value_type
            element = value.value_type if pa.types.is_fixed_size_list(value) else value
            arrays.append(np.array(values, element.to_pandas_dtype()).reshape([len(values), *shape]))
        else:
            element = kind.value_type if extension else kind
            arrays.append(np.array(values, element.to_pandas_dtype()).reshape(shape))
    print(f"{field.name}: {kind}")
    print(f"{field.name} rows:", "[" + ", ".join("null" if a is None else str(list(a.shape)) for a in arrays) + "]")
    blob = b"".join(a.tobytes() for a in arrays if a is not None)
    print(f"{field.name} sha256: {hashlib.sha256(blob).hexdigest()}")


def main(path):
    with open(path, "rb") as file:
        content = file.read()
    print("file sha256:", hashlib.sha256(content).hexdigest())
    table = pa.ipc.open_stream(content).read_all()
    table.validate(full=True)
    print("rows:", table.num_rows)
    for field in table.schema:
        if field.metadata and b"millrace.shape" in field.metadata or field.name in NUMBERS:
            tell_values(table, field)
            continue
        column = table.column(field.name).combine_chunks()
        if isinstance(field.type, pa.FixedShapeTensorType):
            tensor = field.type
            print(f"{field.name}: {tensor.extension_name} of {tensor.value_type}, shape {tensor.shape}, "
                  f"dim_names {tensor.dim_names}, nulls {column.null_count}")
            present = column.drop_null().to_numpy_ndarray()
            print(f"{field.name} array: {present.dtype}{list(present.shape)}")
            print(f"{field.name} sha256: {hashlib.sha256(present.tobytes()).hexdigest()}")
        elif pa.types.is_struct(field.type):
            print(f"{field.name}: {column.to_pylist()}")
        else:
            print(f"{field.name}: {field.type} {column.to_pylist()}")


if __name__ == "__main__":
    main(sys.argv[1])

"""Reads a dumped micro-batch with pyarrow and prints what pyarrow makes of it.

    python operators/src/test/python/read_micro_batch.py operators/src/test/resources/io/millrace/batch/micro-batch.arrows \
        > operators/src/test/resources/io/millrace/batch/micro-batch.arrows.txt

The output is committed; MicroBatchArrowTest checks that it is about the bytes that we write now.
"""

import hashlib
import sys

import pyarrow as pa


def main(path):
    with open(path, "rb") as file:
        content = file.read()
    print("file sha256:", hashlib.sha256(content).hexdigest())
    table = pa.ipc.open_stream(content).read_all()
    table.validate(full=True)
    print("rows:", table.num_rows)
    for field in table.schema:
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

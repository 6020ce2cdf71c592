"""Writes Parquet and Arrow files of kinds that pyarrow does not write by default, into
operators/src/test/resources/vectors/dataset/{parquet,arrow}, and beside each NAME what its rows hold, as NAME.json: one
object a row; bytes as hexadecimal digits. Files of older versions of Arrow are written by pyarrow and then changed to what
those versions wrote; pyarrow reads each file again, and must find the same values.

    python operators/src/test/python/column_vectors.py        (pyarrow 25.0.1, polars 1.44.2, numpy 2)
"""

import json
import pathlib

import numpy as np
import polars
import pyarrow as pa
import pyarrow.parquet as pq

OUT = pathlib.Path(__file__).parent.parent / "resources/vectors/dataset"


def plain(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def expect(path, table):
    rows = [{key: plain(value) for key, value in row.items()} for row in table.to_pylist()]
    path.with_name(path.name + ".json").write_text(json.dumps(rows) + "\n")


def parquet(name, table, change=lambda data: data, **options):
    path = OUT / "parquet" / (name + ".parquet")
    pq.write_table(table, path, **options)
    path.write_bytes(change(path.read_bytes()))
    assert pq.read_table(path).equals(table), name
    expect(path, table)


def zigzag(value):
    assert 0 <= value < 64
    return bytes([2 * value])


def count_values_as_rows(data):
    """Changes the headers of all pages of version 2 to what Arrow before 12 wrote, see GH-34086."""
    before = b"\x15" + zigzag(60) + b"\x15" + zigzag(0) + b"\x15"
    assert data.count(before + zigzag(20)) == 2
    return data.replace(before + zigzag(20), before + zigzag(60))


def of_arrow_2(data):
    """Changes a file to what Arrow 2.0 wrote, see ARROW-17100."""
    length = int.from_bytes(data[-8:-4], "little")
    pages, footer = data[:-8 - length], data[-8 - length:-8]
    # is_compressed is the field behind the lengths of the levels, and followed by the statistics.
    assert pages.count(b"\x15\x00\x11\x1c") == 2
    pages = pages.replace(b"\x15\x00\x11\x1c", b"\x15\x00\x12\x1c")
    new, old = b"parquet-cpp version 1.5.1-SNAPSHOT", b"parquet-cpp-arrow version " + pa.__version__.encode()
    assert footer.count(bytes([len(old)]) + old) == 1
    footer = footer.replace(bytes([len(old)]) + old, bytes([len(new)]) + new)
    return pages + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def parquet_files():
    # Lists that continue in the next page, and pages in which no row begins.
    lists = pa.table({
        "ids": pa.array([list(range(i, i + i * 7 % 40)) for i in range(60)], pa.list_(pa.int32())),
        "grid": pa.array([[[i, j, 3] for j in range(i % 9)] for i in range(60)], pa.list_(pa.list_(pa.uint8()))),
        "maybe": pa.array([None if i % 4 == 1 else [i] * 30 for i in range(60)], pa.list_(pa.int16())),
    })
    parquet("spanning", lists, compression="snappy", use_dictionary=False, data_page_size=64, write_batch_size=8,
            row_group_size=45)
    # More than 2^26 values in one row group.
    constant = np.repeat(np.arange(10, dtype=np.float32), 768 * 10_000)
    many = pa.table({"vector": pa.FixedSizeListArray.from_arrays(pa.array(constant), 768)})
    path = OUT / "parquet/many.parquet"
    pq.write_table(many, path, compression="zstd", compression_level=19)
    assert pq.ParquetFile(path).metadata.row_group(0).column(0).num_values > 2**26
    # Rows 0 to 19 in one page, and 20 to 39 in the next.
    triples = pa.table({"ids": pa.array([[i, i + 1, i * i] for i in range(40)], pa.list_(pa.int32()))})
    parquet("values-as-rows", triples, count_values_as_rows, data_page_version="2.0", use_dictionary=False,
            row_group_size=20)
    numbers = pa.table({"n": pa.array([i // 9 for i in range(400)], pa.int64())})
    parquet("arrow-2", pa.table({"n": numbers["n"]}, schema=pa.schema([pa.field("n", pa.int64(), nullable=False)])),
            of_arrow_2, data_page_version="2.0", use_dictionary=False, compression="snappy", row_group_size=200)
    parquet("unsigned", pa.table({
        "n": pa.array([0, 2**63 - 1, 2**63, 2**64 - 1, 7], pa.uint64()),
        "list": pa.array([[1], [2**64 - 1, 1], [], [2**63 - 1], [3, 4]], pa.list_(pa.uint64())),
    }))
    rows = range(60)
    missing = [None if i % 5 == 2 else i for i in rows]
    every = pa.table({
        "flag": pa.array([None if i is None else i % 7 < 3 for i in missing], pa.bool_()),
        "delta32": pa.array([None if i is None else (-1) ** i * i**4 for i in missing], pa.int32()),
        "delta64": pa.array([(-1) ** i * 3**i % 2**62 for i in rows], pa.int64()),
        "lengths": pa.array([None if i is None else "ab" * (i % 9) for i in missing]),
        "prefixes": pa.array([None if i is None else f"a common prefix {i // 3}" for i in missing]),
        "fixed": pa.array([bytes([i // 8] * 3 + [i]) for i in rows], pa.binary(4)),
        "split32": pa.array([None if i is None else i * 99_999 for i in missing], pa.int32()),
        "split64": pa.array([i * 3**30 for i in rows], pa.int64()),
        "half": pa.array(np.arange(60, dtype=np.float16) / 4),
        "double": pa.array([None if i is None else i / 7 for i in missing], pa.float64()),
        "lists": pa.array([[i, -i] * (i % 4) for i in rows], pa.list_(pa.int64())),
        "digest": pa.array([bytes([i % 3] * 6) for i in rows], pa.binary(6)),
    })
    encodings = {"flag": "RLE", "delta32": "DELTA_BINARY_PACKED", "delta64": "DELTA_BINARY_PACKED",
                 "lengths": "DELTA_LENGTH_BYTE_ARRAY", "prefixes": "DELTA_BYTE_ARRAY", "fixed": "DELTA_BYTE_ARRAY",
                 "split32": "BYTE_STREAM_SPLIT", "split64": "BYTE_STREAM_SPLIT", "half": "BYTE_STREAM_SPLIT",
                 "double": "BYTE_STREAM_SPLIT", "lists.list.element": "DELTA_BINARY_PACKED"}
    parquet("encodings", every, use_dictionary=["digest"], column_encoding=encodings, row_group_size=40,
            data_page_size=100, write_batch_size=10, data_page_version="2.0")


def arrow(name, table, rows_per_batch=None, change=lambda data: data, metadata=None, **options):
    path = OUT / "arrow" / name
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        for batch in table.to_batches(rows_per_batch):
            writer.write_batch(batch, custom_metadata=metadata)
    path.write_bytes(change(out.getvalue().to_pybytes()))
    assert pa.ipc.open_stream(path).read_all().equals(table), name
    expect(path, table)


def without_compression(data):
    """Removes the codec from the batches of a stream, because Arrow 0.17 stated it only in the messages' metadata."""
    changed, position, removed = bytearray(data), 0, 0

    def number(at, width=4, signed=True):
        return int.from_bytes(changed[at:at + width], "little", signed=signed)

    def field(table, slot):
        """Returns the positions of the offset of a table's field and of the field, or None when it is missing."""
        offsets = table - number(table)
        entry = offsets + 4 + 2 * slot
        offset = number(entry, 2, False) if 4 + 2 * slot < number(offsets, 2, False) else 0
        return (entry, table + offset) if offset else None

    while number(position + 4):
        length = number(position + 4)
        message = position + 8 + number(position + 8)
        if changed[field(message, 1)[1]] == 3:  # a batch of rows
            header = field(message, 2)[1]
            entry, _ = field(header + number(header), 3)
            changed[entry:entry + 2] = b"\0\0"
            removed += 1
        body = field(message, 3)
        position += 8 + length + (number(body[1], 8) if body else 0)
    assert removed
    return bytes(changed)


def arrow_files():
    # Compressible, and larger than a block of LZ4, so that blocks refer to the blocks before them.
    rows = 30_000
    frame = polars.DataFrame({"n": [i % 1000 * 3 for i in range(rows)], "name": [f"row {i % 500}" for i in range(rows)]})
    frame.write_ipc(OUT / "arrow/polars.arrow", compression="lz4", record_batch_size=rows)
    names = [f"n{i}" for i in range(200)]
    numbers = [i % 100 - 50 for i in range(40_000)]
    index8 = [199, 0, 127, 128, 5]
    index16 = [39_999, 0, 32_767, 32_768, 5]
    arrow("unsigned-indexes.arrows", pa.table({
        "name": pa.DictionaryArray.from_arrays(pa.array(index8, pa.uint8()), pa.array(names)),
        "number": pa.DictionaryArray.from_arrays(pa.array(index16, pa.uint16()), pa.array(numbers, pa.int8())),
        "wide": pa.DictionaryArray.from_arrays(pa.array([4, 3, 2, 1, 0], pa.uint32()), pa.array(["a", "b", "c", "d", "e"])),
    }), compression="zstd")
    small = pa.table({"n": pa.array(range(50), pa.int64()), "name": pa.array([f"row {i}" for i in range(50)])})
    for codec, name in (("lz4", "LZ4"), ("zstd", "ZSTD")):
        arrow(f"arrow-0.17-{codec}.arrows", small, 20, without_compression, {"ARROW:experimental_compression": name},
              compression=codec, metadata_version=pa.ipc.MetadataVersion.V4)
    # Before Arrow 1.0, unions and run-end encoding had validity bits.
    types, offsets = pa.array([0, 1, 0], pa.int8()), pa.array([0, 0, 1], pa.int32())
    arrow("arrow-0.17-unions.arrows", pa.table({
        "union": pa.UnionArray.from_dense(types, offsets, [pa.array([1, 2]), pa.array(["a"])]),
        "runs": pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array([5, 6])),
        "n": pa.array([7, 8, 9]),
    }), metadata_version=pa.ipc.MetadataVersion.V4)


parquet_files()
arrow_files()

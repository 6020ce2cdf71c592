"""Writes small files that announce more than a heap holds, or walks without end, to one zip file.

Usage: bombs.py ../resources/io/millrace/cli/bombs.zip, with numpy, pyarrow and h5py. BombsE2E reads the files.
"""

import gzip
import io
import os
import struct
import sys
import tempfile
import zipfile
import zlib

import h5py
import numpy as np
import pyarrow as pa

BIG = 600 << 20
NO_ADDRESS = b"\xff" * 8


# Parquet: the footers and page headers in Thrift's compact protocol.
def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def record(*fields):
    out, last = b"", 0
    for number, kind, value in fields:
        out += bytes([number - last << 4 | kind]) + value
        last = number
    return out + b"\0"


def i32(number, n):
    return number, 5, varint(2 * n)


def i64(number, n):
    return number, 6, varint(2 * n)


def text(number, s):
    return number, 8, varint(len(s)) + s.encode()


def struct_of(number, content):
    return number, 12, content


def list_of(number, kind, items):
    return number, 9, bytes([0xF0 | kind]) + varint(len(items)) + b"".join(items)


REQUIRED, OPTIONAL, REPEATED = 0, 1, 2
INT32, BYTES = 1, 6
UNCOMPRESSED, SNAPPY, GZIP, ZSTD = 0, 1, 2, 6
FLAT = [record(text(4, "s"), i32(5, 1)), record(i32(1, BYTES), i32(3, REQUIRED), text(4, "image"))]
LISTS = [
    record(text(4, "s"), i32(5, 1)),
    record(i32(3, OPTIONAL), text(4, "image"), i32(5, 1), i32(6, 3)),
    record(i32(3, REPEATED), text(4, "list"), i32(5, 1)),
    record(i32(1, INT32), i32(3, REQUIRED), text(4, "element")),
]


def parquet(pages, rows, codec, schema=FLAT, path=("image",), kind=BYTES, dictionary=0):
    names = list_of(3, 8, [varint(len(p)) + p.encode() for p in path])
    column = [i32(1, kind), list_of(2, 5, [varint(0)]), names, i32(4, codec), i64(5, rows), i64(6, 100)]
    column += [i64(7, len(pages)), i64(9, 4 + dictionary)] + ([i64(11, 4)] if dictionary else [])
    group = record(list_of(1, 12, [record(i64(2, 4), struct_of(3, record(*column)))]), i64(2, 100), i64(3, rows))
    footer = record(i32(1, 1), list_of(2, 12, schema), i64(3, rows), list_of(4, 12, [group]))
    return b"PAR1" + pages + footer + struct.pack("<I", len(footer)) + b"PAR1"


def data_page(stored, length, values, encoding=0):
    header = record(i32(1, values), i32(2, encoding), i32(3, 3), i32(4, 3))
    return record(i32(1, 0), i32(2, length), i32(3, len(stored)), struct_of(5, header)) + stored


def parquet_bombs():
    one = struct.pack("<I", BIG) + bytes(BIG)
    zstd = pa.Codec("zstd", 19).compress(one, asbytes=True)
    yield "zstd.parquet", parquet(data_page(zstd, len(one), 1), 1, ZSTD)
    yield "gzip.parquet", parquet(data_page(gzip.compress(one, 9, mtime=0), len(one), 1), 1, GZIP)
    lie = varint(90 << 20) + bytes(700_000)
    yield "snappy.parquet", parquet(data_page(lie, 90 << 20, 1), 1, SNAPPY)
    header = record(i32(1, 1), i32(2, 0))
    words = record(i32(1, 2), i32(2, len(one)), i32(3, len(zstd)), struct_of(7, header)) + zstd
    pages = words + data_page(b"\x01\x02\x00", 3, 1, encoding=8)
    yield "dictionary.parquet", parquet(pages, 1, ZSTD, dictionary=len(words))
    nested = b"\x1c" * 1_000_000
    yield "nested.parquet", b"PAR1" + nested + struct.pack("<I", len(nested)) + b"PAR1"
    most = 2**31 - 1
    levels = struct.pack("<I", 6) + varint(2 * most) + b"\0"
    page = data_page(levels * 2, 20, most)
    path = ("image", "list", "element")
    yield "lists.parquet", parquet(page * 500, most * 500, UNCOMPRESSED, LISTS, path, INT32)


# Arrow
def arrow(table, codec):
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=codec)
    with pa.ipc.new_file(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue()


def arrow_bombs():
    value = pa.table({"image": pa.array([bytes(BIG)], pa.large_binary())})
    yield "zstd.arrow", arrow(value, "zstd")
    yield "lz4.arrow", arrow(value, "lz4")
    yield "numbers.arrow", arrow(pa.table({"image": pa.array(np.zeros(BIG // 8, np.int64))}), "zstd")


# HDF5
def hdf5(fill, labels=(1,)):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.h5")
        with h5py.File(path, "w") as file:
            fill(file)
            file.create_dataset("label", labels, "u1")
        with open(path, "rb") as file:
            return file.read()


def deflated_twice(file):
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk((1, BIG))
    properties.set_deflate(9)
    properties.set_deflate(9)
    space = h5py.h5s.create_simple((1, BIG))
    data = h5py.h5d.create(file.id, b"image", h5py.h5t.STD_U8LE, space, properties)
    data.write_direct_chunk((0, 0), zlib.compress(zlib.compress(bytes(BIG), 9), 9))


def superblock(size):
    head = b"\x89HDF\r\n\x1a\n" + bytes([0, 0, 0, 0, 0, 8, 8, 0]) + struct.pack("<HHI", 4, 16, 0)
    return head + struct.pack("<Q", 0) + NO_ADDRESS + struct.pack("<Q", size) + NO_ADDRESS + struct.pack("<QQ", 0, 96) + bytes(24)


def object_header(kind, content):
    message = struct.pack("<HHB3x", kind, len(content), 0) + content
    return struct.pack("<BxHII4x", 1, 65535, 1, len(message)) + message


def overlapping_blocks():
    """The header's blocks all end with the file, so that together they are a thousand times as long as it."""
    piece, blocks, pieces = 1 << 16, 2000, 16
    start = 96 + 16 + 24 + 8
    size = start + piece * pieces
    body = bytearray(piece * pieces)
    for i in range(blocks):
        at = start + 32 * (i + 1)
        struct.pack_into("<HHB3xQQ", body, 32 * i, 0x10, 16, 0, at, size - at)
        struct.pack_into("<HHB3x", body, 32 * i + 24, 0, piece - 32, 0)
        for k in range(1, pieces):
            struct.pack_into("<HHB3x", body, piece * k + 32 * i, 0, piece - 8, 0)
    header = object_header(0x10, struct.pack("<QQ", start, size - start))
    return superblock(size) + header.ljust(start - 96, b"\0") + bytes(body)


def nodes_again():
    """A group's tree, whose nodes have 65,535 times the same child."""
    heap, empty, leaf, root = 200, 300, 400, 400 + 24 + 16 * 65535
    size = root + 24 + 16 * 65535
    file = bytearray(size)
    start = superblock(size) + object_header(0x11, struct.pack("<QQ", root, heap))
    file[: len(start)] = start
    struct.pack_into("<4sB3xQQQ", file, heap, b"HEAP", 0, 8, 0, heap + 40)
    struct.pack_into("<4sBxH", file, empty, b"SNOD", 1, 0)
    for at, level, child in ((leaf, 0, empty), (root, 1, leaf)):
        struct.pack_into("<4sBBH", file, at, b"TREE", 0, level, 65535)
        file[at + 8 : at + 24] = NO_ADDRESS * 2
        file[at + 24 : at + 24 + 16 * 65535] = struct.pack("<QQ", 0, child) * 65535
    return bytes(file)


def hdf5_bombs():
    letters = h5py.string_dtype("ascii", (1 << 30) - 1)
    yield "text.h5", hdf5(lambda file: file.create_dataset("image", (1,), letters))
    yield "rows.h5", hdf5(lambda file: file.create_dataset("image", (1, 1 << 15, 1 << 15), "u1"))
    yield "samples.h5", hdf5(lambda file: file.create_dataset("image", (1 << 62, 8, 8), "u1"), (1 << 62,))
    yield "chunk.h5", hdf5(deflated_twice)
    yield "header.h5", overlapping_blocks()
    yield "links.h5", nodes_again()


# tar and TFRecord
def padded(content):
    return content + bytes(-len(content) % 512)


def member(name, size, kind=b"0"):
    block = bytearray(512)
    block[: len(name)] = name
    block[100:108] = b"0000644\0"
    block[124:136] = b"%011o\0" % size if size < 8**11 else b"\x80" + size.to_bytes(11, "big")
    block[156:157] = kind
    block[257:265] = b"ustar\x0000"
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def whole(name, content, kind=b"0"):
    return member(name, len(content), kind) + padded(content)


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return (crc >> 15 | crc << 17) + 0xA282EAD8 & 0xFFFFFFFF


def shard_bombs():
    label = whole(b"a.cls", b"1")
    yield "member.tar", member(b"a.jpg", BIG)
    yield "name.tar", member(b"././@LongLink", 1 << 33, b"L")
    records = b"".join(b"14 %06d=abc\n" % i for i in range(60_000))
    records = whole(b"pax", records, b"g")
    yield "records.tar", records + whole(b"a.txt", b"1") * 20_000 + label
    yield "deep.tar", whole(b"a.json", b"[" * 100_000 + b"]" * 100_000) + label
    yield "wide.tar", whole(b"a.json", b"[" + b"[]," * 8_000_000 + b"[]]") + label
    length = struct.pack("<Q", BIG)
    yield "record.tfrecord", length + struct.pack("<I", masked_crc(length))


# LMDB: pages of 256 bytes.
def tree(entries, pages, leaf_keys):
    def page(number, flags, offsets):
        block = bytearray(256)
        struct.pack_into("<QHHHH", block, 0, number, 0, flags, 16 + 2 * len(offsets), 240)
        struct.pack_into("<%dH" % len(offsets), block, 16, *offsets)
        return block

    def branch(number):
        block = page(number, 1, [248] * 100)
        struct.pack_into("<I", block, 248, number + 1)
        return bytes(block)

    meta = bytearray(256)
    struct.pack_into("<QHHHH", meta, 0, 0, 0, 8, 0, 0)
    struct.pack_into("<IIQQIHHQQQQ", meta, 16, 0xBEEFC0DE, 1, 0, 1 << 30, 256, 0, 0, 0, 0, 0, 0)
    struct.pack_into("<Q", meta, 80, 2**64 - 1)
    struct.pack_into("<IHHQQQQQ", meta, 88, 0, 0, 3, 1, 1, 0, entries, 2)
    struct.pack_into("<QQ", meta, 136, pages - 1, 1)
    return bytes(meta) * 2 + b"".join(branch(i) for i in range(2, 22)) + bytes(page(22, 2, [248] * leaf_keys))


def other_bombs():
    yield "walk/data.mdb", tree(0, 23, 0)
    yield "keys/data.mdb", tree(1 << 50, 1 << 40, 1)
    images = struct.pack(">IIII", 0x0803, 300, 1024, 1024)
    yield "idx/train-images-idx3-ubyte.gz", gzip.compress(images + bytes(300 << 20), 9, mtime=0)
    yield "idx/train-labels-idx1-ubyte", struct.pack(">II", 0x0801, 300) + bytes(300)
    yield "long/train-images-idx3-ubyte.gz", gzip.compress(struct.pack(">IIII", 0x0803, 1, 8, 8) + bytes(300 << 20), 9, mtime=0)
    yield "long/train-labels-idx1-ubyte", struct.pack(">II", 0x0801, 1) + bytes(1)
    head = "{'descr': '|u1', 'fortran_order': False, 'shape': (100000000000000000, 4), }"
    head = head.ljust(117) + "\n"
    npy = b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + head.encode()
    yield "npy/images.npy", npy
    deep = b"[" * 100_000
    yield "manifest/a.tar", whole(b"a.txt", b"x")
    yield "manifest/manifest.json", deep
    yield "saved/state.json", deep
    rows = zlib.compress(bytes(8000 * 7901), 9)
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", 7900, 8000, 8, 0, 0, 0, 0)), (b"IDAT", rows), (b"IEND", b"")]
    png = b"".join(struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d)) for t, d in chunks)
    yield "pixels/a/1.png", b"\x89PNG\r\n\x1a\n" + png
    yield "zeros/a/1.jpg", b"\xff\xd8\xff"
    yield "csv/labels.csv", b"file,label\n"
    yield "commas/labels.csv", b"file,label\n" + b"," * 30_000_000
    yield "deep.yaml", b"name: " + b"[" * 100_000
    letters = "abcdefghijkl"
    lines = ["%s: &%s [%s]" % (b, b, ", ".join(["*" + a] * 9)) for a, b in zip(letters, letters[1:])]
    yield "laughs.yaml", "\n".join(["a: &a [x, x, x, x, x, x, x, x, x]"] + lines).encode()


# COCO's annotations, each in the folder of its pictures
def coco(*annotations, size=9, points=b'"a"'):
    image = b'{"id": 1, "file_name": "a.png", "height": %d, "width": %d}' % (size, size)
    category = b'{"id": 1, "name": "a", "keypoints": [' + points + b"]}"
    parts = [b'{"images": [', image, b'], "categories": [', category, b'], "annotations": [', *annotations, b"]}"]
    return gzip.compress(b"".join(parts), 9, mtime=0)


def annotation(number, more):
    return b'{"id": %d, "image_id": 1, "category_id": 1, "bbox": [1, 1, 2, 2], ' % number + more + b"}"


def coco_bombs():
    row = b'{"image_id":1,"category_id":1},'
    yield "coco-many/a.json", coco(row * 3_000_000 + row[:-1])
    yield "coco-deep/a.json", b'{"x": ' + b"[" * 100_000
    runs = b'"segmentation": {"size": [9, 9], "counts": "' + b"0" * (30 << 20) + b'"}'
    yield "coco-runs/a.json", coco(annotation(1, runs))
    yield "coco-numbers/a.json", coco(annotation(1, b'"segmentation": [[' + b"0," * 10_000_000 + b"0]]"))
    zigzag = b"0,0,1048576,9," * 500_000 + b"0,0"
    yield "coco-polygon/a.json", coco(annotation(1, b'"segmentation": [[' + zigzag + b"]]"))
    polygons = b"[0,0,9,0,9,9]," * 1_000_000 + b"[0,0,9,0,9,9]"
    yield "coco-polygons/a.json", coco(annotation(1, b'"segmentation": [' + polygons + b"]"))
    yield "coco-size/a.json", coco(annotation(1, b'"segmentation": [[1, 1, 3, 1, 3, 3]]'), size=10**9)
    points = annotation(1, b'"keypoints": [0' + b",0" * (3 * 1_000_000 - 1) + b"]")
    others = b"".join(b"," + annotation(i, b'"area": 1') for i in range(2, 41))
    yield "coco-points/a.json", coco(points + others)
    yield "coco-names/a.json", coco(points=b'"a",' * 3_000_000 + b'"a"')


def csv_bombs():
    yield "row.csv", b"a,b\n1,"
    yield "quoted.csv", b'a,b\n1,"'
    yield "columns.csv", b"c," * 1_000_000 + b"c\n"
    yield "zeros.csv.gz", gzip.compress(b"a,b\n" + bytes(300 << 20), 9, mtime=0)


def text_bombs():
    zeros = bytes(300 << 20)
    yield "document.txt.gz", gzip.compress(zeros, 9, mtime=0)
    yield "document.txt.zst", pa.compress(zeros, codec="zstd", asbytes=True)
    yield "line.txt.gz", gzip.compress(b"one\n" + zeros, 9, mtime=0)
    yield "long.txt", b"one\n"
    yield "line.jsonl", b'{"text": "a"}\n{"text": "'
    yield "line.jsonl.zst", pa.compress(b'{"text": "a"}\n{"text": "' + zeros, codec="zstd", asbytes=True)
    yield "deep.jsonl", b'{"text": "a", "x": 1}\n{"text": "b", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"


def main(path):
    groups = (parquet_bombs, arrow_bombs, hdf5_bombs, shard_bombs, other_bombs, coco_bombs, csv_bombs, text_bombs)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for bombs in groups:
            for name, content in bombs():
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, 9)


main(sys.argv[1])

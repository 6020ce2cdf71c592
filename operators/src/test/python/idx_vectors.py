"""Writes the IDX files that IdxDatasetTest reads: python idx_vectors.py ../resources/io/millrace/dataset/idx

Images are (i * 31 + row * 7 + column * 3 + channel * 11) % 256, labels (i * 3) % 10, so that the test can tell every byte.
"""

import gzip
import pathlib
import struct
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])


def idx(array, code):
    """The bytes of an IDX file: big-endian, as Yann LeCun's page describes the format."""
    header = struct.pack(">BBBB", 0, 0, code, array.ndim) + struct.pack(f">{array.ndim}i", *array.shape)
    return header + array.astype(array.dtype.newbyteorder(">")).tobytes()


def images(count, height, width, channels):
    i, y, x, c = np.indices((count, height, width, channels))
    return ((i * 31 + y * 7 + x * 3 + c * 11) % 256).astype(np.uint8)


def labels(count):
    return (np.arange(count) * 3 % 10).astype(np.uint8)


(folder / "train-images-idx3-ubyte").write_bytes(idx(images(12, 5, 4, 1)[..., 0], 0x08))
(folder / "train-labels-idx1-ubyte").write_bytes(idx(labels(12), 0x08))
(folder / "t10k-images.idx3-ubyte.gz").write_bytes(gzip.compress(idx(images(6, 5, 4, 1)[..., 0], 0x08), mtime=0))
(folder / "t10k-labels.idx1-ubyte.gz").write_bytes(gzip.compress(idx(labels(6), 0x08), mtime=0))
(folder / "colour-images-idx4-ubyte").write_bytes(idx(images(3, 2, 4, 3), 0x08))
(folder / "colour-labels-idx1-int").write_bytes(idx(np.array([7, 0, 300], np.int32), 0x0C))

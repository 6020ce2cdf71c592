"""Writes floats and torch's conversions of them to 16 bits: resources/io/millrace/sample/wire-floats.bin.

Records of 8 bytes, little-endian: float32, its float16, its bfloat16. Besides random bits of every exponent, the file has all
floats near which the rounded result changes: the halves and bfloat16s themselves, the midpoints between two, and their neighbours.

Run in this folder: python wire_vectors.py (written with torch 2.13.0)
"""
import pathlib

import numpy as np
import torch

OUT = pathlib.Path("../resources/io/millrace/sample")


def around(values):
    bits = values.view(np.uint32)
    return np.concatenate([bits - 1, bits, bits + 1])


def halves(random):
    some = np.unique(np.concatenate([
        np.array([0, 1, 2, 3, 0x3FE, 0x3FF, 0x400, 0x401, 0x7BFE, 0x7BFF, 0x7C00, 0x8000, 0x8001, 0xFBFF, 0xFC00]),
        random.integers(1, 0x7BFF, 150)])).astype(np.uint16)
    exact = some.view(np.float16).astype(np.float32)
    finite = some[(some & 0x7FFF) < 0x7BFF]
    above = (finite + 1).view(np.float16).astype(np.float64)
    middles = ((finite.view(np.float16).astype(np.float64) + above) / 2).astype(np.float32)
    return np.concatenate([around(exact), around(middles), around(np.array([65519.996, 65520, 65536], np.float32))])


def brains(random):
    some = np.concatenate([np.array([0, 1, 0x7F, 0x80, 0x7F7E, 0x7F7F, 0x8001, 0xFF7F]), random.integers(1, 0x7F7F, 150)])
    upper = some.astype(np.uint32) << 16
    return np.concatenate([np.concatenate([upper + low for low in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF)])])


def main():
    random = np.random.default_rng(6)
    exponents = (random.integers(0, 256, 1000, dtype=np.uint32) << 23) | random.integers(0, 1 << 23, 1000, dtype=np.uint32)
    signs = random.integers(0, 2, 1000, dtype=np.uint32) << 31
    special = np.array([0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001, 0x7FFFFFFF, 0x80000000], np.uint32)
    bits = np.concatenate([halves(random), brains(random), exponents | signs, special]).astype(np.uint32)
    floats = torch.from_numpy(bits.view(np.float32).copy())
    records = np.zeros(len(bits), [("float32", "<u4"), ("float16", "<u2"), ("bfloat16", "<u2")])
    records["float32"] = bits
    records["float16"] = floats.to(torch.float16).view(torch.int16).numpy().view(np.uint16)
    records["bfloat16"] = floats.to(torch.bfloat16).view(torch.int16).numpy().view(np.uint16)
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "wire-floats.bin").write_bytes(records.tobytes())
    print(len(records), "records with torch", torch.__version__)


main()

"""Makes vectors/npy: files as numpy.save writes them. Made with numpy 2; run from the repository's root."""

import pathlib

import numpy

FOLDER = pathlib.Path("operators/src/test/resources/vectors/npy")
FOLDER.mkdir(parents=True, exist_ok=True)
numpy.save(FOLDER / "uint8-2x3x1.npy", numpy.arange(250, 256, dtype=numpy.uint8).reshape(2, 3, 1))
numpy.save(FOLDER / "uint8-5.npy", numpy.arange(5, dtype=numpy.uint8))
numpy.save(FOLDER / "float32-3x2x2.npy", (numpy.arange(12, dtype=numpy.float32) / 4 - 1).reshape(3, 2, 2))
print("numpy", numpy.__version__)

"""Makes vectors/dataset/tokens: documents of token ids in the files of Megatron-LM, nanoGPT and llm.c, written with numpy from the
layouts of these formats, and the documents as text. Made with numpy 2; run from the repository's root."""

import json
import pathlib
import struct

import numpy

FOLDER = pathlib.Path("operators/src/test/resources/vectors/dataset/tokens")
FOLDER.mkdir(parents=True, exist_ok=True)
END = 50256

# Megatron: each document is a list of sequences.
DOCUMENTS = [[[1, 2, 3]], [[4], [5, 6]], [[40000, 0]], [[7] * 130]]
CODES = {"uint8": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "float64": 6, "uint16": 8}


def megatron(name, dtype, documents, ends=True, modes=False):
    sequences = [sequence for document in documents for sequence in document]
    lengths = numpy.array([len(sequence) for sequence in sequences], "<i4")
    width = numpy.dtype(dtype).itemsize
    offsets = numpy.zeros(len(sequences), "<i8")
    offsets[1:] = numpy.cumsum(lengths.astype("<i8"))[:-1] * width
    bounds = numpy.cumsum([0] + ([len(document) for document in documents] if ends else [])).astype("<i8")
    with open(FOLDER / f"{name}.idx", "wb") as index:
        index.write(b"MMIDIDX\x00\x00")
        index.write(struct.pack("<QBQQ", 1, CODES[dtype], len(sequences), len(bounds)))
        index.write(lengths.tobytes() + offsets.tobytes() + bounds.tobytes())
        if modes:
            index.write(bytes(len(sequences)))
    ids = [identifier for sequence in sequences for identifier in sequence]
    numpy.array(ids, numpy.dtype(dtype).newbyteorder("<")).tofile(FOLDER / f"{name}.bin")


megatron("megatron-uint16", "uint16", DOCUMENTS)
megatron("megatron-int32", "int32", DOCUMENTS)
megatron("megatron-int64", "int64", DOCUMENTS)
megatron("megatron-uint8", "uint8", [[[1, 2, 250]], [[4], [5, 6]]])
megatron("megatron-no-documents", "uint16", DOCUMENTS, ends=False)
megatron("megatron-modes", "uint16", DOCUMENTS, modes=True)
megatron("megatron-floats", "float64", DOCUMENTS)
megatron("megatron-bad", "int64", [[[1, 2]], [[]], [[3, -1]], [[2**31]], [[2**31 - 1]]])

# Arrays: a document is a list of ids.
TEXTS = [[1, 2, 3], [4], [5, 6], [8] * 300]
(FOLDER / "documents.json").write_text(
    json.dumps({"megatron": [sum(document, []) for document in DOCUMENTS], "arrays": TEXTS}) + "\n"
)
ending = [identifier for text in TEXTS for identifier in [*text, END]]
beginning = [identifier for text in TEXTS for identifier in [END, *text]]
numpy.array(ending, "<u2").tofile(FOLDER / "nanogpt.bin")
numpy.array(ending, "<u4").tofile(FOLDER / "uint32.bin")
numpy.save(FOLDER / "start-u2.npy", numpy.array(beginning, "<u2"))
numpy.save(FOLDER / "start-u4.npy", numpy.array(beginning, "<u4"))
numpy.save(FOLDER / "start-i4.npy", numpy.array(beginning, "<i4"))
numpy.save(FOLDER / "big-u2.npy", numpy.array(beginning, ">u2"))
numpy.save(FOLDER / "floats.npy", numpy.array(beginning, "<f4"))
numpy.save(FOLDER / "rows.npy", numpy.array(beginning, "<u2").reshape(2, -1))
for name, magic, version, dtype in (("gpt-2", 20240520, 1, "<u2"), ("llama-3", 20240801, 7, "<u4")):
    header = numpy.zeros(256, "<i4")
    header[:3] = magic, version, len(beginning)
    (FOLDER / f"llm-c-{name}.bin").write_bytes(header.tobytes() + numpy.array(beginning, dtype).tobytes())
print("numpy", numpy.__version__)

"""Writes the HDF5 files of operators/src/test/resources/vectors/dataset/hdf5/kinds with h5py, and kinds.json: for each
dataset the rows as h5py reads them, or null when Millrace refuses it. Made with h5py 3.16.0 and HDF5 2.0.0.

    python operators/src/test/python/hdf5_kinds_vectors.py
"""

import json
import pathlib
import zlib

import h5py
import numpy as np
from h5py import h5d, h5f, h5p, h5s, h5t

OUT = pathlib.Path(__file__).parent.parent / "resources/vectors/dataset/hdf5/kinds"
OUT.mkdir(parents=True, exist_ok=True)
kinds = []


def open_file(name, libver="earliest", **options):
    return h5py.File(OUT / f"{name}.h5", "w", libver=libver, **options)


def record(name, refused=()):
    """Records what h5py reads from each dataset of the file."""

    def visit(path, entry):
        if isinstance(entry, h5py.Dataset):
            rows = None if path in refused else entry[:]
            kinds.append({"file": name, "dataset": path, "rows": plain(rows)})

    with h5py.File(OUT / f"{name}.h5") as file:
        file.visititems(visit)


def plain(rows):
    if rows is None:
        return None
    if rows.dtype.kind in "SO":
        return [row.decode() if isinstance(row, bytes) else row.tolist() for row in rows]
    # As text, because JSON has no integers beyond 2^53 for some readers.
    return [[str(number) for number in np.ravel(row).tolist()] for row in rows]


def low(file, name, type_id, extents, values, memory, space=None, plist=None):
    """Writes a dataset of a type that NumPy does not have."""
    data = h5d.create(file.id, name.encode(), type_id, space or h5s.create_simple(extents), plist)
    if values is not None:
        data.write(h5s.ALL, h5s.ALL, values, memory)


# The indexes of chunks. The large fixed array has pages, and the extensible ones have blocks and super blocks.
for libver in ("earliest", "v110", "latest"):
    with open_file(f"indexes-{libver}", libver) as file:
        for compression in (None, "gzip"):
            suffix = "" if compression is None else "-gzip"
            values = np.arange(35, dtype="<i2").reshape(7, 5)
            wide = np.arange(90, dtype="<u2").reshape(6, 15)
            options = {"compression": compression}
            file.create_dataset("single" + suffix, data=values, chunks=(7, 5), **options)
            file.create_dataset("fixed" + suffix, data=values, chunks=(3, 2), maxshape=(8, 9), **options)
            file.create_dataset("extensible" + suffix, data=values, chunks=(3, 2), maxshape=(None, 9), **options)
            file.create_dataset("inner" + suffix, data=wide, chunks=(2, 1), maxshape=(9, None), **options)
            file.create_dataset("tree" + suffix, data=values, chunks=(3, 2), maxshape=(None, None), **options)
        file.create_dataset("fletcher", data=values, chunks=(3, 2), fletcher32=True, shuffle=True)
        file.create_dataset("lzf", data=np.zeros((9, 40), "<i4"), chunks=(4, 40), compression="lzf", shuffle=True)
        noise = np.random.default_rng(1).integers(0, 256, (3, 40), dtype=np.uint8)
        # LZF does not make noise smaller, so that these chunks are stored without the filter.
        file.create_dataset("lzf-noise", data=noise, chunks=(1, 40), compression="lzf")
        if libver == "v110":
            plist = h5p.create(h5p.DATASET_CREATE)
            plist.set_chunk((3, 2))
            plist.set_alloc_time(h5d.ALLOC_TIME_EARLY)
            low(file, "implicit", h5t.STD_I16BE, (7, 5), values, h5t.NATIVE_INT16, plist=plist)
            # Written here and there, so that pages and blocks are missing.
            for name, limit in (("fixed-pages", 2100), ("extensible-blocks", None)):
                sparse = file.create_dataset(name, (2100,), "u1", chunks=(1,), maxshape=(limit,), fillvalue=9)
                for row in (0, 3, 4, 19, 20, 70, 300, 1023, 2099):
                    sparse[row] = row % 200
    record(f"indexes-{libver}")

# Chunks that skip some of the filters.
with open_file("masks") as file:
    values = np.arange(12, dtype="<f4").reshape(6, 2) / 4
    data = file.create_dataset("masks", data=values, chunks=(2, 2), compression="gzip", shuffle=True)
    data.id.write_direct_chunk((0, 0), values[:2].tobytes(), filter_mask=3)
    data.id.write_direct_chunk((2, 0), zlib.compress(values[2:4].tobytes()), filter_mask=1)
record("masks")

# Types of numbers and text.
with open_file("types") as file:
    for order in "<>":
        suffix = "-little" if order == "<" else "-big"
        for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"):
            limits = np.finfo(kind) if kind[0] == "f" else np.iinfo(kind)
            numbers = [limits.min, 0, limits.max if kind != "u8" else 2**63 - 1]
            file.create_dataset(kind + suffix, data=np.array(numbers, order + kind))
        bits = (h5t.STD_I16LE if order == "<" else h5t.STD_I16BE).copy()
        bits.set_precision(12)
        bits.set_offset(3)
        low(file, "signed-12" + suffix, bits, (4,), np.array([-2048, -1, 5, 2047], "<i2"), h5t.NATIVE_INT16)
        bits = (h5t.STD_U32LE if order == "<" else h5t.STD_U32BE).copy()
        bits.set_precision(20)
        bits.set_offset(12)
        low(file, "unsigned-20" + suffix, bits, (3,), np.array([0, 7, 2**20 - 1], "<u4"), h5t.NATIVE_UINT32)
    brain = h5t.IEEE_F32LE.copy()
    brain.set_fields(15, 7, 8, 0, 7)
    brain.set_precision(16)
    brain.set_size(2)
    low(file, "bfloat16", brain, (4,), np.array([1, -2.5, 3e38, 0], "<f4"), h5t.NATIVE_FLOAT)
    small = h5t.IEEE_F16LE.copy()
    small.set_fields(7, 3, 4, 0, 3)
    small.set_precision(8)
    small.set_size(1)
    small.set_ebias(7)
    low(file, "float8", small, (2,), np.array([1, 2], "<f4"), h5t.NATIVE_FLOAT)
    odd = h5t.IEEE_F32LE.copy()
    odd.set_ebias(126)
    low(file, "bias", odd, (2,), np.array([1, 2], "<f4"), h5t.NATIVE_FLOAT)
    low(file, "arrays", h5t.array_create(h5t.STD_I32BE, (3, 2)), (2,), np.arange(12, dtype="<i4").reshape(2, 3, 2),
        h5t.array_create(h5t.NATIVE_INT32, (3, 2)))
    file.create_dataset("bool", data=np.array([True, False, True]))
    file.create_dataset("enum", data=[2, 1], dtype=h5py.enum_dtype({"A": 1, "B": 2}, "i2"))
    low(file, "bits", h5t.STD_B8LE, (2,), np.array([3, 250], "u1"), h5t.STD_B8LE)
    for name, padding in (("terminated", h5t.STR_NULLTERM), ("zeros", h5t.STR_NULLPAD), ("spaces", h5t.STR_SPACEPAD)):
        text = h5t.C_S1.copy()
        text.set_size(6)
        text.set_strpad(padding)
        low(file, name, text, (3,), np.array([b"ab ", b" c", b"d"], "S6"), h5t.py_create(np.dtype("S6")))
    file.create_dataset("texts", data=["", "zwölf", "a b "], dtype=h5py.string_dtype())
    file.create_dataset("lists", data=np.array([np.array([1, 2], "<u4"), np.array([2**32 - 1], "<u4")], object),
                        dtype=h5py.vlen_dtype(np.dtype("<u4")))
    file.create_dataset("opaque", data=np.zeros(3, "V7"))
    file.create_dataset("compound", data=np.zeros(3, [("a", "i4"), ("b", "f8")]))
    file["named"] = np.dtype("<f4")
    file.create_dataset("of-named-type", data=[1.5, 2.5], dtype=file["named"])
record("types", refused=("float8", "bias", "opaque", "compound"))
with open_file("unsigned") as file:
    file["large"] = np.array([1, 2**63, 2**63 - 1, 2**64 - 1], "<u8")

# Values in the header, values that were never written, and values elsewhere.
with open_file("layouts") as file:
    plist = h5p.create(h5p.DATASET_CREATE)
    plist.set_layout(h5d.COMPACT)
    low(file, "compact", h5t.STD_I16BE, (3, 2), np.arange(6, dtype="<i2").reshape(3, 2), h5t.NATIVE_INT16, plist=plist)
    file.create_dataset("unwritten", (3, 2), "<i4")
    file.create_dataset("unwritten-filled", (3, 2), ">i4", fillvalue=-7)
    file.create_dataset("unwritten-chunks", (3, 2), ">f4", chunks=(2, 1), fillvalue=1.5)
    file.create_dataset("half-written", (5, 2), "<u2", chunks=(2, 2), fillvalue=500)[3] = [1, 2]
    file.create_dataset("unwritten-texts", (2,), h5py.string_dtype())
    plist = h5p.create(h5p.DATASET_CREATE)
    plist.set_fill_value(np.array(5, "<i4"))
    plist.set_fill_time(h5d.FILL_TIME_NEVER)
    low(file, "never-filled", h5t.STD_I32LE, (2,), None, None, plist=plist)
    file.create_dataset("scaled", data=np.arange(6), chunks=(3,), scaleoffset=4)
    file.create_dataset("external", (2,), "<i4", external=[("values.raw", 0, 8)])
    file.create_dataset("null", data=h5py.Empty("f4"))
    file.create_dataset("scalar", data=3)
record("layouts", refused=("scaled", "external", "null", "scalar"))

# Links, and datasets of all kinds beside those that are read. A user block precedes the file.
for libver in ("earliest", "latest"):
    with open_file(f"links-{libver}", libver, userblock_size=512) as file:
        file["group/values"] = np.arange(4)
        file["soft"] = h5py.SoftLink("/group/values")
        file["group/relative"] = h5py.SoftLink("values")
        file["group/again"] = h5py.SoftLink("/soft")
        file["hard"] = file["group/values"]
        file["folder"] = h5py.SoftLink("group")
        file["circle"] = h5py.SoftLink("/circle")
        file["broken"] = h5py.SoftLink("/nothing")
        file["outside"] = h5py.ExternalLink("other.h5", "/values")
        layout = h5py.VirtualLayout((6,), "i8")
        layout[:] = h5py.VirtualSource("other.h5", "d", (6,))
        if libver == "latest":
            file.create_virtual_dataset("virtual", layout)
        file.create_dataset("region", data=[file["hard"].regionref[:2]], dtype=h5py.regionref_dtype)
        file.create_dataset("opaque", data=np.zeros(3, "V7"))
        file["hard"].attrs["region"] = file["hard"].regionref[:2]
        for number in range(12 if libver == "latest" else 40):
            file.create_dataset(f"many/value-{number:02d}", data=[number])
    with open(OUT / f"links-{libver}.h5", "r+b") as file:
        file.write(b"A user block can hold any bytes.")
    for path in ("group/values", "soft", "group/relative", "group/again", "hard", "folder/values", "many/value-07"):
        with h5py.File(OUT / f"links-{libver}.h5") as file:
            kinds.append({"file": f"links-{libver}", "dataset": path, "rows": plain(file[path][:])})

(OUT / "kinds.json").write_text("[\n" + ",\n".join(json.dumps(kind) for kind in kinds) + "\n]\n")

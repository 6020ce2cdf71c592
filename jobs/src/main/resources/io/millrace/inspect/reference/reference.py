"""Reads files with the libraries that Millrace is compared with, for `millrace inspect --compare-with`.

Each line of standard input names a file: {"kind": "parquet", "file": "..."}. Each answer ends with a line {"end": ...}, whose value is
null, or the reason why the whole file is refused, or {"missing": library}. Before it, each column is a line {"column": name, "keyed":
whether its rows have keys}, and then a line for each row:

    {"refused": reason}                        the value cannot be read
    {"kind": "bytes", "sha256": ...}           bytes or text, as they are; with "pixels" if Pillow opens them as an image
    {"kind": "integers", "shape": ..., ...}    the digest of the numbers as int64, or uint64 for those above
    {"kind": "floats", "shape": ..., ...}      the digest of the numbers as float64, with one pattern for NaN
    {"kind": "pixels", "shape": ..., ...}      the digest of Image.open(file).convert("RGB").tobytes()
"""
import hashlib
import importlib
import io
import json
import os
import sys
import warnings

warnings.simplefilter("ignore")
answers = os.fdopen(os.dup(1), "w", buffering=1 << 16)
os.dup2(2, 1)  # a library that prints does not disturb the answers

BLOCK = 256
WHOLE_NUMBERS = ("cls", "cls2", "class", "count", "index", "inx", "id")


def library(name):
    try:
        return importlib.import_module(name)
    except Exception as e:
        raise Missing(name) from e


class Missing(Exception):
    pass


def answer(line):
    answers.write(json.dumps(line) + "\n")


def reason(e):
    return f"{type(e).__name__}: {e}"[:300]


def digest(data):
    return hashlib.sha256(data).hexdigest()


def guarded(read):
    try:
        return read()
    except Missing:
        raise
    except Exception as e:
        return {"refused": reason(e)}


# ---- Values ----


def pixels(data):
    image = library("PIL.Image").open(io.BytesIO(data))
    rgb = image.convert("RGB")
    return {"kind": "pixels", "shape": [rgb.height, rgb.width, 3], "sha256": digest(rgb.tobytes())}


def raw(data):
    found = {"kind": "bytes", "sha256": digest(data)}
    try:
        library("PIL.Image").open(io.BytesIO(data))
    except Exception:
        return found  # no image, or Pillow is missing
    found["pixels"] = guarded(lambda: pixels(data))
    return found


def numbers(array):
    np = library("numpy")
    if array.dtype.kind == "b":
        array = array.astype("<i8")
    if array.dtype.kind in "iu":
        # The bits of uint64 and int64 are compared, and the name tells them apart where they differ.
        kind = "integers"
        if array.dtype.kind == "u" and array.size and int(array.max()) >= 1 << 63:
            kind, array = "large integers", array.astype("<u8")
        array = array.astype("<i8", copy=False) if kind == "integers" else array
    elif array.dtype.kind == "f" and array.dtype.itemsize <= 8:
        kind, array = "floats", array.astype("<f8")
        array = np.where(np.isnan(array), np.nan, array).astype("<f8")
    else:
        return {"refused": f"expected numbers, found {array.dtype}"}
    return {"kind": kind, "shape": list(array.shape), "sha256": digest(np.ascontiguousarray(array).tobytes())}


def value(v):
    np = library("numpy")
    if v is None:
        return {"refused": "null"}
    if isinstance(v, str):
        return raw(v.encode())
    if isinstance(v, (bytes, bytearray, memoryview)):
        return raw(bytes(v))
    if isinstance(v, dict):
        # Hugging Face's images
        return value(v.get("bytes"))
    if isinstance(v, list):
        array = np.array(v) if v else np.zeros(0, np.int64)
        return numbers(array)
    if isinstance(v, (bool, int, float, np.generic)):
        return numbers(np.asarray(v))
    if isinstance(v, np.ndarray) and v.dtype == np.uint8 and v.ndim == 1:
        return raw(v.tobytes())
    if isinstance(v, np.ndarray):
        return numbers(v)
    return {"refused": f"a {type(v).__name__}"}


def column(name, rows, keyed=False):
    answer({"column": name, "keyed": keyed})
    for row in rows:
        answer(row)


# ---- Kinds of files ----


def image(path):
    with open(path, "rb") as file:
        data = file.read()
    column("image", [guarded(lambda: pixels(data))])


def sound(path):
    def read():
        found, _ = library("soundfile").read(path, dtype="float32", always_2d=True)
        return numbers(found.T)

    column("sound", [guarded(read)])


def npy(path):
    array = library("numpy").load(path, mmap_mode="r")
    column(os.path.basename(path), (guarded(lambda i=i: value(array[i])) for i in range(len(array))))


def table(path, batches, schema):
    for field, at in leaves(schema):
        def rows(at=at):
            for batch in batches():
                found = batch.column(at[0])
                for step in at[1:]:
                    found = found.field(step)
                for i in range(len(found)):
                    yield guarded(lambda: value(cell(found[i])))

        column(field, rows())


def cell(scalar):
    pa = library("pyarrow")
    kind = scalar.type
    if scalar.as_py() is None:
        return None
    if isinstance(kind, pa.FixedShapeTensorType):
        return as_list(scalar.to_numpy())
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        items = scalar.values
        if items.null_count == 0 and (pa.types.is_integer(items.type) or pa.types.is_floating(items.type)):
            return as_list(items.to_numpy(zero_copy_only=False))
        return scalar.as_py()
    if pa.types.is_unsigned_integer(kind):
        return library("numpy").uint64(scalar.as_py())
    return scalar.as_py()


def as_list(array):
    # A list of uint8 is a list of numbers, not bytes.
    return array.astype("int64") if array.dtype == "uint8" else array


def leaves(fields, name="", at=()):
    pa = library("pyarrow")
    for i, field in enumerate(fields):
        if pa.types.is_struct(field.type) and "bytes" not in {f.name for f in field.type}:
            yield from leaves(field.type, f"{name}{field.name}.", (*at, i))
        else:
            yield name + field.name, (*at, i)


def parquet(path):
    pq = library("pyarrow.parquet")
    file = pq.ParquetFile(path)
    table(path, lambda: file.iter_batches(batch_size=BLOCK), file.schema_arrow)


def arrow(path):
    ipc = library("pyarrow.ipc")
    try:
        file = ipc.open_file(path)
        batches = [file.get_batch(i) for i in range(file.num_record_batches)]
    except library("pyarrow").ArrowInvalid:
        file = ipc.open_stream(path)
        batches = list(file)
    table(path, lambda: batches, file.schema)


def hdf5(path):
    h5py = library("h5py")
    with h5py.File(path, "r") as file:
        found = []
        file.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None)
        for name in found:
            data = file[name]
            if data.ndim > 0:
                column(name, hdf5_rows(data))


def hdf5_rows(data):
    for start in range(0, len(data), BLOCK):
        block = guarded(lambda: data[start:start + BLOCK])
        count = min(BLOCK, len(data) - start)
        for i in range(count):
            # One damaged chunk must not hide the rows of others.
            yield guarded(lambda: value(data[start + i])) if isinstance(block, dict) else guarded(lambda: value(block[i]))


def tar(path):
    suffixes = {}
    with library("tarfile").open(path, "r:") as archive:
        for member in archive:
            folder, _, base = member.name.rpartition("/")
            first = member.name.split("/")[0]
            if not member.isreg() and not member.islnk() or base.startswith(".") or first.startswith("__"):
                continue
            stem, _, suffix = base.partition(".")
            key = f"{folder}/{stem}" if folder else stem
            row = guarded(lambda: member_value(suffix.lower(), archive.extractfile(member).read()))
            suffixes.setdefault(suffix.lower(), []).append({"key": key, **row})
    suffixes.pop("", None)  # a name without a suffix is no member of a sample
    for suffix, rows in suffixes.items():
        column(suffix, rows, True)


def member_value(suffix, data):
    ending = suffix.rpartition(".")[2]
    np = library("numpy")
    if ending in WHOLE_NUMBERS:
        return numbers(np.asarray(int(data)))
    if ending == "npy":
        return numbers(np.load(io.BytesIO(data)))
    return raw(data)


def lmdb(path):
    with library("lmdb").open(path, subdir=False, readonly=True, lock=False) as database, database.begin() as reading:
        column("value", (guarded(lambda v=v: raw(v)) for _, v in reading.cursor()))


KINDS = {f.__name__: f for f in (image, sound, npy, parquet, arrow, hdf5, tar, lmdb)}


def version(name):
    try:
        return importlib.import_module(name).__version__
    except Exception:
        return None


def main():
    answer({
        "Python": sys.version.split()[0],
        **{shown: version(name) for shown, name in (
            ("Pillow", "PIL"), ("numpy", "numpy"), ("pyarrow", "pyarrow"), ("h5py", "h5py"), ("soundfile", "soundfile"),
            ("lmdb", "lmdb"))},
    })
    answers.flush()
    for line in sys.stdin:
        asked = json.loads(line)
        end = None
        try:
            KINDS[asked["kind"]](asked["file"])
        except Missing as e:
            end = {"missing": str(e)}
        except Exception as e:
            end = {"refused": reason(e)}
        answer({"end": end})
        answers.flush()


main()

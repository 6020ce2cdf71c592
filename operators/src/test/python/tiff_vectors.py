"""Makes the TIFF vectors in src/test/resources/vectors/tiff, and their expected pixels with Pillow.

    python tiff_vectors.py ../resources/vectors/tiff

Made with Pillow 12.3.0 (libtiff 4.7.1), tifffile and imagecodecs 2026.3.6, numpy 2.4.6. Expected pixels are stored as SHA-256,
because the tests require a difference of 0. `damage.csv` has the pixels that Pillow returns for a file in which a tenth was
overwritten with zeros; there is no line if Pillow refuses the file.
"""

import csv
import hashlib
import io
import pathlib
import struct
import sys
import warnings
import zlib

import imagecodecs
import numpy as np
from PIL import Image

OUT = pathlib.Path(sys.argv[1])
OUT.mkdir(parents=True, exist_ok=True)
REVERSED = bytes(int(format(i, "08b")[::-1], 2) for i in range(256))
TYPES = {"B": 1, "H": 3, "I": 4, "f": 11, "Q": 16}


def old_lzw(data):
    """LZW as in files from before 1988: the lowest bit first, and codes become wider one code later."""
    bits, table, text, width = [], {}, b"", 9

    def put(code):
        bits.extend((code >> i) & 1 for i in range(width))

    put(256)
    table = {bytes([i]): i for i in range(256)}
    following = 258
    for byte in data:
        longer = text + bytes([byte])
        if longer in table:
            text = longer
            continue
        put(table[text])
        table[longer] = following
        following += 1
        if following > 1 << width:
            width += 1
        if following == 4093:
            put(256)
            table, following, width = {bytes([i]): i for i in range(256)}, 258, 9
        text = bytes([byte])
    put(table[text])
    put(257)
    return np.packbits(np.array(bits, np.uint8), bitorder="little").tobytes()


COMPRESSIONS = {
    1: bytes,
    5: imagecodecs.lzw_encode,
    8: zlib.compress,
    32946: zlib.compress,
    32773: imagecodecs.packbits_encode,
    50000: imagecodecs.zstd_encode,
    "old": old_lzw,
}


def packed(samples, bits, order):
    rows = samples.reshape(samples.shape[0], -1)
    if bits >= 8:
        return rows.astype(f"{order}u{bits // 8}").tobytes()
    spread = (rows[:, :, None] >> np.arange(bits - 1, -1, -1)) & 1
    return np.packbits(spread.reshape(samples.shape[0], -1).astype(np.uint8), axis=1).tobytes()


def differences(samples, predictor, bits, order):
    if predictor == 2:
        changes = samples.copy()
        changes[:, 1:] -= samples[:, :-1]
        return packed(changes & ((1 << bits) - 1), bits, order)
    height, width, channels = samples.shape
    planes = samples.astype(f">u{bits // 8}").view(np.uint8).reshape(height, width * channels, bits // 8)
    planes = planes.transpose(0, 2, 1).reshape(height, -1)
    changes = planes.copy()
    changes[:, channels:] -= planes[:, :-channels]
    return changes.tobytes()


def blocks(samples, across, down):
    """YCbCr of 8 bits with fewer chroma samples, as blocks."""
    height, width, _ = samples.shape
    wide = np.pad(samples, ((0, -height % down), (0, -width % across), (0, 0)), mode="edge")
    data = bytearray()
    for y in range(0, wide.shape[0], down):
        for x in range(0, wide.shape[1], across):
            block = wide[y : y + down, x : x + across]
            data += block[:, :, 0].astype(np.uint8).tobytes() + bytes(int(v) for v in block[:, :, 1:].mean((0, 1)))
    return bytes(data)


def tiff(samples, bits, photometric, compression=1, order="<", extra=None, planar=1, tile=None, rows=None, predictor=1,
         fill=1, sample_format=1, sampling=None, big=False, tags=()):
    """A TIFF whose directory comes first, so that a cut file loses pixels. Samples are [height, width, channels]."""
    height, width, channels = samples.shape
    parts = []
    for plane in [samples] if planar == 1 else [samples[:, :, i : i + 1] for i in range(channels)]:
        if tile:
            padded = np.pad(plane, ((0, -height % tile[1]), (0, -width % tile[0]), (0, 0)), mode="edge")
            pieces = [padded[y : y + tile[1], x : x + tile[0]] for y in range(0, height, tile[1]) for x in range(0, width, tile[0])]
        else:
            pieces = [plane[y : y + (rows or height)] for y in range(0, height, rows or height)]
        for piece in pieces:
            piece = piece.astype(np.int64)
            data = (blocks(piece, *sampling) if sampling else differences(piece, predictor, bits, order) if predictor > 1
                    else packed(piece, bits, order))
            data = COMPRESSIONS[compression](data)
            parts.append(data.translate(REVERSED) if fill == 2 else data)
    word, word_bytes, begin = ("Q", 8, 16) if big else ("I", 4, 8)
    entries = {256: ("H", [width]), 257: ("H", [height]), 258: ("H", [bits] * channels),
               259: ("H", [5 if compression == "old" else compression]), 262: ("H", [photometric]), 277: ("H", [channels]),
               284: ("H", [planar])}
    if predictor > 1:
        entries[317] = ("H", [predictor])
    if fill > 1:
        entries[266] = ("H", [fill])
    if sample_format > 1:
        entries[339] = ("H", [sample_format] * channels)
    if extra is not None:
        entries[338] = ("H", extra)
    if sampling:
        entries[530] = ("H", sampling)
    if photometric == 3:
        entries[320] = ("H", [int(v) for v in np.random.default_rng(1).integers(0, 65536, 3 << bits)])
    lengths = [len(part) for part in parts]
    if tile:
        entries.update({322: ("H", [tile[0]]), 323: ("H", [tile[1]]), 324: (word, lengths), 325: (word, lengths)})
    else:
        entries.update({273: (word, lengths), 278: ("H", [rows or height]), 279: (word, lengths)})
    entries.update(dict(tags))
    count_bytes, entry_bytes = (8, 20) if big else (2, 12)
    behind = begin + count_bytes + entry_bytes * len(entries) + word_bytes
    outside = sum((size + 1 & ~1) for size in (struct.calcsize(order + k * len(v)) for k, v in entries.values()) if size > word_bytes)
    offsets = [int(v) for v in behind + outside + np.cumsum([0] + lengths[:-1])]
    entries[324 if tile else 273] = (word, offsets)
    directory, values = b"", b""
    for tag in sorted(entries):
        kind, numbers = entries[tag]
        value = struct.pack(order + kind * len(numbers), *numbers)
        if len(value) > word_bytes:
            at = behind + len(values)
            values += value + bytes(len(value) & 1)
            value = struct.pack(order + word, at)
        directory += struct.pack(order + "HH" + word, tag, TYPES[kind], len(numbers)) + value.ljust(word_bytes, b"\0")
    mark = b"II" if order == "<" else b"MM"
    head = struct.pack(order + "HHHQ", 43, 8, 0, 16) if big else struct.pack(order + "HI", 42, 8)
    number = struct.pack(order + ("Q" if big else "H"), len(entries))
    return mark + head + number + directory + bytes(word_bytes) + values + b"".join(parts)


def without(data, tag):
    """The file with another number for a tag (little-endian, not BigTIFF), so that the tag is missing."""
    changed = bytearray(data)
    for entry in range(10, 10 + 12 * struct.unpack_from("<H", data, 8)[0], 12):
        if struct.unpack_from("<H", data, entry)[0] == tag:
            struct.pack_into("<H", changed, entry, 65000)
    return bytes(changed)


def saved(image, **options):
    buffer = io.BytesIO()
    image.save(buffer, "TIFF", **options)
    return buffer.getvalue()


def pillow(data):
    """Pillow's pixels without an orientation; None if it refuses the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
    except Exception:
        return None


def sha(pixels):
    return hashlib.sha256(np.ascontiguousarray(pixels).tobytes()).hexdigest()


def vectors():
    rng = np.random.default_rng(28)
    height, width = 21, 37
    y, x = np.mgrid[0:height, 0:width]
    waves = np.stack([128 + 100 * np.sin(x / 7), 128 + 90 * np.cos(y / 9 + x / 13), (x * 5 + y * 3) % 256], 2)
    rgb = np.clip(waves + rng.normal(0, 6, waves.shape), 0, 255).astype(np.int64)
    gray = rgb[:, :, :1]
    four = np.dstack([rgb, rng.integers(0, 256, (height, width), dtype=np.int64)])
    four[:3, :, 3] = 0
    six = np.dstack([four, rng.integers(0, 256, (height, width, 2))])
    deep = four * 257 % 65521
    dark = (np.cumsum(rng.integers(0, 9, (height, width, 1)), 1) + 20).astype(np.int64)
    floats = (rng.random((height, width, 1)) * 300 - 20).astype(np.float32).view(np.uint32).astype(np.int64)
    shapes = ((x // 5 + y // 3) % 2)[:, :, None].astype(np.int64)
    strips, tiles = {"rows": 6}, {"tile": (16, 16)}
    names = {1: "none", 5: "lzw", "old": "old-lzw", 8: "deflate", 32946: "deflate32946", 32773: "packbits", 50000: "zstd"}
    files = {}
    for compression, name in names.items():
        files[f"rgb-{name}-strips"] = tiff(rgb, 8, 2, compression, **strips)
        files[f"gray-{name}-tiles"] = tiff(gray, 8, 1, compression, **tiles)
        files[f"bilevel-{name}-tiles"] = tiff(shapes, 1, 0, compression, order=">", **tiles)
    for predictor, samples, bits, form, name in (
            (2, gray, 8, 1, "8"), (2, dark, 16, 1, "16"), (2, floats, 32, 3, "32"), (3, floats, 32, 3, "float")):
        for order, end in (("<", "little"), (">", "big")):
            if form == 1 or order == "<":
                files[f"predictor{predictor}-{name}-{end}"] = tiff(
                    samples, bits, 1, 8, order, predictor=predictor, sample_format=form, **strips)
    files["predictor2-rgb16-tiles"] = tiff(deep[:, :, :3], 16, 2, 5, ">", predictor=2, **tiles)
    files["predictor-without-compression"] = tiff(dark, 16, 1, tags=[(317, ("H", [2]))])
    files["predictor-packbits"] = tiff(rgb, 8, 2, 32773, tags=[(317, ("H", [2]))])
    for bits in (1, 2, 4):
        files[f"gray{bits}"] = tiff(gray >> (8 - bits), bits, 1, 5)
        files[f"palette{bits}-reversed"] = tiff(gray >> (8 - bits), bits, 3, 8, fill=2)
    files["palette8-separate"] = tiff(gray, 8, 3, planar=2)
    files["palette-alpha"] = tiff(np.dstack([gray, gray]), 8, 3, 5, extra=[2])
    files["gray-alpha-separate"] = tiff(np.dstack([gray, gray]), 8, 1, 5, extra=[2], planar=2)
    for bits, samples in ((8, four), (16, deep)):
        for extra, name in ((0, "unspecified"), (1, "premultiplied"), (2, "alpha")):
            files[f"rgba{bits}-{name}"] = tiff(samples, bits, 2, 5, ">", extra=[extra])
            files[f"rgba{bits}-{name}-separate"] = tiff(samples, bits, 2, 8, extra=[extra], planar=2, **strips)
        files[f"inks{bits}"] = tiff(samples, bits, 5, 8, **tiles)
        files[f"inks{bits}-separate"] = tiff(samples, bits, 5, 5, planar=2, **tiles)
    files["rgb6-alpha"] = tiff(six, 8, 2, 8, extra=[2, 0, 0])
    files["rgb-separate"] = tiff(rgb, 8, 2, planar=2, **strips)
    files["rgb-reversed"] = tiff(rgb, 8, 2, 5, fill=2)
    files["big"] = tiff(rgb, 8, 2, 8, big=True, **strips)
    for across, down in ((1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (4, 2), (4, 4)):
        files[f"ycbcr{across}{down}"] = tiff(rgb, 8, 6, 5, sampling=(across, down), rows=8)
    files["ycbcr22-tiles"] = tiff(rgb, 8, 6, 8, sampling=(2, 2), **tiles)
    files["ycbcr22-levels"] = tiff(rgb, 8, 6, 8, sampling=(2, 2), tags=[
        (529, ("f", [0.2125, 0.7154, 0.0721])), (532, ("f", [16, 235, 128, 240, 128, 240]))])
    files["one-strip"] = tiff(rgb, 8, 2, 8, tags=[(317, ("H", [1]))])
    files["rows-per-strip-unlimited"] = tiff(rgb, 8, 2, 5, tags=[(278, ("I", [2**32 - 1]))])
    files["no-byte-counts"] = without(tiff(rgb, 8, 2, 5), 279)
    files["no-byte-counts-none"] = without(tiff(rgb, 8, 2, **strips), 279)

    document = Image.fromarray(np.repeat(np.repeat(rng.random((12, 11)) < 0.4, 3, 0), 5, 1))
    for name in ("tiff_ccitt", "group3", "group4"):
        files[name.replace("tiff_", "")] = saved(document, compression=name, tiffinfo={278: 9})
    files["group3-two-dimensions"] = saved(document, compression="group3", tiffinfo={292: 1})
    files["group3-filled"] = saved(document, compression="group3", tiffinfo={292: 4})
    photo = Image.fromarray(rgb.astype(np.uint8))
    files["jpeg"] = saved(photo, compression="jpeg", tiffinfo={278: 16})
    files["jpeg-gray"] = saved(photo.convert("L"), compression="jpeg", tiffinfo={278: 8})
    files["jpeg-ycbcr"] = saved(photo.convert("YCbCr"), compression="jpeg", tiffinfo={278: 16})
    return files


def main():
    rows, damaged = [], []
    for name, data in vectors().items():
        pixels = pillow(data)
        assert pixels is not None, name
        (OUT / f"{name}.tif").write_bytes(data)
        rows.append([f"{name}.tif", pixels.shape[0], pixels.shape[1], sha(pixels)])
        for tenth in range(10):
            begin, end = len(data) * tenth // 10, len(data) * (tenth + 1) // 10
            pixels = pillow(data[:begin] + bytes(end - begin) + data[end:])
            if pixels is not None:
                damaged.append([f"{name}.tif", tenth, sha(pixels)])
    for table, header, lines in (("decode.csv", ["file", "height", "width", "sha256"], rows), ("damage.csv", ["file", "tenth", "sha256"], damaged)):
        with open(OUT / table, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(lines)


main()

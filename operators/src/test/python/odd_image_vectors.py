"""Writes unusual and damaged images, and what Pillow reads from them: resources/vectors/image/odd/ and its odd.csv.

Run in this folder: python odd_image_vectors.py

Made with Pillow 12.3.0 and numpy 2.4.6. A line of odd.csv has the SHA-256 of Pillow's convert("RGB"), and for a mask that of its
class numbers; or a part of Millrace's reason if the file is refused. The script fails if Pillow reads a damaged file, unless
ACCEPTED says why Millrace is stricter.
"""
import csv
import hashlib
import io
import pathlib
import shutil
import struct
import warnings
import zlib

import numpy as np
from PIL import Image

OUT = pathlib.Path("../resources/vectors/image/odd")
HEIGHT, WIDTH = 9, 11
rng = np.random.default_rng(28)
images, masks, refused = {}, {}, {}
# Damaged files that Pillow reads: with parts that nobody stored, or differently from what they say.
ACCEPTED = {
    "palette-missing.png", "palette-odd.png", "interlacing2.png", "black-and-white8.bmp",
    "cmyk-unfinished.jpg", "scan-missing.jpg", "stray-behind-scan.jpg", "dc-missing.jpg", "iend-missing.png", "tables-behind-stray.jpg",
}


def sha(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def chunk(kind, data=b""):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def rows(width, height, depth, color, interlaced, seed):
    """Returns rows of random bytes, each after one of the five filters."""
    draw = np.random.default_rng(seed)
    out = b""
    for left, top, across, down in PASSES if interlaced else [(0, 0, 1, 1)]:
        count, high = -(-max(0, width - left) // across), -(-max(0, height - top) // down)
        for _ in range(high if count else 0):
            out += bytes([draw.integers(0, 5)]) + draw.bytes((count * SAMPLES[color] * depth + 7) // 8)
    return out


def png(depth, color, *, size=(WIDTH, HEIGHT), interlaced=0, before=(), behind=(), data=None, palette=None, seed=1, methods=(0, 0)):
    header = struct.pack(">IIBBBBB", *size, depth, color, *methods, interlaced)
    data = zlib.compress(rows(*size, depth, color, interlaced, seed)) if data is None else data
    parts = data if isinstance(data, list) else [data]
    palette = np.random.default_rng(3).bytes(3 << depth) if palette is None and color == 3 else palette
    chunks = [(b"IHDR", header), *before, *([(b"PLTE", palette)] if palette else []), *[(b"IDAT", p) for p in parts], *behind]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(k, d) for k, d in chunks) + chunk(b"IEND")


def frame(number, size=(WIDTH, HEIGHT), at=(0, 0), dispose=0, blend=0):
    return b"fcTL", struct.pack(">IIIIIHHBB", number, *size, *at, 1, 10, dispose, blend)


def animation(depth, color, *, hidden=False, dispose=0, blend=0, interlaced=0, stated=2, frames=1):
    """Returns an animation of the default image, unless it is hidden, and of more frames, which are parts of it."""
    number = 0
    before = [(b"acTL", struct.pack(">II", stated, 0))]
    if not hidden:
        before.append(frame(0, dispose=dispose, blend=blend))
        number = 1
    behind = []
    for i in range(frames):
        part = zlib.compress(rows(5, 4, depth, color, interlaced, 50 + i))
        behind += [frame(number, (5, 4), (3, 2), dispose, blend), (b"fdAT", struct.pack(">I", number + 1) + part)]
        number += 2
    return png(depth, color, before=before, behind=behind, interlaced=interlaced)


def png_files():
    for depth, color in ((1, 0), (8, 0), (16, 0), (8, 2), (16, 2), (4, 3), (8, 4), (16, 4), (8, 6), (16, 6)):
        name = f"animated-{color}-{depth}"
        images[name + "-first.png"] = animation(depth, color, dispose=1, blend=1)
        images[name + "-hidden.png"] = animation(depth, color, hidden=True, frames=2)
        if depth < 16:
            images[name + "-interlaced.png"] = animation(depth, color, dispose=2, interlaced=1)
    images["animated-no-frames.png"] = animation(8, 0, stated=0, dispose=1, hidden=True, frames=0)
    images["animated-too-few.png"] = animation(8, 2, stated=7, dispose=1)
    images["interlaced-gray16.png"] = png(16, 0, interlaced=1)
    images["interlaced-palette2.png"] = png(2, 3, interlaced=1)
    images["interlaced-narrow.png"] = png(8, 6, interlaced=1, size=(1, 3))
    whole = rows(WIDTH, HEIGHT, 8, 2, 0, 1)
    data = zlib.compress(whole)
    images["checksum-missing.png"] = png(8, 2, data=data[:-4])
    images["rows-too-many.png"] = png(8, 2, data=zlib.compress(whole + b"\0" * 50))
    images["data-split.png"] = png(8, 2, data=[b"", data[:1], data[1:40], b"", data[40:]])
    images["chunk-unknown.png"] = png(8, 2, before=[(b"ABCD", b"x")], behind=[(b"EFGH", b"")])
    images["palette-twice.png"] = png(4, 3, before=[(b"PLTE", bytes(range(48)))])
    images["palette-short.png"] = png(4, 3, palette=bytes(range(9, 36)))
    refused["checksum-wrong.png"] = png(8, 2, data=data[:-1] + b"!"), "corrupt PNG: expected the pixels of 11x9"
    refused["data-damaged.png"] = png(8, 2, data=data[:60] + bytes(8) + data[68:]), "corrupt PNG: expected the pixels of 11x9"
    refused["data-short.png"] = png(8, 2, data=zlib.compress(whole[:-1])), "truncated PNG: expected the pixels of 11x9"
    refused["data-cut.png"] = png(8, 2, data=data[:-40]), "truncated PNG: expected the pixels of 11x9"
    refused["data-cut-gray16.png"] = png(16, 0, data=zlib.compress(rows(WIDTH, HEIGHT, 16, 0, 0, 1))[:-40]), "truncated PNG"
    refused["data-cut-interlaced.png"] = png(8, 0, interlaced=1, data=zlib.compress(rows(WIDTH, HEIGHT, 8, 0, 1, 1))[:-30]), "truncated PNG"
    refused["filter9.png"] = png(8, 0, data=zlib.compress(b"\x09" + rows(WIDTH, HEIGHT, 8, 0, 0, 1)[1:])), "unknown filter 9 in row 0"
    refused["palette-missing.png"] = png(4, 3, palette=b""), "expected a palette before the pixels"
    refused["palette-odd.png"] = png(4, 3, palette=bytes(10)), "expected a palette of 1 to 256 colours of 3 bytes"
    refused["palette-long.png"] = png(8, 3, palette=bytes(771)), "expected a palette of 1 to 256 colours of 3 bytes"
    refused["header-twice.png"] = png(8, 0, before=[(b"IHDR", struct.pack(">IIBBBBB", 5, 4, 8, 0, 0, 0, 0))]), "expected one IHDR chunk"
    refused["depth4-rgb.png"] = png(4, 2, data=data), "expected a bit depth of colour type 2"
    refused["interlacing2.png"] = png(8, 0, data=zlib.compress(rows(WIDTH, HEIGHT, 8, 0, 1, 1)), interlaced=2), "expected known methods"
    refused["frame-smaller.png"] = png(8, 0, before=[(b"acTL", struct.pack(">II", 1, 0)), frame(0, (5, 4))]), "expected a first frame of 11x9"
    refused["iend-missing.png"] = png(8, 0)[:-12], "truncated PNG"


def mask_files():
    for depth in (1, 2, 4, 8):
        for value in (0, 1):
            masks[f"gray{depth}-transparent{value}.png"] = png(depth, 0, before=[(b"tRNS", struct.pack(">H", value))])
        masks[f"gray{depth}-interlaced.png"] = png(depth, 0, interlaced=1)
        colors = [(b"PLTE", rng.bytes(3 << depth)), (b"tRNS", bytes([255, 0]))]
        masks[f"palette{depth}-transparent.png"] = png(depth, 3, before=colors, palette=b"")
    masks["palette4-animated.png"] = animation(4, 3, hidden=True)
    masks["gray2-animated.png"] = animation(2, 0, dispose=1)


def bmp(width, height, bits, method, palette, data, *, colors=0, header=40, more=b"", offset=None):
    if header == 12:
        fields = struct.pack("<IHHHH", 12, width, height, 1, bits)
    else:
        fields = struct.pack("<IiiHHIIiiII", header, width, height, 1, bits, method, len(data), 0, 0, colors, 0).ljust(header, b"\0")
    at = 14 + len(fields) + len(more) + len(palette)
    return struct.pack("<2sIHHI", b"BM", at + len(data), 0, 0, at if offset is None else offset) + fields + more + palette + data


def bmp_files():
    def gray(*levels):
        return b"".join(bytes([v, v, v, 0]) for v in levels)

    eight = rng.integers(0, 16, 24, dtype=np.uint8).tobytes()  # 8x3
    four = rng.bytes(12)
    one = rng.bytes(12)
    colors = rng.bytes(1024)
    images["ramp8.bmp"] = bmp(8, 3, 8, 0, gray(*range(5)), eight, colors=5)
    images["two-colors8.bmp"] = bmp(8, 3, 8, 0, gray(0, 1), eight, colors=2)
    images["palette1.bmp"] = bmp(8, 3, 1, 0, gray(255, 0), one)
    images["palette4-short.bmp"] = bmp(8, 3, 4, 0, colors[:20], four, colors=5)
    images["from-top8.bmp"] = bmp(8, -3, 8, 0, colors, eight)
    images["pixels-at-palette.bmp"] = bmp(8, 3, 8, 0, colors, eight, offset=54)
    images["pixels-at-0.bmp"] = bmp(8, 3, 8, 0, colors[:64], eight, colors=16, offset=0)
    images["pixels-at-0-24.bmp"] = bmp(2, 2, 24, 0, b"", rng.bytes(16), offset=0)
    images["masks24.bmp"] = bmp(2, 2, 24, 3, b"", rng.bytes(16), more=struct.pack("<III", 0xFF0000, 0xFF00, 0xFF))
    images["masks32-none.bmp"] = bmp(2, 2, 32, 3, b"", rng.bytes(16), header=64)
    images["core1.bmp"] = bmp(8, 3, 1, 0, b"\0\0\0\xff\xff\xff", one, header=12)
    images["core8.bmp"] = bmp(8, 3, 8, 0, colors[:768], eight, header=12)
    images["core16.bmp"] = bmp(3, 2, 16, 0, b"", rng.bytes(16), header=12)
    images["core24.bmp"] = bmp(2, 2, 24, 0, b"", rng.bytes(16), header=12)
    images["core32.bmp"] = bmp(2, 2, 32, 0, b"", rng.bytes(16), header=12)
    images["os2.bmp"] = bmp(8, 3, 8, 0, colors, eight, header=64)
    images["os2-rle8.bmp"] = bmp(8, 1, 8, 1, colors, b"\x04\x01\x04\x02\0\1", header=64)
    images["rle4-of-8.bmp"] = bmp(8, 1, 8, 2, colors, b"\x08\x12\0\1")
    images["rle8-of-4.bmp"] = bmp(8, 1, 4, 1, colors[:64], b"\x08\x02\0\1")
    images["padding-missing.bmp"] = bmp(2, 2, 24, 0, b"", rng.bytes(14))
    refused["pixel-missing.bmp"] = bmp(2, 2, 24, 0, b"", rng.bytes(13)), "truncated BMP: expected 14 bytes of pixels"
    for bits, method in ((1, 3), (24, 4), (24, 3)):
        reason = "unknown masks" if bits == 24 and method == 3 else f"compressed by method {method}"
        refused[f"os2-method{method}-{bits}.bmp"] = bmp(8, 3, bits, method, gray(0, 255), rng.bytes(90), header=64), reason
    refused["masks-of-8.bmp"] = bmp(8, 3, 8, 3, colors, eight), "compressed by method 3"
    refused["bits2.bmp"] = bmp(8, 3, 2, 0, gray(1, 2, 3, 4), four), "a BMP of 2 bits per pixel"
    refused["header48.bmp"] = bmp(8, 3, 8, 0, colors, eight, header=48), "a BMP with a header of 48 bytes"
    refused["black-and-white8.bmp"] = bmp(8, 3, 8, 0, gray(0, 255), eight, colors=2), "a palette of only black and white"
    refused["palette-huge.bmp"] = bmp(8, 3, 8, 0, colors, eight, colors=70000), "a palette of at most 65536 colours"


def pnm_files():
    images["p3-no-newline.ppm"] = b"P3\n2 1\n255\n1 2 3 4 5 6"
    images["p2-no-newline.pgm"] = b"P2 3 1 255 9 10 100"
    images["p2-comment.pgm"] = b"P2\n3 2\n255\n0 100 #x 7\n255\r7 8 #y\r9\n"
    images["p1-dense.pbm"] = b"P1\n4 2\n0101\n1100"
    images["p1-comment.pbm"] = b"P1\n#x\n4 2\n0 1 #c 1\n0 1 1 1 0 0\n"
    images["p4-9.pbm"] = b"P4\n9 3\n" + rng.bytes(6)
    images["p5-comments.pgm"] = b"P5\n7 # w\n3 # h\r255\r" + rng.bytes(21)
    images["p5-inside.pgm"] = b"P5\n1#1\n1 3\n255\n" + rng.bytes(33)
    images["p5-vertical.pgm"] = b"P5\x0b7\x0c3\x0b255\n" + rng.bytes(21)
    images["p6-zeros.ppm"] = b"P6\n007 0003\n0255\n" + rng.bytes(63)
    images["p6-behind.ppm"] = b"P6 2 1 255\n" + rng.bytes(6) + b"more"
    images["p3-deep.ppm"] = b"P3 1 1 65535 65535 32768 255"
    refused["p2-over.pgm"] = b"P2\n3 2\n255\n0 100 256\n7 8 9\n", "expected a sample of at most 255"
    refused["p2-short.pgm"] = b"P2\n3 2\n255\n0 100 255\n7 8\n", "truncated PNM: expected the sample"
    refused["p1-short.pbm"] = b"P1\n4 2\n0101110", "truncated PNM: expected a sample"
    refused["p1-two.pbm"] = b"P1\n4 1\n0121", "corrupt PNM: expected a sample"
    refused["p5-short.pgm"] = b"P5\n7 3\n255\n" + rng.bytes(20), "truncated PNM: expected 21 bytes of pixels"
    refused["p5-letters.pgm"] = b"P5\n7 3x\n255\n" + rng.bytes(21), "corrupt PNM: expected the height"
    refused["p5-nul.pgm"] = b"P5\n7\x003\n255\n" + rng.bytes(21), "corrupt PNM: expected the width"


def encoded(image, **options):
    buffer = io.BytesIO()
    image.save(buffer, **options)
    return buffer.getvalue()


def segments(jpeg):
    """Returns the segments before the first scan, as (marker, bytes), and the rest."""
    at, parts = 2, []
    while jpeg[at + 1] != 0xDA:
        end = at + 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
        parts.append((jpeg[at + 1], jpeg[at:end]))
        at = end
    return parts, jpeg[at:]


def joined(parts, rest, between=b""):
    return b"\xff\xd8" + between.join(data for _, data in parts) + between + rest


def scans(jpeg):
    """Returns the offsets of the tables and headers of all scans."""
    at, starts = 2, []
    while jpeg[at + 1] != 0xD9:
        if jpeg[at + 1] == 0xDA:
            starts.append(at)
        at += 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
        while starts and (jpeg[at] != 255 or jpeg[at + 1] == 0 or 0xD0 <= jpeg[at + 1] <= 0xD7):
            at += 1
    return starts


def jpeg_files():
    y, x = np.mgrid[0:27, 0:37]
    waves = np.stack([128 + 100 * np.sin(x / 7), 128 + 90 * np.cos(y / 9 + x / 13), (x * 5 + y * 3) % 256], 2)
    photo = Image.fromarray(np.clip(waves, 0, 255).astype(np.uint8))
    plain = encoded(photo, format="JPEG", quality=80)
    gray = encoded(photo.convert("L"), format="JPEG", quality=80)
    parts, rest = segments(plain)
    for name, stray in (("stray", b"\0\1\2"), ("stray-escaped", b"ab\xff\0c"), ("stray-restart", b"\xff\xd3"), ("fill", b"\xff\xff")):
        images[name + ".jpg"] = joined(parts, rest, stray)
    images["comment-without-length.jpg"] = joined([(0xFE, b"\xff\xfe\0\0"), *parts], rest)
    images["length-too-short.jpg"] = joined([(0xE1, b"\xff\xe1\0\5camera"), *parts], rest)
    for name, jpeg in (("motion", plain), ("motion-gray", gray)):
        kept, data = segments(jpeg)
        images[name + ".jpg"] = joined([p for p in kept if p[0] != 0xC4], data)
    images["restart-behind.jpg"] = plain[:-2] + b"\xff\xd0\xff\xd9"
    images["restart-behind-gray.jpg"] = gray[:-2] + b"\xff\xd0\xff\xd9"
    marked = encoded(photo, format="JPEG", quality=80, subsampling=0, restart_marker_blocks=4)
    count = sum(marked[i] == 255 and 0xD0 <= marked[i + 1] <= 0xD7 for i in range(scans(marked)[0], len(marked) - 1))
    images["restart-behind-all.jpg"] = marked[:-2] + bytes([0xFF, 0xD0 + count % 8]) + b"\xff\xd9"
    images["comment-behind.jpg"] = plain[:-2] + b"\xff\xfe\0\4ab\xff\xd9"
    images["fill-behind.jpg"] = plain[:-2] + b"\xff\xff\xff\xd9"
    ink = Image.fromarray(np.dstack([np.asarray(photo), np.roll(np.asarray(photo)[:, :, 2], 9, 1)]), "CMYK")
    for transform in (1, 2, 3, 255):
        changed = bytearray(encoded(ink, format="JPEG", quality=85, subsampling=transform % 3))
        changed[changed.index(b"Adobe") + 11] = transform
        images[f"cmyk-transform{transform}.jpg"] = bytes(changed)
        images[f"rgb-transform{transform}.jpg"] = joined([(0xEE, b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0" + bytes([transform])), *parts[1:]], rest)
    images["cmyk-stray.jpg"] = joined(*segments(encoded(ink, format="JPEG")), b"\0\0")
    progressive = encoded(photo, format="JPEG", quality=85, progressive=True)
    images["stray-progressive.jpg"] = joined(*segments(progressive), b"\0\1\2")
    starts = scans(progressive)
    for kept in (1, 4):
        images[f"unfinished{kept}.jpg"] = progressive[: progressive.rindex(b"\xff\xc4", 0, starts[kept])] + b"\xff\xd9"
    refused["dc-missing.jpg"] = progressive[: progressive.rindex(b"\xff\xc4", 0, starts[0])] + progressive[
        progressive.rindex(b"\xff\xc4", 0, starts[1]) : ], "expected a scan of each of the 3 components"
    progressive = encoded(ink, format="JPEG", quality=85, progressive=True, subsampling=2)
    refused["cmyk-unfinished.jpg"] = progressive[: progressive.rindex(b"\xff\xc4", 0, scans(progressive)[5])] + b"\xff\xd9", (
        "expected all scans of a progressive CMYK image")
    # The data of a gray JPEG, once for each of three components.
    kept, data = segments(gray)
    three = [(m, d if m != 0xC0 else b"\xff\xc0\0\x11" + d[4:9] + bytes([3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0])) for m, d in kept]
    again = [data[:5] + bytes([component]) + data[6:-2] for component in (1, 2, 3)]
    images["separate.jpg"] = joined(three, b"".join(again) + b"\xff\xd9")
    refused["scan-missing.jpg"] = joined(three, b"".join(again[:2]) + b"\xff\xd9"), "expected a scan of each of the 3 components"
    refused["stray-behind-scan.jpg"] = joined(three, again[0] + b"\xff\xfe\0\2\0\0" + b"".join(again[1:]) + b"\xff\xd9"), "corrupt JPEG: expected a marker"
    # The end of a table's segment is lost, so a decoder would use the table of the standard instead.
    lost = [(m, d if m != 0xC4 or d[4] != 0x11 else b"\xfe" + d[1:]) for m, d in parts]
    refused["tables-behind-stray.jpg"] = joined(lost, rest), "expected the tables of a scan before it"


def webp_files():
    image = Image.fromarray(rng.integers(0, 256, (24, 24, 3), dtype=np.uint8))
    for name, options in (("lossless", {"lossless": True}), ("lossy", {"quality": 50})):
        images[f"{name}-1x1.webp"] = encoded(Image.new("RGB", (1, 1), (9, 200, 30)), format="WEBP", **options)
        images[f"{name}-plain.webp"] = encoded(Image.new("RGB", (30, 20), (9, 200, 30)), format="WEBP", **options)
        whole = encoded(image, format="WEBP", **options)
        data = whole[12:] + b"INAM\x64\0\0\0" + bytes(100)
        images[f"{name}-behind.webp"] = b"RIFF" + struct.pack("<I", 4 + len(data)) + b"WEBP" + data
        length = int.from_bytes(whole[16:20], "little") // 2 & ~1
        # A part of the data, in front of a chunk that a decoder must not take for the rest.
        data = whole[12:16] + struct.pack("<I", length) + whole[20 : 20 + length] + b"INAM\x64\0\0\0" + bytes(100)
        refused[f"{name}-cut.webp"] = b"RIFF" + struct.pack("<I", 4 + len(data)) + b"WEBP" + data, "truncated or corrupt WEBP"
        refused[f"{name}-chunk.webp"] = images[f"{name}-behind.webp"][:-104] + b"\xff\1\0\0" + bytes(100), "corrupt WEBP: expected a chunk that ends before"


def gif_files():
    """A GIF whose codes are longer than its indexes need, with a clear code before each index."""
    bits = 9
    stream = "".join(format(code, f"0{bits + 1}b")[::-1] for index in range(12) for code in (1 << bits, index))
    stream += format((1 << bits) + 1, f"0{bits + 1}b")[::-1]
    stream += "0" * (-len(stream) % 8)
    data = bytes(int(stream[i : i + 8][::-1], 2) for i in range(0, len(stream), 8))
    images["long-codes.gif"] = (b"GIF89a" + struct.pack("<HHBBB", 4, 3, 0xF3, 0, 0) + rng.bytes(48) + b"," + struct.pack("<HHHHB", 0, 0, 4, 3, 0)
                                + bytes([bits, len(data)]) + data + b"\0;")


def main():
    warnings.simplefilter("ignore")
    png_files(), mask_files(), bmp_files(), pnm_files(), jpeg_files(), webp_files(), gif_files()
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    lines = [["file", "height", "width", "sha256", "mask", "reason"]]
    for name, data in {**images, **masks}.items():
        (OUT / name).write_bytes(data)
        image = Image.open(io.BytesIO(data))
        rgb = np.asarray(image.convert("RGB"))
        mask = sha(np.asarray(Image.open(io.BytesIO(data))).astype(np.uint8)) if name in masks else ""
        lines.append([name, *rgb.shape[:2], sha(rgb), mask, ""])
    for name, (data, reason) in refused.items():
        (OUT / name).write_bytes(data)
        try:
            with Image.open(io.BytesIO(data)) as image:
                image.convert("RGB")
            read = True
        except (OSError, ValueError, SyntaxError):
            read = False
        assert read == (name in ACCEPTED), (name, read)
        lines.append([name, "", "", "", "", reason])
    with open(OUT / "odd.csv", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)


main()

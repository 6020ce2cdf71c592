"""Makes the image vectors in src/test/resources/vectors/image with Pillow, torchvision and scipy.

    python image_vectors.py ../resources/vectors/image

Made with Pillow 12.3.0, torchvision 0.29.1, torch 2.14.1, scipy 1.17.1. Expected pixels are stored as SHA-256, because the tests
require a difference of 0. Source pixels of the resize and crop vectors come from a generator that exists twice: `pixels` in
this file, and ImageVectors.pixels in the tests.
"""

import csv
import hashlib
import io
import pathlib
import struct
import sys
import zlib

import numpy as np
import torch
from PIL import Image, ImageCms, ImageOps
from scipy import ndimage
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as F

OUT = pathlib.Path(sys.argv[1])
OUT.mkdir(parents=True, exist_ok=True)


def sha(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def table(name, header, rows):
    with open(OUT / name, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def pixels(seed, kind, height, width, channels):
    """noise: uniform bytes; extremes: 0 or 255; ramp: slow gradients. All from a 32-bit linear congruence."""
    count = height * width * channels
    state = np.uint32(seed)
    with np.errstate(over="ignore"):
        powers = np.cumprod(np.full(count, 1664525, np.uint32), dtype=np.uint32)
        ones = np.concatenate([[np.uint32(1)], powers[:-1]])
        sums = np.cumsum(ones, dtype=np.uint32)
        values = powers * state + sums * np.uint32(1013904223)
    noise = (values >> np.uint32(24)).astype(np.uint8)
    if kind == "extremes":
        noise = np.where(noise < 128, 0, 255).astype(np.uint8)
    if kind == "ramp":
        index = np.arange(count)
        noise = ((index // 7 + (noise & 7)) & 255).astype(np.uint8)
    return noise.reshape(height, width, channels)


def as_image(array):
    return Image.fromarray(array[:, :, 0] if array.shape[2] == 1 else array)


def decode_vectors():
    rng = np.random.default_rng(7)
    height, width = 37, 51
    y, x = np.mgrid[0:height, 0:width]
    waves = np.stack([128 + 100 * np.sin(x / 7) + 20 * np.cos(y / 3), 128 + 90 * np.cos(y / 9 + x / 13), (x * 5 + y * 3) % 256], 2)
    photo = Image.fromarray(np.clip(waves + rng.normal(0, 12, waves.shape), 0, 255).astype(np.uint8))
    gray = photo.convert("L")
    palette = photo.quantize(40)
    alpha = rng.integers(0, 256, (height, width), dtype=np.uint8)
    rgba = Image.fromarray(np.dstack([np.asarray(photo), alpha]))
    gray16 = Image.fromarray(rng.integers(0, 65536, (height, width), dtype=np.uint16))
    exact, refused = {}, {}

    def save(where, name, image, **options):
        buffer = io.BytesIO()
        image.save(buffer, options.pop("format", None) or Image.registered_extensions()["." + name.rsplit(".", 1)[1]], **options)
        where[name] = buffer.getvalue()

    for code, name in ((0, "444"), (1, "422"), (2, "420")):
        save(exact, f"rgb{name}.jpg", photo, quality=85, subsampling=code)
        save(exact, f"rgb{name}-progressive.jpg", photo, quality=85, subsampling=code, progressive=True)
    save(exact, "optimized.jpg", photo, quality=92, optimize=True)
    save(exact, "quality30.jpg", photo, quality=30)
    save(exact, "gray.jpg", gray, quality=85)
    save(exact, "gray-progressive.jpg", gray, quality=85, progressive=True)
    save(exact, "restarts.jpg", photo, quality=85, restart_marker_blocks=2)
    save(exact, "restart-rows.jpg", gray, quality=85, restart_marker_rows=1)
    save(exact, "stored-as-rgb.jpg", photo, quality=85, keep_rgb=True)
    save(exact, "png-named.jpg", photo, format="PNG")
    exact["trailing-bytes.jpg"] = exact["rgb420.jpg"] + b"\0\0camera notes"
    save(exact, "one-pixel.jpg", photo.crop((0, 0, 1, 1)))
    save(exact, "wide.jpg", photo.resize((701, 3)), quality=80)
    noisy = Image.fromarray(pixels(5, "noise", 240, 320, 3))
    save(exact, "noise.jpg", noisy.resize((80, 60)).resize((320, 240)), quality=75)
    save(exact, "rgb.png", photo)
    save(exact, "gray.png", gray)
    save(exact, "palette.png", palette)
    save(exact, "palette4.png", photo.quantize(14), bits=4)
    save(exact, "palette-transparent.png", palette, transparency=3)
    save(exact, "bilevel.png", photo.convert("1"))
    save(exact, "rgba.png", rgba)
    save(exact, "gray-alpha.png", rgba.convert("LA"))
    save(exact, "rgb-transparent.png", photo, transparency=(1, 2, 3))
    save(exact, "animated.png", photo, save_all=True, append_images=[photo.rotate(180)])
    exact["rgb16.png"] = png(rng.integers(0, 65536, (height, width, 3)).astype(">u2"), 16, 2)
    exact["rgba16.png"] = png(rng.integers(0, 65536, (height, width, 4)).astype(">u2"), 16, 6)
    exact["gamma.png"] = png(np.asarray(photo), 8, 2, [(b"gAMA", struct.pack(">I", 100000))])
    save(exact, "rgb.bmp", photo)
    save(exact, "gray.bmp", gray)
    save(exact, "palette.bmp", palette)
    save(exact, "bilevel.bmp", photo.convert("1"))
    save(exact, "rgba.bmp", rgba)
    save(exact, "palette.gif", photo.quantize(64))
    save(exact, "gray.gif", gray)
    save(exact, "interlaced.gif", photo.quantize(64), interlace=1)
    save(exact, "animated.gif", photo.quantize(64), save_all=True, append_images=[photo.rotate(90).quantize(64)])
    save(exact, "lossy.webp", photo, quality=80)
    save(exact, "lossless.webp", photo, lossless=True)
    save(exact, "rgba.webp", rgba, lossless=True)
    save(exact, "rgba-lossy.webp", rgba, quality=80)
    save(exact, "animated.webp", photo, save_all=True, append_images=[photo.rotate(180)], lossless=True)
    save(exact, "rgb.tiff", photo)
    save(exact, "gray.tiff", gray)
    save(exact, "palette.tiff", palette)
    save(exact, "bilevel.tiff", photo.convert("1"))
    save(exact, "lzw.tiff", photo, compression="tiff_lzw")
    save(exact, "deflate.tiff", photo, compression="tiff_adobe_deflate")
    save(exact, "jpeg.tiff", photo, compression="jpeg")
    save(exact, "cmyk.tiff", photo.convert("CMYK"))
    save(exact, "rgb.ppm", photo)
    save(exact, "gray.pgm", gray)
    save(exact, "bilevel.pbm", photo.convert("1"))
    exact["plain.ppm"] = b"P3\n# a comment\n2 2\n255\n1 2 3 4 5 6\n7 8 9 250 251 252\n"

    converted_vectors(save, exact, photo, rgba, palette, gray16, rng)
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
    save(exact, "rgb-quality75.jpg", photo)
    for ext in ("jpg", "png", "webp", "tiff"):
        save(exact, f"profile.{ext}", photo, icc_profile=profile)

    lossless = bytearray(exact["rgb444.jpg"])
    lossless[lossless.index(b"\xff\xc0") + 1] = 0xC3
    refused["lossless.jpg"] = bytes(lossless)
    deep = bytearray(exact["rgb444.jpg"])
    deep[deep.index(b"\xff\xc0") + 4] = 12
    refused["deep.jpg"] = bytes(deep)
    refused["largest0.pgm"] = b"P5 4 3 0\n" + bytes(12)
    refused["jpeg.bmp"] = bmp(4, 3, 24, 4, b"", exact["rgb444.jpg"])
    refused["masks.bmp"] = bmp(4, 3, 16, 3, struct.pack("<III", 0xF00, 0xF0, 0xF), bytes(24))
    refused["lab.tiff"] = tiff(np.asarray(photo), 8)
    refused["signed.tiff"] = tiff(np.asarray(photo)[:, :, :1], 1, sample_format=2)

    (OUT / "decode").mkdir(exist_ok=True)
    (OUT / "refused").mkdir(exist_ok=True)
    rows = []
    for name, data in exact.items():
        (OUT / "decode" / name).write_bytes(data)
        rgb = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
        rows.append([name, rgb.shape[0], rgb.shape[1], sha(rgb)])
    table("decode.csv", ["file", "height", "width", "sha256"], rows)
    for name, data in refused.items():
        (OUT / "refused" / name).write_bytes(data)

    rows = []
    (OUT / "exif").mkdir(exist_ok=True)
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x112] = orientation
        for ext in ("jpg", "png", "webp", "tiff") if orientation in (3, 6) else ("jpg",):
            files = {}
            save(files, f"{orientation}.{ext}", photo, exif=exif, **({"lossless": True} if ext == "webp" else {}))
            data = files[f"{orientation}.{ext}"]
            (OUT / "exif" / f"{orientation}.{ext}").write_bytes(data)
            image = Image.open(io.BytesIO(data))
            # Pillow turns TIFFs upright when it reads them, but no other images. These vectors need all images as stored.
            stored = np.asarray(photo if ext == "tiff" else image.convert("RGB"))
            upright = np.asarray(ImageOps.exif_transpose(image).convert("RGB"))
            rows.append([f"{orientation}.{ext}", orientation, upright.shape[0], upright.shape[1], sha(stored), sha(upright)])
    table("exif.csv", ["file", "orientation", "height", "width", "stored", "upright"], rows)


def converted_vectors(save, exact, photo, rgba, palette, gray16, rng):
    """Files whose samples are not 8-bit RGB. Pillow's convert("RGB") defines their expected pixels."""
    height, width = photo.size[1], photo.size[0]
    inks = Image.fromarray(np.dstack([np.asarray(photo), np.roll(np.asarray(photo)[:, :, 2], 9, 1)]), "CMYK")
    save(exact, "cmyk.jpg", inks, quality=90)
    save(exact, "cmyk420.jpg", inks, quality=90, subsampling=2)
    save(exact, "cmyk-progressive.jpg", inks, quality=90, progressive=True)
    marker = exact["cmyk.jpg"].index(b"Adobe")
    exact["cmyk-unmarked.jpg"] = exact["cmyk.jpg"][: marker - 4] + exact["cmyk.jpg"][marker + 12 :]
    for name in ("cmyk", "cmyk420"):
        ycck = bytearray(exact[name + ".jpg"])
        ycck[ycck.index(b"Adobe") + 11] = 2
        exact[name.replace("cmyk", "ycck") + ".jpg"] = bytes(ycck)

    save(exact, "gray16.png", gray16)
    save(exact, "gray16-dark.png", Image.fromarray(rng.integers(0, 300, (height, width), dtype=np.uint16)))
    exact["gray16-transparent.png"] = png(
        np.asarray(gray16)[:9, :, None].astype(">u2"), 16, 0, [(b"tRNS", struct.pack(">H", int(np.asarray(gray16)[3, 3])))])
    for bits in (2, 4):
        packed = rng.integers(0, 256, (9, 10 * bits // 8, 1), dtype=np.uint8)
        data = bytearray(png(packed, bits, 0))
        data[16:20] = struct.pack(">I", packed.shape[1] * 8 // bits)
        data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
        exact[f"gray{bits}.png"] = bytes(data)

    save(exact, "transparent.gif", palette, transparency=3)
    save(exact, "palette4.gif", photo.quantize(13))
    for name, index in (("partial", None), ("partial-transparent", 3)):
        files = {}
        save(files, "x.gif", palette.crop((0, 0, 30, 20)), **({} if index is None else {"transparency": index}))
        partial = bytearray(files["x.gif"])
        frame = partial.index(b",\0\0\0\0\x1e\0\x14\0")
        partial[6:10] = struct.pack("<HH", 41, 33)
        partial[frame + 1 : frame + 5] = struct.pack("<HH", 7, 5)
        exact[name + ".gif"] = bytes(partial)
        partial[6:10] = struct.pack("<HH", 33, 41)
        exact[name + "-outside.gif"] = bytes(partial)
    whole = exact["palette4.gif"]
    table = 3 << ((whole[10] & 7) + 1)
    frame = whole.index(b",\0\0\0\0")
    head = whole[:10] + bytes([0]) + whole[11:13]
    exact["local.gif"] = head + whole[13 + table : frame + 9] + bytes([0x80 | (whole[10] & 7)]) + whole[13 : 13 + table] + whole[frame + 10 :]
    exact["no-palette.gif"] = head + whole[13 + table :]
    short = bytearray(head + whole[13 + table : frame + 9] + bytes([0x81]) + whole[13:25] + whole[frame + 10 :])
    exact["short-palette.gif"] = bytes(short)

    five = rng.integers(0, 65536, (height, width + 1), dtype=np.uint16).astype("<u2").tobytes()
    exact["555.bmp"] = bmp(width, height, 16, 0, b"", five)
    exact["565.bmp"] = bmp(width, height, 16, 3, struct.pack("<III", 0xF800, 0x7E0, 0x1F), five)
    exact["555-down.bmp"] = bmp(width, -height, 16, 3, struct.pack("<III", 0x7C00, 0x3E0, 0x1F), five)
    four = np.asarray(rgba)[:9].tobytes()
    exact["rgba-masks.bmp"] = bmp(width, 9, 32, 3, struct.pack("<IIII", 0xFF, 0xFF00, 0xFF0000, 0xFF000000), four)
    exact["xbgr-masks.bmp"] = bmp(width, 9, 32, 3, struct.pack("<III", 0xFF000000, 0xFF0000, 0xFF00), four)
    exact["bgrx-masks.bmp"] = bmp(width, 9, 32, 3, struct.pack("<III", 0xFF0000, 0xFF00, 0xFF), four)
    colors = rng.integers(0, 256, (256, 4), dtype=np.uint8)
    runs = bytearray()
    for _ in range(9):
        runs += bytes([20, 7, 0, 5, 1, 2, 3, 4, 5, 0, 10, 200, 0, 4, 9, 8, 7, 6, 12, 250, 0, 0])
    exact["rle8.bmp"] = bmp(width, 9, 8, 1, colors.tobytes(), bytes(runs) + b"\0\1")
    gaps = bytes([20, 7, 0, 0, 3, 4, 0, 2, 9, 2, 5, 6, 0, 0]) + bytes([51, 1, 0, 0]) * 5 + b"\0\1"
    exact["rle8-gaps.bmp"] = bmp(width, 9, 8, 1, colors.tobytes(), gaps)
    runs = bytes([21, 0x7A, 0, 6, 0x12, 0x34, 0x56, 0, 24, 0xC5, 0, 0]) * 9
    exact["rle4.bmp"] = bmp(width, 9, 4, 2, colors[:16].tobytes(), runs + b"\0\1")

    exact["largest100.pgm"] = b"P5 4 3 100\n" + bytes(range(0, 96, 8))
    exact["largest7.ppm"] = b"P6 4 3 7\n" + rng.integers(0, 8, 36, dtype=np.uint8).tobytes()
    exact["depth16.pgm"] = b"P5 51 3 65535\n" + np.asarray(gray16)[:3].astype(">u2").tobytes()
    exact["depth10.pgm"] = b"P5 51 3 1000\n" + (np.asarray(gray16)[:3] % 1001).astype(">u2").tobytes()
    exact["depth16.ppm"] = b"P6 4 3 65535\n" + rng.integers(0, 65536, (3, 4, 3)).astype(">u2").tobytes()
    exact["plain-largest15.pgm"] = b"P2\n# levels\n4 2\n15\n" + b" ".join(b"%d" % v for v in range(8, 16)) + b"\n"
    exact["plain-depth10.pgm"] = b"P2 4 2 1000\n0 1 2 3\n4 5 6 1000\n"
    exact["plain-largest7.ppm"] = b"P3 2 2 7 0 1 2 3 4 5 6 7 0 1 2 3\n"

    rgba, inks, gray16 = rgba.crop((0, 0, 51, 19)), inks.crop((0, 0, 51, 19)), gray16.crop((0, 0, 51, 19))
    array, alpha = np.asarray(photo)[:21], np.asarray(rgba)
    gray = array[:, :, :1]
    deep = rng.integers(0, 65536, (height, width, 4), dtype=np.uint16)[:12]
    save(exact, "rgba.tiff", rgba)
    save(exact, "rgba-deflate.tiff", rgba, compression="tiff_adobe_deflate")
    save(exact, "rgba-lzw.tiff", rgba, compression="tiff_lzw")
    save(exact, "gray-alpha.tiff", rgba.convert("LA"))
    save(exact, "gray16.tiff", gray16)
    save(exact, "gray16-lzw.tiff", gray16, compression="tiff_lzw")
    save(exact, "float.tiff", Image.fromarray((rng.random((height, width), dtype=np.float32) * 300 - 20).astype(np.float32)))
    save(exact, "inks.tiff", inks)
    save(exact, "inks-lzw.tiff", inks, compression="tiff_lzw")
    save(exact, "gray16-predicted.tiff", gray16, compression="tiff_lzw", tiffinfo={317: 2})
    save(exact, "rgba-predicted.tiff", rgba, compression="tiff_adobe_deflate", tiffinfo={317: 2})
    exact["rgba-unmarked.tiff"] = tiff(alpha, 2)
    exact["inks16.tiff"] = tiff(deep, 5)
    exact["premultiplied.tiff"] = tiff(alpha, 2, extra=1)
    exact["unspecified.tiff"] = tiff(alpha, 2, extra=0)
    exact["white-is-zero.tiff"] = tiff(gray, 0)
    exact["gray16-big.tiff"] = tiff(deep[:, :, :1], 1, order=">")
    exact["gray16-white-is-zero.tiff"] = tiff(deep[:, :, :1], 0)
    exact["rgb16.tiff"] = tiff(deep[:, :, :3], 2)
    exact["rgb16-big.tiff"] = tiff(deep[:, :, :3], 2, order=">")
    exact["rgba16.tiff"] = tiff(deep, 2, extra=2)
    exact["planar.tiff"] = tiff(array, 2, planar=True)
    exact["tiled.tiff"] = tiff(array, 2, tile=16)


def bmp(width, height, bits, method, masks, data):
    """Returns a BMP with a header of 40 bytes, or of 56 bytes if there are four masks."""
    long = method == 3 and len(masks) == 16
    offset = 14 + 40 + len(masks)
    return (struct.pack("<2sIHHI", b"BM", offset + len(data), 0, 0, offset)
            + struct.pack("<IiiHHIIiiII", 56 if long else 40, width, height, 1, bits, method, len(data), 0, 0, 0, 0) + masks + data)


def tiff(array, photometric, extra=None, order="<", planar=False, tile=None, sample_format=None):
    """Returns a TIFF without compression, with one strip, with one plane after the other, or with tiles."""
    height, width, channels = array.shape
    array = array.astype(array.dtype.newbyteorder(order))
    parts = [array.tobytes()]
    if planar:
        parts = [array[:, :, c].tobytes() for c in range(channels)]
    if tile:
        padded = np.pad(array, ((0, -height % tile), (0, -width % tile), (0, 0)))
        parts = [padded[y : y + tile, x : x + tile].tobytes() for y in range(0, height, tile) for x in range(0, width, tile)]
    tags = [(256, "H", [width]), (257, "H", [height]), (258, "H", [array.dtype.itemsize * 8] * channels), (259, "H", [1]),
            (262, "H", [photometric]), (277, "H", [channels]), (284, "H", [2 if planar else 1])]
    offsets = list(8 + np.cumsum([0] + [len(p) for p in parts[:-1]]))
    lengths = [len(p) for p in parts]
    tags += [(322, "H", [tile]), (323, "H", [tile]), (324, "I", offsets), (325, "I", lengths)] if tile else [
        (273, "I", offsets), (278, "H", [height]), (279, "I", lengths)]
    if extra is not None:
        tags.append((338, "H", [extra]))
    if sample_format is not None:
        tags.append((339, "H", [sample_format] * channels))
    data = b"".join(parts)
    data += b"\0" * (len(data) & 1)
    directory = 8 + len(data)
    entries, behind = b"", b""
    for tag, kind, values in sorted(tags):
        value = struct.pack(order + kind * len(values), *[int(v) for v in values])
        if len(value) > 4:
            at = directory + 2 + 12 * len(tags) + 4 + len(behind)
            behind += value
            value = struct.pack(order + "I", at)
        entries += struct.pack(order + "HHI", tag, {"H": 3, "I": 4}[kind], len(values)) + value.ljust(4, b"\0")
    head = (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, directory)
    return head + data + struct.pack(order + "H", len(tags)) + entries + struct.pack(order + "I", 0) + behind


def png(array, depth, color, extra=()):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = array.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in array)
    parts = [chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0))]
    parts += [chunk(kind, data) for kind, data in extra]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def resize_vectors():
    rng = np.random.default_rng(11)
    filters = {"nearest": Image.NEAREST, "bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC}
    sizes = [
        (1, 1, 1, 1), (1, 1, 7, 5), (5, 7, 1, 1), (2, 3, 3, 2), (37, 51, 37, 51), (37, 51, 37, 20), (37, 51, 80, 51),
        (375, 500, 224, 224), (375, 500, 256, 341), (224, 224, 448, 448), (100, 100, 224, 224), (1, 400, 1, 224), (400, 1, 224, 1),
        (400, 1, 224, 9), (301, 3, 150, 5), (300, 3, 150, 5), (301, 3, 400, 5), (302, 3, 301, 3), (3, 900, 17, 31), (1200, 11, 64, 64), (1202, 12, 8, 12),
        (225, 225, 224, 224), (223, 223, 224, 224), (640, 480, 96, 128), (1000, 1, 3, 2), (97, 89, 13, 101),
    ]
    for _ in range(60):
        sizes.append(tuple(int(v) for v in rng.integers(1, 41, 4)))
    for _ in range(50):
        sizes.append((int(rng.integers(1, 376)), int(rng.integers(1, 501)), 224, 224))
    for _ in range(30):
        sizes.append(tuple(int(v) for v in rng.integers(1, 400, 4)))
    rows = []
    for number, (height, width, out_height, out_width) in enumerate(sizes):
        for name, pil in filters.items():
            for channels in (1, 3):
                if name != "bilinear" and number > 70 and channels == 1:
                    continue
                kind = ("noise", "extremes", "ramp")[number % 3]
                image = as_image(pixels(number, kind, height, width, channels))
                result = np.asarray(image.resize((out_width, out_height), pil))
                rows.append([name, number, kind, channels, height, width, out_height, out_width, sha(result)])
    table("resize.csv", ["filter", "seed", "kind", "channels", "height", "width", "out_height", "out_width", "sha256"], rows)

    rows = []
    source = pixels(3, "noise", 120, 160, 3)
    for number in range(40):
        top, left = int(rng.integers(0, 119)), int(rng.integers(0, 159))
        height, width = int(rng.integers(1, 121 - top)), int(rng.integers(1, 161 - left))
        out = (32, 32) if number % 2 else (int(rng.integers(1, 90)), int(rng.integers(1, 90)))
        image = F.resized_crop(Image.fromarray(source), top, left, height, width, list(out), v2.InterpolationMode.BILINEAR)
        rows.append([top, left, height, width, *out, sha(np.asarray(image))])
    table("resized_crop.csv", ["top", "left", "height", "width", "out_height", "out_width", "sha256"], rows)


def geometry_vectors():
    rows = []
    for height, width in ((33, 50), (50, 33), (7, 7), (1, 9), (375, 500), (300, 1)):
        for channels in (1, 3):
            image = as_image(pixels(height, "noise", height, width, channels))
            for size in ([20, 20], [21, 30], [40, 40], [8, 3], [33, 50], [34, 51]):
                rows.append([height, width, channels, *size, sha(np.asarray(v2.CenterCrop(size)(image)))])
    table("center_crop.csv", ["height", "width", "channels", "out_height", "out_width", "sha256"], rows)

    rows = []
    for height, width in ((375, 500), (500, 375), (33, 50), (1, 9), (7, 7), (333, 1000), (100, 101)):
        for size in (1, 8, 96, 224, 256):
            for limit in ("", size + 1, size + 40, 2 * size + 3):
                out = v2.functional._geometry._compute_resized_output_size((height, width), [size], limit or None)
                rows.append([height, width, size, limit, *out])
    table("resize_size.csv", ["height", "width", "size", "max_size", "out_height", "out_width"], rows)

    rows = []
    crops = [
        (32, 32, 32, 32, "4", False, 0), (32, 32, 32, 32, "4 2", False, 9), (32, 32, 30, 31, "1 2 3 4", False, 255),
        (20, 30, 32, 32, "", True, 0), (20, 40, 32, 32, "2", True, 128), (33, 47, 20, 20, "", False, 0), (5, 5, 17, 1, "1 0 2 0", True, 7),
    ]
    for height, width, out_height, out_width, padding, needed, fill in crops:
        for channels in (1, 3):
            pads = [int(p) for p in padding.split()] if padding else None
            transform = v2.RandomCrop([out_height, out_width], pads[0] if pads and len(pads) == 1 else pads, needed, fill)
            image = as_image(pixels(height, "noise", height, width, channels))
            for seed in range(3):
                torch.manual_seed(seed)
                params = transform.make_params([image])
                result = np.asarray(transform.transform(image, params))
                left, top = params["padding"][:2]
                rows.append([height, width, channels, out_height, out_width, padding, needed, fill,
                             params["top"] - top, params["left"] - left, sha(result)])
    table("random_crop.csv", ["height", "width", "channels", "out_height", "out_width", "padding", "pad_if_needed", "fill",
                              "top", "left", "sha256"], rows)

    rows = []
    for height, width in ((6, 5), (5, 6), (1, 1), (31, 64), (2, 65)):
        for channels in (1, 3):
            array = pixels(height, "noise", height, width, channels)
            rows.append([height, width, channels, sha(array[:, ::-1]), sha(array[::-1])])
    table("flips.csv", ["height", "width", "channels", "horizontal", "vertical"], rows)


def random_resized_crop_quantiles():
    """The 20-quantiles of each parameter over many draws. The test counts its own draws between them."""
    torch.manual_seed(20)
    draws = 100_000
    rows = []
    for height, width, scale, ratio in (
        (375, 500, (0.08, 1.0), (3 / 4, 4 / 3)),
        (500, 375, (0.08, 1.0), (3 / 4, 4 / 3)),
        (224, 224, (0.2, 0.9), (0.5, 2.0)),
    ):
        transform = v2.RandomResizedCrop(8, scale=scale, ratio=ratio)
        image = Image.new("L", (width, height))
        params = [transform.make_params([image]) for _ in range(draws)]
        area = np.array([p["height"] * p["width"] for p in params], float)
        shape = np.array([p["width"] / p["height"] for p in params])
        top = np.array([(p["top"] + 0.5) / (height - p["height"] + 1) for p in params])
        left = np.array([(p["left"] + 0.5) / (width - p["width"] + 1) for p in params])
        for name, values in (("area", area), ("shape", shape), ("top", top), ("left", left)):
            edges = np.quantile(values, np.arange(1, 20) / 20)
            counts = np.bincount(np.searchsorted(edges, values, side="left"), minlength=20)
            rows.append([height, width, *scale, *ratio, name, draws, " ".join(repr(float(e)) for e in edges),
                         " ".join(str(c) for c in counts)])
    table("random_resized_crop.csv", ["height", "width", "scale_from", "scale_to", "ratio_from", "ratio_to", "parameter", "draws",
                                      "edges", "counts"], rows)
    fallback = []
    for height, width in ((10, 1000), (1000, 10), (3, 500), (77, 900)):
        transform = v2.RandomResizedCrop(8, scale=(0.9, 1.0))
        image = Image.new("L", (width, height))
        params = transform.make_params([image])
        fallback.append([height, width, params["top"], params["left"], params["height"], params["width"]])
    table("central_crop.csv", ["height", "width", "top", "left", "crop_height", "crop_width"], fallback)


def mask_vectors():
    rows = []
    for height, width in ((1, 1), (5, 7), (3, 64), (64, 65), (17, 130), (40, 63)):
        mask = pixels(height + width, "noise", height, width, 1)[:, :, 0] < 30
        grown = ndimage.binary_dilation(mask)
        for channels in (1, 3):
            image = pixels(1, "noise", height, width, channels)
            image[grown] = 0
            rows.append([height, width, channels, int(mask.sum()), int(grown.sum()), sha(image)])
    table("mask.csv", ["height", "width", "channels", "masked", "grown", "sha256"], rows)


decode_vectors()
resize_vectors()
geometry_vectors()
random_resized_crop_quantiles()
mask_vectors()

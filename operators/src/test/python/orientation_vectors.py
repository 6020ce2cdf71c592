"""Writes operators/src/test/resources/vectors/image/orientations.csv: images whose orientation stands at usual and unusual
places, each with the orientation that ImageOps.exif_transpose of Pillow 12.3 applies to it. 0 means that Pillow raises an
exception, because the EXIF block is damaged.

    python operators/src/test/python/orientation_vectors.py
"""

import base64
import io
import pathlib
import struct
import warnings
import zlib

import numpy as np
from PIL import Image, ImageOps

OUT = pathlib.Path(__file__).parent.parent / "resources/vectors/image/orientations.csv"
warnings.simplefilter("ignore")
METHODS = {2: "FLIP_LEFT_RIGHT", 3: "ROTATE_180", 4: "FLIP_TOP_BOTTOM", 5: "TRANSPOSE", 6: "ROTATE_270", 7: "TRANSVERSE",
           8: "ROTATE_90"}
PICTURE = Image.fromarray((np.arange(3 * 5 * 3).reshape(3, 5, 3) * 37 % 256).astype(np.uint8))


def saved(kind, **options):
    out = io.BytesIO()
    PICTURE.save(out, kind, **options)
    return out.getvalue()


JPEG = saved("JPEG", quality=90, subsampling=0, optimize=True)
PNG = saved("PNG")
GIF = saved("GIF")
SHORT, LONG = 3, 4
FORMATS = {1: "B", 2: "B", 3: "H", 4: "I", 5: "II", 6: "b", 7: "B", 8: "h", 9: "i", 10: "ii", 11: "f", 12: "d", 13: "I", 16: "Q",
           14: "I", 99: "I"}


def entry(order, value, kind=SHORT, count=1, tag=0x112):
    """An entry of a directory, and the bytes that do not fit into it."""
    values = value if isinstance(value, tuple) else (value,)
    data = b"".join(struct.pack(order + FORMATS[kind][:1], v) for v in values)
    return struct.pack(order + "HHI", tag, kind, count), data


def tiff(*entries, order=">", ifd=8, head=None, cut=None):
    entries = entries or (dict(value=6),)
    made = [entry(order, **e) if isinstance(e, dict) else e for e in entries]
    start = (b"II*\0" if order == "<" else b"MM\0*") if head is None else head
    far = ifd + 2 + 12 * len(made) + 4
    body, rest = struct.pack(order + "H", len(made)), b""
    for fixed, data in made:
        if len(data) <= 4:
            body += fixed + data.ljust(4, b"\0")
        else:
            body += fixed + struct.pack(order + "I", far + len(rest))
            rest += data
    block = start + struct.pack(order + "I", ifd) + bytes(ifd - 8) + body + bytes(4) + rest
    return block[:cut]


def segment(marker, content):
    return bytes([255, marker]) + struct.pack(">H", len(content) + 2) + content


def exif(block):
    return segment(0xE1, b"Exif\0\0" + block)


PACKET = (b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
          b'<rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" %s</rdf:RDF></x:xmpmeta>')
ATTRIBUTE = PACKET % b'tiff:Orientation="6"/>'
ELEMENT = PACKET % b"><tiff:Orientation>8</tiff:Orientation></rdf:Description>"


def xmp(packet):
    return segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + packet)


def jpeg(*segments, at=2):
    return JPEG[:at] + b"".join(segments) + JPEG[at:]


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(*chunks, after=False):
    at = len(PNG) - 12 if after else 33
    return PNG[:at] + b"".join(chunks) + PNG[at:]


def profile(block, lines=b"\nexif\n%8d\n", width=72):
    digits = block.hex().encode()
    return lines % len(block) + b"\n".join(digits[i:i + width] for i in range(0, len(digits), width)) + b"\n"


def international(packet, compressed=0, language=b"", method=0):
    content = zlib.compress(packet) if compressed else packet
    return chunk(b"iTXt", b"XML:com.adobe.xmp\0" + bytes([compressed, method]) + language + b"\0\0" + content)


def webp(exif_block=None, packet=None, flags=None, extra=b""):
    image = saved("WEBP", lossless=True)[12:]
    chunks = b""
    for name, content in ((b"EXIF", exif_block), (b"XMP ", packet)):
        if content is not None:
            chunks += name + struct.pack("<I", len(content)) + content + bytes(len(content) & 1)
    flag = (0 if exif_block is None else 8) | (0 if packet is None else 4)
    head = b"VP8X" + struct.pack("<IB3x", 10, flag if flags is None else flags) + (4).to_bytes(3, "little") + (2).to_bytes(3, "little")
    body = b"WEBP" + head + image + chunks
    return b"RIFF" + struct.pack("<I", len(body)) + body + extra


EMPTY = tiff(dict(value=1, tag=0x100))
NAMED = b"Exif\0\0" + tiff()
RAW = b"Raw profile type exif\0"
files = {f"jpeg-{value}": jpeg(exif(tiff(dict(value=value)))) for value in range(10)}
files |= {f"jpeg-{value}-little": jpeg(exif(tiff(dict(value=value), order="<"))) for value in range(10)}
for kind in FORMATS:
    values = (12, 2) if kind in (5, 10) else 6.0 if kind in (11, 12) else 6
    for order in "<>":
        files[f"jpeg-type{kind}{order}"] = jpeg(exif(tiff(dict(value=values, kind=kind), order=order)))
files |= {
    "jpeg-text": jpeg(exif(tiff(dict(value=(0x36, 0), kind=2, count=2)))),
    "jpeg-fraction": jpeg(exif(tiff(dict(value=(13, 2), kind=5)))),
    "jpeg-fraction-of-0": jpeg(exif(tiff(dict(value=(6, 0), kind=5)))),
    "jpeg-negative-fraction": jpeg(exif(tiff(dict(value=(-6, -1), kind=10)))),
    "jpeg-float": jpeg(exif(tiff(dict(value=6.5, kind=11)))),
    "jpeg-long-65542": jpeg(exif(tiff(dict(value=65542, kind=LONG)))),
    "jpeg-count-0": jpeg(exif(tiff(dict(value=6, count=0)))),
    "jpeg-count-0-xmp": jpeg(exif(tiff(dict(value=1, count=0))), xmp(ATTRIBUTE)),
    "jpeg-count-2": jpeg(exif(tiff(dict(value=(6, 8), count=2)))),
    "jpeg-count-3": jpeg(exif(tiff(dict(value=(6, 8, 3), count=3)))),
    "jpeg-count-beyond": jpeg(exif(tiff(dict(value=6, count=70000)))),
    "jpeg-twice": jpeg(exif(tiff(dict(value=6), dict(value=8)))),
    "jpeg-after-damage": jpeg(exif(tiff((struct.pack(">HHI", 0x10F, 2, 99), b"\0\0\1\0"), dict(value=6)))),
    "jpeg-before-damage": jpeg(exif(tiff(dict(value=6), (struct.pack(">HHI", 0x10F, 2, 99), b"\0\0\1\0")))),
    "jpeg-cut-directory": jpeg(exif(tiff(dict(value=6), dict(value=8), cut=24))),
    "jpeg-cut-directory-xmp": jpeg(exif(tiff(cut=14)), xmp(ATTRIBUTE)),
    "jpeg-directory-outside": jpeg(exif(tiff(ifd=8)[:4] + b"\0\1\0\0")),
    "jpeg-directory-far": jpeg(exif(tiff(ifd=200))),
    "jpeg-no-tag-xmp": jpeg(exif(EMPTY), xmp(ATTRIBUTE)),
    "jpeg-byte-xmp": jpeg(exif(tiff(dict(value=1, kind=1))), xmp(ATTRIBUTE)),
    "jpeg-0-xmp": jpeg(exif(tiff(dict(value=0))), xmp(ATTRIBUTE)),
    "jpeg-1-xmp": jpeg(exif(tiff(dict(value=1))), xmp(ATTRIBUTE)),
    "jpeg-bad-magic": jpeg(exif(tiff(head=b"XX\0*")), xmp(ATTRIBUTE)),
    "jpeg-magic-mixed": jpeg(exif(tiff(head=b"MM*\0"))),
    "jpeg-magic-mixed-little": jpeg(exif(tiff(head=b"II\0*", order="<"))),
    "jpeg-magic-43": jpeg(exif(tiff(head=b"MM\0+"))),
    "jpeg-magic-43-little": jpeg(exif(tiff(head=b"II+\0", order="<"))),
    "jpeg-short-head": jpeg(exif(b"MM\0*\0")),
    "jpeg-empty-xmp": jpeg(exif(b""), xmp(ATTRIBUTE)),
    "jpeg-named-twice": jpeg(exif(NAMED)),
    "jpeg-name-without-zero": jpeg(segment(0xE1, b"Exif\0\1" + tiff())),
    "jpeg-app2": jpeg(segment(0xE2, b"Exif\0\0" + tiff())),
    "jpeg-two-blocks": jpeg(exif(tiff()), exif(tiff(dict(value=1)))),
    "jpeg-two-segments": jpeg(exif(tiff()[:12]), exif(tiff()[12:])),
    "jpeg-three-segments": jpeg(exif(tiff()[:5]), xmp(ELEMENT), exif(tiff()[5:13]), exif(tiff()[13:])),
    "jpeg-after-frame": jpeg(exif(tiff()), at=JPEG.index(b"\xff\xc4")),
    "jpeg-after-app0": jpeg(exif(tiff()), at=20),
    "jpeg-fill-bytes": jpeg(b"\xff\xff", exif(tiff())),
    "jpeg-xmp": jpeg(xmp(ATTRIBUTE)),
    "jpeg-xmp-element": jpeg(xmp(ELEMENT)),
    "jpeg-xmp-two": jpeg(xmp(ATTRIBUTE), xmp(ELEMENT)),
    "jpeg-xmp-10": jpeg(xmp(PACKET % b'tiff:Orientation="30"/>')),
    "jpeg-xmp-9": jpeg(xmp(PACKET % b'tiff:Orientation="9"/>')),
    "jpeg-xmp-apostrophe": jpeg(xmp(PACKET % b"tiff:Orientation='6'/>")),
    "jpeg-xmp-space": jpeg(xmp(PACKET % b'tiff:Orientation = "6"/>')),
    "jpeg-xmp-second": jpeg(xmp(PACKET % b'tiff:Orientation="x" tiff:Orientation="8"/>')),
    "jpeg-xmp-end": jpeg(xmp(b"tiff:Orientation=")),
    "jpeg-xmp-extension": jpeg(segment(0xE1, b"http://ns.adobe.com/xmp/extension/\0" + ATTRIBUTE)),
    "png-before": png(chunk(b"eXIf", tiff())),
    "png-after": png(chunk(b"eXIf", tiff()), after=True),
    "png-little": png(chunk(b"eXIf", tiff(order="<"))),
    "png-two": png(chunk(b"eXIf", tiff()), chunk(b"eXIf", tiff(dict(value=8)))),
    "png-before-and-after": png(chunk(b"eXIf", tiff()))[:-12] + chunk(b"eXIf", tiff(dict(value=8))) + PNG[-12:],
    "png-named": png(chunk(b"eXIf", NAMED)),
    "png-empty": png(chunk(b"eXIf", b""), international(ATTRIBUTE)),
    "png-damaged": png(chunk(b"eXIf", b"damaged!"), international(ATTRIBUTE)),
    "png-behind-the-end": PNG + chunk(b"eXIf", tiff()),
    "png-profile": png(chunk(b"zTXt", RAW + b"\0" + zlib.compress(profile(NAMED)))),
    "png-profile-after": png(chunk(b"zTXt", RAW + b"\0" + zlib.compress(profile(NAMED))), after=True),
    "png-profile-cut": png(chunk(b"zTXt", RAW + b"\0" + zlib.compress(profile(NAMED))[:-6])),
    "png-profile-damaged": png(chunk(b"zTXt", RAW + b"\0" + b"x" + zlib.compress(profile(NAMED))), international(ATTRIBUTE)),
    "png-profile-text": png(chunk(b"tEXt", RAW + profile(NAMED))),
    "png-profile-international": png(chunk(b"iTXt", RAW + b"\0\0\0\0" + profile(NAMED))),
    "png-profile-unnamed": png(chunk(b"tEXt", RAW + profile(tiff()))),
    "png-profile-spaces": png(chunk(b"tEXt", RAW + profile(NAMED, width=8).replace(b"\n", b" \n"))),
    "png-profile-odd": png(chunk(b"tEXt", RAW + profile(NAMED)[:-2])),
    "png-profile-no-digits": png(chunk(b"tEXt", RAW + b"\nexif\n 3\nxyz")),
    "png-profile-one-line": png(chunk(b"tEXt", RAW + NAMED.hex().encode()), international(ATTRIBUTE)),
    "png-profile-app1": png(chunk(b"zTXt", b"Raw profile type APP1\0\0" + zlib.compress(profile(NAMED, b"\ngeneric profile\n%8d\n")))),
    "png-profile-and-exif": png(chunk(b"tEXt", RAW + profile(NAMED)), chunk(b"eXIf", tiff(dict(value=8)))),
    "png-text-exif": png(chunk(b"tEXt", b"exif\0" + NAMED)),
    "png-compressed-exif": png(chunk(b"zTXt", b"exif\0\0" + zlib.compress(NAMED)), international(ATTRIBUTE)),
    "png-xmp": png(international(ATTRIBUTE)),
    "png-xmp-after": png(international(ELEMENT), after=True),
    "png-xmp-compressed": png(international(ATTRIBUTE, 1)),
    "png-xmp-method": png(international(ATTRIBUTE, 1, method=1)),
    "png-xmp-method-uncompressed": png(international(ATTRIBUTE, method=1)),
    "png-xmp-language": png(international(ATTRIBUTE, language=b"en")),
    "png-xmp-not-utf8": png(international(ATTRIBUTE + b"\xff")),
    "png-xmp-two": png(international(ATTRIBUTE), international(ELEMENT)),
    "png-xmp-two-not-utf8": png(international(ATTRIBUTE), international(ELEMENT + b"\xff")),
    "png-xmp-text": png(chunk(b"tEXt", b"XML:com.adobe.xmp\0" + ATTRIBUTE)),
    "png-xmp-text-empty": png(international(ATTRIBUTE), chunk(b"tEXt", b"XML:com.adobe.xmp\0")),
    "png-xmp-truncated": png(chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0" + ATTRIBUTE)),
    "png-xmp-and-exif": png(international(ATTRIBUTE), chunk(b"eXIf", tiff(dict(value=8)))),
    "webp": webp(tiff()),
    "webp-named": webp(NAMED),
    "webp-little": webp(tiff(order="<")),
    "webp-without-flag": webp(tiff(), flags=0),
    "webp-empty": webp(b"", ATTRIBUTE),
    "webp-damaged": webp(b"damaged!", ATTRIBUTE),
    "webp-xmp": webp(None, ATTRIBUTE),
    "webp-xmp-without-flag": webp(None, ATTRIBUTE, flags=0),
    "webp-no-tag-xmp": webp(EMPTY, ELEMENT),
    "webp-1-xmp": webp(tiff(dict(value=1)), ELEMENT),
    "webp-behind-the-end": webp(None, None, flags=8, extra=b"EXIF" + struct.pack("<I", len(tiff())) + tiff()),
    "gif": GIF[:-1] + b"!\xff\x0bXMP DataXMP" + bytes([len(ATTRIBUTE)]) + ATTRIBUTE + b"\0;",
}


def picture_tiff(*entries, order="<"):
    """A TIFF of the picture, uncompressed, with further entries in its directory."""
    def made(offset):
        fixed = [(256, 5), (257, 3), (258, (8, 8, 8)), (259, 1), (262, 2), (273, offset), (277, 3), (278, 3), (279, 45)]
        own = [dict(value=v, kind=LONG if t == 273 else SHORT, count=3 if t == 258 else 1, tag=t) for t, v in fixed]
        return tiff(*sorted(own + list(entries), key=lambda e: e.get("tag", 0x112)), order=order)
    return made(len(made(0))) + PICTURE.tobytes()


def packet(content):
    return dict(value=tuple(content), kind=1, count=len(content), tag=700)


files.update({
    "tiff-plain": picture_tiff(),
    "tiff-xmp": picture_tiff(packet(ATTRIBUTE)),
    "tiff-xmp-element-big": picture_tiff(packet(ELEMENT), order=">"),
    "tiff-1-xmp": picture_tiff(dict(value=1), packet(ELEMENT)),
    "tiff-9-xmp": picture_tiff(dict(value=9), packet(ELEMENT)),
    "tiff-6-xmp": picture_tiff(dict(value=6), packet(b"other")),
    "tiff-twice": picture_tiff(dict(value=6), dict(value=8)),
})
for number in range(10):
    files[f"tiff-{number}"] = picture_tiff(dict(value=number))
for kind in (1, 4, 6, 8, 9, 11, 12, 16):
    files[f"tiff-type{kind}"] = picture_tiff(dict(value=6, kind=kind))
files["tiff-fraction"] = picture_tiff(dict(value=(12, 2), kind=5))
files["tiff-two-values"] = picture_tiff(dict(value=(6, 8), count=2))
animation = struct.pack(">IIIIIHHBB", 0, 5, 3, 0, 0, 1, 1, 0, 0)
first, second = PNG.index(b"IDAT") - 4, len(PNG) - 12
frame = b"fdAT" + struct.pack(">I", 2) + PNG[first + 8:second - 4]
for name, head in {"": chunk(b"fcTL", animation), "-default": b""}.items():
    for frames in (1, 2):
        files[f"apng{name}-{frames}"] = (
            PNG[:33] + chunk(b"acTL", struct.pack(">II", frames, 0)) + head + PNG[first:second]
            + chunk(b"fcTL", struct.pack(">I", 1) + animation[4:]) + chunk(frame[:4], frame[4:])
            + chunk(b"eXIf", tiff()) + PNG[second:])

lines = ["name,orientation,file"]
for name, content in files.items():
    try:
        image = Image.open(io.BytesIO(content))
        image.load()
        # Pillow turns a TIFF while it loads it.
        stored = PICTURE if name.startswith("tiff") else image.convert("RGB")
        upright = np.asarray(ImageOps.exif_transpose(image).convert("RGB"))
        found = [1] * (upright.shape == np.asarray(stored).shape and bool((upright == np.asarray(stored)).all()))
        for number, method in METHODS.items():
            turned = np.asarray(stored.transpose(Image.Transpose[method]))
            found += [number] * (turned.shape == upright.shape and bool((turned == upright).all()))
        assert len(found) == 1, (name, found)
        orientation = found[0]
    except (SyntaxError, struct.error, TypeError, ValueError) as e:
        print(name, repr(e))
        orientation = 0
    lines.append(f"{name},{orientation},{base64.b64encode(content).decode()}")
OUT.write_text("\n".join(lines) + "\n")
print(len(files), "files,", OUT.stat().st_size, "bytes")

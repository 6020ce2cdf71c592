"""Writes operators/src/test/resources/vectors/audio/kinds.csv: small WAV files of every kind that libsndfile writes, with unusual
headers, sizes and chunks, each with the SHA-256 of libsndfile's float32 values [channels, frames]. An empty hash means that Millrace
refuses the file.

    python operators/src/test/python/wav_vectors.py

By soundfile 0.14 with libsndfile 1.2.2.
"""

import base64
import hashlib
import io
import pathlib
import struct

import numpy as np
import soundfile

OUT = pathlib.Path(__file__).parent.parent / "resources/vectors/audio/kinds.csv"
random = np.random.default_rng(28)
UNSUPPORTED = {"IMA_ADPCM", "MS_ADPCM", "GSM610", "G721_32", "NMS_ADPCM_16", "NMS_ADPCM_24", "NMS_ADPCM_32", "MPEG_LAYER_III"}
files = {}


def saved(kind, subtype, channels, frames=20, endian="FILE"):
    out = io.BytesIO()
    values = np.clip(random.standard_normal((frames, channels)) / 3, -1, 0.999)
    with soundfile.SoundFile(out, "w", 16000, channels, subtype, endian, kind) as file:
        file.write(values)
    return out.getvalue()


for subtype in soundfile.available_subtypes("WAV"):
    for channels in (1, 2):
        try:
            files[f"wav-{subtype}-{channels}"] = saved("WAV", subtype, channels)
        except soundfile.LibsndfileError as e:
            print(subtype, channels, e)
for subtype in soundfile.available_subtypes("WAVEX"):
    files[f"wavex-{subtype}"] = saved("WAVEX", subtype, 2)
for subtype in soundfile.available_subtypes("RF64"):
    files[f"rf64-{subtype}"] = saved("RF64", subtype, 2)
for subtype in ("PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE", "ULAW", "ALAW"):
    files[f"rifx-{subtype}"] = saved("WAV", subtype, 2, endian="BIG")


def form(tag=1, channels=1, align=2, bits=16, extra=b"", order="<"):
    return struct.pack(order + "HHIIHH", tag, channels, 8000, 8000 * align, align, bits) + extra


def extensible(bits, align, valid, subformat=1, rest="000000001000800000aa00389b71"):
    extra = struct.pack("<HHIH", 22, valid, 4, subformat) + bytes.fromhex(rest)
    return form(0xFFFE, 1, align, bits, extra)


def chunk(name, content):
    return name + struct.pack("<I", len(content)) + content + bytes(len(content) & 1)


def wav(header, data, size=None, riff=None, head=b"RIFF", before=b"", after=b""):
    size = len(data) if size is None else size
    body = b"WAVE" + before + chunk(b"fmt ", header) + b"data" + struct.pack("<I", size) + data + after
    return head + struct.pack("<I", len(body) if riff is None else riff) + body


DATA = random.bytes(48)
LIST = chunk(b"LIST", b"INFOISFT" + struct.pack("<I", 5) + b"abcd\0")
SIZES = chunk(b"ds64", struct.pack("<QQQI", 36 + 48, 48, 24, 0))
PCM = form()
BIG = form(0xFFFE, 1, 3, 24, struct.pack(">HHIIHH", 22, 24, 4, 1, 0, 0x10) + bytes.fromhex("800000aa00389b71"), order=">")
files |= {
    "rifx-extensible": b"RIFX" + struct.pack(">I", 108) + b"WAVEfmt " + struct.pack(">I", 40) + BIG + b"data"
                       + struct.pack(">I", 48) + DATA,
    "all-ulaw": wav(form(7, 1, 1, 8), bytes(range(256))),
    "all-alaw": wav(form(6, 1, 1, 8), bytes(range(256))),
    "pcm-1-bit": wav(form(align=1, bits=1), DATA),
    "pcm-12-bits": wav(form(align=2, bits=12), DATA),
    "pcm-20-bits": wav(form(align=3, bits=20), DATA),
    "chunks-before": wav(PCM, DATA, before=LIST + chunk(b"bext", b"x" * 603) + chunk(b"JUNK", b"abc")),
    "chunks-between": wav(PCM + b"", DATA)[:36] + chunk(b"fact", b"\x18\0\0\0") + LIST + chunk(b"PAD ", b"x") + wav(PCM, DATA)[36:],
    "chunk-after": wav(PCM, DATA, after=LIST),
    "form-18": wav(PCM + b"\0\0", DATA),
    "form-17": wav(PCM + b"\0", DATA),
    "odd-data": wav(form(align=1, bits=8), DATA[:7] + b"\0", size=7, after=LIST),
    "extensible-12-of-16": wav(extensible(16, 2, 12), DATA),
    "extensible-24-of-32": wav(extensible(32, 4, 24), DATA),
    "extensible-float": wav(extensible(32, 4, 32, 3), np.float32([0.5, -0.25, 2, np.nan]).tobytes()),
    "extensible-alaw": wav(extensible(8, 1, 8, 6), DATA),
    "extensible-ambisonic": wav(extensible(16, 2, 16, 1, "000021 07d3118644c8c1ca000000".replace(" ", "")), DATA),
    "pipe-ffmpeg": wav(PCM, DATA, 0xFFFFFFFF, 0xFFFFFFFF),
    "pipe-sox": wav(PCM, DATA, 0x7FFFF000, 0x7FFFF024),
    "pipe-largest": wav(PCM, DATA, 0x7FFFFFFF, 0x7FFFFFFF),
    "pipe-half": wav(PCM, DATA, 0x80000000, 0x80000024),
    "pipe-unfinished": wav(PCM, DATA, 0, 8),
    "pipe-part-of-a-frame": wav(PCM, DATA[:47], 0xFFFFFFFF, 0xFFFFFFFF),
    "part-of-a-frame": wav(PCM, DATA[:47] + b"\0", size=47),
    "padding-in-the-size": wav(form(align=3, bits=24), DATA[:46]),
    "pipe-nothing": wav(PCM, b"", 0xFFFFFFFF, 0xFFFFFFFF),
    "nothing": wav(PCM, b""),
    "nothing-and-list": wav(PCM, b"", after=LIST),
    "rf64-unknown-size": wav(PCM, DATA, 0xFFFFFFFF, 0xFFFFFFFF, b"RF64", SIZES),
    "rf64-size-in-chunk": wav(PCM, DATA, 48, 0xFFFFFFFF, b"RF64", SIZES),
}
refused = {
    "cut": wav(PCM, DATA, 100),
    "rf64-cut": wav(PCM, DATA[:40], 0xFFFFFFFF, 0xFFFFFFFF, b"RF64", SIZES),
    "wrong-align": wav(form(align=4), DATA),
    "unknown-subformat": wav(extensible(16, 2, 16, 1, "000000001000800000aa00389b72"), DATA),
    "two-forms": wav(PCM, DATA, before=chunk(b"fmt ", PCM)),
    "form-14": wav(PCM[:14], DATA),
    "no-form": b"RIFF\x38\0\0\0WAVEdata" + struct.pack("<I", 48) + DATA,
    "no-data": wav(PCM, DATA)[:36],
    "no-channels": wav(form(channels=0), DATA),
    "pcm-33-bits": wav(form(align=5, bits=33), DATA[:45]),
    "float-16-bits": wav(form(3, 1, 2, 16), DATA),
}

lines = ["name,channels,frames,rate,sha256,file"]
for name, content in (files | refused).items():
    row = ",,,"
    if name in files and not any(name == f"wav-{kind}-{n}" for kind in UNSUPPORTED for n in (1, 2)):
        values, rate = soundfile.read(io.BytesIO(content), dtype="float32", always_2d=True)
        digest = hashlib.sha256(np.ascontiguousarray(values.T, "<f4").tobytes()).hexdigest()
        row = f"{values.shape[1]},{values.shape[0]},{rate},{digest}"
    lines.append(f"{name},{row},{base64.b64encode(content).decode()}")
OUT.write_text("\n".join(lines) + "\n")
print(len(lines) - 1, "files,", OUT.stat().st_size, "bytes")

"""Writes small WAV files with Python's wave module and SciPy, and what their values are as float32 (NumPy's arithmetic).

Usage: python audio_vectors.py <folder>          (needs numpy and scipy)
"""
import hashlib
import struct
import sys
import wave
from pathlib import Path

import numpy as np
from scipy.io import wavfile

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(7)
rows = ["file,channels,frames,rate,sha256"]


def expect(name, values, rate):
    """values: float32 [channels, frames]"""
    data = np.ascontiguousarray(values, dtype="<f4")
    digest = hashlib.sha256(data.tobytes()).hexdigest()
    rows.append(f"{name},{data.shape[0]},{data.shape[1]},{rate},{digest}")


def pcm(name, width, channels, frames, rate):
    low, high = (0, 256) if width == 1 else (-(1 << (8 * width - 1)), 1 << (8 * width - 1))
    values = random.integers(low, high, size=(frames, channels), dtype=np.int64)
    values[0, 0], values[1, 0] = low, high - 1
    with wave.open(str(folder / name), "wb") as out:
        out.setnchannels(channels)
        out.setsampwidth(width)
        out.setframerate(rate)
        out.writeframes(b"".join(int(v).to_bytes(width, "little", signed=width > 1) for v in values.flat))
    centred = values - 128 if width == 1 else values
    expect(name, (centred / float(1 << (8 * width - 1))).T, rate)


pcm("pcm8-mono.wav", 1, 1, 37, 8000)
pcm("pcm16-stereo.wav", 2, 2, 50, 44100)
pcm("pcm24-mono.wav", 3, 1, 31, 48000)
pcm("pcm32-three.wav", 4, 3, 20, 16000)

for name, kind in (("float32-stereo.wav", np.float32), ("float64-mono.wav", np.float64)):
    shape = (40, 2) if "stereo" in name else (40,)
    values = random.standard_normal(shape).astype(kind)
    wavfile.write(folder / name, 22050, values)
    expect(name, np.atleast_2d(values.T).astype(np.float32), 22050)

# WAVEFORMATEXTENSIBLE with a chunk of odd length before the data, by hand: few programs write it so small.
values = random.integers(-32768, 32768, size=(9, 2), dtype=np.int64)
data = b"".join(int(v).to_bytes(2, "little", signed=True) for v in values.flat)
subformat = struct.pack("<H", 1) + bytes.fromhex("000000001000800000aa00389b71")
form = struct.pack("<HHIIHHHHI", 0xFFFE, 2, 11025, 11025 * 4, 4, 16, 22, 16, 3) + subformat
chunks = b"fmt " + struct.pack("<I", len(form)) + form + b"note" + struct.pack("<I", 3) + b"abc\0"
chunks += b"data" + struct.pack("<I", len(data)) + data
(folder / "extensible.wav").write_bytes(b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks)
expect("extensible.wav", (values / 32768.0).T, 11025)

(folder / "waveforms.csv").write_text("\n".join(rows) + "\n")

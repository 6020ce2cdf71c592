"""A client of `serve` with the standard library alone: a memfd whose buffers it reads as docs/develop/serving.md describes.

python3 buffer_client.py BYTES SEALS   prints {"path", "nonce"}, then answers one JSON request a line until its input ends.
"""
import fcntl
import json
import math
import mmap
import os
import struct
import sys

WIDTHS = {"uint8": 1, "int8": 1, "bool": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2,
          "int32": 4, "float32": 4, "int64": 8, "float64": 8}


def rows(buffer, field, count):
    elements = math.prod(field["shape"])
    width = WIDTHS[field["dtype"]]
    at = field["offset"]
    if field["form"] in ("dense", "bits"):
        size = elements * width if field["form"] == "dense" else (elements + 7) // 8
        return [buffer[at + i * size:at + (i + 1) * size].hex() for i in range(count)]
    entry = elements * width if field["form"] == "ragged" else 4 + width
    start, length = struct.unpack_from("<QQ", buffer, at)
    ends = struct.unpack_from("<%dq" % (count + 1), buffer, field["offsets"])
    assert ends[-1] * entry == length, (ends, entry, length)
    return [buffer[start + a * entry:start + b * entry].hex() for a, b in zip(ends, ends[1:])]


def read(buffer, fields):
    magic, generation, step, epoch, count, planned, padded, position, used, zero, zero2 = struct.unpack_from(
        "<4sIQIIIIQQQQ", buffer)
    return {"magic": magic.decode(), "generation": generation, "step": step, "epoch": epoch, "rows": count,
            "planned": planned, "position": position, "bytes": used, "padded": padded, "zeros": zero | zero2,
            "fields": {field["name"]: rows(buffer, field, count) for field in fields}}


def main():
    size = int(sys.argv[1])
    fd = os.memfd_create("millrace", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.fchmod(fd, 0o600)
    os.ftruncate(fd, size)
    memory = mmap.mmap(fd, size)
    memory[:16] = nonce = os.urandom(16)
    seals = {"shrink": fcntl.F_SEAL_SHRINK, "all": fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL, "none": 0}
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals[sys.argv[2]])
    print(json.dumps({"path": "/proc/%d/fd/%d" % (os.getpid(), fd), "nonce": nonce.hex()}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if "close" in request:
            os.close(fd)
            answer = {}
        elif "size" in request:
            answer = {"size": os.fstat(fd).st_size, "last": memory[-1]}
        else:
            at = request["buffer"] * request["buffer_bytes"]
            answer = read(memory[at:at + request["buffer_bytes"]], request["fields"])
        print(json.dumps(answer), flush=True)


main()

"""Mutated messages, plans and buffers against the decoder: `python -m tests.fuzz N`.

Each case must either be decoded or raise a MillraceError. Reading outside of a buffer would crash the process or fail in numpy.
"""

import json
import random
import struct
import sys

import numpy as np

import millrace
from millrace._batch import Batch
from millrace._plan import Plan
from millrace._protocol import Header, parse_header, parse_json, parse_buffer

from .peer import layout, message, buffer_bytes

ODD = (0, 1, 7, 8, 63, 64, 255, 4096, 1 << 15, 1 << 31, (1 << 32) - 1, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
VALUES = (
    None,
    True,
    False,
    -1,
    0,
    1,
    3,
    64,
    1 << 31,
    1 << 70,
    1.5,
    "",
    "x",
    "int64",
    "ragged",
    "sparse",
    "bits",
    [],
    {},
    [[]],
    [-1],
    [1 << 60],
)


def plan_bytes():
    fields, size = layout(4)
    return json.dumps({
        "protocol": 3, "name": "fuzz", "fingerprint": {"a": "1", "mix": "6: web=1; open ramp 2: code=1/3 web=.5"},
        "sources": [{"name": "web", "size": 60, "first": 0}, {"name": "code", "size": 41, "first": 60}],
        "world": 1, "rank": 0, "batch": 4, "global_batch": 4,
        "epochs": 1, "steps_per_epoch": 10, "steps": 10, "drop_last": True, "samples": 40, "classes": ["a"], "fields": fields,
        "capacity": 4, "buffer_bytes": size, "buffers": 4,
        "transforms": [{"name": "Normalize", "field": "image", "mean": [0.5], "std": [0.5]}, {"name": "MixUp"}],
    }).encode()  # fmt: skip


def mutated(random_, data):
    data = bytearray(data)
    for _ in range(random_.randint(1, 4)):
        way, at = random_.randrange(4), random_.randrange(len(data) or 1)
        if way == 0 and data:
            data[at] = random_.randrange(256)
        elif way == 1 and len(data) >= 8:
            at = random_.randrange(len(data) // 8) * 8
            data[at : at + 8] = struct.pack("<Q", random_.choice(ODD))
        elif way == 2 and len(data) >= 4:
            at = random_.randrange(len(data) // 4) * 4
            data[at : at + 4] = struct.pack("<I", random_.choice(ODD) & 0xFFFFFFFF)
        elif data:
            data[at] ^= 1 << random_.randrange(8)
    return bytes(data)


def changed(random_, value):
    """Changes one value somewhere in JSON."""
    if isinstance(value, (dict, list)) and value and random_.random() < 0.85:
        key = random_.choice(list(value) if isinstance(value, dict) else range(len(value)))
        if random_.random() < 0.05:
            del value[key]
        else:
            value[key] = changed(random_, value[key])
        return value
    return random_.choice(VALUES)


def touch(batch):
    """Reads every field to the last byte."""
    for name in batch.fields:
        value = batch[name]
        if isinstance(value, millrace.Ragged):
            value.values.sum(), [len(row) for row in value.rows()], value.to_padded()
        elif isinstance(value, millrace.Sparse):
            value.dense()
        else:
            np.asarray(value).view(np.uint8).sum(dtype=np.int64)
    len(batch.missing)


def fuzz(cases, seed=1):
    """Runs cases and returns how many were accepted and refused."""
    random_ = random.Random(seed)
    text = plan_bytes()
    plan = Plan.parse(parse_json(2, text))
    fields, _ = layout(4)
    buffer = buffer_bytes(fields, 2, 1, 4)
    headers = [message(kind, 1, 2, 3, 64, flags) for kind in range(15) for flags in (0, 1)]
    counts = {"accepted": 0, "refused": 0}
    np.seterr(all="ignore")
    for _ in range(cases):
        what = random_.random()
        try:
            if what < 0.3:
                parse_header(mutated(random_, random_.choice(headers)))
            elif what < 0.4:
                parse_json(2, mutated(random_, text))
            elif what < 0.5:
                Plan.parse(parse_json(2, json.dumps(changed(random_, json.loads(text))).encode()))
            else:
                data = mutated(random_, buffer)
                used = random_.choice((len(data), random_.randint(64, len(data))))
                header = Header(6, 1, 1, 2, 0, used)
                if random_.random() < 0.9:  # otherwise almost all cases would end at the header
                    whole = bytearray(data)
                    rows = random_.randint(0, 4)
                    struct.pack_into("<4sIQIIII", whole, 0, b"MRB1", 1, 2, 0, rows, 4, 0)
                    struct.pack_into("<QQ", whole, 32, 8, used)
                    data = bytes(whole)
                touch(Batch(plan, parse_buffer(data, 0, header, 4), np.frombuffer(data, np.uint8, used).copy()))
            counts["accepted"] += 1
        except millrace.MillraceError:
            counts["refused"] += 1
    return counts


if __name__ == "__main__":
    print(fuzz(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000, int(sys.argv[2]) if len(sys.argv) > 2 else 1))

"""Writes operators/src/test/resources/vectors/dataset/json/values.jsonl: JSON texts with the value that Python's json.loads gives, as
the numpy array of a sample's field, or "bad". Python 3.11, numpy 2.

    python operators/src/test/python/json_vectors.py
"""

import base64
import json
import pathlib

import numpy as np

OUT = pathlib.Path(__file__).parent.parent / "resources/vectors/dataset/json"

TEXTS = [
    # numbers
    "1", "-1", "0", "-0", "9223372036854775807", "-9223372036854775808", "1.0", "1.5", "-0.0", "1e3", "1E-3", "1e400", "-1e400",
    "5e-324", "1e-400", "0.1", "123456789012345678.0", "9007199254740993.0", "true", "false", "[true, false]",
    # not finite
    "NaN", "Infinity", "-Infinity", "[1, NaN]", "[NaN, Infinity, -Infinity]", " [ NaN ] ", "INF", "-INF", "+INF", "+Infinity", "-NaN", "nan",
    "inf", "[1, INF]", "[NaN1]",
    # lists
    "[]", "[1, 2, 3]", "[1, 2.5]", "[[1, 2], [3, 4]]", "[[1, 2], [3]]", "[[1, 2], 3]", "[1, [2]]", "[[]]", "[[], []]", "[[], [1]]",
    "[1, null]", "[1, true]", "[true, 1]", "[1, \"a\"]", "[[[1]]]",
    # whole numbers beyond 64 bits
    "9223372036854775808", "-9223372036854775809", "18446744073709551615", "[1, 9223372036854775808]", "[0.5, 9223372036854775808]",
    "[0.5, 18446744073709551615]", "[0.5, 9223372036854776833]", "[0.5, 9007199254740993]", "[0.5, -9223372036854775809]",
    "[0.5, 1" + "0" * 308 + "]", "[0.5, 1" + "0" * 309 + "]", "1" + "0" * 400, "[0.5, 1" + "0" * 4400 + "]",
    # texts and objects
    '"a"', '""', '"\\u00e9\\ud83d\\ude00"', '"\\ud800"', '"a\tb"', '"a\\tb"', '"\\x"', '{"a": 1}', "null",
    # what follows and precedes
    "1 2", "1,", "[1] [2]", "[1]x", "[1]\n \r\t\n", "[1]\x00", "\x0b[1]", "", "   ", "\n", "[1", "[1,", "[1,]", "[,1]", "{", '{"a"', '{"a":',
    '{"a":1', '{"a":1,}', "[1}", "]", "tru", "truex", "nul", "-", "[-]", "+1", "01", "-01", "1.", ".5", "1e", "0x1", "1_0", "'a'", "{a: 1}",
    "/* c */ 1", "1 // c", "# c\n1",
    "[" * 100 + "]" * 100, "[" * 2000 + "]" * 2000, '{"a":' * 2000 + "1" + "}" * 2000,
]
BYTES = [
    b"\xef\xbb\xbf[1]", "[1]".encode("utf-16"), "[1]".encode("utf-16-le"), "[1]".encode("utf-32-be"), b'"\xff"', b'["\xc3\xa9"]', b'"\xc3\xa9"',
    b"\xef\xbb\xbf", b"[1]\xef\xbb\xbf", b"[1]\x1a", b"\x00", b"[1]\xff",
]
# The same values under a name, of which the last one counts.
NAMED = ['{"x": 1, "x": 2.5}', '{"x": [1, 2], "y": NaN}', '{"y": 1}', '{"x": null}', '{"x": 1} {"x": 2}', '{"x": NaN} ', '{"x": INF}',
         '{"x": {"b": NaN, "a": [1.5, -Infinity]}}']


def value(text, path):
    try:
        found = json.loads(text)
        found = found["x"] if path else found
    except (ValueError, KeyError, RecursionError, TypeError):
        return "bad"
    if found is None:
        return "bad"
    if isinstance(found, str):
        return text_of(found)
    if isinstance(found, dict):
        return text_of(json.dumps(found, separators=(",", ":")))
    try:
        array = np.array(found)
    except (ValueError, OverflowError):
        return "bad"
    flat = np.array(found, dtype=object).reshape(-1).tolist()
    if len({isinstance(one, bool) for one in flat}) > 1 or any(not isinstance(one, (bool, int, float)) for one in flat):
        return "bad"
    if all(isinstance(one, bool) for one in flat) and flat:
        return numbers(array.astype(np.bool_))
    if all(isinstance(one, int) for one in flat):
        whole = all(-2**63 <= one < 2**63 for one in flat)
        return numbers(np.array(found, np.int64)) if whole else "bad"  # would lose digits
    try:
        return numbers(np.array([float(one) for one in flat]).reshape(array.shape))
    except OverflowError:
        return "bad"


def text_of(text):
    try:
        return {"text": text.encode().hex()}
    except UnicodeEncodeError:
        return "bad"


def numbers(array):
    return {"dtype": str(array.dtype), "shape": list(array.shape), "data": array.tobytes().hex()}


OUT.mkdir(parents=True, exist_ok=True)
cases = [("", text.encode()) for text in TEXTS] + [("", text) for text in BYTES] + [("x", text.encode()) for text in NAMED]
with open(OUT / "values.jsonl", "w") as out:
    for path, text in cases:
        out.write(json.dumps({"path": path, "json": base64.b64encode(text).decode(), "value": value(text, path)}) + "\n")

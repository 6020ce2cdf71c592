"""Makes vectors/dataset/jsonl: a file of odd lines, plain, .gz and .zst, and what Python's json reads in each line, strictly and with
replacement. Made with Python 3.12 and pyarrow 25 (for Zstandard); run from the repository's root."""

import gzip
import json
import pathlib

import pyarrow

FOLDER = pathlib.Path("operators/src/test/resources/vectors/dataset/jsonl")
FOLDER.mkdir(parents=True, exist_ok=True)

LINES = [
    b'{"text": "first"}',
    b'{"text": "CR LF"}\r',
    b"",
    b" \t\r",
    b'  {"id": 3, "text": "spaces around"}  ',
    '{"text": "ünïcödé 你好 😀"}'.encode(),
    b'{"text": "\\u00e9\\ud83d\\ude00\\n\\t\\"\\\\\\/"}',
    b'{"text": "escaped \\u0000 and \\u2028"}',
    b'{"text": "lone \\ud800 half"}',
    b'{"text": "lone \\udc00"}',
    b'{"text": "reversed \\ude00\\ud83d"}',
    b'{"text": "\\\\ud800 is no escape"}',
    b'{"text": "not UTF-8 \xff\xfe"}',
    b'{"text": "latin \xe9t\xe9"}',
    b'{"text": "overlong \xc0\x80 and \xe0\x80\xaf"}',
    b'{"text": "encoded surrogate \xed\xa0\x80"}',
    b'{"text": "above \xf4\x90\x80\x80"}',
    b'{"text": "cut off \xe4\xbd"}',
    b'{"text": "four of \xf0\x9f\x98"}',
    b'{"text": "control \x01"}',
    b'{"text": "a byte \x00"}',
    b'\x00{"text": "x"}',
    b'{"text": "tab\there"}',
    b'{"text": ""}',
    b'{"text": null}',
    b'{"text": 5}',
    b'{"text": true}',
    b'{"text": ["a"]}',
    b'{"text": {"a": "b"}}',
    b'{"content": "no member"}',
    b'{"text": "one", "text": "two"}',
    b'{"text": "one", "text": null}',
    b'{"TEXT": "case"}',
    b'{"te\\u0078t": "escaped name"}',
    b'{"a": {"text": "inner"}, "text": "outer", "b": [{"text": "c"}]}',
    b'{"n": 1e999, "m": -1e999, "k": 123456789012345678901234567890, "text": "numbers"}',
    b'{"n": NaN, "m": Infinity, "k": -Infinity, "text": "not finite"}',
    b'{"n": INF, "text": "no number"}',
    b'{"n": 01, "text": "leading zero"}',
    b'{"n": +1, "text": "plus"}',
    b'{"n": .5, "text": "no digit"}',
    b'{"n": 1., "text": "no digit after"}',
    b'{"text": "trailing comma",}',
    b"{'text': 'single quotes'}",
    b'{text: "no quotes"}',
    b'{"text": "comment"} // x',
    b'{"text": "two"} {"text": "values"}',
    b'{"text": "two values"}]',
    b'{"text": "cut',
    b'{"text": "cut"',
    b'{"text": "bad escape \\x"}',
    b'{"text": "bad escape \\u12"}',
    b'["text", "list"]',
    b'"text"',
    b"5",
    b"null",
    b"true",
    b"{}",
    b"{",
    b"}",
    b"text",
    b"\xc2\xa0",
    b'{"text": "' + b"long " * 3000 + b'"}',
    b'{"deep": ' + b"[" * 500 + b"]" * 500 + b', "text": "deep"}',
    b'{"text": "mark \xef\xbb\xbf in the middle"}',
    b'\xef\xbb\xbf{"text": "mark of a file that was appended"}',
    '{"text": "nel \x85, \u2028 and \u2029 end no line"}'.encode(),
    b'{"text": "vertical \x0b tab"}',
    b'\x0c{"text": "form feed before"}',
    b'{"text": "record separator"}\x1e',
    b'\x1e{"text": "record separator of RFC 7464"}',
    b'{"n": 1' + b"0" * 2000 + b', "text": "2001 digits"}',
    b'{"n": 1' + b"0" * 5000 + b', "text": "5001 digits"}',
    b'{"n": -0, "m": 1E400, "text": "negative zero"}',
    b'{"n": 0x10, "text": "hexadecimal"}',
    b'{"n": nan, "text": "small letters"}',
    b'{"n": -NaN, "text": "negative"}',
    b'{"text": "comma after the object"},',
    b'{"text": "half \\uD83D\\u0041"}',
    b'{"text": "only CR"}\r{"text": "between"}',
    b'{"": "no name", "text": "member without a name"}',
    b'{"text": "delete \x7f"}',
    b'{"text": "no line end"}',
]


def strict(line):
    value = json.loads(line.decode())
    text = value["text"]
    if not isinstance(text, str) or not text:
        raise ValueError("no document")
    text.encode()
    return text


def replaced(line):
    value = json.loads(line.decode(errors="replace"))
    text = value["text"]
    if not isinstance(text, str) or not text:
        raise ValueError("no document")
    return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)


def result(read, line):
    try:
        return read(line)
    except (ValueError, KeyError, TypeError):
        return None


data = b"\xef\xbb\xbf" + b"\n".join(LINES)
(FOLDER / "odd.jsonl").write_bytes(data)
(FOLDER / "odd.jsonl.gz").write_bytes(gzip.compress(data[:1000], mtime=0) + gzip.compress(data[1000:], mtime=0))
(FOLDER / "odd.jsonl.zst").write_bytes(pyarrow.compress(data, codec="zstd", asbytes=True))
expected = []
offset = 3
for number, line in enumerate(LINES):
    if line.strip(b" \t\r"):
        expected.append(
            {"line": number + 1, "offset": offset, "strict": result(strict, line), "replaced": result(replaced, line)}
        )
    offset += len(line) + 1
(FOLDER / "odd.json").write_text(json.dumps(expected, indent=0) + "\n")
good = sum(row["strict"] is not None for row in expected)
print(len(expected), "lines,", good, "of them good;", sum(row["replaced"] is not None for row in expected), "with replacement")

"""Makes vectors/dataset/text: files of odd texts, plain, .gz and .zst, and what Python's re and UTF-8 decoder read between separators.
Made with Python 3.11 and pyarrow 25 (for Zstandard); run from the repository's root."""

import gzip
import json
import pathlib
import re

import pyarrow

FOLDER = pathlib.Path("operators/src/test/resources/vectors/dataset/text")
FOLDER.mkdir(parents=True, exist_ok=True)

MARK = b"\xef\xbb\xbf"
FILES = {
    "lines.txt": MARK + "first\nünï 你好 😀\r\n\r\n \t\n  spaces around  \nnel \x85 and \u2028 and \u2029 \x0b \x0c stay\n".encode()
    + b"\xff not UTF-8\n\xed\xa0\x80 surrogate\nCR\ralone\r\nmark \xef\xbb\xbf in the middle\nzero \x00 byte\n\r\r\n\xc2\xa0\nno line end",
    "paragraphs.txt": b"a\nb\n\nc\r\nd\r\n\r\ne\n\n\nf\n\n\n\ng\n \nh\r\n\ni\n\r\nj\n\r\n\r\n\r\n\nk\n\n",
    "marks.txt": b"<|endoftext|>one\n<|endoftext|><|endoftext|>\n<|endoftext|>two <|endoftext| > <<|endoftext|>three <|endoftext|",
    "runs.txt": b"x=====y======z==\n==\r\n===",
    "marked.txt": MARK + b"\n\n",
    "spaces.txt": b" \n\t\r\n",
    "empty.txt": b"",
    "whole.txt": MARK + b"one\r\n\ntwo",
}
CASES = [
    ("lines.txt", "\n"),
    ("lines.txt", "\n\n"),
    ("lines.txt", "never"),
    ("paragraphs.txt", "\n"),
    ("paragraphs.txt", "\n\n"),
    ("paragraphs.txt", "\r\n"),
    ("paragraphs.txt", "\n\n\n"),
    ("marks.txt", "<|endoftext|>"),
    ("marks.txt", "\n<|endoftext|>"),
    ("marks.txt", "o"),
    ("runs.txt", "=="),
    ("runs.txt", "==="),
    ("runs.txt", "==\n=="),
    ("marked.txt", "\n"),
]


def text(data, errors):
    try:
        return data.decode("utf-8", errors) or None
    except UnicodeDecodeError:
        return None


cases = []
for name, separator in CASES:
    data = FILES[name]
    pattern = re.sub(rb"(?<!\r)\n", rb"\\r?\\n", re.sub(rb"([|<>=])", rb"\\\1", separator.encode()))
    bounds = [match.span() for match in re.finditer(pattern, data)] + [(len(data), len(data))]
    start, documents = 0, []
    for number, (end, after) in enumerate(bounds):
        piece = data[start:end]
        if piece.strip(b" \t\r\n"):
            offset = start
            if start == 0 and piece.startswith(MARK):
                piece, offset = piece[3:], 3
            documents.append(
                {"number": number + 1, "offset": offset, "strict": text(piece, "strict"), "replaced": text(piece, "replace")}
            )
        start = after
    cases.append({"file": name, "separator": separator, "documents": documents})
    print(name, repr(separator), len(documents), "documents")
for name, data in FILES.items():
    (FOLDER / name).write_bytes(data)
data = FILES["lines.txt"]
(FOLDER / "lines.txt.gz").write_bytes(gzip.compress(data[:50], mtime=0) + gzip.compress(data[50:], mtime=0))
(FOLDER / "lines.txt.zst").write_bytes(pyarrow.compress(data, codec="zstd", asbytes=True))
(FOLDER / "documents.json").write_text(json.dumps(cases, indent=0) + "\n")

"""Compares the speed of Millrace's engine with that of `tokenizers`, round by round in turn, on one thread each:

python operators/src/test/python/tokenizer_speed.py documents DOCUMENTS SEED BYTES PATTERN...
python operators/src/test/python/tokenizer_speed.py compare CLASSPATH DOCUMENTS ROUNDS TOKENIZER...

The first command writes documents of files, in an order and a choice that SEED decides: the messages of `.mo` files, HTML without its
tags, and all other files as they are. In the second one, a round of Millrace begins with an empty cache. The first rounds of Millrace, in
which the JVM compiles, are not counted. Times are CPU times.
"""

import gettext
import glob
import html
import os
import random
import re
import statistics
import struct
import subprocess
import sys
import time
from pathlib import Path

os.environ["TOKENIZERS_PARALLELISM"] = "false"

from tokenizers import Tokenizer

WARMING = 3


def text_of(path):
    """Returns the text of a file."""
    if path.endswith(".mo"):
        try:
            with open(path, "rb") as file:
                messages = gettext.GNUTranslations(file)._catalog
        except UnicodeDecodeError:
            return ""  # a file in another encoding than it states
        return "\n".join(value for value in messages.values() if isinstance(value, str))
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    if path.endswith(".html"):
        text = re.sub(r"\n\s*\n+", "\n\n", html.unescape(re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", "", text)))
    return text


def write(out, seed, size, patterns):
    """Writes documents of at most 100,000 characters, each pattern with its share of the bytes, and prints the shares."""
    numbers, made = random.Random(seed), []
    for pattern in patterns:
        paths = sorted(filter(os.path.isfile, glob.glob(pattern, recursive=True)))
        numbers.shuffle(paths)
        left = size // len(patterns)
        for path in paths:
            document = text_of(path)[:100_000].encode()
            made.append(document)
            left -= len(document)
            if left <= 0:
                break
        print(f"{pattern}: {(size // len(patterns) - left) / 1e6:.1f} MB")
    numbers.shuffle(made)
    Path(out).write_bytes(b"".join(struct.pack(">i", len(document)) + document for document in made))


def documents(path):
    """Returns the documents of a file."""
    data = Path(path).read_bytes()
    found, at = [], 0
    while at < len(data):
        (length,) = struct.unpack_from(">i", data, at)
        found.append(data[at + 4 : at + 4 + length].decode())
        at += 4 + length
    return found


class Millrace:
    """A process that encodes all documents for each line that it reads."""

    def __init__(self, classpath, path, spec):
        command = ["java", "-XX:+UseSerialGC", "-Xmx2g", "-cp", classpath, "io.millrace.text.TokenizerBenchmark", "speed", path, spec]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        print(self.process.stdout.readline().strip())

    def round(self):
        """Returns bytes, tokens and seconds of CPU time."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        size, tokens, nanos = map(int, self.process.stdout.readline().split())
        return size, tokens, nanos / 1e9


def compare(classpath, path, rounds, specs):
    """Prints the median speed of both, the range, and the ratio of the medians."""
    texts = documents(path)
    for spec in specs:
        library = Tokenizer.from_file(spec)
        own = Millrace(classpath, path, spec)
        for _ in range(WARMING):
            own.round()
        speeds = {"millrace": [], "tokenizers": []}
        for _ in range(int(rounds)):
            size, tokens, seconds = own.round()
            speeds["millrace"].append(size / seconds / 1e6)
            began, made = time.process_time(), 0
            for text in texts:
                made += len(library.encode(text, add_special_tokens=False).ids)
            speeds["tokenizers"].append(size / (time.process_time() - began) / 1e6)
            if made != tokens:
                raise AssertionError(f"{spec}: {tokens} tokens by Millrace, {made} by tokenizers")
        own.process.stdin.close()
        own.process.wait()
        medians = {name: statistics.median(values) for name, values in speeds.items()}
        for name, values in speeds.items():
            print(f"  {name}: {medians[name]:.2f} MB/s ({min(values):.2f} to {max(values):.2f})")
        print(f"  ratio {medians['millrace'] / medians['tokenizers']:.1f}, {size / tokens:.2f} bytes a token, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    if sys.argv[1] == "documents":
        write(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:])
    else:
        compare(*sys.argv[2:5], sys.argv[5:])

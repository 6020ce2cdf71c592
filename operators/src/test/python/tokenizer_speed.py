"""Compares the speed of Millrace's engine with that of `tokenizers`, round by round in turn, on one thread each:
python operators/src/test/python/tokenizer_speed.py CLASSPATH DOCUMENTS ROUNDS TOKENIZER...

DOCUMENTS is a file that tokenizer_differences.py writes. A round of Millrace begins with an empty cache. The first rounds of Millrace, in which
the JVM compiles, are not counted. Times are CPU times.
"""

import os
import statistics
import struct
import subprocess
import sys
import time
from pathlib import Path

os.environ["TOKENIZERS_PARALLELISM"] = "false"

from tokenizers import Tokenizer

WARMING = 3


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


def main():
    """Prints the median speed of both, the range, and the ratio of the medians."""
    classpath, path, rounds, *specs = sys.argv[1:]
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
    main()

"""Writes classes.txt: the ranges of the classes of characters that patterns name, as the tokenizers library sees them. The class D holds
the numbers that only its pre-tokenizer Digits knows, because it has a newer Unicode.

    python class_table.py ../../main/resources/io/millrace/text/classes.txt

The script fails if tiktoken's regular expressions see other classes than the library's.
"""

import sys

import tiktoken
from tokenizers import Regex, pre_tokenizers

CLASSES = {
    "U": r"\p{Lu}\p{Lt}",
    "B": r"\p{Ll}",
    "L": r"\p{Lm}\p{Lo}",
    "M": r"\p{M}",
    "N": r"\p{N}",
    "S": r"\s",
    "P": r"\p{P}\p{S}",
}
points = [p for p in range(0x110000) if not 0xD800 <= p < 0xE000]
text = "".join(map(chr, points))


def library(pattern):
    """Returns the characters of a class, as the library sees them."""
    split = pre_tokenizers.Split(Regex(f"[^{pattern}]"), "removed")
    return "".join(piece for piece, _ in split.pre_tokenize_str(text))


def tiktokens(pattern):
    """Returns the same of tiktoken, whose encodings leave out what their pattern does not match."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("classes", pat_str=f"[{pattern}]", mergeable_ranks=ranks, special_tokens={})
    return "".join(
        bytes(encoding.encode_ordinary(text[place : place + 10_000])).decode() for place in range(0, len(text), 10_000)
    )


def ranges(name, characters):
    """Returns the lines of a class."""
    lines = []
    start = last = ord(characters[0])
    for point in [*map(ord, characters[1:]), -1]:
        if point != last + 1:
            lines.append(f"{name} {start:X} {last:X}")
            start = point
        last = point
    return lines


lines = []
for name, pattern in CLASSES.items():
    found = library(pattern)
    if tiktokens(pattern) != found:
        raise SystemExit(f"{pattern}: tiktoken differs in {sorted(set(found) ^ set(tiktokens(pattern)))}")
    lines += ranges(name, found)
digits = pre_tokenizers.Digits(individual_digits=True)
pieces = {piece for piece, _ in digits.pre_tokenize_str("a".join(text)) if "a" not in piece}
newer = sorted(pieces - set(library(CLASSES["N"])))
if set(library(CLASSES["N"])) - pieces or set(library("".join(CLASSES.values()))) & set(newer):
    raise SystemExit("Digits lacks numbers, or sees characters of other classes")
lines += ranges("D", newer)
with open(sys.argv[1], "w", encoding="ascii") as out:
    out.write("\n".join(lines) + "\n")

"""Writes classes.txt: the ranges of letters (L), numbers (N) and white space (S), as the tokenizers library sees them.

    python class_table.py ../../main/resources/io/millrace/text/classes.txt
"""

import sys

from tokenizers import Regex, pre_tokenizers

points = [p for p in range(0x110000) if not 0xD800 <= p < 0xE000]
text = "".join(map(chr, points))
lines = []
for name, pattern in (("L", r"\p{L}"), ("N", r"\p{N}"), ("S", r"\s")):
    split = pre_tokenizers.Split(Regex(f"[^{pattern}]"), "removed")
    found = [ord(c) for piece, _ in split.pre_tokenize_str(text) for c in piece]
    start = last = found[0]
    for point in [*found[1:], -1]:
        if point != last + 1:
            lines.append(f"{name} {start:X} {last:X}")
            start = point
        last = point
with open(sys.argv[1], "w", encoding="ascii") as out:
    out.write("\n".join(lines) + "\n")

"""Writes nfc.txt: the characters that the library's normalizer NFC may change (A), and those that may compose anew with one of them (F).

    python nfc_table.py ../../main/resources/io/millrace/text/nfc.txt

The library has the tables of Unicode 9. A character that Unicode has added since is of neither kind.
"""

import sys
import unicodedata

from tokenizers import normalizers

nfc = normalizers.NFC().normalize_str
nfd = normalizers.NFD().normalize_str
points = [chr(point) for point in range(0xA0, 0x110000) if not 0xD800 <= point < 0xE000]
decompositions = {
    mark: tuple(chr(int(part, 16)) for part in unicodedata.decomposition(mark).split())
    for mark in points
    if unicodedata.decomposition(mark) and not unicodedata.decomposition(mark).startswith("<")
}
pairs = [pair for composed, pair in decompositions.items() if len(pair) == 2 and nfc("".join(pair)) == composed]
# Hangul is composed by a rule: consonants and vowels make syllables, which more consonants complete.
first = {pair[0] for pair in pairs} | {point for point in points if nfd(point) != point and nfc(point) == point}
first |= {chr(point) for point in range(0x1100, 0x1113)}
second = {pair[1] for pair in pairs} | {chr(point) for point in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}


def moves(mark):
    """Returns whether the library sorts a mark before or after others, of classes 1, 230 and 240."""
    orders = [("q" + mark + other, "q" + other + mark) for other in "\u0334\u0301\u0345"]
    return any(nfc(one) == two or nfc(two) == one for one, two in orders)


changing = [point for point in points if nfc(point) != point or point in second or moves(point)]
if changing[0] < "\u0300":
    raise SystemExit(f"expected no changes of characters below U+0300, found {changing[0]!r}")
lines = []
for name, characters in (("A", changing), ("F", sorted(first))):
    start = last = ord(characters[0])
    for point in [*map(ord, characters[1:]), -1]:
        if point != last + 1:
            lines.append(f"{name} {start:X} {last:X}")
            start = point
        last = point
with open(sys.argv[1], "w", encoding="ascii") as out:
    out.write("\n".join(lines) + "\n")

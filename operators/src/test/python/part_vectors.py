"""Divides samples into parts with hashlib and fractions, and writes who belongs where for PartDatasetTest.

The rules are those of docs/data/parts.md: python3 part_vectors.py, in this folder.
"""

import hashlib
import json
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

TARGET = Path(__file__).parent.parent / "resources/vectors/dataset/parts/parts.json"
PARTS = [("train", Fraction(7, 10)), ("validation", Fraction(2, 10)), ("test", Fraction(1, 10))]


def hashed(seed, unit):
    return int.from_bytes(hashlib.sha256(f"{seed}/{unit}".encode()).digest()[:8], "big")


def part_at(place):
    end = Fraction(0)
    for name, fraction in PARTS:
        end += fraction
        if place < end:
            return name
    return None


def plain(seed, units):
    return [part_at(Fraction(hashed(seed, unit), 2**64)) for unit in units]


def stratified(seed, units, labels):
    members = defaultdict(list)
    for i, unit in enumerate(units):
        members[hashed(seed, unit)].append(i)
    strata = defaultdict(list)
    for group in sorted(members):
        counts = Counter(labels[i] for i in members[group])
        strata[min(counts, key=lambda label: (-counts[label], label))].append(group)
    chosen = [None] * len(units)
    for groups in strata.values():
        total = sum(len(members[group]) for group in groups)
        passed = 0
        for group in groups:
            size = len(members[group])
            part = part_at(Fraction(2 * passed + size, 2 * total))
            passed += size
            for i in members[group]:
                chosen[i] = part
    return chosen


def main():
    count = 300
    names = [f"{'cat' if i % 3 else 'dog'}/{i // 4}-häuser/{i}.png" for i in range(count)]
    labels = [(i * i) % 3 for i in range(count)]
    folders = [name[: name.rindex("/")] for name in names]
    vectors = {
        "names": names,
        "labels": labels,
        "index": plain(0, range(count)),
        "index_seed_7": plain(7, range(count)),
        "name": plain(0, names),
        "folder": plain(0, folders),
        "stratified": stratified(0, names, labels),
        "stratified_folder": stratified(0, folders, labels),
    }
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(json.dumps(vectors, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

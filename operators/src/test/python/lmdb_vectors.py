"""Writes the databases of operators/src/test/resources/vectors/dataset/lmdb with LMDB's own mdb_load (package
lmdb-utils), and rows.json: keys and values in order, values as hexadecimal digits.

    python operators/src/test/python/lmdb_vectors.py
"""

import json
import pathlib
import random
import subprocess

OUT = pathlib.Path(__file__).parent.parent / "resources/vectors/dataset/lmdb"
random.seed(3)
MAGIC = b"\xff\xd8\xff"


def write(name, rows, *flags):
    dump = ["VERSION=3", "format=bytevalue", "type=btree", "mapsize=1048576", "maxreaders=126", *flags,
            "HEADER=END"]
    for key, value in rows:
        dump += [" " + key.encode().hex(), " " + value.hex()]
    dump.append("DATA=END")
    target = OUT / name
    target.unlink(missing_ok=True)
    subprocess.run(["mdb_load", "-n", str(target)], input="\n".join(dump).encode() + b"\n", check=True)
    (OUT / "data.mdb-lock").unlink(missing_ok=True)


OUT.mkdir(parents=True, exist_ok=True)
# Small values in the leaves, large ones on pages of their own; enough keys for branches.
rows = [(f"{['ant', 'bee'][i >= 70]}/{i:05d}.jpg", MAGIC + random.randbytes(5000 if i % 29 == 0 else random.choice([0, 40, 200])))
        for i in range(120)]
write("classes.mdb", sorted(rows))
write("empty.mdb", [])
# Key k2 has three values on a page within its leaf, and k5 has so many that they are a tree of their own.
several = [(f"k{i}", b"v%d-%d" % (i, j)) for i in range(8) for j in range({2: 3, 5: 900}.get(i, 1))]
write("several.mdb", sorted(several), "dupsort=1")
(OUT / "rows.json").write_text(json.dumps([{"key": key, "value": value.hex()} for key, value in sorted(rows)]) + "\n")
for lock in OUT.glob("*-lock"):
    lock.unlink()

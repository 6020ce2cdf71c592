"""Writes what CsvReaderTest and NameOrderTest read: python folder_vectors.py ../resources/vectors/dataset/folder

Files of comma-separated values as Python's csv module and pandas write them, with the values that csv reads (Python 3.11,
pandas 3.0), and names in the order of Python's sorted. NAME.json belongs to NAME.csv.
"""

import csv
import io
import json
import pathlib
import sys

import pandas

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
CAPTIONS = ["plain", 'say "hi"', "a, b", "two\nlines", "two\r\nlines", "", " spaces ", "caf\u00e9 \U0001f600", '"', "\n", "a\rb"]
rows = [["file", "label", "caption"]] + [[f"{i}.png", f"{i}.0", caption] for i, caption in enumerate(CAPTIONS)]


def write(name, text):
    data = text.encode()
    (folder / f"{name}.csv").write_bytes(data)
    values = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    (folder / f"{name}.json").write_text(json.dumps(values))


for name, options in {
    "unix": {"lineterminator": "\n"},
    "excel": {},
    "all-quoted": {"quoting": csv.QUOTE_ALL},
}.items():
    out = io.StringIO(newline="")
    csv.writer(out, **options).writerows(rows)
    write(name, out.getvalue())
write("pandas", pandas.DataFrame(rows[1:], columns=rows[0]).to_csv(index=False))
write("byte-order-mark", "\ufefffile,label\r\n1.png,0\r\n")
write("no-last-line-end", 'file,label,caption\n1.png,0,"a"\n2.png,1,b')
write("old-mac", 'file,label\r1.png,0\r"2\r.png",1\r')
write("quote-inside", 'file,label\n5" nail.png,0\na"b",1\n')

names = ["cat", "Cat", "cat ", "dog", "10", "2", "1", "a/b", "a-b", "a", "", "\u00e9", "e\u0301", "\uff5e", "\U0001f600", "\U00020000"]
names += ["\ue000", "\ufb01", "\ud7ff", "a\U0001f600", "a\uffee", "\U0001f600a", "\U0001f600\uff5e", "\U0001f601", "z"]
(folder / "names.json").write_text(json.dumps({"names": names, "sorted": sorted(names)}))

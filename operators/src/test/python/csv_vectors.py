"""Writes the tables that CsvDatasetTest reads, and what pandas reads from them: python operators/src/test/python/csv_vectors.py

pandas 3.0 with its defaults for missing values (expected with `missing: nan`), and without them (expected otherwise).
"""

import gzip
import json
import pathlib

import pandas as pd

OUT = pathlib.Path(__file__).parent.parent / "resources/vectors/dataset/csv"

TABLES = {
    "plain.csv": "age,fare,alive,name,label\n22,7.25,True,Braund,0\n38,71.2833,False,Cumings,1\n26,8,True,Heikkinen,2\n",
    "quotes.csv": 'id,text,label\r\n1,"a, ""b""",x\r\n2,"two\nlines, and ""more""\r\nthree",y\r\n3," spaces ",x\r\n',
    "semicolons.csv": "\ufeffa;b;label\n1;2,5;3\n4;6,5;7\n",
    "tabs.tsv": "a\tb\tlabel\n1\tx,y\t0\n-2\tz\t1\n",
    "old-mac.csv": "a,b,label\r1,2.5,0\r3,4.5,1\r",
    "empties.csv": "a,b,c,d,label\n1,,x,True,0\n,2.5,,False,1\n3,NA,NA,True,1\n",
    "numbers.csv": "a,b,c,d,label\n007,1e3,inf,9223372036854775807,0\n+5,-.5,-inf,1,1\n-0,5.,nan,2,1\n",
    "no-end.csv": 'a,label\n1,"x"\n\n2,"y"',
    "packed.csv.gz": "a,label\n1,0\n2,1\n",
}


def kind(series):
    return {"i": "whole", "f": "decimal", "b": "truth"}.get(series.dtype.kind, "text")


def described(path, **options):
    separator = {"semicolons.csv": ";", "tabs.tsv": "\t"}.get(path.name, ",")
    table = pd.read_csv(path, sep=separator, encoding="utf-8-sig", **options)
    columns = {}
    for name in table.columns:
        values = [None if isinstance(value, float) and value != value else value for value in table[name].tolist()]
        columns[name] = {"kind": kind(table[name]), "values": [repr(v) if isinstance(v, float) else v for v in values]}
    return columns


OUT.mkdir(parents=True, exist_ok=True)
expected = {}
for name, text in TABLES.items():
    content = text.encode()
    (OUT / name).write_bytes(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)
    expected[name] = described(OUT / name)
(OUT / "pandas.json").write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n")

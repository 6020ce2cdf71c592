"""Writes the ids that tiktoken makes of odd texts with the vocabularies that Millrace has: tiktoken_ids.json.

    python tiktoken_vectors.py FOLDER ../resources/vectors/text

FOLDER has the files that ranks.py reads.
"""

import json
import pathlib
import random
import sys

import tiktoken
import tiktoken.load
import tiktoken_ext.openai_public as public
from pretoken_vectors import PIECES


def from_folder(file, **_):
    """Stands for tiktoken's download."""
    return tiktoken.load.load_tiktoken_bpe(str(pathlib.Path(sys.argv[1], file.rpartition("/")[2])))


public.load_tiktoken_bpe = from_folder
rng = random.Random(36)
pieces = [*PIECES, "<|endoftext|>", " internationalization", "-" * 75, " " * 90, "a" * 300]
texts = [*pieces, *("".join(rng.choices(pieces, k=rng.randint(2, 12))) for _ in range(100))]
ids = {}
for name in ("r50k_base", "cl100k_base", "o200k_base"):
    encoding = tiktoken.Encoding(**public.ENCODING_CONSTRUCTORS[name]())
    ids[name] = [encoding.encode_ordinary(text) for text in texts]
    ids[name + " size"] = encoding.n_vocab
pathlib.Path(sys.argv[2], "tiktoken_ids.json").write_text(json.dumps({"texts": texts, "ids": ids}, separators=(",", ":")) + "\n")

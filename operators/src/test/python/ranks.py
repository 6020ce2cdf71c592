"""Writes the tokens of the vocabularies of OpenAI (MIT licence) as resources: each is its length in a byte and its bytes, deflated.

    python ranks.py FOLDER ../../main/resources/io/millrace/text

FOLDER has the files r50k_base.tiktoken, cl100k_base.tiktoken and o200k_base.tiktoken. The jar
com.knuddels:jtokkit:1.1.0 contains them. Their SHA-256 are those that tiktoken expects.
"""

import base64
import hashlib
import pathlib
import re
import sys
import zlib

import tiktoken_ext.openai_public

SOURCE = pathlib.Path(tiktoken_ext.openai_public.__file__).read_text()
for name in ("r50k_base", "cl100k_base", "o200k_base"):
    data = pathlib.Path(sys.argv[1], f"{name}.tiktoken").read_bytes()
    expected = re.search(rf'{name}\.tiktoken",\s*expected_hash="(\w+)"', SOURCE)[1]
    if hashlib.sha256(data).hexdigest() != expected:
        raise SystemExit(f"{name}: expected the SHA-256 {expected}, found {hashlib.sha256(data).hexdigest()}")
    tokens = []
    for line in data.split(b"\n"):
        if line:
            token, rank = line.split()
            assert int(rank) == len(tokens)
            tokens.append(base64.b64decode(token))
    plain = b"".join(bytes([len(token)]) + token for token in tokens)
    pathlib.Path(sys.argv[2], f"{name}.deflate").write_bytes(zlib.compress(plain, 9))

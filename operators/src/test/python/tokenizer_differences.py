"""Compares Millrace's tokenizers with the libraries that they were made for, on adversarial documents.

python tokenizer_differences.py ids|pretokens CLASSPATH FOLDER NUMBER SEED PIECES TOKENIZER... makes NUMBER documents of up to PIECES pieces
from SEED, in parts, has Millrace write their ids, or the lengths of their pretokens, and compares these with those of tokenizers (*.json), sentencepiece (*.model)
and tiktoken (names, files of ranks, and *tekken*.json; TIKTOKEN_CACHE_DIR has the files of the names). It prints the documents that differ for each tokenizer
and the shortest of them.

FOLDER/results.jsonl has a line for each part and tokenizer. The command goes on where an earlier one ended: Millrace makes the ids of every
part again, and only those whose SHA-256 no line has are compared, so that a change of Millrace is checked in a short time.
"""

import array
import base64
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import adversarial_documents
import pretoken_vectors
import sentencepiece
import tiktoken
import tiktoken.load
from tokenizers import Tokenizer

os.environ["TOKENIZERS_PARALLELISM"] = "false"
PART, BATCH = 100_000, 1_000
# The pattern of tiktoken's Llama 3 and 4 by their number of ranks.
LLAMAS = {128_000: pretoken_vectors.LLAMA3, 200_000: pretoken_vectors.O200K}


def _tiktoken(tokenizer):
    """Returns the encoding of a name or of a file of ranks; None for other files."""
    name = pathlib.Path(tokenizer).name.removesuffix(".tiktoken")
    if name in tiktoken.list_encoding_names():
        return tiktoken.get_encoding("r50k_base" if name == "gpt2" else name)
    if not re.match(rb"[A-Za-z0-9+/]+={0,2} 0\n", pathlib.Path(tokenizer).read_bytes()[:100]):
        return None
    ranks = tiktoken.load.load_tiktoken_bpe(tokenizer)
    return tiktoken.Encoding("llama", pat_str=LLAMAS[len(ranks)], mergeable_ranks=ranks, special_tokens={})


def _tekken(tokenizer):
    """Returns the encoding of a tekken.json, and its number of special tokens, as mistral-common makes them; None for other files."""
    if not re.match(r".*tekken.*\.json", pathlib.Path(tokenizer).name):
        return None
    file = json.loads(pathlib.Path(tokenizer).read_text())
    config, special = file["config"], file["config"]["default_num_special_tokens"]
    vocabulary = file["vocab"][: config["default_vocab_size"] - special]
    ranks = {base64.b64decode(token["token_bytes"]): token["rank"] for token in vocabulary}
    return tiktoken.Encoding("tekken", pat_str=config["pattern"], mergeable_ranks=ranks, special_tokens={}), special


def encoder(tokenizer):
    """Returns a function that makes the ids of each of some texts."""
    tekken = _tekken(tokenizer)
    if tekken:
        encoding, special = tekken
        return lambda texts: [[rank + special for rank in encoding.encode(text)] for text in texts]
    encoding = _tiktoken(tokenizer)
    if encoding:
        return lambda texts: [encoding.encode_ordinary(text) for text in texts]
    if not tokenizer.endswith(".json"):
        return sentencepiece.SentencePieceProcessor(model_file=tokenizer).encode
    library = Tokenizer.from_file(tokenizer)
    library.no_truncation()
    library.no_padding()
    return lambda texts: [one.ids for one in library.encode_batch_fast(texts, add_special_tokens=False)]


def cutter(tokenizer):
    """Returns a function that makes the lengths in bytes of the pretokens of each of some texts: a character of a piece stands for a byte."""
    cut = Tokenizer.from_file(tokenizer).pre_tokenizer.pre_tokenize_str
    return lambda texts: [[len(piece) for piece, _ in cut(text)] for text in texts]


KINDS = {"ids": ("io.millrace.text.DocumentIds", encoder), "pretokens": ("io.millrace.text.DocumentPretokens", cutter)}


def numbers(file):
    """Returns the lists of numbers that a program in Java wrote, each after its length."""
    found = array.array("i", file.read_bytes())
    if sys.byteorder == "little":
        found.byteswap()
    place = 0
    while place < len(found):
        yield found[place + 1 : place + 1 + found[place]].tolist()
        place += 1 + found[place]


def compare(texts, made, library):
    """Returns the documents that differ, each with the numbers of Millrace and of the library."""
    differing = []
    for start in range(0, len(texts), BATCH):
        batch = texts[start : start + BATCH]
        for text, expected in zip(batch, library(batch)):
            found = next(made)
            if found != expected:
                differing.append((text, found, expected))
    if next(made, None) is not None:
        raise AssertionError("Millrace made numbers of more documents than there are")
    return differing


def part(kind, classpath, folder, texts, name, tokenizers, known):
    """Yields a line of the results for each tokenizer."""
    file, out = folder / "documents", folder / "out"
    out.mkdir(exist_ok=True)
    adversarial_documents.write(file, texts)
    program, library = KINDS[kind]
    command = ["java", "-XX:+UseSerialGC", "-Xmx3g", "-cp", classpath, program, file, out, *tokenizers]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    engines = dict(re.findall("^tokenizer (.*): engine (\\w+),", said, re.MULTILINE))
    for tokenizer in tokenizers:
        made = out / f"{pathlib.Path(tokenizer).name}.{kind}"
        if not made.exists():
            raise SystemExit(f"{tokenizer} has no {kind}: {said}")
        line = {"kind": kind, "part": name, "tokenizer": tokenizer, "sha256": hashlib.sha256(made.read_bytes()).hexdigest()}
        line["engine"] = engines.get(tokenizer, "millrace")
        same = [one for one in known if all(one[key] == value for key, value in line.items())]
        if same:
            yield same[-1]
        else:
            began = time.monotonic()
            differing = compare(texts, numbers(made), library(tokenizer))
            shortest = ascii(min(differing, key=lambda one: len(one[0]), default=""))[:1000]
            yield {**line, "documents": len(texts), "differing": len(differing), "shortest": shortest, "seconds": time.monotonic() - began}
        made.unlink()


def main(kind, classpath, folder, number, seed, pieces, *tokenizers):
    """Compares all tokenizers on all parts."""
    folder, number = pathlib.Path(folder), int(number)
    if len({pathlib.Path(tokenizer).name for tokenizer in tokenizers}) < len(tokenizers):
        raise SystemExit("two of the tokenizers have one file name, which their results would have")
    folder.mkdir(parents=True, exist_ok=True)
    results = folder / "results.jsonl"
    known = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    totals = {}
    for first in range(0, number, PART):
        size = min(PART, number - first)
        name = f"{seed}:{first}:{size}"
        texts = list(adversarial_documents.documents(size, name, int(pieces)))
        name += f":{pieces}"
        for line in part(kind, classpath, folder, texts, name, tokenizers, known):
            if line not in known:
                with results.open("a") as out:
                    out.write(json.dumps(line) + "\n")
            totals.setdefault((line["tokenizer"], line["engine"]), []).append(line)
    for (tokenizer, engine), lines in totals.items():
        documents, differing = (sum(line[key] for line in lines) for key in ("documents", "differing"))
        shortest = min((line["shortest"] for line in lines if line["differing"]), key=len, default="")
        print(f"{tokenizer}: engine {engine}, {differing} of {documents} documents differ {shortest}")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Compares the ids of Millrace's tokenizers with those of the libraries that the tokenizers were made for.

python tokenizer_differences.py documents FILE NUMBER writes adversarial documents. Then run the class io.millrace.text.DocumentIds on the
file. python tokenizer_differences.py compare FILE FOLDER TOKENIZER... compares what it wrote with tokenizers (*.json), sentencepiece
(*.model) and tiktoken (names, whose files are in TIKTOKEN_CACHE_DIR, and the *.model of Llama 3 and 4), and prints the number of
documents that differ and the shortest of them. python tokenizer_differences.py pretokens FILE FOLDER TOKENIZER... compares the
pretokens that the class io.millrace.text.DocumentPretokens wrote with those of tokenizers.
"""

import array
import pathlib
import random
import re
import struct
import sys

import pretoken_vectors
import sentencepiece
import tiktoken
import tiktoken.load
from tokenizers import Tokenizer

WORDS = "the of and to in a is that for it as was with be by on not he I this are or his from at which but have an had they you were".split()
CODE = (
    "def f(x):\n    return x + 1\n",
    "    if (a<b) {\n\t\tc = a[i++] ;\r\n}",
    "#include <stdio.h>\n",
    'x_y__ = 0x1F; // {"k": [1, 3.14e-10]}',
)
CJK = "日本語中文汉字漢字カタカナひらがな한국어텍스트文書、。「」ー～"
EMOJI = ("😀", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪🇫🇷", "👍🏽", "☕️", "\U0001fae0", "❤️‍🔥")
SCRIPTS = (
    "äöüßéèñçøåÀÉ ÃṨşğıİ ΑΒΓαβγς Привет мир ёъ שלום עולם مرحبا بالعالم ١٢٣ नमस्ते दुनिया สวัสดีชาวโลก ኢትዮጵያ ½¾²³ⅷ ﬁﬂ Ⅷ ＡＢＣ１２３ ｶﾞ ゙ "
    "e\u0301 a\u0308\u0323 \u1e9b\u0323 \u212b ﷺ"
)
SPACES = "\u0000 \u0001 \u007f \u0085 \u00a0 \u200b \u200d \ufeff \u2028 \u3000 \ufffd \uffff \U0010ffff \U000e0001 \ue000 \u0301".split(" ")
ODD = (
    *SPACES,
    *("\t", "\r\n", "\n\n\n", "  ", "     ", "▁", "▁▁", "Ġ", "Ċ", "##", "##ing", "'s", "'LL", "’s", "<s>", "</s>", " <s> ", "<unk>", "<pad>"),
    *("[CLS]", " [MASK] ", "[UNK]", "<|endoftext|>", "<|im_start|>", "<0x0A>", "<extra_id_0>", "!!!!????", "1234567890123", "3.14159", "²", "٣"),
)


def _piece(chance):
    kind = chance.random()
    if kind < 0.35:
        return " ".join(chance.choices(WORDS, k=chance.randint(1, 12)))
    if kind < 0.45:
        return chance.choice(CODE)
    if kind < 0.55:
        return "".join(chance.choices(CJK, k=chance.randint(1, 10)))
    if kind < 0.62:
        return "".join(chance.choices(EMOJI, k=chance.randint(1, 4)))
    if kind < 0.74:
        start = chance.randrange(len(SCRIPTS))
        return SCRIPTS[start : start + chance.randint(1, 12)]
    if kind < 0.92:
        return chance.choice(ODD) * chance.choice((1, 1, 1, 2, 5))
    if kind < 0.95:
        return "".join(chr(code) for code in chance.choices(range(0x110000), k=8) if not 0xD800 <= code < 0xE000)
    if kind < 0.98:
        return chance.choice("a= \n-▁0xab") * chance.randint(1, 70)
    return bytes(chance.choices(range(256), k=chance.randint(1, 12))).decode("utf-8", "replace")


def _document(chance):
    if chance.random() < 0.02:
        return ""
    text = "".join(_piece(chance) + chance.choice(("", " ", " ", "  ", "\n")) for _ in range(chance.randint(1, 14)))
    return text if chance.random() < 0.5 else text[:-1]


def write_documents(file, number):
    """Writes documents that are the same in each run."""
    chance = random.Random(36)
    with pathlib.Path(file).open("wb") as out:
        for _ in range(number):
            document = _document(chance).encode()
            out.write(struct.pack(">i", len(document)) + document)


def _documents(file):
    data = pathlib.Path(file).read_bytes()
    place = 0
    while place < len(data):
        length = struct.unpack_from(">i", data, place)[0]
        place += 4 + length
        yield data[place - length : place].decode()


def _tiktoken(ranks, pattern):
    return tiktoken.Encoding("llama", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}).encode_ordinary


def _encoder(tokenizer):
    if tokenizer in tiktoken.list_encoding_names():
        return tiktoken.get_encoding("r50k_base" if tokenizer == "gpt2" else tokenizer).encode_ordinary
    if re.match(rb"[A-Za-z0-9+/]+={0,2} 0\n", pathlib.Path(tokenizer).read_bytes()):
        ranks = tiktoken.load.load_tiktoken_bpe(tokenizer)
        # Llama 3 has 128,000 ranks, and Llama 4 has 200,000.
        return _tiktoken(ranks, pretoken_vectors.LLAMA3 if len(ranks) == 128_000 else pretoken_vectors.O200K)
    if not tokenizer.endswith(".json"):
        return sentencepiece.SentencePieceProcessor(model_file=tokenizer).encode
    library = Tokenizer.from_file(tokenizer)
    library.no_truncation()
    library.no_padding()
    return lambda text: library.encode(text, add_special_tokens=False).ids


def _numbers(file):
    numbers = array.array("i", file.read_bytes())
    if sys.byteorder == "little":
        numbers.byteswap()
    return numbers


def compare_pretokens(file, folder, tokenizer):
    """Prints a line for the pretokens of one tokenizer."""
    found = _numbers(pathlib.Path(folder, pathlib.Path(tokenizer).name + ".pretokens"))
    cut = Tokenizer.from_file(tokenizer).pre_tokenizer.pre_tokenize_str
    place = number = 0
    differing = []
    for text in _documents(file):
        # A character of a piece stands for a byte.
        lengths = [len(piece) for piece, _ in cut(text)]
        end, left = place, len(text.encode())
        while left > 0:
            left -= found[end]
            end += 1
        if found[place:end].tolist() != lengths:
            differing.append(text)
        place = end
        number += 1
    assert place == len(found), f"{tokenizer}: expected {place} pretokens, found {len(found)}"
    print(f"{tokenizer}: {len(differing)} of {number} documents differ", ascii(min(differing, key=len, default=""))[:400])


def compare(file, folder, tokenizer):
    """Prints a line for one tokenizer."""
    results = pathlib.Path(folder, pathlib.Path(tokenizer).name + ".ids")
    if not results.exists():
        print(f"{tokenizer}: refused")
        return
    found = _numbers(results)
    encode = _encoder(tokenizer)
    place = number = 0
    differing = []
    for text in _documents(file):
        ids = found[place + 1 : place + 1 + found[place]].tolist()
        place += 1 + len(ids)
        number += 1
        if ids != encode(text):
            differing.append((text, ids, encode(text)))
    assert place == len(found), f"{results}: expected {place} numbers, found {len(found)}"
    shortest = min(differing, key=lambda one: len(one[0]), default="")
    print(f"{tokenizer}: {len(differing)} of {number} documents differ", ascii(shortest)[:400])


if __name__ == "__main__":
    if sys.argv[1] == "documents":
        write_documents(sys.argv[2], int(sys.argv[3]))
    else:
        for one in sys.argv[4:]:
            (compare_pretokens if sys.argv[1] == "pretokens" else compare)(sys.argv[2], sys.argv[3], one)

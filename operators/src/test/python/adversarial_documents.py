"""Adversarial documents for comparisons of tokenizers: prose and code among all that patterns and libraries may see in another way.

Documents are the same in each run of a version of Python, whose Unicode decides which characters are numbers and marks.
"""

import pathlib
import random
import struct
import unicodedata

WORDS = (
    "the of and to in a is that for it as was with be by on not he I this are or his from at which but have an had they you were "
    "The Of internationalization HTTPServer camelCaseName snake_case_name don't I'M we'Ve it's THEY'LL o'clock x'ſ 'tis"
).split()
CODE = (
    "def f(x):\n    return x + 1\n",
    "    if (a<b) {\n\t\tc = a[i++] ;\r\n}",
    "#include <stdio.h>\n",
    'x_y__ = 0x1F; // {"k": [1, 3.14e-10]}',
    "for(;;){}\r\n\r\n\t\t",
    "https://a.b/c//?q=1&r=%20#x\n",
    "$$\\frac{1}{2}$$ ~~~\n---\n***\n///\n==\r\n",
    "<div class=\"a-b\">&nbsp;</div>\n\n\n   </p>",
)
CJK = "日本語中文汉字漢字カタカナひらがな한국어텍스트文書、。「」ー～龥龦鿿㐀𠀀゠゛゜・ヿ〇々"
EMOJI = ("😀", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪🇫🇷", "👍🏽", "☕️", "\U0001fae0", "❤️‍🔥", "1️⃣", "\U0001fae9")
SCRIPTS = (
    "äöüßéèñçøåÀÉ ÃṨşğıİ ΑΒΓαβγς Привет мир ёъ שלום עולם مرحبا بالعالم ١٢٣ नमस्ते दुनिया สวัสดีชาวโลก ኢትዮጵያ ½¾²³ⅷ ﬁﬂ Ⅷ ＡＢＣ１２３ ｶﾞ ゙ "
    "e\u0301 a\u0308\u0323 \u1e9b\u0323 \u212b ﷺ ǅǈᾈʰˠªºſKÅẞŉσςΣᲀꙊꭰᏸᎠ தமிழ் ភាសា မြန်မာ"
)
SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000\x1c\x1d\x1e\x1f\u180e\u200b\u2060\ufeff"
BREAKS = ("\r\n", "\n", "\r", "\x85", "\u2028", "\u2029", "\v", "\f", "\n\n", "\r\n\r\n", " \n", "\n ", "\t\n\t", "\n\r")
CONTROLS = "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0), 0xAD, 0x200E, 0x202E, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0xE000, 0x10FFFF, 0xE0001)))
APOSTROPHES, CONTRACTED = "''''’ʼ＇`", ("s", "t", "re", "ve", "m", "ll", "d", "S", "T", "RE", "Ve", "M", "LL", "lL", "D", "ſ", "r", "l", "v", "")
ODD = (
    *("▁", "▁▁", "Ġ", "Ċ", "##", "##ing", "!!!!????", "1234567890123", "3.14159", "²", "٣", "…", "“”", "—", "’s", "  ", "     "),
    *("<s>", "</s>", " <s> ", "<unk>", "<pad>", "[CLS]", " [MASK] ", "[UNK]", "<0x0A>", "<extra_id_0>", "[INST]", "<think>", "</think>"),
    *("<|endoftext|>", "<|endoftext", "<|im_start|>", "<|im_end|>x", "<|begin_of_text|>", "<|eot_id|>", "<|start|>", "<|message|>"),
    *("<｜begin▁of▁sentence｜>", "<｜User｜>", "<|fim_prefix|>", "<tool_call>", "<|", "|>", "<mask>", " <mask> ", "x<mask>y", "<word>"),
    *(" <word>", "x<word>", "<word>y", "é<word> ", "<word><word>", "<|endofprompt|>", "word", "words", "Word word."),
)
# The blocks that Unicode 16 added, and their neighbours.
UNICODE_16 = (
    *((0x1C80, 0x1C8F), (0xA7C0, 0xA7DF), (0x105C0, 0x105FF), (0x10D40, 0x10D8F), (0x10EC0, 0x10EFF), (0x11380, 0x113FF)),
    *((0x116D0, 0x116E3), (0x11BC0, 0x11BFF), (0x11F50, 0x11F5F), (0x13430, 0x1347F), (0x16100, 0x1613F), (0x16D40, 0x16D7F)),
    *((0x1CC00, 0x1CEBF), (0x1E5D0, 0x1E5FF), (0x1F8B0, 0x1F8CF), (0x1FAC0, 0x1FAFF), (0x1FBC0, 0x1FBFF)),
)
JAMO = ((0x1100, 0x11FF), (0xA960, 0xA97F), (0xD7B0, 0xD7FF), (0x3130, 0x318F), (0xFFA0, 0xFFDC), (0xAC00, 0xAC40))
CATEGORIES = {}
for point in range(0x110000):
    CATEGORIES.setdefault(unicodedata.category(chr(point))[0], []).append(chr(point))
DIGITS, MARKS = CATEGORIES["N"], CATEGORIES["M"]


def _of(chance, ranges):
    first, last = chance.choice(ranges)
    return chr(chance.randint(first, last))


def _repeated(chance, one, most):
    return "".join(one() for _ in range(chance.randint(1, most)))


def _any(chance):
    code = chance.randrange(chance.choice((0x800, 0x3000, 0x10000, 0x20000, 0x110000)))
    return chr(code) if not 0xD800 <= code < 0xE000 else "\ud7ff"


def _damaged(chance):
    """Returns what a reader makes of a text with bytes that were cut, changed or written as UTF-16 halves."""
    text = bytearray((SCRIPTS + CJK + "".join(EMOJI)).encode())
    start = chance.randrange(len(text))
    part = text[start : start + chance.randint(1, 24)]
    kind = chance.random()
    if kind < 0.3:
        part[chance.randrange(len(part))] = chance.randrange(256)
    elif kind < 0.5:
        place = chance.randrange(len(part) + 1)
        part[place:place] = chance.choice((b"\xed\xa0\xbd", b"\xed\xb8\x80", b"\xed\xa0\xbd\xed\xb8\x80", b"\xc0\x80", b"\xf5", b"\xf8\x88", b"\xef\xbb\xbf"))
    elif kind < 0.7:
        part = bytes(chance.choices(range(256), k=len(part)))
    return bytes(part).decode("utf-8", "replace")


def _accented(chance):
    letter = chance.choice("aeoAEnqﬁ한가ऩकשא\u1100\u212b\u0391 1.")
    return letter + _repeated(chance, lambda: chance.choice("\u0301\u0308\u0323\u0327\u0338\u0345\u05bc\u3099\u1161\u11a8") if chance.random() < 0.5 else chance.choice(MARKS), 4)


def _piece(chance):
    kinds = (
        (24, lambda: " ".join(chance.choices(WORDS, k=chance.randint(1, 12)))),
        (8, lambda: chance.choice(CODE)),
        (8, lambda: "".join(chance.choices(CJK, k=chance.randint(1, 10)))),
        (5, lambda: "".join(chance.choices(EMOJI, k=chance.randint(1, 4)))),
        (8, lambda: SCRIPTS[(start := chance.randrange(len(SCRIPTS))) : start + chance.randint(1, 12)]),
        (8, lambda: chance.choice(ODD) * chance.choice((1, 1, 1, 2, 5))),
        (5, lambda: _repeated(chance, lambda: chance.choice(SPACES), 6)),
        (4, lambda: _repeated(chance, lambda: chance.choice(BREAKS), 4)),
        (3, lambda: chance.choice(CONTROLS) * chance.choice((1, 1, 2, 7))),
        (6, lambda: chance.choice(("", "I", "don", "é", "1", " ", "WE")) + chance.choice(APOSTROPHES) + chance.choice(CONTRACTED)),
        (4, lambda: _repeated(chance, lambda: _of(chance, UNICODE_16), 5)),
        (4, lambda: _repeated(chance, lambda: chance.choice(DIGITS), 8)),
        (4, lambda: _accented(chance)),
        (3, lambda: _repeated(chance, lambda: _of(chance, JAMO), 6)),
        (4, lambda: _repeated(chance, lambda: _any(chance), 8)),
        (5, lambda: _damaged(chance)),
        (3, lambda: chance.choice("a= \n-▁0xabé漢\u0301") * chance.randint(1, 70)),
    )
    return chance.choices([make for _, make in kinds], [weight for weight, _ in kinds])[0]()


def _document(chance, most):
    size = chance.random()
    if size < 0.01:
        return ""
    if size < 0.0105:  # a very long word or run
        some = chance.choices(chance.choice(("ab", "etaoinshrdlu", CJK, SPACES, MARKS, DIGITS, "aÉ\u0301", "!?./")), k=chance.randint(1000, 8000))
        return "".join(some)
    pieces = chance.randint(1, most) if size < 0.999 else chance.randint(200, 1000)
    text = "".join(_piece(chance) + chance.choice(("", " ", " ", "  ", "\n")) for _ in range(pieces))
    return text if chance.random() < 0.5 else text[:-1]


def documents(number, seed, most=14):
    """Yields documents, which are strings. Nearly all have at most so many pieces, of 29 bytes in the mean."""
    chance = random.Random(seed)
    for _ in range(number):
        yield _document(chance, most)


def write(file, texts):
    """Writes documents for the programs in Java: each its length in bytes, a big-endian int, and its bytes."""
    with pathlib.Path(file).open("wb") as out:
        for text in texts:
            data = text.encode()
            out.write(struct.pack(">i", len(data)) + data)

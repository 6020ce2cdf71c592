"""Trains small byte-level vocabularies and writes the ids of odd texts: one tokenizer.json each, and byte_level_ids.json.

    python byte_level_vectors.py ../resources/vectors/text
"""

import json
import pathlib
import random
import sys

from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

OUT = pathlib.Path(sys.argv[1])
START = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
END = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
PATTERNS = {"gpt2": None, "llama3": START + r"\p{N}{1,3}" + END, "qwen": START + r"\p{N}" + END, "nfc": START + r"\p{N}" + END, "words": START + r"\p{N}" + END}
PIECES = ["'s", "'LL", "'\u017f", "'re", "'", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "\u0085", "a", "Hello", "don", "é",
          "e\u0301", "東京", "한국", "हिन्दी", "0", "12345", "²", "Ⅷ", "٣", "!", "...", "://", "😀", "👩\u200d🚀", "\u1c89", "\U00010d4e",
          "\u0323", "\u0338", "\u212b", "\u1100", "\u1161", "\u11a8", "가", "\u0958", "\u05b7", "\u05bc", "\U00011935\U00011930",
          "\u0898", "\ufffd", "\x00", "<|endoftext|>", "<|endoftext|>x", "<|end", "<mask>", "<r>", " \u3000<mask>\u2003 ", "<r> <mask>", "the ", "aaaa" * 40]
# The neighbours of tokens with single_word: characters of words, of none, and of the classes on which programs disagree.
WORDS = ["<w>", "<v>", "<u>", "<t>", "<w><v>", "é", "_", "9", "\u00b2", "\u0301", "\u200d", "\u24b6", "\u203f", "ⅷ", ".", " ", "\u2003", "\n", "a", "漢", "😀",
         "\U00010d4e", "\U00016d70", "<endless>", "<end", "less>"]
rng = random.Random(36)
texts = ["", *PIECES, *("".join(rng.choices(PIECES, k=rng.randint(2, 12))) for _ in range(300))]
ids = {}
words = [*WORDS, *rng.sample([one + two + three for one in WORDS for two in WORDS[:5] for three in WORDS], 600)]
words += ["".join(rng.choices(WORDS, k=rng.randint(4, 9))) for _ in range(200)]
for name, pattern in PATTERNS.items():
    # A dropout of 0.0 is none.
    tokenizer = Tokenizer(models.BPE(ignore_merges=name == "llama3", dropout=0.0 if name == "llama3" else None))
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern is None)
    tokenizer.pre_tokenizer = level if pattern is None else pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(pattern), "isolated"), level])
    trainer = trainers.BpeTrainer(vocab_size=400, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_special_tokens(["<|endoftext|>", "<|endoftext|>x"])
    if name == "nfc":
        # The library adds tokens in their order, and finds these in the normal form of what is between the others.
        tokenizer.normalizer = normalizers.Sequence([normalizers.NFC()])
        tokenizer.add_tokens([AddedToken("e\u0301a", normalized=True), AddedToken("the ", normalized=True)])
    if name == "llama3":
        tokenizer.add_tokens([AddedToken("<mask>", lstrip=True, normalized=False), AddedToken("<r>", rstrip=True, normalized=True)])
    if name == "words":
        tokenizer.normalizer = normalizers.NFC()
        tokenizer.add_tokens([AddedToken("<w>", single_word=True, normalized=False), AddedToken("<v>", single_word=True, lstrip=True, normalized=True),
                              AddedToken("<u>", single_word=True, rstrip=True, normalized=False), AddedToken("<t>", single_word=True, lstrip=True, rstrip=True),
                              AddedToken("<end", single_word=True, normalized=False), AddedToken("<endless>", normalized=False),
                              AddedToken("less>", single_word=True, normalized=True)])
    tokenizer.save(str(OUT / f"byte_level_{name}.json"), pretty=False)
    ids[name] = [tokenizer.encode(text, add_special_tokens=False).ids for text in (words if name == "words" else texts)]
(OUT / "byte_level_ids.json").write_text(json.dumps({"texts": texts, "words": words, "ids": ids}, separators=(",", ":")) + "\n")

"""Cuts odd texts with the pre-tokenizers of published models and writes the ends of the pieces in bytes: pretokens.json.

    python pretoken_vectors.py ../resources/vectors/text
"""

import json
import pathlib
import random
import sys

from tokenizers import Tokenizer, models, pre_tokenizers

CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
SPACES = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
END = r"| ?[^\s\p{L}\p{N}]+[\r\n]*" + SPACES
WORDS = CONTRACTION + r"|[^\r\n\p{L}\p{N}]?\p{L}+|"
HIGH, LOW = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
LLAMA3 = WORDS + r"\p{N}{1,3}" + END
O200K = (
    rf"{HIGH}*{LOW}+{CONTRACTION}?|{HIGH}+{LOW}*{CONTRACTION}?|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*" + SPACES
)
TEKKEN = rf"{HIGH}*{LOW}+|{HIGH}+{LOW}*|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*" + SPACES
MARKS = CONTRACTION + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*" + SPACES
ASCII = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
DEEPSEEK = (
    ASCII
    + "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*"
    + "|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
)


def split(pattern, behavior="Isolated", invert=False):
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


# The comments name models whose published files have the pre-tokenizer.
PRE_TOKENIZERS = {
    "gpt2": [],  # GPT-2, RoBERTa, GPT-NeoX, Pythia, ModernBERT, Whisper
    "digits": [{"type": "Digits", "individual_digits": True}],  # SmolLM 2, StarCoder 2, EXAONE 3.5
    "llama3": [split(LLAMA3)],  # Llama 3, GLM 4, SmolLM 3
    "phi4": [split(LLAMA3, "Removed", True)],  # Phi-4, OLMo 2 and 3, Granite 4
    "qwen2": [split(WORDS + r"\p{N}" + END)],  # Qwen 2, 2.5 and 3
    "qwen35": [split(MARKS)],  # Qwen 3.5
    "minicpm5": [split(r"\p{N}{1,3}"), split(WORDS + r"\p{N}+" + END)],
    "o200k": [split(O200K)],  # gpt-oss, Llama 4
    "o200k-removed": [split(O200K, "Removed", True)],  # MiniMax M2
    "tekken": [split(TEKKEN)],  # Mistral Nemo, Nemotron 3
    "deepseek3": [split(r"\p{N}{1,3}"), split("[一-龥぀-ゟ゠-ヿ]+"), split(DEEPSEEK)],  # DeepSeek V3, R1 and V4
}
PIECES = (
    *("'s", "'LL", "'\u017f", "'re", "'", " ", "  ", "\n", "\r\n", "\t", " \n ", "\u00a0", "\u3000", "\u0085", "\u2028", "a", "Hello"),
    *("don", "é", "e\u0301", "\u0301", "\u0301ABC", "ABCdef", "camelCase", "HTTPServer", "ǅ", "ʰ", "東京", "漢字カタカナ", "ー・゛゠", "\u3040", "\u3099"),
    *("한국", "हिन्दी", "ไทย", "العربية", "0", "12345", "²", "Ⅷ", "٣", "!", "...", "://", "/\n", "#include", "$x", "_a", "😀", "👩\u200d🚀", "\u1c89"),
    *("\U00010d4e", "\U00011de3", "\ufffd", "\x00", "\x7f", "\u200b", "\ue000", "\U0010ffff", "the ", "aaaa" * 20, "The", "I'M", "WE'RE"),
)


def whole(parts):
    """Returns a pre_tokenizer as published files have it."""
    regex = not any(part["type"] == "Split" for part in parts)
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": regex}
    return {"type": "Sequence", "pretokenizers": [*parts, level]} if parts else level


def tokenizer(parts):
    """Returns a tokenizer of single bytes with a pre_tokenizer."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = json.loads(Tokenizer(models.BPE({byte: id for id, byte in enumerate(alphabet)}, [])).to_str())
    return {**made, "pre_tokenizer": whole(parts)}


def main(folder):
    rng = random.Random(36)
    texts = [*PIECES, *("".join(rng.choices(PIECES, k=rng.randint(2, 12))) for _ in range(200))]
    ends = {}
    for name, parts in PRE_TOKENIZERS.items():
        cuts = Tokenizer.from_str(json.dumps(tokenizer(parts))).pre_tokenizer
        ends[name] = []
        for text in texts:
            lengths = [len(piece) for piece, _ in cuts.pre_tokenize_str(text)]
            ends[name].append([sum(lengths[: place + 1]) for place in range(len(lengths))])
    file = {"pre_tokenizers": {name: whole(parts) for name, parts in PRE_TOKENIZERS.items()}, "texts": texts, "ends": ends}
    (folder / "pretokens.json").write_text(json.dumps(file, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))

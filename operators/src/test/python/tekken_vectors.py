"""Writes a small tekken.json, and the ids that mistral-common makes of odd texts with it: tekken.json and tekken_ids.json.

    python tekken_vectors.py ../resources/vectors/text

The vocabulary is trained on this script and its neighbours. mistral-common 1.12, which needs a module of names of languages that its
tokenizer does not use.
"""

import base64
import json
import pathlib
import random
import sys
import types

import pretoken_vectors
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

try:
    import pydantic_extra_types.language_code
except ModuleNotFoundError:
    for name in ("pydantic_extra_types", "pydantic_extra_types.language_code"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules[name].LanguageAlpha2 = str

from mistral_common.tokens.tokenizers.tekken import Tekkenizer

SPECIAL = 40
PATTERN = pretoken_vectors.TEKKEN


def trained():
    """Returns the tokens of a byte-level BPE by their ranks."""
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(PATTERN), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    trainer = trainers.BpeTrainer(vocab_size=700, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    library.train_from_iterator((file.read_text() for file in sorted(pathlib.Path(__file__).parent.glob("*oken*.py"))), trainer)
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = {chr(byte): byte for byte in plain}
    letters.update({chr(256 + number): byte for number, byte in enumerate(byte for byte in range(256) if byte not in plain)})
    tokens = [bytes([byte]) for byte in range(256)]
    for left, right in json.loads(library.to_str())["model"]["merges"]:
        token = bytes(letters[letter] for letter in left + right)
        if token not in tokens:
            tokens.append(token)
    return tokens


def text(token):
    try:
        return token.decode()
    except UnicodeDecodeError:
        return None


folder = pathlib.Path(sys.argv[1])
tokens = trained()
special = ["<unk>", "<s>", "</s>", "[INST]", "[/INST]", "<pad>", "[THINK]"]
config = {
    "pattern": PATTERN,
    "num_vocab_tokens": len(tokens),
    "default_vocab_size": SPECIAL + len(tokens) - 5,
    "default_num_special_tokens": SPECIAL,
    "version": "v13",
}
vocabulary = [
    {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": text(token)} for rank, token in enumerate(tokens)
]
named = [{"rank": rank, "token_str": token, "is_control": True} for rank, token in enumerate(special)]
file = folder / "tekken.json"
file.write_text(json.dumps({"config": config, "vocab": vocabulary, "special_tokens": named}, separators=(",", ":")) + "\n")
rng = random.Random(36)
pieces = [*pretoken_vectors.PIECES, "<s>", "[INST]", "<SPECIAL_17>", " internationalization", "-" * 75, " " * 90, "a" * 300]
texts = [*pieces, *("".join(rng.choices(pieces, k=rng.randint(2, 12))) for _ in range(100))]
tekken = Tekkenizer.from_file(file)
ids = [tekken.encode(one, bos=False, eos=False) for one in texts]
found = {"texts": texts, "ids": ids, "size": tekken.n_words, "ends": tekken.encode("", bos=True, eos=True)}
(folder / "tekken_ids.json").write_text(json.dumps(found, separators=(",", ":")) + "\n")

"""Trains a vocabulary with each pre-tokenizer of pretoken_vectors.py, for models whose own vocabulary nobody may copy.

python pattern_tokenizers.py FOLDER writes a tokenizer.json for each. Its other settings are those of the published files: NFC, merges that
a whole token has priority over, and added tokens. Two more files have added tokens with single_word.
"""

import json
import pathlib
import sys

import adversarial_documents
import pretoken_vectors
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, trainers

TOKENS, DOCUMENTS = 6_000, 20_000
COMPOSED = ("qwen2", "qwen35", "single-words-nfc")
WHOLE_FIRST = ("llama3", "tekken")
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|begin_of_text|>", "<|eot_id|>", "<｜begin▁of▁sentence｜>", "<｜User｜>", "<s>", "</s>")
# Tokens that documents contain alone and within words.
WORDS = (
    AddedToken("<word>", single_word=True, normalized=False),
    AddedToken("word", single_word=True, normalized=True),
    AddedToken("Word", single_word=True, lstrip=True, normalized=False),
    AddedToken("the", single_word=True, lstrip=True, normalized=True),
    AddedToken("[MASK]", single_word=True, lstrip=True, rstrip=True, normalized=True),
    AddedToken("[CLS]", single_word=True, rstrip=True, normalized=False),
    AddedToken("words", normalized=False),
)


def train(name, parts, texts):
    """Returns a trained tokenizer.json."""
    shell = json.loads(Tokenizer(models.BPE(ignore_merges=name in WHOLE_FIRST)).to_str())
    shell["pre_tokenizer"] = pretoken_vectors.whole(parts)
    shell["normalizer"] = {"type": "NFC"} if name in COMPOSED else None
    tokenizer = Tokenizer.from_str(json.dumps(shell))
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=TOKENS, initial_alphabet=alphabet, show_progress=False))
    tokenizer.add_special_tokens(list(SPECIAL))
    tokenizer.add_tokens([AddedToken(token, normalized=False) for token in ("<think>", "</think>", "<tool_call>")])
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=False)])
    tokenizer.add_tokens(list(WORDS) if name.startswith("single-words") else [])
    return tokenizer.to_str()


if __name__ == "__main__":
    documents = list(adversarial_documents.documents(DOCUMENTS, "vocabulary"))
    patterns = pretoken_vectors.PRE_TOKENIZERS
    for key, value in {**patterns, "single-words": patterns["llama3"], "single-words-nfc": patterns["qwen2"]}.items():
        pathlib.Path(sys.argv[1], f"{key}.json").write_text(train(key, value, documents))

"""Trains the small tokenizers that LibraryTokenizerTest and SentencePieceConversionTest read, and writes the ids that their own
libraries make of adversarial texts: python operators/src/test/python/tokenizer_vectors.py

Made with tokenizers 0.23.2 and sentencepiece 0.2.2. sentencepiece makes the ids of the files *.model.
"""

import io
import json
import pathlib
import random

import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

OUT = pathlib.Path(__file__).parent.parent / "resources/vectors/text"

RANDOM = random.Random(36)

SENTENCES = (
    "A reader opens the file and reads the records of one shard",
    "the slots of a server decode images while the trainer waits for a batch",
    "der Plan einer Runde ist eine Funktion von Saat und Runde, nicht der Ankunft",
    "le débit dépend du disque, du réseau et des cœurs de la machine",
    "日本語の文書を読み、順番に並べる",
    "Порядок примеров не зависит от числа процессов",
    "for (int i = 0; i < n; i++) { sum += values[i] * 2; }",
    "e\u0301tat ﬁn ２０２６ ½ Ⅷ",
)

TEXTS = [
    *("", " ", "  ", "a", " a", "a ", "  a  b  ", "\n", "a\n\n\nb", "\t\r\n", "\u0000", "a\u0000b", "\u00a0a\u2003b\u3000c", "\u200b\u200d\ufeff"),
    *("<s>", "</s>", "<s>a</s>", " <s> a", "a <mask> b", "a  <mask>  b", "x<mask>y", "[CLS] [SEP]", "<unk>", "<0x0A>", "<extra>", "an extra word", "extras"),
    *("▁", "▁▁a", "a▁b", "## a ##b", "Ġa", "READER Reader reader", "é e\u0301 É", "ﬁ Ⅷ ½ ２", "ｶﾞ", "\u1e9b\u0323", "\u212b", "ﷺ"),
    *("😀", "👨‍👩‍👧‍👦 🏳️‍🌈 🇩🇪", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "\U0010ffff", "\ufffd\ufffd", "\ue000", "日本語", "日本語の文書を読み", "שלום مرحبا नमस्ते สวัสดี 한국어"),
    *("a" * 300, " " * 70, "=" * 65, "ab" * 100, "readreadread", "don't I'LL we've", "1234567890", "3.14e-10", "https://example.org/a?b=c&d=%20"),
]


def _adversarial():
    parts = [*SENTENCES, *(text for text in TEXTS if len(text) < 30), *"aeio .,-_▁\n"]
    return "".join(RANDOM.choice(parts)[: RANDOM.randint(1, 25)] + RANDOM.choice(("", "", " ", "  ")) for _ in range(RANDOM.randint(1, 9)))


TEXTS += [_adversarial() for _ in range(150)]


def _corpus():
    words = " ".join(SENTENCES).split(" ")
    made = random.Random(1)
    return [*SENTENCES * 4, *(" ".join(made.choices(words, k=12)) for _ in range(300))]


CORPUS = _corpus()

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def unigram():
    """T5 and XLM-R: NFKC, collapsed spaces, pieces with scores, a template after the text, and settings that Millrace ignores."""
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(" {2,}", " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    special = ["<pad>", "</s>", "<unk>"]
    made.train_from_iterator(CORPUS, trainers.UnigramTrainer(vocab_size=300, special_tokens=special, unk_token="<unk>"))
    made.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    made.add_tokens([AddedToken("<mask>", lstrip=True), AddedToken("extra", single_word=True)])
    made.enable_truncation(4)
    made.enable_padding(length=9)
    return made


def wordpiece():
    """BERT: lower case, accents removed, continuations with ##."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=40))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "<mask>"]
    made.train_from_iterator(CORPUS, trainers.WordPieceTrainer(vocab_size=300, special_tokens=special))
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return made


def byte_fallback():
    """Llama 2: no pre-tokenizer, bytes for unknown characters, a template before the text."""
    made = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    made.normalizer = normalizers.Replace(" ", "▁")
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<unk>", "<s>", "</s>", *BYTES]
    made.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=560, special_tokens=special, limit_alphabet=60))
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made.pre_tokenizer = None
    made.decoder = decoders.ByteFallback()
    made.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return made


def metaspace():
    """BPE with an unknown token and no bytes, and a prefix before the first word alone."""
    made = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.Metaspace(prepend_scheme="first")])
    special = ["<unk>", "<s>", "</s>"]
    made.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=300, special_tokens=special, limit_alphabet=60))
    made.post_processor = processors.TemplateProcessing(single="<s> <s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)])
    return made


def unknown_pattern():
    """Byte-level BPE whose pattern no engine of Millrace has."""
    made = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(r"\p{Lu}?\p{Ll}+|\d{1,2}|\s+|[^\s\p{L}\d]+|\p{L}"), "isolated")
    made.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=400, special_tokens=["<|end|>"], initial_alphabet=alphabet))
    return made


def sentencepiece_model(name, **options):
    """Writes a model of SentencePiece."""
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS), model_writer=out, hard_vocab_limit=False, minloglevel=2, **options
    )
    (OUT / name).write_bytes(out.getvalue())


def main():
    """Writes the files."""
    OUT.mkdir(parents=True, exist_ok=True)
    vectors = {"texts": TEXTS, "tokenizers": {}}
    for make in (unigram, wordpiece, byte_fallback, metaspace, unknown_pattern):
        made = make()
        name = f"{make.__name__}.json"
        made.save(str(OUT / name), pretty=False)
        made.no_truncation()
        made.no_padding()
        vectors["tokenizers"][name] = [made.encode(text, add_special_tokens=False).ids for text in TEXTS]
    exact = {"model_type": "bpe", "normalization_rule_name": "identity", "remove_extra_whitespaces": False}
    small = {"character_coverage": 0.98, "vocab_size": 560, "byte_fallback": True}
    sentencepiece_model("bytes.model", **exact, **small)
    sentencepiece_model("unknowns.model", **exact, vocab_size=300, character_coverage=0.98, add_dummy_prefix=False)
    sentencepiece_model("unigram.model", model_type="unigram", normalization_rule_name="identity", vocab_size=200)
    for name in ("bytes.model", "unknowns.model"):
        model = sentencepiece.SentencePieceProcessor(model_file=str(OUT / name))
        vectors["tokenizers"][name] = [model.encode(text) for text in TEXTS]
    (OUT / "library_ids.json").write_text(json.dumps(vectors, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()

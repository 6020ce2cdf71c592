"""Writes the ids and masks that transformers makes of chats, with the tokenizers of the other vectors, for LossSpansTest:
PYTHONPATH=python python operators/src/test/python/chat_vectors.py

Made with transformers 5.18 and tokenizers 0.23.2. `millrace.text.chat` makes the texts and the parts that a loss counts.
"""

import json
import pathlib
import tempfile

from transformers import PreTrainedTokenizerFast

from millrace.text import chat

OUT = pathlib.Path(__file__).parent.parent / "resources/vectors/text"

TOKENIZERS = ("byte_level_gpt2", "byte_level_llama3", "byte_level_qwen", "byte_level_nfc", "unknown_pattern", "byte_fallback", "metaspace", "unigram", "wordpiece")

WITHIN = "{% for m in messages %}<|{{ m.role }}|>{% if m.role == 'assistant' %}{% generation %}{{ m.content }}{% endgeneration %}{% else %}{{ m.content }}{% endif %}{% endfor %}"
ENDED = WITHIN.replace("{% endgeneration %}", "</s>{% endgeneration %}\n")

CHATS = (
    ("Grüße, <b>Welt</b> & 你好", "Ja 🙂, gern.", "Und\n\nweiter?", "é — fin"),
    ("the slots of a server", "🙂🙂", "日本語の文書を読み、", "順番に並べる"),
    ("for (int i = 0; i < n; i++)", "{ sum += values[i] * 2; }", "e\u0301tat ﬁn", "２０２６ ½ Ⅷ e\u0301"),
    ("<s> reads <mask>", "a <|endoftext|> of 1234567", "x", "y"),
    ("records of one shard", "shard", " de", "l'Arrivée\u0301"),
)

COMPOSED = (
    # Decomposed accents, in the order of NFD and in another one, and marks without a letter.
    ("Cafe\u0301 a\u0323\u0302 a\u0302\u0323 o\u031b\u0323?", "No\u0308 e\u0301tat a\u0302\u0323 x", "\u0301 q\u0307\u0323", "s\u0323\u0307 \u0301 fin"),
    # Conjoining jamo, syllables with a final, and characters that NFC decomposes or replaces.
    ("\u1112\u1161\u11ab\u1100\u1173\u11af", "\u1112\u1161\u11ab\uac00\u11a8 \u1100\u1161.", "\u0958 \u212b \u2126", "\u095c\u0958\u212b = \u00c5, \u1e9b\u0323\u0307!"),
    # Added tokens between them, and a part without any change.
    ("e\u0301<|endoftext|>e\u0301", "plain <mask> text", "<s>A\u030a", "o\u0308<|endoftext|>o\u0308 \ud55c."),
)


def main():
    """Writes the file."""
    made = []
    for name in TOKENIZERS:
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(OUT / f"{name}.json"))
        tokenizer.backend_tokenizer.no_truncation()
        for template in (WITHIN, ENDED):
            tokenizer.chat_template = template
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "chat_template.jinja").write_text(template)
                render = chat(folder)
            for said in CHATS + (COMPOSED if name == "byte_level_nfc" else ()):
                messages = [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(said)]
                wanted = tokenizer.apply_chat_template(messages, return_assistant_tokens_mask=True, return_dict=True)
                own = render({"messages": messages})
                mask = "".join(map(str, wanted["assistant_masks"]))
                vector = {"tokenizer": name, "text": own["text"], "spans": own["loss_spans"].reshape(-1).tolist()}
                made.append({**vector, "ids": list(wanted["input_ids"]), "mask": mask})
    lines = ",\n".join(json.dumps(vector, separators=(",", ":"), ensure_ascii=False) for vector in made)
    (OUT / "chat_masks.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()

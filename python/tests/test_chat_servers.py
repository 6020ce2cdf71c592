"""Chats that a real server renders, tokenizes and packs: the ids and masks of each chat are those of transformers."""

import json
import sys
from itertools import permutations

import numpy as np
import pytest

import millrace

from .server import ROOT, Server
from .test_packed_servers import byte_tokenizer
from .test_text import MARKED

pytest.importorskip("jinja2")
transformers = pytest.importorskip("transformers")

LENGTH = 96
WORDS = ["Grüße", "<b>", "你好", "🙂", "\n", " fin", "x = {1: 2}", "<end>", "é"]

PIPELINE = """\
name: chats
dataset: {{ format: jsonl, path: {data}/chats.jsonl, fields: {{ messages: {{ as: text }} }}, epochs: 1 }}
order: {{ shuffle: none }}
transforms:
  - python: {{ call: "millrace.text:chat", args: {{ tokenizer: {data} }} }}
  - tokenize: {{ tokenizer: {data} }}
  - pack_sequences: {{ length: 96, documents: true, policy: {policy} }}
batch: {{ size: 4, drop_last: false }}
train: {{ model: none, input: [tokens, lengths, documents, label_mask] }}
run: {{ folder: {data}/runs, web_port: 0 }}
"""


@pytest.fixture
def chats(tmp_path, monkeypatch):
    """Writes chats, a tokenizer and its template, and returns the chats. Servers import this folder's `millrace`."""
    monkeypatch.setenv("MILLRACE_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"))
    numbers = np.random.default_rng(4)

    def message(role):
        return {"role": role, "content": "".join(numbers.choice(WORDS, numbers.integers(1, 12)))}

    made = [[message(role) for role in ("user", "assistant") * int(numbers.integers(1, 4))] for _ in range(60)]
    (tmp_path / "chats.jsonl").write_text("".join(json.dumps({"messages": chat}) + "\n" for chat in made))
    (tmp_path / "tokenizer.json").write_text(json.dumps(byte_tokenizer()))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"eos_token": "<end>"}))
    (tmp_path / "chat_template.jinja").write_text(MARKED)
    return made


def serve(folder, policy):
    pipeline = folder / "chats.yaml"
    pipeline.write_text(PIPELINE.format(data=folder, policy=policy))
    return Server(folder, "--world", "1", pipeline=pipeline)


@pytest.mark.parametrize("policy", ["best_fit", "concat"])
def test_ids_and_labels_of_packed_chats_are_those_of_transformers(tmp_path, chats, policy):
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"), eos_token="<end>")
    tokenizer.chat_template = MARKED
    server = serve(tmp_path, policy)
    found = {}
    try:
        with millrace.Loader(server.address, token=server.token, timeout=120) as loader:
            for batch in loader.steps():
                fields = {name: batch.numpy(name) for name in ("tokens", "labels", "unshifted_labels", "segment_ids")}
                for row in range(len(batch)):
                    values = {name: value[row] for name, value in fields.items()}
                    numbers = batch.numpy("documents").row(row).tolist()
                    for segment, number in enumerate(numbers):
                        at = values["segment_ids"] == segment
                        found.setdefault(number, []).append([values[name][at].copy() for name in list(values)[:3]])
    finally:
        server.stop()
    split = 0
    for number, chat in enumerate(chats):
        wanted = tokenizer.apply_chat_template(chat, return_assistant_tokens_mask=True, return_dict=True)
        ids, mask = (np.array(wanted[name]) for name in ("input_ids", "assistant_masks"))
        split += len(found[number]) > 1
        orders = [order for order in permutations(found[number]) if [i for part in order for i in part[0]] == ids.tolist()]
        assert orders, f"chat {number} has other ids"
        parts = orders[0]
        at = 0
        for tokens, labels, unshifted in parts:
            expected = np.where(mask[at : at + len(tokens)] == 1, tokens, -100)
            expected[0] = -100  # Nothing predicts the first token of a segment.
            assert unshifted.tolist() == expected.tolist()
            assert labels.tolist() == [*expected[1:], -100]
            at += len(tokens)
        assert 0 < mask.sum() < len(mask)
    assert split > 5, "chats that are longer than a sequence, or cut by concat"

"""Texts that real servers tokenize and pack: each token once an epoch, the same packs at any parallelism, and other numbers of ranks."""

import csv
import hashlib
import json
import os
import random
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

import millrace

from .server import ROOT, Server

LENGTH, ROWS, EPOCHS = 64, 8, 2
END = 256
"""The id of the token that ends a text; the ids below are bytes."""

WORDS = ["the", "mill", "race", "Wasser", "água", "水车", "🙂", "x = {1: 2}", "\n", "  "]

PIPELINE = """\
name: packed
dataset: {{ format: csv, path: {data}/texts.csv, fields: [text], epochs: 2 }}
order: {{ seed: 5 }}
transforms:
  - tokenize: {{ tokenizer: {data}/tokenizer.json, add: [eos], eos: "<end>" }}
  - pack_sequences: {{ length: 64, documents: true, window: 64, policy: best_fit, pad: 300 }}
batch: {{ size: 8, drop_last: true, max_quarantined: 0.5 }}
train: {{ model: none, input: [tokens, lengths, documents] }}
run: {{ folder: {data}/runs, web_port: 0 }}
"""


def byte_tokenizer():
    """Returns a tokenizer.json whose ids are bytes, under the names that GPT-2 has for bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    other = [byte for byte in range(256) if byte not in plain]
    vocabulary = {chr(byte): byte for byte in plain}
    vocabulary.update({chr(256 + number): byte for number, byte in enumerate(other)})
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    end = {"id": END, "content": "<end>", "single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{**end, "special": True}],
        "normalizer": None,
        "pre_tokenizer": level,
        "post_processor": None,
        "decoder": {**level, "type": "ByteLevel"},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "vocab": vocabulary,
            "merges": [],
        },
    }


class Packed:
    """Starts servers of the texts, and remembers what a loop on one rank receives that nobody disturbs."""

    def __init__(self, folder):
        self.folder = folder
        numbers = random.Random(3)
        self.texts = [" ".join(numbers.choices(WORDS, k=numbers.randint(1, 40))) for _ in range(400)]
        self.texts[7] = ""  # A bad document.
        with open(folder / "texts.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["text", "number"])
            writer.writerows([text, number] for number, text in enumerate(self.texts))
        (folder / "tokenizer.json").write_text(json.dumps(byte_tokenizer()))
        self.text = PIPELINE.format(data=folder)
        self.count = 0
        one = self.server(1)
        try:
            self.batches = batches(one)
        finally:
            if one.process.poll() is None:
                one.stop()

    def server(self, world, *options):
        self.count += 1
        folder = self.folder / f"server{self.count}"
        folder.mkdir()
        pipeline = folder / "packed.yaml"
        pipeline.write_text(self.text)
        return Server(folder, "--world", str(world), *options, pipeline=pipeline)


def batches(server):
    with millrace.Loader(server.address, token=server.token, timeout=120) as loader:
        return [batch.copy() for batch in loader.steps()]


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    return Packed(tmp_path_factory.mktemp("packed"))


def documents(batch):
    """Yields the document and the tokens of each member of each sequence of a batch."""
    for row in range(len(batch)):
        tokens = batch.numpy("tokens")[row]
        lengths, numbers = (batch.numpy(name).row(row) for name in ("lengths", "documents"))
        assert tokens.shape == (LENGTH,) and tokens.dtype == np.int32
        end = 0
        for length, number in zip(lengths.tolist(), numbers.tolist()):
            yield number, tokens[end : end + length].tolist()
            end += length
        assert (tokens[end:] == 300).all(), "padded at its end"


def test_each_token_of_each_good_document_comes_once_an_epoch_and_sequences_are_nearly_full(packed):
    expected = {number: [*text.encode(), END] for number, text in enumerate(packed.texts) if text}
    places = filled = 0
    found = {epoch: {} for epoch in range(EPOCHS)}
    for batch in packed.batches:
        assert len(batch) == ROWS
        for number, tokens in documents(batch):
            found[batch.epoch].setdefault(number, []).append(tokens)
            filled += len(tokens)
        places += ROWS * LENGTH
    assert filled / places > 0.96
    dropped = 0
    for members in found.values():
        for number, parts in members.items():
            whole = expected[number]
            if len(whole) <= LENGTH:
                assert parts == [whole], "a document that fits is whole"
            else:
                assert len(parts) <= -(-len(whole) // LENGTH)
                assert all("".join(map(chr, part)) in "".join(map(chr, whole)) for part in parts)
        tokens = sum(len(part) for parts in members.values() for part in parts)
        dropped += sum(map(len, expected.values())) - tokens
    assert 0 <= dropped < EPOCHS * ROWS * LENGTH, "the last sequences of an epoch, which fill no batch"


def test_the_empty_document_is_listed_with_its_reason(packed):
    listed = [json.loads(line) for file in packed.folder.glob(".millrace/*.quarantine.jsonl") for line in file.open()]
    assert [(line["index"], line["stage"]) for line in listed] == [(7, "tokenize")]
    assert "is empty" in listed[0]["reason"]


def test_the_epochs_have_the_same_packs_in_other_orders(packed):
    orders = []
    for epoch in range(EPOCHS):
        orders.append([tuple(map(tuple, row)) for row in rows_of(packed.batches, epoch)])
    assert orders[0] != orders[1]
    common = Counter(orders[0]) & Counter(orders[1])
    assert sum(common.values()) >= len(orders[0]) - 2 * ROWS


def rows_of(found, epoch):
    for batch in found:
        if batch.epoch == epoch:
            for row in range(len(batch)):
                yield zip(batch.numpy("documents").row(row).tolist(), batch.numpy("lengths").row(row).tolist())


@pytest.mark.parametrize("options", [["parallelism=2"], ["stages=separate"]])
def test_the_batches_are_the_same_at_any_parallelism(packed, options):
    server = packed.server(1, *(word for option in options for word in ("--set", option)))
    try:
        found = batches(server)
    finally:
        if server.process.poll() is None:
            server.stop()
    assert [contents(batch) for batch in found] == [contents(batch) for batch in packed.batches]


def contents(batch):
    return [
        (position, batch.numpy("tokens")[row].tobytes(), batch.numpy("lengths").row(row).tobytes())
        for row, position in enumerate(batch.positions.tolist())
    ]


CLIENT = """
import json, sys
import millrace

address, token, world, state = sys.argv[1], sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4])
loaders = [millrace.Loader(address, token=token, rank=rank, world=world, timeout=120) for rank in range(world)]
for loader in loaders:
    if state:
        loader.load_state_dict(state)
while True:
    rows = []
    for loader in loaders:
        batch = next(loader)
        tokens, lengths = batch.numpy("tokens"), batch.numpy("lengths")
        for row, position in enumerate(batch.positions.tolist()):
            rows.append([position, tokens[row].tobytes().hex(), lengths.row(row).tobytes().hex()])
    states = [loader.state_dict() for loader in loaders]
    assert all(one == states[0] for one in states)
    print(json.dumps([batch.step, rows, states[0]]), flush=True)
"""


def test_1_4_2_and_8_ranks_receive_the_same_global_batches_although_client_and_server_are_killed(packed):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    state, step = None, 0
    for world in (1, 4, 2, 8):
        server = packed.server(world)
        try:
            command = [sys.executable, "-c", CLIENT, server.address, server.token, str(world), json.dumps(state)]
            with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as client:
                for _ in range(6):
                    line = client.stdout.readline()
                    assert line, server.log()
                    found, rows, state = json.loads(line)
                    assert found == step and state["step"] == step + 1
                    expected = [[at, tokens.hex(), lengths.hex()] for at, tokens, lengths in contents(packed.batches[step])]
                    assert sorted(rows) == expected
                    step += 1
                client.kill()
        finally:
            server.process.kill()
            server.process.wait(60)
    assert step == 24


GROWING = """\
name: growing
dataset: {{ format: jsonl, path: {data}/texts.jsonl, epochs: 2, epoch_steps: 450 }}
order: {{ seed: 5 }}
transforms:
  - tokenize: {{ tokenizer: {data}/tokenizer.json, add: [eos], eos: "<end>" }}
  - pack_sequences: {{ length: 8192, documents: true }}
batch: {{ size: 8 }}
train: {{ model: none, input: [tokens, lengths, documents] }}
run: {{ folder: {data}/runs, web_port: 0 }}
"""

BUCKETED = """\
name: growing
dataset: {{ format: jsonl, path: {data}/texts.jsonl, epochs: 1 }}
order: {{ seed: 5, bucket: [250, 500, 1000, 2000] }}
transforms:
  - tokenize: {{ tokenizer: {data}/tokenizer.json, add: [eos], eos: "<end>" }}
batch: {{ size: 32, fields: [tokens] }}
train: {{ model: none, input: [tokens] }}
run: {{ folder: {data}/runs, web_port: 0 }}
"""


@pytest.mark.parametrize(("pipeline", "steps"), [(GROWING, 900), (BUCKETED, 750)], ids=["packed", "bucketed"])
def test_servers_that_count_while_they_read_share_their_counts_and_a_killed_one_leaves_what_it_counted(
    tmp_path, pipeline, steps
):
    numbers = random.Random(4)
    with open(tmp_path / "texts.jsonl", "w", encoding="utf-8") as file:
        texts = [" ".join(numbers.choices(WORDS, k=numbers.randint(1, 700))) for _ in range(2_000)]
        for number in range(24_000):  # More tokens than are counted before the first batch and for the first steps.
            file.write(json.dumps({"text": f"{number} {texts[number % 2_000]}"}) + "\n")
    (tmp_path / "tokenizer.json").write_text(json.dumps(byte_tokenizer()))
    (tmp_path / "growing.yaml").write_text(pipeline.format(data=tmp_path))
    counts = tmp_path / ".millrace"

    def start(name):
        (tmp_path / name).mkdir()
        return Server(tmp_path / name, "--world", "1", "--set", "parallelism=2", pipeline=tmp_path / "growing.yaml")

    killed, whole = start("killed"), start("whole")
    last = None
    try:
        with millrace.Loader(killed.address, token=killed.token, timeout=120) as loader:
            first = [digest(next(loader)) for _ in range(30)]
            state = loader.state_dict()
            assert not list(counts.glob("lengths-*.bin")), "all documents were counted before the first batch"
            killed.process.kill()
        expected = [digest(batch) for batch in batches(whole)]
        assert len(list(counts.glob("lengths-*.bin"))) == 1 and not list(counts.glob(".*.part"))
        last = start("last")
        with millrace.Loader(last.address, token=last.token, timeout=120) as loader:
            loader.load_state_dict(state)
            rest = [digest(batch) for batch in loader.steps()]
    finally:
        for server in (killed, whole, last):
            if server is not None and server.process.poll() is None:
                server.process.kill()
            if server is not None:
                server.process.wait(60)
    assert len(expected) == steps and first + rest == expected
    documents = {number for batch in expected for number in batch[2]}
    assert documents == set(range(24_000)), "a round has each document"


def digest(batch):
    if "documents" in batch.fields:
        rows = [batch.numpy("tokens")[row] for row in range(len(batch))]
        documents = [number for row in range(len(batch)) for number in batch.numpy("documents").row(row).tolist()]
    else:
        rows = [batch.numpy("tokens").row(row) for row in range(len(batch))]
        documents = [int(bytes(row[: row.tolist().index(ord(" "))].tolist())) for row in rows]
    return batch.step, [hashlib.sha256(row.tobytes()).hexdigest() for row in rows], documents

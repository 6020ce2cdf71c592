"""The example of a small GPT: losses of packed and unpacked documents, and its training."""

import importlib

import numpy as np
import pytest

import millrace

from .server import ROOT
from .test_sequences import LENGTH, ONLY, packs

torch = pytest.importorskip("torch")

VOCABULARY = 1000


@pytest.fixture
def gpt(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "python" / "examples"))
    return importlib.import_module("gpt")


def documents(step, rows, masked):
    """Yields the documents of a batch, alone: (tokens, labels) of each, written without the client's computed fields."""
    values = packs(step, rows)
    for row, lengths in enumerate(values["lengths"]):
        place = 0
        for length in lengths:
            tokens = values["tokens"][row, place : place + length]
            labels = tokens[1:].astype(np.int64)
            if masked:
                labels = np.where(values["label_mask"][row, place + 1 : place + length], labels, -100)
            place += length
            if length:
                yield tokens, labels


def unpacked(step, rows, masked):
    """Returns the documents of a batch, alone, as tensors of torch."""
    return [tuple(map(torch.from_numpy, each)) for each in documents(step, rows, masked)]


def loss_of_documents(gpt, model, documents):
    """Returns the sum of the losses of documents that the model sees alone, and the number of labels."""
    total, count = 0.0, 0
    for tokens, labels in documents:
        ends = torch.tensor([0, len(tokens)], dtype=torch.int32)
        logits = model(tokens[None], torch.arange(len(tokens))[None], ends, len(tokens))
        total += gpt.cross_entropy(logits[:-1], labels, reduction="sum").item()
        count += int((labels != -100).sum())
    return total, count


def loss_of_packs(gpt, model, batch):
    tokens, labels, positions, ends, longest = batch.torch("tokens", "labels", "position_ids", "cu_seqlens", "max_seqlen")
    total = gpt.cross_entropy(model(tokens, positions, ends, longest), labels.flatten(), reduction="sum").item()
    return total, int((labels != -100).sum())


def difference(gpt, peer, masked):
    """Returns the largest difference of the mean losses of packed and unpacked documents over some batches."""
    torch.manual_seed(3)
    model = gpt.GPT(VOCABULARY, LENGTH)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)  # What a token attends to must change its loss.
    server = peer(steps=4, sequence=LENGTH, only=ONLY if masked else ONLY[:2], values=packs, buffers=8)
    worst = 0.0
    with millrace.Loader(server.address) as loader, torch.no_grad():
        for batch in loader:
            packed, labels = loss_of_packs(gpt, model, batch)
            alone, count = loss_of_documents(gpt, model, unpacked(batch.step, len(batch), masked))
            assert labels == count > 0
            worst = max(worst, abs(packed - alone) / count)
    return worst


@pytest.mark.parametrize("masked", [True, False])
def test_the_losses_of_packed_documents_are_those_of_documents_alone(gpt, peer, masked):
    assert difference(gpt, peer, masked) < 1e-5


def test_attention_that_reaches_other_documents_changes_the_losses(gpt, peer, monkeypatch):
    def leaking(query, key, value, ends, longest):
        parts = (each.transpose(0, 1) for each in (query, key, value))
        return gpt.scaled_dot_product_attention(*parts, is_causal=True).transpose(0, 1)

    monkeypatch.setattr(gpt, "attention", leaking)
    assert difference(gpt, peer, True) > 0.01


def test_positions_that_do_not_restart_change_the_losses(gpt, peer, monkeypatch):
    forward = gpt.GPT.forward

    def running(model, tokens, positions, ends, longest):
        return forward(model, tokens, torch.arange(tokens.shape[1]).expand_as(tokens), ends, longest)

    monkeypatch.setattr(gpt.GPT, "forward", running)
    assert difference(gpt, peer, True) > 0.01


def counting(step, rows):
    """Returns documents that count: each token is the one before it plus 1."""
    places = np.arange(LENGTH) + np.arange(rows)[:, None] * 7
    return {**packs(0, rows), "tokens": (places % 40).astype(np.int32), "label_mask": np.ones((rows, LENGTH), np.uint8)}


def without_labels(step, rows):
    """Returns packs of which every other batch has no label."""
    values = packs(step, rows)
    return {**values, "label_mask": values["label_mask"] * np.uint8(step % 2)}


def test_a_batch_without_labels_has_the_loss_0(gpt, peer):
    server = peer(steps=4, sequence=LENGTH, only=ONLY, values=without_labels, buffers=8)
    model, losses = gpt.main(server.address, 1, VOCABULARY)
    assert losses[0] == losses[2] == 0 and losses[1] > 1
    assert all(each.isfinite().all() for each in model.parameters())


def test_the_example_learns(gpt, peer):
    server = peer(steps=60, sequence=LENGTH, only=ONLY, values=counting, buffers=8)
    _, losses = gpt.main(server.address, 1, 40)
    assert len(losses) == 60 and losses[-1] < 0.2 * losses[0]

"""The example of a small GPT in JAX: losses of packed and unpacked documents, and its training."""

import importlib

import numpy as np
import pytest

import millrace

from .server import ROOT
from .test_gpt import VOCABULARY, counting, documents, without_labels
from .test_sequences import LENGTH, ONLY, packs

jax = pytest.importorskip("jax")


@pytest.fixture(autouse=True)
def nothing_left():
    """Replaces the check for open files: JAX keeps threads."""


@pytest.fixture
def gpt(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "python" / "examples"))
    return importlib.import_module("gpt_jax")


def difference(gpt, peer):
    """Returns the largest difference of the mean losses of packed and unpacked documents over some batches."""
    parameters = gpt.initial(jax.random.key(3), VOCABULARY, LENGTH, width=32)
    parameters = jax.tree.map(lambda each: 15 * each, parameters)  # What a token attends to must change its loss.
    server = peer(steps=4, sequence=LENGTH, only=ONLY, values=packs, buffers=8)
    loss_of, worst = jax.jit(lambda *given: gpt.loss_of(*given)), 0.0  # JAX would keep what it compiled of gpt.loss_of
    with millrace.Loader(server.address) as loader:
        for batch in loader:
            packed = float(loss_of(parameters, *batch.jax("tokens", "labels", "position_ids", "segment_ids")))
            total, count = 0.0, 0
            for tokens, labels in documents(batch.step, len(batch), True):
                counted = int((labels >= 0).sum())
                if counted:  # The document is alone in its row. What follows it is neither seen nor counted.
                    rest = LENGTH - len(tokens)
                    row = [np.pad(tokens, (0, rest)), np.pad(labels, (0, rest + 1), constant_values=-100), np.arange(LENGTH)]
                    total += float(loss_of(parameters, *(each[None] for each in row), np.zeros((1, LENGTH), int))) * counted
                    count += counted
            worst = max(worst, abs(packed - total / count))
    return worst


def test_the_losses_of_packed_documents_are_those_of_documents_alone(gpt, peer):
    assert difference(gpt, peer) < 1e-5


def test_attention_that_reaches_other_documents_changes_the_losses(gpt, peer, monkeypatch):
    monkeypatch.setattr(gpt, "mask_of", lambda segments: np.tri(LENGTH, dtype=bool)[None, None])
    assert difference(gpt, peer) > 0.01


def test_positions_that_do_not_restart_change_the_losses(gpt, peer, monkeypatch):
    logits = gpt.logits

    def running(parameters, tokens, positions, segments):
        return logits(parameters, tokens, np.arange(LENGTH)[None], segments)

    monkeypatch.setattr(gpt, "logits", running)
    assert difference(gpt, peer) > 0.01


def test_the_example_learns_and_compiles_its_step_once(gpt, peer):
    server = peer(steps=60, sequence=LENGTH, only=ONLY, values=counting, buffers=8)
    gpt.update.clear_cache()
    _, losses = gpt.main(server.address, 1, 40)
    assert len(losses) == 60 and losses[-1] < 0.2 * losses[0]
    assert gpt.update._cache_size() == 1


def test_tokens_beyond_the_vocabulary_are_refused(gpt, peer):
    server = peer(steps=10, sequence=LENGTH, only=ONLY, values=packs, buffers=8)
    with pytest.raises(ValueError, match="step 0 has the token [0-9]+, expected less than VOCABULARY, 40"):
        gpt.main(server.address, 1, 40)


def test_a_batch_without_labels_has_the_loss_0(gpt, peer):
    server = peer(steps=4, sequence=LENGTH, only=ONLY, values=without_labels, buffers=8)
    parameters, losses = gpt.main(server.address, 1, VOCABULARY)
    assert losses[0] == losses[2] == 0 and losses[1] > 1
    assert all(gpt.jnp.isfinite(each).all() for each in jax.tree.leaves(parameters))

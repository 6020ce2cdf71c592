"""The example of a dataloader for torchtitan: its interface, batches, and checkpoints at other numbers of ranks.

Without torchtitan, the base classes are stand-ins, written from its interface: abstract `__iter__`, `state_dict` and
`load_state_dict`, a `close` that does nothing, and a `Config` whose `build` passes the arguments of the trainer on.
"""

import abc
import dataclasses
import importlib
import sys
import types

import numpy as np
import pytest

import millrace

from .server import ROOT
from .test_sequences import LENGTH, ONLY, packs, ranked, wanted

if sys.version_info < (3, 10):
    pytest.skip("torchtitan needs Python 3.11, and the stand-ins 3.10", allow_module_level=True)
torch = pytest.importorskip("torch")
checkpoints = pytest.importorskip("torch.distributed.checkpoint")

ROWS = 4
"""Rows of a global batch."""


@pytest.fixture(autouse=True)
def nothing_left():
    """Replaces the check for open files: torch's checkpoints keep threads."""


class Configurable:
    """torchtitan's class of that name, of which `Config` builds the class that contains it."""

    @dataclasses.dataclass(kw_only=True, slots=True)
    class Config:
        def build(self, **arguments):
            return OWNERS[type(self)](config=dataclasses.replace(self), **arguments)

    def __init_subclass__(cls):
        config = cls.__dict__["Config"]
        assert "__slots__" in config.__dict__ and all(field.kw_only for field in dataclasses.fields(config))
        OWNERS[config] = cls


OWNERS = {}


class BaseDataLoader(checkpoints.stateful.Stateful, abc.ABC, Configurable):
    @dataclasses.dataclass(kw_only=True, slots=True)
    class Config(Configurable.Config):
        pass

    @abc.abstractmethod
    def __iter__(self): ...

    def close(self):
        pass


@pytest.fixture
def example(monkeypatch):
    try:
        importlib.import_module("torchtitan.components.data.loader")
    except ImportError:
        names = ["torchtitan", "torchtitan.components", "torchtitan.components.data", "torchtitan.components.data.loader"]
        for name in names:
            monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
        sys.modules[names[-1]].BaseDataLoader = BaseDataLoader
    monkeypatch.syspath_prepend(str(ROOT / "python" / "examples"))
    monkeypatch.delitem(sys.modules, "torchtitan_loader", raising=False)
    return importlib.import_module("torchtitan_loader")


@pytest.fixture
def built(example):
    """Returns a function that builds a dataloader as torchtitan's trainer does. The fixture closes them."""
    made = []

    def build(server, rank=0, world=1, tokens=None, longest=LENGTH):
        made.append(
            example.MillraceDataLoader.Config(source=server.address).build(
                dp_world_size=world,
                dp_rank=rank,
                tokenizer=None,
                max_context_length=longest,
                num_tokens_per_batch=ROWS // world * LENGTH if tokens is None else tokens,
            )
        )
        return made[-1]

    yield build
    for one in made:
        one.close()


def test_batches_are_flat_and_their_positions_restart_with_documents(peer, built):
    data = iter(built(ranked(peer, 1, steps=10)))
    for step in range(10):
        inputs, labels = next(data)
        expected = wanted(step)
        assert inputs.keys() == {"input", "positions"} and inputs["input"].dtype == labels.dtype == torch.int64
        assert inputs["input"].tolist() == packs(step, ROWS)["tokens"].reshape(-1).tolist()
        assert inputs["positions"].tolist() == expected["position_ids"].reshape(-1).tolist()
        assert labels.tolist() == expected["labels"].reshape(-1).tolist()
    # torchtitan finds the boundaries of documents where positions are 0. Padding is a document of its own, without labels.
    found = (inputs["positions"] == 0).nonzero().flatten().tolist()
    assert found == expected["cu_seqlens"][:-1].tolist()
    with pytest.raises(StopIteration):  # which torchtitan turns into the end of the training
        next(data)


def test_the_iterator_goes_on_over_the_epochs(peer, built):
    data = iter(built(ranked(peer, 1, steps=20, epochs=2)))
    assert [int(next(data)[0]["input"][0]) for _ in range(20)] == [packs(step, ROWS)["tokens"][0, 0] for step in range(20)]


def test_a_batch_that_lacks_a_row_is_padded(peer, built):
    def fewer(step, rows):
        return {name: value[: rows - 1] for name, value in packs(step, rows).items()}

    server = peer(steps=10, rows=ROWS, sequence=LENGTH, only=ONLY, values=fewer, buffers=8)
    inputs, labels = next(iter(built(server)))
    assert inputs["input"].shape == inputs["positions"].shape == labels.shape == (ROWS * LENGTH,)
    assert labels[:-LENGTH].tolist() == wanted(0)["labels"][:-1].reshape(-1).tolist() and (labels[-LENGTH:] == -100).all()
    assert inputs["positions"][-LENGTH:].tolist() == list(range(LENGTH))


def test_checkpoints_continue_at_other_numbers_of_ranks(peer, built, tmp_path):
    step = 0
    for world in (2, 1, 4):
        server = ranked(peer, world, steps=20)
        ranks = [built(server, rank, world) for rank in range(world)]
        if step:
            for one in ranks:
                checkpoints.load({"dataloader": one}, checkpoint_id=tmp_path / str(step), no_dist=True)
        iterators = list(map(iter, ranks))
        for _ in range(3):
            tokens = np.concatenate([next(each)[0]["input"] for each in iterators])
            assert tokens.tolist() == packs(step, ROWS)["tokens"].reshape(-1).tolist(), (world, step)
            step += 1
        states = [one.state_dict() for one in ranks]
        assert all(state == states[0] for state in states) and states[0]["step"] == step
        checkpoints.save({"dataloader": ranks[0]}, checkpoint_id=tmp_path / str(step), no_dist=True)
        for one in ranks:
            one.close()


def test_an_empty_state_changes_nothing(peer, built):
    data = built(ranked(peer, 1, steps=10))
    data.load_state_dict({})
    assert data.state_dict()["step"] == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tokens": 60}, "4 sequences of 12 tokens to a rank, which are 48 tokens, but .* is 60"),
        ({"longest": 8}, "sequences of 12 tokens, expected at most training.max_context_length, which is 8"),
    ],
)
def test_other_sizes_than_torchtitans_are_refused(peer, built, options, words):
    with pytest.raises(ValueError, match=words):
        built(ranked(peer, 1, steps=10), **options)


def test_batches_without_packed_sequences_are_refused(peer, built):
    with pytest.raises(ValueError, match="delivers .*image.*, expected the fields of pack_sequences"):
        built(peer(only=("image",)))


def test_processes_that_share_a_rank_are_refused(peer, built, example, monkeypatch):
    monkeypatch.setattr(example.dist, "is_initialized", lambda: True)
    monkeypatch.setattr(example.dist, "get_world_size", lambda: 4)
    with pytest.raises(ValueError, match="4 processes share 2 ranks of data"):
        built(ranked(peer, 2, steps=10), 0, 2)


def test_a_state_of_other_data_is_refused(peer, built):
    state = {**built(ranked(peer, 1, steps=10)).state_dict(), "fingerprint": '{"order.seed": "2"}'}
    with pytest.raises(millrace.PlanDiffers, match="order.seed"):
        built(ranked(peer, 1, steps=10)).load_state_dict(state)

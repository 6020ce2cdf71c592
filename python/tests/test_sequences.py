"""The fields that the client computes from packed sequences."""

import numpy as np
import pytest

import millrace
from millrace._sequences import DERIVED, computed, segments
from millrace._varying import Ragged

from .cuda import Cuda

LENGTH = 12
ONLY = ("tokens", "lengths", "label_mask")
PACKS = [[5, 4, 3], [7, 2], [], [12], [1, 1, 1], [0, 3, 0, 0, 9, 0], [11], [0]]


def ragged(rows):
    lengths = [len(row) for row in rows]
    values = np.array([n for row in rows for n in row], np.int32)
    return Ragged(values, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))


def slowly(rows, tokens, mask, length):
    """Returns the computed fields, written from their description token by token."""
    found = {name: [] for name in DERIVED}
    boundaries = [0]
    for row, lengths in enumerate(rows):
        parts = [(number, size) for number, size in enumerate([n for n in lengths if n])]
        parts += [(-1, length - sum(lengths))] if sum(lengths) < length else []
        own = []
        for number, size in parts:
            begin = len(own)
            boundaries.append(boundaries[-1] + size)
            found["position_ids"] += range(size)
            found["segment_ids"] += [number] * size
            for place in range(begin, begin + size):
                own.append(tokens[row][place] if number >= 0 and place > begin and (mask is None or mask[row][place]) else -100)
        found["unshifted_labels"] += own
        found["labels"] += [*own[1:], -100]
    shaped = {name: np.array(values, np.int64).reshape(-1, length) for name, values in found.items() if values}
    shaped["cu_seqlens"] = np.array(boundaries)
    shaped["max_seqlen"] = max(np.diff(boundaries))
    return shaped


def packs(step, rows):
    """Returns the arrays of a batch of packed sequences."""
    random = np.random.default_rng(step)
    chosen = [PACKS[(step + i) % len(PACKS)] for i in range(rows)]
    positions = np.arange(step * rows, (step + 1) * rows, dtype=np.int64)
    return {
        "__index__": positions, "__position__": positions, "__weight__": np.ones(rows, np.float32),
        "tokens": random.integers(1, 1000, (rows, LENGTH)).astype(np.int32),
        "lengths": [np.array(row, np.int32) for row in chosen],
        "label_mask": random.integers(0, 2, (rows, LENGTH)).astype(np.uint8),
    }  # fmt: skip


def wanted(step, rows=4, masked=True):
    values = packs(step, rows)
    lengths = [list(row) for row in values["lengths"]]
    return slowly(lengths, values["tokens"], values["label_mask"] if masked else None, LENGTH)


def ranked(peer, world, rows=4, **options):
    """Returns a server of global batches of some rows, of which each rank receives its share."""
    share = rows // world

    def script(connection):
        plan_of, batch_of = connection.plan, connection.batch

        def plan(join):
            connection.rank = join["rank"]
            assert join["world"] == world, join
            return plan_of(join)

        def batch(step):
            values = packs(step, rows)
            first = connection.rank * share
            batch_of(step, values={name: value[first : first + share] for name, value in values.items()})

        connection.plan, connection.batch = plan, batch
        connection.serve()

    return peer(script, rows=share, sequence=LENGTH, only=ONLY, buffers=8, **options)


@pytest.fixture
def sequences(peer):
    """Returns a function that opens a loader of packed sequences, which the fixture closes."""
    made = []

    def start(only=ONLY, values=packs, **options):
        server = peer(steps=10, sequence=LENGTH, only=only, values=values, buffers=8)
        made.append(millrace.Loader(server.address, **options))
        return made[-1]

    yield start
    for one in made:
        one.close()


@pytest.mark.parametrize("masked", [True, False])
def test_each_field_is_what_its_description_says(sequences, masked):
    for batch in sequences(ONLY if masked else ONLY[:2]):
        expected = wanted(batch.step, masked=masked)
        assert all(name in batch for name in DERIVED)
        for name, dtype in DERIVED.items():
            found = batch[name]
            assert np.array_equal(found, expected[name]), (batch.step, name)
            assert isinstance(found, int) if name == "max_seqlen" else found.dtype == dtype
            assert batch[name] is found, "computed once"


@pytest.mark.parametrize("seed", range(20))
def test_random_packs(seed):
    random = np.random.default_rng(seed)
    rows, length = int(random.integers(1, 9)), int(random.integers(1, 70))
    lengths = []
    for _ in range(rows):
        cuts = np.sort(random.integers(0, length + 1, int(random.integers(0, 9))))
        lengths.append([int(n) for n in np.diff(cuts)])
    tokens = random.integers(0, 50000, (rows, length)).astype(np.uint16)
    mask = random.integers(0, 2, (rows, length)).astype(np.bool_) if seed % 2 else None
    expected = slowly(lengths, tokens, mask, length)
    of = segments(ragged(lengths), length)
    for name in DERIVED:
        assert np.array_equal(computed(name, of, tokens, mask), expected[name]), name


def test_torch_gets_the_fields_of_a_loop(sequences):
    torch = pytest.importorskip("torch")
    for batch in sequences():
        expected = wanted(batch.step)
        tokens, labels, positions, boundaries, longest = batch.torch(
            "tokens", "labels", "position_ids", "cu_seqlens", "max_seqlen"
        )
        assert (tokens.dtype, labels.dtype, boundaries.dtype) == (torch.int32, torch.int64, torch.int32)
        assert tokens.shape == labels.shape == positions.shape == (4, LENGTH)
        assert boundaries[-1] == tokens.numel() and longest == expected["max_seqlen"] and type(longest) is int
        for found, name in ((labels, "labels"), (positions, "position_ids"), (boundaries, "cu_seqlens")):
            assert np.array_equal(found.numpy(), expected[name])
        assert batch.torch("max_seqlen") == longest


def test_jax_gets_the_fields_of_a_loop(sequences):
    pytest.importorskip("jax")
    batch = next(sequences())
    labels, numbers, longest = batch.jax("labels", "segment_ids", "max_seqlen")
    assert np.array_equal(labels, wanted(0)["labels"]) and np.array_equal(numbers, wanted(0)["segment_ids"])
    assert longest == wanted(0)["max_seqlen"]


def test_computed_fields_are_copied_to_a_gpu_ahead(sequences, monkeypatch):
    torch = pytest.importorskip("torch")
    from .test_prefetch import wait_for_arrivals  # which needs torch

    cuda = Cuda(torch, monkeypatch)
    made, begun = [], []
    with sequences() as loader:
        for batch in loader:
            made.append(batch.torch("tokens", "labels", "cu_seqlens", "max_seqlen", device="cuda"))
            begun.append(cuda.calls.count("copy") // 3 - batch.step - 1)
            del batch
            for stream in cuda.streams[1:]:
                stream.run(stream.begun)
            wait_for_arrivals(loader)
    cuda.run()
    assert max(begun) == 2 and len(made) == 10
    for step, (tokens, labels, boundaries, longest) in enumerate(made):
        expected = wanted(step)
        assert np.array_equal(tokens.numpy(), packs(step, 4)["tokens"])
        assert np.array_equal(labels.numpy(), expected["labels"])
        assert np.array_equal(boundaries.numpy(), expected["cu_seqlens"]) and longest == expected["max_seqlen"]


def test_out_receives_labels_and_refuses_a_number(sequences):
    torch = pytest.importorskip("torch")
    batch = next(sequences())
    own = torch.zeros((4, LENGTH), dtype=torch.int64)
    assert batch.torch("labels", out=own) is own
    assert np.array_equal(own.numpy(), wanted(0)["labels"])
    with pytest.raises(ValueError, match="'max_seqlen' is a number"):
        batch.torch("labels", "max_seqlen", out=(own, own))


def test_a_copy_of_a_batch_has_the_same_fields(sequences):
    batch = next(sequences()).copy()
    assert np.array_equal(batch["labels"], wanted(0)["labels"])


@pytest.mark.parametrize("name", sorted(DERIVED))
@pytest.mark.parametrize(("only", "missing"), [(("tokens",), "no lengths"), (("label_mask",), "no tokens and no lengths")])
def test_a_batch_without_sequences_says_what_is_missing(sequences, name, only, missing):
    batch = next(sequences(only))
    assert name not in batch
    with pytest.raises(KeyError, match=f"no field '{name}'.*has {missing}; it has .*{only[0]}.*pack_sequences"):
        batch[name]


@pytest.mark.parametrize(
    ("lengths", "words"),
    [
        ([[5], [5, 8], [1], [1]], "segments of 13 tokens in row 1 of the batch, expected at most 12"),
        ([[5], [], [3, -2], [1]], "the length -2 in row 2 of the batch, expected at least 0"),
    ],
)
def test_lengths_that_do_not_fit_are_refused(sequences, lengths, words):
    def damaged(step, rows):
        return {**packs(step, rows), "lengths": [np.array(row, np.int32) for row in lengths]}

    batch = next(sequences(values=damaged))
    with pytest.raises(ValueError, match=words):
        batch["position_ids"]
    assert batch["tokens"].shape == (4, LENGTH)


@pytest.mark.parametrize(
    ("field", "change", "words"),
    [
        ("tokens", {"dtype": "float32"}, "'tokens' is dense float32 .12., expected dense integers"),
        ("lengths", {"dtype": "float32"}, "'lengths' is ragged float32 .., expected ragged integers"),
        ("label_mask", {"shape": [3]}, "'label_mask' is dense uint8 .3., expected .12."),
    ],
)
def test_fields_of_another_type_are_refused(peer, field, change, words):
    def script(connection):
        of = connection.plan

        def plan(join):
            made = of(join)
            made["fields"] = [{**f, **change} if f["name"] == field else f for f in made["fields"]]
            return made

        connection.plan = plan
        connection.serve()

    server = peer(script, steps=10, sequence=LENGTH, only=ONLY, values=packs)
    with millrace.Loader(server.address) as loader:
        batch = next(loader)
        with pytest.raises(ValueError, match=words):
            batch["labels"]

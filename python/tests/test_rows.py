"""Steps whose samples are bad, and last batches that the ranks share, with real servers and a dataset in Python."""

import json
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import millrace

from .server import LAUNCHER

DATASET = """
import numpy as np


class Rows:
    def __init__(self, size, bad):
        self.size, self.bad = size, bad

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        if index in self.bad:
            raise ValueError("a bad sample")
        return {"x": np.full(3, index + 1, np.float32), "words": np.arange(index % 3 + 1), "label": index % 10}
"""


@pytest.fixture
def pipeline(tmp_path, monkeypatch):
    """Returns a function that writes a pipeline of samples in storage order, some of which are bad."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.py").write_text(DATASET)

    def write(size, bad, batch):
        path = tmp_path / "rows.yaml"
        path.write_text(
            f"dataset: {{ format: python, dataset: 'data:Rows', args: {{ size: {size}, bad: {bad} }}, epochs: 2 }}\n"
            "order: { shuffle: none }\n"
            "parallelism: 1\n"
            f"batch: {{ size: {batch}, max_quarantined: 100%, fields: {{ x: auto, words: ragged }} }}\n"
            "run: { web_port: 0 }\n"
        )
        return path

    return write


def summary(folder):
    (run,) = (run for run in (folder / "runs" / "rows").iterdir() if not run.is_symlink())
    return json.loads((run / "summary.json").read_text())


def test_one_rank_leaves_out_steps_without_good_samples(pipeline, tmp_path):
    good = [1, 3, 4, 7, 9, 10]
    with millrace.Loader(pipeline(6, [0, 2, 5], 1), millrace=LAUNCHER) as loader:
        batches = iter(lambda: next(loader, None), None)
        seen = [(batch.step, batch.epoch, batch["x"].tolist(), batch.weights.tolist()) for batch in batches]
        assert seen == [(step, step // 6, [[step % 6 + 1.0] * 3], [1.0]) for step in good]
        assert loader.step == 12 and loader.stats()["left_out"] == 6 and loader.stats()["rows"] == 6
        state = loader.state_dict()
        for first in range(12, -1, -1):
            loader.load_state_dict({**state, "step": first})
            assert loader.step == first
            following = next(loader, None)
            assert (following and following.step) == next((step for step in good if step >= first), None)
        for epoch in 1, 0:
            assert [batch.step for batch in loader.epoch(epoch)] == good[3 * epoch : 3 * epoch + 3]
            assert loader.step == 6 * (epoch + 1)
        loader.load_state_dict({**state, "step": 5})
        assert [batch.step for batch in iter(lambda: next(loader, None), None)] == [7, 9, 10]
    found = summary(tmp_path)
    assert found["status"] == "finished" and found["quarantined"] == 3


WORLD = 4


def rank_loop(loader, first):
    """Returns the rows of each step from `first` on: step, values, weights, words, indexes and missing positions."""
    loader.seek(first)
    rows = []
    for b in iter(lambda: next(loader, None), None):
        values, words = b["x"][:, 0].tolist(), b["words"].to_padded().tolist()
        rows.append((b.step, values, b.weights.tolist(), words, b.indexes.tolist(), b.missing.tolist()))
    return rows


def test_ranks_get_equal_numbers_of_batches_and_padded_rows_of_weight_0(pipeline, tmp_path):
    """13 samples in batches of 12: rank 1 has only bad samples of the first batch, and ranks 1 to 3 nothing of the second one."""
    path = pipeline(13, [3, 4, 5, 7], 12)
    with millrace.Loader(path, world=WORLD, millrace=LAUNCHER) as first:
        ranks = [first, *(millrace.Loader(first.address, rank=rank, world=WORLD) for rank in range(1, WORLD))]
        with ThreadPoolExecutor(WORLD) as threads:
            for start in 0, 1, 2, 3, 0:
                found = list(threads.map(rank_loop, ranks, [start] * WORLD))
                for step in range(start, 4):
                    rows = [of_rank[step - start] for of_rank in found]
                    assert [row[0] for row in rows] == [step] * WORLD
                    padded = (step, [0.0], [0.0], [[0]], [-1])
                    if step % 2 == 1:
                        assert rows[0][1:5] == ([13.0], [1.0], [[0]], [12])
                        assert [row[:5] for row in rows[1:]] == [padded] * 3
                        continue
                    assert rows[1] == (*padded, [13 * (step // 2) + i for i in (3, 4, 5)])
                    assert rows[2][1:3] == ([7.0, 9.0], [1.0, 1.0]) and rows[2][5] == [13 * (step // 2) + 7]
                    total = sum(w for row in rows for w in row[2])
                    mean = sum(w * x for row in rows for x, w in zip(row[1], row[2])) / total
                    assert total == 8 and mean == (1 + 2 + 3 + 7 + 9 + 10 + 11 + 12) / 8
        for rank in ranks[1:]:
            rank.close()
    found = summary(tmp_path)
    assert found["status"] == "finished" and found["quarantined"] == 4


def test_torch_and_jax_read_weights_and_padded_rows(pipeline):
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    with millrace.Loader(pipeline(3, [1], 2), world=2, millrace=LAUNCHER) as first:
        with millrace.Loader(first.address, rank=1, world=2) as second, ThreadPoolExecutor(2) as threads:
            good, padded = threads.map(next, (first, second))
            x, words, labels, weights = padded.torch("x", "words", "label", "__weight__")
            assert weights.dtype == torch.float32 and weights.tolist() == [0]
            assert x.tolist() == [[0, 0, 0]] and labels.tolist() == [0]
            assert [row.tolist() for row in words.unbind()] == [[0]]
            losses = torch.nn.functional.cross_entropy(x, labels, reduction="none")
            assert math.isfinite(losses) and (losses * weights).sum() == 0
            assert good.torch("__weight__").tolist() == [1] and good.torch("x").tolist() == [[1, 1, 1]]
            assert padded.jax("__weight__").dtype == jax.numpy.float32 and padded.jax("__weight__").tolist() == [0]
            data = torch.utils.data.DataLoader(second.iterable("x", "__weight__"), batch_size=None)
            ones = torch.utils.data.DataLoader(first.iterable("x", "__weight__"), batch_size=None)
            # The rest of the first epoch, and the second one.
            (mine, other) = threads.map(lambda loaded: [w.tolist() for _ in range(2) for _, w in loaded], (ones, data))
            assert mine == [[1], [1], [1]] and other == [[0]] * 3
            del good, padded, x, words, labels, weights, losses
        assert np.isfinite(first.stats()["starved"])

"""The evaluation of a served run, with a real server."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import millrace

from .server import LAUNCHER, Server

TEST, STEPS = 1000, 16


@pytest.fixture
def loader(server):
    opened = millrace.Loader(server.address, timeout=120)
    yield opened
    opened.close()


def rows(batches):
    return [index for batch in batches for index in batch.indexes.tolist()]


def test_evaluation_has_each_sample_once_in_order_and_does_not_move_the_training(server, loader):
    images = np.fromfile(server.data / "t10k-images-idx3-ubyte", np.uint8, offset=16).reshape(-1, 28, 28, 1)
    labels = np.fromfile(server.data / "t10k-labels-idx1-ubyte", np.uint8, offset=8)
    quiet = [batch.indexes.tolist() for _, batch in zip(range(6), loader.epoch(1))]
    loader.seek(len(loader))
    training = loader.epoch(1)
    seen = [next(training).indexes.tolist() for _ in range(3)]
    state = loader.state_dict()
    evaluation = loader.evaluation()
    assert len(evaluation) == STEPS and evaluation.plan.samples == TEST and not evaluation.plan.evaluation
    for _ in range(2):
        found = []
        for batch in evaluation:
            assert np.array_equal(batch["image"], images[batch.indexes])
            assert np.array_equal(batch["label"], labels[batch.indexes])
            found += batch.indexes.tolist()
        assert found == list(range(TEST))
    assert (loader.state_dict(), loader.step) == (state, len(loader) + 3)
    assert [*seen, *(next(training).indexes.tolist() for _ in range(3))] == quiet


@pytest.mark.parametrize("taken", [1, 5])
def test_evaluation_begins_again_after_a_break(loader, taken):
    for i, _ in enumerate(loader.evaluation()):
        if i + 1 == taken:
            break
    assert rows(loader.evaluation()) == list(range(TEST))
    assert loader.evaluation() is loader.evaluation() and loader.step == 0


def test_a_second_loader_evaluates_after_the_first_was_closed(server):
    for _ in range(2):
        with millrace.Loader(server.address, timeout=120) as opened:
            assert rows(opened.evaluation()) == list(range(TEST))


def test_ranks_share_the_evaluation(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("ranks"), "--world", "2")
    try:
        loaders = [millrace.Loader(server.address, rank=r, world=2, timeout=120) for r in range(2)]
        with ThreadPoolExecutor(2) as threads:
            for trains in (True, False):  # The first pass begins with rows that were read ahead.
                if trains:
                    assert sum(threads.map(lambda one: len(rows(one.epoch(0))), loaders)) == 6400
                found = list(threads.map(lambda one: [b.indexes.tolist() for b in one.evaluation()], loaders))
                assert [len(one) for one in found] == [STEPS, STEPS]
                for step, (first, second) in enumerate(zip(*found)):
                    assert [*first, *second] == list(range(64 * step, min(64 * step + 64, TEST)))
        for one in loaders:
            one.close()
    finally:
        server.stop()


def test_a_part_of_the_dataset_is_the_evaluation_of_a_server_of_the_loaders_own(tmp_path, server):
    pipeline = tmp_path / "parts.yaml"
    pipeline.write_text(
        f"dataset: {{format: idx, path: {server.data}, part: train, parts: {{train: 0.9, validation: 0.1}}}}\n"
        f"evaluate: {{part: validation}}\nbatch: {{size: 64}}\ndevice: {{transforms: [ToFloat]}}\n"
        f"run: {{folder: {tmp_path}/runs, web_port: 0}}\n"
    )
    with millrace.Loader(pipeline, millrace=LAUNCHER, timeout=120) as opened:
        trained = rows(opened.epoch(0))
        evaluated = rows(opened.evaluation())
        assert evaluated == sorted(evaluated) and len(evaluated) == opened.evaluation().plan.samples
        assert sorted([*trained, *evaluated]) == list(range(6400))
        assert rows(opened.evaluation()) == evaluated


COUNTED = """
import pathlib

import numpy as np


class Rows:
    def __init__(self, size, log):
        self.size, self.log = size, pathlib.Path(log)

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        with self.log.open("a") as log:
            log.write("x")
        return {"row": np.full(256, index, np.float32)}
"""
COUNT = 20_000


@pytest.fixture
def counted(tmp_path):
    """A pipeline whose datasets count the rows that are read, and the file with a byte for each row of the evaluation."""
    (tmp_path / "data.py").write_text(COUNTED)
    logs = {name: f"{{format: python, dataset: 'data:Rows', args: {{size: {size}, log: {tmp_path}/{name}}}"
            for name, size in (("train.log", 640), ("evaluate.log", COUNT))}
    pipeline = tmp_path / "counted.yaml"
    pipeline.write_text(
        f"dataset: {logs['train.log']}, epochs: 2}}\nevaluate: {{dataset: {logs['evaluate.log']}}}, every: 2}}\n"
        f"batch: {{size: 64}}\nparallelism: 2\nrun: {{folder: {tmp_path}/runs, web_port: 0}}\n"
    )
    return pipeline, tmp_path / "evaluate.log"


def read_ahead(log, before):
    """Waits until rows of the evaluation were read after the first `before`, and returns their number."""
    deadline = time.monotonic() + 60
    while log.stat().st_size == before:
        assert time.monotonic() < deadline, "nothing is read ahead"
        threading.Event().wait(0.05)
    return log.stat().st_size - before


def test_the_first_batches_are_read_before_the_loop_asks_and_are_those_that_it_gets(counted):
    pipeline, log = counted
    with millrace.Loader(pipeline, millrace=LAUNCHER, timeout=120) as opened:
        assert len(rows(opened.epoch(0))) == 640
        before = log.stat().st_size
        next(opened.epoch(1))
        assert log.stat().st_size == before, "the evaluation follows every second epoch"
        assert len(rows(opened.epoch(1))) == 640 - 64
        assert 0 < read_ahead(log, before) < COUNT
        assert rows(opened.evaluation()) == list(range(COUNT))


def test_a_loop_that_never_asks_for_the_prepared_evaluation_ends_its_run(counted, tmp_path):
    pipeline, log = counted
    with millrace.Loader(pipeline, millrace=LAUNCHER, timeout=120) as opened:
        before = log.stat().st_size
        assert len(rows(opened.steps())) == 2 * 640
        assert 0 < read_ahead(log, before) < COUNT
    [summary] = tmp_path.glob("runs/**/summary.json")
    assert json.loads(summary.read_text())["status"] == "finished"


def test_pipeline_without_evaluation_is_named(tmp_path, server):
    pipeline = tmp_path / "none.yaml"
    pipeline.write_text(
        f"dataset: {{format: idx, path: {server.data}}}\nrun: {{folder: {tmp_path}/runs, web_port: 0}}\ntrain: {{model: none}}\n"
    )
    with millrace.Loader(pipeline, millrace=LAUNCHER, timeout=120) as opened:
        with pytest.raises(millrace.MillraceError, match="none.yaml delivers no evaluation: expected a pipeline with"):
            opened.evaluation()
        assert len(next(opened)) == 64


def test_evaluation_whose_data_is_missing_is_named_and_the_training_goes_on(tmp_path, server):
    pipeline = tmp_path / "gone.yaml"
    pipeline.write_text(
        f"dataset: {{format: idx, path: {server.data}}}\nevaluate: {{dataset: {{format: idx, path: {tmp_path}/gone}}}}\n"
        f"run: {{folder: {tmp_path}/runs, web_port: 0}}\ntrain: {{model: none}}\n"
    )
    with millrace.Loader(pipeline, millrace=LAUNCHER, timeout=120) as opened:
        with pytest.raises(millrace.JobFailed, match="the evaluation cannot be delivered: .*gone"):
            opened.evaluation()
        assert len(next(opened)) == 64

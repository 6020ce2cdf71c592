"""The client with a real server. Most tests share one server."""

import gc
import json
import os

import numpy as np
import pytest

import millrace
from millrace.__main__ import main
from millrace._plan import MAX_BUFFERS

from .server import EPOCHS, LAUNCHER, PIPELINE, TRAIN, settings

STEPS = TRAIN // 64


@pytest.fixture
def loader(server):
    """Returns a function that opens loaders of the server, which the fixture closes."""
    made = []

    def open_loader(address=server.address, **options):
        made.append(millrace.Loader(address, timeout=120, **options))
        return made[-1]

    yield open_loader
    for one in made:
        one.close()


def test_an_epoch_has_each_sample_once_with_its_image_and_label(server, loader):
    images = np.fromfile(server.data / "train-images-idx3-ubyte", np.uint8, offset=16).reshape(-1, 28, 28, 1)
    labels = np.fromfile(server.data / "train-labels-idx1-ubyte", np.uint8, offset=8)
    opened = loader()
    assert len(opened) == STEPS and opened.plan.epochs == EPOCHS and opened.plan.samples == TRAIN
    seen = []
    for step, batch in enumerate(opened.epoch(1), start=STEPS):
        assert (batch.step, batch.epoch, len(batch), len(batch.missing)) == (step, 1, 64, 0)
        assert np.array_equal(batch.positions, np.arange(step * 64, step * 64 + 64))
        assert np.array_equal(batch["image"], images[batch.indexes]) and np.array_equal(batch["label"], labels[batch.indexes])
        seen += batch.indexes.tolist()
    assert sorted(seen) == list(range(TRAIN)) and seen != sorted(seen)
    assert opened.stats()["memory"]["kind"] == "memfd" and opened.stats()["copies"] == 0


@pytest.mark.parametrize("memory", ["memfd", "file", "inline", "tcp"])
def test_all_kinds_of_memory_deliver_the_same_after_a_seek(server, loader, memory):
    opened = loader(server.tcp, token=server.token) if memory == "tcp" else loader(memory=memory)
    sums = [int(batch["image"].sum()) for _, batch in zip(range(20), opened)]
    opened.seek(5)
    again = [int(batch["image"].sum()) for _, batch in zip(range(15), opened)]
    assert again == sums[5:]
    opened.close()
    opened = loader()
    assert [int(batch["image"].sum()) for _, batch in zip(range(20), opened)] == sums


def test_a_state_continues_in_another_loader(loader):
    opened = loader()
    opened.seek(250)
    expected = [batch.indexes.tolist() for _, batch in zip(range(8), opened)]
    opened.seek(250)
    for _ in range(4):
        next(opened)
    state = json.loads(json.dumps(opened.state_dict()))
    opened.close()
    opened = loader()
    opened.load_state_dict(state)
    assert [batch.indexes.tolist() for _, batch in zip(range(4), opened)] == expected[4:]
    state["fingerprint"] = json.dumps({**json.loads(state["fingerprint"]), "order.seed": "7"})
    with pytest.raises(millrace.PlanDiffers, match="order.seed is '7', expected '42'"):
        opened.load_state_dict(state)


def test_a_list_of_all_batches_neither_blocks_nor_changes_them(loader):
    opened = loader()
    with pytest.warns(RuntimeWarning, match="this batch is copied"):
        batches = list(opened.steps())
    opened.seek(0)
    assert [batch.step for batch in batches] == list(range(EPOCHS * STEPS))
    assert sorted(np.concatenate([b.indexes for b in batches[:STEPS]]).tolist()) == list(range(TRAIN))


def test_wrong_tokens_worlds_and_second_clients_are_refused(server, loader):
    for token in (None, "00" * 16):
        with pytest.raises(millrace.ServerError, match="token"):
            loader(server.tcp, token=token)
    with pytest.raises(millrace.ServerError, match="rank 1 of 2, but the server has 1 rank"):
        loader(rank=1, world=2)
    first = loader()
    next(first)
    with pytest.raises(millrace.ServerError) as raised:
        next(loader())
    assert raised.value.code == "rank_taken"
    assert next(first).step == 1


def test_the_server_accepts_as_many_buffers_as_the_client_allows(loader, monkeypatch):
    opened = loader(buffers=MAX_BUFFERS)
    next(opened)
    assert opened.stats()["buffers"] == MAX_BUFFERS
    opened.close()
    monkeypatch.setattr("millrace._settings.MAX_BUFFERS", MAX_BUFFERS + 1)
    with pytest.raises(millrace.ServerError, match=f"wishes for {MAX_BUFFERS + 1} buffers: expected 2 to {MAX_BUFFERS}"):
        loader(buffers=MAX_BUFFERS + 1)


def test_check_leaves_the_server_running(server, loader, capsys):
    for _ in range(2):
        assert main(["check", server.address]) == 0
        assert "6400 samples, 100 steps per epoch, 500 steps" in capsys.readouterr().out
    assert next(loader()).step == 0


def test_jax_arrays_are_no_aliases_of_buffers_that_are_used_again(loader):
    pytest.importorskip("jax")
    opened = loader(buffers=6)
    kept, copies = [], []
    for batch in opened:
        if batch.step < 2:
            kept.append(batch.jax("image"))
            copies.append(batch["image"].copy())
        if batch.step == 60:
            break
    del batch
    gc.collect()
    assert opened.stats()["lent"] == 2 and opened.stats()["copies"] == 0
    for array, copy in zip(kept, copies):
        assert np.array_equal(np.asarray(array), copy)


def test_a_pipeline_file_starts_a_server_whose_summary_has_the_steps_of_the_loop(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    endless = [*settings(server.folder), "dataset.epochs=null"]  # without the number of the file, too
    with millrace.Loader(PIPELINE, millrace=LAUNCHER, settings=endless) as loader:
        assert loader.plan.epochs is None and len(loader) == STEPS
        for number in range(EPOCHS + 1):
            assert [batch.epoch for batch in loader] == STEPS * [number]
        loader.seek(10**9 * STEPS + 7)
        for _ in range(5):
            batch = next(loader)
        assert batch.step == 10**9 * STEPS + 11
        loader.seek(0)  # Reports the step before.
        child = loader._session._child
    assert child._process.poll() is not None and not os.path.exists(child._folder)
    (run,) = (folder for folder in (tmp_path / "runs" / "digits").iterdir() if not folder.is_symlink())
    summary = json.loads((run / "summary.json").read_text())
    steps = (EPOCHS + 1) * STEPS + 5
    assert summary["status"] == "interrupted" and summary["steps"] == steps and summary["samples"] == 64 * steps


def test_a_wrong_setting_is_reported_in_the_servers_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(millrace.JobFailed, match=r"batch.sise: unknown key, did you mean 'size'\?"):
        millrace.Loader(PIPELINE, millrace=LAUNCHER, settings=["batch.sise=128"])


def test_the_server_applies_the_device_transforms_with_the_result_of_torch(loader):
    torch = pytest.importorskip("torch")
    steps = (0, 1, 7, 3)
    opened = loader()
    assert opened.plan.transforms
    expected = []
    for step in steps:
        opened.seek(step)
        expected.append([tensor.clone() for tensor in next(opened).torch("image", "label", transforms=True)])
    opened.close()
    opened = loader(transforms="server")
    assert opened.plan.transforms == () and opened.plan.fields["image"].dtype == "float32"
    for step, (images, labels) in zip(steps, expected):
        opened.seek(step)
        batch = next(opened)
        assert batch.step == step and batch["image"].dtype == np.float32 and batch["image"].shape == (64, 28, 28, 1)
        found = batch.torch("image", "label", transforms=True)
        assert torch.equal(found[0], images) and torch.equal(found[1], labels)

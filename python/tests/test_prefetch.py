"""Copies to a GPU ahead of the loop and copies of the program, with a stand-in for CUDA whose copies run late."""

import gc
import logging
import re
import select
import signal
from itertools import islice

import numpy as np
import pytest

import millrace
from millrace._cuda import Transfers
from millrace._protocol import HEADER_BYTES

from .cuda import COPY, Cuda
from .peer import BYE, RETURN, SEEK, STEP, expected
from .test_failures import Interrupt, dying
from .test_loader import _without_rows

torch = pytest.importorskip("torch")


@pytest.fixture
def cuda(monkeypatch):
    return Cuda(torch, monkeypatch)


def ahead(loader):
    return loader._passes._receiver._ahead._queue


def wait_for_arrivals(loader, count=2):
    """Waits until the next batch and so many after it have arrived, as far as the run has them, if the loop has begun."""
    connection = loader._passes._receiver.streaming
    if connection is None or connection is not loader._session.current:
        return
    last = min(loader.step + count, loader.plan.steps - 1)
    stream = connection.stream
    while stream._end - stream._start < HEADER_BYTES * (last + 1 - loader.step - len(ahead(loader))):
        assert select.select([stream.fileno()], [], [], 10)[0]
        try:
            stream._end += stream._receive(stream._buffer[stream._end :], None, False)
        except (EOFError, ConnectionError):
            return  # the loop finds the end by itself
        finally:
            stream._torn = False


def copied(loader, cuda=None):
    """Iterates over batches and their tensors. Before each, the next ones arrive, and the copies that have begun are done."""
    for batch in loader:
        yield batch, batch.torch("image", "label", device="cuda")
        del batch
        if cuda is not None:
            for stream in cuda.streams[1:]:
                stream.run(stream.begun)
        wait_for_arrivals(loader)


def require(made, steps):
    for step, (images, labels) in zip(steps, made):
        wanted = expected(step, 4)
        assert np.array_equal(images.numpy(), wanted["image"]) and np.array_equal(labels.numpy(), wanted["label"]), step
    assert len(made) == len(steps)


def test_batches_are_copied_while_the_steps_before_them_run(peer, cuda):
    server = peer(steps=20)
    made, begun = [], []
    with millrace.Loader(server.address) as loader:
        for batch, tensors in copied(loader, cuda):
            made.append(tensors)
            begun.append(cuda.calls.count("copy") // 2 - batch.step - 1)
            del batch
        assert not cuda.default.copies and len(cuda.streams) == 2
        assert loader.stats()["copies"] == 0
    # The loop has nothing copied before its first step, and nothing follows the last one.
    assert begun == [0] + 17 * [2] + [1, 0]
    cuda.run()
    require(made, range(20))
    assert len(cuda.recorded) == 40  # Torch keeps each tensor for the stream of the steps.


def test_buffers_are_returned_after_their_copies_and_do_not_wait_for_steps(peer, cuda):
    server = peer(steps=40)
    with millrace.Loader(server.address) as loader:
        made = []
        for batch in loader:
            made.append(batch.torch("image", "label", device="cuda"))
            cuda.step(10)
        assert not cuda.default.done and cuda.calls.count("synchronize") > 20
    cuda.run()
    require(made, range(40))


@pytest.mark.parametrize(("prefetch", "milliseconds"), [(0, 20 * (10 + 2 * COPY)), *((n, 20 * 10 + 2 * COPY) for n in (1, 2))])
def test_the_time_of_copies_is_hidden_behind_steps(peer, cuda, prefetch, milliseconds):
    with millrace.Loader(peer(steps=20).address, prefetch=prefetch) as loader:
        for batch in loader:
            batch.torch("image", "label", device="cuda")
            if batch.step == 0:
                wait_for_arrivals(loader)
                loader._passes._receiver._ahead.fill(loader._session.transfers, 1)  # The loop has no call in which to do it.
            cuda.step(10)
            ended = torch.cuda.Event(blocking=True)
            ended.record(torch.cuda.current_stream())
            ended.synchronize()  # as a loop does that reads its loss
            del batch
            wait_for_arrivals(loader)
        assert cuda.now == milliseconds


def test_states_and_figures_count_the_batches_of_the_loop_alone(peer, cuda):
    server = peer(steps=20, epochs=2)
    with millrace.Loader(server.address) as loader:
        for batch, _ in copied(loader, cuda):
            assert loader.state_dict()["step"] == loader.step == batch.step + 1 == loader.stats()["steps"]
            assert len(ahead(loader)) == 2 or batch.step in (0, 8, 9)
            if batch.step == 5:
                state = loader.state_dict()
        with millrace.Loader(peer(steps=20, epochs=2).address) as other:
            other.load_state_dict(state)
            made = [tensors for _, tensors in copied(other, cuda)]
            cuda.run()
            require(made, range(6, 10))
    server.wait_for(lambda: server.of(BYE))
    assert [m[2] for m in server.of(STEP)] == list(range(10))


def test_a_seek_drops_what_is_ahead_and_returns_its_buffers(peer, cuda):
    server = peer(steps=20)
    with millrace.Loader(server.address) as loader:
        made = []
        for batch, tensors in copied(loader, cuda):
            made.append(tensors)
            if batch.step == 4:
                break
        del batch
        assert len(ahead(loader)) == 2
        loader.seek(12)
        assert not ahead(loader) and loader.state_dict()["step"] == 12
        made += [tensors for _, tensors in copied(loader, cuda)]
        cuda.run()
        require(made, [*range(5), *range(12, 20)])
        gc.collect()
        next(loader, None)
        assert loader.stats()["lent"] == 0
    server.wait_for(lambda: server.of(BYE))
    assert [m[2] for m in server.of(SEEK)] == [0, 12]


def test_the_end_of_a_connection_is_found_when_the_loop_gets_there(peer, cuda, caplog):
    server = peer(dying(9), steps=20)
    with millrace.Loader(server.address) as loader:
        made = [tensors for _, tensors in copied(loader, cuda)]
        assert loader.stats()["reconnects"] == 1
        assert re.search(r"\((the server closed the connection without END|.*reset by peer)", caplog.text, re.I)
    cuda.run()
    require(made, range(20))


def test_what_was_copied_ahead_over_a_lost_connection_comes_again(peer, cuda, caplog):
    server = peer(steps=20)
    with millrace.Loader(server.address) as loader:
        made = []
        for batch, tensors in copied(loader, cuda):
            made.append(tensors)
            assert batch.step == len(made) - 1
            if batch.step == 7:
                assert len(ahead(loader)) == 2
                loader._session.lose(EOFError("with batches that are copied ahead"))
        assert loader.stats()["reconnects"] == 1 and "(with batches that are copied ahead)" in caplog.text
    cuda.run()
    require(made, range(20))
    tensors = batch = None
    gc.collect()
    assert not cuda.registered


def test_steps_without_rows_are_left_out_when_the_loop_gets_there(peer, cuda):
    server = peer(_without_rows(3, 4, 9), steps=12)
    with millrace.Loader(server.address) as loader:
        made, steps = [], []
        for batch in loader:
            made.append(batch.torch("image", "label", device="cuda"))
            steps.append(batch.step)
            assert loader.state_dict()["step"] == batch.step + 1
            del batch
            gc.collect()
        assert steps == [0, 1, 2, 5, 6, 7, 8, 10, 11] and loader.stats()["left_out"] == 3
    cuda.run()
    require(made, steps)
    server.wait_for(lambda: server.of(BYE))
    assert [m[2] for m in server.of(STEP)] == list(range(12))


def test_the_fields_of_several_calls_are_copied_ahead_and_others_are_copied_then(peer, cuda):
    with millrace.Loader(peer(steps=8).address) as loader:
        for batch in loader:
            before = cuda.calls.count("copy")
            images = batch.torch("image", device="cuda")
            labels = batch.torch("label", device="cuda" if batch.step < 5 else "cuda:0")
            again = batch.torch("label", device="cuda")
            half = batch.torch("half", device="cuda") if batch.step == 4 else None
            now = cuda.calls.count("copy") - before
            cuda.run()
            wanted = expected(batch.step, 4)
            assert np.array_equal(images.numpy(), wanted["image"]) and torch.equal(labels, again)
            assert np.array_equal(labels.numpy(), wanted["label"]) and labels.data_ptr() != again.data_ptr()
            if batch.step > 1:
                assert now == (2 if half is not None else 1), "the first call of each field finds its copy"
            del batch
            wait_for_arrivals(loader)


def test_a_copy_ahead_to_another_gpu_is_not_used(peer, cuda):
    with millrace.Loader(peer(steps=6).address) as loader:
        for batch in loader:
            images = batch.torch("image", device=f"cuda:{batch.step % 2}")
            cuda.run()
            assert np.array_equal(images.numpy(), expected(batch.step, 4)["image"])


def test_a_failure_of_a_copy_ahead_is_reported_and_the_loop_copies_by_itself(peer, cuda, caplog):
    with millrace.Loader(peer(steps=12).address) as loader:
        made = []
        loop = copied(loader, cuda)
        for _ in range(4):
            made.append(next(loop)[1])
        wait_for_arrivals(loader)
        cuda.failing["copy"] = "out of memory"
        batch = next(loader)
        cuda.failing.clear()
        made.append(batch.torch("image", "label", device="cuda"))
        del batch
        for batch in loader.steps():
            made.append(batch.torch("image", "label", device="cuda"))
        del batch
        assert "batches are not copied to the GPU ahead any more: CUDA error: out of memory" in caplog.text
    cuda.run()
    require(made, range(12))


def test_a_loop_gets_more_buffers_for_what_is_copied_ahead(peer, cuda, monkeypatch):
    def buffers(**how):
        with millrace.Loader(peer().address, **how) as loader:
            return loader.stats()["buffers"]

    assert buffers() == buffers(pin=True) == 6 and buffers(prefetch=5) == 9
    assert buffers(prefetch=0) == buffers(pin=False) == buffers(buffers=4) == 4
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    assert buffers() == 4 and buffers(prefetch=2) == 6


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"prefetch": -1}, "prefetch is -1, expected a number from 0 to 64"),
        ({"prefetch": 65}, "prefetch is 65, expected a number from 0 to 64"),
        ({"prefetch": 1, "pin": False}, "prefetch is 1, but pin is False: only page-locked memory is copied ahead"),
        ({"prefetch": "2"}, "prefetch is '2'|prefetch .*str"),
        ({"prefetch": 1.5}, "prefetch"),
    ],
)
def test_another_prefetch_is_refused(how, words):
    with pytest.raises((TypeError, ValueError), match=words):
        millrace.Loader("unix:/nowhere", **how)


def copies_of_the_program(peer, cuda):
    """Returns how many of 40 batches are wrong that the program copies by itself, without a wait."""
    made = []
    with millrace.Loader(peer(steps=40).address, pin=True) as loader:
        for batch in loader:
            images = batch.torch("image")
            made.append(torch.empty_like(images))
            cuda.copy_into(made[-1], images)
            del images, batch
        assert loader.stats()["copies"] == 0
        cuda.run()
    return sum(not np.array_equal(images.numpy(), expected(step, 4)["image"]) for step, images in enumerate(made))


def test_a_copy_of_the_program_holds_its_buffer(peer, cuda):
    assert copies_of_the_program(peer, cuda) == 0
    gc.collect()
    assert not cuda.registered


def test_without_the_guard_copies_of_the_program_are_wrong(peer, cuda, monkeypatch):
    monkeypatch.setattr(Transfers, "guard", lambda self, lend: False)
    assert copies_of_the_program(peer, cuda) > 0


def test_an_array_that_died_in_another_connection_keeps_the_page_locking_until_its_copy(peer, cuda):
    server = peer(dying(3), steps=20)
    with millrace.Loader(server.address, pin=True) as loader:
        held = next(loader)["image"]
        assert [batch.step for batch in islice(loader.steps(), 18)] == list(range(1, 19))
        made = torch.empty((4, 4, 5, 3), dtype=torch.uint8)
        cuda.copy_into(made, torch.from_numpy(held))
        del held
        gc.collect()
        assert cuda.work and len(cuda.registered) == 1
        cuda.run()
        assert next(loader).step == 19 and not cuda.registered
        assert np.array_equal(made.numpy(), expected(0, 4)["image"])


def test_an_error_of_the_guard_is_raised_by_the_next_call(peer, cuda, monkeypatch):
    printed = []
    monkeypatch.setattr("sys.unraisablehook", lambda found: printed.append(str(found.exc_value)))
    with millrace.Loader(peer(steps=8).address, pin=True) as loader:
        batch = next(loader)
        batch["image"]
        cuda.failing["record"] = "an illegal memory access"
        del batch
        gc.collect()
        assert printed == ["CUDA error: an illegal memory access"]
        cuda.failing.clear()
        with pytest.raises(RuntimeError, match="an illegal memory access"):
            next(loader)
        assert [batch.step for batch in loader] == list(range(1, 8))


@pytest.mark.parametrize("prefetch", [0, 2])
def test_out_receives_the_tensors_of_each_step_in_the_order_of_the_stream(peer, cuda, prefetch):
    images, labels = torch.zeros((4, 4, 5, 3), dtype=torch.uint8), torch.zeros(4, dtype=torch.int64)
    seen = []
    with millrace.Loader(peer(steps=12).address, prefetch=prefetch) as loader:
        for batch in loader:
            made = batch.torch("image", "label", device="cuda", out=(images, labels))
            assert made[0] is images and made[1] is labels
            cuda.step(10, lambda: seen.append((images.clone(), labels.clone())))  # as the replay of a graph
    cuda.run()
    require(seen, range(12))


def test_out_takes_transformed_tensors_of_its_device_and_refuses_others(peer):
    plan = {"transforms": [{"name": "ToFloat", "field": "image", "mean": [0], "std": [255]}]}
    with millrace.Loader(peer(plan=plan).address) as loader:
        batch = next(loader)
        image = torch.zeros((4, 3, 4, 5))
        assert batch.torch("image", transforms=True, out=image) is image
        assert torch.equal(image, batch.torch("image", transforms=True)) and image.is_contiguous()
        assert batch.torch("image", transforms=True, out=[torch.zeros((4, 3, 4, 5), device="meta")]).device.type == "meta"
        label = torch.zeros(4, dtype=torch.int64)
        for names, how, error, words in [
            (("image",), {"out": image}, ValueError, r"'image' is float32 \[4, 3, 4, 5\] on cpu, expected uint8 \[4, 4, 5, 3\]"),
            (("label",), {"out": torch.zeros(3, dtype=torch.int64)}, ValueError, r"int64 \[3\] on cpu, expected int64 \[4\]"),
            (("label",), {"out": label, "device": "meta"}, ValueError, r"int64 \[4\] on cpu, expected int64 \[4\] on meta"),
            (("label", "half"), {"out": label}, ValueError, "out has 1 tensors, expected 2: one for each of label, half"),
            (("label",), {"out": [batch["label"]]}, TypeError, "out for field 'label' is a ndarray, expected a tensor"),
            (("label",), {"out": 7}, TypeError, "out is a int, expected a tensor or a tuple of tensors"),
            (("boxes",), {"out": torch.zeros(4)}, ValueError, "field 'boxes' is ragged, .* ask for it without out"),
            (("label", "image"), {"out": [label, label]}, ValueError, "out for field 'image' is int64"),
        ]:
            with pytest.raises(error, match=words):
                batch.torch(*names, **how)
        assert not label.any(), "nothing is copied before all tensors are checked"
        with pytest.raises(ValueError, match="give the names of the fields"):
            batch.torch(out=label)


def test_copies_ahead_return_their_buffers_once(peer, cuda):
    server = peer(steps=30)
    with millrace.Loader(server.address) as loader:
        for _ in copied(loader):
            cuda.run()
    server.wait_for(lambda: server.of(BYE))
    assert len(server.of(RETURN)) <= 30  # The server itself fails on a buffer that is returned twice.


@pytest.mark.interrupts
def test_signals_at_any_time_lose_no_step_that_is_copied_ahead(peer, cuda):
    server = peer(steps=400)
    cuda.interrupted = True
    raised, patience = 0, 0.0003

    def handler(*_):
        raise Interrupt

    before = signal.signal(signal.SIGALRM, handler)
    logging.getLogger("millrace").setLevel(logging.ERROR)
    try:
        with millrace.Loader(server.address, buffers=8) as loader:
            seen, most = [], 0
            while True:
                step = loader.step
                try:
                    signal.setitimer(signal.ITIMER_REAL, patience)
                    batch = next(loader, None)
                    signal.setitimer(signal.ITIMER_REAL, 0)
                except Interrupt:
                    raised += 1
                    patience *= 1.5  # A new connection needs some time.
                    assert loader.step in (step, step + 1)
                    if loader.step == step + 1:
                        seen.append(step)  # `next` had returned just before the signal.
                    continue
                if batch is None:
                    break
                patience = max(0.0001, patience * 0.7)
                images = batch.torch("image", device="cuda")
                most = max(most, len(ahead(loader)))
                cuda.run()
                assert np.array_equal(images.numpy(), expected(batch.step, 4)["image"])
                seen.append(batch.step)
                del batch
            assert seen == list(range(400)) and most == 2
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        logging.getLogger("millrace").setLevel(logging.NOTSET)
    assert raised > 0

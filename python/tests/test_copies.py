"""Copies to a GPU and what happens to a program meanwhile: it writes, leaves a loop, loses a server, or uses another GPU."""

import gc
import struct
import threading

import numpy as np
import pytest

import millrace
from millrace import _torch

from . import peer as peers
from .cuda import Cuda
from .peer import MEMORY, expected
from .test_failures import dying
from .test_prefetch import ahead, wait_for_arrivals

torch = pytest.importorskip("torch")


@pytest.fixture
def cuda(monkeypatch):
    return Cuda(torch, monkeypatch)


def batches(loader, cuda):
    """Iterates over batches. Before each, the next ones have arrived, and all copies are done."""
    for batch in loader:
        yield batch
        del batch
        cuda.run()
        wait_for_arrivals(loader)


WAYS = {
    "item": lambda batch, name: batch[name],
    "numpy": lambda batch, name: batch.numpy("label", name)[1],
    "torch": lambda batch, name: batch.torch(name),
    "cpu": lambda batch, name: batch.torch(name, device="cpu"),
}


@pytest.mark.parametrize(("name", "way"), [*(("image", way) for way in WAYS), ("mask", "item"), ("mask", "numpy")])
def test_a_copy_has_what_the_program_has_written_into_the_batch(peer, cuda, name, way):
    with millrace.Loader(peer(steps=8).address) as loader:
        for batch in batches(loader, cuda):
            if batch.step > 1:
                WAYS[way](batch, name)[...] = 1
            made, labels, half = batch.torch(name, "label", "half", device="cuda")
            cuda.run()
            assert batch.step < 2 or bool((made == 1).all())
            assert np.array_equal(labels.numpy(), expected(batch.step, 4)["label"])
            if batch.step > 1:
                batch["image"][...] = 2
                again = batch.torch("image", device="cuda")
                cuda.run()
                assert bool((again == 2).all())
            del batch


def test_a_field_that_the_program_has_on_the_cpu_is_not_copied_ahead(peer, cuda):
    with millrace.Loader(peer(steps=8).address) as loader:
        for batch in batches(loader, cuda):
            before = cuda.calls.count("copy")
            batch["label"].sum()
            batch.torch("image", "label", device="cuda")
            assert cuda.calls.count("copy") - before == (1 if batch.step else 2)
            del batch
        assert cuda.calls.count("copy") == 16


USES = {
    "gpu": lambda batch: batch.torch("image", "boxes", device="cuda"),
    "cpu": lambda batch: batch["boxes"],
    "torch": lambda batch: batch.torch("boxes"),
}


@pytest.mark.parametrize("use", USES)
def test_the_use_of_a_first_batch_that_was_copied_ahead_counts(peer, cuda, use):
    with millrace.Loader(peer(steps=20, epochs=2).address) as loader:
        for batch in batches(loader, cuda):
            batch.torch("image", "boxes", device="cuda")
            del batch
        for batch in batches(loader, cuda):
            assert batch.step == 10
            USES[use](batch)
            del batch
            break
        cuda.run()
        assert loader.state_dict()["step"] == loader.step == loader.stats()["steps"] == 11
        assert next(loader).step == 11


def test_a_look_at_a_first_batch_that_was_copied_ahead_costs_nothing(peer, cuda):
    with millrace.Loader(peer(steps=20, epochs=2).address) as loader:
        for batch in batches(loader, cuda):
            batch.torch("image", device="cuda")
            del batch
        for batch in batches(loader, cuda):
            assert repr(batch)
            del batch
            break
        assert loader.step == 10 and next(loader).step == 10


def test_a_gpu_that_does_not_exist_changes_nothing_for_later_batches(peer, cuda, caplog):
    with millrace.Loader(peer(steps=20).address) as loader:
        for batch in batches(loader, cuda):
            if batch.step == 3:
                batch["label"]  # The buffer is held for each GPU of the loop when this array is gone.
                with pytest.raises(RuntimeError, match="invalid device ordinal"):
                    batch.torch("image", device="cuda:9")
                del batch
                continue
            images = batch.torch("image", device="cuda")
            assert len(ahead(loader)) == 2 or batch.step in (0, 18, 19)
            cuda.run()
            assert np.array_equal(images.numpy(), expected(batch.step, 4)["image"])
            del batch
        assert loader.step == 20 and not caplog.records


@pytest.mark.parametrize("own", [False, True], ids=["of the loader", "of the program"])
def test_a_lost_connection_is_made_again_while_copies_are_behind_work_that_waits_for_other_ranks(peer, cuda, own):
    ended = threading.Event()

    def script(connection):
        connection.serve(until=2 if connection.number == 0 else None)
        ended.wait(20)

    server = peer(script, steps=20)
    with millrace.Loader(server.address, rank=1, world=2, prefetch=0) as loader:
        first, second = next(loader), next(loader)
        images = first.torch("image", device="cuda")
        if own:
            first.weights.sum()  # The buffer is held until a point of the stream that is behind the step.
        cuda.step(10, lambda: server.wait_for(lambda: len(server.of(MEMORY)) == 2))
        if not own:
            labels = second.torch("label", device="cuda")
        del first, second
        gc.collect()
        assert cuda.work
        ended.set()
        server.wait_for(lambda: len(server.of(MEMORY)) == 2)
        cuda.run()
        assert np.array_equal(images.numpy(), expected(0, 4)["image"]) and next(loader).step == 2
        assert own or np.array_equal(labels.numpy(), expected(1, 4)["label"])


def test_the_end_of_page_locking_waits_until_the_loop_has_another_connection(peer, cuda):
    ended = threading.Event()

    def script(connection):
        connection.serve(until=1 if connection.number == 0 else None)
        ended.wait(20)

    server = peer(script, steps=20)
    with millrace.Loader(server.address, rank=1, world=2) as loader:
        next(loader).torch("image", device="cuda")
        cuda.run()
        gc.collect()
        ended.set()
        server.wait_for(lambda: [m[0] for m in server.received].count(peers.SEEK) == 2)
        with loader._session.in_use:  # The thread that has made the connection does nothing more.
            assert len(cuda.registered) == 1
        assert next(loader).step == 1 and not cuda.registered


def test_a_dropped_connection_is_page_locked_until_the_next_one_also_when_nothing_refers_to_it(peer, cuda):
    with millrace.Loader(peer(steps=20, epochs=2).address) as loader:
        next(loader).torch("image", device="cuda")
        cuda.run()
        loader._passes._receiver.seek_later(10)
        loader._session.running.settle()
        gc.collect()
        loader._session.lose(EOFError("while the loop is elsewhere"))
        gc.collect()
        assert len(cuda.registered) == 1
        assert next(loader).step == 10 and not cuda.registered


def test_a_copy_after_the_end_of_the_loader_is_waited_for(peer, cuda):
    with millrace.Loader(peer().address, pin=True) as loader:
        batch = next(loader)
    images = batch.torch("image", device="cuda")
    assert not cuda.work and np.array_equal(images.numpy(), expected(0, 4)["image"])
    del batch
    gc.collect()
    assert not cuda.registered


def test_a_thread_that_copies_to_another_gpu_does_not_change_what_a_copy_waits_for(peer, cuda, monkeypatch):
    with millrace.Loader(peer(steps=40).address, prefetch=0, buffers=4) as loader:
        one, other = next(loader), next(loader)
        one.torch("image", device="cuda:0")
        cuda.run()
        inside, go, made = threading.Event(), threading.Event(), []
        real = _torch.copied

        def slow(*arguments):
            if threading.current_thread() is thread:
                inside.set()
                assert go.wait(20)
            return real(*arguments)

        monkeypatch.setattr(_torch, "copied", slow)
        thread = threading.Thread(target=lambda: made.append(other.torch("image", device="cuda:0")))
        thread.start()
        assert inside.wait(20)
        one.torch("label", device="cuda:1")
        go.set()
        thread.join(20)
        del one, other
        second = cuda.defaults[1]
        second.run(second.begun)  # GPU 0 has not begun its copy.
        for _ in range(6):
            next(loader)
            gc.collect()
        cuda.run()
        assert np.array_equal(made[0].numpy(), expected(1, 4)["image"])


@pytest.mark.parametrize("prefetch", [0, 2])
def test_copies_of_the_program_hold_their_buffer_on_each_gpu_of_the_loop(peer, cuda, prefetch):
    with millrace.Loader(peer(steps=40).address, prefetch=prefetch) as loader:
        first = next(loader)
        for device in ("cuda:0", "cuda:1"):
            first.torch("label", device=device)
        made = []
        for batch in loader:
            device = batch.step % 2
            batch.torch("label", device=f"cuda:{1 - device}")
            images = batch.torch("image")
            made.append(torch.empty_like(images))
            cuda.copy_into(made[-1], images, device=f"cuda:{device}")
            del images, batch
            second = cuda.defaults[1]
            second.run(second.begun)
        cuda.run()
    for step, images in enumerate(made, 1):
        assert np.array_equal(images.numpy(), expected(step, 4)["image"]), step


def test_the_stream_of_the_gpu_of_a_copy_waits_for_it(peer, cuda):
    with millrace.Loader(peer(steps=8).address) as loader:
        for batch in loader:
            images = batch.torch("image", device="cuda:1")
            second = cuda.defaults[1]
            second.run(second.begun)  # Its current stream does the copies before what waits for them.
            assert np.array_equal(images.numpy(), expected(batch.step, 4)["image"])
            del batch
            wait_for_arrivals(loader)


def test_page_locking_that_fails_elsewhere_changes_nothing_for_memory_that_is_page_locked(peer, cuda):
    server = peer(plan={"evaluation": True}, steps=10)
    with millrace.Loader(server.address, pin=True) as loader:
        for batch in batches(loader, cuda):
            images = batch.torch("image", device="cuda")
            if batch.step == 4:
                copies = cuda.calls.count("copy")
                cuda.failing["register"] = 2
                for each in loader.evaluation():
                    each.torch("image", device="cuda")
                    del each
                cuda.failing.clear()
                copies -= cuda.calls.count("copy")
            cuda.run()
            assert np.array_equal(images.numpy(), expected(batch.step, 4)["image"])
            del batch
        assert cuda.calls.count("copy") + copies == 10, "each batch is copied once"


def test_the_time_of_copies_ahead_is_that_of_the_loop(peer, cuda, monkeypatch):
    now = [0]
    monkeypatch.setattr("millrace._stats.perf_counter_ns", lambda: now[0])
    call = cuda._call

    def slow(name):
        now[0] += 10**9 * (name == "copy")
        call(name)

    cuda._call = slow
    with millrace.Loader(peer(steps=20).address) as loader:
        for batch in batches(loader, cuda):
            batch.torch("image", device="cuda")
            del batch
        stats = loader.stats()
    assert stats["wait_seconds"] == 0 and stats["busy_seconds"] == cuda.calls.count("copy") == 20


def with_wrong_offsets(monkeypatch, step):
    """Lets the offsets of a ragged field of a step point beyond the buffer."""
    real = peers.buffer_bytes

    def broken(fields, number, *arguments, **how):
        data = bytearray(real(fields, number, *arguments, **how))
        if number == step:
            boxes = next(field for field in fields if field["name"] == "boxes")
            struct.pack_into("<q", data, boxes["offsets"] + 8, 1 << 40)
        return bytes(data)

    monkeypatch.setattr(peers, "buffer_bytes", broken)


@pytest.mark.parametrize("prefetch", [0, 2])
def test_a_wrong_field_is_raised_when_the_loop_asks_for_it(peer, cuda, monkeypatch, prefetch):
    with_wrong_offsets(monkeypatch, 6)
    with millrace.Loader(peer(steps=10).address, prefetch=prefetch) as loader:
        seen = []
        for batch in batches(loader, cuda):
            if batch.step == 6:
                with pytest.raises(millrace.ProtocolError, match="'boxes': the offsets do not rise"):
                    batch.torch("image", "boxes", device="cuda")
            else:
                batch.torch("image", "boxes", device="cuda")
            seen.append(batch.step)
            del batch
        assert seen == list(range(10))


@pytest.mark.parametrize("prefetch", [0, 2])
def test_a_wrong_message_is_raised_when_the_loop_gets_there(peer, cuda, prefetch):
    def script(connection):
        connection.handshake()
        while connection.step is None or connection.step < 6:
            if connection.step is None or not connection.free:
                connection.handle()
            else:
                connection.batch(connection.step)
                connection.step += 1
        connection.send(peers.message(peers.BATCH, connection.generation, 6, 99, 64))
        connection.step = 6
        connection.go_on(until=6)

    with millrace.Loader(peer(script, steps=10).address, prefetch=prefetch) as loader:
        seen = []
        with pytest.raises(millrace.ProtocolError, match="step 6 is in buffer 99, but there are [0-9]+ buffers"):
            for batch in batches(loader, cuda):
                batch.torch("image", device="cuda")
                seen.append(batch.step)
                del batch
        assert seen == list(range(6))
        with pytest.raises(millrace.ProtocolError, match="step 6 is in buffer 99"):
            next(loader)


def test_batches_that_are_copied_ahead_in_inference_mode_can_be_trained_with(peer, cuda):
    with millrace.Loader(peer(steps=10).address) as loader:
        loop = iter(loader)
        with torch.inference_mode():
            for _ in range(3):
                next(loop).torch("words", device="cuda")
                cuda.run()
                wait_for_arrivals(loader)
        weights = torch.ones(7, requires_grad=True)
        for batch in loop:
            (batch.torch("words", device="cuda") * weights).sum().backward()
            del batch
            cuda.run()
            wait_for_arrivals(loader)
        assert weights.grad is not None and loader.step == 10


def test_a_loader_does_not_initialize_the_driver(peer, cuda, monkeypatch):
    def initialized():
        raise AssertionError("is_available may initialize the driver")

    monkeypatch.setattr(torch.cuda, "is_available", initialized)
    with millrace.Loader(peer().address) as loader:
        assert loader.stats()["buffers"] == 6 and not cuda.calls


def test_the_batch_of_the_loop_is_copied_before_those_ahead(peer, cuda):
    order = []
    real = cuda.copy_into

    def noted(target, tensor, *how):
        order.append(int(tensor.flatten()[0]))
        return real(target, tensor, *how)

    cuda.copy_into = noted
    with millrace.Loader(peer(steps=8).address) as loader:
        for batch in batches(loader, cuda):
            batch.torch("label", device="cuda")
            del batch
    wanted = [int(expected(step, 4)["label"][0]) for step in range(8)]
    assert order == wanted


@pytest.mark.parametrize(("buffers", "copied"), [(2, 0), (4, 1), (5, 2), (None, 2)])
def test_fewer_buffers_than_copies_ahead_need_are_reported_once(peer, cuda, caplog, buffers, copied):
    server = peer(dying(9), steps=20)
    with millrace.Loader(server.address, buffers=buffers) as loader:
        most = 0
        for batch in loader:
            batch.torch("image", device="cuda")
            most = max(most, len(ahead(loader)))
            cuda.run()
            wait_for_arrivals(loader, min(copied, 1))
    assert most == copied
    warned = [r.getMessage() for r in caplog.records if "prefetch" in r.getMessage()]
    if copied == 2:
        assert not warned
    else:
        assert warned == [
            f"prefetch is 2, but the loader has {buffers} buffers, of which a loop needs 3 besides: use Loader(buffers=5) or more"
            " to copy 2 batches to the GPU ahead"
        ]

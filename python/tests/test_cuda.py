"""Page-locked memory and copies to a GPU: with a stand-in for CUDA, and with a real GPU where there is one."""

import gc
import sys
import threading
from itertools import islice

import numpy as np
import pytest

import millrace

from .cuda import Cuda
from .peer import BYE, MEMORY, RETURN, SEEK, STEP, expected
from .test_failures import dying, in_child

torch = pytest.importorskip("torch")


@pytest.fixture
def cuda(monkeypatch):
    return Cuda(torch, monkeypatch)


def ring(loader):
    return loader.stats()["buffers"] * loader.plan.buffer_bytes


def test_the_ring_is_page_locked_until_the_loader_and_the_last_view_are_gone(peer, cuda):
    with millrace.Loader(peer().address, pin=True) as loader:
        assert list(cuda.registered.values()) == [ring(loader)]
        batch = next(loader)
        assert batch.page_locked and cuda.is_page_locked(batch["image"].ctypes.data, batch["image"].nbytes)
        batch["image"][:] = 7
    gc.collect()
    view = batch["image"][1:]
    del batch
    gc.collect()
    assert cuda.registered and (view == 7).all()
    del view
    gc.collect()
    assert not cuda.registered and cuda.calls.count("unregister") == 1
    millrace.Loader(peer().address, pin=True).close()
    gc.collect()
    assert not cuda.registered


def test_copies_have_the_values_of_their_steps_and_buffers_are_returned_after_them(peer, cuda):
    server = peer(steps=40)
    with millrace.Loader(server.address, pin=True, buffers=4) as loader:
        made = []
        for batch in loader:
            made.append(batch.torch("image", "half", "label", device="cuda"))
            del batch
            gc.collect()
            # The server fills a buffer at once when it is returned: none of a copy that has not run may be among them.
            assert loader.stats()["lent"] >= min(len(made), 1) and cuda.work
            assert len(server.of(RETURN)) <= cuda.done / 3
        stats = loader.stats()
        assert stats["copies"] == 0 and 35 <= cuda.calls.count("synchronize") <= 40
    assert not cuda.work  # `close` waits for the rest.
    for step, (images, half, labels) in enumerate(made):
        wanted = expected(step, 4)
        assert np.array_equal(images.numpy(), wanted["image"]) and np.array_equal(labels.numpy(), wanted["label"])
        assert np.array_equal(half.float().numpy(), wanted["half"])
    gc.collect()
    assert not cuda.registered


def test_a_buffer_is_returned_soon_after_its_copy_while_the_loop_waits_for_a_batch(peer, cuda):
    def script(connection):
        connection.handshake()
        connection.handle()
        connection.batch(0)
        connection.handle()  # STEP
        cuda.run()
        connection.handle()  # RETURN
        assert 0 in connection.free
        connection.step = 1
        connection.go_on()

    server = peer(script)
    with millrace.Loader(server.address, pin=True) as loader:
        images = next(loader).torch("image", device="cuda")
        assert next(loader).step == 1
        assert "synchronize" not in cuda.calls  # A batch that arrives meanwhile does not have to wait for the copy.
    assert np.array_equal(images.numpy(), expected(0, 4)["image"])


def test_the_time_of_copies_is_that_of_the_loop_and_no_starvation(peer, cuda, monkeypatch):
    now = [0]

    def second():
        now[0] += 10**9

    monkeypatch.setattr("millrace._stats.perf_counter_ns", lambda: now[0])
    cuda.while_waiting = second
    server = peer(steps=40)
    with millrace.Loader(server.address, pin=True) as loader:
        for batch in loader:
            batch.torch("image", device="cuda")
        stats = loader.stats()
        waits = cuda.calls.count("synchronize")
    assert waits > 30 and stats["starved"] == 0 and stats["busy_seconds"] == waits
    server.wait_for(lambda: server.of(BYE))
    assert sum(m[3] for m in server.of(STEP)) == 0 and sum(m[4] for m in server.of(STEP)) == waits * 10**9


def test_a_ring_of_an_earlier_connection_is_released_with_its_last_view(peer, cuda):
    server = peer(dying(3), steps=20)
    with millrace.Loader(server.address, pin=True) as loader:
        held = [next(loader), next(loader)]
        copied = held[0].torch("image", device="cuda")
        assert [batch.step for batch in islice(loader.steps(), 17)] == list(range(2, 19))
        assert loader.stats()["reconnects"] == 1
        cuda.run()
        gc.collect()
        assert len(cuda.registered) == 1 and np.array_equal(copied.numpy(), expected(0, 4)["image"])
        late = held[1].torch("image", device="cuda")
        gc.disable()  # What follows needs no search for cycles.
        try:
            held.clear()
            assert cuda.work and len(cuda.registered) == 1
            cuda.run()
            assert next(loader).step == 19 and not cuda.registered
        finally:
            gc.enable()
        assert np.array_equal(late.numpy(), expected(1, 4)["image"])
    gc.collect()
    assert not cuda.registered


def test_memory_that_must_be_page_locked_and_cannot_ends_the_start(peer, cuda):
    server = peer()
    cuda.failing["register"] = 2
    expected_words = (
        r"^the buffers cannot be page-locked \(cudaHostRegister of [0-9]+ bytes failed with the error 2; the limit of locked"
        r" memory is ([0-9]+ KiB|unlimited)\): use fewer buffers or smaller batches(, or raise the limit \(ulimit -l\))?$"
    )
    with pytest.raises(RuntimeError, match=expected_words):
        millrace.Loader(server.address, pin=True)
    server.connections[0].thread.join(120)
    assert not server.connections[0].thread.is_alive() and not server.of(SEEK)
    cuda.check()  # No error is left for torch's next kernel.
    inline = peer(refuse=("memfd", "file"))
    with pytest.raises(RuntimeError, match=r"pin=True .* arrive inline \(memfd: the test says so; file: .*\): pass pin='prefer'"):
        millrace.Loader(inline.address, pin=True)


def test_a_loop_on_the_cpu_does_not_use_the_gpu(peer, cuda):
    with millrace.Loader(peer().address) as loader:
        for batch in loader:
            batch.torch("image", device="cpu", transforms=True)
            assert not batch.page_locked
            assert loader.state_dict()["step"] == batch.step + 1
    gc.collect()
    assert cuda.calls == [] and not cuda.contexts


def test_the_first_copy_to_a_gpu_page_locks_the_buffers(peer, cuda):
    with millrace.Loader(peer().address) as loader:
        batch = next(loader)
        view = batch["image"]  # from before the page-locking
        assert not cuda.registered
        batch.torch("image", device="cuda")
        assert list(cuda.registered.values()) == [ring(loader)] and batch.page_locked
        cuda.run()
        next(loader).torch("image", device="cuda")
        assert cuda.calls.count("register") == 1
    gc.collect()
    assert (view == expected(0, 4)["image"]).all()


def test_a_first_copy_that_cannot_page_lock_is_reported_once_and_waits(peer, cuda, caplog):
    server = peer(dying(3), steps=8)
    cuda.failing["register"] = 2
    with millrace.Loader(server.address) as loader:
        for batch in loader:
            images = batch.torch("image", device="cuda")
            assert not cuda.work and np.array_equal(images.numpy(), expected(batch.step, 4)["image"])
        assert loader.stats()["reconnects"] == 1
    warned = [r.getMessage() for r in caplog.records if "page-locked" in r.getMessage()]
    assert len(warned) == 1 and cuda.calls.count("register") == 1
    assert "the limit of locked memory is" in warned[0] and warned[0].endswith("or pass pin=False")


def test_a_reconnect_that_cannot_page_lock_does_not_end_the_training(peer, cuda, caplog):
    server = peer(dying(2), steps=6)
    with millrace.Loader(server.address, pin=True) as loader:
        for batch in loader:
            if batch.step == 1:
                cuda.failing["register"] = 2
            images = batch.torch("image", device="cuda")
            cuda.run()
            assert np.array_equal(images.numpy(), expected(batch.step, 4)["image"])
        assert loader.step == 6 and "cannot be page-locked" in caplog.text
    batch = None
    gc.collect()
    assert not cuda.registered


def test_an_evaluation_that_cannot_page_lock_does_not_end_the_training(peer, cuda, caplog):
    server = peer(plan={"evaluation": True})
    with millrace.Loader(server.address, pin=True) as loader:
        next(loader).torch("image", device="cuda")
        cuda.failing["register"] = 2
        for batch in loader.evaluation():
            images = batch.torch("image", device="cuda")
            assert np.array_equal(images.numpy(), expected(batch.step, 4)["image"])
    assert "cannot be page-locked" in caplog.text


def test_all_page_locking_is_in_the_context_of_the_gpu_of_the_loop(peer, cuda):
    server = peer(dying(3), steps=20)
    cuda.current.device = 3
    with millrace.Loader(server.address, rank=1, world=2, pin=True) as loader:
        next(loader).torch("image", device="cuda")
        server.wait_for(lambda: len(server.of(MEMORY)) == 2)  # The thread that watches the connection has made it again.
        for batch in loader:
            batch.torch("image", device="cuda")
            cuda.run()
        assert cuda.calls.count("register") == 2
    assert cuda.contexts == {3}
    cuda.contexts.clear()
    with millrace.Loader(peer().address) as other:
        held = [next(other)]
        held[0].torch("image", device="cuda:1")
    assert cuda.contexts == {1}
    ended = threading.Thread(target=held.clear)
    other = None
    gc.collect()
    ended.start()
    ended.join()
    gc.collect()
    assert cuda.calls.count("unregister") >= 1 and 1 in cuda.contexts <= {1, 3}


def test_fields_outside_of_the_buffer_are_page_locked_and_copied_without_a_wait(peer, cuda):
    names = ("mask", "boxes", "words", "image")
    with millrace.Loader(peer().address) as loader:
        batch = next(loader)
        wanted = batch.torch(*names)
        made = batch.torch(*names, device="cuda")
        # The places of rows, bits and sparse rows are made on the host; the values of boxes are in the buffer.
        assert cuda.calls.count("pin_memory") == 3 and len(cuda.work) == 5
        cuda.run()
        for name, here, there in zip(names, wanted, made):
            pairs = [(here.values(), there.values()), (here.offsets(), there.offsets())] if here.is_nested else [(here, there)]
            assert all(torch.equal(one, other) for one, other in pairs), name


@pytest.mark.parametrize("call", ["copy", "record"])
def test_an_error_of_a_copy_is_raised_and_buffers_come_back(peer, cuda, call):
    server = peer(steps=20)
    with millrace.Loader(server.address, pin=True, prefetch=0) as loader:
        for batch in loader:
            if batch.step % 3 == 1:
                cuda.failing[call] = "out of memory"
                with pytest.raises(RuntimeError, match="out of memory"):
                    batch.torch("image", device="cuda")
                cuda.failing.clear()
            else:
                batch.torch("image", device="cuda")
            cuda.run()
        del batch
        gc.collect()
        assert loader.stats()["lent"] == 0 and loader.stats()["copies"] == 0


def test_the_copies_before_one_that_fails_hold_their_buffer_until_they_are_done(peer, cuda):
    server = peer()
    with millrace.Loader(server.address, pin=True) as loader:
        batch = next(loader)
        real = cuda._call

        def second_fails(name):
            real(name)
            if cuda.calls.count("copy") == 2:
                cuda.failing["copy"] = "out of memory"

        cuda._call = second_fails
        with pytest.raises(RuntimeError, match="out of memory"):
            batch.torch("image", "half", "label", device="cuda")
        cuda._call = real
        del batch
        gc.collect()
        assert cuda.work and loader.stats()["lent"] == 1
        cuda.run()
        next(loader)
        server.wait_for(lambda: any(m[3] == 0 for m in server.of(RETURN)))


def test_a_failed_copy_leaves_no_connection_and_no_other_copy_behind(peer, cuda):
    server = peer(steps=20)
    with millrace.Loader(server.address, pin=True) as loader:
        batches = [next(loader), next(loader)]
        for batch in batches:
            batch.torch("image", device="cuda")
        cuda.failing["query"] = cuda.failing["synchronize"] = "an illegal memory access"
        with pytest.raises(RuntimeError, match="an illegal memory access"):
            next(loader)
        server.connections[0].thread.join(120)
        assert not server.connections[0].thread.is_alive()
        cuda.failing.clear()
        del batches, batch
        cuda.run()
        assert next(loader).step == 2
        gc.collect()
        assert next(loader).step == 3 and not cuda.registered
        next(loader).torch("image", device="cuda")
        assert list(cuda.registered.values()) == [ring(loader)]
        cuda.failing["synchronize"] = "an illegal memory access"
        with pytest.raises(RuntimeError, match="an illegal memory access"):
            loader.close()
        server.wait_for(lambda: server.of(BYE))
        server.connections[1].thread.join(120)
        assert not server.connections[1].thread.is_alive()


def test_page_locking_that_does_not_end_is_reported(peer, cuda, caplog):
    cuda.failing["unregister"] = 713
    millrace.Loader(peer().address, pin=True).close()
    gc.collect()
    assert "stays page-locked: cudaHostUnregister failed with the error 713" in caplog.text
    cuda.check()  # No error is left for torch's next kernel.


def test_a_forked_process_does_not_touch_the_page_locking(peer, cuda):
    with millrace.Loader(peer().address, pin=True) as loader:
        kept = [loader, next(loader)]

        def leave():
            nonlocal loader
            del loader
            kept.clear()
            gc.collect()
            return cuda.calls

        assert "unregister" not in in_child(leave) and kept


def test_batches_inline_are_not_page_locked_until_memory_is_shared_again(peer, cuda):
    server = peer(dying(2), steps=4, refuse=("memfd", "file"))
    with millrace.Loader(server.address) as loader:
        next(loader).torch("image", device="cuda")
        assert not cuda.registered and not cuda.work
        server.options["refuse"] = ()
        for batch in loader:
            batch.torch("image", device="cuda")
        assert loader.stats()["memory"] == {"kind": "memfd", "reasons": {}} and cuda.registered


@pytest.mark.parametrize("pin", [None, 1, "always", "True"])
def test_another_value_of_pin_is_refused(pin):
    with pytest.raises(ValueError, match=f"pin is {pin!r}, expected True, False or 'prefer'"):
        millrace.Loader("unix:/nowhere", pin=pin)


def test_pin_without_a_gpu_is_refused_with_a_sentence(monkeypatch):
    if not torch.cuda.is_available():
        with pytest.raises(RuntimeError, match="pin=True .* torch finds no CUDA device"):
            millrace.Loader("unix:/nowhere", pin=True)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(RuntimeError, match="pin=True .* with torch, which cannot be imported"):
        millrace.Loader("unix:/nowhere", pin=True)


@pytest.mark.gpu
@pytest.mark.parametrize("memory", ["memfd", "file"])
def test_a_real_gpu_copies_without_waiting_and_receives_the_values_of_each_step(peer, memory):
    if not torch.cuda.is_available():
        pytest.skip("torch finds no CUDA device")
    shape = (256, 256, 3)
    server = peer(steps=24, shape=shape, only=("image", "label"))
    made = []
    with millrace.Loader(server.address, pin=True, memory=memory, buffers=4) as loader:
        for batch in loader:
            assert torch.from_numpy(batch["image"]).is_pinned()
            torch.cuda._sleep(20_000_000)  # The stream is behind the loop by several milliseconds.
            made.append(batch.torch("image", "label", device="cuda"))
            if batch.step == 5:
                assert not torch.cuda.current_stream().query(), "the copy has blocked"
        assert loader.stats()["copies"] == 0
    for step, (images, labels) in enumerate(made):
        wanted = expected(step, 4, shape)
        assert np.array_equal(images.cpu().numpy(), wanted["image"]) and np.array_equal(labels.cpu().numpy(), wanted["label"])
    del batch
    gc.collect()
    again = millrace.Loader(server.address, pin=True, memory=memory)  # Its ring may have the addresses of the one before.
    assert torch.equal(next(again).torch("label", device="cuda").cpu(), made[0][1].cpu())
    again.close()


@pytest.mark.gpu
def test_a_real_gpu_is_not_waited_for_in_a_batch_after_the_first(peer):
    if not torch.cuda.is_available():
        pytest.skip("torch finds no CUDA device")
    plan = {
        "transforms": [
            {"name": "ToFloat", "field": "image", "mean": [0], "std": [255]},
            {"name": "OneHot", "field": "label", "classes": 10},
            {"name": "OneHot", "field": "mask", "classes": 2},
        ]
    }
    with millrace.Loader(peer(plan=plan, steps=20).address) as loader:
        for batch in loader:
            wanted = batch.torch("image", "label", "mask", transforms=True)
            torch.cuda.set_sync_debug_mode("default" if batch.step == 0 else "error")
            try:
                made = batch.torch("image", "label", "mask", device="cuda", transforms=True)
                batch.torch("boxes", "words", device="cuda")
            finally:
                torch.cuda.set_sync_debug_mode("default")
            assert all(torch.equal(one, other.cpu()) for one, other in zip(wanted, made))

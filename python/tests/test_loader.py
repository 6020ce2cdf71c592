"""The loader against a scripted server: order, state, seeking, lending, ends."""

import gc
import json
import threading
import time
import warnings

import numpy as np
import pytest

import millrace
from millrace import _stream
from millrace._machine import free_memory
from millrace._stream import Stream

from .peer import BATCH, BYE, END, JOIN, MEMORY, RETURN, SEEK, STEP, WAIT, expected, message, buffer_bytes, text_message

KINDS = ["memfd", "file", "inline"]


def check(batch, step, rows=4, present=None):
    wanted = expected(step, rows, present=present)
    assert batch.step == step and len(batch) == len(wanted["label"])
    for name in ("label", "image", "mask", "half", "__index__", "__position__"):
        assert np.array_equal(batch[name], wanted[name]), name
    boxes = batch["boxes"]
    assert [row.tolist() for row in boxes.rows()] == [row.tolist() for row in wanted["boxes"]]
    assert np.array_equal(batch["words"].dense(), wanted["words"])


@pytest.mark.parametrize("memory", KINDS)
@pytest.mark.parametrize("tcp", [False, True])
def test_all_batches_arrive_in_order_with_their_values(peer, memory, tcp):
    server = peer(tcp=tcp, steps=40, epochs=2)
    with millrace.Loader(server.address, memory=memory) as loader:
        assert len(loader) == 20 and loader.plan.name == "test"
        assert list(loader.plan.fields)[4] == "image"
        seen = 0
        for step, batch in enumerate(loader.steps()):
            check(batch, step)
            assert batch.epoch == step // 20
            seen += 1
        assert seen == 40
        assert next(loader, None) is None
        assert loader.stats()["memory"]["kind"] == memory
        assert loader.stats()["copies"] == 0
    server.wait_for(lambda: server.of(BYE))
    steps = server.of(STEP)
    assert [m[2] for m in steps] == list(range(40))
    assert server.of(JOIN)[0][5]["world"] == 1
    assert server.of(SEEK)[0][1:3] == (1, 0)


def test_memfd_falls_back_to_a_file_and_to_inline_with_reasons(peer):
    server = peer(refuse=("memfd",))
    with millrace.Loader(server.address) as loader:
        assert loader.stats()["memory"] == {"kind": "file", "reasons": {"memfd": "the test says so"}}
        check(next(loader), 0)
    server = peer(refuse=("memfd", "file"))
    with millrace.Loader(server.address) as loader:
        assert loader.stats()["memory"]["kind"] == "inline"
        assert set(loader.stats()["memory"]["reasons"]) == {"memfd", "file"}
        check(next(loader), 0)
    with pytest.raises(millrace.ServerError, match="no kind of memory.*the test says so") as raised:
        millrace.Loader(peer(refuse=("memfd",)).address, memory="memfd")
    assert raised.value.code == "memory"


def test_buffers_beyond_the_free_memory_are_refused_before_they_use_it(peer):
    server = peer(refuse=("file", "inline"), plan={"buffer_bytes": 1 << 40})
    with pytest.raises(millrace.ServerError, match=r"memfd: the buffers need 4398046511104 bytes of memory, and \d+ are free"):
        millrace.Loader(server.address)


def test_the_free_memory_is_that_of_the_machine_and_of_its_control_groups(tmp_path):
    def write(path, text):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def group(path, limit, used, cached):
        write(path + "/memory.max", limit)
        write(path + "/memory.current", f"{used}\n")
        write(path + "/memory.stat", f"anon 5\ninactive_file {cached - 1}\nactive_file 1\n")

    root = str(tmp_path)
    assert free_memory(root) is None
    write("proc/meminfo", "MemTotal:  2000 kB\nMemAvailable:   1000 kB\nHugePages_Total:   0\n")
    assert free_memory(root) == 1_024_000
    write("proc/self/cgroup", "0::/job/step:1\n")
    group("sys/fs/cgroup/job/step:1", "max\n", 100, 10)
    assert free_memory(root) == 1_024_000
    group("sys/fs/cgroup/job", "3000\n", 1000, 500)
    assert free_memory(root) == 2500
    group("sys/fs/cgroup/job/step:1", "900\n", 1000, 50)
    assert free_memory(root) == 0
    # A container, whose own group is the root, and version 1, whose controller has other names.
    write("proc/self/cgroup", "0::/\n")
    group("sys/fs/cgroup", "700\n", 100, 50)
    assert free_memory(root) == 650
    write("proc/self/cgroup", "11:cpu,cpuacct:/x\n4:hugetlb,memory:/x\n")
    for name, text in (
        ("limit_in_bytes", "600"),
        ("usage_in_bytes", "500"),
        ("stat", "total_inactive_file 1\ntotal_active_file 2\n"),
    ):
        write("sys/fs/cgroup/memory/x/memory." + name, text)
    assert free_memory(root) == 103
    assert free_memory() > 0


def test_memfd_is_sealed_and_private(peer):
    import fcntl
    import os
    import stat

    found = {}

    def script(connection):
        connection.greet()
        connection.send(text_message(2, connection.plan({"world": 1, "rank": 0})))
        wish = connection.receive()[5]
        with open(wish["path"], "r+b") as file:
            found["seals"] = fcntl.fcntl(file.fileno(), 1034)
            found["mode"] = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            found["size"] = os.fstat(file.fileno()).st_size
            with pytest.raises(PermissionError):
                os.ftruncate(file.fileno(), 0)
        found["wish"] = wish
        connection.send(text_message(4, {"kind": "memfd"}))
        connection.receive()

    with millrace.Loader(peer(script).address):
        pass
    assert found["seals"] == 7 and found["mode"] == 0o600
    assert found["size"] == found["wish"]["bytes"] == found["wish"]["buffers"] * 8192 or found["size"] % 4096 == 0


@pytest.mark.parametrize("memory", KINDS)
def test_a_buffer_is_returned_when_the_last_view_dies_and_not_before(peer, memory):
    server = peer(buffers=4)
    with millrace.Loader(server.address, memory=memory) as loader:
        batch = next(loader)
        image = batch["image"][1:]
        copy = batch.copy()
        del batch
        second = next(loader)
        assert loader.stats()["lent"] == 2
        assert np.array_equal(image, expected(0, 4)["image"][1:])
        assert not server.of(RETURN)
        row = image[0, 0]
        del image
        assert loader.stats()["lent"] == 2
        del row
        server.wait_for(lambda: server.of(RETURN))
        assert server.of(RETURN)[0][3] == 0
        del second
        server.wait_for(lambda: len(server.of(RETURN)) == 2)
        check(copy, 0)


@pytest.mark.parametrize("memory", KINDS)
def test_a_list_of_all_batches_neither_blocks_nor_changes(peer, memory):
    server = peer(steps=30)
    with millrace.Loader(server.address, memory=memory) as loader:
        with pytest.warns(RuntimeWarning, match="3 of 4 buffers") as warned:
            batches = list(loader)
        assert len([w for w in warned if w.category is RuntimeWarning]) == 1
        assert warned[0].filename == __file__
        assert loader.stats()["copies"] == 27 and loader.stats()["lent"] == 3
    for step, batch in enumerate(batches):
        check(batch, step)


def test_copy_returns_each_buffer_at_once(peer):
    server = peer(buffers=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with millrace.Loader(server.address, buffers=2, copy=True) as loader:
            batches = list(loader)
    assert len(batches) == 10
    for step, batch in enumerate(batches):
        check(batch, step)


@pytest.mark.parametrize("memory", ["memfd", "inline"])
def test_a_usual_loop_needs_no_copies_with_three_buffers(peer, memory):
    server = peer(buffers=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with millrace.Loader(server.address, memory=memory) as loader:
            assert loader.stats()["buffers"] == 3
            for batch in loader:
                images, labels = batch.numpy("image", "label")
    assert len(images) == len(labels) == 4


@pytest.mark.parametrize("memory", ["memfd", "inline"])
def test_seek_drops_older_batches_and_returns_their_buffers(peer, memory):
    server = peer(steps=50)
    with millrace.Loader(server.address, memory=memory) as loader:
        held = [next(loader), next(loader)]
        for step in (30, 7, 7, 49, 0):
            loader.seek(step)
            check(next(loader), step)
        check(held[0], 0)
        check(held[1], 1)
        loader.seek(50)
        assert next(loader, None) is None
        loader.seek(49)
        check(next(loader), 49)
        assert next(loader, None) is None
        for step in (-1, 51):
            with pytest.raises(ValueError, match="outside of the run"):
                loader.seek(step)


def test_seek_to_the_next_step_sends_nothing(peer):
    server = peer()
    with millrace.Loader(server.address) as loader:
        next(loader)
        loader.seek(1)
        check(next(loader), 1)
    assert len(server.of(SEEK)) == 1


def test_a_rank_that_has_received_batches_tells_the_server_which_step_it_seeks(peer):
    server = peer()
    with millrace.Loader(server.address, rank=1, world=2) as loader:
        next(loader)
        loader.seek(1)  # other ranks may seek this step from elsewhere
        loader.seek(1)
        check(next(loader), 1)
    assert [m[2] for m in server.of(SEEK)] == [0, 1]


def test_epochs_go_on_with_the_one_of_the_step(peer):
    with millrace.Loader(peer(steps=12, epochs=3).address) as loader:
        loader.seek(6)
        assert [[batch.step for batch in epoch] for epoch in loader.epochs()] == [[6, 7], [8, 9, 10, 11]]
        assert list(loader.epochs()) == []


def test_the_step_of_the_last_batch_is_reported_without_asking_for_another(peer):
    server = peer()
    with millrace.Loader(server.address) as loader:
        for batch in loader:
            if batch.step == 9:
                break
    server.wait_for(lambda: server.of(BYE))
    assert [m[2] for m in server.of(STEP)] == list(range(10))


def test_an_end_from_before_a_seek_is_ignored(peer):
    def script(connection):
        connection.handshake()
        connection.handle()
        for _ in range(2):
            connection.batch(connection.step)
            connection.step += 1
        connection.send(message(END, connection.generation, 2))
        while connection.generation == 1:
            connection.handle()
        connection.go_on()

    for _generation_known in (True, False):
        server = peer(script, steps=2, epochs=1)
        with millrace.Loader(server.address) as loader:
            next(loader)
            loader.seek(0)
            assert [b.step for b in loader] == [0, 1]


def test_state_counts_what_the_loop_received(peer):
    server = peer(steps=20)
    with millrace.Loader(server.address) as loader:
        fingerprint = '{"batch.size": "4", "order.seed": "1"}'
        assert loader.state_dict() == {"version": 2, "fingerprint": fingerprint, "step": 0}
        for batch in loader:
            if batch.step == 6:
                break
        state = loader.state_dict()
        assert state["step"] == 7
        check(next(loader), 7)
    with millrace.Loader(server.address) as loader:
        loader.load_state_dict(state)
        assert [b.step for b in loader] == list(range(7, 20))
        loader.load_state_dict(state)
        check(next(loader), 7)
        with pytest.raises(ValueError, match="expected version 2"):
            loader.load_state_dict({"version": 2})


@pytest.mark.parametrize("wrong", [None, "3", 3.0, -1, 11])
def test_a_wrong_step_or_epoch_changes_nothing(peer, wrong):
    with millrace.Loader(peer().address) as loader:
        check(next(loader), 0)
        for call in (loader.seek, loader.epoch):
            with pytest.raises((TypeError, ValueError), match="whole number|outside of the run"):
                call(wrong)
        check(next(loader), 1)
        state = loader.state_dict()
        others = ({**state, "version": 3}, {**state, "version": 1}, {**state, "fingerprint": [1]}, {}, [state], None)
        for one in ({**state, "step": wrong}, *others):
            with pytest.raises(ValueError, match="is not a state of this package|outside of the run"):
                loader.load_state_dict(one)
        check(next(loader), 2)


def test_numbers_of_numpy_are_whole_numbers(peer):
    one = np.int64(1)
    with millrace.Loader(peer(epochs=2).address, rank=one - 1, world=one, buffers=np.int64(4)) as loader:
        loader.seek(np.int64(3))
        assert type(loader.state_dict()["step"]) is int  # torch.load reads no numbers of numpy by default
        check(next(loader), 3)
        assert next(iter(loader.epoch(one))).epoch == 1


def test_a_loader_may_try_to_connect_for_ever(peer):
    with millrace.Loader(peer().address, timeout=float("inf")) as loader:
        check(next(loader), 0)


def test_a_batch_is_no_list_of_fields(peer):
    with millrace.Loader(peer().address) as loader:
        batch = next(loader)
        assert "image" in batch and "nothing" not in batch
        with pytest.raises(TypeError, match="Batch"):
            _images, _labels = batch


def test_a_state_of_another_plan_is_refused_with_the_keys(peer):
    with millrace.Loader(peer().address) as loader:
        state = loader.state_dict()
        other = {"order.seed": "2", "batch.size": "4", "more": "x"}
        for one in ({**state, "fingerprint": json.dumps(other)}, {**state, "version": 1, "fingerprint": other}):
            with pytest.raises(millrace.PlanDiffers, match="order.seed is '2', expected '1'") as raised:
                loader.load_state_dict(one)
            assert raised.value.keys == ("more", "order.seed") and raised.value.code == "plan_differs"


def test_a_state_of_an_earlier_release_is_loaded(peer):
    with millrace.Loader(peer().address) as loader:
        loader.load_state_dict({"version": 1, "fingerprint": {"order.seed": "1", "batch.size": "4"}, "step": 7})
        assert next(loader).step == 7


def test_epochs(peer):
    server = peer(steps=12, epochs=3)
    with millrace.Loader(server.address) as loader:
        assert len(loader.epoch(0)) == 4
        assert [b.step for b in loader.epoch(0)] == [0, 1, 2, 3]
        assert [b.step for b in loader.epoch(1)] == [4, 5, 6, 7]
        assert len(server.of(SEEK)) == 1
        assert [b.step for b in loader.epoch(0)] == [0, 1, 2, 3]
        loader.seek(9)
        assert [b.step for b in loader.epoch(2)] == [9, 10, 11]
        assert [b.step for b in loader.epoch(2)] == [8, 9, 10, 11]
        for number in (-1, 3):
            with pytest.raises(ValueError, match="outside of the run"):
                loader.epoch(number)


def test_an_endless_run_has_epochs_without_an_end(peer):
    server = peer(steps=None, epochs=None)
    with millrace.Loader(server.address) as loader:
        assert loader and len(loader) == 10
        for epoch in range(7):
            assert [b.step for b in loader] == list(range(10 * epoch, 10 * epoch + 10))
        loader.seek(10**10)
        assert next(loader).step == 10**10


def test_missing_rows_are_named(peer):
    server = peer(lambda c: c.serve(present=[0, 3]))
    with millrace.Loader(server.address) as loader:
        next(loader)
        batch = next(loader)
        assert len(batch) == 2
        assert batch.positions.tolist() == [4, 7] and batch.missing.tolist() == [5, 6]
        check(batch, 1, present=[0, 3])


def test_a_rank_without_good_samples_gets_one_padded_row_of_weight_0(peer):
    server = peer(lambda c: c.serve(present=[], pad=True))
    with millrace.Loader(server.address, rank=1, world=2) as loader:
        batch = next(loader)
        assert len(batch) == 1 and batch.samples == 0 and batch["image"].shape == (1, 4, 5, 3)
        assert batch.weights.tolist() == [0] and batch.weights.dtype == np.float32
        assert batch.missing.tolist() == [0, 1, 2, 3]
        assert batch.positions.tolist() == batch.indexes.tolist() == [-1]
        assert not batch["image"].any() and batch["label"].tolist() == [0] and batch["boxes"].to_padded().tolist() == [[[0] * 4]]
        assert loader.stats()["rows"] == 0 and loader.stats()["steps"] == 1
    server = peer()
    with millrace.Loader(server.address) as loader:
        assert next(loader).weights.tolist() == [1] * 4


@pytest.mark.parametrize("padded", [1, 2])
def test_a_padded_row_beside_others_is_refused(peer, padded):
    def script(connection):
        connection.handshake()
        while connection.step is None:
            connection.handle()
        data = bytearray(buffer_bytes(connection.fields, 0, 1, 4))
        data[28] = padded
        connection.send(message(BATCH, 1, 0, 0, len(data), 1) + data)
        connection.handle()

    with millrace.Loader(peer(script).address, memory="inline") as loader:
        with pytest.raises(millrace.ProtocolError, match=f"step 0: {padded} of 4 rows are padded, expected none"):
            next(loader)


def test_a_batch_larger_than_its_buffer_follows_inline(peer):
    def script(connection):
        connection.handshake()
        connection.handle()
        data = expected(0, 4)
        data["boxes"] = [np.full((5000, 4), i, np.float32) for i in range(4)]
        connection.batch(0, inline=True, values=data)
        connection.batch(1, inline=True)
        connection.batch(2)
        while True:
            connection.handle()

    with millrace.Loader(peer(script).address) as loader:
        batch = next(loader)
        assert batch["boxes"].values.shape == (20000, 4) and batch["boxes"].row(-1)[0, 0] == 3
        check(next(loader), 1)
        check(next(loader), 2)


@pytest.mark.parametrize("memory", ["memfd", "inline"])
def test_views_may_die_in_other_threads(peer, memory):
    server = peer(steps=400)
    with millrace.Loader(server.address, memory=memory, buffers=8) as loader:
        import queue

        handed = queue.Queue(4)
        wrong = []

        def consume():
            while True:
                batch = handed.get()
                if batch is None:
                    return
                if not np.array_equal(batch["image"], expected(batch.step, 4)["image"]):
                    wrong.append(batch.step)

        threads = [threading.Thread(target=consume) for _ in range(3)]
        for thread in threads:
            thread.start()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for batch in loader:
                handed.put(batch)
        for _ in threads:
            handed.put(None)
        for thread in threads:
            thread.join()
        del batch
        gc.collect()
        assert not wrong and loader.stats()["lent"] == 0 and loader.stats()["steps"] == 400


def test_a_fast_loop_returns_some_buffers_with_one_message_of_the_system(peer, monkeypatch):
    monkeypatch.setattr(_stream, "_SOON", 1 << 62)  # on a loaded machine, too
    sent = []
    delivered = threading.Event()

    def script(connection):
        connection.handshake()
        connection.handle()
        for step in range(10):
            connection.batch(step)
        delivered.set()
        while True:
            connection.handle()

    server = peer(script)
    send = Stream._send
    monkeypatch.setattr(Stream, "_send", lambda stream, data: (sent.append(len(data) // 32), send(stream, data)))
    with millrace.Loader(server.address, buffers=16) as loader:
        next(loader)
        delivered.wait()
        sent.clear()
        for step in range(1, 9):
            check(next(loader), step)
        assert max(sent) <= 6 and len(sent) <= 3  # two messages for each of the 8 batches, of which some are sent later
    server.wait_for(lambda: len(server.of(RETURN)) == 9 and len(server.of(STEP)) == 9)


def test_a_buffer_is_returned_at_once_while_the_loop_waits(peer, monkeypatch):
    monkeypatch.setattr(_stream, "_SOON", 1 << 62)

    def script(connection):
        connection.handshake()
        connection.handle()
        for step in range(2):
            connection.batch(step)
        while 0 not in connection.free:
            connection.handle()
        connection.batch(2)
        while True:
            connection.handle()

    with millrace.Loader(peer(script).address, buffers=16) as loader:
        held = [next(loader), next(loader)]

        def drop():
            while not loader._session.current.resumable:
                time.sleep(0.001)
            del held[0]

        thread = threading.Thread(target=drop)
        thread.start()
        check(next(loader), 2)
        thread.join()


def test_several_threads_may_share_the_iteration(peer):
    server = peer(steps=300)
    with millrace.Loader(server.address, buffers=8, copy=True) as loader:
        seen = []

        steps = loader.steps()

        def run():
            seen.extend(batch.step for batch in steps)

        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(seen) == list(range(300))


def test_two_loaders_in_one_process_do_not_disturb_each_other(peer):
    with millrace.Loader(peer(steps=30).address) as first, millrace.Loader(peer(steps=30).address, memory="inline") as second:
        for step, (one, other) in enumerate(zip(first, second)):
            check(one, step)
            check(other, step)
        assert step == 29 and first.stats()["copies"] == second.stats()["copies"] == 0


def test_views_stay_valid_after_close_and_after_the_loader_is_gone(peer):
    loader = millrace.Loader(peer().address)
    batch = next(loader)
    image = batch["image"]
    loader.close()
    loader.close()
    check(batch, 0)
    with pytest.raises(millrace.LoaderClosed):
        next(loader)
    with pytest.raises(millrace.LoaderClosed):
        iter(loader)
    del loader, batch
    gc.collect()
    assert np.array_equal(image, expected(0, 4)["image"])


@pytest.mark.parametrize("memory", ["memfd", "inline"])
def test_a_loader_that_is_collected_says_goodbye(peer, memory):
    server = peer()
    loader = millrace.Loader(server.address, memory=memory)
    next(loader)
    del loader
    gc.collect()
    server.wait_for(lambda: server.of(BYE))


def test_steps_before_a_seek_are_reported_with_their_generation(peer):
    server = peer()
    with millrace.Loader(server.address) as loader:
        next(loader), next(loader)
        loader.seek(7)
        for _ in loader:
            pass
    server.wait_for(lambda: server.of(BYE))
    assert [m[1:3] for m in server.of(STEP)] == [(1, 0), (1, 1), (2, 7), (2, 8), (2, 9)]
    kinds = [m[0] for m in server.received if m[0] in (STEP, SEEK)]
    assert kinds == [SEEK, STEP, STEP, SEEK, STEP, STEP, STEP]


def test_stats_and_progress(peer, capsys, caplog, monkeypatch):
    import millrace._progress

    monkeypatch.setattr(millrace._progress.Lines, "interval", 0.0)

    def script(connection):
        connection.handshake()
        connection.send(text_message(WAIT, {"reason": "decode is busy"}))
        connection.go_on()

    server = peer(script)
    with millrace.Loader(server.address, verbose=True) as loader:
        for _ in loader:
            pass
        stats = loader.stats()
    assert stats["steps"] == 10 and stats["rows"] == 40 and stats["bytes"] > 40 * 60
    assert stats["waiting_for"] == "decode is busy" and stats["buffers"] == 4 and stats["reconnects"] == 0
    assert 0 < stats["starved"] < 1 and stats["wait_seconds"] > 0 and stats["busy_seconds"] > 0
    err = capsys.readouterr().err
    assert "step 9 of 10, epoch 0" in err and "starved" in err
    assert caplog.messages.count("decode is busy") == 1


def test_the_wait_for_the_first_batch_of_a_start_or_a_seek_is_no_starvation(peer):
    def script(connection):
        connection.handshake()
        while True:
            connection.handle()
            if connection.step is not None:
                # The loop waits for more than its own work takes.
                connection.peer.ready.wait()
                connection.peer.ready.clear()
                connection.batch(connection.step)
                connection.step = None

    server = peer(script)
    server.ready = threading.Event()
    with millrace.Loader(server.address) as loader:
        for step in (0, 5):
            loader.seek(step)
            timer = threading.Timer(0.2, server.ready.set)
            timer.start()
            check(next(loader), step)
            timer.join()
        assert loader.stats()["wait_seconds"] >= 0.3 and loader.stats()["starved"] == 0
        loader.seek(9)
        server.ready.set()
        check(next(loader), 9)
        assert loader.stats()["starved"] == 0 and loader.stats()["busy_seconds"] > 0


def test_step_messages_carry_the_times(peer):
    server = peer()
    with millrace.Loader(server.address) as loader:
        for _ in loader:
            pass
        stats = loader.stats()
    server.wait_for(lambda: server.of(BYE))
    steps = server.of(STEP)
    assert sum(m[3] for m in steps) == round(stats["wait_seconds"] * 1e9)
    assert sum(m[4] for m in steps) == round(stats["busy_seconds"] * 1e9)


def test_rank_and_transforms_are_sent_and_the_token_is_proved(peer, tmp_path, monkeypatch):
    monkeypatch.delenv("MILLRACE_TOKEN")
    token = "0123456789abcdef0123456789abcdef"
    file = tmp_path / "token"
    file.write_text(token + "\n")
    server = peer(tcp=True, token=token)
    with millrace.Loader(server.address, rank=2, world=4, token=str(file), transforms="server") as loader:
        assert loader.plan.rank == 2 and loader.plan.global_batch == 16
    join = server.of(JOIN)[0][5]
    assert (join["rank"], join["world"], join["transforms"]) == (2, 4, "server")
    assert join["fingerprint"] is None and join["client"]
    assert server.connections[0].proved
    assert server.of(MEMORY)[0][5] == {"kind": "inline", "buffers": 4}
    monkeypatch.setenv("MILLRACE_TOKEN", token)
    with millrace.Loader(server.address):
        assert server.connections[1].proved
    ready = tmp_path / "ready.json"
    ready.write_text('{"addresses": [], "token": "%s"}' % token[::-1])
    server.options["token"] = token[::-1]
    with millrace.Loader(server.address, token=ready):
        assert server.connections[2].proved
    assert all(token not in str(message) and token[::-1] not in str(message) for message in server.received)
    ready.write_text('{"token": "short"}')
    for wrong in ("secret", ready, tmp_path):
        with pytest.raises(ValueError, match="token"):
            millrace.Loader(server.address, token=wrong)


def test_a_plan_has_the_names_of_very_many_classes(peer):
    names = [f"class {i:06}" for i in range(150_000)]
    with millrace.Loader(peer(plan={"classes": names}).address) as loader:
        assert list(loader.plan.classes) == names
        check(next(loader), 0)


def test_wrong_arguments_are_refused_with_a_sentence(tmp_path):
    for arguments, words in [
        ({"rank": 2, "world": 2}, "rank is 2"),
        ({"rank": 0, "world": 0}, "world is 0, expected at least 1"),
        ({"buffers": 1}, "buffers is 1,"),
        ({"buffers": 1025}, "buffers is 1025, expected a number from 2 to 1024"),
        ({"timeout": -1.0}, "timeout is -1.0"),
        ({"timeout": float("nan")}, "timeout is nan"),
        ({"tls": ""}, "tls is ''"),
        ({"memory": "disk"}, "memory is 'disk'"),
        ({"transforms": "gpu"}, "transforms is 'gpu'"),
        ({"settings": ["a=b"]}, "settings are for pipeline files"),
    ]:
        with pytest.raises(ValueError, match=words):
            millrace.Loader("unix:/nowhere", **arguments)
    for arguments, words in [
        ({"rank": "1", "world": 2}, "rank is '1', expected a whole number"),
        ({"world": 2.0}, "world is 2.0, expected a whole number"),
        ({"buffers": "4"}, "buffers is '4', expected a whole number"),
        ({"settings": "a=b"}, "settings is 'a=b', expected a list"),
        ({"slots": 4}, r"^slots is called buffers now: pass Loader\(\.\.\., buffers=4\)$"),
    ]:
        with pytest.raises(TypeError, match=words):
            millrace.Loader("unix:/nowhere", **arguments)
    for source in ("conf/none.yaml", "host", "host:0", "host:99999", "a:b:1", ":1", "unix:", "a..b:1", "a" * 64 + ":1"):
        with pytest.raises(ValueError, match="is neither a file nor an address"):
            millrace.Loader(source)
    pipeline = tmp_path / "x.yaml"
    pipeline.write_text("")
    with pytest.raises(ValueError, match="loader.address.*--world 2"):
        millrace.Loader(pipeline, rank=1, world=2)


def _without_rows(*steps):
    """Returns a script whose batches of these steps have no rows, because all of their samples are bad."""

    def script(connection):
        connection.handshake()
        last = connection.peer.options["steps"]
        while connection.step is None or connection.step < last or not connection.ended:
            if connection.step == last:
                connection.send(message(END, connection.generation, last))
                connection.ended = True
            elif connection.step is not None and connection.free:
                connection.batch(connection.step, present=[] if connection.step in steps else None)
                connection.step += 1
            else:
                connection.handle()
        while True:
            connection.handle()

    return script


@pytest.mark.parametrize("memory", KINDS)
def test_steps_without_rows_are_left_out_and_keep_their_numbers(peer, memory):
    server = peer(_without_rows(0, 3, 4, 9, 10, 19), steps=20, epochs=2)
    with millrace.Loader(server.address, memory=memory, buffers=2) as loader:
        assert [batch.step for batch in loader.epoch(0)] == [1, 2, 5, 6, 7, 8] and loader.step == 10
        assert [batch.step for batch in loader.epoch(1)] == [*range(11, 19)] and loader.step == 20
        assert next(loader, None) is None
        assert loader.stats()["steps"] == 14 and loader.stats()["left_out"] == 6
    server.wait_for(lambda: server.of(BYE))
    steps = server.of(STEP)
    assert [m[2] for m in steps] == list(range(20))
    assert [m[2] for m in steps if m[4] == 0] == [0, 3, 4, 9, 10, 19]


def test_epochs_look_and_repeat_leave_out_steps_without_rows(peer):
    without = 0, 3, 4, 9, 10, 19
    for repeat, second in (False, range(11, 19)), (True, [1, 2, 5, 6, 7, 8]):
        with millrace.Loader(peer(_without_rows(*without), steps=20, epochs=2).address, repeat=repeat) as loader:
            assert next(iter(loader)).step == 1
            assert [batch.step for batch in loader] == [1, 2, 5, 6, 7, 8]
            assert [batch.step for batch in loader] == list(second)


def test_states_and_seeks_count_steps_without_rows(peer):
    server = peer(_without_rows(3, 4, 9), steps=20)
    with millrace.Loader(server.address) as loader:
        for batch in loader:
            if batch.step == 2:
                break
        state = loader.state_dict()
        assert state["step"] == 3
        assert next(loader).step == 5
        loader.load_state_dict(state)
        assert next(loader).step == 5 and loader.state_dict()["step"] == 6
        loader.seek(4)
        assert loader.step == 4 and next(loader).step == 5
        loader.seek(9)
        assert next(loader).step == 10


def test_a_resumed_epoch_without_good_samples_is_no_empty_loop(peer):
    server = peer(_without_rows(8, 9, 18, 19), steps=20, epochs=2)
    with millrace.Loader(server.address) as loader:
        assert [batch.step for batch in loader] == list(range(8)) and loader.step == 10
        loader.seek(8)
        assert [batch.step for batch in loader] == list(range(10, 18)) and loader.step == 20

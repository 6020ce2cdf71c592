"""The loader when something fails: lost connections, errors of the server, signals, forks."""

import gc
import logging
import os
import pickle
import re
import signal
import socket
import struct
import sys
import threading
import time
import traceback

import pytest

import millrace
from millrace._buffers import Buffers
from millrace._state import require_same
from millrace._stream import Stream

from .peer import (
    BATCH,
    BYE,
    CHALLENGE,
    END,
    ERROR,
    HELLO,
    JOIN,
    MAPPED,
    MEMORY,
    PLAN,
    PROOF,
    REDIRECT,
    RETURN,
    SEEK,
    STEP,
    TOKEN,
    WAIT,
    message,
    text_message,
)
from .test_loader import check

MEMORIES = pytest.mark.parametrize("memory", ["memfd", "file", "inline"])


def dying(until):
    """Returns a script whose first connection ends after a step, without END."""

    def script(connection):
        if connection.number == 0:
            connection.serve(until=until)
        else:
            connection.serve()

    return script


@MEMORIES
def test_a_lost_connection_is_made_again_at_the_next_step(peer, memory, caplog):
    server = peer(dying(5), steps=20, buffers=4)
    with millrace.Loader(server.address, memory=memory) as loader:
        held = [next(loader), next(loader)]
        seen = []
        for batch in loader:
            check(batch, batch.step)
            seen.append(batch.step)
        assert seen == list(range(2, 20))
        check(held[0], 0)
        check(held[1], 1)
        assert loader.stats()["reconnects"] == 1
    assert [m[5]["fingerprint"] for m in server.of(JOIN)] == [None, {"order.seed": "1", "batch.size": "4"}]
    assert [m[1:3] for m in server.of(SEEK)] == [(1, 0), (1, server.of(SEEK)[1][2])]
    assert server.of(SEEK)[1][2] <= 5
    assert [m[3] for m in server.of(SEEK)] == [0, 1]
    assert len({m[5]["loader"] for m in server.of(JOIN)}) == 1
    assert "lost" in caplog.text


@MEMORIES
def test_a_message_that_is_cut_off_is_a_lost_connection(peer, memory):
    def script(connection):
        if connection.number == 0:
            connection.serve(until=1)
            connection.send(message(BATCH, 1, 1, 1, 5000, 1 if memory == "inline" else 0)[:20])
        elif connection.number == 1 and memory == "inline":
            connection.handshake()
            connection.handle()
            connection.send(message(BATCH, 1, connection.step, 1, 5000, 1) + b"MRB1")
        else:
            connection.serve()

    with millrace.Loader(peer(script).address, memory=memory) as loader:
        assert [batch.step for batch in loader] == list(range(10))


def test_the_end_of_the_connection_is_never_the_end_of_the_data(peer):
    server = peer(lambda c: c.serve(until=10), steps=10)
    with millrace.Loader(server.address, timeout=0.3) as loader:
        with pytest.raises(millrace.ConnectionLost, match="within 0.3 s.*without END") as raised:
            assert [next(loader).step for _ in range(11)]
        assert isinstance(raised.value, ConnectionError)
        assert loader.state_dict()["step"] == 10


def test_nobody_listens(tmp_path):
    began = time.monotonic()
    with pytest.raises(millrace.ConnectionLost, match="unix:.*No such file"):
        millrace.Loader(f"unix:{tmp_path}/none", timeout=0.5)
    assert 0.2 < time.monotonic() - began < 5
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with pytest.raises(millrace.ConnectionLost, match="refused"):
        millrace.Loader(f"127.0.0.1:{port}", timeout=0.2)


def test_a_server_that_does_not_answer(peer):
    server = peer(lambda c: c.exactly(1 << 20))
    with pytest.raises(millrace.ConnectionLost, match="does not answer"):
        millrace.Loader(server.address, timeout=0.3)


def test_a_server_that_comes_later_is_found(peer, tmp_path):
    path = tmp_path / "later"
    threads = []

    def start():
        from .peer import Peer

        made = Peer(tmp_path)
        os.link(made.path, path)
        threads.append(made)

    timer = threading.Timer(0.3, start)
    timer.start()
    with millrace.Loader(f"unix:{path}", timeout=120) as loader:
        check(next(loader), 0)
    timer.join()
    threads[0].close()


ERRORS = [
    ("job_failed", millrace.JobFailed),
    ("plan_differs", millrace.PlanDiffers),
    ("protocol", millrace.ServerError),
    ("token", millrace.ServerError),
    ("ranks_disagree", millrace.ServerError),
    ("rank_missing", millrace.ServerError),
    ("rank_taken", millrace.ServerError),
]


@pytest.mark.parametrize(("code", "kind"), ERRORS)
@MEMORIES
def test_errors_of_the_server_are_raised_with_its_sentence(peer, code, kind, memory):
    def early(connection):
        connection.greet()
        connection.send(text_message(ERROR, {"code": code, "message": "the sentence", "keys": ["order.seed"]}))
        connection.receive()

    with pytest.raises(kind, match="^the sentence$") as raised:
        millrace.Loader(peer(early).address, memory=memory)
    assert raised.value.code == code
    if code == "plan_differs":
        assert raised.value.keys == ("order.seed",)

    def late(connection):
        connection.serve(until=2)
        connection.send(text_message(ERROR, {"code": code, "message": "the sentence"}))
        connection.receive()

    with millrace.Loader(peer(late).address, memory=memory) as loader:
        assert [next(loader).step, next(loader).step] == [0, 1]
        for _ in range(2):
            with pytest.raises(kind, match="^the sentence$"):
                next(loader)


def test_expected_errors_show_few_lines(peer, tmp_path):
    def failing(connection):
        connection.serve(until=2)
        connection.send(text_message(ERROR, {"code": "job_failed", "message": "the sentence"}))
        connection.receive()

    def refused(connection):
        connection.greet()
        connection.send(text_message(ERROR, {"code": "job_failed", "message": "the sentence"}))
        connection.receive()

    uses = [
        lambda: list(millrace.Loader(peer(failing).address)),
        lambda: list(millrace.Loader(peer(failing).address).steps()),
        lambda: list(millrace.Loader(peer(failing).address).epoch(0)),
        lambda: millrace.Loader(peer(refused).address),
        lambda: millrace.Loader(f"unix:{tmp_path}/none", timeout=0.2),
    ]
    for use in uses:
        with pytest.raises(millrace.MillraceError) as raised:
            use()
        lines = traceback.format_exception(raised.type, raised.value, raised.value.__traceback__)
        frames = [line for line in lines if line.startswith("  File ")]
        assert len([frame for frame in frames if os.sep + "millrace" + os.sep + "_" in frame]) <= 2, "".join(lines)
        assert "cause" not in "".join(lines) and "During" not in "".join(lines)


def test_a_server_that_has_failed_is_no_lost_connection(peer, caplog):
    def script(connection):
        if connection.number == 0:
            connection.serve(until=2)
        else:
            connection.greet()
            connection.send(text_message(ERROR, {"code": "job_failed", "message": "the sentence"}))
            connection.receive()

    with millrace.Loader(peer(script).address) as loader:
        with pytest.raises(millrace.JobFailed, match="^the sentence$"):
            list(loader)
    assert not caplog.records


@MEMORIES
def test_a_rank_whose_loop_computes_connects_again_at_once(peer, memory):
    received = threading.Event()

    def script(connection):
        if connection.number == 0:
            connection.serve(until=5)
            received.wait(120)  # an earlier end would be noticed before the loop has its second batch
        else:
            connection.serve()

    server = peer(script, steps=20)
    with millrace.Loader(server.address, rank=1, world=2, memory=memory) as loader:
        assert [next(loader).step, next(loader).step] == [0, 1]
        received.set()
        server.wait_for(lambda: len(server.of(SEEK)) == 2)  # the loop does not ask for a batch meanwhile
        assert [(m[2], m[3]) for m in server.of(SEEK)] == [(0, 0), (2, 1)]
        assert [batch.step for batch in loader] == list(range(2, 20))
    # The step that was computed meanwhile is not reported to the new server, which has sent other batches.
    reported = [m[2] for m in server.of(STEP)]
    assert reported[-18:] == list(range(2, 20)) and 1 not in reported


def test_a_rank_whose_loop_computes_raises_the_servers_reason_at_its_next_batch(peer):
    def script(connection):
        if connection.number == 0:
            connection.serve(until=1)
        else:
            connection.greet()
            connection.send(text_message(ERROR, {"code": "job_failed", "message": "the sentence"}))

    server = peer(script)
    with millrace.Loader(server.address, rank=1, world=2) as loader:
        next(loader)
        server.wait_for(lambda: len(server.of(JOIN)) == 2)
        with pytest.raises(millrace.JobFailed, match="^the sentence$"):
            next(loader)


def test_a_rank_that_the_server_still_holds_is_tried_again_after_a_loss(peer):
    def script(connection):
        if connection.number == 0:
            connection.serve(until=1)
        elif connection.number == 1:
            connection.greet()
            connection.send(text_message(ERROR, {"code": "rank_taken", "message": "rank 0 is connected"}))
        else:
            connection.serve()

    server = peer(script)
    with millrace.Loader(server.address) as loader:
        assert [batch.step for batch in loader] == list(range(10))
    assert len(server.connections) == 3


def test_another_plan_after_a_loss_is_refused(peer):
    def script(connection):
        if connection.number:
            connection.peer.options["plan"] = {"fingerprint": {"order.seed": "9", "batch.size": "4"}}
        connection.serve(until=2)

    with millrace.Loader(peer(script).address) as loader:
        next(loader)
        next(loader)
        with pytest.raises(millrace.PlanDiffers, match="order.seed is '9', expected '1'"):
            next(loader)


def test_a_redirect_is_followed(peer, tmp_path):
    target = peer()

    def script(connection):
        connection.greet()
        connection.send(text_message(13, {"addresses": [f"unix:{tmp_path}/absent", target.address]}))

    front = peer(script, tcp=True)
    with millrace.Loader(front.address) as loader:
        assert [batch.step for batch in loader] == list(range(10))
        assert loader.stats()["memory"]["kind"] == "memfd"

    def circle(connection):
        connection.greet()
        connection.send(text_message(13, {"addresses": [connection.peer.address]}))

    with pytest.raises(millrace.ProtocolError, match="circles"):
        millrace.Loader(peer(circle).address)


HOSTILE = "no such file: a\x1b]0;title\x07\r\u202e\u2028.jpg"
ESCAPED = r"no such file: a\x1b]0;title\x07\r\u202e\u2028.jpg"


def test_characters_that_a_terminal_obeys_are_escaped_in_messages_of_the_server(peer, caplog):
    def script(connection):
        connection.greet()
        connection.send(text_message(WAIT, {"reason": HOSTILE + "\nmillrace: done"}))
        connection.send(text_message(ERROR, {"code": "job_failed", "message": HOSTILE + "\n  second line"}))
        connection.receive()

    with pytest.raises(millrace.JobFailed) as raised:
        millrace.Loader(peer(script).address)
    assert str(raised.value) == ESCAPED + "\n  second line"
    assert "waiting for the server: " + ESCAPED + r"\nmillrace: done" in caplog.text


def test_a_server_that_reports_what_it_waits_for_has_more_time_than_the_timeout(peer, caplog, monkeypatch):
    monkeypatch.setattr("millrace._handshake._SILENCE", 1.0)
    go_on = threading.Event()

    def script(connection):
        hello = connection.greet()
        for _ in range(2):
            connection.send(text_message(WAIT, {"reason": "the job waits for slots"}))
        go_on.wait(120)
        connection.send(text_message(PLAN, connection.plan(hello)))
        connection.receive()
        connection.receive()

    server = peer(script)
    timer = threading.Timer(0.6, go_on.set)
    timer.start()
    with pytest.raises(millrace.ConnectionLost, match="does not answer"):
        millrace.Loader(server.address, timeout=0.3, memory="inline")
    assert server.of(MEMORY) and caplog.text.count("waiting for the server: the job waits for slots") == 1
    timer.join()


def test_a_server_that_moves_to_this_machine_shares_memory(peer):
    targets = [peer(lambda c: c.serve(until=2), tcp=True), peer()]

    def script(connection):
        connection.greet()
        connection.send(text_message(REDIRECT, {"addresses": [targets[min(connection.number, 1)].address]}))

    with millrace.Loader(peer(script, tcp=True).address, timeout=120) as loader:
        next(loader)
        assert loader.stats()["memory"]["kind"] == "inline" and set(loader.stats()["memory"]["reasons"]) == {"memfd", "file"}
        assert [batch.step for batch in loader] == list(range(1, 10))
        assert loader.stats()["memory"] == {"kind": "memfd", "reasons": {}}


def wrong(*sent, memory="memfd"):
    """Returns a script that sends something after two good batches."""

    def script(connection):
        connection.handshake()
        connection.handle()
        connection.batch(0)
        connection.batch(1)
        for one in sent:
            one(connection) if callable(one) else connection.send(one)
        while True:
            connection.handle()

    return script


def damage(at, data):
    def send(connection):
        connection.batch(2)

    def script(connection):
        place = 2 * connection.buffer_size
        from .peer import buffer_bytes

        raw = bytearray(buffer_bytes(connection.fields, 2, 1, 4))
        raw[at : at + len(data)] = data
        connection.memory[place : place + len(raw)] = bytes(raw)
        connection.send(message(BATCH, 1, 2, 2, len(raw)))

    return script


WRONG = {
    "type 0": message(0),
    "type of a client": message(SEEK),
    "type 99": message(99),
    "PLAN after the handshake": text_message(PLAN, {}),
    "flags of BATCH": message(BATCH, 1, 2, 2, 64, 2),
    "flags of END": message(END, 1, 2, flags=1),
    "no payload": message(WAIT),
    "long payload": message(WAIT, b=(1 << 20) + 1, flags=1),
    "no JSON": text_message(WAIT, b"{"),
    "no UTF-8": text_message(WAIT, b"\xff"),
    "a list": text_message(WAIT, [1]),
    "deep JSON": text_message(WAIT, b"[" * 100000),
    "no reason": text_message(WAIT, {}),
    "no such buffer": message(BATCH, 1, 2, 4, 64),
    "a lent buffer": message(BATCH, 1, 2, 0, 64),
    "more than a buffer": message(BATCH, 1, 2, 2, 1 << 40),
    "less than a header": message(BATCH, 1, 2, 2, 63),
    "a long batch inline": message(BATCH, 1, 2, 2, (1 << 31) - 8, 1),
    "a later generation": lambda c: c.batch(2, generation=2),
    "generation 0": lambda c: c.batch(2, generation=0),
    "a later step": lambda c: c.batch(3),
    "an earlier step": lambda c: c.batch(1, buffer=2),
    "magic": damage(0, b"MRB2"),
    "another generation in the buffer": damage(4, b"\7"),
    "another step in the buffer": damage(8, b"\7"),
    "rows": damage(20, b"\5"),
    "expected rows": damage(24, b"\3"),
    "position": damage(39, b"\xff"),
    "bytes in use": damage(40, b"\1"),
    "END too early": message(END, 1, 3),
    "END of fewer steps": message(END, 1, 1),
    "a high number": message(END, 1, 1 << 63),
}


def test_a_plan_is_at_most_64_mib_long(peer):
    server = peer(lambda c: (c.greet(), c.send(message(PLAN, b=(1 << 26) + 1, flags=1))))
    with pytest.raises(millrace.ProtocolError, match="PLAN with .* 67108865 bytes, expected a payload of at most 67108864"):
        millrace.Loader(server.address, timeout=5)


@pytest.mark.parametrize("what", WRONG)
def test_what_the_protocol_forbids_raises(peer, what):
    with millrace.Loader(peer(wrong(WRONG[what])).address, timeout=5) as loader:
        held = [next(loader), next(loader)]
        for _ in range(2):
            with pytest.raises(millrace.ProtocolError):
                next(loader)
        check(held[0], 0)
        check(held[1], 1)


@pytest.mark.parametrize("name", ["label", "image", "mask", "boxes", "words"])
def test_fields_beyond_the_bytes_in_use_raise(peer, name):
    def script(connection):
        connection.handshake()
        connection.handle()
        connection.memory[:64] = struct.pack("<4sIQIIIIQQQQ", b"MRB1", 1, 0, 0, 4, 4, 0, 0, 65, 0, 0)
        connection.send(message(BATCH, 1, 0, 0, 65))
        connection.handle()

    with millrace.Loader(peer(script).address) as loader:
        batch = next(loader)
        with pytest.raises(millrace.ProtocolError, match=name):
            batch[name]


@pytest.mark.parametrize("change", ["absent", "short", "mode", "nonce", "link", "relative"])
def test_a_file_that_is_not_the_servers_is_neither_used_nor_deleted(peer, tmp_path, change):
    victim = tmp_path / "victim"
    victim.write_bytes(b"n" * 16 + bytes(1 << 16))
    victim.chmod(0o600)
    path, nonce = str(victim), (b"n" * 16).hex()
    if change == "absent":
        path += "x"
    elif change == "short":
        victim.write_bytes(b"n" * 16)
    elif change == "mode":
        victim.chmod(0o644)
    elif change == "nonce":
        nonce = "00" * 16
    elif change == "link":
        os.symlink(path, path + "l")
        path += "l"
    else:
        path = os.path.relpath(path)

    def script(connection):
        hello = connection.greet()
        connection.send(text_message(PLAN, connection.plan(hello)))
        while True:
            wish = connection.receive()[5]
            if wish["kind"] == "file":
                connection.send(text_message(MAPPED, {"kind": "file", "path": path, "nonce": nonce}))
            else:
                connection.send(text_message(MAPPED, {"kind": "refused", "reason": "no"}))

    kind = millrace.ProtocolError if change == "relative" else millrace.ServerError
    with pytest.raises(kind):
        millrace.Loader(peer(script).address, timeout=5)
    assert victim.exists()


def close_during_a_wait(peer, connect, **options):
    """Closes a loader while another thread waits for a batch, which ends the wait and says goodbye."""
    waiting = threading.Event()

    def script(connection):
        connection.handshake()
        connection.handle()
        waiting.set()
        while True:
            connection.handle()

    server = peer(script, **options)
    loader = connect(server)
    raised = []

    def run():
        try:
            next(loader)
        except BaseException as e:
            raised.append(e)

    thread = threading.Thread(target=run)
    thread.start()
    waiting.wait(120)
    loader.close()
    thread.join(120)
    assert not thread.is_alive() and isinstance(raised[0], millrace.LoaderClosed)
    server.wait_for(lambda: server.of(BYE))


@MEMORIES
def test_close_ends_the_wait_of_another_thread(peer, memory):
    close_during_a_wait(peer, lambda server: millrace.Loader(server.address, memory=memory))


class Interrupt(Exception):
    pass


@pytest.mark.parametrize("memory", ["memfd", "inline"])
def test_a_signal_ends_the_wait_and_loses_nothing(peer, memory):
    go_on = threading.Event()

    def script(connection):
        connection.handshake()
        connection.handle()
        connection.batch(0)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)
        go_on.wait(120)
        connection.batch(1)
        while True:
            connection.handle()

    def handler(*_):
        # Only while the loader waits: the signal may arrive earlier, and is then sent again.
        current = loader._session.current
        if current is not None and current.resumable and loader.step == 1:
            raise Interrupt
        timer = threading.Timer(0.01, signal.pthread_kill, (threading.main_thread().ident, signal.SIGUSR1))
        timers.append(timer)
        timer.start()

    timers = []
    server = peer(script)
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        loader = millrace.Loader(server.address, memory=memory)
        with loader:
            check(next(loader), 0)
            with pytest.raises(Interrupt):
                next(loader)
            go_on.set()
            check(next(loader), 1)
            assert loader.stats()["reconnects"] == 0
    finally:
        signal.signal(signal.SIGUSR1, before)
        for timer in timers:
            timer.join()


def test_a_signal_that_python_ignores_while_a_view_dies_is_raised_by_the_next_call(peer, monkeypatch):
    send = Stream._send
    interrupts = [KeyboardInterrupt()]

    def interrupted(stream, data):
        if interrupts and data[-32] == RETURN:  # the first byte of the last message
            stream.give_up()
            raise interrupts.pop()
        send(stream, data)

    printed = []
    # The arguments of the hook would keep the frames of the loader alive, because the garbage collector does not see them.
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: printed.append(unraisable.exc_type))
    monkeypatch.setattr(Stream, "_send", interrupted)
    with millrace.Loader(peer().address) as loader:
        steps, batches = [], iter(loader)
        with pytest.raises(KeyboardInterrupt):
            for batch in batches:
                steps.append(batch.step)
        steps += [batch.step for batch in batches]
        assert steps == list(range(10))
    assert printed == [KeyboardInterrupt]


def test_buffers_whose_callback_a_signal_interrupts_at_its_beginning_are_returned(peer, monkeypatch):
    monkeypatch.setattr(Buffers, "_died", lambda buffers, death: None)  # as if a signal handler raised before its first line
    lost = []
    with millrace.Loader(peer(steps=30).address, buffers=4) as loader:
        for batch in loader:
            lost.append(batch.step)
            del batch
            if len(lost) == 4:
                monkeypatch.undo()
        assert lost == list(range(30))
        assert loader.stats()["reconnects"] == 0


@pytest.mark.interrupts
def test_signals_at_any_time_lose_no_step_and_no_buffer(peer):
    server = peer(steps=600)
    raised = 0
    patience = 0.0003

    def handler(*_):
        raise Interrupt

    before = signal.signal(signal.SIGALRM, handler)
    try:
        with millrace.Loader(server.address, buffers=8) as loader:
            logging.getLogger("millrace").setLevel(logging.ERROR)
            seen = []
            while True:
                step = loader.step
                try:
                    signal.setitimer(signal.ITIMER_REAL, patience)
                    batch = next(loader, None)
                    signal.setitimer(signal.ITIMER_REAL, 0)
                except Interrupt:
                    raised += 1
                    patience *= 1.5  # A new connection needs some time.
                    # `next` may have returned just before the signal; then the loop would be told so by the state.
                    assert loader.step in (step, step + 1)
                    if loader.step == step + 1:
                        seen.append(step)
                    continue
                if batch is None:
                    break
                patience = max(0.0001, patience * 0.7)
                check(batch, batch.step)
                seen.append(batch.step)
                del batch
            assert seen == list(range(600))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        logging.getLogger("millrace").setLevel(logging.NOTSET)
    assert raised > 0


def in_child(action):
    """Runs a function in a forked process, and returns what it returned."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(write, str(action()).encode())
        except BaseException as e:
            os.write(write, f"{type(e).__name__}: {e}".encode())
        os._exit(0)
    os.close(write)
    with open(read, "rb") as answer:
        told = answer.read().decode()
    os.waitpid(pid, 0)
    return told


def test_a_forked_process_is_refused_with_a_sentence_and_disturbs_nothing(peer):
    server = peer(steps=20)
    with millrace.Loader(server.address) as loader:
        batch = next(loader)
        told = in_child(lambda: next(loader))
        assert "cannot be used in the forked process" in told and "num_workers=0" in told

        def leave():
            nonlocal batch
            batch = None
            gc.collect()
            loader.close()
            return "left"

        assert in_child(leave) == "left"
        check(batch, 0)
        assert not server.of(RETURN) and not server.of(BYE)
        assert [b.step for b in loader] == list(range(1, 20))
    with pytest.raises(TypeError, match="another process"):
        pickle.dumps(loader)


def test_a_server_that_fails_each_time_is_given_up(peer):
    def script(connection):
        connection.handshake()
        connection.handle()

    server = peer(script)
    with millrace.Loader(server.address, timeout=0.5) as loader, pytest.raises(millrace.ConnectionLost):
        next(loader)
    assert 2 <= len(server.connections) <= 5


def test_a_stopped_server_only_makes_the_loop_wait(peer):
    """A WAIT message is no batch, and CPU time is not used while the loader waits."""
    go_on = threading.Event()

    def script(connection):
        connection.handshake()
        for _ in range(3):
            connection.send(text_message(WAIT, {"reason": "source: no file yet"}))
        go_on.wait(120)
        connection.go_on()

    with millrace.Loader(peer(script).address) as loader:
        threading.Timer(0.5, go_on.set).start()
        began = time.thread_time()
        check(next(loader), 0)
        assert time.thread_time() - began < 0.1
        assert loader.stats()["waiting_for"] == "source: no file yet"


IMPOSTER = "0" * 32


def test_a_server_that_does_not_know_the_token_is_sent_nothing(peer, monkeypatch):
    imposter = peer(tcp=True, token=IMPOSTER)
    with pytest.raises(millrace.ServerError, match="does not know the token.*The token was not sent") as raised:
        millrace.Loader(imposter.address)
    assert raised.value.code == "token"
    for connection in imposter.connections:
        connection.thread.join(60)
    assert [m[0] for m in imposter.received] == [HELLO]


@pytest.mark.parametrize(
    "version, told",
    [("9.9.9.dev0", "Millrace 9.9.9.dev0"), (None, f"a Millrace before {millrace.__version__}"), ("", "Millrace "), ([1], r"Millrace \[1\]")],
)
def test_a_server_of_another_release_is_refused(peer, version, told):
    other = peer(version=version)
    with pytest.raises(millrace.ServerError, match=f"the server at .* is of {told}, this client of Millrace {millrace.__version__}: install") as raised:
        millrace.Loader(other.address)
    assert raised.value.code == "protocol"
    assert [m[0] for m in other.received] == [HELLO]


def test_the_end_of_a_version_is_no_other_release(peer):
    release = re.match(r"[\d.]+\d", millrace.__version__).group()
    with millrace.Loader(peer(version=f"{release}-SNAPSHOT").address) as loader:
        assert loader.plan.world == 1


@pytest.mark.parametrize("answer", [ERROR, PLAN, BATCH])
def test_a_client_without_a_token_accepts_a_refusal_and_nothing_else(peer, monkeypatch, answer):
    monkeypatch.delenv("MILLRACE_TOKEN")

    def script(connection):
        if answer == ERROR:
            connection.greet()
        connection.receive()
        connection.send(text_message(CHALLENGE, {"nonce": "0" * 32, "proof": "0" * 64}))
        connection.receive()
        connection.send(text_message(answer, {"world": 1}) + bytes(64))
        connection.receive()

    imposter = peer(script, tcp=True)
    expected = "^the client has no token$" if answer == ERROR else "the client has no token, and the server at .* is not a process"
    with pytest.raises(millrace.ServerError, match=expected) as raised:
        millrace.Loader(imposter.address)
    assert raised.value.code == "token"
    for connection in imposter.connections:
        connection.thread.join(60)
    assert [m[0] for m in imposter.received] == [HELLO, PROOF] and imposter.received[1][5] == {"proof": None}


def test_a_client_without_a_token_that_comes_while_a_server_ends_looks_for_the_next(peer, monkeypatch):
    monkeypatch.delenv("MILLRACE_TOKEN")

    def ending(connection):
        connection.socket.recv(4096)  # HELLO, or later the question whether the server speaks TLS
        connection.send(text_message(CHALLENGE, {"nonce": "0" * 32, "proof": "0" * 64}))
        connection.socket.recv(4096)

    with pytest.raises(millrace.ConnectionLost, match="no connection to .* within 1 s: the server closed the connection"):
        millrace.Loader(peer(ending, tcp=True).address, timeout=1)


@pytest.mark.parametrize("kind", [PLAN, REDIRECT, WAIT, MAPPED])
def test_a_server_that_proves_nothing_is_sent_nothing(peer, kind):
    def script(connection):
        connection.receive()
        connection.send(text_message(kind, {"addresses": [other.address], "reason": "", "kind": "inline"}))
        connection.receive()

    other = peer(tcp=True)
    imposter = peer(script, tcp=True)
    with pytest.raises(millrace.ProtocolError, match="expected CHALLENGE"):
        millrace.Loader(imposter.address)
    assert [m[0] for m in imposter.received] == [HELLO] and not other.connections


@pytest.mark.parametrize(
    "challenge",
    [{}, {"nonce": "", "proof": ""}, {"nonce": "0" * 32, "proof": "é"}, {"nonce": 1, "proof": "0" * 64}, {"nonce": "é" * 9, "proof": "0" * 64}],
)
def test_a_bad_challenge_is_refused(peer, challenge):
    def script(connection):
        connection.receive()
        connection.send(text_message(CHALLENGE, challenge))
        connection.receive()

    with pytest.raises(millrace.MillraceError, match="CHALLENGE|does not know the token"):
        millrace.Loader(peer(script, tcp=True).address)


def test_a_process_of_the_same_user_behind_a_unix_socket_needs_no_proof(peer):
    with millrace.Loader(peer(token=IMPOSTER).address) as loader:
        check(next(loader), 0)


def test_a_loader_that_connects_again_does_not_take_another_program_for_its_server(peer):
    taken = threading.Event()

    def script(connection):
        if connection.number == 0:
            connection.serve(until=3)
            server.options["token"] = IMPOSTER
        elif connection.number < 3:
            try:
                connection.greet()
            finally:
                if connection.number == 2:
                    server.options["token"] = TOKEN  # The server has its port again.
                    taken.set()
        else:
            connection.serve()

    server = peer(script, tcp=True)
    with millrace.Loader(server.address, timeout=120) as loader:
        assert [batch.step for batch in loader] == list(range(10))
    assert taken.is_set() and len(server.connections) == 4 and [c.proved for c in server.connections] == [True, False, False, True]


def test_a_loader_that_finds_another_program_in_place_of_its_server_says_so(peer):
    def script(connection):
        if connection.number == 0:
            connection.serve(until=3)
            server.options["token"] = IMPOSTER
        else:
            connection.greet()

    server = peer(script, tcp=True)
    with millrace.Loader(server.address, timeout=1) as loader:
        for step in range(3):
            assert next(loader).step == step
        with pytest.raises(millrace.ConnectionLost, match="does not know the token.*another program has taken the address"):
            next(loader)
    assert {m[0] for m in server.received if m[0] in (PROOF, JOIN)} == {PROOF, JOIN} and len(server.of(PROOF)) == 1


def test_an_older_state_is_compared_by_the_settings_of_its_time():
    older = {"dataset.size": "9", "order.seed": "1"}
    newer = {**older, "dataset.format": "npy", "dataset.fields": "{}"}
    require_same(older, newer, "the state")
    require_same(newer, older, "the state")
    with pytest.raises(millrace.PlanDiffers, match="order.seed is '2', expected '1'"):
        require_same(older, {**newer, "order.seed": "2"}, "the state")
    with pytest.raises(millrace.PlanDiffers, match="dataset.fields is missing, expected '{}'") as raised:
        require_same(newer, {k: v for k, v in newer.items() if k != "dataset.fields"}, "the state")
    assert raised.value.keys == ("dataset.fields",)

"""The discovery of servers on a Flink cluster, and the end of a job there."""

import os
import threading
from pathlib import Path

import pytest

import millrace
from millrace._cluster import sentence

from .flink import JobManager
from .peer import ERROR, JOIN, REDIRECT, text_message


@pytest.fixture
def manager():
    with JobManager() as made:
        yield made


STACK = """org.apache.flink.runtime.JobException: Recovery is suppressed by NoRestartBackoffTimeStrategy
\tat org.apache.flink.runtime.executiongraph.failover.ExecutionFailureHandler.handleFailure(ExecutionFailureHandler.java:219)
Caused by: java.io.IOException: Could not perform checkpoint 3 for operator deliver (1/1)#0.
\tat org.apache.flink.streaming.runtime.tasks.StreamTask.triggerCheckpoint(StreamTask.java:1256)
\t... 13 more
Caused by: io.millrace.pack.QuarantineException: 12 samples are quarantined, more than max_quarantined allows:
  data/photos/a.jpg: not a JPEG
\tat io.millrace.pack.Packer.add(Packer.java:10)
\tSuppressed: java.io.IOException: while closing
"""


def test_the_sink_of_the_rank_is_found_and_asked_for_again_after_a_restart(manager, peer):
    def dying(connection):
        connection.serve(until=4)
        job["addresses"] = {"0": ["127.0.0.1:1"], "1": [moved.address]}

    servers = [peer(dying) for _ in range(2)]
    moved = peer(tcp=True)
    manager.add("other job", stage="Sink: print")
    job = manager.add(world=2, addresses={str(i): ["unix:/nowhere/else", s.address] for i, s in enumerate(servers)})
    with millrace.Loader(manager.url, rank=1, world=2, timeout=120) as loader:
        steps = [next(loader).step for _ in range(2)]
        assert loader.address == manager.url and not servers[0].connections
        steps += [batch.step for batch in loader]
        assert steps == list(range(10)) and loader.stats()["reconnects"] == 1
    assert moved.of(JOIN)[0][5]["rank"] == 1


def test_the_evaluation_is_found_in_the_same_job_and_then_in_the_one_that_takes_its_place(manager, peer):
    def dying(connection):
        connection.serve(until=4)
        job["state"] = "FINISHED"
        manager.add(addresses={"0": [server.address]}, evaluation={"0": [later.address]})

    server, first, later = peer(plan={"evaluation": True}), peer(dying), peer()
    job = manager.add(addresses={"0": [server.address]}, evaluation={"0": [first.address]})
    with millrace.Loader(manager.url, job="photos", timeout=120) as loader:
        assert next(loader).step == 0
        assert [batch.step for batch in loader.evaluation()] == list(range(10))
        assert next(loader).step == 1
    assert [one.of(JOIN)[0][5]["stream"] for one in (server, first, later)] == ["training", "evaluation", "evaluation"]


def test_a_loader_waits_as_long_as_the_job_starts(manager, peer, caplog):
    server = peer()
    job = manager.add(state="INITIALIZING", addresses=None, world=1)
    job["running"] = 0
    opened = []
    # Its timeout is shorter than the start of the job.
    thread = threading.Thread(target=lambda: opened.append(millrace.Loader(manager.url + "/", timeout=1.0)))
    thread.start()

    def seen(words):
        with caplog.handler.lock:
            return any(words in record.getMessage() for record in caplog.records)

    def wait_for(words):
        for _ in range(2000):
            if seen(words):
                return
            thread.join(0.01)
            assert thread.is_alive() or opened
        raise AssertionError(caplog.text)

    wait_for("it is INITIALIZING")
    job["state"] = "RUNNING"
    wait_for("0 of 1 sinks")
    job["running"] = 1
    wait_for("does not show the addresses of its sinks yet")
    job["addresses"] = {"0": [server.address]}
    thread.join(120)
    with opened[0] as loader:
        assert next(loader).step == 0


def test_several_jobs_need_a_choice(manager, peer):
    servers = [peer(), peer()]
    for server in servers:
        manager.add(addresses={"0": [server.address]})
    manager.jobs[1]["name"] = "millrace digits"
    manager.add("millrace photos", state="CANCELED")
    with pytest.raises(millrace.MillraceError, match=r"2 jobs at .*job=.*'millrace photos' \(0101.*'millrace digits' \(0202"):
        millrace.Loader(manager.url)
    for word, server in [("digits", 1), ("millrace photos", 0), ("0202", 1), ("01" * 16, 0)]:
        before = len(servers[server].connections)
        with millrace.Loader(manager.url, job=word) as loader:
            next(loader)
        assert len(servers[server].connections) == before + 1, word
    with pytest.raises(millrace.ConnectionLost, match="no job 'audio' at .* delivers batches; it has 'millrace photos'"):
        millrace.Loader(manager.url, job="audio", timeout=0.3)
    with pytest.raises(ValueError, match="job is for the address of a JobManager"):
        millrace.Loader(servers[0].address, job="photos")


def test_a_failed_job_raises_its_cause(manager, peer):
    server = peer(lambda c: c.serve(until=2))
    job = manager.add(addresses={"0": [server.address]})
    with millrace.Loader(manager.url) as loader:
        next(loader), next(loader)
        job.update(state="FAILED", stack=STACK)
        server.connections[0].hang_up()
        for _ in range(2):
            with pytest.raises(millrace.JobFailed, match=r"\(0101.* has failed: 12 samples are quar(?s:.*)a.jpg: not a JPEG$"):
                next(loader)
    with pytest.raises(millrace.JobFailed, match="quarantined"):
        millrace.Loader(manager.url)


def test_the_cause_of_a_failure_that_flink_shows_late_is_awaited(manager):
    manager.add(state="FAILED").update(stack=STACK, late=3)
    with pytest.raises(millrace.JobFailed, match="has failed: 12 samples are quarantined"):
        millrace.Loader(manager.url, timeout=0.1)
    assert sum("/exceptions" in path for path in manager.requests) == 4


def test_a_cancelled_job_ends_the_loop_at_once_and_a_stopped_one_is_waited_for(manager, peer):
    for state in ("CANCELED", "FINISHED"):
        server = peer(lambda c: c.serve(until=1))
        job = manager.add(addresses={"0": [server.address]})
        with millrace.Loader(manager.url, job=job["jid"], timeout=300 if state == "CANCELED" else 1.0) as loader:
            next(loader)
            job.update(state=state)
            server.connections[0].hang_up()
            if state == "FINISHED":
                with pytest.raises(millrace.ConnectionLost, match="within 1 s: .* FINISHED.*, has ended"):
                    next(loader)
                continue
            for _ in range(2):
                with pytest.raises(millrace.JobFailed, match=r"^the job 'millrace photos' \(0101.*\) was cancelled, in Flink's"):
                    next(loader)


def test_a_job_without_taskmanagers_ends_the_loop_with_its_last_failure(manager, peer, monkeypatch):
    monkeypatch.setattr("millrace._cluster._WITHOUT_MACHINES", 0.2)
    server = peer(lambda c: c.serve(until=1))
    job = manager.add(addresses={"0": [server.address]})
    with millrace.Loader(manager.url) as loader:
        next(loader)
        job.update(state="RESTARTING", running=0, stack="java.io.IOException: No space left on device\n\tat x\n")
        manager.machines = 0
        server.connections[0].hang_up()
        with pytest.raises(millrace.JobFailed, match="lost all TaskManagers: .* Its last failure: No space left on device$"):
            next(loader)


def test_jobs_that_have_ended_or_do_not_deliver_are_reported(manager):
    with pytest.raises(millrace.ConnectionLost, match="no job at .* delivers batches; it has no jobs"):
        millrace.Loader(manager.url, timeout=0.2)
    manager.add("train", stage="train")
    manager.add("millrace photos", state="CANCELED")
    with pytest.raises(millrace.ConnectionLost, match="the latest, 'millrace photos' .*CANCELED.* has ended"):
        millrace.Loader(manager.url, timeout=0.2)
    manager.add(world=2, addresses={})
    with pytest.raises(millrace.MillraceError, match="delivers to 2 ranks, which excludes rank 2"):
        millrace.Loader(manager.url, rank=2, world=3)


def test_what_is_no_job_manager_is_reported(manager, monkeypatch, peer):
    front = peer(lambda c: c.send(text_message(ERROR, {"code": "protocol", "message": "no HELLO"})), tcp=True)
    with pytest.raises(millrace.ConnectionLost, match="is not Flink's REST interface: BadStatusLine: ") as raised:
        millrace.Loader(f"http://{front.address}", timeout=0.2)
    assert str(raised.value).isprintable()
    for answer, words in [
        ((404, b"not here"), "answers with the status 404"),
        ((200, b"<html>"), "is not Flink's REST interface"),
        ((200, {"x": 1}), "does not answer as Flink's REST interface"),
        ((200, {"jobs": [{}]}), "does not answer as Flink's REST interface"),
        ((200, []), "answers list, expected an object"),
    ]:
        monkeypatch.setattr(manager, "answer", lambda path, answer=answer: answer)
        with pytest.raises(millrace.ConnectionLost, match=words):
            millrace.Loader(manager.url, timeout=0.2)
    for url in ("http://", "http://:8081", "http://host:x", "http://host:8081?a=b"):
        with pytest.raises(ValueError, match="is not the address of a JobManager"):
            millrace.Loader(url)


def test_the_job_behind_a_front_door_that_is_gone_is_asked(manager, peer):
    sinks = [peer(lambda c: c.serve(until=3)), peer(lambda c: c.serve(until=6))]
    for sink in sinks:
        sink.options["plan"] = {"web": manager.url, "run": "/runs/photos/1"}

    def door(connection):
        connection.greet()
        connection.send(text_message(REDIRECT, {"addresses": [sinks[0].address]}))
        connection.peer.stop_listening()

    manager.add("millrace photos")["folder"] = "/runs/photos/0"
    job = manager.add("millrace photos", addresses={"0": [sinks[1].address]})
    job["folder"] = "/runs/photos/1"
    front = peer(door, tcp=True)
    with millrace.Loader(front.address, timeout=120) as loader:
        assert not manager.requests
        for step in range(6):
            assert next(loader).step == step
        job.update(state="FAILED", stack=STACK)
        with pytest.raises(millrace.JobFailed, match="12 samples are quarantined"):
            next(loader)


def test_the_evaluation_behind_a_front_door_is_found_in_the_job_of_the_server_that_was_started_again(manager, peer):
    def redirect(connection):
        connection.greet()
        connection.send(text_message(REDIRECT, {"addresses": [targets.pop(0).address]}))
        if not targets:
            connection.peer.stop_listening()

    def dying(connection):
        connection.serve(until=3)
        old["state"] = "FAILED"

    before, after, later = peer(dying), peer(), peer()
    evaluated = peer(lambda connection: connection.serve(until=2))
    for number, sink in enumerate((before, after)):
        sink.options["plan"] = {"web": manager.url, "run": f"/runs/photos/{number}", "evaluation": True}
    old = manager.add("millrace photos", evaluation={"0": [evaluated.address]})
    old["folder"] = "/runs/photos/0"
    manager.add("millrace photos", evaluation={"0": [later.address]})["folder"] = "/runs/photos/1"
    targets = [before, evaluated, after]
    front = peer(redirect, tcp=True)
    with millrace.Loader(front.address, timeout=30) as loader:
        assert next(loader).step == 0
        assert next(iter(loader.evaluation())).step == 0
        for step in range(1, 6):
            assert next(loader).step == step
        assert [batch.step for batch in loader.evaluation()] == list(range(10))
    assert len(evaluated.of(JOIN)) == len(later.of(JOIN)) == 1


def test_the_sentence_of_a_stack_trace_is_the_one_that_millrace_prints():
    assert sentence(STACK).startswith("12 samples are quarantined, more than max_quarantined allows:\n  data/photos/a.jpg")
    wrapped = "java.lang.RuntimeException: java.io.IOException: disk full\n\tat a.B.c(B.java)\nCaused by: "
    wrapped += "java.io.IOException: disk full\n"
    assert sentence(wrapped) == "disk full"
    borrowed = "io.millrace.A: io.millrace.B: the disk\n\tat x\nCaused by: io.millrace.B: the disk\n\tat y\n"
    assert sentence(borrowed) == "the disk"
    assert sentence("java.nio.file.NoSuchFileException: /data/x\n\tat sun.nio.fs.X\n") == "NoSuchFileException: /data/x"
    assert sentence("java.lang.IllegalStateException: odd\n\tat x\nCaused by: java.lang.NullPointerException\n\tat y\n") == (
        "NullPointerException"
    )
    assert sentence("Flink does not know the cause") == "Flink does not know the cause"


def test_a_loopback_interface_of_another_machine_is_not_used(manager, peer):
    server = peer()
    own = Path("/proc/sys/kernel/random/boot_id").read_text().strip() + " " + os.readlink("/proc/self/ns/net")
    addresses = {"0": [server.address, "127.0.0.1:1"], "machines": {"0": {"name": "worker-1", "id": own}}}
    job = manager.add(addresses=addresses)
    with millrace.Loader(manager.url) as loader:
        assert next(loader).step == 0
    assert server.of(JOIN)[0][5]["machine"] == own
    addresses["machines"]["0"]["id"] = "another"
    with pytest.raises(millrace.ServerError, match="another machine, worker-1") as raised:
        millrace.Loader(manager.url)
    assert raised.value.code == "unreachable" and job["addresses"] is addresses

"""Processes that are forked from a trainer, like the workers of a DataLoader: they outlive it, and hold nothing of its loader."""

import os
import signal
import subprocess
import sys

import pytest

import millrace

from .test_failures import in_child
from .test_loader import check
from .test_package import ROOT, gone, launcher  # noqa: F401
from .test_tls import at, certificate, context  # noqa: F401

TRAINER = """
import os, sys
import millrace
loader = millrace.Loader(sys.argv[1], **eval(sys.argv[2]))
batch = next(loader)
if os.fork() == 0:
    print(os.getpid(), loader._session._child and loader._session._child.pid, flush=True)
    sys.stdin.read()  # The worker lives until the test ends it.
    os._exit(0)
else:
    sys.stdin.read()
"""

PATIENCE = 20
"""Seconds for which the end of a connection or a server is waited for, which comes at once, or two seconds later."""


@pytest.fixture
def orphan():
    """Returns a function that starts a trainer, kills it when it has forked a worker, and returns the worker's words."""
    alive = []

    def start(source, **options):
        command = [sys.executable, "-c", TRAINER, str(source), repr(options)]
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        alive.append(process)
        pid, server = process.stdout.readline().split()
        process.kill()
        assert process.wait() == -signal.SIGKILL
        os.kill(int(pid), 0)  # The worker lives.
        return int(pid), server

    yield start
    for process in alive:
        process.stdin.close()
        assert process.stdout.read() == ""  # The worker has ended.
        process.stdout.close()


def test_the_server_of_a_killed_trainer_ends_while_its_worker_lives(launcher, orphan):  # noqa: F811
    worker, server = orphan(launcher)
    try:
        handle = os.pidfd_open(int(server))
    except ProcessLookupError:
        pass  # It has ended already.
    else:
        import select

        ended = select.select([handle], [], [], PATIENCE)[0]
        os.close(handle)
        assert ended, "the server still runs"
    assert not gone(worker)


@pytest.mark.parametrize("kind", ["unix", "tcp", "tls", "ranks", "ranks over tls"])
def test_the_connection_of_a_killed_trainer_ends_while_its_worker_lives(peer, orphan, context, certificate, kind):  # noqa: F811
    tls = "tls" in kind
    server = peer(tcp=kind != "unix" and kind != "ranks", tls=context if tls else None)
    options = {"tls": str(certificate[0])} if tls else {}
    if "ranks" in kind:
        options.update(rank=1, world=2)
    worker, _ = orphan(at(server), **options)
    thread = server.connections[0].thread
    thread.join(PATIENCE)
    assert not thread.is_alive(), "the server does not see the end of its client"
    assert not gone(worker)


def test_a_server_gives_the_rank_of_a_killed_trainer_to_another_while_its_worker_lives(server, orphan):
    for address in (server.address, server.tcp):
        worker, _ = orphan(address, token=server.token)
        with millrace.Loader(server.address, timeout=120) as loader:
            assert next(loader).step == 0
        assert not gone(worker)


def sockets():
    """Returns the names of the sockets that this process has."""
    links = [f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd")]
    return {name for name in (os.readlink(link) for link in links if os.path.lexists(link)) if name.startswith("socket:")}


@pytest.mark.parametrize("tls", [False, True], ids=["unix", "tls"])
def test_a_fork_does_not_disturb_the_loader_of_its_parent(peer, context, certificate, tls):  # noqa: F811
    server = peer(tcp=tls, tls=context if tls else None, steps=20)
    before = sockets()
    with millrace.Loader(at(server), tls=certificate[0] if tls else None, rank=1, world=2) as loader:
        batch = next(loader)
        opened = sockets() - before
        # The server's end of the connection is in this process too, and stays open in a forked one.
        assert len(opened) > 1 and in_child(lambda: len(sockets() & opened)) == "1"
        assert in_child(lambda: check(batch, 0)) == "None"  # The memory of a batch stays readable.
        assert [one.step for one in loader] == list(range(1, 20))
        check(batch, 0)
        assert loader.stats()["reconnects"] == 0

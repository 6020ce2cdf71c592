import gc
import os
import shutil
import threading

import pytest

from . import peer as peers
from .server import LAUNCHER, Server


@pytest.fixture(autouse=True)
def nothing_left(request):
    """Fails a test that leaves file descriptors, threads or files in /dev/shm."""

    def found():
        own = peers.SHARED_PREFIX
        names = sorted(n for n in os.listdir("/dev/shm") if n.startswith(own)) if os.path.isdir("/dev/shm") else []
        return len(os.listdir("/proc/self/fd")), threading.active_count(), names

    gc.collect()
    gc.freeze()  # Otherwise each test would look at all objects of torch and JAX, which takes longer than most tests.
    before = found()
    known = set(threading.enumerate())
    yield
    gc.collect()
    for thread in set(threading.enumerate()) - known:
        thread.join(60)  # The threads of a scripted server may just be ending.
    after = found()
    if request.node.get_closest_marker("interrupts"):
        return  # A signal between a system call and the next line of Python may leak the call's result.
    assert after == before, "\n".join(open_files())


def open_files():
    folder = "/proc/self/fd/"
    return [os.readlink(folder + n) for n in os.listdir(folder) if os.path.lexists(folder + n)]


@pytest.fixture
def peer(tmp_path, monkeypatch):
    """Returns a function that starts scripted servers, which the fixture closes. Clients have their token."""
    made = []
    monkeypatch.setenv("MILLRACE_TOKEN", peers.TOKEN)

    def start(script=None, **options):
        made.append(peers.Peer(tmp_path, script, **options))
        return made[-1]

    yield start
    for one in made:
        one.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Returns a server of digits, a real process that all tests share. A test that receives the last batch must seek back."""
    if "MILLRACE_TEST_LAUNCHER" not in os.environ and shutil.which("java") is None:
        pytest.skip(f"{LAUNCHER} needs Java")
    started = Server(tmp_path_factory.mktemp("server"))
    yield started
    started.stop()

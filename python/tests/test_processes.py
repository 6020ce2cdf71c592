"""Clients and servers that do not share everything: another user, another container, memory that is not what it should be.

Programs run in processes of their own, with a real server. A test that needs root, or a namespace that this machine refuses, is
skipped.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import pytest

import millrace
from millrace import _handshake
from millrace._memory import Memfd

from .peer import TOKEN
from .server import LAUNCHER, ROOT, Server
from .test_tls import certificate, context  # noqa: F401

NOBODY = 65534
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
PID_NAMESPACE = ["unshare", "--pid", "--fork", "--mount-proc"]
CONTAINER = [*PID_NAMESPACE, "--mount", "sh", "-c", 'mount -t tmpfs -o size=64k tmpfs /dev/shm && exec "$@"', "sh"]


def requires(*command):
    """Skips the test on a machine where a command fails."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except OSError as e:
        pytest.skip(f"{command[0]} cannot be run: {e}")
    if done.returncode:
        pytest.skip(f"not permitted here: {' '.join(command[:6])}: {done.stdout.strip()[-200:]}")


def program(prefix, *arguments):
    """Runs `python -m millrace` with words before the command. Returns its exit code and its output."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [*prefix, sys.executable, "-m", "millrace", *arguments]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    return done.returncode, done.stdout


def left(pid):
    """Returns what a server has left: files in memory and folders of sockets, whose names have its process."""
    prefix = f"millrace-serve-{pid}-"
    return [f"{folder}/{name}" for folder in ("/dev/shm", "/tmp") for name in os.listdir(folder) if name.startswith(prefix)]


@pytest.fixture
def nothing_shared(server):
    """Fails a test after which a file of the server remains in /dev/shm."""
    yield
    # The server notices the end of a client that was refused a moment later.
    deadline = time.monotonic() + 10
    while [name for name in left(server.process.pid) if name.startswith("/dev/shm")] and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not [name for name in left(server.process.pid) if name.startswith("/dev/shm")]


def test_a_client_of_another_user_needs_the_token_and_shares_no_file(server, nothing_shared):
    requires(*AS_NOBODY, sys.executable, "-c", "import numpy")
    code, printed = program(AS_NOBODY, "check", server.address, "--timeout", "0.3")
    assert code == 1 and "Permission denied" in printed, printed
    code, printed = program(AS_NOBODY, "check", server.tcp)
    assert code == 1 and "the client has no token" in printed, printed
    code, printed = program(AS_NOBODY, "check", server.tcp, "--token", server.token)
    assert code == 0 and "memory: inline" in printed, printed
    code, printed = program(AS_NOBODY, "check", server.tcp, "--token", server.token, "--memory", "file")
    assert code == 1 and re.search("no kind of memory can be used .*Permission denied", printed), printed


@pytest.fixture
def folder_of_nobody():
    folder = tempfile.mkdtemp(dir="/tmp")  # Other users cannot enter those of pytest.
    if os.getuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    yield folder
    shutil.rmtree(folder)


def test_the_server_of_another_user_sends_batches_inline_with_the_reasons(server, folder_of_nobody):
    # Without root's rights but for reading Millrace's own files, which another user often cannot.
    prefix = [*AS_NOBODY, "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    requires(*prefix, LAUNCHER, "--version")
    own = Server(folder_of_nobody, prefix=prefix)
    try:
        with pytest.raises(millrace.ServerError, match="the client has no token"):
            millrace.Loader(own.address, timeout=120)
        with millrace.Loader(own.address, token=own.token, timeout=120) as loader, millrace.Loader(server.address) as other:
            for _ in range(20):
                assert next(loader).indexes.tolist() == next(other).indexes.tolist()
            memory = loader.stats()["memory"]
        assert memory["kind"] == "inline"
        assert "expected a client of the same user" in memory["reasons"]["memfd"]
        assert "is not a file that only this user may open" in memory["reasons"]["file"]
    finally:
        own.stop()
    assert not left(own.process.pid)


def test_a_client_in_another_pid_namespace_uses_a_file(server, nothing_shared):
    requires(*PID_NAMESPACE, "true")
    code, printed = program(PID_NAMESPACE, "check", server.address)
    assert code == 0 and "memory: file" in printed, printed
    assert re.search(r"not memfd: .*(expected a memfd|container)", printed), printed
    code, printed = program(PID_NAMESPACE, "bench", server.address, "--batches", "50")
    assert code == 0 and '"memory": "file"' in printed and '"batches": 50' in printed, printed


def test_a_client_in_another_container_receives_batches_inline(server, nothing_shared):
    requires(*CONTAINER, "true")
    code, printed = program(CONTAINER, "check", server.address)
    assert code == 0 and "memory: inline" in printed, printed
    assert "not memfd: " in printed and re.search("not file: .*No such file", printed), printed
    code, printed = program(CONTAINER, "bench", server.address, "--batches", "50")
    assert code == 0 and '"memory": "inline"' in printed and '"batches": 50' in printed, printed


class Truncated(Memfd):
    """Memory that is shorter than it should be."""

    def __init__(self, length):
        super().__init__(length - 4096)


class Unsealed(Memfd):
    """Memory that could become shorter while the server uses it."""

    def __init__(self, length):
        super().__init__(length)
        self._file.close()
        self._file = os.fdopen(os.memfd_create("millrace", os.MFD_CLOEXEC), "r+b", 0)
        os.ftruncate(self._file.fileno(), length)
        os.pwrite(self._file.fileno(), bytes.fromhex(self.nonce), 0)
        self.path = f"/proc/{os.getpid()}/fd/{self._file.fileno()}"


class Foreign(Memfd):
    """Memory of another process, which has the same name."""

    def __init__(self, length):
        super().__init__(length)
        self.nonce = "00" * 16


@pytest.fixture
def another_machine():
    """Returns the words before a command that runs on another machine, a network namespace, and this one's address for it."""
    requires("ip", "-V")
    pid = os.getpid()
    name, here, there = f"millrace-{pid}", f"mp{pid}", f"mq{pid}"
    subnet = f"10.{128 + pid // 256 % 64}.{pid % 256}"
    requires("ip", "netns", "add", name)
    try:
        for words in (
            f"link add {here} type veth peer name {there} netns {name}",
            f"addr add {subnet}.1/24 dev {here}",
            f"link set {here} up",
            f"-n {name} addr add {subnet}.2/24 dev {there}",
            f"-n {name} link set {there} up",
        ):
            requires("ip", *words.split())
        yield ["ip", "netns", "exec", name], f"{subnet}.1"
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)  # and with it both ends of the cable


def test_another_machine_needs_tls(another_machine, peer, context):  # noqa: F811
    prefix, host = another_machine
    received = []

    def listen(connection):
        while data := connection.socket.recv(65536):
            received.append(data)

    silent = peer(listen, tcp=host)
    code, printed = program(prefix, "check", silent.address, "--token", TOKEN, "--timeout", "2")
    assert code == 1 and "did not answer with TLS, so that others in the network could read and change the batches" in printed, printed
    for connection in silent.connections:
        connection.thread.join(120)
    # The client has only asked for TLS.
    assert len(silent.connections) == 2 and TOKEN.encode() not in b"".join(received) and received[0][:1] == b"\x16"
    secure = peer(tcp=host, tls=context)
    code, printed = program(prefix, "check", secure.address, "--token", TOKEN)
    assert code == 1 and "requires TLS: pass tls=True" in printed, printed
    insecure = peer(tcp=host)
    code, printed = program(prefix, "check", insecure.address, "--token", TOKEN, "--insecure")
    assert code == 0 and insecure.connections[0].proved, printed
    # An address of this machine is no network.
    with millrace.Loader(insecure.address, token=TOKEN):
        assert insecure.connections[-1].proved


WRONG_MEMORY = [
    (Truncated, "has [0-9]+ bytes: expected at least"),
    (Unsealed, "can be made shorter: expected a memfd that is sealed"),
    (Foreign, "begins with other bytes than the client's nonce"),
]


@pytest.mark.parametrize(("wrong", "reason"), WRONG_MEMORY)
def test_memory_that_is_not_the_clients_is_refused_and_a_file_is_used(server, nothing_shared, monkeypatch, wrong, reason):
    monkeypatch.setattr(_handshake, "Memfd", wrong)
    with millrace.Loader(server.address, timeout=120) as loader:
        assert [next(loader).step for _ in range(20)] == list(range(20))
        memory = loader.stats()["memory"]
    assert memory["kind"] == "file" and re.search(reason, memory["reasons"]["memfd"]), memory


# The first bad photo is the thirteenth, so that the job fails while it makes the second batch, however little it reads ahead.
FAILING = """\
name: failing
dataset:
  format: folder
  path: {folder}/photos
  generate: {{ photos: {{ count: 48, size: 96x72, classes: 4, bad: 20 }} }}
  epochs: 50
transforms: [ decode, Resize: {{ size: [24, 24] }} ]
batch: {{ size: 8, max_quarantined: 0 }}
run: {{ folder: {folder}/runs, web_port: 0 }}
"""


@pytest.fixture
def failing(tmp_path):
    pipeline = tmp_path / "failing.yaml"
    pipeline.write_text(FAILING.format(folder=tmp_path))
    return pipeline


def test_a_job_that_fails_is_raised_with_its_sentence(failing):
    with millrace.Loader(failing, millrace=LAUNCHER) as loader:
        child = loader._session._child
        with pytest.raises(millrace.JobFailed, match="quarantine"):
            for _ in loader:
                pass
    assert child._process.poll() is not None and not os.path.exists(child._folder)
    assert not left(child.pid)


def test_a_loop_that_is_busy_while_the_job_fails_hears_the_sentence(tmp_path, failing):
    own = Server(tmp_path, pipeline=failing)
    try:
        with millrace.Loader(own.address, timeout=120) as loader:
            with pytest.raises(millrace.JobFailed, match="quarantine"):
                for batch in loader:  # Not even one, if the job fails before it has made a batch.
                    if batch.step > 0:
                        continue
                    while "waits   at most" not in own.log():
                        with pytest.raises(subprocess.TimeoutExpired):
                            own.process.wait(0.05)
                    with pytest.raises(subprocess.TimeoutExpired):
                        own.process.wait(3)
        assert own.process.wait(120) == 1
    finally:
        own.stop()
    assert not left(own.process.pid)

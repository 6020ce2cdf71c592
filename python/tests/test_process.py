"""The ends of programs that use a loader. Each program is a process of its own, with a scripted server as its child."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .test_package import ROOT, launcher  # noqa: F401

START = """
import json, os, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for programs in the background
import millrace
loader = millrace.Loader(sys.argv[1])
child = loader._session._child
print(json.dumps([child.pid, child._folder]), flush=True)
sys.stdin.readline()
batch = next(loader)
"""


@pytest.fixture
def program(launcher):  # noqa: F811
    """Returns a function that runs lines after START, and returns (exit code, standard output, standard error)."""

    def run(lines, send=None):
        command = [sys.executable, "-c", START + lines, str(launcher)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, cwd=ROOT, start_new_session=True, **pipes) as process:
            pid, folder = json.loads(process.stdout.readline())
            handle = os.pidfd_open(pid)
            try:
                process.stdin.write("\n")
                process.stdin.flush()
                if send is not None:
                    assert process.stdout.readline() == "now\n"
                    process.send_signal(send)
                out, err = process.communicate()
                with pytest.raises(ProcessLookupError):
                    signal.pidfd_send_signal(handle, 0)
            finally:
                os.close(handle)
                process.kill()
        assert not Path(folder).exists(), os.listdir(folder)
        assert not [n for n in os.listdir("/dev/shm") if n.startswith(f"millrace-test-{pid}-")]
        return process.returncode, out, err

    return run


LOOP = """
for batch in loader:
    if batch.step == 5:
        print("now", flush=True)
        while True:
            pass  # The loop computes.
"""

WAIT = """
loader.seek(9)
list(loader.steps())
# After the last batch, before the server sends anything: the loop waits for a batch that does not come.
loader._session.current.stream.header(lambda: None if print("now", flush=True) else None)
"""


@pytest.mark.parametrize(
    ("lines", "send", "code", "words"),
    [
        ("", None, 0, ""),
        ("sys.exit(3)", None, 3, ""),
        ("del loader, batch, child; print('gone', flush=True)", None, 0, ""),
        ("with loader: next(loader)", None, 0, ""),
        ("with loader: 1 / 0", None, 1, "ZeroDivisionError"),
        ("threading.Thread(target=lambda: list(loader)).start()", None, 0, ""),
        ("threading.Thread(target=lambda: threading.Event().wait(), daemon=True).start(); view = batch['image']", None, 0, ""),
        ("import gc; gc.disable(); loader.loader = loader", None, 0, ""),
        (LOOP, signal.SIGINT, -signal.SIGINT, "KeyboardInterrupt"),
        (WAIT, signal.SIGINT, -signal.SIGINT, "KeyboardInterrupt"),
        (f"try:{LOOP.replace(chr(10), chr(10) + ' ')}\nexcept KeyboardInterrupt: print(next(loader).step)", signal.SIGINT, 0, ""),
    ],
    ids=["open", "exit", "del", "with", "error", "thread", "daemon", "cycle", "interrupt", "interrupted wait", "caught"],
)
def test_no_end_of_a_program_leaves_anything(program, lines, send, code, words):
    ended, _, err = program(lines, send)
    assert ended == code, err
    assert words in err and ("Traceback" in err) == bool(words)

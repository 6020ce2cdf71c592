"""Notebooks: a real kernel, with real servers, that runs cells as Jupyter does."""

import base64
import os
import re
import signal
import threading
import time

import pytest

from .peer import SEEK, WAIT, text_message
from .server import LAUNCHER, PIPELINE, ROOT, settings

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

SECOND = 2.0
"""A second, on a machine whose cores other programs use, too."""

EXAMPLE = ROOT / "python" / "examples" / "notebook.ipynb"


@pytest.fixture(autouse=True)
def nothing_left():
    """Replaces the check for open files: the client of a kernel keeps sockets and threads."""


@pytest.fixture
def kernel(tmp_path, server, monkeypatch):
    """Returns an object that runs cells in a kernel. At its end, no server that the kernel started is left."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"))
    monkeypatch.setenv("MILLRACE_HOME", os.path.dirname(LAUNCHER))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    kernel = Kernel(tmp_path, server.folder)
    with kernel.client.setup_kernel():
        yield kernel
    kernel.require_no_server()


class Kernel:
    def __init__(self, folder, data):
        self.folder = folder
        self.given = [*settings(data), "run.web_port=0", f"run.folder={folder}/runs"]
        resources = {"metadata": {"path": str(folder)}}
        self.client = nbclient.NotebookClient(nbformat.v4.new_notebook(), timeout=240, resources=resources, kernel_name="python3")
        self.client.kernel_name = "python3"

    def run(self, source):
        """Runs a cell and returns its outputs."""
        cell = nbformat.v4.new_code_cell(source)
        self.client.nb.cells = [cell]
        self.client.allow_errors = True
        self.client.execute_cell(cell, 0)
        return cell.outputs

    def printed(self, source, stream="stdout"):
        """Runs a cell that may not fail, and returns what it prints."""
        outputs = self.run(source)
        assert not [one for one in outputs if one.output_type == "error"], outputs
        return "".join(one.text for one in outputs if one.output_type == "stream" and one.name == stream)

    def interrupted(self, source, reached):
        """Runs a cell, interrupts it when `reached` returns true, and returns the seconds until its end."""
        sent, ended = [], threading.Event()

        def interrupt():
            while not reached():
                if ended.wait(0.02):
                    return
            sent.append(time.monotonic())
            os.kill(self.pid, signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        outputs = self.run(source)
        now = time.monotonic()
        ended.set()
        thread.join()
        assert [one.ename for one in outputs if one.output_type == "error"] == ["KeyboardInterrupt"], outputs
        return now - sent[0]

    @property
    def pid(self):
        return self.client.km.provisioner.pid

    def start(self, **options):
        return f"loader = millrace.Loader({str(PIPELINE)!r}, settings={self.given!r}, **{options!r})\n"

    def servers(self):
        """Returns the processes of servers whose folder for temporary files is one of this kernel."""
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                words = open(f"/proc/{name}/cmdline", "rb").read().decode(errors="replace").split("\0")
            except OSError:
                continue  # It has ended meanwhile.
            if any(word.startswith(str(self.folder)) for word in words):
                found.append(int(name))
        return found

    def require_no_server(self):
        """The process that ends a server after a killed kernel needs a moment, and nothing announces its end."""
        for _ in range(600):
            left = [*self.servers(), *self.folder.glob("millrace-client-*")]
            if not left:
                return
            threading.Event().wait(0.05)
        raise AssertionError(f"processes and folders of {self.folder} are left: {left}")


def data(outputs, kind):
    return [one.data[kind] for one in outputs if one.output_type in ("execute_result", "display_data") and kind in one.data]


def test_a_loop_shows_its_progress_and_loader_batch_and_preview_show_what_they_are(kernel):
    kernel.printed("import millrace, os")
    shown = kernel.run(kernel.start() + "loader")
    (text,), (html,) = data(shown, "text/plain"), data(shown, "text/html")
    assert re.fullmatch(r"Loader\('.*digits.yaml', address='unix:.*', step=0, 100 batches per epoch, .*\)", text)
    assert "image=uint8[64, 28, 28, 1]" in text and "<td>uint8[64, 28, 28, 1]</td>" in html and "<td>100</td>" in html

    progress = kernel.printed("for batch in loader:\n    if batch.step == 49: break", "stderr")
    assert re.search(r"\repoch 0: +\d+%\|#* *\| \d+/100", progress) and "step" not in progress
    progress = kernel.printed("for batch in loader: pass", "stderr")
    assert re.search(r"epoch 1: 100%\|####################\| 100/100 \[\d\d:\d\d<00:00, [\d.]+ batches/s.*\]\s*\n$", progress)

    shown = kernel.run("batch")
    assert data(shown, "text/plain") == ["Batch(step=199, epoch=1, rows=64, label=int64[64], image=uint8[64, 28, 28, 1])"]
    assert "<td>199</td>" in data(shown, "text/html")[0]

    shown = kernel.run("picture = loader.preview(4, epoch=2)\npicture")
    (png,) = data(shown, "image/png")
    assert base64.b64decode(png).startswith(b"\x89PNG\r\n\x1a\n")
    assert data(shown, "text/plain")[0].startswith("Preview('") and "epoch 2" in data(shown, "text/plain")[0]
    assert kernel.printed("picture.save('sheet.png'); print(loader.step, next(iter(loader)).step)") == "200 200\n"
    assert (kernel.folder / "sheet.png").read_bytes() == base64.b64decode(png)
    assert kernel.printed("loader.close(); print(loader)").startswith("Loader('")


def test_a_cell_that_is_run_again_leaves_no_server_behind(kernel):
    kernel.printed("import millrace, os")
    shows = "print(loader._session._child.pid, flush=True)\n"
    endless = "def train(loader):\n    while True:\n        for batch in loader:\n            loader.seek(0)\n"
    loop = kernel.start() + shows + endless + f"open({str(kernel.folder / 'reached')!r}, 'w').close()\ntrain(loader)"
    seen = []
    for _ in range(3):  # Interrupts one cell after the other, which keeps the variables of the last one.
        assert kernel.interrupted(loop, (kernel.folder / "reached").exists) < SECOND
        (kernel.folder / "reached").unlink()
        seen.append(int(kernel.printed(shows)))
        kernel.run("loader")  # `Out` has it now.
        assert [os.path.exists(f"/proc/{pid}") for pid in seen] == [False] * (len(seen) - 1) + [True]
    # The loop goes on in the loader that was interrupted.
    assert kernel.printed("for batch in loader:\n    break\nprint(batch.step % 100)") == "0\n"


def test_an_interrupt_ends_the_start_of_a_server_and_a_preview_within_a_second(kernel):
    kernel.printed("import millrace, os")
    assert kernel.interrupted(kernel.start(), kernel.servers) < SECOND
    assert not kernel.servers()
    kernel.printed(kernel.start())
    (child,) = [int(kernel.printed("print(loader._session._child.pid)"))]
    before = set(kernel.servers())
    assert kernel.interrupted("loader.preview()", lambda: set(kernel.servers()) > before) < SECOND
    assert kernel.printed("print(next(loader).step)") == "0\n" and os.path.exists(f"/proc/{child}")
    # `close` waits for the report of the run, until it is interrupted.
    waits = "loader._session._child._process.terminate = lambda: signal.raise_signal(signal.SIGINT)\n"
    assert kernel.run(f"import signal\n{waits}loader.close()")[-1].ename == "KeyboardInterrupt"
    kernel.require_no_server()


def test_an_interrupt_ends_the_wait_for_a_batch_within_a_second(peer, kernel):
    def waits(connection):
        connection.handshake()
        connection.send(text_message(WAIT, {"reason": "decode is busy"}))
        while connection.step is None:
            connection.handle()
        connection.peer.ready.wait()
        connection.go_on()

    silent = peer(waits)
    silent.ready = threading.Event()
    kernel.printed(f"import millrace\nloader = millrace.Loader({silent.address!r})")
    assert kernel.interrupted("for batch in loader: pass", lambda: silent.of(SEEK)) < SECOND
    silent.ready.set()
    assert kernel.printed("for batch in loader: break\nprint(batch.step)") == "0\n"
    assert kernel.printed("loader.close()") == ""


def test_the_example_runs_as_it_is_and_an_ended_or_killed_kernel_leaves_no_server(tmp_path, server, kernel):
    folder = tmp_path / "python" / "examples"
    folder.mkdir(parents=True)
    (tmp_path / "conf").mkdir()
    small = re.sub("path: data/digits", f"path: {server.data}", PIPELINE.read_text())
    (tmp_path / "conf" / "digits.yaml").write_text(small)
    book = nbformat.read(EXAMPLE, as_version=4)
    codes = [cell for cell in book.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in codes)
    nbclient.NotebookClient(book, timeout=240, resources={"metadata": {"path": str(folder)}}).execute()
    first, sheet, look, training, _ = (cell.outputs for cell in codes)
    assert "100 batches per epoch" in data(first, "text/plain")[0]
    assert base64.b64decode(data(sheet, "image/png")[0]).startswith(b"\x89PNG")
    assert data(look, "text/plain")[0].startswith("Batch(step=0, epoch=0, rows=64, ")
    printed = "".join(one.text for one in training)
    assert "epoch 1: 100%|####################| 100/100 [" in printed and "evaluation: 100%|" in printed
    assert float(re.findall(r"epoch 1: accuracy ([\d.]+)%", printed)[0]) > 80
    kernel.require_no_server()

    kernel.printed("import millrace, os")
    kernel.printed(kernel.start() + "next(loader)")
    assert kernel.servers()
    os.kill(kernel.pid, signal.SIGKILL)
    kernel.require_no_server()

"""A real server for tests: `millrace serve` with digits, a process of its own."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PIPELINE = ROOT / "conf" / "digits.yaml"
LAUNCHER = os.environ.get("MILLRACE_TEST_LAUNCHER", str(ROOT / "millrace"))
TRAIN = 6400
EPOCHS = 5


def settings(folder):
    """Returns settings of the pipeline for small data in a folder, 100 steps per epoch."""
    generate = f"{{digits: {{train: {TRAIN}, test: 1000}}}}"
    data = [f"{dataset}={folder}/digits" for dataset in ("dataset.path", "evaluate.dataset.path")]
    return [*data, f"dataset.generate={generate}", f"dataset.epochs={EPOCHS}"]


class Server:
    """A server that ends with `stop`, or when a loader is closed after the last batch. Its log and its run are in `folder`.

    `prefix` are words before the command, for example `setpriv`. Another `pipeline` than that of digits has no settings.
    """

    def __init__(self, folder, *options, listen="127.0.0.1:0", prefix=(), pipeline=None):
        self.folder = Path(folder)
        self.data = self.folder / "digits"
        ready = self.folder / "ready.json"
        command = [*prefix, LAUNCHER, "serve", str(pipeline or PIPELINE), "--listen", listen, "--ready-file", str(ready)]
        for setting in () if pipeline else (*settings(folder), "run.web_port=0"):
            command += ["--set", setting]
        command += options
        with open(self.folder / "serve.log", "wb") as log:
            self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        while not ready.exists():
            try:
                self.process.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(f"the server ended with {self.process.returncode}:\n{self.log()}")
        found = json.loads(ready.read_text())
        self.address = next(a for a in found["addresses"] if a.startswith("unix:"))
        self.tcp = next(a for a in found["addresses"] if not a.startswith("unix:"))
        self.token = found["token"]

    def log(self):
        return (self.folder / "serve.log").read_text()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"the server does not end:\n{self.log()}") from None

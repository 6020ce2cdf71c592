"""The package that `pip install ./python` makes in a clone, in an environment of its own."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import numpy
import pytest

from .server import LAUNCHER, PIPELINE, settings
from .test_program import program

PYTHON = Path(__file__).resolve().parent.parent
COPIED = ("millrace", "build_backend", "pyproject.toml", "README.md")
USES = """
import sys, millrace
with millrace.Loader(sys.argv[1], settings=sys.argv[2:]) as loader:
    print(len(loader), loader.preview(1).png[1:4], millrace.__file__)
"""


def copied(folder):
    """Copies what pip needs of the folder `python` of this clone."""
    folder.mkdir(parents=True)
    for name in COPIED:
        if (PYTHON / name).is_dir():
            shutil.copytree(PYTHON / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(PYTHON / name, folder / name)
    return folder


@pytest.fixture
def installed(tmp_path):
    """Returns a function that installs a folder into an environment, and runs its programs."""
    pytest.importorskip("ensurepip")
    venv.create(tmp_path / "env", with_pip=True)
    home = tmp_path / "elsewhere"
    home.mkdir()
    unset = ("MILLRACE_HOME", "MILLRACE_STATE", "PYTHONPATH")
    environment = {key: value for key, value in os.environ.items() if key not in unset}
    environment["PYTHONPATH"] = str(Path(numpy.__file__).parent.parent)

    def run(name, *arguments, **variables):
        command = [str(tmp_path / "env" / "bin" / name), *map(str, arguments)]
        return subprocess.run(command, env={**environment, **variables}, capture_output=True, text=True, cwd=home)

    def install(folder):
        done = run("python", "-m", "pip", "install", "-v", "--no-index", "--no-deps", "--force-reinstall", folder)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    return install, run


def test_an_installed_client_finds_the_server_that_is_built_in_its_clone(installed, tmp_path):
    install, run = installed
    clone = tmp_path / "a clone"
    folder = copied(clone / "python")
    program(clone)
    (clone / "pom.xml").touch()
    # pip shows it with -v only.
    assert f"uses the server in {clone} when that is built: run {clone}/millrace --version" in install(folder)

    nothing = str(tmp_path / "nothing")
    failed = run("millrace", "train", PATH=nothing)
    assert failed.returncode == 1 and len(failed.stderr.splitlines()) == 1
    assert failed.stderr.startswith(
        f"millrace: the server was not found: this package has only the client, nothing is built in the clone {clone} from which"
        " it was installed, and the program"
    )
    assert f". Run {clone}/millrace --version, or install the wheel that has the server (docs/use/install.md)" in failed.stderr

    (clone / ".millrace" / "build").mkdir(parents=True)
    (clone / ".millrace" / "build" / "current").touch()
    found = run("millrace", "train", PATH=nothing)
    assert found.returncode == 0 and f'"{clone}/millrace", ["train"]' in found.stdout, found.stderr
    (clone / ".millrace" / "build" / "current").unlink()
    (clone / "jobs" / "target").mkdir(parents=True)
    (clone / "jobs" / "target" / "millrace-jobs-0.1.0.jar").touch()
    assert run("millrace", "train", PATH=nothing).returncode == 0

    clone.rename(tmp_path / "moved")
    failed = run("millrace", "train", PATH=nothing)
    assert f"the client, the clone {clone} from which it was installed is gone, and the program" in failed.stderr
    assert ". Install it again from the clone's new place, or install the wheel" in failed.stderr
    there = run("millrace", "train", PATH=nothing, MILLRACE_HOME=str(tmp_path / "moved"))
    assert f'"{tmp_path}/moved/millrace"' in there.stdout


def test_a_loader_of_an_installed_client_starts_the_server_of_its_clone(installed, tmp_path, server):
    install, run = installed
    clone = tmp_path / "clone"
    folder = copied(clone / "python")
    (clone / "pom.xml").touch()
    (clone / "millrace").write_text(f"#!/bin/sh\nexec '{LAUNCHER}' \"$@\"\n")
    (clone / "millrace").chmod(0o755)
    (clone / ".millrace" / "build").mkdir(parents=True)
    (clone / ".millrace" / "build" / "current").touch()
    install(folder)
    (tmp_path / "elsewhere" / "digits.yaml").write_text(PIPELINE.read_text())
    given = [*settings(server.folder), "run.web_port=0", f"run.folder={tmp_path}/runs"]
    done = run("python", "-c", USES, "digits.yaml", *given)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("100 b'PNG' ") and str(tmp_path / "env") in done.stdout


def test_a_package_from_elsewhere_has_the_client_alone(installed, tmp_path):
    install, run = installed
    assert "the client alone: set MILLRACE_HOME" in install(copied(tmp_path / "unpacked" / "python"))
    failed = run("millrace", "train", PATH=str(tmp_path / "nothing"))
    assert "this package has only the client, and the program" in failed.stderr and sys.prefix not in failed.stderr

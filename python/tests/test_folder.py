"""The folder for temporary files of a server's parent, and the deletion of those that killed programs have left."""

import logging
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import millrace
from millrace import _folder

from .test_package import ROOT, launcher  # noqa: F401

OWNER = "import sys; from millrace._folder import OwnedFolder; print(OwnedFolder().path, flush=True); sys.stdin.read()"


@pytest.fixture
def parent(tmp_path, monkeypatch):
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    monkeypatch.setenv("TMPDIR", str(place))
    return place


@pytest.fixture
def owner(parent):
    """Returns a function that starts a process with a folder, and returns both."""
    started = []

    def start():
        process = subprocess.Popen(
            [sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        started.append(process)
        return process, Path(process.stdout.readline().strip())

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_folders_of_killed_programs_are_deleted_at_a_later_start(parent, owner):
    killed, left = owner()
    _, used = owner()
    (left / "deep").mkdir()
    killed.kill()
    killed.wait()

    mine = _folder.OwnedFolder()
    another = _folder.OwnedFolder()

    assert not left.exists() and used.is_dir() and os.path.isdir(mine.path)
    assert os.stat(mine.path).st_mode & 0o777 == 0o700
    mine.delete()
    mine.delete()
    another.delete()
    assert sorted(os.listdir(parent)) == [used.name, used.name + ".lock"]


def test_links_and_other_names_stay(parent, tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("precious")
    (parent / "millrace-client-1.lock").touch()
    (parent / "millrace-client-1").symlink_to(precious)
    (parent / "millrace-client-2.lock").symlink_to(precious / "file")
    (parent / "millrace-client-3.lock").touch()
    (parent / "millrace-client-3").mkdir()
    (parent / "millrace-client-3" / "link").symlink_to(precious)
    (parent / "millrace-client-notes.lock").touch()

    _folder.sweep(str(parent))

    assert (precious / "file").read_text() == "precious"
    assert sorted(os.listdir(parent)) == ["millrace-client-1", "millrace-client-2.lock", "millrace-client-notes.lock"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can create files of another user")
def test_files_of_another_user_stay(parent, caplog):
    for path in (parent / "millrace-client-1", parent / "millrace-client-2"):
        path.mkdir()
        lock = Path(f"{path}.lock")
        lock.touch()
        lock.chmod(0o666)
    os.chown(parent / "millrace-client-1", 65534, 65534)  # the lock is ours
    os.chown(parent / "millrace-client-2.lock", 65534, 65534)  # the folder is ours

    _folder.OwnedFolder().delete()

    assert sorted(os.listdir(parent)) == ["millrace-client-1", "millrace-client-2", "millrace-client-2.lock"]
    assert not caplog.records


def test_a_folder_that_cannot_be_deleted_is_a_warning(parent, caplog, monkeypatch):
    (parent / "millrace-client-1.lock").touch()
    (parent / "millrace-client-1").mkdir()

    def denied(path):
        raise PermissionError(1, "Operation not permitted", path)

    monkeypatch.setattr("shutil.rmtree", denied)  # permissions do not stop root
    with caplog.at_level(logging.WARNING, "millrace"):
        _folder.sweep(str(parent))
    monkeypatch.undo()

    assert "cannot be deleted: [Errno 1] Operation not permitted" in caplog.text
    assert (parent / "millrace-client-1").is_dir()


def test_a_folder_that_somebody_else_created_is_not_used(parent, monkeypatch):
    (parent / "millrace-client-5").mkdir()
    (parent / "millrace-client-6.lock").symlink_to(parent / "millrace-client-7")
    numbers = iter([5, 6, 8])
    monkeypatch.setattr("secrets.randbits", lambda _: next(numbers))
    mine = _folder.OwnedFolder()
    assert os.path.basename(mine.path) == "millrace-client-8"
    mine.delete()
    assert sorted(os.listdir(parent)) == ["millrace-client-5", "millrace-client-6.lock"]


def test_a_start_deletes_what_a_program_has_left_that_was_killed_with_its_server(parent, launcher):  # noqa: F811
    code = f"import millrace, sys; l = millrace.Loader({str(launcher)!r}); c = l._session._child"
    code += "; print(c.pid, c._folder, flush=True); sys.stdin.read()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, **pipes) as process:
        pid, left = process.stdout.readline().split()
        os.killpg(int(pid), signal.SIGKILL)  # the server and the helper that would delete the folder
        process.kill()
    assert os.path.isdir(left) and os.path.exists(left + b".lock")

    with millrace.Loader(launcher) as loader:
        assert not os.path.exists(left) and not os.path.exists(left + b".lock")
        assert os.path.isdir(loader._session._child._folder)
    assert not [name for name in os.listdir(parent) if name.startswith("millrace-client-")]

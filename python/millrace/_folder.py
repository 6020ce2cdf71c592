"""A folder for temporary files that does not outlive its process for long.

The rules are those of the server (`io.millrace.file.OwnedFolder`), so that each deletes what the other has left: a lock beside the
folder shows that the process lives, and a later start deletes the folders whose lock nobody holds.
"""

import fcntl
import logging
import os
import re
import secrets
import shutil
import stat
import tempfile
from contextlib import suppress
from typing import Optional, Set

_log = logging.getLogger("millrace")

_PREFIX = "millrace-client-"
_LOCK = ".lock"
_NAME = re.compile(re.escape(_PREFIX) + r"\d+" + re.escape(_LOCK))

_ATTEMPTS = 20

_own: Set[str] = set()
"""The names of the locks of this process. They must not be opened again: closing them would release the lock."""


class OwnedFolder:
    """A folder that only this user may enter. A process that is forked from this one does not own it."""

    def __init__(self) -> None:
        """Deletes the folders of clients that were killed, and creates a folder. The caller deletes it."""
        parent = os.path.abspath(tempfile.gettempdir())
        sweep(parent)
        for _ in range(_ATTEMPTS):
            self.path = os.path.join(parent, f"{_PREFIX}{secrets.randbits(63)}")
            self._lock: Optional[int] = _create(self.path)
            if self._lock is not None:
                return
        raise FileExistsError(
            f"cannot create a folder {_PREFIX}... in {parent}: {_ATTEMPTS} times another program created or deleted a file of the"
            " same name at once"
        )

    def delete(self) -> None:
        """Deletes the folder with its content. Deleting again does nothing."""
        if self._lock is not None:
            shutil.rmtree(self.path, ignore_errors=True)
            with suppress(FileNotFoundError):
                os.unlink(self.path + _LOCK)
            os.close(self._lock)
            self._lock = None
            _own.discard(os.path.basename(self.path) + _LOCK)


def _create(path: str) -> Optional[int]:
    """Creates a folder and its lock. Returns the lock, or None if another program has the name or has deleted the lock."""
    name = os.path.basename(path) + _LOCK
    _own.add(name)
    try:
        lock = os.open(path + _LOCK, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_RDWR, 0o600)
    except FileExistsError:
        _own.discard(name)
        return None
    try:
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.stat(path + _LOCK, follow_symlinks=False)  # a sweep may have deleted it before it was locked
        os.mkdir(path, 0o700)
    except (BlockingIOError, FileNotFoundError, FileExistsError):
        _discard(lock, path)
        return None
    except BaseException:
        _discard(lock, path)
        raise
    return lock


def _discard(lock: int, path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path + _LOCK)
    os.close(lock)
    _own.discard(os.path.basename(path) + _LOCK)


def sweep(parent: str) -> None:
    """Deletes the folders of this user's clients that were killed. Files of other users and links stay."""
    try:
        names = os.listdir(parent)
    except OSError as e:
        _log.warning("the folders of programs that have ended cannot be searched: %s", e)
        return
    for name in names:
        if _NAME.fullmatch(name) and name not in _own:
            try:
                _delete_if_left(os.path.join(parent, name))
            except FileNotFoundError:
                continue  # another process has deleted it
            except OSError as e:
                _log.warning("the folder of a program that has ended cannot be deleted: %s", e)


def _delete_if_left(path: str) -> None:
    if not _is_own(path, stat.S_IFREG):
        return
    lock = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        folder = path[: -len(_LOCK)]
        with suppress(FileNotFoundError):
            if _is_own(folder, stat.S_IFDIR):
                shutil.rmtree(folder)  # deletes links, and not what they lead to
        os.unlink(path)
    except BlockingIOError:
        return  # its process lives
    finally:
        os.close(lock)


def _is_own(path: str, kind: int) -> bool:
    """Returns whether a file is of this kind and belongs to this user. A link is of its own kind."""
    found = os.stat(path, follow_symlinks=False)
    return stat.S_IFMT(found.st_mode) == kind and found.st_uid == os.geteuid()

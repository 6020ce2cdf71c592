"""The memory that client and server share: a sealed memfd of the client's, or a file of the server's."""

import contextlib
import fcntl
import mmap
import os
import secrets
import stat
from typing import Any, Dict

from ._errors import ProtocolError
from ._machine import free_memory
from ._protocol import short, text

NONCE_BYTES = 16

# Python has these constants since 3.9 or later only.
_F_ADD_SEALS = getattr(fcntl, "F_ADD_SEALS", 1033)
_SEALS = 0x0001 | 0x0002 | 0x0004  # F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW


class Memfd:
    """Anonymous memory, mapped here, that another process of the same user opens under `path` until `close`.

    Raises OSError where the system has no memfd or not enough memory. Its length is sealed, because a mapping of a file that
    becomes shorter kills the process.
    """

    def __init__(self, length: int) -> None:
        if not hasattr(os, "memfd_create"):
            raise OSError("this system has no memfd_create")
        free = free_memory()
        if free is not None and length > free:
            # The system would not refuse it, but end this process or another one when the memory is used up.
            raise OSError(f"the buffers need {length} bytes of memory, and {free} are free: use fewer buffers or smaller batches")
        # A file object, because the garbage collector closes it, too, wherever a signal handler raises.
        self._file = os.fdopen(os.memfd_create("millrace", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING), "r+b", 0)
        with contextlib.ExitStack() as failed:
            failed.callback(self._file.close)
            fd = self._file.fileno()
            os.fchmod(fd, 0o600)
            os.ftruncate(fd, length)
            fcntl.fcntl(fd, _F_ADD_SEALS, _SEALS)
            os.posix_fallocate(fd, 0, length)
            self.map = mmap.mmap(fd, length)
            nonce = secrets.token_bytes(NONCE_BYTES)
            self.map[:NONCE_BYTES] = nonce
            failed.pop_all()
        self.nonce = nonce.hex()
        self.path = f"/proc/{os.getpid()}/fd/{fd}"

    def close(self) -> None:
        """Closes the file. The mapping stays, on both sides."""
        self._file.close()


def map_file(mapped: Dict[str, Any], length: int) -> mmap.mmap:
    """Maps the file of a MAPPED message, and deletes it.

    Raises OSError when it cannot be opened and mapped, or is not the file that the server means: a server must not be able to
    make a client change or delete another file, and the path may lead elsewhere in another container.
    """
    path, nonce = text(mapped, "path", "MAPPED"), text(mapped, "nonce", "MAPPED")
    if not os.path.isabs(path) or not path.isprintable():
        raise ProtocolError(f"MAPPED: the path is {short(path)}, expected an absolute path")
    fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
            raise OSError(f"{path} is not a file that only this user may open")
        if status.st_size < length:
            raise OSError(f"{path} has {status.st_size} bytes, expected {length}")
        if os.pread(fd, NONCE_BYTES, 0).hex() != nonce.lower():
            raise OSError(f"{path} does not begin with the server's nonce")
        made = mmap.mmap(fd, length)
        os.unlink(path)
        return made
    finally:
        os.close(fd)

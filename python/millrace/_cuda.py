"""Page-locked memory for CUDA, and copies to a GPU that hold their buffers until they are done."""

import logging
import mmap
import os
import weakref
from collections import deque
from typing import Any, Deque, Protocol, Sequence, Tuple, cast

import numpy as np

from ._buffers import Lent

_log = logging.getLogger("millrace")


class Event(Protocol):
    """A point in a stream of a GPU."""

    def query(self) -> bool:
        """Returns whether all work before the event is done."""

    def synchronize(self) -> None:
        """Waits until all work before the event is done."""


class Runtime(Protocol):
    """The functions of CUDA that are used here."""

    def register(self, address: int, length: int) -> None:
        """Page-locks memory. Raises RuntimeError."""

    def unregister(self, address: int) -> None:
        """Ends the page-locking. Raises RuntimeError."""

    def record(self, device: Any) -> Event:
        """Returns an event after all work of the current stream of a device."""


class TorchRuntime:
    """CUDA as torch offers it. Imports torch when created; raises RuntimeError without it and without a GPU."""

    def __init__(self) -> None:
        try:
            import torch
        except ImportError as e:
            raise RuntimeError(f"pin=True page-locks memory with torch, which cannot be imported: {e}") from e
        if not torch.cuda.is_available():
            raise RuntimeError("pin=True page-locks memory for a GPU, but torch finds no CUDA device: leave it out")
        self._cuda: Any = torch.cuda
        self._runtime: Any = self._cuda.cudart()

    def register(self, address: int, length: int) -> None:
        """See `Runtime`."""
        code = int(self._runtime.cudaHostRegister(address, length, 0))
        if code:
            raise RuntimeError(f"cudaHostRegister of {length} bytes failed with the error {code}")

    def unregister(self, address: int) -> None:
        """See `Runtime`."""
        code = int(self._runtime.cudaHostUnregister(address))
        if code:
            raise RuntimeError(f"cudaHostUnregister failed with the error {code}")

    def record(self, device: Any) -> Event:
        """See `Runtime`."""
        event: Any = self._cuda.Event()
        event.record(self._cuda.current_stream(device))
        return cast(Event, event)


class Transfers:
    """The copies to GPUs that are under way from one page-locked mapping.

    The thread that iterates calls all methods, except `begun`, which any thread may call.
    """

    def __init__(self, runtime: Runtime, memory: mmap.mmap) -> None:
        self.memory = Lent((len(memory),), np.dtype(np.uint8), memory)
        """The bytes of the mapping. The page-locking ends when this array and all views of it are gone."""
        self._runtime = runtime
        self._running: Deque[Tuple[Event, Sequence[Any]]] = deque()
        self._closed = False
        address = int(self.memory.ctypes.data)
        runtime.register(address, len(memory))
        # Before the mapping ends, which the array holds. At the end of the process the system does it.
        weakref.finalize(self.memory, _unregister, runtime, address, os.getpid()).atexit = False

    def begun(self, device: Any, sources: Sequence[Any]) -> None:
        """Keeps the sources of copies, and with them their buffer, until the copies are done."""
        event = self._runtime.record(device)
        self._running.append((event, sources))
        if self._closed:
            event.synchronize()  # The batch is of an earlier connection, and nobody settles its copies.

    def settle(self) -> bool:
        """Releases the sources of the copies that are done. Returns whether others are under way."""
        while self._running and self._running[0][0].query():
            self._running.popleft()
        return bool(self._running)

    def wait(self) -> bool:
        """Waits for the oldest copy and releases its sources. Returns False when no copy is under way."""
        if not self._running:
            return False
        self._running[0][0].synchronize()
        self._running.popleft()
        return True

    def close(self) -> None:
        """Waits for all copies, also after an error of CUDA in one of them, which it raises at the end."""
        self._closed = True
        failure = None
        while self._running:
            try:
                self.wait()
            except RuntimeError as e:
                failure = e
                self._running.popleft()  # CUDA does no more work after the error of a copy.
        if failure is not None:
            raise failure


def _unregister(runtime: Runtime, address: int, process: int) -> None:
    if os.getpid() != process:
        return  # A forked process does not have the GPU.
    try:
        runtime.unregister(address)
    except RuntimeError as e:
        _log.warning("memory stays page-locked: %s", str(e))

"""Page-locked memory for CUDA, and copies to a GPU that hold their buffers until they are done."""

import logging
import mmap
import os
import threading
import weakref
from collections import deque
from typing import Any, Deque, Optional, Protocol, Sequence, Tuple, cast

import numpy as np

from ._buffers import Lent
from ._machine import locked_limit

_log = logging.getLogger("millrace")


class Event(Protocol):
    """A point in a stream of a GPU."""

    def query(self) -> bool:
        """Returns whether all work before the event is done."""

    def synchronize(self) -> None:
        """Waits until all work before the event is done."""


class Runtime(Protocol):
    """The functions of CUDA that are used here. Devices are numbers, from 0."""

    def device(self, wanted: Any) -> int:
        """Returns the number of a CUDA device of torch, by default the current one of this thread."""

    def register(self, device: int, address: int, length: int) -> None:
        """Page-locks memory, in the context of a device. Raises RuntimeError."""

    def unregister(self, device: int, address: int) -> None:
        """Ends the page-locking. Raises RuntimeError."""

    def record(self, device: int) -> Event:
        """Returns an event after all work of this thread's current stream of a device."""


class TorchRuntime:
    """CUDA as torch offers it. Imports torch when created; without a GPU, torch raises the error of any use of one."""

    def __init__(self) -> None:
        import torch

        self._torch: Any = torch
        self._cuda: Any = torch.cuda
        self._runtime: Any = self._cuda.cudart()

    def device(self, wanted: Any) -> int:
        """See `Runtime`."""
        index = None if wanted is None else self._torch.device(wanted).index
        return int(self._cuda.current_device() if index is None else index)

    def register(self, device: int, address: int, length: int) -> None:
        """See `Runtime`."""
        # A thread begins with GPU 0, where the call would make a context that takes some hundred MB.
        with self._cuda.device(device):
            self._require(self._runtime.cudaHostRegister(address, length, 0), f"cudaHostRegister of {length} bytes")

    def unregister(self, device: int, address: int) -> None:
        """See `Runtime`."""
        with self._cuda.device(device):
            self._require(self._runtime.cudaHostUnregister(address), "cudaHostUnregister")

    def _require(self, code: Any, call: str) -> None:
        if int(code):
            try:
                # CUDA keeps the error for the next check in this thread, and torch would raise it as that of another operation.
                self._torch.zeros((), device="cuda")
            except RuntimeError as e:
                _log.debug("the error of %s is cleared: %s", call, e)
            raise RuntimeError(f"{call} failed with the error {int(code)}")

    def record(self, device: int) -> Event:
        """See `Runtime`."""
        event: Any = self._cuda.Event(blocking=True)  # A wait without this uses a whole core.
        event.record(self._cuda.current_stream(device))
        return cast(Event, event)


def required_runtime() -> Runtime:
    """Returns CUDA. Raises RuntimeError without torch and without a GPU."""
    try:
        import torch
    except ImportError as e:
        raise RuntimeError(f"pin=True page-locks memory with torch, which cannot be imported: {e}") from e
    if not torch.cuda.is_available():
        raise RuntimeError("pin=True page-locks memory for a GPU, but torch finds no CUDA device: leave it out")
    return TorchRuntime()


class Pinning:
    """Whether a loader page-locks its buffers, for all of its connections.

    `required` page-locks at the start and raises RuntimeError when that fails. Otherwise it is done when the loop first copies to
    a GPU, so that a loop on the CPU does not use the GPU at all, and a failure is reported once.
    """

    def __init__(self, *, required: bool) -> None:
        self.required = required
        self.failed = False
        """Whether page-locking has failed, so that it is not tried again."""
        self._runtime: Optional[Runtime] = required_runtime() if required else None

    @property
    def runtime(self) -> Runtime:
        """CUDA, from the first use on."""
        if self._runtime is None:
            self._runtime = TorchRuntime()
        return self._runtime


class Transfers:
    """The copies to GPUs that are under way from one mapping.

    The thread that iterates calls all methods, except `lock` and `begun`, which any thread may call.
    """

    def __init__(self, pinning: Pinning, memory: mmap.mmap) -> None:
        self.memory = Lent((len(memory),), np.dtype(np.uint8), memory)
        """The bytes of the mapping. The page-locking ends when this array and all views of it are gone."""
        self.device: Optional[int] = None
        """The GPU for which the memory is page-locked, to which the loop has copied last; None without page-locking."""
        self._pinning = pinning
        self._locking = threading.Lock()
        self._running: Deque[Tuple[Event, Sequence[Any]]] = deque()
        self._closed = False

    def require(self) -> None:
        """Page-locks the memory for the current GPU. Raises RuntimeError."""
        self._lock(self._pinning.runtime.device(None))

    def lock(self, target: Any) -> bool:
        """Returns whether the memory is page-locked for copies to a CUDA device. The first call page-locks it."""
        pinning = self._pinning
        with self._locking:
            if pinning.failed:
                return False
            device = pinning.runtime.device(target)
            if self.device is None:
                try:
                    self._lock(device)
                except RuntimeError as e:
                    pinning.failed = True
                    _log.warning("copies to the GPU wait for their end: %s, or pass pin=False", str(e))
                    return False
            self.device = device
        return True

    def _lock(self, device: int) -> None:
        address, length = int(self.memory.ctypes.data), len(self.memory)
        runtime = self._pinning.runtime
        try:
            runtime.register(device, address, length)
        except RuntimeError as e:
            raise RuntimeError(
                f"the buffers cannot be page-locked ({e}; the limit of locked memory is {locked_limit()}): raise the limit"
                " (ulimit -l), use fewer buffers or smaller batches"
            ) from e
        self.device = device
        # Before the mapping ends, which the array holds. At the end of the process the system does it.
        weakref.finalize(self.memory, _unregister, runtime, device, address, os.getpid()).atexit = False

    def holds(self, address: int, length: int) -> bool:
        """Returns whether some bytes are within the memory."""
        start = int(self.memory.ctypes.data)
        return start <= address and address + length <= start + len(self.memory)

    def begun(self, sources: Sequence[Any]) -> None:
        """Keeps the sources of copies, and with them their buffer, until the copies on the current stream are done."""
        assert self.device is not None
        event = self._pinning.runtime.record(self.device)
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


def _unregister(runtime: Runtime, device: int, address: int, process: int) -> None:
    if os.getpid() != process:
        return  # A forked process does not have the GPU.
    try:
        runtime.unregister(device, address)
    except RuntimeError as e:
        _log.warning("memory stays page-locked: %s", str(e))

"""Page-locked memory for CUDA, and copies to a GPU that hold their slots until they are done."""

import mmap
from collections import deque
from typing import Any, Callable, Deque, List, Protocol, Sequence, Tuple, cast

import numpy as np


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
        """Ends the page-locking."""

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
        self._runtime.cudaHostUnregister(address)

    def record(self, device: Any) -> Event:
        """See `Runtime`."""
        event: Any = self._cuda.Event()
        event.record(self._cuda.current_stream(device))
        return cast(Event, event)


# Mappings that still had views when their loader was closed. They stay mapped, because memory must not be unmapped before its
# page-locking has ended.
_kept: List[mmap.mmap] = []


class Transfers:
    """The copies to GPUs that are under way from one page-locked mapping. Serves the thread that iterates."""

    def __init__(self, runtime: Runtime, memory: mmap.mmap) -> None:
        self._runtime = runtime
        self._memory = memory
        self._address = int(np.frombuffer(memory, np.uint8).ctypes.data)
        self._running: Deque[Tuple[Event, Sequence[Any]]] = deque()
        runtime.register(self._address, len(memory))

    def begun(self, device: Any, sources: Sequence[Any]) -> None:
        """Keeps the sources of copies, and with them their slot, until the copies are done."""
        self._running.append((self._runtime.record(device), sources))

    def settle(self) -> None:
        """Releases the sources of the copies that are done. Does not wait."""
        while self._running and self._running[0][0].query():
            self._running.popleft()

    def wait(self) -> bool:
        """Waits for the oldest copy and releases its sources. Returns False when no copy is under way."""
        if not self._running:
            return False
        self._running[0][0].synchronize()
        self._running.popleft()
        return True

    def close(self, lent: Callable[[], int]) -> None:
        """Waits for all copies and ends the page-locking, unless slots of the memory are still `lent`."""
        while self.wait():
            pass
        if lent():
            _kept.append(self._memory)
        else:
            self._runtime.unregister(self._address)

"""Page-locked memory for CUDA, and copies to a GPU that hold their buffers until they are done."""

import logging
import mmap
import os
import sys
import threading
import weakref
from contextlib import nullcontext
from typing import Any, Callable, ContextManager, Dict, NamedTuple, Optional, Protocol, Sequence, Tuple, cast

import numpy as np

from ._buffers import Lent
from ._machine import locked_limit
from ._running import Event, Running

_log = logging.getLogger("millrace")


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

    def beside(self, device: int) -> ContextManager[Any]:
        """Makes the stream of copies to a device the current one of this thread, until the context ends."""

    def follow(self, device: int, event: Event, tensors: Sequence[Any]) -> None:
        """Lets later work of this thread's current stream of a device begin after an event, and use tensors of another stream."""


class TorchRuntime:
    """CUDA as torch offers it. Imports torch when created; without a GPU, torch raises the error of any use of one."""

    def __init__(self) -> None:
        import torch

        self._torch: Any = torch
        self._cuda: Any = torch.cuda
        self._runtime: Any = self._cuda.cudart()
        self._streams: Dict[int, Any] = {}

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

    def beside(self, device: int) -> ContextManager[Any]:
        """See `Runtime`."""
        stream = self._streams.get(device)
        if stream is None:
            stream = self._streams[device] = self._cuda.Stream(device=device)
        return cast(ContextManager[Any], self._cuda.stream(stream))

    def follow(self, device: int, event: Event, tensors: Sequence[Any]) -> None:
        """See `Runtime`."""
        current = self._cuda.current_stream(device)
        current.wait_event(event)
        for tensor in tensors:
            tensor.record_stream(current)  # Torch uses its memory again after the work of both streams.


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
    """How a loader copies to a GPU, for all of its connections: whether it page-locks its buffers, and how far ahead it copies.

    `required` page-locks at the start and raises RuntimeError when that fails. Otherwise it is done when the loop first copies to
    a GPU, so that a loop on the CPU does not use the GPU at all, and a failure is reported once.
    """

    def __init__(self, *, required: bool, prefetch: int) -> None:
        self.required = required
        self.prefetch = prefetch
        """The number of batches that are copied before the loop asks for them, on a stream of copies; 0: on the loop's."""
        self.failed = False
        """Whether page-locking has failed, so that it is not tried again."""
        self._runtime: Optional[Runtime] = required_runtime() if required else None

    @property
    def runtime(self) -> Runtime:
        """CUDA, from the first use on."""
        if self._runtime is None:
            self._runtime = TorchRuntime()
        return self._runtime


class Request(NamedTuple):
    """What a loop has copied of a step: the device and the names of the fields."""

    step: int
    target: Any
    names: Tuple[str, ...]


class Transfers:
    """The copies to GPUs from one mapping. Any thread may call all methods. They add the copies to those that are under way."""

    def __init__(self, pinning: Pinning, memory: mmap.mmap, running: Running) -> None:
        self.memory = Lent((len(memory),), np.dtype(np.uint8), memory)
        """The bytes of the mapping. The page-locking ends when this array and all views of it are gone."""
        self.device: Optional[int] = None
        """The GPU in whose context the memory is page-locked; None without page-locking."""
        self.request: Optional[Request] = None
        """What the loop has copied last, which is copied ahead of the next batches."""
        self._pinning = pinning
        self._process = os.getpid()
        self._locking = threading.Lock()
        self._running = running
        self._used: Tuple[int, ...] = ()  # the GPUs to which the loop has copied, and the first one

    def require(self) -> None:
        """Page-locks the memory for the current GPU. Raises RuntimeError."""
        self._lock(self._pinning.runtime.device(None))

    def lock(self, target: Any) -> Optional[int]:
        """Returns the number of a CUDA device, for copies to which the memory is page-locked; None if it cannot be.

        The first call page-locks it.
        """
        pinning = self._pinning
        with self._locking:
            if self.device is None and pinning.failed:
                return None
            device = pinning.runtime.device(target)
            if self.device is None:
                try:
                    self._lock(device)
                except RuntimeError as e:
                    pinning.failed = True
                    _log.warning("copies to the GPU wait for their end: %s, or pass pin=False", str(e))
                    return None
        return device

    def _lock(self, device: int) -> None:
        address, length, limit = int(self.memory.ctypes.data), len(self.memory), locked_limit()
        runtime = self._pinning.runtime
        try:
            runtime.register(device, address, length)
        except RuntimeError as e:
            # The limit is that of the process itself. It probably does not apply to the driver, which locks memory in the kernel.
            advice = "" if limit == "unlimited" else ", or raise the limit (ulimit -l)"
            raise RuntimeError(
                f"the buffers cannot be page-locked ({e}; the limit of locked memory is {limit}):"
                f" use fewer buffers or smaller batches{advice}"
            ) from e
        self.device, self._used = device, (device,)
        # Before the mapping ends, which the array holds. At the end of the process the system does it.
        weakref.finalize(self.memory, _unregister, runtime, device, address, os.getpid()).atexit = False

    def holds(self, address: int, length: int) -> bool:
        """Returns whether some bytes are within the memory."""
        start = int(self.memory.ctypes.data)
        return start <= address and address + length <= start + len(self.memory)

    @property
    def prefetch(self) -> int:
        """The number of batches that are copied ahead."""
        return self._pinning.prefetch

    def asked(self, step: int, target: Any, names: Sequence[str]) -> None:
        """Notes which fields of a step the loop copies to a device, perhaps in several calls."""
        last = self.request
        earlier = () if last is None or (last.step, last.target) != (step, target) else last.names
        self.request = Request(step, target, tuple(dict.fromkeys((*earlier, *names))))

    def stop_prefetching(self, reason: str) -> None:
        """Copies no batch ahead any more, because one could not be. The loop copies it, and raises what fails then."""
        self._pinning.prefetch = 0
        _log.warning("batches are not copied to the GPU ahead any more: %s", reason)

    def beside(self, device: int) -> ContextManager[Any]:
        """Makes the stream of copies to a GPU the current one of this thread, if batches are copied ahead."""
        return self._pinning.runtime.beside(device) if self.prefetch else nullcontext()

    def follow(self, device: int, event: Event, tensors: Sequence[Any]) -> None:
        """Lets the current stream of a GPU use tensors that were copied on another stream before an event."""
        self._pinning.runtime.follow(device, event, tensors)

    def guard(self, lend: Callable[[], Lent]) -> bool:
        """Holds a buffer that the program no longer has until copies of its own on the current stream of each GPU are done.

        The GPUs are those to which the loop has copied. `lend` lends the buffer once more. Returns False when no GPU may
        read it. The last array may die in any thread.
        """
        if not self._used or os.getpid() != self._process or sys.is_finalizing():
            return False
        events = [self._pinning.runtime.record(device) for device in self._used]
        lent = lend()
        for event in events:
            self._running.add(event, [lent])
        return True

    def begun(self, device: int, sources: Sequence[Any]) -> Event:
        """Keeps the sources of copies, and with them their buffer, until the copies on the current stream of a GPU are done."""
        event = self._pinning.runtime.record(device)
        self._running.add(event, sources)
        with self._locking:
            if device not in self._used:
                self._used = (*self._used, device)
        return event


def _unregister(runtime: Runtime, device: int, address: int, process: int) -> None:
    if os.getpid() != process:
        return  # A forked process does not have the GPU.
    try:
        runtime.unregister(device, address)
    except RuntimeError as e:
        _log.warning("memory stays page-locked: %s", str(e))

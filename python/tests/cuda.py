"""A stand-in for the parts of torch.cuda that the client calls, with one stream whose work is done when a test says so."""

import contextlib
import ctypes
import mmap
import threading


class Cuda:
    """Replaces functions of torch. `failing` has the error of a call by its name; `work` are the copies that have not run yet.

    A copy reads its source when it runs, as a GPU does, and not when the program asks for it.
    """

    def __init__(self, torch, monkeypatch):
        self.registered = {}
        self.contexts = set()
        """The GPUs of which page-locking has made a context."""
        self.calls = []
        self.failing = {}
        self.work = []
        self.begun = self.done = 0
        self.while_waiting = lambda: None
        self._torch = torch
        self._to = torch.Tensor.to
        self._zeros = torch.zeros
        self.current = threading.local()
        """The current GPU of each thread, as `device`; 0 at first."""
        self.pinned = {}
        """Copies of torch in page-locked memory, by their addresses."""
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        monkeypatch.setattr(torch.cuda, "cudart", lambda: self)
        monkeypatch.setattr(torch.cuda, "current_device", lambda: getattr(self.current, "device", 0))
        monkeypatch.setattr(torch.cuda, "device", self._device)
        monkeypatch.setattr(torch.cuda, "current_stream", lambda device=None: self)
        monkeypatch.setattr(torch.cuda, "Event", lambda blocking=False: Event(self, blocking))
        monkeypatch.setattr(torch.Tensor, "to", lambda tensor, *where, **how: self._copy(tensor, *where, **how))
        monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor: self._pin_memory(tensor))
        monkeypatch.setattr(torch, "zeros", self._zeros_of)

    @contextlib.contextmanager
    def _device(self, number):
        before = getattr(self.current, "device", 0)
        self.current.device = number
        try:
            yield
        finally:
            self.current.device = before

    def _zeros_of(self, *shape, device=None, **other):
        if device is None or self._torch.device(device).type != "cuda":
            return self._zeros(*shape, device=device, **other)
        self.check()
        return self._zeros(*shape, **other)

    def check(self):
        """Raises the pending error of this thread, as torch does after the start of a kernel."""
        code, self.current.pending = getattr(self.current, "pending", 0), 0
        if code:
            raise RuntimeError(f"CUDA error: {code}")

    def _pin_memory(self, tensor):
        self._call("pin_memory")
        made = tensor.clone()
        self.pinned[made.data_ptr()] = made
        return made

    def _call(self, name):
        self.calls.append(name)
        if name in self.failing:
            raise RuntimeError(f"CUDA error: {self.failing[name]}")

    def cudaHostRegister(self, address, length, flags):
        self.calls.append("register")
        self.contexts.add(getattr(self.current, "device", 0))
        if "register" in self.failing:
            self.current.pending = self.failing["register"]
            return self.current.pending
        assert address % mmap.PAGESIZE == 0 and flags == 0 and address not in self.registered
        self.registered[address] = length
        return 0

    def cudaHostUnregister(self, address):
        self.calls.append("unregister")
        self.contexts.add(getattr(self.current, "device", 0))
        del self.registered[address]
        self.current.pending = self.failing.get("unregister", 0)
        return self.current.pending

    def is_page_locked(self, address, length):
        return address in self.pinned or any(start <= address and address + length <= start + size for start, size in self.registered.items())

    def _copy(self, tensor, target=None, *, non_blocking=False, **other):
        if self._torch.device(target or "cpu").type != "cuda":
            return self._to(tensor, target, **other)
        self._call("copy")
        self.check()
        made = self._torch.full_like(tensor, 99)
        size = tensor.numel() * tensor.element_size()
        if non_blocking and self.is_page_locked(tensor.data_ptr(), size):
            self.begun += 1
            self.work.append((made, tensor.data_ptr(), size))
        else:
            made.copy_(tensor)
        return made

    def run(self, until=None):
        """Does the work of the stream, to its end or until a number of copies are done."""
        while self.work and (until is None or self.done < until):
            made, address, size = self.work.pop(0)
            assert self.is_page_locked(address, size), "the page-locking of memory ended before its copy"
            ctypes.memmove(made.data_ptr(), address, size)
            self.done += 1
            self.pinned.pop(address, None)


class Event:
    def __init__(self, cuda, blocking):
        assert blocking, "a wait for the event would use a core"
        self.cuda = cuda

    def record(self, stream):
        assert stream is self.cuda
        self.cuda._call("record")
        self.place = self.cuda.begun

    def query(self):
        self.cuda._call("query")
        return self.cuda.done >= self.place

    def synchronize(self):
        self.cuda._call("synchronize")
        self.cuda.while_waiting()
        self.cuda.run(self.place)

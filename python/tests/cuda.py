"""A stand-in for the parts of torch.cuda that the client calls, with one stream whose work is done when a test says so."""

import ctypes
import mmap


class Cuda:
    """Replaces functions of torch. `failing` has the error of a call by its name; `work` are the copies that have not run yet.

    A copy reads its source when it runs, as a GPU does, and not when the program asks for it.
    """

    def __init__(self, torch, monkeypatch):
        self.registered = {}
        self.calls = []
        self.failing = {}
        self.work = []
        self.begun = self.done = 0
        self.while_waiting = lambda: None
        self._torch = torch
        self._to = torch.Tensor.to
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        monkeypatch.setattr(torch.cuda, "cudart", lambda: self)
        monkeypatch.setattr(torch.cuda, "current_stream", lambda device=None: self)
        monkeypatch.setattr(torch.cuda, "Event", lambda: Event(self))
        monkeypatch.setattr(torch.Tensor, "to", lambda tensor, *where, **how: self._copy(tensor, *where, **how))

    def _call(self, name):
        self.calls.append(name)
        if name in self.failing:
            raise RuntimeError(f"CUDA error: {self.failing[name]}")

    def cudaHostRegister(self, address, length, flags):
        self.calls.append("register")
        if "register" in self.failing:
            return self.failing["register"]
        assert address % mmap.PAGESIZE == 0 and flags == 0 and address not in self.registered
        self.registered[address] = length
        return 0

    def cudaHostUnregister(self, address):
        self.calls.append("unregister")
        del self.registered[address]
        return self.failing.get("unregister", 0)

    def is_page_locked(self, address, length):
        return any(start <= address and address + length <= start + size for start, size in self.registered.items())

    def _copy(self, tensor, target=None, *, non_blocking=False, **other):
        if self._torch.device(target or "cpu").type != "cuda":
            return self._to(tensor, target, **other)
        self._call("copy")
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


class Event:
    def __init__(self, cuda):
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

"""A stand-in for the parts of torch.cuda that the client calls, whose streams do their work when a test says so."""

import contextlib
import ctypes
import mmap
import threading

COPY = 4
"""The milliseconds of a copy in the clock of the stand-in."""

GPUS = 4


class Cuda:
    """Replaces functions of torch. `failing` has the error of a call by its name; `work` are the copies that have not run yet.

    A copy reads its source when it runs, as a GPU does, and not when the program asks for it. Work takes time in a clock of its
    own: a stream does one thing after another, and streams work at the same time.
    """

    def __init__(self, torch, monkeypatch):
        self.registered = {}
        self.contexts = set()
        """The GPUs of which page-locking has made a context."""
        self.calls = []
        self.failing = {}
        self.default = Stream(self, 0)
        self.defaults = {0: self.default}
        """The default streams of the GPUs that the program uses."""
        self.streams = [self.default]
        self.done = 0
        self.now = 0
        """The time of the program in ms, which passes while it waits for the GPU."""
        self.interrupted = False
        """Whether signal handlers raise at any time. Copies then run at once, because nobody knows of an interrupted one."""
        self.while_waiting = lambda: None
        self.current = threading.local()
        """The current GPU and stream of each thread, and its pending error."""
        self.pinned = {}
        """Copies of torch in page-locked memory, by their addresses."""
        self.recorded = []
        """The tensors whose memory torch keeps for a second stream."""
        self._torch = torch
        self._to = torch.Tensor.to
        self._zeros = torch.zeros
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: GPUS)
        monkeypatch.setattr(torch.cuda, "cudart", lambda: self)
        monkeypatch.setattr(torch.cuda, "current_device", lambda: self.device)
        monkeypatch.setattr(torch.cuda, "device", lambda number: self._during(device=number))
        monkeypatch.setattr(torch.cuda, "current_stream", self.stream_of)
        monkeypatch.setattr(torch.cuda, "Stream", lambda device=None: self._made(device))
        monkeypatch.setattr(torch.cuda, "stream", lambda stream: self._during(stream=stream, device=stream.device))
        monkeypatch.setattr(torch.cuda, "Event", lambda blocking=False: Event(self, blocking))
        self._on_gpu = {}
        self._copy_ = torch.Tensor.copy_
        monkeypatch.setattr(torch.Tensor, "copy_", lambda target, tensor: self._copy_on_gpu(target, tensor))
        monkeypatch.setattr(torch.Tensor, "to", lambda tensor, *where, **how: self._copy(tensor, *where, **how))
        monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor: self._pin_memory(tensor))
        monkeypatch.setattr(torch.Tensor, "record_stream", lambda tensor, stream: self.recorded.append(tensor))
        monkeypatch.setattr(torch, "zeros", self._zeros_of)

    @property
    def device(self):
        return getattr(self.current, "device", 0)

    def stream_of(self, device=None):
        """Returns the current stream of a GPU, by default of the current one."""
        number = device if device is None or isinstance(device, int) else self._torch.device(device).index
        number = self.device if number is None else number
        current = getattr(self.current, "stream", None)
        if current is not None and current.device == number:
            return current
        if number not in self.defaults:
            self.defaults[number] = self._made(number)
        return self.defaults[number]

    @property
    def work(self):
        return [copy for stream in self.streams for copy in stream.copies]

    def _made(self, device):
        number = self.device if device is None else device
        if number >= GPUS:
            raise RuntimeError("CUDA error: invalid device ordinal")
        self.streams.append(Stream(self, number))
        return self.streams[-1]

    @contextlib.contextmanager
    def _during(self, **values):
        before = dict(vars(self.current))
        vars(self.current).update(values)
        try:
            yield
        finally:
            for name in values:
                if name in before:
                    setattr(self.current, name, before[name])
                else:
                    delattr(self.current, name)

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
        self.contexts.add(self.device)
        if "register" in self.failing:
            self.current.pending = self.failing["register"]
            return self.current.pending
        assert address % mmap.PAGESIZE == 0 and flags == 0 and (self.interrupted or address not in self.registered)
        self.registered[address] = length
        return 0

    def cudaHostUnregister(self, address):
        self.calls.append("unregister")
        self.contexts.add(self.device)
        del self.registered[address]
        self.current.pending = self.failing.get("unregister", 0)
        return self.current.pending

    def is_page_locked(self, address, length):
        parts = [*self.registered.items(), *((start, made.nbytes) for start, made in self.pinned.items())]
        return any(start <= address and address + length <= start + size for start, size in parts)

    def _copy(self, tensor, target=None, *, non_blocking=False, **other):
        if self._torch.device(target or "cpu").type != "cuda":
            return self._to(tensor, target, **other)
        self._call("copy")
        self.check()
        made = self._torch.full_like(tensor, 99)
        self._on_gpu[made.data_ptr()] = made
        self.copy_into(made, tensor, non_blocking, target)
        return made

    def _copy_on_gpu(self, target, tensor):
        if tensor.data_ptr() in self._on_gpu:
            self.step(0.1, lambda: self._copy_(target, tensor))  # When it runs, the tensor has what was copied before.
            return target
        return self._copy_(target, tensor)

    def copy_into(self, target, tensor, non_blocking=True, device=None):
        """Copies to a GPU as `target.copy_` does: on its current stream, and from page-locked memory later."""
        size = tensor.numel() * tensor.element_size()
        if non_blocking and not self.interrupted and self.is_page_locked(tensor.data_ptr(), size):
            self.stream_of(device).add(COPY, target, tensor.data_ptr(), size)
        else:
            self._copy_(target, tensor)

    def step(self, milliseconds, function=lambda: None):
        """Adds work to the current stream."""
        self.stream_of().add(milliseconds, function, lambda: False)

    def run(self, until=None):
        """Does the work of all streams, to its end or until a number of copies are done."""
        for stream in self.streams:
            while stream.queue and (until is None or self.done < until):
                stream.advance()

    def forget(self):
        for stream in self.streams:
            stream.queue.clear()


class Stream:
    def __init__(self, cuda, device):
        self.cuda = cuda
        self.device = device
        self.queue = []
        self.begun = self.done = self.clock = 0

    @property
    def copies(self):
        return [work for work in self.queue if len(work[2]) == 3]

    def add(self, milliseconds, *what):
        self.begun += 1
        self.queue.append((milliseconds, self.cuda.now, what))

    def advance(self):
        # The work leaves the queue at its end: a signal handler that raises in between would otherwise lose it, and a real stream
        # loses none.
        milliseconds, issued, what = self.queue[0]
        self.clock = max(self.clock, issued) + milliseconds
        if len(what) == 3:
            target, address, size = what
            assert self.cuda.is_page_locked(address, size), "the page-locking of memory ended before its copy"
            ctypes.memmove(target.data_ptr(), address, size)
            self.cuda.done += 1
            self.cuda.pinned.pop(address, None)
        else:
            what[0]()
        self.queue.pop(0)
        self.done += 1

    def run(self, until):
        while self.done < until:
            self.advance()

    def wait_event(self, event):
        assert self.cuda.interrupted or event.stream is not self, "a stream waits for itself"
        self.add(0, event.passed_by(self), event.query_quietly)


class Event:
    def __init__(self, cuda, blocking):
        assert blocking, "a wait for the event would use a core"
        self.cuda = cuda

    def record(self, stream):
        self.cuda._call("record")
        self.stream = stream
        stream.add(0, self._passes, lambda: True)

    def _passes(self):
        self.time = self.stream.clock

    @property
    def happened(self):
        return hasattr(self, "time")

    def passed_by(self, other):
        def wait():
            self._run()
            other.clock = max(other.clock, self.time)

        return wait

    def _run(self):
        while not self.happened:
            self.stream.advance()

    def query(self):
        self.cuda._call("query")
        return self.query_quietly()

    def query_quietly(self):
        # Marks that have nothing before them pass by themselves.
        while not self.happened and len(self.stream.queue[0][2]) == 2 and self.stream.queue[0][2][1]():
            self.stream.advance()
        return self.happened

    def synchronize(self):
        self.cuda._call("synchronize")
        self.cuda.while_waiting()
        self._run()
        self.cuda.now = max(self.cuda.now, self.time)

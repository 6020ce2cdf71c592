"""What the checks of client.py ask of a GPU: a real one, and the stand-in of the client's tests, whose copies run late."""

import contextlib
import time


class RealGpu:
    """The current CUDA device of torch."""

    real = True
    # The shapes of the checks: a batch of 256 pictures of 224 x 224, and the sizes of copies.
    slot_bytes = 256 * 224 * 224 * 3
    sizes = (1 << 16, 1 << 20, 8 << 20, 256 * 224 * 224 * 3, 256 << 20)
    cycles = None
    """The cycles of torch.cuda._sleep in one millisecond, after `calibrate`."""

    def __init__(self, torch):
        self._torch = torch
        if not torch.cuda.is_available():
            raise RuntimeError("torch finds no CUDA device: with --rehearse a stand-in takes its place")
        self.count = torch.cuda.device_count()

    def name(self):
        return self._torch.cuda.get_device_name(0)

    def calibrate(self):
        """Finds out how long the GPU is busy with a number of cycles."""
        cycles = 100_000_000
        self._torch.cuda._sleep(3 * cycles)  # An idle GPU first raises its clock.
        self.cycles = cycles / self.timed(lambda: self._torch.cuda._sleep(cycles))

    def busy(self, milliseconds):
        """Adds work to the current stream."""
        if self.cycles is None:
            self.calibrate()
        self._torch.cuda._sleep(int(milliseconds * self.cycles))

    def timed(self, function):
        """Returns the milliseconds of the work that a function adds to the current stream."""
        self.settle()
        began, ended = (self._torch.cuda.Event(enable_timing=True) for _ in range(2))
        began.record()
        function()
        ended.record()
        ended.synchronize()
        return began.elapsed_time(ended)

    def settle(self):
        """Waits for all work."""
        self._torch.cuda.synchronize()

    def let_copies_run(self):
        """Gives streams beside the current one the time for their work."""
        time.sleep(0.02)

    def step_is_under_way(self):
        """Returns whether the current stream has work."""
        return not self._torch.cuda.current_stream().query()

    def empty_like(self, tensor):
        return self._torch.empty_like(tensor, device="cuda")

    def copy(self, target, source):
        """Copies as a program does by itself."""
        target.copy_(source, non_blocking=True)

    def has_context(self, number):
        """Returns whether this process has a context on a GPU."""
        return bool(self._torch._C._cuda_hasPrimaryContext(number))

    def choose(self, number):
        self._torch.cuda.set_device(number)

    @contextlib.contextmanager
    def strict(self):
        """Lets calls raise RuntimeError that wait for the GPU."""
        self._torch.cuda.set_sync_debug_mode("error")
        try:
            yield
        finally:
            self._torch.cuda.set_sync_debug_mode("default")

    def refuse_registration(self):
        """Lets the page-locking of memory fail that is page-locked: CUDA refuses a second one by itself."""

    def allow_registration(self):
        """Ends `refuse_registration`."""

    def page_locked(self, tensor):
        """Returns a copy in memory that torch page-locks."""
        return tensor.pin_memory()

    def recover(self):
        """Forgets what a check has left that raised."""


class Patches:
    """What the stand-in needs of pytest's monkeypatch. Nothing is undone: the process ends with its checks."""

    def setattr(self, target, name, value):
        setattr(target, name, value)


class LateGpu:
    """The stand-in: tensors are on the CPU, and copies run when a check waits for them."""

    real = False
    slot_bytes = 1 << 16
    sizes = (1 << 12, 1 << 16)

    def __init__(self, torch):
        from tests.cuda import GPUS, Cuda

        self._torch = torch
        self.cuda = Cuda(torch, Patches())
        self.count = GPUS

    def name(self):
        return "a stand-in on the CPU"

    def busy(self, milliseconds):
        self.cuda.step(milliseconds)

    def timed(self, function):
        """Returns milliseconds in the clock of the stand-in."""
        self.settle()
        began = self.cuda.default.clock
        function()
        self.settle()
        return self.cuda.default.clock - began

    def settle(self):
        self.cuda.run()

    def let_copies_run(self):
        for stream in self.cuda.streams[1:]:
            stream.run(stream.begun)

    def step_is_under_way(self):
        return bool(self.cuda.default.queue)

    def empty_like(self, tensor):
        return self._torch.empty_like(tensor)

    def copy(self, target, source):
        self.cuda.copy_into(target, source)

    def has_context(self, number):
        return number in self.cuda.contexts

    def choose(self, number):
        self.cuda.current.device = number

    @contextlib.contextmanager
    def strict(self):
        copy_into = self.cuda.copy_into

        def checked(target, tensor, non_blocking=True, device=None):
            if not non_blocking or not self.cuda.is_page_locked(tensor.data_ptr(), tensor.numel() * tensor.element_size()):
                raise RuntimeError("called a synchronizing CUDA operation")
            copy_into(target, tensor, non_blocking, device)

        self.cuda.copy_into = checked
        try:
            yield
        finally:
            self.cuda.copy_into = copy_into

    def refuse_registration(self):
        self.cuda.failing["register"] = 712

    def allow_registration(self):
        del self.cuda.failing["register"]

    def page_locked(self, tensor):
        self.cuda.registered[tensor.data_ptr()] = tensor.nbytes  # The stand-in's pin_memory is for one copy.
        return tensor

    def recover(self):
        self.cuda.forget()
        self.cuda.failing.clear()

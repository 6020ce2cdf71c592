#!/usr/bin/env python3
"""Checks the copies of the Python client on a GPU, without a server of Millrace and without Java: python3 client.py [--rehearse].

It prints one line of JSON for each check: its name, whether it passed or why not, its seconds and its figures. Most checks have a
control, which breaks what the check looks for: if the control finds nothing wrong, the check proves nothing, and fails. The client
and its scripted server are in the folder `python` beside this script or, in a source tree, in that of the tree. With --rehearse the
stand-in of the client's tests takes the place of the GPU; its speeds and times mean nothing. The exit code is 0 if all checks
passed, 1 if one did not, and 2 if none could run.
"""

import argparse
import ctypes
import gc
import json
import mmap
import os
import resource
import shutil
import sys
import tempfile
import threading
import time
import traceback

from gpus import LateGpu, RealGpu

OWN = os.path.dirname(os.path.abspath(__file__))
COPIES = 48
SLOTS = 4
STEPS = 40
STEP_MS = 10
# The least speed of copies from the client's memory, as a share of that from torch's own page-locked memory.
LEAST_SHARE = 0.95
# The largest part of a step that a copy beside it may add.
MOST_ADDED = 0.02
TRANSFORMS = [
    {"name": "ToFloat", "field": "image", "mean": [0], "std": [255]},
    {"name": "OneHot", "field": "label", "classes": 10},
    {"name": "OneHot", "field": "mask", "classes": 2},
]


def python_folder():
    """Returns the folder with the client and its scripted server."""
    for folder in (os.path.join(OWN, "python"), os.path.join(os.path.dirname(os.path.dirname(OWN)), "python")):
        if os.path.isfile(os.path.join(folder, "millrace", "__init__.py")):
            return folder
    raise RuntimeError(f"expected the client in {os.path.join(OWN, 'python', 'millrace')}, found no such folder")


def verdict(figures, *requirements):
    """Returns the figures of a check with its result. A requirement is whether it holds, and the sentence of its failure."""
    reasons = [sentence for holds, sentence in requirements if not holds]
    return {"passed": not reasons, **({"reason": "; ".join(reasons)} if reasons else {}), **figures}


def in_thread(function):
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


# In this order: the first one needs a process that has no context on a GPU yet.
CHECKS = ("right_gpu", "facts", "registration", "late_copies", "speed", "no_wait", "registration_errors", "own_copies", "stream", "overlap",
          "waiting")


class Checks:
    """The checks. Each returns a verdict."""

    def __init__(self, gpu, folder):
        import numpy
        import torch

        import millrace
        from tests import peer

        self.gpu, self.folder = gpu, folder
        self.numpy, self.torch, self.millrace, self.scripted = numpy, torch, millrace, peer

    def transfers(self, prefetch=0, kind="memfd", size=None):
        """Returns page-locked memory as a connection has it."""
        from millrace._cuda import Pinning, Transfers
        from millrace._running import Running

        size = size or self.gpu.slot_bytes * SLOTS
        if kind == "memfd":
            fd = os.memfd_create("millrace-check")
        else:
            fd, path = tempfile.mkstemp(dir="/dev/shm")
            os.unlink(path)
        os.ftruncate(fd, size)
        memory = mmap.mmap(fd, size)
        os.close(fd)
        made = Transfers(Pinning(required=True, prefetch=prefetch), memory, Running())
        made.require()
        return made

    def bytes_of(self, transfers, size, place=0):
        """Returns a part of page-locked memory as a tensor, which keeps the page-locking."""
        return self.torch.from_numpy(self.numpy.asarray(transfers.memory[place : place + size]))

    def peer(self, script=None, **options):
        """Returns a server that fills a buffer as soon as it is returned."""
        return self.scripted.Peer(self.folder, script, **{"steps": COPIES, "shape": (32, 32, 3), **options})

    def expected(self, step):
        return self.scripted.expected(step, 4, (32, 32, 3))

    def wrong(self, made):
        """Returns how many of the pictures of consecutive steps are not those of their step."""
        self.gpu.settle()
        return sum(not self.numpy.array_equal(images.cpu().numpy(), self.expected(step)["image"]) for step, images in enumerate(made))

    def facts(self):
        torch = self.torch
        return verdict({
            "gpu": self.gpu.name(), "gpus": self.gpu.count, "torch": torch.__version__, "cuda": torch.version.cuda,
            "cores": os.cpu_count(), "locked_memory_limit": resource.getrlimit(resource.RLIMIT_MEMLOCK)[0],
        })

    def right_gpu(self):
        """After a lost connection, a thread of the client page-locks memory for the GPU of the loop, and not for GPU 0."""
        gpu, last = self.gpu, self.gpu.count - 1
        gpu.choose(last)

        def script(connection):
            connection.serve(until=3 if connection.number == 0 else None)

        with self.peer(script, steps=20) as server:
            with self.millrace.Loader(server.address, rank=1, world=2, pin=True) as loader:
                next(loader).torch("image", device="cuda")
                server.wait_for(lambda: len(server.of(self.scripted.MEMORY)) == 2)
                for batch in loader:
                    batch.torch("image", device="cuda")
                    del batch
                reconnects = loader.stats()["reconnects"]
        gpu.settle()
        contexts = [number for number in range(gpu.count) if gpu.has_context(number)]
        control = None
        if last:  # With one GPU there is no other one that could be taken.
            memory = mmap.mmap(-1, mmap.PAGESIZE)
            address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
            in_thread(lambda: self.torch.cuda.cudart().cudaHostRegister(address, mmap.PAGESIZE, 0))
            control = gpu.has_context(0)
            in_thread(lambda: self.torch.cuda.cudart().cudaHostUnregister(address))
        gpu.choose(0)
        return verdict(
            {"gpus": gpu.count, "gpu_of_the_loop": last, "contexts": contexts, "reconnects": reconnects, "context_of_the_control": control},
            (contexts == [last], f"expected a context on GPU {last} alone, found {contexts}"),
            (reconnects == 1, f"expected 1 reconnect, found {reconnects}"),
            (control is not False, "the control, which page-locks in a thread without choosing a GPU, made no context on GPU 0"),
        )

    def registration(self):
        figures, requirements = {}, []
        for kind in ("memfd", "file"):
            began = time.perf_counter()
            made = self.transfers(kind=kind)
            seconds = time.perf_counter() - began
            figures[kind + "_ms_per_gib"] = round(1e3 * seconds * (1 << 30) / len(made.memory), 1)
            if self.gpu.real:
                pinned = self.bytes_of(made, len(made.memory)).is_pinned()
                requirements.append((pinned, f"torch does not take the memory of a {kind} for page-locked"))
            del made
        return verdict(figures, *requirements)

    def reuse(self, waits):
        """Copies from slots that are filled again, as soon as a copy is done or, without `waits`, at once; returns wrong copies."""
        made, size = self.transfers(), self.gpu.slot_bytes
        slots = [self.bytes_of(made, size, place) for place in range(0, SLOTS * size, size)]
        ends, copies = [None] * SLOTS, []
        for number in range(COPIES):
            slot = number % SLOTS
            if waits and ends[slot] is not None:
                ends[slot].synchronize()
            slots[slot].fill_(number)
            self.gpu.busy(2 * STEP_MS)  # The step before, which takes longer than the filling: the copy runs late.
            copies.append(slots[slot].to("cuda", non_blocking=True))
            ends[slot] = made.begun(0, [slots[slot]])
        self.gpu.settle()
        return sum(bool((copy[:: size // 64] != number).any()) for number, copy in enumerate(copies))

    def late_copies(self):
        wrong, control = self.reuse(True), self.reuse(False)
        return verdict(
            {"copies": COPIES, "wrong": wrong, "wrong_in_the_control": control},
            (wrong == 0, f"{wrong} of {COPIES} copies have the bytes of a later batch"),
            (control > 0, "the control, which fills slots without a wait, gave no wrong copy"),
        )

    def speed(self):
        """GB/s by size, from the client's memory, torch's page-locked memory, and other memory."""
        torch, gpu, figures = self.torch, self.gpu, {}
        made = self.transfers(size=max(gpu.sizes))
        for size in gpu.sizes:
            sources = {"client": self.bytes_of(made, size), "torch": gpu.page_locked(torch.ones(size, dtype=torch.uint8)),
                       "pageable": torch.ones(size, dtype=torch.uint8)}
            figures[str(size)] = {name: self.rate(source) for name, source in sources.items()}
        largest = figures[str(max(gpu.sizes))]
        enough = not gpu.real or largest["client"] >= LEAST_SHARE * largest["torch"]
        return verdict({"gb_per_s": figures}, (enough, f"expected at least {LEAST_SHARE} of torch's speed, found {largest}"))

    def rate(self, source):
        """Returns the best GB/s of several rounds; None where the stand-in's clock does not move."""
        target, times, count = self.gpu.empty_like(source), [], 8

        def copies():
            for _ in range(count):
                self.gpu.copy(target, source)

        for _ in range(5):
            times.append(self.gpu.timed(copies))
        return round(count * source.numel() / min(times) / 1e6, 2) if min(times) else None

    def no_wait(self):
        """No call in a batch after the first waits for the GPU, while all calls that wait raise (point 1)."""
        transforms, names = (TRANSFORMS, ("image", "label", "mask")) if self.gpu.real else (TRANSFORMS[:1], ("image",))
        control, different = None, 0
        with self.peer(steps=20, plan={"transforms": transforms}) as server, self.millrace.Loader(server.address) as loader:
            for batch in loader:
                if batch.step == 0:
                    batch.torch(*names, device="cuda", transforms=True)
                    batch.torch("boxes", "words", device="cuda")
                    continue
                with self.gpu.strict():
                    made = batch.torch(*names, device="cuda", transforms=True)
                    batch.torch("boxes", "words", device="cuda")
                    try:
                        self.torch.ones(1 << 10).to("cuda")
                    except RuntimeError as e:
                        control = str(e).splitlines()[0]
                if self.gpu.real:  # The stand-in's copies run after the transforms.
                    wanted = batch.torch(*names, transforms=True)
                    different += not all(self.torch.equal(one, other.cpu()) for one, other in zip(wanted, made))
        return verdict(
            {"batches": 19, "different": different, "control": control},
            (different == 0, f"{different} batches differ from those on the CPU"),
            (control is not None, "the control, a copy that waits, raised nothing"),
        )

    def registration_errors(self):
        """A failed page-locking raises by itself, and leaves no error for the next work of torch (point 3)."""
        made, torch = self.transfers(), self.torch

        def next_work():
            try:
                torch.zeros((), device="cuda").add_(1)
                self.gpu.settle()
            except RuntimeError as e:
                return str(e).splitlines()[0]
            return None

        self.gpu.refuse_registration()
        raised = None
        try:
            made.require()
        except RuntimeError as e:
            raised = str(e)
        after = next_work()
        code = int(torch.cuda.cudart().cudaHostRegister(int(made.memory.ctypes.data), len(made.memory), 0))
        self.gpu.allow_registration()
        control = next_work()
        return verdict(
            {"raised": raised, "next_work": after, "code_of_the_control": code, "next_work_in_the_control": control},
            (raised is not None, "memory that is page-locked was page-locked once more without an error"),
            (after is None, f"the next work of torch raised the error: {after}"),
            (code != 0 and control is not None, "the control, which does not clear the error, left none for torch"),
        )

    def copied_by_the_program(self):
        """Returns how many copies are wrong that a program makes itself, without a wait, from the views of batches."""
        made = []
        with self.peer() as server, self.millrace.Loader(server.address, pin=True) as loader:
            for batch in loader:
                images = batch.torch("image")
                made.append(self.gpu.empty_like(images))
                self.gpu.busy(STEP_MS)
                batch.torch("label", device="cuda")
                self.gpu.copy(made[-1], images)
                del images, batch
            return self.wrong(made)

    def own_copies(self):
        """A buffer is held back while a copy of the program reads it (point 4)."""
        from millrace._cuda import Transfers

        wrong = self.copied_by_the_program()
        guard, Transfers.guard = Transfers.guard, lambda transfers, lend: False
        try:
            control = self.copied_by_the_program()
        finally:
            Transfers.guard = guard
        return verdict(
            {"copies": COPIES, "wrong": wrong, "wrong_in_the_control": control},
            (wrong == 0, f"{wrong} of {COPIES} copies have the bytes of a later batch"),
            (control > 0, "the control, which returns buffers at once, gave no wrong copy"),
        )

    def copied_ahead(self, prefetch):
        """Runs a loop. Returns the copies that were done while the step before was under way, wrong copies, and wrong states."""
        done = states = 0
        made = []
        with self.peer(steps=24) as server, self.millrace.Loader(server.address, prefetch=prefetch) as loader:
            for batch in loader:
                made.append(batch.torch("image", device="cuda"))
                states += loader.state_dict()["step"] != batch.step + 1
                self.gpu.busy(10 * STEP_MS)
                time.sleep(0.02)  # the rest of the program's step, shorter than the GPU's, in which the next batches arrive
                self.gpu.let_copies_run()
                ahead = [each._copied for each in loader._passes._receiver._ahead._queue if hasattr(each, "_copied")]
                done += sum(copied.event.query() for copied in ahead if copied) if self.gpu.step_is_under_way() else 0
                del batch, ahead
            return done, self.wrong(made), states

    def stream(self):
        """Copies run ahead on a stream of their own, and the state counts the batches of the loop alone (point 5)."""
        (done, wrong, states), (control, _, _) = self.copied_ahead(2), self.copied_ahead(0)
        return verdict(
            {"copies_beside_the_step": done, "wrong": wrong, "wrong_states": states, "copies_beside_the_step_in_the_control": control},
            (done > 0, "no copy was done while the step before was under way"),
            (wrong == 0, f"{wrong} batches have the bytes of another step"),
            (states == 0, f"{states} states count batches that the loop does not have"),
            (control == 0, f"the control, with prefetch=0, copied {control} batches beside the step"),
        )

    def step_ms(self, prefetch, copies=True):
        """Returns the milliseconds of a step of STEP_MS with a copy of the next batch behind or, with `prefetch`, beside it."""
        made = self.transfers(prefetch=prefetch)
        source = self.bytes_of(made, len(made.memory))

        def copy():
            with made.beside(0):
                return source.to("cuda", non_blocking=True), made.begun(0, [source])

        def steps():
            following = copy() if copies else None
            for _ in range(STEPS):
                current, following = following, copy() if copies else None
                if copies and prefetch:
                    made.follow(0, current[1], [current[0]])
                self.gpu.busy(STEP_MS)

        return round(self.gpu.timed(steps) / STEPS, 3)

    def overlap(self):
        """Steps with copies beside them take as long as those without copies; with copies behind them they take longer."""
        before, beside, behind, after = self.step_ms(0, copies=False), self.step_ms(2), self.step_ms(0), self.step_ms(0, copies=False)
        alone = max(before, after)  # The GPU's clock may change.
        first = behind - alone  # One copy precedes all steps, also on a stream of its own.
        return verdict(
            {"step_ms": [before, after], "beside_ms": beside, "behind_ms": behind, "bytes": SLOTS * self.gpu.slot_bytes},
            (beside <= alone * (1 + MOST_ADDED) + first / STEPS, f"a step of {alone} ms takes {beside} ms with copies beside it"),
            (behind > alone * (1 + 2 * MOST_ADDED), f"the control, with copies behind the step, takes {behind} ms"),
        )

    def waiting(self):
        """A wait for a copy leaves the core to others."""
        made, wall = self.transfers(), 10 * STEP_MS
        self.gpu.busy(wall)
        event = made.begun(0, [])
        began = time.process_time()
        event.synchronize()
        used = 1e3 * (time.process_time() - began)
        return verdict({"wait_ms": wall, "cpu_ms": round(used, 1)}, (used < wall / 2, f"a wait of {wall} ms used {used:.0f} ms of a core"))


def performed(check, gpu):
    """Runs a check and returns its line."""
    began = time.perf_counter()
    try:
        found = check()
    except Exception as e:  # A check that raises has failed, and the others run.
        at = traceback.extract_tb(e.__traceback__)[-1]
        message = str(e).splitlines()[0] if str(e) else ""
        found = {"passed": False, "reason": f"{type(e).__name__}: {message}", "at": f"{os.path.basename(at.filename)}:{at.lineno}"}
        gpu.recover()
    gc.collect()
    return {"check": check.__name__, "seconds": round(time.perf_counter() - began, 2), **found}


def main(arguments):
    parser = argparse.ArgumentParser(description="Checks the copies of the Python client on a GPU.")
    parser.add_argument("--rehearse", action="store_true", help="use the stand-in of the client's tests in place of a GPU")
    parser.add_argument("--only", choices=CHECKS, action="append", help="run this check; may be repeated")
    options = parser.parse_args(arguments)
    folder = tempfile.mkdtemp(prefix="millrace-client-")
    try:
        sys.path.insert(0, python_folder())
        import torch

        checks = Checks((LateGpu if options.rehearse else RealGpu)(torch), folder)
        os.environ["MILLRACE_TOKEN"] = checks.scripted.TOKEN
        passed = True
        for name in CHECKS:
            if not options.only or name in options.only:
                row = performed(getattr(checks, name), checks.gpu)
                passed = passed and row["passed"]
                print(json.dumps(row), flush=True)
        return 0 if passed else 1
    except ImportError as e:
        print(f"client.py: {e}: expected a Python with torch and numpy", file=sys.stderr)
    except RuntimeError as e:
        print(f"client.py: {e}", file=sys.stderr)
    finally:
        shutil.rmtree(folder)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The loader: the batches of a run, epoch by epoch."""

import logging
import os
import warnings
import weakref
from itertools import count
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Dict, Iterator, Mapping, NoReturn, Optional, Sequence, Tuple

from ._address import Address, PathLike, is_cluster, is_pipeline, read_token
from ._attributes import Sampler, Samples
from ._batch import Batch
from ._cluster import Cluster
from ._connection import MEMORY_KINDS, Connection, Delivery, End, Join, Wait
from ._cuda import Transfers
from ._epoch import Epoch
from ._errors import ConnectionLost, LoaderClosed, MillraceError, NoMoreEpochs, ProtocolError, ServerError
from ._launch import Child
from ._pass import First, Pass
from ._plan import MAX_SLOTS, Plan
from ._protocol import MAX_STEP, Header, Kind, message, parse_slot, short, visible, whole
from ._session import Session, Source, require_same, runtime_for
from ._slots import Slots
from ._stats import INTERVAL, Figures, Progress
from ._tls import Trust, context_for
from ._watch import Watch

if TYPE_CHECKING:
    from ._torch import LoaderDataset

STATE_VERSION = 1

_log = logging.getLogger("millrace")


def _at_once() -> Optional[float]:
    raise EOFError("the server closed the connection")


class Loader:
    """The batches of a Millrace run, in order, epoch by epoch as those of a DataLoader.

    `source` is a pipeline file, for which a server is started that ends with the loader; or the address of a running server,
    `host:port` or `unix:/path`; or `http://host:port`, the JobManager of the Flink cluster on which a job serves, which is asked
    for the place of this rank's server at each connection.

    A `for` over the loader is the next epoch, from its first batch to its last, and `len(loader)` is the number of batches of an
    epoch. After `load_state_dict` or `seek`, the first `for` is the rest of the epoch that they chose. After a `break`, the next
    `for` is the next epoch; with `repeat`, it is the same one. An iterator that is dropped before it has given two batches gives
    them again: a look at the first batch costs nothing. After the last of `dataset.epochs`, a `for` raises NoMoreEpochs.

    `steps()` iterates over the whole run, `epoch(n)` and `epochs()` over epochs by number, and `next(loader)` returns the next
    batch of the run.

    - `rank`, `world`: this trainer's number and the number of trainers. Each gets its rows of each global batch.
    - `token`: the server's token, 32 hex digits, or the path of a file that contains it, `serve.token` or the server's ready
      file; default: MILLRACE_TOKEN. TCP needs it.
    - `tls`: use TLS over TCP, and trust the system's certificates (True), or those in this file (PEM).
    - `insecure`: connect to another machine without TLS, as a server needs that was started with `--insecure`.
    - `job`: the job on the cluster, by its name, its id, or the beginning of its id, if several jobs serve.
    - `slots`: the number of batches in shared memory, 2 to 1024; default: what the server recommends, and at least 3.
    - `memory`: `memfd`, `file` or `inline`; `auto` uses the first of them that works.
    - `transforms`: `server` applies the pipeline's device.transforms on the server.
    - `pin`: page-lock the shared memory for CUDA, so that `batch.torch(device="cuda")` copies without waiting.
    - `verbose`: print a line on standard error every few seconds, and what a started server prints.
    - `timeout`: seconds for which a lost connection is tried again before ConnectionLost.
    - `settings`: keys of the pipeline, `["dataset.epochs=2"]`, for a server that is started here.
    - `copy`: copy every batch out of its slot.
    - `repeat`: each `for` is the same epoch, as for a validation set.
    - `millrace`: the path of Millrace's launcher, if it is neither in MILLRACE_HOME, above the pipeline's file, nor on the PATH.

    One thread iterates at a time; views of batches may be used and dropped in any thread. A loader belongs to the process that
    created it.
    """

    def __init__(
        self,
        source: PathLike,
        *,
        rank: int = 0,
        world: int = 1,
        token: Optional[PathLike] = None,
        tls: Trust = None,
        insecure: bool = False,
        job: Optional[str] = None,
        slots: Optional[int] = None,
        memory: str = "auto",
        transforms: str = "client",
        pin: bool = False,
        verbose: bool = False,
        timeout: float = 300.0,
        settings: Sequence[str] = (),
        copy: bool = False,
        repeat: bool = False,
        millrace: Optional[PathLike] = None,
    ) -> None:
        rank, world = whole(rank, "rank"), whole(world, "world")
        if world < 1:
            raise ValueError(f"world is {world}, expected at least 1")
        if not 0 <= rank < world:
            raise ValueError(f"rank is {rank}, expected a number from 0 to world - 1 = {world - 1}")
        slots = None if slots is None else whole(slots, "slots")
        if slots is not None and not 2 <= slots <= MAX_SLOTS:
            raise ValueError(f"slots is {slots}, expected a number from 2 to {MAX_SLOTS}")
        if memory != "auto" and memory not in MEMORY_KINDS:
            raise ValueError(f"memory is '{memory}', expected auto, {', '.join(MEMORY_KINDS)}")
        if transforms not in ("client", "server"):
            raise ValueError(f"transforms is '{transforms}', expected client or server")
        kinds = MEMORY_KINDS if memory == "auto" else (memory,)
        if not timeout >= 0:
            raise ValueError(f"timeout is {timeout}, expected seconds, at least 0")
        if isinstance(settings, str):
            raise TypeError(f"settings is '{settings}', expected a list of texts: ['{settings}']")
        context = context_for(tls)
        join = Join(rank, world, read_token(token), None, transforms, slots, kinds, context=context, insecure=insecure)
        runtime = runtime_for(pin)
        name = os.fspath(source)
        if job is not None and not is_cluster(name):
            raise ValueError(f"job is for the address of a JobManager, http://host:port, but the source is {name}")
        servers: Source
        if is_pipeline(source):
            if rank > 0:
                raise ValueError(
                    f"{name} would start another server for rank {rank}, but all ranks share one: give all ranks"
                    f" but rank 0 the address of its server, loader.address, or start one for all of them,"
                    f" ./millrace serve {name} --world {world}"
                )
            servers = Child(source, millrace, settings, world, verbose)
        else:
            servers = Cluster(name, rank, context, job) if is_cluster(name) else [Address.parse(one) for one in name.split(",")]
            if settings:
                raise ValueError(f"settings are for pipeline files, but {name} is the address of a server")
        self._session = Session(servers, join, timeout, runtime)
        self._close = weakref.finalize(self, self._session.close)
        self._source = name
        self._copy = copy
        self._repeat = repeat
        self._next = 0
        self._chosen = True  # Whether the next pass begins with the next step, and not with another epoch.
        self._stop = 0  # the step after the last one of the current pass
        self._following = 0  # the first step of the pass after the current one
        self._pass: Optional[weakref.ref[Pass]] = None
        self._first: Optional[First] = None  # while the current pass has given one batch
        self._continues = False  # Whether a batch has arrived since the program chose the step.
        self._streaming: Optional[Connection] = None
        self._ended = False
        self._failure: Optional[Exception] = None
        self._pending: Optional[Tuple[Optional[Connection], int, int, int]] = None
        self._handed = 0
        self._counted = (0, 0)  # the connection and the generation of the last batch
        self._copying = 0  # Nanoseconds of the current call for which copies to a GPU held all slots.
        self._warned = False
        self._figures = Figures()
        self._progress = Progress(self._figures) if verbose else None
        if world > 1:
            self._session.watch = Watch(weakref.WeakMethod(self._rejoin))
        try:
            self._session.connected()
        except BaseException:
            self.close()
            raise

    @property
    def plan(self) -> Plan:
        """What the server delivers: fields, sizes, epochs and steps."""
        return self._session.plan

    @property
    def address(self) -> str:
        """Where the server is found, for the loaders of other ranks: its addresses, or that of the cluster."""
        return self._session.address

    @property
    def step(self) -> int:
        """The next step: the number of steps that the loop has received, if it began with step 0."""
        self._settle()
        return self._next

    @property
    def batch_size(self) -> int:
        """The number of rows of a batch of this rank."""
        return self.plan.batch

    @property
    def dataset(self) -> Samples:
        """An object whose length is the number of samples."""
        return Samples(self)

    @property
    def sampler(self) -> Sampler:
        """An object with DistributedSampler's method `set_epoch`."""
        return Sampler(self)

    @property
    def batch_sampler(self) -> None:
        """None, as in a DataLoader whose batches are ready."""
        return None

    @property
    def num_workers(self) -> int:
        """0: the loader has no worker processes in this program."""
        return 0

    def __len__(self) -> int:
        return self.plan.steps_per_epoch

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Pass:
        self._session.require_open()
        self._start()
        return Pass(self)

    def __next__(self) -> Batch:
        batch = self._next_before(None)
        if batch is None:
            raise StopIteration
        return batch

    def _next_before(self, end: Optional[int]) -> Optional[Batch]:
        """Returns the next batch, or None when there is none before the step `end` and the end of the run."""
        self._session.require_open()
        with self._session.in_use:
            self._settle()
            batch = self._take(end)
            self._first = None
            self._chosen = True
        return batch

    def _next_of(self, one: Pass) -> Optional[Batch]:
        """Returns the next batch of a pass, or None at its end."""
        self._session.require_open()
        with self._session.in_use:
            if one.ended:
                return None
            if not one.begun:
                self._begin(one)
            elif self._pass is None or self._pass() is not one:
                raise MillraceError(
                    "this iterator cannot go on, because another `for` over the same loader has begun: a loader has one place in"
                    " the data, so create another Loader for a second loop at the same time"
                )
            again = self._pushed_back
            batch = self._take(self._stop)
            resumed = one.start % self.plan.steps_per_epoch > 0
            if batch is None and resumed and not one.given and not self._repeat and self._next != self.plan.steps:
                # All steps that remained of the epoch were left out: the loop gets the next epoch, and never nothing.
                self._choose(self._next)
                batch = self._take(self._stop)
            if batch is None:
                self._finish(one)
                return None
            self._chosen = False
            if not again and not one.given:
                self._first = First(batch, self._streaming)
            one.given = True
            return batch

    def _start(self) -> int:
        """Returns the first step of the next pass. Raises NoMoreEpochs if the run has none."""
        self._settle()
        start = self._next_start
        epochs = self.plan.epochs
        if epochs is not None and start >= epochs * self.plan.steps_per_epoch:
            raise NoMoreEpochs(
                f"the run has {epochs} epoch{'s' * (epochs != 1)}, and this `for` would be one more: set dataset.epochs of"
                f" {self._source} to the number of your loop, or leave it out for a run without an end; for a validation set,"
                " Loader(..., repeat=True) gives the same epoch each time"
            )
        return start

    @property
    def _next_start(self) -> int:
        if self._first is not None:
            return self._first.step
        return self._next if self._chosen else self._following

    def _begin(self, one: Pass) -> None:
        start = self._start()
        one.begun = True
        one.start = start
        self._pass = weakref.ref(one)
        if self._first is not None:
            self._next = start
            self._session.done = False
        elif start != self._next:
            self.seek(start)
        self._chosen = True  # until the first batch has arrived
        self._choose(start)

    def _choose(self, step: int) -> None:
        """Lets the current pass end with the epoch of a step."""
        steps = self.plan.steps_per_epoch
        self._stop = step if step == self.plan.steps else (step // steps + 1) * steps
        self._following = self._stop - steps if self._repeat else self._stop

    def _finish(self, one: Pass) -> None:
        one.ended = True
        self._first = None
        self._report(perf_counter_ns())  # The last step ends here, and not after an evaluation.
        if self._session.transfers is not None:
            self._session.transfers.settle()
        if self._repeat:
            self.seek(self._following)  # The server prepares the batches until the next `for`.

    @property
    def _pushed_back(self) -> bool:
        """Whether the next batch is the first one of a pass that was a look."""
        return self._first is not None and self._first.step == self._next

    def _settle(self) -> None:
        """Puts the loader back to where a look began, if its pass is gone and the program has used nothing of it.

        A position that the program has seen meanwhile, as in a state that it saved, counts as used.
        """
        first = self._first
        if first is None or self._next != first.step + 1:
            return
        if self._pass is not None and self._pass() is not None:
            first.look.used = True
        elif not first.look.used and self._session.in_use.acquire(False):
            try:
                self._next = first.step
                self._chosen = True
                self._session.done = False
            finally:
                self._session.in_use.release()

    def _take(self, end: Optional[int]) -> Optional[Batch]:
        """Does what `_next_before` does for a caller that has `in_use`."""
        session = self._session
        try:
            began = perf_counter_ns()
            self._copying = 0
            first = self._first
            if first is not None and first.step == self._next:
                return self._again(first, began)
            self._report(began)
            if self._streaming is not None and self._streaming.slots.ignored is not None:
                self._raise_ignored(self._streaming.slots)
            batch = self._receive(end)
            self._first = None
            if batch is not None:
                self._count(batch, began, self._streaming)
            return batch
        except BaseException:
            # A signal while the loader waits loses nothing. Elsewhere it may lose a message: begin a new connection then.
            current = session.current
            if current is not None and not current.resumable:
                session.drop()
            raise

    def _again(self, first: First, began: int) -> Batch:
        batch = first.again()
        self._pending = None  # The loop has not done this step, or does it again.
        self._figures.remove(batch)
        self._count(batch, began, first.source)
        return batch

    def _raise_ignored(self, slots: Slots) -> NoReturn:
        """Raises the exception of a signal handler that Python has ignored, because it came while a view died."""
        ignored, slots.ignored = slots.ignored, None
        assert ignored is not None
        raise ignored.with_traceback(None)

    def _count(self, batch: Batch, began: int, connection: Optional[Connection]) -> None:
        # The loop waits for its own copies, and not for a batch: this is a part of its work with the batch.
        now = perf_counter_ns() - self._copying
        wait = now - began
        figures = self._figures
        figures.add(batch)
        figures.wait += wait
        source = (self._session.connections, batch.generation)
        if source != self._counted:
            self._counted = source
            figures.begun += wait
        if self._progress is not None and self._progress.due():
            self._progress.print(self._place())
        self._handed = now
        self._pending = (connection, batch.generation, batch.step, wait)
        self._passed(batch.step, batch.plan)

    def _passed(self, step: int, plan: Plan) -> None:
        """The step is received or left out: the next one follows."""
        self._next = step + 1
        self._continues = True
        self._session.done = self._next == plan.steps

    def _leave_out(self, connection: Connection, header: Header) -> None:
        """Reports a step of which no sample is good as done, in no time, because the loop has nothing to train with."""
        connection.slots.give_back(header.a)
        connection.stream.post(message(Kind.STEP, generation=header.generation, number=header.number))
        self._figures.left_out += 1
        self._passed(header.number, connection.plan)

    def _report(self, now: int) -> None:
        """Sends STEP for the batch before, whose time ends `now`, with the request for the next one."""
        pending, self._pending = self._pending, None
        if pending is not None:
            busy = now - self._handed
            self._figures.busy += busy
            connection, generation, step, wait = pending
            if connection is not None and connection is self._streaming:
                connection.stream.post(message(Kind.STEP, generation=generation, number=step, a=wait, b=busy))

    def _receive(self, end: Optional[int]) -> Optional[Batch]:
        """Waits for the next batch, over new connections if necessary. Returns None at the end of the run and at step `end`."""
        if self._failure is not None:
            raise self._failure.with_traceback(None)
        session = self._session
        while not self._ended and (end is None or self._next < end):
            try:
                connection = session.connected()
                if connection is not self._streaming:
                    connection.seek(self._next, continues=self._continues)
                    self._streaming = connection
                if session.transfers is not None:
                    session.transfers.settle()
                event = connection.receive(self._idle)
                session.delivered()
                if type(event) is Delivery:
                    batch = self._batch(connection, event)
                    if batch is not None:
                        return batch
                elif isinstance(event, Wait):
                    self._waits(visible(event.reason))
                elif isinstance(event, End):
                    self._end(connection, event)
            except LoaderClosed:
                raise
            except (ProtocolError, ServerError) as e:
                self._fail(e)
            except (OSError, EOFError) as e:
                if isinstance(e, ConnectionLost):
                    raise
                session.lose(e)
        if self._streaming is not None:
            self._streaming.stream.flush()
        return None

    def _waits(self, reason: str) -> None:
        """Keeps the server's reason for a wait, and reports one that may need the user, such as a rank that does not come."""
        if reason != self._figures.reason and not reason.startswith("waiting for batch "):
            _log.warning("%s", reason)
        self._figures.reason = reason

    def _rejoin(self, lost: Connection) -> None:
        """Connects again after the server has ended a connection while the loop computes. The watch's thread calls it.

        Batches that the loop has not received yet come again. What fails here is tried again, or raised, by the loop's next call.
        """
        session = self._session
        with session.in_use:
            if session.closed or session.current is not lost or self._streaming is not lost or self._ended:
                return
            try:
                while True:
                    lost.receive(_at_once)  # until the end of the connection, or the server's reason for it
            except (ProtocolError, ServerError) as e:
                self._failure = e
                session.drop()
                return
            except (OSError, EOFError) as e:
                reason = e
            try:
                session.lose(reason)
                connection = session.connected()
                connection.seek(self._next + self._pushed_back, continues=self._continues)
                self._streaming = connection
            except (LoaderClosed, ConnectionLost, OSError, EOFError):
                return
            except Exception as e:  # One of CUDA too: this thread has no caller.
                self._failure = e

    def _fail(self, error: MillraceError) -> NoReturn:
        """Raises an error that a new connection would not mend, now and at each later use."""
        self._failure = error
        self._session.drop()
        raise error

    def _batch(self, connection: Connection, event: Delivery) -> Optional[Batch]:
        """Returns the batch of a BATCH message, or None if it is older than the last SEEK, or has no rows and is left out."""
        header, memory, place = event
        slots = connection.slots
        if header.generation != connection.generation:
            if not 0 < header.generation < connection.generation:
                raise ProtocolError(f"a batch has the generation {header.generation}, expected {connection.generation}")
            slots.give_back(header.a)
            return None
        if header.number != self._next:
            raise ProtocolError(f"the batch of step {header.number} arrived, expected step {self._next}")
        slot = parse_slot(memory, place, header, connection.plan.capacity)
        if slot.rows == 0 and connection.plan.world == 1:
            self._leave_out(connection, header)
            return None
        session = self._session
        if self._copy or self._all_lent(connection):
            return Batch(connection.plan, slot, slots.copy(header.a, memory, place, header.b))
        lent = slots.lend(header.a, memory, place, header.b)
        return Batch(connection.plan, slot, lent, session.transfers)

    def _all_lent(self, connection: Connection) -> bool:
        """Whether the last slot would be lent, so that the server could not deliver any more."""
        slots = connection.slots
        transfers = self._session.transfers
        while slots.lent >= slots.count - 1:
            if transfers is None or not self._copied(transfers):
                if not self._warned:
                    self._warned = True
                    warnings.warn(
                        f"{slots.lent} of {slots.count} slots hold batches that are still in use, so this batch is copied:"
                        " drop batches and their arrays sooner, use Loader(slots=...) for more slots, or batch.copy()",
                        RuntimeWarning,
                        stacklevel=7,
                    )
                return True
        return False

    def _copied(self, transfers: Transfers) -> bool:
        """Waits for the oldest copy to a GPU. Returns False when no copy is under way."""
        began = perf_counter_ns()
        try:
            return transfers.wait()
        finally:
            self._copying += perf_counter_ns() - began

    def _end(self, connection: Connection, event: End) -> None:
        if event.generation not in (0, connection.generation) or event.steps > self._next:
            if event.generation == connection.generation:
                raise ProtocolError(f"END after {self._next} of {event.steps} steps")
            return  # It was sent before the last SEEK arrived.
        if event.steps < self._next:
            raise ProtocolError(f"END after {self._next} steps, but the run has {event.steps}")
        self._ended = self._session.done = True

    def _idle(self) -> Optional[float]:
        """Prepares a wait for the server, and returns the longest time to wait."""
        if self._progress is not None and self._progress.due():
            self._progress.print(self._place())
        if self._streaming is not None:
            self._streaming.slots.sweep()
        transfers = self._session.transfers
        if transfers is not None and transfers.settle():
            return 0.001  # The slots of copies are returned soon after their end.
        return None if self._progress is None else INTERVAL

    def _place(self) -> str:
        steps = self.plan.steps
        return f"step {self._next}{'' if steps is None else f' of {steps}'}, epoch {self._next // self.plan.steps_per_epoch}"

    def seek(self, step: int) -> None:
        """Continues with `step`, and asks the server for it now. Batches that the loop holds stay valid.

        The next `for` is the rest of the epoch of this step. A `for` that is under way goes on with it, to the end of its epoch.

        With several ranks, all ranks seek the same step. Raises ValueError for a step outside of the run, and the error that has
        ended the delivery, unless it was about the step.
        """
        last = MAX_STEP if self.plan.steps is None else self.plan.steps
        step = whole(step, "step")
        if not 0 <= step <= last:
            raise ValueError(f"step {step} is outside of the run, expected a number from 0 to {last}")
        self._session.require_open()
        with self._session.in_use:
            if isinstance(self._failure, ServerError) and self._failure.code in ("ranks_disagree", "step"):
                self._failure = None
            elif self._failure is not None:
                raise self._failure.with_traceback(None)
            self._settle()
            if not (self._pushed_back and step == self._next):
                self._first = None
            self._chosen = True
            self._choose(step)
            connection = self._session.current
            # Other ranks may seek, and the server must then hear of this rank's choice, unless it was the last one already.
            chosen = self.plan.world == 1 or not self._continues
            if connection is not None and connection is self._streaming and step == self._next and not self._ended and chosen:
                return  # That step is on its way.
            try:
                self._report(perf_counter_ns())  # The server ignores steps that arrive after the SEEK.
                self._next = step
                self._continues = False
                self._ended = False
                self._session.done = step == self.plan.steps
                self._streaming = connection
                if connection is not None:
                    connection.seek(step)
            except BaseException:
                self._session.drop()  # A signal may have come between the choice and SEEK.
                raise

    def epoch(self, number: int) -> "Epoch":
        """Returns an iterator over the batches of one epoch.

        It continues where the loader is if that is within the epoch, for example after `load_state_dict`. Otherwise it begins
        with the epoch's first step.
        """
        epochs = self.plan.epochs
        number = whole(number, "the number of the epoch")
        if number < 0 or (epochs is not None and number >= epochs):
            raise ValueError(f"epoch {number} is outside of the run, which has {'no end' if epochs is None else epochs}")
        return Epoch(self, number)

    def epochs(self) -> "Iterator[Epoch]":
        """Returns the epochs from the current one on, each as `epoch` does; those of an endless run do not end."""
        epochs = self.plan.epochs
        first = self.step // self.plan.steps_per_epoch
        return map(self.epoch, count(first) if epochs is None else range(first, epochs))

    def steps(self) -> Iterator[Batch]:
        """Returns an iterator over all batches from the next step to the end of the run; that of an endless run does not end."""
        return iter(lambda: next(self, None), None)

    def _set_epoch(self, number: int) -> None:
        number = whole(number, "the number of the epoch")
        if number < 0:
            raise ValueError(f"the epoch is {number}, expected at least 0")
        steps = self.plan.steps_per_epoch
        with self._session.in_use:
            self._settle()
            start = self._next_start
            if not self._repeat and start // steps != number:
                self._first = None
                self._chosen = False
                self._following = number * steps

    def state_dict(self) -> Dict[str, Any]:
        """Returns `{"version": 1, "fingerprint": {...}, "step": n}`, which is equal on all ranks.

        The next batch is that of step n: a batch that the loop has received counts, prefetched ones do not. After the last batch
        of an epoch, it is the first one of the next; with `repeat`, of the same.
        """
        step = self.step
        if self._repeat and not self._chosen and step == self._stop:
            step = self._following
        return {"version": STATE_VERSION, "fingerprint": dict(self.plan.fingerprint), "step": step}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues with the step of a state: the next `for` is the rest of its epoch. `world` may be another than when it was
        saved.

        Raises PlanDiffers when the state belongs to another plan, and ValueError for other objects.
        """
        found = dict(state) if isinstance(state, Mapping) else {}
        step, fingerprint = found.get("step"), found.get("fingerprint")
        if found.get("version") != STATE_VERSION or not isinstance(step, int) or not isinstance(fingerprint, Mapping):
            raise ValueError(
                f"{short(state)} is not a state of this package: expected version {STATE_VERSION}, fingerprint and step"
            )
        require_same(self.plan.fingerprint, fingerprint, "the plan of the saved state")
        self.seek(step)

    def stats(self) -> Dict[str, Any]:
        """Returns figures of this process since the loader was created.

        `steps`, `rows` and `bytes` that the loop received; `left_out`, the steps that were left out because none of their samples
        is good; `wait_seconds` and `busy_seconds`, the time in `next` and between its calls; `starved`, the wait's share of both,
        without the waits for the first batch after a start, a seek or a loss of the connection, as in the server's report;
        `waiting_for`, the server's last reason for a wait; `memory`, the kind of memory and the reasons against the others;
        `slots`; `lent`, the slots in use by the loop; `copies`, the batches that were copied; `reconnects`.
        """
        session = self._session
        connection = session.current
        return {
            **self._figures.as_dict(),
            "memory": session.memory,
            "slots": 0 if connection is None else connection.slots.count,
            "lent": 0 if connection is None else connection.slots.lent,
            "copies": session.copies + (0 if connection is None else connection.slots.copies),
            "reconnects": max(0, session.connections - 1),
        }

    def iterable(self, *names: str, device: Any = None, transforms: bool = False) -> "LoaderDataset":
        """Returns a torch IterableDataset for `DataLoader(iterable, batch_size=None, num_workers=0)`.

        It iterates as the loader does. Its elements are tensors of the fields `names`, as `Batch.torch` returns them, or `Batch`
        objects without names. With `Loader(pin=True)` and no `device` they are copies, because whoever moves them to a GPU may not
        wait for the end of it.
        """
        from ._torch import LoaderDataset

        return LoaderDataset(self, names, device, transforms)

    def close(self) -> None:
        """Says goodbye to the server, and stops a server that was started here. Views of batches stay valid. Idempotent.

        Another server ends when all ranks have received the last batch and are closed. Before that, it waits for the next loader.
        """
        session = self._session
        if not session.closed and session.in_use.acquire(False):
            try:
                self._report(perf_counter_ns())  # the last step ends here
            finally:
                session.in_use.release()
        self._close()
        self._streaming = None
        self._pending = None
        self._first = None

    def __enter__(self) -> "Loader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Millrace loader cannot be sent to another process: it delivers ready batches, so use DataLoader(num_workers=0),"
            " or create a loader in each process"
        )

    def __repr__(self) -> str:
        return f"Loader({self._source!r}, step={self.step})"

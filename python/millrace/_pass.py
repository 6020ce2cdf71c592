"""The passes of a program over a run: the step with which each begins and ends."""

import weakref
from typing import Any, Iterator, Mapping, Optional

from ._batch import Batch
from ._connection import Connection
from ._errors import EXPECTED, MillraceError, NoMoreEpochs
from ._fields import Look
from ._plan import Plan
from ._protocol import MAX_STEP, whole
from ._receiver import Receiver
from ._state import Stateful


class Pass(Stateful, Iterator[Batch]):
    """The batches that one `for` over a loader receives: those of an epoch, or the rest of the epoch that the loader is in.

    A loader has one place in the data. The pass that has begun last moves it; an earlier one raises.
    """

    _passes: "Passes"

    def __init__(self, passes: "Passes") -> None:
        self._passes = passes
        self.begun = False
        self.start = 0
        """The step with which it begins."""
        self.given = False
        """Whether it has given a batch."""
        self.ended = False

    def __iter__(self) -> "Pass":
        return self

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on with the step of a state, to the end of its epoch, also when this pass has ended."""
        super().load_state_dict(state)
        self.begun = self.given = self.ended = False

    def __next__(self) -> Batch:
        try:
            batch = self._passes.next_of(self)
        except EXPECTED as e:
            raise e.with_traceback(None) from None
        if batch is None:
            raise StopIteration
        return batch


class _First:
    """The first batch of a pass that has not given a second one.

    If the pass is dropped now, it was a look at the data, and the next `for` gives the batch again.
    """

    def __init__(self, batch: Batch, source: Optional[Connection]) -> None:
        self._kept = batch.copy()  # The program may write into the batch that it has.
        self.step = batch.step
        self.source = source
        """The connection over which the batch arrived."""
        self.back = False
        """Whether the next batch of the loader is this one."""
        self.look = batch.look = Look()

    def again(self) -> Batch:
        """Returns the batch as it was."""
        batch = self._kept.copy()
        self.look = batch.look = Look()
        return batch


class Passes:
    """The place of a program in a run, and the pass that moves it.

    The receiver is at the same place, except after a look: then the first batch of the pass that was dropped comes again.
    """

    def __init__(self, receiver: Receiver, source: str, *, repeat: bool) -> None:
        self._receiver = receiver
        self._session = receiver.session
        self._source = source
        self._repeat = repeat
        self._chosen = True  # Whether the next pass begins with the next step, and not with another epoch.
        self._stop = 0  # the step after the last one of the current pass
        self._following = 0  # the first step of the pass after the current one
        self._pass: Optional[weakref.ref[Pass]] = None
        self._first: Optional[_First] = None  # while the current pass has given one batch

    @property
    def plan(self) -> Plan:
        """The plan of the run."""
        return self._session.plan

    @property
    def step(self) -> int:
        """The next step."""
        self._settle()
        first = self._first
        return first.step if first is not None and first.back else self._receiver.next

    @property
    def resumes(self) -> int:
        """The step with which a program goes on that has saved its state now."""
        step = self.step
        return self._following if self._repeat and not self._chosen and step == self._stop else step

    def begin(self) -> Pass:
        """Returns the next pass, which begins with its first batch. Raises NoMoreEpochs if the run has none."""
        self._session.require_open()
        self._start()
        return Pass(self)

    def next_before(self, end: Optional[int]) -> Optional[Batch]:
        """Returns the next batch, or None when there is none before the step `end` and the end of the run."""
        self._session.require_open()
        with self._session.in_use:
            self._settle()
            batch = self._take(end)
            self._first = None
            self._chosen = True
            if batch is None:
                self._receiver.meter.end()
        return batch

    def next_of(self, one: Pass) -> Optional[Batch]:
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
            again = self._first is not None and self._first.back
            batch = self._take(self._stop)
            resumed = one.start % self.plan.steps_per_epoch > 0
            if batch is None and resumed and not one.given and not self._repeat and self._receiver.next != self.plan.steps:
                # All steps that remained of the epoch were left out: the loop gets the next epoch, and never nothing.
                self._choose(self._receiver.next)
                batch = self._take(self._stop)
            if batch is None:
                self._finish(one)
                return None
            self._chosen = False
            if not again and not one.given:
                self._first = _First(batch, self._receiver.streaming)
            one.given = True
            return batch

    def seek(self, step: int) -> None:
        """Continues with a step, as `Loader.seek` describes."""
        last = MAX_STEP if self.plan.steps is None else self.plan.steps
        step = whole(step, "step")
        if not 0 <= step <= last:
            raise ValueError(f"step {step} is outside of the run, expected a number from 0 to {last}")
        self._session.require_open()
        receiver = self._receiver
        with self._session.in_use:
            receiver.forgive()
            kept = step == self.step and receiver.is_coming
            if not (kept and self._first is not None and self._first.back):
                self._first = None
            self._chosen = True
            self._choose(step)
            if not kept:
                receiver.seek(step)

    def set_epoch(self, number: int) -> None:
        """Lets the next pass be over an epoch, as `Sampler.set_epoch` describes."""
        number = whole(number, "the number of the epoch")
        if number < 0:
            raise ValueError(f"the epoch is {number}, expected at least 0")
        steps = self.plan.steps_per_epoch
        with self._session.in_use:
            self._settle()
            first = self._first
            if not self._repeat and self._next_start // steps != number:
                if first is not None and first.back:
                    self._receiver.seek_later(first.step)  # The program has not received that batch.
                self._first = None
                self._chosen = False
                self._following = number * steps

    def end_step(self) -> None:
        """Ends the last step of a loop, and not with the wait for another batch, which comes after an evaluation."""
        self._receiver.stop()
        self._receiver.meter.end()

    def close(self) -> None:
        """Gives no batch any more."""
        self._receiver.close()
        self._receiver.meter.end()
        self._first = None

    def _start(self) -> int:
        """Returns the first step of the next pass. Raises NoMoreEpochs if the run has none."""
        self._settle()
        start = self._next_start
        epochs = self.plan.epochs
        if epochs is not None and start >= epochs * self.plan.steps_per_epoch:
            raise NoMoreEpochs(
                f"the run has {epochs} epoch{'s' * (epochs != 1)}, and this `for` would be one more: set dataset.epochs (or the"
                f" steps of mix) of {self._source} to the number of your loop, or leave it out for a run without an end; for a validation set,"
                " Loader(..., repeat=True) gives the same epoch each time"
            )
        return start

    @property
    def _next_start(self) -> int:
        if self._first is not None:
            return self._first.step
        return self._receiver.next if self._chosen else self._following

    def _begin(self, one: Pass) -> None:
        start = self._start()
        one.begun = True
        one.start = start
        self._pass = weakref.ref(one)
        if self._first is not None:
            self._push_back(self._first)
        elif start != self._receiver.next:
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
        self.end_step()
        self._session.running.settle()
        if self._repeat:
            self.seek(self._following)  # The server prepares the batches until the next `for`.

    def _settle(self) -> None:
        """Puts the loader back to where a look began, if its pass is gone and the program has used nothing of it.

        A position that the program has seen meanwhile, as in a state that it saved, counts as used.
        """
        first = self._first
        if first is None or first.back:
            return
        if self._pass is not None and self._pass() is not None:
            first.look.used = True
        elif not first.look.used and self._session.in_use.acquire(False):
            try:
                self._push_back(first)
                self._chosen = True
            finally:
                self._session.in_use.release()

    def _push_back(self, first: _First) -> None:
        first.back = True
        self._session.done = False

    def _take(self, end: Optional[int]) -> Optional[Batch]:
        """Returns the next batch as `next_before` does, for a caller that has `in_use`."""
        receiver = self._receiver
        meter = receiver.meter
        session = self._session
        try:
            first = self._first
            if first is not None and first.back:
                meter.forget()  # The loop has not done this step, or does it again.
                meter.ask(None)
                batch = first.again()
                meter.figures.remove(batch)
                meter.count(batch, first.source, session.connections)
                first.back = False
                session.done = receiver.next == self.plan.steps
                return batch
            meter.ask(receiver.streaming)
            found = receiver.receive(end)
            self._first = None
            if found is not None:
                meter.count(found, receiver.streaming, session.connections)
                receiver.passed()
            return found
        except BaseException:
            # A signal while the loader waits loses nothing. Elsewhere it may lose a message: begin a new connection then.
            current = session.current
            if current is not None and not current.resumable:
                session.drop()
            raise


class Epoch:
    """The batches of one epoch of a loader. `len` is the number of steps of a whole epoch."""

    def __init__(self, passes: Passes, number: int) -> None:
        self._passes = passes
        self._steps = passes.plan.steps_per_epoch
        self._first = number * self._steps

    def __len__(self) -> int:
        return self._steps

    def __iter__(self) -> Iterator[Batch]:
        if not self._first <= self._passes.step < self._first + self._steps:
            self._passes.seek(self._first)
        return self

    def __next__(self) -> Batch:
        try:
            batch = self._passes.next_before(self._first + self._steps)
        except EXPECTED as e:
            raise e.with_traceback(None) from None
        if batch is None:
            self._passes.end_step()
            raise StopIteration
        return batch

"""The meter of a loader: what it measures at each step, reports to the server and prints."""

from time import perf_counter_ns
from typing import Callable, Optional, Tuple, TypeVar

from ._batch import Batch
from ._connection import Connection
from ._figures import Figures
from ._plan import Plan
from ._progress import Shows
from ._protocol import Kind, message

T = TypeVar("T")


class Meter:
    """Measures how long a loop waits and works, and reports each of its steps to the server with STEP.

    A step is the wait for its batch, from `ask` to `count`, and the work with it, until `ask` or `stop`.
    """

    def __init__(self, progress: Shows, name: Optional[str]) -> None:
        """`progress` shows each pass under a name, by default as an epoch; with None nothing does."""
        self.figures = Figures()
        self._progress = None if progress is None else progress(self.figures, name)
        self._began = 0
        self._own = 0  # Nanoseconds of the current wait with work of the loop itself.
        self._handed = 0
        # The step that is not reported: the connection of its batch, the generation, the number and the wait.
        self._pending: Optional[Tuple[Optional[Connection], int, int, int]] = None
        self._counted = (0, 0)  # the connection and the generation of the last batch

    def ask(self, streaming: Optional[Connection]) -> None:
        """Begins a wait, which ends the step before. `streaming` is the connection that delivers now."""
        self._began = perf_counter_ns()
        self._own = 0
        self._report(self._began, streaming)

    def stop(self, streaming: Optional[Connection]) -> None:
        """Ends the last step without a wait for another batch."""
        self._report(perf_counter_ns(), streaming)

    def end(self) -> None:
        """Ends what is shown of a pass."""
        if self._progress is not None:
            self._progress.end()

    def _report(self, now: int, streaming: Optional[Connection]) -> None:
        pending, self._pending = self._pending, None
        if pending is not None:
            busy = now - self._handed
            self.figures.busy += busy
            connection, generation, step, wait = pending
            if connection is not None and connection is streaming:
                connection.stream.post(message(Kind.STEP, generation=generation, number=step, a=wait, b=busy))

    def count(self, batch: Batch, source: Optional[Connection], connections: int) -> None:
        """Counts a batch that the loop receives now. `source` is its connection, one of so many until now."""
        now = perf_counter_ns() - self._own  # It is a part of the loop's work with the batch.
        wait = now - self._began
        figures = self.figures
        figures.add(batch)
        figures.wait += wait
        counted = (connections, batch.generation)
        if counted != self._counted:
            self._counted = counted
            figures.begun += wait
        if self._progress is not None:
            self._progress.show(batch.plan, batch.step, received=True)
        self._handed = now
        self._pending = (source, batch.generation, batch.step, wait)

    def forget(self) -> None:
        """Forgets the step that is not reported yet."""
        self._pending = None

    def as_work(self, function: Callable[[], T]) -> T:
        """Calls a function during a wait, whose time counts as work of the loop: it copies to a GPU or waits for such a copy."""
        began = perf_counter_ns()
        try:
            return function()
        finally:
            self._own += perf_counter_ns() - began

    @property
    def interval(self) -> Optional[float]:
        """The seconds after which `show` has to be called again; None if it prints nothing."""
        return None if self._progress is None else self._progress.interval

    def show(self, plan: Plan, step: int) -> None:
        """Shows the wait for a step when it is time for it."""
        if self._progress is not None:
            self._progress.show(plan, step, received=False)

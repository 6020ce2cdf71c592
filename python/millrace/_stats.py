"""The figures of a loader: what it measures at each step, reports to the server and prints."""

import sys
import time
from time import perf_counter_ns
from typing import Any, Dict, Optional, Tuple

from ._batch import Batch
from ._connection import Connection
from ._cuda import Transfers
from ._plan import Plan
from ._protocol import Kind, message

INTERVAL = 5.0
"""Seconds between two progress lines."""


class Figures:
    """Sums over the batches that the loop has received. All times are in nanoseconds."""

    __slots__ = ("begun", "busy", "bytes", "left_out", "reason", "rows", "steps", "wait")

    def __init__(self) -> None:
        self.steps = 0
        self.rows = 0
        self.bytes = 0
        self.left_out = 0
        """Steps that were left out because none of their samples is good."""
        self.wait = 0
        self.begun = 0
        """The part of `wait` for the first batch after a start, a seek or a new connection, which is no starvation."""
        self.busy = 0
        self.reason = ""

    def add(self, batch: Batch) -> None:
        """Counts a batch."""
        self.steps += 1
        self.rows += batch.samples
        self.bytes += batch.nbytes

    def remove(self, batch: Batch) -> None:
        """Counts a batch no more, because the loop receives it again."""
        self.steps -= 1
        self.rows -= batch.samples
        self.bytes -= batch.nbytes

    @property
    def starved(self) -> int:
        """The wait that the server counts as starvation, too."""
        return self.wait - self.begun

    def as_dict(self) -> Dict[str, Any]:
        """Returns the figures under the names of `Loader.stats`."""
        return {
            "steps": self.steps,
            "rows": self.rows,
            "bytes": self.bytes,
            "left_out": self.left_out,
            "wait_seconds": self.wait / 1e9,
            "busy_seconds": self.busy / 1e9,
            "starved": share(self.starved, self.busy),
            "waiting_for": self.reason,
        }


def share(wait: int, busy: int) -> float:
    """Returns the part of the time for which the loop waited, from 0 to 1."""
    return wait / (wait + busy) if wait + busy else 0.0


class Progress:
    """Prints a line on standard error every few seconds."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures
        self._time = time.monotonic()
        self._before = (0, 0, 0, 0)

    def due(self) -> bool:
        """Returns whether it is time for a line."""
        return time.monotonic() - self._time >= INTERVAL

    def print(self, place: str) -> None:
        """Prints the figures since the line before. `place` is the place in the run."""
        now = time.monotonic()
        figures = self._figures
        after = (figures.rows, figures.bytes, figures.starved, figures.busy)
        rows, size, wait, busy = (a - b for a, b in zip(after, self._before))
        seconds = max(1e-9, now - self._time)
        self._time, self._before = now, after
        line = f"millrace: {place}, {rows / seconds:,.0f} rows/s, {size / seconds / 1e6:,.1f} MB/s"
        if wait + busy:
            line += f", starved {share(wait, busy):.0%}"
        if not rows and figures.reason:
            line += f", waiting: {figures.reason}"
        print(line, file=sys.stderr, flush=True)


class Meter:
    """Measures how long a loop waits and works, and reports each of its steps to the server with STEP.

    A step is the wait for its batch, from `ask` to `count`, and the work with it, until `ask` or `stop`.
    """

    def __init__(self, *, verbose: bool) -> None:
        self.figures = Figures()
        self._progress = Progress(self.figures) if verbose else None
        self._began = 0
        self._copying = 0  # Nanoseconds of the current wait for which copies to a GPU held all buffers.
        self._handed = 0
        # The step that is not reported: the connection of its batch, the generation, the number and the wait.
        self._pending: Optional[Tuple[Optional[Connection], int, int, int]] = None
        self._counted = (0, 0)  # the connection and the generation of the last batch

    def ask(self, streaming: Optional[Connection]) -> None:
        """Begins a wait, which ends the step before. `streaming` is the connection that delivers now."""
        self._began = perf_counter_ns()
        self._copying = 0
        self._report(self._began, streaming)

    def stop(self, streaming: Optional[Connection]) -> None:
        """Ends the last step without a wait for another batch."""
        self._report(perf_counter_ns(), streaming)

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
        # The loop waits for its own copies, and not for a batch: this is a part of its work with the batch.
        now = perf_counter_ns() - self._copying
        wait = now - self._began
        figures = self.figures
        figures.add(batch)
        figures.wait += wait
        counted = (connections, batch.generation)
        if counted != self._counted:
            self._counted = counted
            figures.begun += wait
        if self._progress is not None:
            self.show(batch.plan, batch.step)
        self._handed = now
        self._pending = (source, batch.generation, batch.step, wait)

    def forget(self) -> None:
        """Forgets the step that is not reported yet."""
        self._pending = None

    def await_copy(self, transfers: Transfers) -> bool:
        """Waits for the oldest copy to a GPU. Returns False when no copy is under way."""
        began = perf_counter_ns()
        try:
            return transfers.wait()
        finally:
            self._copying += perf_counter_ns() - began

    @property
    def interval(self) -> Optional[float]:
        """The seconds after which `show` has to be called again; None if it prints nothing."""
        return None if self._progress is None else INTERVAL

    def show(self, plan: Plan, step: int) -> None:
        """Prints the progress line when it is time for it."""
        if self._progress is not None and self._progress.due():
            of = "" if plan.steps is None else f" of {plan.steps}"
            self._progress.print(f"step {step}{of}, epoch {step // plan.steps_per_epoch}")

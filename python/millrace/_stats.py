"""The figures of a loader, and its progress line."""

import sys
import time
from typing import TYPE_CHECKING, Any, Dict

if TYPE_CHECKING:
    from ._batch import Batch

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

    def add(self, batch: "Batch") -> None:
        """Counts a batch."""
        self.steps += 1
        self.rows += batch.samples
        self.bytes += batch.nbytes

    def remove(self, batch: "Batch") -> None:
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

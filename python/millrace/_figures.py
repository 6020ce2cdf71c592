"""The figures of a loader."""

from typing import Any, Dict

from ._batch import Batch


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

"""The figures of a loader."""

from typing import Any, Dict, List, Sequence

from ._batch import Batch, rows_of_sources
from ._mix import Source

_MOST = 6
"""The number of datasets in a line."""


class Figures:
    """Sums over the batches that the loop has received. All times are in nanoseconds."""

    __slots__ = ("begun", "busy", "bytes", "left_out", "reason", "rows", "sources", "steps", "wait")

    def __init__(self) -> None:
        self.steps = 0
        self.rows = 0
        self.bytes = 0
        self.sources: List[int] = []
        """The rows of each dataset; empty for a run of one."""
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
        self._add_sources(batch, 1)

    def remove(self, batch: Batch) -> None:
        """Counts a batch no more, because the loop receives it again."""
        self.steps -= 1
        self.rows -= batch.samples
        self.bytes -= batch.nbytes
        self._add_sources(batch, -1)

    def _add_sources(self, batch: Batch, sign: int) -> None:
        count = len(batch.plan.sources)
        if count > 1:
            before = self.sources or [0] * count
            self.sources = [rows + sign * int(more) for rows, more in zip(before, rows_of_sources(batch))]

    @property
    def starved(self) -> int:
        """The wait that the server counts as starvation, too."""
        return self.wait - self.begun

    def as_dict(self, sources: Sequence[Source]) -> Dict[str, Any]:
        """Returns the figures under the names of `Loader.stats`."""
        rows = self.sources or [0] * len(sources)
        mixed = {"sources": {source.name: count for source, count in zip(sources, rows)}} if len(sources) > 1 else {}
        return {
            **mixed,
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


def shares_line(sources: Sequence[Source], rows: Sequence[int], before: Sequence[int] = ()) -> str:
    """Returns the shares of the datasets in the rows since `before`, such as `web 80.1%, code 19.9%`; empty without rows.

    Of many datasets, it has those with the largest shares, and the number of the others.
    """
    since = [now - then for now, then in zip(rows, before or [0] * len(rows))]
    total = sum(since)
    if total <= 0:
        return ""
    order = range(len(since)) if len(since) <= _MOST else sorted(range(len(since)), key=lambda i: -since[i])[:_MOST]
    parts = [f"{sources[i].name} {since[i] / total:.1%}" for i in order]
    if len(since) > _MOST:
        parts.append(f"{len(since) - _MOST} more")
    return ", ".join(parts)

"""What a loader prints about its progress: a line that is written again in place, or a new line every few seconds."""

import os
import sys
import time
from typing import List, Optional, Tuple, Type, Union

from ._figures import Figures, share, shares_line
from ._notebook import in_notebook
from ._plan import Plan

INTERVAL = 5.0
"""Seconds between two lines."""

BAR_INTERVAL = 0.25
"""Seconds between two changes of a line in place."""

_WIDTH = 20
"""Characters of a bar."""


def progress_for(progress: Optional[bool], verbose: bool) -> "Shows":
    """Returns how a loader shows its progress, or None if it does not.

    `progress` is the argument of the loader. Raises TypeError for other values.
    """
    if progress is not None and not isinstance(progress, bool):
        raise TypeError(f"progress is {progress!r}, expected None, True or False")
    if progress is None:
        return Lines if verbose else Bar if in_notebook() else None
    if not progress:
        return None
    # A file and a pipe cannot write a line again, and the output of a server would break it.
    return Bar if not verbose and (in_notebook() or sys.stderr.isatty()) else Lines


class Lines:
    """Prints a line on standard error every few seconds, with the figures since the line before."""

    interval = INTERVAL

    def __init__(self, figures: Figures, name: Optional[str]) -> None:
        self._figures = figures
        self._time = time.monotonic()
        self._before = (0, 0, 0, 0)
        self._sources: List[int] = []

    def show(self, plan: Plan, step: int, *, received: bool) -> None:
        """Prints a line when it is time for it. `step` is the step that was `received`, or that the loop waits for."""
        now = time.monotonic()
        if now - self._time < self.interval:
            return
        figures = self._figures
        after = (figures.rows, figures.bytes, figures.starved, figures.busy)
        rows, size, wait, busy = (a - b for a, b in zip(after, self._before))
        seconds = max(1e-9, now - self._time)
        self._time, self._before = now, after
        of = "" if plan.steps is None else f" of {plan.steps}"
        line = f"millrace: step {step}{of}, epoch {step // plan.steps_per_epoch}"
        line += f", {rows / seconds:,.0f} rows/s, {size / seconds / 1e6:,.1f} MB/s"
        if wait + busy:
            line += f", starved {share(wait, busy):.0%}"
        shares = shares_line(plan.sources, figures.sources, self._sources)
        self._sources = figures.sources
        line += f", {shares}" if shares else ""
        if not rows and figures.reason:
            line += f", waiting: {figures.reason}"
        print(line, file=sys.stderr, flush=True)

    def end(self) -> None:
        """Does nothing at the end of a pass."""


class Bar:
    """Writes a line on standard error for each pass, again and again in place, as tqdm does."""

    interval = BAR_INTERVAL

    def __init__(self, figures: Figures, name: Optional[str]) -> None:
        self._figures = figures
        self._name = name
        self._shown = 0.0  # when the line was written last
        self._line = ""  # the line that has no end yet
        self._last: Optional[Tuple[Plan, int]] = None  # the last batch of the pass
        self._epoch = -1
        self._first = 0  # the first step of the pass, and the figures and the time at its begin
        self._before = (0, 0)
        self._sources: List[int] = []  # the rows of each dataset at its begin, and with the last batch
        self._counted: List[int] = []
        self._began = 0.0

    def show(self, plan: Plan, step: int, *, received: bool) -> None:
        """Writes the line when it is time for it. `step` is the step that was `received`, or that the loop waits for."""
        now = time.monotonic()
        last = self._last
        if received and (last is None or step <= last[1] or step // plan.steps_per_epoch != self._epoch):
            if last is not None:
                self.end()
            self._epoch, self._first, self._began = step // plan.steps_per_epoch, step, now
            self._before = (self._figures.starved, self._figures.busy)
            self._sources = self._counted
        if received:
            self._last = (plan, step)
            self._counted = self._figures.sources
        if now - self._shown >= self.interval:
            self._write(plan, step, now, received)

    def _write(self, plan: Plan, step: int, now: float, received: bool) -> None:
        self._shown = now
        figures = self._figures
        of = plan.steps_per_epoch
        place = self._last[1] if self._last is not None else step - 1
        epoch = self._epoch if self._last is not None else step // of
        done = place - epoch * of + 1
        full = _WIDTH * done // of
        line = f"{self._name or f'epoch {epoch}'}: {done / of:4.0%}|{'#' * full}{' ' * (_WIDTH - full)}| {done}/{of}"
        if self._last is not None:
            seconds = now - self._began
            line += f" [{_clock(seconds)}"
            steps = place - self._first  # The clock begins with the first batch.
            if steps and seconds > 0:
                left = (of - done) * seconds / steps
                line += f"<{_clock(left)}, {steps / seconds:.1f} batches/s"
            wait, busy = figures.starved - self._before[0], figures.busy - self._before[1]
            if wait + busy > 0:
                line += f", starved {share(wait, busy):.0%}"
            line += "]"
            shares = shares_line(plan.sources, figures.sources, self._sources)
            line += f" {shares}" if shares else ""
        if not received and figures.reason:
            line += f" {figures.reason}"
        if sys.stderr.isatty():
            line = line[: (os.get_terminal_size(sys.stderr.fileno()).columns or 80) - 1]  # A longer one cannot be written again.
        # Spaces cover what is left of a longer line.
        print("\r" + line.ljust(len(self._line)), end="", file=sys.stderr, flush=True)
        self._line = line

    def end(self) -> None:
        """Writes the last state of a pass, and ends its line."""
        if self._last is not None:
            self._write(*self._last, time.monotonic(), True)
        if self._line:
            print(file=sys.stderr, flush=True)
        self._line = ""
        self._shown = 0.0
        self._last = None


def _clock(seconds: float) -> str:
    """Returns a time as minutes and seconds, with hours if there are any."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


Shows = Optional[Type[Union[Lines, Bar]]]
"""How a loader shows its progress, or None."""

"""What may differ between a saved state and a run that goes on from it: steps that nobody has received yet, and new datasets."""

import re
from dataclasses import dataclass
from typing import List, Mapping, Optional, Tuple

from ._mix import parse

MIX = "mix"
"""The key of the phases of a mixture."""

SKIPPED = "order.skip_steps"
"""The key of the steps that are left out."""

DATASETS = "datasets"
"""The key of the names of a mixture's datasets, and the beginning of the keys of each of them."""

_FORMAT = "dataset.format"
"""A setting that every fingerprint of one dataset has, except those of version 0.1.0."""

_GAP = re.compile(r"(\d{1,18})-(\d{1,18})")


@dataclass(frozen=True)
class Difference:
    """A setting that differs."""

    key: str
    step: Optional[int] = None
    """The first step that differs; None for a setting that decides all steps."""


@dataclass(frozen=True)
class _Gap:
    """Consecutive steps that are left out: from the first one to before the last, after so many that are left out earlier."""

    start: int
    stop: int
    before: int

    @property
    def step(self) -> int:
        """The first step of the run after the gap."""
        return self.start - self.before


def differences(run: Mapping[str, str], saved: Mapping[str, str], step: Optional[int] = None) -> List[Difference]:
    """Returns the settings by which the fingerprint of a saved state differs from that of a run, in the order of their names.

    `step` is the next step of the state: the mixture and the steps that are left out may differ from it on, and datasets may have
    been added. Without a step nothing may differ. Raises ValueError when a mixture or a list of steps cannot be read.
    """
    keys = set(run) | set(saved)
    if not all(_FORMAT in each or DATASETS in each for each in (run, saved)):
        # A state of version 0.1.0, which knows nothing of the dataset but its size.
        keys = {key for key in keys if not key.startswith("dataset.") or key == "dataset.size"}
    different = sorted(key for key in keys if run.get(key) != saved.get(key))
    if step is None:
        return [Difference(key) for key in different]
    first = _first_steps(run, saved)
    found = []
    for key in different:
        if key in first:
            at = first[key]
            if at is not None and at < step:
                found.append(Difference(key, at))
        elif key != MIX and not _is_added(key, run, saved):  # of a run with one dataset, other settings differ, too
            found.append(Difference(key))
    return found


def _is_added(key: str, run: Mapping[str, str], saved: Mapping[str, str]) -> bool:
    """Returns whether a setting differs because datasets were added to a mixture."""
    had = saved.get(DATASETS)
    if had is None:
        return False
    if key == DATASETS:
        return run.get(DATASETS, "").startswith(had + " ")
    return key.startswith(DATASETS + ".") and key.split(".")[1] not in had.split(" ")


def _first_steps(run: Mapping[str, str], saved: Mapping[str, str]) -> Mapping[str, Optional[int]]:
    """Returns the first step that differs, or None, for each setting that is compared step by step."""
    own, theirs = _gaps(run.get(SKIPPED, "")), _gaps(saved.get(SKIPPED, ""))
    first = {SKIPPED: _first_gap(own, theirs)}
    if MIX in run and MIX in saved:
        in_plan = parse(run[MIX]).first_difference(parse(saved[MIX]))
        first[MIX] = None if in_plan is None else _in_run(own, in_plan)
    return first


def _gaps(text: str) -> Tuple[_Gap, ...]:
    gaps: List[_Gap] = []
    for part in text.split(", ") if text else ():
        found = _GAP.fullmatch(part)
        if not found:
            raise ValueError(f"expected steps that are left out, found '{text}'")
        before = gaps[-1].before + gaps[-1].stop - gaps[-1].start if gaps else 0
        gaps.append(_Gap(int(found[1]), int(found[2]) + 1, before))
    return tuple(gaps)


def _first_gap(own: Tuple[_Gap, ...], theirs: Tuple[_Gap, ...]) -> Optional[int]:
    """Returns the first step of the run that two lists of gaps take from different steps of the plan."""
    for i in range(max(len(own), len(theirs))):
        pair = (own[i : i + 1], theirs[i : i + 1])
        if pair[0] != pair[1]:
            return min(gap.step for gaps in pair for gap in gaps)
    return None


def _in_run(gaps: Tuple[_Gap, ...], step: int) -> int:
    """Returns the number of steps of the run before a step of the plan."""
    return step - sum(min(step, gap.stop) - gap.start for gap in gaps if gap.start < step)

"""The mixture of a run: the shares of its datasets, phase by phase."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Mapping, Optional, Tuple

_PHASE = re.compile(r"(\d{1,19}|open)(?: ramp (\d{1,19}))?: (.*)")
_WEIGHT = re.compile(r"([A-Za-z0-9_-]+)=(\d+/\d+|[+]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)")
_MOST_CHARACTERS = 100
"""The largest number of characters of a weight."""


@dataclass(frozen=True)
class Source:
    """A dataset of a run."""

    name: str
    """Its name in the pipeline file; empty for the only dataset of a run without names."""
    size: int
    """The number of its samples that the run trains on."""
    first: int
    """The index among all datasets of its first sample."""


@dataclass(frozen=True)
class Phase:
    """Consecutive steps of a mixture."""

    steps: Optional[int]
    """The number of steps, with those of the ramp; None for a last phase without an end."""
    shares: Mapping[str, Fraction]
    """The exact share of each dataset with a weight above 0, by its name. The sum is 1."""
    ramp: int
    """The number of steps, from the first one on, in which the shares change from those of the phase before to these."""


class Mix:
    """The shares of the datasets in the steps of a run. `str(mix)` is one line of text; equal mixtures have equal phases.

    Steps are counted as if `order.skip_steps` left none out.
    """

    phases: Tuple[Phase, ...]
    """The phases, one after the other, at least one."""

    def __init__(self, phases: Tuple[Phase, ...]) -> None:
        self.phases = phases

    @property
    def steps(self) -> Optional[int]:
        """The number of steps of all phases; None if the last one has no end."""
        total = 0
        for phase in self.phases:
            if phase.steps is None:
                return None
            total += phase.steps
        return total

    def first_difference(self, other: "Mix") -> Optional[int]:
        """Returns the first step at which two mixtures of one run may differ, or None.

        Phases are compared in turn: where the shares or the ramps of two phases differ, it is the first step of the phase, and
        where only their ends differ, the earlier end. The end of a last phase is no difference, because a run decides itself how
        long it is.
        """
        start = 0
        for own, theirs in zip(self.phases, other.phases):
            if (own.shares, own.ramp) != (theirs.shares, theirs.ramp):
                return start
            ends = (self._end(own), other._end(theirs))
            if ends[0] != ends[1]:
                return start + min(end for end in ends if end is not None)
            start += ends[0] or 0
        return None

    def _end(self, phase: Phase) -> Optional[int]:
        return None if phase is self.phases[-1] else phase.steps

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mix) and self.phases == other.phases

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        lines = []
        for phase in self.phases:
            head = "open" if phase.steps is None else str(phase.steps)
            head += f" ramp {phase.ramp}" if phase.ramp else ""
            lines.append(f"{head}: " + " ".join(f"{name}={share}" for name, share in phase.shares.items()))
        return "; ".join(lines)

    def __repr__(self) -> str:
        return f"Mix('{self}')"


def parse(text: str) -> Mix:
    """Returns the mixture in a text such as `10000: web=0.8 code=0.2; open ramp 2000: web=1`. Raises ValueError for others."""
    phases = []
    parts = text.split("; ")
    for number, part in enumerate(parts):
        found = _PHASE.fullmatch(part)
        if not found or (found[1] == "open" and number < len(parts) - 1):
            raise ValueError(f"expected a phase of a mixture, found '{part}'")
        weights = dict(_weight(each) for each in found[3].split(" "))
        total = sum(weights.values())
        if not total:
            raise ValueError(f"expected a weight above 0, found '{part}'")
        shares = {name: weight / total for name, weight in weights.items() if weight}
        phases.append(Phase(None if found[1] == "open" else int(found[1]), shares, int(found[2] or 0)))
    return Mix(tuple(phases))


def _weight(text: str) -> Tuple[str, Fraction]:
    found = _WEIGHT.fullmatch(text)
    if not found or len(found[2]) > _MOST_CHARACTERS:
        raise ValueError(f"expected the weight of a dataset, found '{text[: 2 * _MOST_CHARACTERS]}'")
    try:
        return found[1], Fraction(found[2])
    except ZeroDivisionError:
        raise ValueError(f"expected a denominator above 0, found '{text}'") from None

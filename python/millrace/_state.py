"""The saved state of a loader: the place in a run, and the settings by which the run is known."""

import json
from typing import Any, Dict, Mapping, Optional, Protocol, Union

from ._errors import PlanDiffers
from ._future import Difference, differences
from ._plan import Plan
from ._protocol import short

_VERSION = 2
"""In version 1, the fingerprint was a mapping, which torch.distributed.checkpoint divides into its keys."""


class Place(Protocol):
    """The place of a program in a run."""

    @property
    def plan(self) -> Plan:
        """The plan of the run."""

    @property
    def resumes(self) -> int:
        """The step with which a program goes on that has saved its state now."""

    def seek(self, step: int) -> None:
        """Continues with a step."""


class Stateful:
    """What saves and restores a place: the interfaces of torchdata, torchtitan and torch.distributed.checkpoint, and of Grain."""

    _passes: Place

    def state_dict(self) -> Dict[str, Any]:
        """Returns `{"version": 2, "fingerprint": "...", "step": n}`, which is equal on all ranks and for any number of them.

        The next batch is that of step n: a batch that the loop has received counts, prefetched ones do not. After the last batch
        of an epoch, it is the first one of the next; with `repeat`, of the same. The fingerprint is a text, so that
        `torch.distributed.checkpoint` stores it whole.
        """
        fingerprint = json.dumps(dict(self._passes.plan.fingerprint), sort_keys=True)
        return {"version": _VERSION, "fingerprint": fingerprint, "step": self._passes.resumes}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues with the step of a state: the next `for` is the rest of its epoch. `world` may be another than when it was
        saved.

        The run may have another `mix` and other `order.skip_steps` from the step of the state on, and more datasets, which are
        added at the end. States of earlier releases are accepted.

        Raises PlanDiffers when the state belongs to another plan, with the first step that differs where steps before that of the
        state do, and ValueError for other objects.
        """
        self._passes.seek(_step_of(state, self._passes.plan))

    def get_state(self) -> bytes:
        """Returns `state_dict()` as JSON text in bytes, as the iterators of Grain's DataLoader do."""
        return json.dumps(self.state_dict(), sort_keys=True).encode()

    def set_state(self, state: Union[bytes, Mapping[str, Any]]) -> None:
        """Continues as `load_state_dict` does, with what `get_state` or `state_dict` has returned: `next` gives its step."""
        self.load_state_dict(_from_json(state) if isinstance(state, (bytes, bytearray)) else state)

    def start_prefetch(self) -> None:
        """Does nothing: the server prepares batches from `set_state` on. Grain's checkpoints call it after they have restored."""


def _from_json(text: Union[bytes, bytearray]) -> Any:
    try:
        return json.loads(text)
    except ValueError as e:
        raise ValueError(f"expected the state of a loader as JSON text, found {short(bytes(text[:100]))}: {e}") from None


def _step_of(state: Mapping[str, Any], plan: Plan) -> int:
    """Returns the step of a state. Raises PlanDiffers when it belongs to another plan, and ValueError for other objects."""
    found = dict(state) if isinstance(state, Mapping) else {}
    step, fingerprint = found.get("step"), _fingerprint(found)
    if fingerprint is None or not isinstance(step, int) or isinstance(step, bool):
        expected = f"expected version {_VERSION}, or 1 of an earlier release, fingerprint and step"
        raise ValueError(f"{short(state)} is not a state of this package: {expected}")
    try:
        require_same(plan.fingerprint, fingerprint, "the plan of the saved state", step)
    except ValueError as e:
        raise ValueError(f"{short(state)} is not a state of this package: {e}") from None
    return step


def _fingerprint(state: Mapping[str, Any]) -> Optional[Mapping[str, str]]:
    """Returns the fingerprint of a state; None for other objects."""
    version, found = state.get("version"), state.get("fingerprint")
    if version == _VERSION and isinstance(found, str):
        try:
            found = json.loads(found)
        except ValueError:
            return None
    elif version != 1:
        return None
    if not isinstance(found, Mapping) or not all(isinstance(each, str) for pair in found.items() for each in pair):
        return None
    return found


def require_same(expected: Mapping[str, str], found: Mapping[str, str], whose: str, step: Optional[int] = None) -> None:
    """Raises PlanDiffers with the settings that differ between two fingerprints. From `step` on, a mixture may differ."""
    different = differences(expected, found, step)
    if different:
        each = ", ".join(_sentence(one, expected, found, step) for one in different[:8])
        more = ", ..." if len(different) > 8 else ""
        raise PlanDiffers(f"{whose} differs from the server's plan: {each}{more}", [one.key for one in different])


def _sentence(one: Difference, expected: Mapping[str, str], found: Mapping[str, str], step: Optional[int]) -> str:
    text = f"{one.key} is {_shown(found, one.key)}, expected {_shown(expected, one.key)}"
    if one.step is None:
        return text
    return f"{text}, which differs from step {one.step} on; steps before {step} have been received, and cannot be changed"


def _shown(values: Mapping[str, str], key: str) -> str:
    return f"'{values[key]}'" if key in values else "missing"

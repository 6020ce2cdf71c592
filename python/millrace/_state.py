"""The saved state of a loader: the place in a run, and the settings by which the run is known."""

from typing import Any, Dict, Mapping

from ._errors import PlanDiffers
from ._plan import Plan
from ._protocol import short

_VERSION = 1

_FORMAT = "dataset.format"
"""A setting that every fingerprint has, except those of version 0.1.0."""


def state_of(plan: Plan, step: int) -> Dict[str, Any]:
    """Returns the state of a loader whose next batch is that of `step`."""
    return {"version": _VERSION, "fingerprint": dict(plan.fingerprint), "step": step}


def step_of(state: Mapping[str, Any], plan: Plan) -> int:
    """Returns the step of a state. Raises PlanDiffers when it belongs to another plan, and ValueError for other objects."""
    found = dict(state) if isinstance(state, Mapping) else {}
    step, fingerprint = found.get("step"), found.get("fingerprint")
    if found.get("version") != _VERSION or not isinstance(step, int) or not isinstance(fingerprint, Mapping):
        raise ValueError(f"{short(state)} is not a state of this package: expected version {_VERSION}, fingerprint and step")
    require_same(plan.fingerprint, fingerprint, "the plan of the saved state")
    return step


def require_same(expected: Mapping[str, str], found: Mapping[str, str], whose: str) -> None:
    """Raises PlanDiffers with the settings that differ between two fingerprints."""
    keys = sorted(k for k in set(expected) | set(found) if expected.get(k) != found.get(k))
    if _FORMAT not in expected or _FORMAT not in found:
        # A state of version 0.1.0, which knows nothing of the dataset but its size.
        keys = [k for k in keys if not k.startswith("dataset.") or k == "dataset.size"]
    if keys:
        each = ", ".join(f"{k} is {_shown(found, k)}, expected {_shown(expected, k)}" for k in keys[:8])
        raise PlanDiffers(f"{whose} differs from the server's plan: {each}{', ...' if len(keys) > 8 else ''}", keys)


def _shown(values: Mapping[str, str], key: str) -> str:
    return f"'{values[key]}'" if key in values else "missing"

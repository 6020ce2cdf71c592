"""The transforms that the plan left for the device, in torch. Imports torch when used."""

from functools import lru_cache
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np
import torch

from ._errors import ProtocolError
from ._plan import Field, Plan, Transform
from ._protocol import MAX_STEP, integer, short
from ._results import Results


def device_transforms(plan: Plan) -> Dict[str, List[Transform]]:
    """Returns the transforms of the plan by the name of the field that they change.

    Raises ValueError for a transform that a client cannot apply, and ProtocolError for one of an unknown field.
    """
    changes: Dict[str, List[Transform]] = {}
    for change in plan.transforms:
        if change.field is None or not ("std" in change.numbers or "classes" in change.numbers):
            raise ValueError(
                f"the transform {change.name} of device.transforms cannot be applied by a client:"
                " ask the server to apply all of them with Loader(..., transforms='server')"
            )
        if change.field not in plan.fields:
            raise ProtocolError(
                f"{change.name} changes the field {short(change.field)}; the batch has {', '.join(plan.fields)}"
            )
        changes.setdefault(change.field, []).append(change)
    return changes


def require_classes(values: torch.Tensor, field: Field, changes: Sequence[Transform]) -> None:
    """Checks the class numbers of a field on the CPU, before they are copied: a check on a GPU would wait for all its work.

    `values` are all numbers of the field, of any shape. Raises ValueError for one that the transform cannot encode.
    """
    if not changes or "classes" not in changes[0].numbers or not values.numel():
        return
    classes = _classes(changes[0])
    if values.dtype == torch.uint8 and classes > 255:
        return
    least, most = (int(bound) for bound in torch.aminmax(values))
    if least < 0 or most >= classes:
        raise ValueError(
            f"{changes[0].name}: field {field.name!r} has the class numbers {least} to {most}, expected 0 to {classes - 1}"
        )


def _classes(change: Transform) -> int:
    return integer(dict(change.numbers), "classes", change.name, 1, MAX_STEP)


def transformed(tensor: torch.Tensor, field: Field, changes: Sequence[Transform]) -> torch.Tensor:
    """Returns the tensor of a field after its transforms, as float32 if there are any.

    Nothing here waits for a GPU: class numbers must have passed `require_classes`, and constants are made once for a device.

    Pictures become [rows, channels, height, width], encoded masks [rows, classes, height, width]. The arithmetic is that of
    Millrace and torchvision: float32, and a division by each divisor. The divisors are tensors, because torch multiplies by the
    reciprocal of a number on a GPU, which rounds differently.
    """
    if changes and "classes" in changes[0].numbers:
        if len(changes) > 1:
            raise ProtocolError(f"field {field.name!r}: {changes[1].name} after {changes[0].name}")
        return _encoded(tensor, field, changes[0])
    if changes:
        # On the CPU, parts that stay in its cache are changed one after another, in memory that is used again.
        lines = tensor.reshape(-1, _width(tensor))
        on_host = tensor.device.type == "cpu"
        made = _floats(lines) if on_host else torch.empty_like(lines, dtype=torch.float32)
        steps = [step for change in changes for step in _steps(change, field, tensor, lines)]
        part = max(1, _PART // max(1, lines.shape[1])) if on_host else max(1, len(lines))
        for given, result in zip(torch.split(lines, part), torch.split(made, part)):
            result.copy_(given)
            for change, operand in steps:
                change(result, operand)
        tensor = made.view(tensor.shape)
    return tensor.permute(0, 3, 1, 2) if field.pictures else tensor


_PART = 1 << 16
"""The elements of a part: their 256 KiB fit into the second-level cache of a core."""

_results = Results()


def _floats(lines: torch.Tensor) -> torch.Tensor:
    """Returns memory for the results, float32 with the shape of `lines`."""
    return torch.from_numpy(np.ndarray(tuple(lines.shape), np.float32, _results.take(4 * lines.numel())))


def _width(tensor: torch.Tensor) -> int:
    """Returns the length of a line: several pixels, over which torch computes faster than over three channels."""
    if tensor.dim() < 2:
        return 1
    return tensor.shape[-1] if tensor.dim() == 2 else tensor.shape[-2] * tensor.shape[-1]


Step = Tuple[Callable[[torch.Tensor, torch.Tensor], Any], torch.Tensor]


def _steps(change: Transform, field: Field, tensor: torch.Tensor, lines: torch.Tensor) -> List[Step]:
    """Returns the operations of a transform, in place, with their right operands. Those that change nothing are left out."""
    if "classes" in change.numbers:
        raise ProtocolError(f"field {field.name!r}: {change.name} after a transform of numbers")
    channels = tensor.shape[-1] if tensor.dim() > 1 else 1
    mean, std = _numbers(change, "mean", 1, channels), _numbers(change, "std", 1, channels)
    if 0 in std:
        raise ProtocolError(f"{change.name}: 'std' is {short(list(std))}, expected numbers other than 0")
    steps: List[Step] = []
    if "matrix" in change.numbers:
        if channels != 3:
            raise ProtocolError(f"{change.name} of {field.name!r} {list(field.shape)}: the matrix needs pixels of 3 channels")
        steps.append((_mix, _matrix(_numbers(change, "matrix", 9), mean, lines.device)))
    elif any(mean):
        steps.append((torch.Tensor.sub_, _per_channel(mean, lines.shape[1], lines.device)))
    if any(number != 1 for number in std):
        steps.append((torch.Tensor.div_, _per_channel(std, lines.shape[1], lines.device)))
    return steps


def _mix(lines: torch.Tensor, matrix: torch.Tensor) -> None:
    """Replaces each pixel by its product with the first rows of `matrix`, plus the last row."""
    pixels = lines.view(-1, 3)
    pixels.copy_(torch.addmm(matrix[3], pixels, matrix[:3]))


def _encoded(tensor: torch.Tensor, field: Field, change: Transform) -> torch.Tensor:
    """Returns class numbers as zeros and ones, float32 [rows, classes, ...]: all the numbers of a ragged field's row together."""
    ragged = change.numbers.get("ragged", False)
    if ragged != (field.form == "ragged"):
        raise ProtocolError(f"{change.name} of the {field.form} field {field.name!r}")
    classes = _classes(change)
    numbers = (tensor.values() if ragged else tensor).to(torch.int64)
    if ragged:
        nested: Any = tensor
        lengths, entries = nested.offsets().diff(), numbers.reshape(-1)
        # With the number of rows that it returns, torch does not have to ask the GPU for it.
        rows = torch.arange(len(lengths), device=tensor.device).repeat_interleave(lengths, output_size=len(entries))
        ones = torch.zeros((len(lengths), classes), dtype=torch.float32, device=tensor.device)
        ones.view(-1).scatter_(0, rows * classes + entries, 1.0)
        return ones
    if field.pictures:
        numbers = numbers.squeeze(-1)
    ones = torch.zeros((len(numbers), classes, *numbers.shape[1:]), dtype=torch.float32, device=tensor.device)
    return ones.scatter_(1, numbers.unsqueeze(1), 1.0)


@lru_cache(maxsize=64)
def _per_channel(numbers: Tuple[float, ...], width: int, device: torch.device) -> torch.Tensor:
    """Returns one number for each element of a line of so many; one number alone is a scalar."""
    each = torch.tensor(numbers, dtype=torch.float32)
    return (each.repeat(width // len(numbers)) if len(numbers) > 1 else each[0]).to(device)


@lru_cache(maxsize=64)
def _matrix(numbers: Tuple[float, ...], mean: Tuple[float, ...], device: torch.device) -> torch.Tensor:
    """Returns the operand of `_mix`: float32 [4, 3]."""
    rows = torch.tensor(numbers, dtype=torch.float32).view(3, 3)
    added = -torch.tensor(mean, dtype=torch.float32).expand(3)
    return torch.cat([rows.t(), added.view(1, 3)]).to(device)


def _numbers(change: Transform, key: str, *counts: int) -> Tuple[float, ...]:
    """Returns numbers of the server, whose count is one of `counts`."""
    found = change.numbers.get(key)
    if not isinstance(found, list) or not all(type(number) in (int, float) for number in found):
        raise ProtocolError(f"{change.name}: '{key}' is {short(found)}, expected a list of numbers")
    if len(found) not in counts:
        raise ProtocolError(f"{change.name}: '{key}' has {len(found)} numbers, expected {' or '.join(map(str, counts))}")
    return tuple(float(number) for number in found)

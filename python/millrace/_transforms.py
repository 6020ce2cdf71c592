"""The transforms that the plan left for the device, in torch. Imports torch when used."""

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import torch

from ._errors import ProtocolError
from ._plan import Field, Plan
from ._protocol import MAX_STEP, integer, short
from ._results import Results

Change = Tuple[str, Mapping[str, Any]]

FLOATS = ("ToFloat", "Normalize", "ConvertColor")
"""Transforms of numbers, which become float32."""
CLASSES = ("OneHot", "MultiHot")
"""Encodings of class numbers as float32."""

# Red, green and blue to JPEG's YCbCr with full range: the columns of the matrix, and what is added.
_COLOR = ((0.299, -0.16874, 0.5), (0.587, -0.33126, -0.41869), (0.114, 0.5, -0.08131), (0.0, 128.0, 128.0))


def device_transforms(plan: Plan) -> Dict[str, List[Change]]:
    """Returns the transforms of the plan by the name of the field that they change.

    Raises ValueError for a transform that is not implemented here, and ProtocolError for one of an unknown field.
    """
    images = [f.name for f in plan.fields.values() if f.kind == "image"]
    usual = "image" if "image" in plan.fields else images[0] if images else None
    changes: Dict[str, List[Change]] = {}
    for name, options in plan.transforms:
        if name not in FLOATS and name not in CLASSES:
            raise ValueError(
                f"the transform {name} of device.transforms is not implemented in the client, which has"
                f" {', '.join(FLOATS + CLASSES)}: ask the server to apply all of them with Loader(..., transforms='server')"
            )
        changed: Any = options.get("field") or ("label" if name in CLASSES else usual)
        if changed not in plan.fields:
            raise ProtocolError(f"{name} changes the field {short(changed)}; the batch has {', '.join(plan.fields)}")
        changes.setdefault(changed, []).append((name, options))
    return changes


def transformed(tensor: torch.Tensor, field: Field, changes: Sequence[Change]) -> torch.Tensor:
    """Returns the tensor of a field after its transforms, as float32 if there are any.

    Pictures become [rows, channels, height, width], encoded masks [rows, classes, height, width]. The arithmetic is that of
    Millrace and torchvision: float32, and a division by each divisor. The divisors are tensors, because torch multiplies by the
    reciprocal of a number on a GPU, which rounds differently.
    """
    if changes and changes[0][0] in CLASSES:
        name, options = changes[0]
        if len(changes) > 1:
            raise ProtocolError(f"field {field.name!r}: {changes[1][0]} after {name}")
        return _encoded(tensor, field, name, integer(dict(options), "classes", name, 1, MAX_STEP))
    if changes:
        # On the CPU, parts that stay in its cache are changed one after another, in memory that is used again.
        lines = tensor.reshape(-1, _width(tensor))
        on_host = tensor.device.type == "cpu"
        made = _floats(lines) if on_host else torch.empty_like(lines, dtype=torch.float32)
        steps = [step for name, options in changes for step in _steps(name, options, field, tensor, lines)]
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


def _steps(name: str, options: Mapping[str, Any], field: Field, tensor: torch.Tensor, lines: torch.Tensor) -> List[Step]:
    """Returns the operations of a transform, in place, with their right operands."""
    if name in CLASSES:
        raise ProtocolError(f"field {field.name!r}: {name} after a transform of numbers")
    if name == "ConvertColor":
        if not field.pictures or field.shape[2] != 3:
            raise ProtocolError(f"ConvertColor of {field.name!r} {list(field.shape)}, expected images [height, width, 3]")
        return [(_convert_color, torch.tensor(_COLOR, device=tensor.device))]
    if name == "ToFloat":
        scale = _numbers(name, options, "scale", [255.0])
        return [(torch.Tensor.div_, torch.tensor(scale[0], dtype=torch.float32, device=tensor.device))]
    channels = tensor.shape[-1] if tensor.dim() > 1 else 1
    return [
        (torch.Tensor.sub_, _per_channel(_numbers(name, options, "mean"), channels, lines)),
        (torch.Tensor.div_, _per_channel(_numbers(name, options, "std"), channels, lines)),
    ]


def _convert_color(lines: torch.Tensor, color: torch.Tensor) -> None:
    """Replaces each pixel by its product with the first rows of `color`, plus the last row."""
    pixels = lines.view(-1, 3)
    pixels.copy_(torch.addmm(color[3], pixels, color[:3]))


def _encoded(tensor: torch.Tensor, field: Field, name: str, classes: int) -> torch.Tensor:
    """Returns class numbers as zeros and ones, float32 [rows, classes, ...]."""
    if (field.form == "ragged") != (name == "MultiHot"):
        raise ProtocolError(f"{name} of the {field.form} field {field.name!r}")
    numbers = tensor.values() if name == "MultiHot" else tensor
    if numbers.numel() and not 0 <= int(numbers.min()) <= int(numbers.max()) < classes:
        found = f"{int(numbers.min())} to {int(numbers.max())}"
        raise ValueError(f"{name}: field {field.name!r} has the class numbers {found}, expected 0 to {classes - 1}")
    numbers = numbers.to(torch.int64)
    if name == "MultiHot":
        nested: Any = tensor
        lengths = nested.offsets().diff()
        rows = torch.arange(len(lengths), device=tensor.device).repeat_interleave(lengths)
        ones = torch.zeros((len(lengths), classes), dtype=torch.float32, device=tensor.device)
        return ones.index_put_((rows, numbers.reshape(-1)), torch.ones((), device=tensor.device))
    if field.pictures:
        numbers = numbers.squeeze(-1)
    ones = torch.zeros((len(numbers), classes, *numbers.shape[1:]), dtype=torch.float32, device=tensor.device)
    return ones.scatter_(1, numbers.unsqueeze(1), 1.0)


_constants: Dict[Tuple[Tuple[float, ...], int, torch.device], torch.Tensor] = {}


def _per_channel(numbers: List[float], channels: int, lines: torch.Tensor) -> torch.Tensor:
    """Returns one number for each element of a line."""
    if len(numbers) not in (1, channels):
        raise ProtocolError(f"Normalize has {len(numbers)} numbers, expected 1 or one for each of the {channels} channels")
    width = lines.shape[1]
    key = (tuple(numbers), width, lines.device)
    found = _constants.get(key)
    if found is None:
        if len(_constants) >= 64:
            _constants.clear()
        each = torch.tensor(numbers, dtype=torch.float32)
        found = _constants[key] = each.repeat(width // len(numbers)).to(lines.device)
    return found


def _numbers(name: str, options: Mapping[str, Any], key: str, default: Optional[List[float]] = None) -> List[float]:
    found = options.get(key, default)
    numbers = found if isinstance(found, list) else [found]
    for number in numbers:
        if not isinstance(number, (int, float)) or isinstance(number, bool) or (key != "mean" and not number > 0):
            raise ProtocolError(f"{name}: '{key}' is {short(found)}, expected numbers")
    if not numbers:
        raise ProtocolError(f"{name}: '{key}' is empty")
    return [float(number) for number in numbers]

"""Batches as torch tensors, and the transforms that the plan left for the device. Imports torch when used."""

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import torch
from torch.utils.data import IterableDataset

from ._errors import ProtocolError
from ._plan import Field, Plan
from ._protocol import short
from ._results import Results
from ._varying import Ragged, Sparse

if TYPE_CHECKING:
    from ._batch import Batch
    from ._cuda import Transfers
    from ._loader import Loader


def tensors(
    batch: "Batch", names: Sequence[str], device: Any, transforms: bool, transfers: "Optional[Transfers]"
) -> List[torch.Tensor]:
    """Returns the tensors of some fields, as `Batch.torch` describes."""
    target = None if device is None else torch.device(device)
    on_host = [host_tensor(batch, batch.field(name)) for name in names]
    made = on_host
    if target is not None and target.type != "cpu":
        pinned = transfers is not None and target.type == "cuda"
        made = [tensor.to(target, non_blocking=pinned) for tensor in on_host]
        if pinned and transfers is not None:
            transfers.begun(target, on_host)
    if transforms:
        changes, changed = device_transforms(batch.plan)
        made = [transformed(tensor, batch.field(name), changes if name == changed else ()) for tensor, name in zip(made, names)]
    return made


def host_tensor(batch: "Batch", field: Field) -> torch.Tensor:
    """Returns the tensor of a field on the CPU."""
    if field.dtype == "bfloat16" and field.form == "dense":
        return torch.from_numpy(batch.stored(field).view(np.int16)).view(torch.bfloat16)
    value = batch[field.name]
    if isinstance(value, Ragged):
        return value.to_nested()
    return torch.from_numpy(value.dense() if isinstance(value, Sparse) else value)


Change = Tuple[str, Mapping[str, Any]]


def device_transforms(plan: Plan) -> Tuple[Tuple[Change, ...], Optional[str]]:
    """Returns the transforms of the plan, and the name of the field that they change.

    Raises ValueError for a transform that is not implemented here.
    """
    images = [f.name for f in plan.fields.values() if f.kind == "image"]
    usual = "image" if "image" in plan.fields else images[0] if images else None
    changed = {options.get("field") or usual for _, options in plan.transforms}
    for name, _ in plan.transforms:
        if name not in ("ToFloat", "Normalize"):
            raise ValueError(
                f"the transform {name} of device.transforms is not implemented in the client (ToFloat and Normalize are):"
                " ask the server to apply it with Loader(..., transforms='server')"
            )
    if len(changed) > 1 or not all(name in plan.fields for name in changed):
        raise ValueError(
            f"device.transforms change the fields {sorted(map(str, changed))}, expected one field of the batch:"
            " ask the server to apply them with Loader(..., transforms='server')"
        )
    return plan.transforms, changed.pop() if changed else None


def transformed(tensor: torch.Tensor, field: Field, changes: Sequence[Change]) -> torch.Tensor:
    """Returns a tensor after its transforms, as float32 if there are any.

    The arithmetic is that of Millrace and torchvision: float32, and a division by each divisor. The divisors are tensors, because
    torch multiplies by the reciprocal of a number on a GPU, which rounds differently.
    """
    if changes:
        # On the CPU, parts that stay in its cache are changed one after another, in memory that is used again.
        lines = tensor.reshape(-1, _width(tensor))
        on_host = tensor.device.type == "cpu"
        made = _floats(lines) if on_host else torch.empty_like(lines, dtype=torch.float32)
        steps = [step for name, options in changes for step in _steps(name, options, tensor, lines)]
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


def _steps(name: str, options: Mapping[str, Any], tensor: torch.Tensor, lines: torch.Tensor) -> List[Step]:
    """Returns the operations of a transform, in place, with their right operands."""
    if name == "ToFloat":
        scale = _numbers(name, options, "scale", [255.0])
        return [(torch.Tensor.div_, torch.tensor(scale[0], dtype=torch.float32, device=tensor.device))]
    channels = tensor.shape[-1] if tensor.dim() > 1 else 1
    return [
        (torch.Tensor.sub_, _per_channel(_numbers(name, options, "mean"), channels, lines)),
        (torch.Tensor.div_, _per_channel(_numbers(name, options, "std"), channels, lines)),
    ]


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


class LoaderDataset(IterableDataset[Any]):
    """The batches of a loader for `DataLoader(dataset, batch_size=None, num_workers=0)`.

    Elements are tuples of tensors of `names` (a single tensor for one name), or `Batch` objects without names. `state_dict` and
    `load_state_dict` are those of the loader, as torchdata's `StatefulDataLoader` uses them.
    """

    def __init__(self, loader: "Loader", names: Tuple[str, ...], transforms: bool) -> None:
        super().__init__()
        self._loader = loader
        self._names = names
        self._transforms = transforms

    def __iter__(self) -> Iterator[Any]:
        worker = torch.utils.data.get_worker_info()
        if worker is not None:
            raise RuntimeError("a Millrace loader delivers ready batches and needs no workers: use DataLoader(num_workers=0)")
        for batch in self._loader:
            yield batch.torch(*self._names, transforms=self._transforms) if self._names else batch

    def state_dict(self) -> Dict[str, Any]:
        """Returns the state of the loader."""
        return self._loader.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues with the step of a state of the loader."""
        self._loader.load_state_dict(state)

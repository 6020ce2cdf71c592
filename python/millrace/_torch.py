"""Fields as torch tensors. Imports torch when used."""

from typing import Any, Callable, List, NamedTuple, Optional, Sequence

import numpy as np
import torch

from ._cuda import Transfers
from ._fields import Fields
from ._plan import Field
from ._transforms import device_transforms, require_classes, transformed
from ._varying import Ragged, Sparse


class Parts(NamedTuple):
    """The tensors of a field: its values, and where the rows of a ragged field begin. A nested tensor would copy these with a wait."""

    values: torch.Tensor
    offsets: Optional[torch.Tensor] = None

    def each(self, change: Callable[[torch.Tensor], torch.Tensor]) -> "Parts":
        """Returns what a function makes of each part."""
        return Parts(change(self.values), None if self.offsets is None else change(self.offsets))

    def joined(self) -> torch.Tensor:
        """Returns the tensor of the field, which shares the memory of the parts."""
        if self.offsets is None:
            return self.values
        return torch.nested.nested_tensor_from_jagged(self.values, self.offsets)


def tensors(
    batch: Fields, names: Sequence[str], device: Any, transforms: bool, transfers: Optional[Transfers]
) -> List[torch.Tensor]:
    """Returns the tensors of some fields, as `Batch.torch` describes."""
    target = None if device is None else torch.device(device)
    fields = [batch.field(name) for name in names]
    changes = device_transforms(batch.plan) if transforms else {}
    found = [host_parts(batch, field) for field in fields]
    for field, parts in zip(fields, found):
        require_classes(parts.values, field, changes.get(field.name, ()))
    if target is not None and target.type != "cpu":
        if target.type == "cuda" and transfers is not None and transfers.lock(target):
            found = _copied(found, target, transfers)
        else:
            found = [parts.each(lambda part: part.to(target)) for parts in found]
    made = [parts.joined() for parts in found]
    if transforms:
        made = [transformed(tensor, field, changes.get(field.name, ())) for tensor, field in zip(made, fields)]
    return made


def _copied(found: Sequence[Parts], target: torch.device, transfers: Transfers) -> List[Parts]:
    """Returns the parts on a GPU, without a wait for the copies, which hold the buffer."""
    sources: List[torch.Tensor] = []

    def copied(part: torch.Tensor) -> torch.Tensor:
        # What is not in the buffer, such as expanded bits, has to be page-locked first. Torch keeps that memory until the copy's end.
        locked = part if not part.nbytes or transfers.holds(part.data_ptr(), part.nbytes) else part.pin_memory()
        sources.append(locked)
        return locked.to(target, non_blocking=True)

    try:
        return [parts.each(copied) for parts in found]
    finally:
        transfers.begun(sources)  # Also when the GPU had memory for the first tensors only.


def host_parts(batch: Fields, field: Field) -> Parts:
    """Returns the tensors of a field on the CPU."""
    if field.dtype == "bfloat16" and field.form == "dense":
        return Parts(torch.from_numpy(batch.stored(field).view(np.int16)).view(torch.bfloat16))
    value = batch[field.name]
    if isinstance(value, Ragged):
        return Parts(torch.from_numpy(value.values), torch.from_numpy(value.offsets))
    return Parts(torch.from_numpy(value.dense() if isinstance(value, Sparse) else value))

"""Fields as torch tensors. Imports torch when used."""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

import numpy as np
import torch

from ._cuda import Transfers
from ._fields import Fields
from ._plan import Field
from ._running import Event
from ._transforms import device_transforms, require_classes, transformed
from ._varying import Ragged, Sparse


class Parts(NamedTuple):
    """The tensors of a field: its values, and where the rows of a ragged field begin. A nested tensor waits for their copy."""

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


class Copied(NamedTuple):
    """Fields on a GPU, whose copies may be under way."""

    target: torch.device
    fields: Dict[str, Parts]
    event: Optional[Event]
    """The end of the copies on a stream of their own; None if they run on the stream of the loop."""

    def take(self, names: Sequence[str], transfers: Transfers) -> Dict[str, Parts]:
        """Removes and returns some fields, for the current stream, which waits for the copies. The program does not."""
        taken = {name: self.fields.pop(name) for name in dict.fromkeys(names) if name in self.fields}
        if taken and self.event is not None:
            tensors = [part for parts in taken.values() for part in parts if part is not None]
            transfers.follow(self.target.index, self.event, tensors)
        return taken


def tensors(
    batch: Fields,
    names: Sequence[str],
    device: Any,
    transforms: bool,
    transfers: Optional[Transfers],
    ahead: Optional[Copied],
    step: int,
) -> List[torch.Tensor]:
    """Returns the tensors of some fields of a step, as `Batch.torch` describes. `ahead` are fields that were copied ahead."""
    target = None if device is None else torch.device(device)
    fields = [batch.field(name) for name in names]
    if fields:
        batch.use()  # The fields may have been copied ahead, before the program got the batch.
    changes = device_transforms(batch.plan) if transforms else {}
    for field in fields:
        if field.name in changes:
            require_classes(host_parts(batch, field).values, field, changes[field.name])
    gpu = transfers.lock(target) if target is not None and target.type == "cuda" and transfers is not None else None
    if transfers is not None and gpu is not None:
        target = torch.device("cuda", gpu)
        found = _on_gpu(batch, names, target, transfers, ahead)
        # The program may change a field before its copy, in each step, if it has the field on the CPU.
        transfers.asked(step, target, [name for name in names if name not in batch.exposed])
    else:
        found = [host_parts(batch, field) for field in fields]
        if target is None or target.type == "cpu":
            batch.expose(*names)
        else:
            found = [parts.each(lambda part: part.to(target)) for parts in found]
    made = [parts.joined() for parts in found]
    if transforms:
        made = [transformed(tensor, field, changes.get(field.name, ())) for tensor, field in zip(made, fields)]
    return made


def _on_gpu(
    batch: Fields, names: Sequence[str], target: torch.device, transfers: Transfers, ahead: Optional[Copied]
) -> List[Parts]:
    """Returns fields on a GPU, for work of the current stream. The program waits neither for copies nor for the GPU."""
    # A field may have changed since it was copied ahead, if the program has it on the CPU.
    unchanged = [name for name in names if name not in batch.exposed]
    found = ahead.take(unchanged, transfers) if ahead is not None and ahead.target == target else {}
    missing = [name for name in names if name not in found]
    if missing:
        found.update(copied(batch, missing, target, transfers).take(missing, transfers))
    return [found[name] for name in names]


def copied_ahead(batch: Fields, names: Sequence[str], target: torch.device, transfers: Transfers) -> Copied:
    """Begins to copy fields as `copied` does, for work that may begin after the loop has left its inference mode."""
    with torch.inference_mode(False):
        return copied(batch, names, target, transfers)


def copied(batch: Fields, names: Sequence[str], target: torch.device, transfers: Transfers) -> Copied:
    """Begins to copy fields to a GPU, on the stream of copies if there is one. The copies hold the buffer until they are done."""
    sources: List[torch.Tensor] = []

    def copy(part: torch.Tensor) -> torch.Tensor:
        # What is not in the buffer, such as expanded bits, has to be page-locked first. Torch keeps that memory as long.
        locked = part if not part.nbytes or transfers.holds(part.data_ptr(), part.nbytes) else part.pin_memory()
        sources.append(locked)
        return locked.to(target, non_blocking=True)

    aside = transfers.prefetch > 0
    with transfers.beside(target.index):
        try:
            fields = {name: host_parts(batch, batch.field(name)).each(copy) for name in names}
        finally:
            event = transfers.begun(target.index, sources)  # Also when the GPU had memory for the first tensors only.
    return Copied(target, fields, event if aside else None)


def device_of(out: Any) -> Optional[torch.device]:
    """Returns the device of the first tensor of the program."""
    return next((each.device for each in _listed(out) if isinstance(each, torch.Tensor)), None)


def _listed(out: Any) -> List[Any]:
    if isinstance(out, torch.Tensor):
        return [out]
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"out is a {type(out).__name__}, expected a tensor or a tuple of tensors")
    return list(out)


def copied_into(out: Any, names: Sequence[str], made: Sequence[torch.Tensor]) -> List[torch.Tensor]:
    """Copies tensors into those of the program, after a check of all of them, and returns the latter.

    Raises TypeError and ValueError when they do not fit.
    """
    into = _listed(out)
    if len(into) != len(made):
        raise ValueError(f"out has {len(into)} tensors, expected {len(made)}: one for each of {', '.join(names)}")
    for name, target, tensor in zip(names, into, made):
        if not isinstance(target, torch.Tensor):
            raise TypeError(f"out for field {name!r} is a {type(target).__name__}, expected a tensor")
        if tensor.is_nested:
            raise ValueError(f"field {name!r} is ragged, and its length differs between batches: ask for it without out")
        if (target.dtype, target.shape, target.device) != (tensor.dtype, tensor.shape, tensor.device):
            raise ValueError(f"out for field {name!r} is {_description(target)}, expected {_description(tensor)}")
    for target, tensor in zip(into, made):
        target.copy_(tensor)
    return into


def _description(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).rpartition('.')[2]} {list(tensor.shape)} on {tensor.device}"


def host_parts(batch: Fields, field: Field) -> Parts:
    """Returns the tensors of a field on the CPU."""
    if field.dtype == "bfloat16" and field.form == "dense":
        return Parts(torch.from_numpy(batch.stored(field).view(np.int16)).view(torch.bfloat16))
    value = batch.value(field.name)
    assert not isinstance(value, int), "the caller returns numbers as they are"
    if isinstance(value, Ragged):
        return Parts(torch.from_numpy(value.values), torch.from_numpy(value.offsets))
    return Parts(torch.from_numpy(value.dense() if isinstance(value, Sparse) else value))

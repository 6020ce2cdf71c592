"""Fields as torch tensors. Imports torch when used."""

from typing import Any, List, Optional, Sequence

import numpy as np
import torch

from ._cuda import Transfers
from ._fields import Fields
from ._plan import Field
from ._transforms import device_transforms, transformed
from ._varying import Ragged, Sparse


def tensors(
    batch: Fields, names: Sequence[str], device: Any, transforms: bool, transfers: Optional[Transfers]
) -> List[torch.Tensor]:
    """Returns the tensors of some fields, as `Batch.torch` describes."""
    target = None if device is None else torch.device(device)
    on_host = [host_tensor(batch, batch.field(name)) for name in names]
    made = on_host
    if target is not None and target.type != "cpu":
        pinned = transfers is not None and target.type == "cuda"
        try:
            made = [tensor.to(target, non_blocking=pinned) for tensor in on_host]
        finally:
            if pinned and transfers is not None:
                transfers.begun(target, on_host)  # Also when the GPU had memory for the first tensors only.
    if transforms:
        changes = device_transforms(batch.plan)
        made = [transformed(tensor, batch.field(name), changes.get(name, ())) for tensor, name in zip(made, names)]
    return made


def host_tensor(batch: Fields, field: Field) -> torch.Tensor:
    """Returns the tensor of a field on the CPU."""
    if field.dtype == "bfloat16" and field.form == "dense":
        return torch.from_numpy(batch.stored(field).view(np.int16)).view(torch.bfloat16)
    value = batch[field.name]
    if isinstance(value, Ragged):
        return value.to_nested()
    return torch.from_numpy(value.dense() if isinstance(value, Sparse) else value)

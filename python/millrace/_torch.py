"""Batches as torch tensors. Imports torch when used."""

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import torch
from torch.utils.data import IterableDataset

from ._plan import Field
from ._transforms import device_transforms, transformed
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
        try:
            made = [tensor.to(target, non_blocking=pinned) for tensor in on_host]
        finally:
            if pinned and transfers is not None:
                transfers.begun(target, on_host)  # Also when the GPU had memory for the first tensors only.
    if transforms:
        changes = device_transforms(batch.plan)
        made = [transformed(tensor, batch.field(name), changes.get(name, ())) for tensor, name in zip(made, names)]
    return made


def host_tensor(batch: "Batch", field: Field) -> torch.Tensor:
    """Returns the tensor of a field on the CPU."""
    if field.dtype == "bfloat16" and field.form == "dense":
        return torch.from_numpy(batch.stored(field).view(np.int16)).view(torch.bfloat16)
    value = batch[field.name]
    if isinstance(value, Ragged):
        return value.to_nested()
    return torch.from_numpy(value.dense() if isinstance(value, Sparse) else value)


class LoaderDataset(IterableDataset[Any]):
    """The batches of a loader for `DataLoader(iterable, batch_size=None, num_workers=0)`, epoch by epoch as those of the loader.

    `len` is the number of batches of an epoch. Elements are tuples of tensors of `names` (a single tensor for one name), or `Batch`
    objects without names. `state_dict` and `load_state_dict` are those of the loader, as torchdata's `StatefulDataLoader` uses
    them.
    """

    def __init__(self, loader: "Loader", names: Tuple[str, ...], device: Any, transforms: bool) -> None:
        super().__init__()
        self._loader = loader
        self._names = names
        self._device = device
        self._transforms = transforms

    def __len__(self) -> int:
        return len(self._loader)

    def __iter__(self) -> Iterator[Any]:
        worker = torch.utils.data.get_worker_info()
        if worker is not None:
            raise RuntimeError("a Millrace loader delivers ready batches and needs no workers: use DataLoader(num_workers=0)")
        for batch in self._loader:
            given = batch.copy() if self._device is None and batch.page_locked else batch
            yield given.torch(*self._names, device=self._device, transforms=self._transforms) if self._names else given

    def state_dict(self) -> Dict[str, Any]:
        """Returns the state of the loader."""
        return self._loader.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues with the step of a state of the loader."""
        self._loader.load_state_dict(state)

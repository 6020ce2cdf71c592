"""A loader as a dataset of torch's DataLoader. Imports torch when used."""

from typing import Any, Dict, Iterator, Mapping, Protocol, Tuple

import torch
from torch.utils.data import IterableDataset

from ._batch import Batch


class Batches(Protocol):
    """What the dataset uses of a loader."""

    def __len__(self) -> int:
        """Returns the number of batches of an epoch."""

    def __iter__(self) -> Iterator[Batch]:
        """Returns an iterator over the next epoch, or the rest of one."""

    def state_dict(self) -> Dict[str, Any]:
        """Returns the place in the run."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues at a place in the run."""


class LoaderDataset(IterableDataset[Any]):
    """The batches of a loader for `DataLoader(iterable, batch_size=None, num_workers=0)`, epoch by epoch as those of the loader.

    `len` is the number of batches of an epoch. Elements are tuples of tensors of `names` (a single tensor for one name), or `Batch`
    objects without names. `state_dict` and `load_state_dict` are those of the loader, as torchdata's `StatefulDataLoader` uses
    them.
    """

    def __init__(self, loader: Batches, names: Tuple[str, ...], device: Any, transforms: bool) -> None:
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

"""What programs read from a DataLoader besides its batches."""

import warnings
from typing import TYPE_CHECKING, Any, Callable, NoReturn

if TYPE_CHECKING:
    from ._iterable import LoaderDataset


class Samples:
    """The dataset of a loader, as far as a training program knows it: `len` is the number of its samples."""

    def __init__(self, count: int, iterable: "Callable[..., LoaderDataset]", loader: str) -> None:
        self._count = count
        self._iterable = iterable
        self._loader = loader

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: object) -> NoReturn:
        raise TypeError("the samples of a Millrace loader arrive in batches: iterate over the loader")

    __iter__ = None  # Python would ask for the samples 0, 1, 2, ...

    def __call__(self, *names: str, device: Any = None, transforms: bool = False) -> "LoaderDataset":
        """The earlier name of `Loader.iterable`."""
        warnings.warn("loader.dataset(...) is called loader.iterable(...) now", DeprecationWarning, stacklevel=2)
        return self._iterable(*names, device=device, transforms=transforms)

    def __repr__(self) -> str:
        return f"{self._loader}.dataset, {len(self)} samples"


class Sampler:
    """The order of a loader's samples, which depends on the seed and the epoch, for programs that set a sampler's epoch."""

    def __init__(self, set_epoch: Callable[[int], None]) -> None:
        self._set_epoch = set_epoch

    def set_epoch(self, epoch: int) -> None:
        """Lets the next `for` pass over this epoch.

        If the next `for` passes over this epoch anyway, or over the rest of it, nothing changes. With `repeat`, all passes are
        over the same epoch, and nothing changes.
        """
        self._set_epoch(epoch)

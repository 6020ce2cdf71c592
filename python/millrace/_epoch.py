"""One epoch of a loader."""

from time import perf_counter_ns
from typing import TYPE_CHECKING, Iterator

from ._batch import Batch

if TYPE_CHECKING:
    from ._loader import Loader


class Epoch:
    """The batches of one epoch of a loader. `len` is the number of steps of a whole epoch."""

    def __init__(self, loader: "Loader", number: int) -> None:
        steps = loader.plan.steps_per_epoch
        self._loader = loader
        self._first = number * steps
        self._end = self._first + steps

    def __len__(self) -> int:
        return self._end - self._first

    def __iter__(self) -> Iterator[Batch]:
        loader = self._loader
        if not self._first <= loader.step < self._end:
            loader.seek(self._first)
        return self

    def __next__(self) -> Batch:
        batch = self._loader._next_before(self._end)
        if batch is None:
            # The last step ends here, and not after an evaluation.
            self._loader._report(perf_counter_ns())
            raise StopIteration
        return batch

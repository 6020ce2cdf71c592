"""The iterator of a `for` over a loader."""

from typing import TYPE_CHECKING, Iterator, Optional

from ._batch import Batch, Look

if TYPE_CHECKING:
    from ._connection import Connection
    from ._loader import Loader


class Pass(Iterator[Batch]):
    """The batches that one `for` over a loader receives: those of an epoch, or the rest of the epoch that the loader is in.

    A loader has one place in the data. The pass that has begun last moves it; an earlier one raises.
    """

    def __init__(self, loader: "Loader") -> None:
        self._loader = loader
        self.begun = False
        self.start = 0
        """The step with which it begins."""
        self.given = False
        """Whether it has given a batch."""
        self.ended = False

    def __iter__(self) -> "Pass":
        return self

    def __next__(self) -> Batch:
        batch = self._loader._next_of(self)
        if batch is None:
            raise StopIteration
        return batch


class First:
    """The first batch of a pass that has not given a second one.

    If the pass is dropped now, it was a look at the data, and the next `for` gives the batch again.
    """

    def __init__(self, batch: Batch, source: "Optional[Connection]") -> None:
        self._kept = batch.copy()  # The program may write into the batch that it has.
        self.step = batch.step
        self.source = source
        """The connection over which the batch arrived."""
        self.look = batch.look = Look()

    def again(self) -> Batch:
        """Returns the batch as it was."""
        batch = self._kept.copy()
        self.look = batch.look = Look()
        return batch

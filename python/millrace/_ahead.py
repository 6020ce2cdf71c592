"""The batches that have arrived before the loop needs them, and are copied to a GPU already."""

from collections import deque
from typing import Deque, Optional, Union

from ._batch import Batch
from ._connection import Connection, Delivery
from ._cuda import Transfers
from ._errors import ProtocolError
from ._protocol import parse_buffer


class Ahead:
    """A queue of batches of one connection, from the loop's next step on.

    A batch in it counts for nothing yet: not for the place of the loop, its figures or its state. The thread that iterates calls
    all methods.
    """

    def __init__(self) -> None:
        self._connection: Optional[Connection] = None
        self._queue: Deque[Union[Batch, Delivery]] = deque()

    def take(self, connection: Connection) -> Union[Batch, Delivery, None]:
        """Removes and returns the batch of the next step, or None if the queue has none of this connection."""
        if connection is not self._connection:
            self.clear()
            self._connection = connection
        return self._queue.popleft() if self._queue else None

    def fill(self, transfers: Optional[Transfers], number: int) -> None:
        """Begins to copy the batches from a step on that have arrived, as the loop has copied the batch before. Does not wait."""
        connection = self._connection
        if transfers is None or transfers.request is None or connection is None:
            return
        buffers = connection.buffers
        while len(self._queue) < transfers.prefetch and buffers.lent < buffers.count - 1:
            if self._queue and isinstance(self._queue[-1], Delivery):
                return
            if not connection.arrived(number + len(self._queue)):
                return
            event = connection.receive(_arrived)
            assert isinstance(event, Delivery)
            self._queue.append(self._begun(connection, event, transfers))

    def _begun(self, connection: Connection, event: Delivery, transfers: Transfers) -> Union[Batch, Delivery]:
        """Returns the batch of a message after its copy has begun, or the message if only the loop may decide about it."""
        header, memory, place = event
        try:
            found = parse_buffer(memory, place, header, connection.plan.capacity)
        except ProtocolError:
            return event  # The loop raises it after the batches before.
        if found.rows == 0:
            return event
        batch = Batch(connection.plan, found, connection.buffers.lend(header.a, memory, place, header.b), transfers)
        assert transfers.request is not None
        try:
            batch.copy_ahead(transfers.request)
        except RuntimeError as e:  # of CUDA
            transfers.stop_prefetching(str(e))
        return batch

    def clear(self) -> None:
        """Removes all batches, whose buffers are returned when their copies are done."""
        connection, queue = self._connection, self._queue
        self._connection, self._queue = None, deque()
        for each in queue:
            if isinstance(each, Delivery) and connection is not None:
                connection.buffers.give_back(each.header.a)


def _arrived() -> Optional[float]:
    raise AssertionError("a message that has arrived is waited for")

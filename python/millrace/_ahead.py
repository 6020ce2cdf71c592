"""The batches that have arrived before the loop needs them, and are copied to a GPU already."""

import logging
from collections import deque
from typing import Deque, Optional, Union

from ._batch import Batch, copy_ahead
from ._connection import Connection, Delivery
from ._cuda import Request, Transfers
from ._errors import ProtocolError
from ._protocol import parse_buffer

_log = logging.getLogger("millrace")

OTHER_BUFFERS = 3
"""The buffers beside those that are copied ahead: the batch of the loop, the one before in its variable, and the server's."""


class Ahead:
    """A queue of batches of one connection, from the loop's next step on.

    A batch in it counts for nothing yet: not for the place of the loop, its figures or its state. The thread that iterates calls
    all methods.
    """

    def __init__(self) -> None:
        self._connection: Optional[Connection] = None
        self._queue: Deque[Union[Batch, Delivery, ProtocolError]] = deque()
        self._warned = False

    def take(self, connection: Connection) -> Union[Batch, Delivery, None]:
        """Removes and returns the batch of the next step, or None if the queue has none of this connection.

        Raises ProtocolError when the message of that step is wrong.
        """
        if connection is not self._connection:
            self.clear()
            self._connection = connection
        found = self._queue.popleft() if self._queue else None
        if isinstance(found, ProtocolError):
            raise found
        return found

    def fill(self, transfers: Transfers, number: int, batch: Optional[Batch] = None) -> None:
        """Begins to copy batches, as the loop has copied the batch before. Does not wait.

        They are `batch`, which the loop receives now and needs first, and those from the step `number` on that have arrived.
        """
        connection = self._connection
        if connection is None or transfers.request is None or not transfers.request.names or not transfers.prefetch:
            return
        if batch is not None:
            self._begin(batch, transfers, transfers.request)
        buffers = connection.buffers
        self._require_buffers(buffers.count, transfers.prefetch)
        while len(self._queue) < transfers.prefetch and buffers.lent < buffers.count - 1:
            if self._queue and not isinstance(self._queue[-1], Batch):
                return
            if not connection.arrived(number + len(self._queue)):
                return
            try:
                event = connection.receive(_arrived)
            except ProtocolError as e:
                self._queue.append(e.with_traceback(None))  # `take` raises it after the batches before.
                return
            assert isinstance(event, Delivery)
            self._queue.append(self._begun(connection, event, transfers, transfers.request))

    def _begun(self, connection: Connection, event: Delivery, transfers: Transfers, request: Request) -> Union[Batch, Delivery]:
        """Returns the batch of a message after its copy has begun, or the message if only the loop may decide about it."""
        header, memory, place = event
        try:
            found = parse_buffer(memory, place, header, connection.plan.capacity)
        except ProtocolError:
            return event  # The loop raises it after the batches before.
        if found.rows == 0:
            return event
        batch = Batch(connection.plan, found, connection.buffers.lend(header.a, memory, place, header.b), transfers)
        self._begin(batch, transfers, request)
        return batch

    def _begin(self, batch: Batch, transfers: Transfers, request: Request) -> None:
        try:
            copy_ahead(batch, request)
        except ProtocolError:
            pass  # The loop gets the batch, and the error when it asks for the wrong field.
        except RuntimeError as e:  # of CUDA
            transfers.stop_prefetching(str(e))

    def _require_buffers(self, count: int, prefetch: int) -> None:
        """Warns once when there are fewer buffers than the copies ahead need."""
        if count < prefetch + OTHER_BUFFERS and not self._warned:
            self._warned = True
            _log.warning(
                "prefetch is %d, but the loader has %d buffers, of which a loop needs %d besides: use Loader(buffers=%d) or more"
                " to copy %d batches to the GPU ahead",
                prefetch,
                count,
                OTHER_BUFFERS,
                prefetch + OTHER_BUFFERS,
                prefetch,
            )

    def clear(self) -> None:
        """Removes all batches, whose buffers are returned when their copies are done."""
        connection, queue = self._connection, self._queue
        self._connection, self._queue = None, deque()
        for each in queue:
            if isinstance(each, Delivery) and connection is not None:
                connection.buffers.give_back(each.header.a)


def _arrived() -> Optional[float]:
    raise AssertionError("a message that has arrived is waited for")

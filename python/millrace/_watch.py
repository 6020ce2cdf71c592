"""The watch over a rank's connection while its loop computes."""

import os
import queue
import select
import threading
import weakref
from typing import IO, Callable, Optional, Tuple

from ._connection import Connection
from ._fork import owned

# Linux reports the end of the other side's output with this event; elsewhere only the end of both directions is reported.
_ENDED = getattr(select, "POLLRDHUP", 0)


class Watch:
    """Calls `lost` on its own thread when the server ends a connection, also while nobody reads from it.

    The loop of one rank may wait in a collective for another rank, and that rank for a batch, which the server makes when all
    ranks have asked for one. A rank therefore has to connect again before its loop needs the next batch.
    """

    def __init__(self, lost: "weakref.WeakMethod[Callable[[Connection], None]]") -> None:
        self._lost = lost
        self._connections: "queue.SimpleQueue[Optional[Tuple[IO[bytes], Connection]]]" = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="millrace-watch", daemon=True)
        self._thread.start()

    def add(self, connection: Connection) -> None:
        """Watches a connection, after the earlier ones, which have been lost."""
        # A descriptor of its own, because the number of one that is closed may be used again while the thread waits.
        self._connections.put((owned(os.fdopen(os.dup(connection.stream.fileno()), "rb", 0)), connection))

    def end(self) -> None:
        """Ends the thread after the connections, which the caller closes."""
        self._connections.put(None)

    def _run(self) -> None:
        while True:
            added = self._connections.get()
            if added is None:
                return
            end, connection = added
            with end:
                poll = select.poll()
                poll.register(end, _ENDED)
                poll.poll()
            lost = self._lost()
            if lost is not None:
                lost(connection)
            del added, end, connection, lost

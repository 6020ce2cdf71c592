"""The copies to GPUs that are under way."""

from collections import deque
from typing import Any, Deque, List, Protocol, Sequence, Tuple


class Event(Protocol):
    """A point in a stream of a GPU."""

    def query(self) -> bool:
        """Returns whether all work before the event is done."""

    def synchronize(self) -> None:
        """Waits until all work before the event is done."""


class Running:
    """The copies to GPUs that are under way, from the memory of all connections of a session. Each holds its buffer.

    The thread that has the session's `in_use` calls all methods but `add`, which any thread may call.
    """

    def __init__(self) -> None:
        self._copies: Deque[Tuple[Event, Sequence[Any]]] = deque()
        self._kept: List[Any] = []
        self._closed = False

    def add(self, event: Event, sources: Sequence[Any]) -> None:
        """Keeps the sources of copies, and with them their buffers, until an event after the copies has happened."""
        if not self._closed:
            self._copies.append((event, sources))
        if self._closed:
            event.synchronize()  # The session has ended, and nobody settles its copies.

    def keep(self, memory: Any) -> None:
        """Keeps the memory of a connection until the next `settle`, at which the loop has another connection.

        The end of the page-locking may wait for all work of the GPU. This work may wait for other ranks, and they may wait for
        the next connection of this rank.
        """
        self._kept.append(memory)

    def settle(self) -> bool:
        """Releases the sources of the copies that are done. Returns whether others are under way. Raises errors of CUDA."""
        self._kept.clear()
        while self._copies:
            try:
                if not self._copies[0][0].query():
                    return True
            except RuntimeError:
                self._copies.popleft()  # CUDA does no more work after the error of a copy.
                raise
            self._copies.popleft()
        return False

    def wait(self) -> bool:
        """Waits for the oldest copy and releases its sources. Returns False when no copy is under way. Raises errors of CUDA."""
        if not self._copies:
            return False
        try:
            self._copies[0][0].synchronize()
        except RuntimeError:
            self._copies.popleft()
            raise
        self._copies.popleft()
        return True

    def close(self) -> None:
        """Waits for all copies, also after an error of CUDA in one of them, which it raises at the end."""
        self._closed = True
        failure = None
        while self._copies:
            try:
                self.wait()
            except RuntimeError as e:
                failure = e
        self._kept.clear()
        if failure is not None:
            raise failure

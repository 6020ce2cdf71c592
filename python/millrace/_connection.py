"""One connection to a server after its handshake: batches until the connection ends."""

import mmap
import threading
from collections import deque
from typing import Any, Deque, Dict, NamedTuple, Optional, Union, cast

from ._address import Address
from ._buffers import Buffers, Memory
from ._errors import ProtocolError
from ._plan import Plan
from ._protocol import Header, Kind, message, parse_json, server_error, text
from ._stream import Idle, Stream

BYE = message(Kind.BYE)
"""The client needs no more batches."""

_FAREWELL = 1.0
"""Seconds for which the end of the server is waited for after BYE."""


class Delivery(NamedTuple):
    """A BATCH message, and the memory of its buffer."""

    header: Header
    memory: Memory
    place: int


class Wait(NamedTuple):
    """A WAIT message: the server is alive, and has no batch ready."""

    reason: str


class End(NamedTuple):
    """An END message."""

    generation: int
    steps: int


Event = Union[Delivery, Wait, End]


class Connection:
    """A connection after its handshake.

    One thread at a time calls `receive`; with batches inline, a thread of the connection receives them ahead.
    """

    def __init__(
        self, stream: Stream, address: Address, plan: Plan, kind: str, buffers: Buffers, shared: Optional[mmap.mmap]
    ) -> None:
        self.address = address
        self.plan = plan
        self.kind = kind
        self.buffers = buffers
        self.shared = shared
        self.stream = stream
        self.generation = 0
        self._events: Deque[Union[Event, BaseException]] = deque()
        # Released after an event has been added. Unlike a condition, a lock is either acquired or not when a signal handler raises.
        self._arrived = threading.Lock()
        self._resumable = False
        self._thread: Optional[threading.Thread] = None
        if kind == "inline":
            self._thread = threading.Thread(target=self._receive_ahead, name="millrace-receive", daemon=True)
            self._thread.start()

    def seek(self, step: int, *, continues: bool = False) -> None:
        """Asks for the batches from a step on. Batches that are under way already have an older generation.

        `continues`: the loop has received all earlier steps since the one that the program sought; for a new connection only.
        """
        self.generation += 1
        self.stream.send(message(Kind.SEEK, generation=self.generation, number=step, a=int(continues)))

    def receive(self, idle: Idle) -> Event:
        """Waits for the next event. Raises ServerError, ProtocolError, and OSError or EOFError when the connection is lost."""
        if self._thread is None:
            return self._read(idle)
        self._resumable = False
        while not self._events:
            seconds = idle()
            self.stream.flush()
            longest = -1 if seconds is None else min(seconds, threading.TIMEOUT_MAX)
            self._resumable = True
            self._arrived.acquire(timeout=longest)
            self._resumable = False
        event = self._events[0]
        if isinstance(event, BaseException):
            raise event  # It stays for later calls.
        return cast(Event, self._events.popleft())

    def arrived(self, number: int) -> bool:
        """Whether the next event is the batch of a step in shared memory, so that `receive` does not wait."""
        header = self.stream.peek() if self._thread is None else None
        if header is None or header.type != Kind.BATCH or header.flags:
            return False
        return header.generation == self.generation and header.number == number

    @property
    def resumable(self) -> bool:
        """Whether `receive` waits, so that an exception from a signal handler loses nothing."""
        return self._resumable if self._thread is not None else self.stream.resumable

    def _receive_ahead(self) -> None:
        event: Union[Event, BaseException]
        while True:
            try:
                event = self._read(_for_ever)
            except BaseException as e:  # The thread has no caller: `receive` raises it.
                event = e
            self._events.append(event)
            try:
                self._arrived.release()
            except RuntimeError:
                pass  # It was released for an earlier event that has not been awaited.
            if isinstance(event, BaseException):
                return

    def _read(self, idle: Idle) -> Event:
        header = self.stream.header(idle)
        kind = header.type
        if kind == Kind.BATCH:
            memory, place = self.buffers.receive(header)
            if header.flags:
                with memoryview(cast(mmap.mmap, memory)) as whole, whole[: header.b] as used:
                    self.stream.payload(used, idle)
            return Delivery(header, memory, place)
        if kind == Kind.END:
            return End(header.generation, header.number)
        value = payload(self.stream, header, idle)
        if kind == Kind.WAIT:
            return Wait(text(value, "reason", "WAIT"))
        if kind == Kind.ERROR:
            raise server_error(value)
        raise ProtocolError(f"{Kind(kind).name} after the handshake")

    def close(self, *, bye: bool) -> None:
        """Closes the connection, with BYE if the client needs no more batches. Lent views stay valid."""
        if bye:
            self.stream.send_last(BYE)
            self.stream.finish()
            if self._thread is None:
                self.stream.discard(_FAREWELL)
            else:
                self._thread.join(_FAREWELL)  # It reads until the server closes the connection.
        self.stream.shutdown()
        if self._thread is not None:
            self._thread.join()
        self.stream.close()


def _for_ever() -> Optional[float]:
    return None


def payload(stream: Stream, header: Header, idle: Idle) -> Dict[str, Any]:
    data = bytearray(header.b)
    if data:
        stream.payload(memoryview(data), idle)
    return parse_json(header.type, bytes(data))

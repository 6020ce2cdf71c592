"""Messages on a socket: reading that a signal may interrupt at any time, and writing from any thread."""

import os
import select
import socket
import struct
import threading
import time
from collections import deque
from time import perf_counter_ns
from typing import Callable, Deque, Optional

from ._errors import ProtocolError
from ._protocol import HEADER_BYTES, Header, parse_header

_LONGEST_WAIT = 3600.0
"""Seconds after which a wait begins anew. The system does not take a number of milliseconds beyond 32 bits."""

_SOON = 100_000
"""Nanoseconds after a sending for which messages may wait."""

_CREDENTIALS = struct.Struct("iII")
"""Linux's ucred: process, user, group."""

Idle = Callable[[], Optional[float]]
"""Called each time before a wait. Returns the longest wait in seconds, or None to wait for ever."""


class Stream:
    """A connected socket. One thread reads at a time; any thread may write. Takes ownership of the socket."""

    def __init__(self, connected: socket.socket) -> None:
        connected.setblocking(True)
        self._socket = connected
        self._buffer = memoryview(bytearray(4096))
        self._start = 0
        self._end = 0
        # Set while bytes are taken from the socket. If a signal ends the read in between, bytes may be lost, and the
        # connection cannot be used again.
        self._torn = False
        self._unsendable = False
        self._sent = 0  # the time of the last sending
        self._pid = os.getpid()
        self._outbox: Deque[bytes] = deque()
        self._sending = threading.Lock()
        self.waiting = False
        """Whether the reader is about to wait for the socket. Other threads then send by themselves."""
        self.resumable = False
        """Whether the reader waits for the socket. An exception from a signal handler then loses nothing."""
        self._poll = select.poll()
        self._poll.register(connected, select.POLLIN)

    def fileno(self) -> int:
        """Returns the descriptor of the socket."""
        return self._socket.fileno()

    def own_user(self) -> bool:
        """Returns whether the server is a process of this user behind a Unix socket, as far as the operating system tells it."""
        if self._socket.family != socket.AF_UNIX or not hasattr(socket, "SO_PEERCRED"):
            return False
        _, user, _ = _CREDENTIALS.unpack(self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
        return bool(user == os.geteuid())

    def header(self, idle: Idle) -> Header:
        """Waits for the next message and returns its header. Raises EOFError at the end of the stream.

        A signal that ends the wait loses nothing: a later call goes on where this one stopped.
        """
        self._check()
        self.resumable = self.waiting = False
        self._fill(idle)
        start = self._start
        self._start = start + HEADER_BYTES
        return parse_header(self._buffer, start)

    def peek(self) -> Optional[Header]:
        """Returns the header of the next message without taking it, or None if it has not arrived, or `header` would raise.

        Does not wait. The reader calls it.
        """
        if self._torn:
            return None
        self.resumable = self.waiting = False
        try:
            self._fill(_not_now)
            return parse_header(self._buffer, self._start)
        except (ProtocolError, OSError, EOFError):
            self._torn = False
            return None
        finally:
            self.waiting = False

    def _fill(self, idle: Idle) -> None:
        """Receives until a header has arrived."""
        while self._end - self._start < HEADER_BYTES:
            if self._start:
                rest = self._end - self._start
                self._buffer[:rest] = self._buffer[self._start : self._end]
                self._start, self._end = 0, rest
            self._end += self._receive(self._buffer[self._end :], idle, False)
            self._torn = False

    def payload(self, target: memoryview, idle: Idle) -> None:
        """Fills `target` with the bytes that follow. After an exception the connection cannot be used again."""
        self._check()
        self._torn = True
        done = min(len(target), self._end - self._start)
        target[:done] = self._buffer[self._start : self._start + done]
        self._start += done
        while done < len(target):
            done += self._receive(target[done:], idle, True)
        self._torn = False

    def _check(self) -> None:
        if self._torn:
            raise ConnectionAbortedError("a signal interrupted the reading of a message")

    def _receive(self, target: memoryview, idle: Idle, torn: bool) -> int:
        """Receives at least one byte. The caller clears `_torn` once it has counted the bytes."""
        while True:
            self._torn = True
            try:
                count = self._socket.recv_into(target, 0, socket.MSG_DONTWAIT)
            except BlockingIOError:
                self._torn = torn
                self._wait(idle)
                continue
            self.waiting = False
            if count == 0:
                raise EOFError("the server closed the connection without END")
            return count

    def _wait(self, idle: Idle) -> None:
        self.waiting = True
        seconds = idle()
        self.flush()
        longest = None if seconds is None else max(1.0, min(seconds, _LONGEST_WAIT) * 1000)
        self.resumable = True
        self._poll.poll(longest)
        self.resumable = self.waiting = False

    def post(self, message: bytes) -> None:
        """Sends a message with the next one that is sent, or before the next wait. Callable from any thread."""
        self._outbox.append(message)

    def send_soon(self, message: bytes, most: int) -> None:
        """Sends a message as `send` does. In a loop that sends again and again within microseconds, at most `most` messages wait
        for the next one, because a call of the system costs such a loop more than all the rest."""
        self._outbox.append(message)
        # The reader sends what was posted before its wait began.
        if self.waiting or len(self._outbox) > most or perf_counter_ns() - self._sent > _SOON:
            self.flush()

    def send(self, message: bytes) -> None:
        """Sends a message. Callable from any thread and from finalizers; a failure is reported by the next read."""
        self._outbox.append(message)
        self.flush()

    def flush(self) -> None:
        """Sends the posted messages. Another thread that is sending now sends them instead."""
        if os.getpid() != self._pid:
            return  # The views of a forked process die too, but the buffers are the parent's.
        # A finalizer may run within this method, in the same thread. Waiting for the lock would then never end, so it adds
        # its message, and the loop of the one that has the lock sends it.
        try:
            while self._outbox and not self._unsendable and self._sending.acquire(False):
                try:
                    messages = []
                    while self._outbox:
                        messages.append(self._outbox.popleft())
                    if messages:
                        self._send(b"".join(messages))
                        self._sent = perf_counter_ns()
                finally:
                    self._sending.release()
        except BaseException:
            self.give_up()  # A signal handler raised: messages may be lost, and the lock may be held for ever.
            raise

    def send_last(self, message: bytes) -> None:
        """Sends a message, and does not leave that to another thread, so that the caller may shut the stream down afterwards."""
        self._outbox.append(message)
        # The holder may be this very thread, below a signal handler or a finalizer, so that the wait must have an end.
        if self._sending.acquire(timeout=1.0):
            self._sending.release()
        self.flush()

    def _send(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError:
            self.give_up()

    def give_up(self) -> None:
        """Sends no more. The reader gets what the server has sent so far, perhaps ERROR, and then the end of the stream."""
        self._unsendable = True
        self.shutdown()

    def finish(self) -> None:
        """Ends the sending, which the server sees after the last message."""
        self._end_of(socket.SHUT_WR)

    def discard(self, seconds: float) -> None:
        """Reads and discards what the server sends until it closes the connection, for at most some seconds.

        Without this, unread bytes in the socket would make the system discard the last messages to the server.
        """
        deadline = time.monotonic() + seconds
        rest = memoryview(bytearray(1 << 16))
        try:
            while self._poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                if not self._socket.recv_into(rest, 0, socket.MSG_DONTWAIT):
                    return
        except OSError:
            pass  # The connection is reset: there is nothing to discard.

    def shutdown(self) -> None:
        """Ends the waits of other threads. The connection is over."""
        self._end_of(socket.SHUT_RDWR)

    def _end_of(self, direction: int) -> None:
        try:
            self._socket.shutdown(direction)
        except OSError:
            pass  # The other side was faster.

    def close(self) -> None:
        """Closes the socket. No other thread may be waiting."""
        self._unsendable = True
        self._socket.close()


def _not_now() -> Optional[float]:
    raise BlockingIOError("nothing has arrived")


class Deadline:
    """The time until which an answer is waited for. An `Idle` that raises TimeoutError then."""

    def __init__(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """The seconds that are left, perhaps less than 0."""
        return self._at - time.monotonic()

    def leave(self, seconds: float) -> None:
        """Moves the deadline so that at least some seconds are left."""
        self._at = max(self._at, time.monotonic() + seconds)

    def __call__(self) -> Optional[float]:
        """Returns the seconds that are left."""
        left = self.left
        if left <= 0:
            raise TimeoutError("the server does not answer")
        return left

"""The buffers of batches, which belong to the client from BATCH to RETURN."""

import itertools
import mmap
import weakref
from functools import partial
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import numpy as np

from ._errors import ProtocolError
from ._protocol import Header, Kind, message
from ._stream import Stream

_BYTES = np.dtype(np.uint8)

Memory = Union[mmap.mmap, "np.ndarray[Any, Any]"]
"""The memory of buffers: a mapping, or all bytes of a page-locked one, uint8 [bytes]."""


class Loan:
    """A buffer that is lent, and the number of the loan."""

    __slots__ = ("buffer", "number", "seen")

    def __init__(self, buffer: int, number: int) -> None:
        self.buffer = buffer
        self.number = number
        self.seen = False
        """Whether the program has had arrays of the buffer, and may have begun copies from them to a GPU."""


class Lent(np.ndarray):
    """Bytes whose last use is of interest, such as those of a buffer: uint8 [bytes]. All views have this object as their base.

    numpy lets a view refer to the owner of a view's memory instead of the view, but only if both have the same type. This type
    of its own therefore remains below every view, and its death is that of the last view.
    """

    loan: Optional[Loan] = None
    """The loan, if these are the bytes of a buffer."""


class Death(weakref.ref):  # type: ignore[type-arg]
    """A reference to lent bytes, whose callback learns what they were lent of: a loan, or a block of memory."""

    __slots__ = ("of",)
    of: Any


class Buffers:
    """The buffers of one connection, in one mapping that client and server share, or each in memory of the client.

    Thread-safe: the reader of the connection receives buffers, and the last views die in any thread.
    """

    def __init__(self, count: int, buffer_bytes: int, shared: Optional[Memory], stream: Stream) -> None:
        self.count = count
        self.shared = shared
        self.copies = 0
        self.ignored: Optional[BaseException] = None
        """An exception of a signal handler, such as Ctrl-C, while a buffer was returned. Python prints it and goes on."""
        self.guard: Optional[Callable[[Callable[[], Lent]], bool]] = None
        """Called when the arrays of a buffer are gone that the program has had. Returns whether a GPU may still read the buffer.
        It then holds what its argument returns, which lends the buffer once more."""
        self._buffer_bytes = buffer_bytes
        self._own: List[Optional[mmap.mmap]] = [None] * count
        self._stream = stream
        # The messages RETURN and STEP of a few batches, if the server has enough other buffers meanwhile.
        self._together = 2 * (count // 8)
        self._ours = bytearray(count)
        self._deaths: Dict[int, Death] = {}  # by the number of the loan
        self._loans = itertools.count()

    @property
    def lent(self) -> int:
        """The number of buffers of which views are alive."""
        return len(self._deaths)

    def receive(self, header: Header) -> Tuple[Memory, int]:
        """Marks the buffer of a BATCH message as the client's, and returns its memory and the place in it.

        Raises ProtocolError when the buffer does not exist, belongs to the client already, or is too small.
        """
        buffer, used = header.a, header.b
        if buffer >= self.count:
            raise ProtocolError(f"step {header.number} is in buffer {buffer}, but there are {self.count} buffers")
        if self._ours[buffer]:
            raise ProtocolError(f"step {header.number} is in buffer {buffer}, which was not returned")
        memory: Memory
        if header.flags:
            memory, place = self._inline(buffer, used), 0
        elif self.shared is None or used > self._buffer_bytes:
            raise ProtocolError(f"step {header.number} has {used} bytes in buffer {buffer} of {self._buffer_bytes} shared bytes")
        else:
            memory, place = self.shared, buffer * self._buffer_bytes
        self._ours[buffer] = 1
        return memory, place

    def _inline(self, buffer: int, used: int) -> mmap.mmap:
        if used > self._buffer_bytes:
            return mmap.mmap(-1, used)  # A batch larger than a buffer, which is rare, has memory of its own.
        memory = self._own[buffer]
        if memory is None:
            # The start of a page, so that JAX needs no copy.
            memory = self._own[buffer] = mmap.mmap(-1, self._buffer_bytes)
        return memory

    def lend(self, buffer: int, memory: Memory, place: int, used: int) -> Lent:
        """Returns the bytes of a buffer. The buffer is returned when the last view of them has died."""
        lent = Lent((used,), _BYTES, memory, place)
        death, loan = Death(lent, self._died), Loan(buffer, next(self._loans))
        lent.loan = death.of = loan
        self._deaths[loan.number] = death
        return lent

    def _lend_again(self, buffer: int) -> Lent:
        assert self.shared is not None
        return self.lend(buffer, self.shared, buffer * self._buffer_bytes, 1)

    def copy(self, buffer: int, memory: Memory, place: int, used: int) -> "np.ndarray[Any, Any]":
        """Returns a copy of the bytes of a buffer, and returns the buffer."""
        copied = np.ndarray((used,), _BYTES, memory, place).copy()
        self.copies += 1
        self.give_back(buffer)
        return copied

    def give_back(self, buffer: int) -> None:
        """Returns a buffer to the server."""
        self._ours[buffer] = 0
        self._stream.send_soon(message(Kind.RETURN, a=buffer), self._together)

    def sweep(self) -> None:
        """Returns the buffers whose views have died without a call of `_died`: Python ignores an exception that a signal handler raises
        at the beginning of that call."""
        for death in list(self._deaths.values()):
            if death() is None:
                self._died(death)

    def _died(self, death: Any) -> None:
        try:
            loan: Loan = death.of
            if self._deaths.pop(loan.number, None) is None:
                return  # Another thread returns it.
            held = loan.seen and self.guard is not None and self.guard(partial(self._lend_again, loan.buffer))
            if not held:
                self.give_back(loan.buffer)
        except BaseException as e:  # of a signal handler
            self.ignored = e
            self._stream.give_up()  # The buffer may be lost for this connection.
            raise

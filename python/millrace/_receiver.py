"""The batches of a run in the order of their steps, over new connections where one is lost."""

import logging
import os
import threading
import warnings
import weakref
from functools import partial
from typing import NoReturn, Optional, Tuple

from ._ahead import Ahead
from ._batch import Batch
from ._buffers import Buffers
from ._connection import Connection, Delivery, End, Wait
from ._cuda import Transfers
from ._errors import ConnectionLost, LoaderClosed, MillraceError, ProtocolError, ServerError
from ._plan import Plan
from ._protocol import Header, Kind, message, parse_buffer, visible
from ._session import Session
from ._stats import Meter
from ._watch import Watch

_log = logging.getLogger("millrace")

_ranks: "weakref.WeakValueDictionary[int, Receiver]" = weakref.WeakValueDictionary()
"""The receivers of this process whose runs have several ranks, by their ids. Other threads may add one while it is read."""

os.register_at_fork(after_in_child=_ranks.clear)


def _at_once() -> Optional[float]:
    raise EOFError("the server closed the connection")


class Receiver:
    """Receives the batches of a run one after another. A new connection leaves out no step, and repeats none.

    The thread that has the session's `in_use` calls all methods but `close`. Closes the session when it is collected.
    """

    def __init__(self, session: Session, meter: Meter, *, copy: bool, watched: bool) -> None:
        self.session = session
        self.meter = meter
        self.next = 0
        """The step of the next batch."""
        self.streaming: Optional[Connection] = None
        """The connection that was asked for the batches from `next` on."""
        self._ahead = Ahead()
        self._copy = copy
        self._continues = False  # Whether a batch has arrived since the program chose the step.
        self._ended = False
        self._failure: Optional[Exception] = None
        self._warned = False
        self._close = weakref.finalize(self, session.close)
        self._thread = threading.get_ident()  # The last thread that chose a step or asked for a batch.
        if watched:
            _ranks[id(self)] = self
            session.watch = Watch(weakref.WeakMethod(self._rejoin))

    @property
    def plan(self) -> Plan:
        """The plan of the last connection."""
        return self.session.plan

    def receive(self, end: Optional[int]) -> Optional[Batch]:
        """Waits for the batch of `next`, which stays so until `passed`. Returns None at the end of the run and at step `end`."""
        if self.streaming is not None and self.streaming.buffers.ignored is not None:
            self._raise_ignored(self.streaming.buffers)
        if self._failure is not None:
            raise self._failure.with_traceback(None)
        session = self.session
        self._thread = threading.get_ident()
        while not self._ended and (end is None or self.next < end):
            try:
                connection = session.connected()
                if connection is not self.streaming:
                    connection.seek(self.next, continues=self._continues)
                    self.streaming = connection
                session.running.settle()
                event = self._ahead.take(connection) or connection.receive(self._idle)
                session.delivered()
                if isinstance(event, (Batch, Delivery)):
                    batch = event if isinstance(event, Batch) else self._batch(connection, event)
                    if batch is not None:
                        self._fill(session.transfers, batch)
                        return batch
                elif isinstance(event, Wait):
                    self._waits(visible(event.reason))
                elif isinstance(event, End):
                    self._end(connection, event)
            except LoaderClosed:
                raise
            except (ProtocolError, ServerError) as e:
                self._fail(e)
            except (OSError, EOFError) as e:
                if isinstance(e, ConnectionLost):
                    raise
                session.lose(e)
        if self.streaming is not None:
            self.streaming.stream.flush()
        return None

    def _fill(self, transfers: Optional[Transfers], batch: Batch) -> None:
        """Begins to copy the batch of this step and those after it to a GPU, if the loop has copied to one."""
        if transfers is not None and transfers.request is not None:
            self.meter.as_work(partial(self._ahead.fill, transfers, self.next + 1, batch))

    def passed(self) -> None:
        """Goes on to the step after `next`, which is received or left out."""
        self.next += 1
        self._continues = True
        self.session.done = self.next == self.plan.steps

    def _raise_ignored(self, buffers: Buffers) -> NoReturn:
        """Raises the exception of a signal handler that Python has ignored, because it came while a view died."""
        ignored, buffers.ignored = buffers.ignored, None
        assert ignored is not None
        raise ignored.with_traceback(None)

    def _waits(self, reason: str) -> None:
        """Keeps the server's reason for a wait, and reports one that may need the user, such as a rank that does not come."""
        figures = self.meter.figures
        if reason != figures.reason and not reason.startswith("waiting for batch "):
            _log.warning("%s", reason)
        figures.reason = reason

    def _fail(self, error: MillraceError) -> NoReturn:
        """Raises an error that a new connection would not mend, now and at each later use."""
        self._failure = error
        self.session.drop()
        raise error

    def _rejoin(self, lost: Connection) -> None:
        """Connects again after the server has ended a connection while the loop computes. The watch's thread calls it.

        Batches that the loop has not received yet come again. What fails here is tried again, or raised, by the loop's next call.
        """
        session = self.session
        with session.in_use:
            if session.closed or session.current is not lost or self.streaming is not lost or self._ended:
                return
            try:
                while True:
                    lost.receive(_at_once)  # until the end of the connection, or the server's reason for it
            except (ProtocolError, ServerError) as e:
                self._failure = e
                session.drop()
                return
            except (OSError, EOFError) as e:
                reason = e.with_traceback(None)  # Its frames would keep the memory of the connection.
            try:
                session.lose(reason)
                connection = session.connected()
                connection.seek(self.next, continues=self._continues)
                self.streaming = connection
            except (LoaderClosed, ConnectionLost, OSError, EOFError):
                return
            except Exception as e:  # One of CUDA too: this thread has no caller.
                self._failure = e

    def _batch(self, connection: Connection, event: Delivery) -> Optional[Batch]:
        """Returns the batch of a BATCH message, or None if it is older than the last SEEK, or has no rows and is left out."""
        header, memory, place = event
        buffers = connection.buffers
        if header.generation != connection.generation:
            if not 0 < header.generation < connection.generation:
                raise ProtocolError(f"a batch has the generation {header.generation}, expected {connection.generation}")
            buffers.give_back(header.a)
            return None
        if header.number != self.next:
            raise ProtocolError(f"the batch of step {header.number} arrived, expected step {self.next}")
        found = parse_buffer(memory, place, header, connection.plan.capacity)
        if found.rows == 0 and connection.plan.world == 1:
            self._leave_out(connection, header)
            return None
        if self._copy or self._all_lent(connection):
            return Batch(connection.plan, found, buffers.copy(header.a, memory, place, header.b))
        lent = buffers.lend(header.a, memory, place, header.b)
        return Batch(connection.plan, found, lent, self.session.transfers)

    def _leave_out(self, connection: Connection, header: Header) -> None:
        """Reports a step of which no sample is good as done, in no time, because the loop has nothing to train with."""
        connection.buffers.give_back(header.a)
        connection.stream.post(message(Kind.STEP, generation=header.generation, number=header.number))
        self.meter.figures.left_out += 1
        self.passed()

    def _all_lent(self, connection: Connection) -> bool:
        """Whether the last buffer would be lent, so that the server could not deliver any more."""
        buffers = connection.buffers
        while buffers.lent >= buffers.count - 1:
            if not self.meter.as_work(self.session.running.wait):
                if not self._warned:
                    self._warned = True
                    warnings.warn(
                        f"{buffers.lent} of {buffers.count} buffers hold batches that are still in use, so this batch is copied:"
                        " drop batches and their arrays sooner, use Loader(buffers=...) for more buffers, or batch.copy()",
                        RuntimeWarning,
                        stacklevel=7,
                    )
                return True
        return False

    def _end(self, connection: Connection, event: End) -> None:
        if event.generation not in (0, connection.generation) or event.steps > self.next:
            if event.generation == connection.generation:
                raise ProtocolError(f"END after {self.next} of {event.steps} steps")
            return  # It was sent before the last SEEK arrived.
        if event.steps < self.next:
            raise ProtocolError(f"END after {self.next} steps, but the run has {event.steps}")
        self._ended = self.session.done = True

    def _idle(self) -> Optional[float]:
        """Prepares a wait for the server, and returns the longest time to wait."""
        self.meter.show(self.plan, self.next)
        if self.plan.world > 1:
            self._ask_for_others()
        if self.streaming is not None:
            self.streaming.buffers.sweep()
        if self.session.running.settle():
            return 0.001  # The buffers of copies are returned soon after their end.
        return self.meter.interval

    def _ask_for_others(self) -> None:
        """Asks for the same step of the other ranks that this thread uses in turn.

        The server begins when all ranks have asked, and the program cannot ask for the others while this call waits.
        """
        for reference in _ranks.valuerefs():  # a copy
            other = reference()
            # One that another thread creates has no plan before its connection.
            if other is not None and other is not self and other.session.current is not None and other._place == self._place:
                other._ask()

    @property
    def _place(self) -> Tuple[object, ...]:
        return self._thread, self.plan.raw.get("run"), self.session.stream, self.next

    def _ask(self) -> None:
        """Asks for the batches from `next` on, if the program has not asked yet."""
        session = self.session
        if not session.in_use.acquire(False):
            return
        try:
            connection = session.current
            if connection is not None and connection is not self.streaming and self._failure is None and not self._ended:
                connection.seek(self.next, continues=self._continues)
                self.streaming = connection
        except OSError:
            return  # The connection is lost, which the loop's next call notices and reports.
        finally:
            session.in_use.release()

    def forgive(self) -> None:
        """Forgets an error about the step, because another one follows. Raises one of another kind that ended the delivery."""
        if isinstance(self._failure, ServerError) and self._failure.code in ("ranks_disagree", "step"):
            self._failure = None
        elif self._failure is not None:
            raise self._failure.with_traceback(None)

    @property
    def is_coming(self) -> bool:
        """Whether the batch of `next` is on its way, and its step is the last one that the server has heard from the program.

        Other ranks may seek, and the server must then hear of this rank's choice, unless it was the last one already.
        """
        connection = self.session.current
        chosen = self.plan.world == 1 or not self._continues
        return connection is not None and connection is self.streaming and not self._ended and chosen

    def seek(self, step: int) -> None:
        """Continues with a step, and asks the server for it now, if there is a connection."""
        connection = self.session.current
        try:
            self.stop()  # The server ignores steps that arrive after the SEEK.
            self._choose(step, connection)
            if connection is not None:
                connection.seek(step)
        except BaseException:
            self.session.drop()  # A signal may have come between the choice and SEEK.
            raise

    def seek_later(self, step: int) -> None:
        """Continues with a step, and asks the server for it when its batch is needed."""
        self.stop()
        self._choose(step, None)

    def _choose(self, step: int, streaming: Optional[Connection]) -> None:
        self._ahead.clear()
        self._thread = threading.get_ident()
        self.next = step
        self._continues = False
        self._ended = False
        self.session.done = step == self.plan.steps
        self.streaming = streaming

    def stop(self) -> None:
        """Ends the loop's last step, as far as the figures know it."""
        self.meter.stop(self.streaming)

    def close(self) -> None:
        """Closes the session. Any thread may call it, also while another one waits for a batch. Idempotent."""
        session = self.session
        if not session.closed and session.in_use.acquire(False):
            try:
                self.stop()  # the last step ends here
            finally:
                session.in_use.release()
        self._close()
        self._ahead.clear()
        self.streaming = None
        self.meter.forget()

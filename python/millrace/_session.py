"""The connection of a loader: made, lost, made again, and closed."""

import logging
import os
import secrets
import socket
import ssl
import threading
import time
from dataclasses import replace
from typing import Any, Dict, List, Optional, Union

from ._address import Address
from ._cluster import Cluster
from ._connection import BYE, Connection
from ._cuda import Pinning, Transfers
from ._errors import ConnectionLost, LoaderClosed, MillraceError, ServerError, Starting
from ._handshake import Join, Unproved, Unusable, connect
from ._launch import Child, Launch
from ._plan import Plan
from ._running import Running
from ._state import require_same
from ._watch import Watch

Source = Union[List[Address], Child, Cluster]
"""Where servers are found: at fixed addresses, in a process of this one's own, or on a cluster."""

_log = logging.getLogger("millrace")


class Session:
    """Owns the child process, the connection and the page-locked memory. Independent of the loader, which may be collected first.

    The thread that has `in_use` calls all methods, except `close`, which any thread may call.
    """

    def __init__(
        self, source: Source, join: Join, timeout: float, pinning: Optional[Pinning], *, host: Optional["Session"] = None
    ) -> None:
        if not timeout >= 0:
            raise ValueError(f"timeout is {timeout}, expected seconds, at least 0")
        self._addresses = source if isinstance(source, list) else []
        self._child = source if isinstance(source, Child) else None
        self._cluster = source if isinstance(source, Cluster) else None
        # The cluster of a job whose front door is at `addresses`, if the server has named it.
        self._behind: Optional[Cluster] = None
        self._host = host  # The session of the training, to which the child belongs and which knows the cluster.
        self._join = join
        self.stream = join.stream
        self._timeout = timeout
        self._pinning = pinning
        self._pid = os.getpid()
        self._closed = threading.Event()
        self._socket: Optional[socket.socket] = None
        self._current: Optional[Connection] = None
        self._plan: Optional[Plan] = None
        self.transfers: Optional[Transfers] = None
        self.running = Running()
        self.pin_reason = ""
        # When the connection was lost, the last error, and the last delay, until the server delivers something again. A server
        # that accepts connections but fails each time is therefore given up too.
        self._lost: Optional[float] = None
        self._unreported: Optional[str] = None
        self._last: Optional[BaseException] = None
        self._delay = 0.0
        self.watch: Optional[Watch] = None
        self.connections = 0
        self.copies = 0
        self.done = False
        """Whether the loop has received the last batch, so that BYE ends the server."""
        # Held while the connection is in use. A signal handler of the thread that has it may call `close`.
        self.in_use = threading.RLock()

    def evaluation(self) -> "Session":
        """Returns a session of the evaluation at the same server. It does not stop a server that this session started."""
        source: Source = self._addresses
        if self._cluster is not None:
            source = self._cluster.evaluation()
        elif self._child is not None:
            source = self._child
        join = replace(self._join, stream="evaluation", fingerprint=None, loader=secrets.token_hex(16), reasons={})
        return Session(source, join, self._timeout, self._pinning, host=self)

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed.is_set()

    @property
    def current(self) -> Optional[Connection]:
        """The connection, or None after it was lost."""
        return self._current

    @property
    def plan(self) -> Plan:
        """The plan of the last connection."""
        assert self._plan is not None
        return self._plan

    @property
    def address(self) -> str:
        """Where the server is found: its addresses, separated by commas, or the address of the cluster."""
        return self._cluster.url if self._cluster is not None else ",".join(map(str, self._addresses))

    @property
    def memory(self) -> Dict[str, Any]:
        """The kind of memory and the reasons against the others."""
        kind = None if self._current is None else self._current.kind
        reasons = dict(self._join.reasons)
        if self.pin_reason:
            reasons["pin"] = self.pin_reason
        return {"kind": kind, "reasons": reasons}

    @property
    def launch(self) -> Optional[Launch]:
        """How the server of this session was started, or None if another program started it."""
        return None if self._child is None else self._child.launch

    def hurry(self) -> None:
        """Lets `close` not wait for the report of a server that was started here."""
        if self._child is not None:
            self._child.hurry()

    def require_open(self) -> None:
        """Raises when the session is closed or belongs to another process."""
        if os.getpid() != self._pid:
            raise MillraceError(
                f"this loader belongs to the process {self._pid} and cannot be used in the forked process {os.getpid()}:"
                " Millrace delivers ready batches, so use DataLoader(num_workers=0), or create a loader in each process"
            )
        if self._closed.is_set():
            raise LoaderClosed("the loader is closed")

    def connected(self) -> Connection:
        """Returns the connection, after making it again if it was lost. `timeout` limits the time for that."""
        found = self._current
        return found if found is not None else self._connect()

    def _connect(self) -> Connection:
        first = self._plan is None
        deadline = (time.monotonic() if self._lost is None else self._lost) + self._timeout
        while True:
            if self._last is not None:
                self._wait_after(self._last, deadline)
                if isinstance(self._last, Starting):
                    deadline = time.monotonic() + self._timeout  # It has all the time that it needs, as long as it lives.
            self.require_open()
            try:
                return self._use(self._attempt(deadline - time.monotonic()))
            except Unusable as e:
                _log.info("the server's memory cannot be used: %s", e)
                continue
            except ServerError as e:
                # The server may not have noticed yet that the connection before is gone, or another program has taken its address.
                if first or not (e.code == "rank_taken" or isinstance(e, Unproved)):
                    raise
                self._note(e)
            except (OSError, EOFError) as e:
                if first and isinstance(e, (socket.gaierror, ssl.SSLError)):
                    raise ConnectionLost(f"no connection to {self._names()}: {e}") from e
                self._note(e)
            if self._child is not None and not self.closed:
                self._child.check()

    def _attempt(self, seconds: float) -> Connection:
        """Connects once, wherever the server is now. Raises Starting while it does not listen yet."""
        if self._cluster is not None:
            self._addresses = self._cluster.addresses(seconds, self._opened)
        elif self._child is not None:
            self._addresses = self._child.addresses()
            self._join = replace(self._join, token=self._child.token())
        try:
            return connect(self._addresses, self._join, seconds, self._opened)
        except (OSError, EOFError) as e:
            behind = self._cluster_behind()
            if behind is None:
                raise
            try:
                found = behind.addresses(seconds, self._opened)
            except Starting:
                raise
            except OSError as cluster:
                raise ConnectionError(f"{e}, and {cluster}") from e
        return connect(found, self._join, seconds, self._opened)

    def _note(self, error: BaseException) -> None:
        """Keeps the reason for the next attempt, and reports it when it is another one than before."""
        if self._child is None:
            self._report_loss("connecting again")
        elif isinstance(error, Starting):
            self._child.waits()
        if self._child is None and str(error) != str(self._last):
            if isinstance(error, Starting):
                _log.warning("waiting: %s", str(error))
            elif self._last is None:
                _log.warning("no connection to %s (%s); trying for %g s", self._names(), str(error), self._timeout)
        self._last = error.with_traceback(None)

    def _wait_after(self, error: BaseException, deadline: float) -> None:
        """Waits before the next attempt. Raises ConnectionLost when no time is left for it."""
        # The JobManager answers fast, so that a job that starts may be looked at more often.
        longest = 1.0 if isinstance(error, Starting) else 5.0
        delay = self._delay = min(longest, 2 * self._delay) if self._delay and self._child is None else 0.1
        if time.monotonic() + delay > deadline and not isinstance(error, Starting):
            self._forget()
            raise ConnectionLost(f"no connection to {self._names()} within {self._timeout:g} s: {error}") from error
        self._closed.wait(delay)

    def _forget(self) -> None:
        self._lost = None
        self._last = None
        self._delay = 0.0

    def _names(self) -> str:
        return " or ".join(map(str, self._addresses)) or self.address

    def _opened(self, made: socket.socket) -> None:
        self._socket = made
        if self._closed.is_set():
            made.shutdown(socket.SHUT_RDWR)

    def _use(self, made: Connection) -> Connection:
        before = self._plan
        try:
            if before is not None:
                require_same(before.fingerprint, made.plan.fingerprint, "the plan before the connection was lost")
            self._prepare_copies(made)
        except BaseException:
            made.close(bye=False)
            raise
        self._plan = made.plan
        self._join = replace(self._join, fingerprint=made.plan.fingerprint)
        if self._child is None and self._cluster is None and self._host is None:
            self._behind = self._cluster_of(made.plan)
        self._current = made
        self._report_loss("connected again")
        if self.watch is not None:
            self.watch.add(made)
        self.connections += 1
        if self._lost is None:
            self._forget()
        return made

    def _cluster_behind(self) -> Optional[Cluster]:
        """Returns the cluster of the server's job. A server that was started again may have named another one to the host."""
        if self._host is None:
            return self._behind
        return None if self._host._behind is None else self._host._behind.evaluation()

    def _cluster_of(self, plan: Plan) -> Optional[Cluster]:
        """Returns the cluster that runs the server's job, as far as the plan names it."""
        web, run = plan.raw.get("web"), plan.raw.get("run")
        if not isinstance(web, str) or not isinstance(run, str):
            return None
        try:
            return Cluster(web, plan.rank, self._join.context, run=run)
        except ValueError:
            return None

    def _prepare_copies(self, made: Connection) -> None:
        """Prepares copies to a GPU. Raises RuntimeError when the first connection cannot page-lock what it must."""
        pinning = self._pinning
        if pinning is None:
            return
        first = self._plan is None and self._host is None  # An evaluation begins in the middle of a training.
        if made.shared is not None:
            self.transfers = Transfers(pinning, made.shared, self.running)
            made.buffers.shared = self.transfers.memory
            made.buffers.guard = self.transfers.guard
            if pinning.required and first:
                self.transfers.require()
            self.pin_reason = ""
        elif pinning.required:
            self.pin_reason = "batches that arrive inline are not page-locked"
            if first:
                reasons = "; ".join(f"{kind}: {reason}" for kind, reason in self._join.reasons.items()) or "memory='inline'"
                raise RuntimeError(f"pin=True page-locks shared memory, but batches arrive inline ({reasons}): pass pin='prefer'")

    def delivered(self) -> None:
        """Notes that the server works."""
        if self._lost is not None:
            self._forget()
        if self._child is not None:
            self._child.delivered()

    def lose(self, error: BaseException) -> None:
        """Drops the connection after an error. Raises LoaderClosed when `close` caused it."""
        self._join.reasons.clear()  # The next server may be on another machine.
        self.drop()
        if self._closed.is_set():
            raise LoaderClosed("the loader was closed while it waited for a batch") from None
        self._unreported = str(error)
        if self._lost is None:
            self._lost = time.monotonic()
        else:
            self._last = error.with_traceback(None)

    def _report_loss(self, result: str) -> None:
        """Reports a loss of the connection, which is not done before it is known that the server has not failed."""
        reason, self._unreported = self._unreported, None
        if reason is not None:
            _log.warning("the connection to the server was lost (%s); %s", reason, result)

    def drop(self, *, bye: bool = False) -> None:
        """Drops the connection, for example after a failure that a new connection would not mend.

        Does not wait for copies to a GPU: they may be behind work that waits for other ranks, and these for this rank's next
        connection.
        """
        connection, self._current = self._current, None
        transfers, self.transfers = self.transfers, None
        if connection is None:
            return
        if transfers is not None:
            self.running.keep(transfers)
        self.copies += connection.buffers.copies
        connection.close(bye=bye)

    def close(self) -> None:
        """Says BYE, closes the connection and stops the child. Ends other threads' waits. Does nothing in a forked process."""
        if os.getpid() != self._pid or self._closed.is_set():
            return
        self._closed.set()
        if not self.in_use.acquire(False):
            connection = self._current
            if connection is not None:
                connection.stream.send_last(BYE)
            waiting = self._socket
            if waiting is not None:
                try:
                    waiting.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # The connection has ended by itself.
            self.in_use.acquire()
        asked = self.done and self._current is not None
        try:
            try:
                self.drop(bye=True)
            finally:
                self.running.close()
        finally:
            self.in_use.release()
            if self.watch is not None:
                self.watch.end()
            child, self._child = self._child, None
            if child is not None and self._host is None:
                child.stop(asked=asked)

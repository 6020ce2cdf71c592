"""The way to a connection: the addresses, the proof of the token, the plan, and the memory for batches."""

import hmac
import logging
import mmap
import os
import re
import secrets
import socket
import ssl
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

from ._address import Address, is_here
from ._buffers import Buffers
from ._connection import Connection, payload
from ._errors import MillraceError, ProtocolError, ServerError
from ._machine import machine_id
from ._memory import Memfd, map_file
from ._plan import MAX_BUFFERS, Plan
from ._protocol import VERSION, Kind, json_message, proof, server_error, text, visible
from ._stream import Deadline, Stream
from ._tls import disagreement
from ._version import __version__

_log = logging.getLogger("millrace")

MEMORY_KINDS = ("memfd", "file", "inline")

_PATIENCE = 10.0
"""Seconds for which one address of several is tried."""

_SILENCE = 30.0
"""Seconds for which the next message is waited for after WAIT, which a server sends each 5 s."""


@dataclass(frozen=True)
class Join:
    """What a client asks for, the same for each of its connections."""

    rank: int
    world: int
    token: Optional[str]
    fingerprint: Optional[Mapping[str, str]]
    transforms: str
    buffers: Optional[int]
    """The number of buffers; None for the one that the server recommends."""
    ahead: int = 0
    """The buffers of batches that are copied to a GPU ahead, in addition to those that the server recommends."""
    kinds: Tuple[str, ...] = MEMORY_KINDS
    """The kinds of memory, the preferred one first."""
    stream: str = "training"
    """The batches that the client asks for: training or evaluation."""
    loader: str = field(default_factory=lambda: secrets.token_hex(16))
    """The same for all connections of a loader, by which a server knows that an earlier one is lost."""
    reasons: Dict[str, str] = field(default_factory=dict, compare=False)
    """Receives the reason for each kind that could not be used."""
    context: Optional[ssl.SSLContext] = None
    """The settings of TLS, which is used over TCP; None for connections without it."""
    insecure: bool = False
    """Whether a connection to another machine may do without TLS."""


class Unusable(MillraceError):
    """The memory that the server offered cannot be used. A new connection can ask for another kind."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"{kind}: {reason}")
        self.kind = kind


class Unproved(ServerError, ConnectionError):
    """The program at an address has not shown that it is the server. A loader that connects again looks for the server elsewhere."""

    def __init__(self, address: Address, token: Optional[str]) -> None:
        if token is None:
            reason = (
                f"the client has no token, and the server at {address} is not a process of this user behind a Unix socket:"
                " pass token=, the server's token or the file that it printed"
            )
        else:
            reason = (
                f"the server at {address} does not know the token: the token is one of another run, or another program has"
                " taken the address. The token was not sent"
            )
        super().__init__("token", reason)


def connect(addresses: List[Address], join: Join, seconds: float, opened: Callable[[socket.socket], None]) -> Connection:
    """Connects to the first address that answers, and returns the connection after the handshake.

    `opened` receives each socket, so that another thread can end the wait by shutting it down. Raises ServerError, ProtocolError,
    Unproved, Unusable, ssl.SSLError when client and server do not agree on TLS, and OSError or EOFError when nobody answers.
    """
    deadline = Deadline(seconds)
    last: Optional[BaseException] = None
    for _ in range(8):
        if not addresses:
            raise ProtocolError("REDIRECT without addresses")
        for address in addresses:
            try:
                answer = _attempt(address, join, deadline, opened)
            except (OSError, EOFError) as e:
                last = e
                continue
            if isinstance(answer, Connection):
                return answer
            addresses = answer
            break
        else:
            assert last is not None
            raise last
    raise ProtocolError("the server redirects in circles")


def _attempt(
    address: Address, join: Join, deadline: Deadline, opened: Callable[[socket.socket], None]
) -> Union[Connection, List[Address]]:
    made = address.connect(min(_PATIENCE, max(0.1, deadline.left)), join.context)
    opened(made)
    stream = Stream(made)
    try:
        if join.context is None and join.token is not None and not join.insecure and not is_here(made):
            _require_no_tls(address, deadline)
            raise disagreement(
                f"{address} is another machine and did not answer with TLS, so that others in the network could read and change the batches:"
                " pass insecure=True if nobody else is in the network and the server was started with --insecure"
            )
        try:
            return _handshake(stream, address, join, deadline)
        except Unproved:
            raise
        except (ConnectionError, EOFError):
            # A server that expects TLS closes the connection when it receives HELLO instead.
            if join.context is None and join.fingerprint is None:
                _require_no_tls(address, deadline)
            raise
    except BaseException:
        stream.close()
        raise


def _require_no_tls(address: Address, deadline: Deadline) -> None:
    if address.uses_tls(min(_PATIENCE, max(0.1, deadline.left))):
        raise disagreement(f"the server at {address} requires TLS: pass tls=True, or tls='ca.pem'")


def _prove(stream: Stream, address: Address, token: Optional[str], deadline: Deadline) -> None:
    """Requires that the server knows the token, and proves that the client does. Neither sends it.

    A process of the same user behind a Unix socket needs no token.
    """
    nonce = secrets.token_hex(16)
    stream.send(json_message(Kind.HELLO, {"protocol": VERSION, "version": __version__, "nonce": nonce}))
    _, challenge = _answer(stream, deadline, (Kind.CHALLENGE,), waits=False)
    nonces = f"{nonce} {text(challenge, 'nonce', 'CHALLENGE')}"
    found = text(challenge, "proof", "CHALLENGE")
    known = token is not None and hmac.compare_digest(proof(token, "server", nonces).encode(), found.encode())
    trusted = known or stream.own_user()
    if not trusted and token is not None:
        raise Unproved(address, token)
    if trusted:
        _require_same_release(address, challenge.get("version"))
    stream.send(json_message(Kind.PROOF, {"proof": proof(token, "client", nonces) if token is not None and known else None}))
    if not trusted:
        # A server refuses a client without a token. One that ends closes the connection, so that the client looks for the next one.
        try:
            _answer(stream, deadline, (), waits=False)
        except ProtocolError:
            raise Unproved(address, token) from None


def _require_same_release(address: Address, version: object) -> None:
    """Requires that the server is of this package's release, whose number is the beginning of a version."""
    own, found = (re.match(r"\d+(\.\d+)*", str(one)) for one in (__version__, version))
    if own is None or found is None or own.group() != found.group():
        server = f"Millrace {visible(str(version))[:40]}" if version is not None else f"a Millrace before {__version__}"
        raise ServerError(
            "protocol", f"the server at {address} is of {server}, this client of Millrace {__version__}: install both from the same release"
        )


def _handshake(stream: Stream, address: Address, join: Join, deadline: Deadline) -> Union[Connection, List[Address]]:
    _prove(stream, address, join.token, deadline)
    stream.send(
        json_message(
            Kind.JOIN,
            {
                "client": f"python {os.getpid()} on {socket.gethostname()}",
                "loader": join.loader,
                "rank": join.rank,
                "world": join.world,
                "fingerprint": None if join.fingerprint is None else dict(join.fingerprint),
                "machine": machine_id(),
                "stream": join.stream,
                "transforms": join.transforms,
            },
        )
    )
    kind, value = _answer(stream, deadline, (Kind.PLAN, Kind.REDIRECT))
    if kind == Kind.REDIRECT:
        return _redirected(value)
    plan = Plan.parse(value)
    if (plan.rank, plan.world) != (join.rank, join.world):
        raise ProtocolError(f"PLAN is for rank {plan.rank} of {plan.world}, expected {join.rank} of {join.world}")
    # One buffer is being filled and one is read; with a third the loop's variables may still hold the batch before.
    count = join.buffers or min(max(3, plan.buffers) + join.ahead, MAX_BUFFERS)
    for memory_kind in join.kinds:
        if memory_kind in join.reasons:
            continue
        if memory_kind != "inline" and not address.unix and join.kinds == MEMORY_KINDS:
            join.reasons[memory_kind] = f"the server is at {address}, not behind a Unix socket"
            continue
        shared = _ask(stream, memory_kind, count, plan, join, deadline)
        if memory_kind not in join.reasons:
            return Connection(stream, address, plan, memory_kind, Buffers(count, plan.buffer_bytes, shared, stream), shared)
    reasons = "; ".join(f"{k}: {r}" for k, r in join.reasons.items())
    raise ServerError("memory", f"no kind of memory can be used ({reasons})")


def _answer(
    stream: Stream, deadline: Deadline, kinds: Tuple[Kind, ...], *, waits: bool = True
) -> Tuple[int, Dict[str, Any]]:
    """Waits for one of some kinds of messages with JSON, for as long as the server sends WAIT, if it `waits`."""
    reported = ""
    while True:
        header = stream.header(deadline)
        if header.type in (Kind.BATCH, Kind.END):
            raise ProtocolError(f"{Kind(header.type).name} during the handshake")
        value = payload(stream, header, deadline)
        if header.type == Kind.ERROR:
            raise server_error(value)
        if header.type in kinds:
            return header.type, value
        if header.type != Kind.WAIT or not waits:
            raise ProtocolError(f"{Kind(header.type).name}, expected {' or '.join(k.name for k in kinds)}")
        # The server is alive. The job behind it may wait for machines for any time.
        deadline.leave(_SILENCE)
        if (reason := visible(text(value, "reason", "WAIT"))) != reported:
            reported = reason
            _log.warning("waiting for the server: %s", reason)


def _redirected(value: Dict[str, Any]) -> List[Address]:
    found = value.get("addresses")
    if not isinstance(found, list) or not 1 <= len(found) <= 64 or not all(isinstance(a, str) for a in found):
        raise ProtocolError("REDIRECT: 'addresses' is not a list of 1 to 64 strings")
    try:
        return [Address.parse(a) for a in found]
    except ValueError as e:
        raise ProtocolError(f"REDIRECT: {e}") from None


def _ask(stream: Stream, kind: str, count: int, plan: Plan, join: Join, deadline: Deadline) -> Optional[mmap.mmap]:
    """Asks for one kind of memory. Returns the mapping, or notes the reason why the kind cannot be used."""
    wish: Dict[str, Any] = {"kind": kind, "buffers": count}
    length = count * plan.buffer_bytes
    own: Optional[Memfd] = None
    if kind == "memfd":
        try:
            own = Memfd(length)
        except (OSError, ValueError, OverflowError) as e:
            join.reasons[kind] = str(e)
            return None
        wish.update(path=own.path, bytes=length, nonce=own.nonce)
    try:
        stream.send(json_message(Kind.MEMORY, wish))
        _, mapped = _answer(stream, deadline, (Kind.MAPPED,))
    finally:
        if own is not None:
            own.close()
    answer = text(mapped, "kind", "MAPPED")
    if answer == "refused":
        join.reasons[kind] = text(mapped, "reason", "MAPPED")
        return None
    if answer != kind:
        raise ProtocolError(f"MAPPED: {answer!r}, expected {kind!r}")
    if kind == "file":
        try:
            return map_file(mapped, length)
        except (OSError, ValueError, OverflowError) as e:
            join.reasons[kind] = str(e)
            raise Unusable(kind, str(e)) from None
    return None if own is None else own.map

"""The messages between client and server, as docs/develop/serving.md describes them. Pure functions without a socket."""

import hashlib
import hmac
import json
import operator
import re
import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Dict, NamedTuple, Optional

from ._errors import JobFailed, PlanDiffers, ProtocolError, ServerError

VERSION = 3
PAYLOAD = 1
HEADER_BYTES = 32
MAX_JSON = 1 << 20
MAX_PLAN = 1 << 26
"""The largest number of bytes of PLAN, which has the names of all classes."""

MAX_INLINE = (1 << 31) - 9
"""The largest number of bytes of a batch inline: the length of a Java array."""

MAX_STEP = (1 << 63) - 1

# Control characters, marks of writing direction, and separators of lines.
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

_HEADER = struct.Struct("<HHIQQQ")
_BUFFER = struct.Struct("<4sIQIIIIQQQQ")
BUFFER_HEADER_BYTES = _BUFFER.size


class Kind(IntEnum):
    """The types of messages."""

    HELLO = 1
    PLAN = 2
    MEMORY = 3
    MAPPED = 4
    SEEK = 5
    BATCH = 6
    RETURN = 7
    STEP = 8
    WAIT = 9
    END = 10
    ERROR = 11
    BYE = 12
    REDIRECT = 13
    CHALLENGE = 14
    PROOF = 15
    JOIN = 16


_BATCH = int(Kind.BATCH)
_JSON = frozenset(int(k) for k in (Kind.PLAN, Kind.MAPPED, Kind.WAIT, Kind.ERROR, Kind.REDIRECT, Kind.CHALLENGE))


class Header(NamedTuple):
    """The 32 bytes of a message from the server, after the checks that need nothing else."""

    type: int
    flags: int
    generation: int
    number: int
    a: int
    b: int


def parse_header(data: Any, offset: int = 0) -> Header:
    """Returns the header in the 32 bytes of `data` from `offset` on.

    Raises ProtocolError for a type that a server does not send, unknown flags and impossible lengths.
    """
    header = Header._make(_HEADER.unpack_from(data, offset))
    kind = header[0]
    flags = header[1]
    if kind == _BATCH:
        if flags > PAYLOAD or (flags and header[5] > MAX_INLINE):
            raise ProtocolError(f"BATCH with the flags {flags:#x} and {header[5]} bytes")
        if header[5] < BUFFER_HEADER_BYTES:
            raise ProtocolError(f"BATCH of {header[5]} bytes, expected at least {BUFFER_HEADER_BYTES}")
    elif kind in _JSON:
        most = MAX_PLAN if kind == Kind.PLAN else MAX_JSON
        if flags != PAYLOAD or header[5] > most:
            raise ProtocolError(
                f"{Kind(kind).name} with the flags {flags:#x} and {header[5]} bytes, expected a payload of at most {most}"
            )
    elif kind == Kind.END:
        if flags:
            raise ProtocolError(f"END with the flags {flags:#x}, expected none")
    else:
        raise ProtocolError(f"a message of type {kind}, which a server does not send")
    if header[3] > MAX_STEP:
        raise ProtocolError(f"{Kind(kind).name} with the number {header[3]}")
    return header


def message(kind: Kind, *, generation: int = 0, number: int = 0, a: int = 0, b: int = 0) -> bytes:
    """Returns a message without payload."""
    return _HEADER.pack(kind, 0, generation & 0xFFFFFFFF, number, a, b)


def json_message(kind: Kind, value: Dict[str, Any]) -> bytes:
    """Returns a message whose payload is JSON. Raises ValueError above 1 MiB."""
    payload = json.dumps(value, separators=(",", ":")).encode()
    if len(payload) > MAX_JSON:
        raise ValueError(f"{kind.name} would have {len(payload)} bytes of JSON, expected at most {MAX_JSON}")
    return _HEADER.pack(kind, PAYLOAD, 0, 0, 0, len(payload)) + payload


def parse_json(kind: int, payload: bytes) -> Dict[str, Any]:
    """Returns the object in a JSON payload. Raises ProtocolError for anything else."""
    try:
        value = json.loads(payload.decode("utf-8"))
    except (ValueError, RecursionError) as e:
        raise ProtocolError(f"{Kind(kind).name} does not contain JSON: {e}") from None
    if not isinstance(value, dict):
        raise ProtocolError(f"{Kind(kind).name} contains {type(value).__name__}, expected an object")
    return value


def proof(token: str, side: str, nonces: str) -> str:
    """Returns the number with which a side, `client` or `server`, shows that it knows the token: HMAC-SHA256 in hexadecimal.

    `nonces`: the random numbers of client and server, with a space between.
    """
    return hmac.new(token.encode(), f"millrace {side} {nonces}".encode(), hashlib.sha256).hexdigest()


def text(value: Dict[str, Any], key: str, kind: str) -> str:
    """Returns the string under a key. Raises ProtocolError for anything else."""
    found = value.get(key)
    if not isinstance(found, str):
        raise ProtocolError(f"{kind}: '{key}' is {short(found)}, expected a string")
    return found


def integer(value: Dict[str, Any], key: str, kind: str, low: int, high: int) -> int:
    """Returns the whole number under a key. Raises ProtocolError for anything else, also for numbers out of the range."""
    found = value.get(key)
    if not isinstance(found, int) or isinstance(found, bool) or not low <= found <= high:
        raise ProtocolError(f"{kind}: '{key}' is {short(found)}, expected a whole number from {low} to {high}")
    return found


def whole(value: Any, name: str) -> int:
    """Returns a whole number that the program gives, perhaps one of numpy. Raises TypeError for anything else."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {short(value)}, expected a whole number") from None


def optional_integer(value: Dict[str, Any], key: str, kind: str, low: int, high: int) -> Optional[int]:
    """Returns the whole number under a key, or None for null and a missing key."""
    return None if value.get(key) is None else integer(value, key, kind, low, high)


def short(value: Any) -> str:
    """Returns a value for a message, at most 80 characters long."""
    try:
        shown = repr(value)
    except (ValueError, RecursionError):  # whole numbers of thousands of digits, and deeply nested lists
        shown = f"a {type(value).__name__}"
    return shown if len(shown) <= 80 else shown[:77] + "..."


def visible(message: str, kept: str = "") -> str:
    """Returns a message of another program in which the characters that a terminal obeys are escaped, except those of `kept`.

    Names of files, which may contain any character, are part of such messages.
    """
    return _OBEYED.sub(lambda found: found[0] if found[0] in kept else found[0].encode("unicode_escape").decode("ascii"), message)


def server_error(value: Dict[str, Any]) -> ServerError:
    """Returns the exception for the payload of ERROR."""
    code = text(value, "code", "ERROR")
    # The server has escaped line ends of names. Other line ends are its own.
    sentence = visible(text(value, "message", "ERROR"), kept="\n")
    if code == "job_failed":
        return JobFailed(sentence)
    if code == "plan_differs":
        keys = value.get("keys", [])
        named = [k for k in keys if isinstance(k, str)] if isinstance(keys, list) else []
        return PlanDiffers(sentence, named)
    return ServerError(code, sentence)


@dataclass(frozen=True)
class BufferHeader:
    """The first 64 bytes of a buffer."""

    generation: int
    step: int
    epoch: int
    rows: int
    """Rows that the buffer has, the padded one included."""
    padded: int
    """1 if the only row is padded, because none of this rank's samples of the step is good; otherwise 0."""
    expected: int
    """Rows of the batch for this rank, quarantined ones included."""
    position: int
    """The position of the first row in the run."""
    used: int
    """Bytes in use."""


def parse_buffer(data: Any, offset: int, header: Header, capacity: int) -> BufferHeader:
    """Returns the header of the buffer that begins at `offset` of `data`.

    Raises ProtocolError when it contradicts the BATCH message or the plan.
    """
    magic, generation, step, epoch, rows, expected, padded, position, used, _, _ = _BUFFER.unpack_from(data, offset)
    if magic != b"MRB1":
        raise ProtocolError(f"the buffer of step {header.number} begins with {magic!r}, expected b'MRB1'")
    if generation != header.generation or step != header.number or used != header.b:
        raise ProtocolError(
            f"the buffer has step {step}, generation {generation} and {used} bytes, but its BATCH has"
            f" {header.number}, {header.generation} and {header.b}"
        )
    if padded and (padded, rows) != (1, 1):
        raise ProtocolError(f"step {step}: {padded} of {rows} rows are padded, expected none, or the only one")
    if not rows - padded <= expected <= capacity:
        raise ProtocolError(f"step {step}: {rows - padded} of {expected} rows are present, in a buffer for {capacity}")
    if position > MAX_STEP - capacity:
        raise ProtocolError(f"step {step} begins at position {position}")
    return BufferHeader(generation, step, epoch, rows, padded, expected, position, used)

"""Addresses of servers."""

import ipaddress
import json
import os
import re
import socket
import ssl
from dataclasses import dataclass
from typing import Optional, Union

from ._fork import owned
from ._tls import secured

PathLike = Union[str, "os.PathLike[str]"]

_TOKEN = re.compile("[0-9a-fA-F]{32}")
_LONGEST_PATH = 107
"""The bytes of a path with which the operating system connects to a Unix socket."""
_KEEPALIVE = (("TCP_KEEPIDLE", 15), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3), ("TCP_USER_TIMEOUT", 30_000))


@dataclass(frozen=True)
class Address:
    """A Unix socket (`path`), or a TCP port (`host` and `port`)."""

    path: str = ""
    host: str = ""
    port: int = 0

    @property
    def unix(self) -> bool:
        """Whether the server is on this machine, behind a Unix socket."""
        return bool(self.path)

    def __str__(self) -> str:
        if self.unix:
            return f"unix:{self.path}"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @staticmethod
    def parse(text: str) -> "Address":
        """Reads `unix:/path`, `host:port` or `[IPv6 address]:port`. Raises ValueError for anything else."""
        if text.startswith("unix:") and len(text) > 5:
            # The program may change its folder before it connects again.
            return Address(path=os.path.abspath(text[5:]))
        host, _, port = text.rpartition(":")
        if host.startswith("[") and host.endswith("]"):
            host = host[1:-1]
        elif ":" in host:
            host = ""
        try:
            host.encode("idna")
        except UnicodeError:  # a part between dots that is empty or longer than 63 bytes
            host = ""
        if not host or "/" in host or not (port.isascii() and port.isdigit()) or not 0 < int(port[:6]) < 65536:
            raise ValueError(
                f"'{text}' is neither a file nor an address: expected a pipeline file, host:port, unix:/path or http://host:port"
            )
        return Address(host=host, port=int(port))

    def connect(self, seconds: float, context: Optional[ssl.SSLContext]) -> socket.socket:
        """Returns a new connection, which uses TLS over TCP if there is a context. Raises OSError."""
        if self.unix:
            made = owned(socket.socket(socket.AF_UNIX))
            try:
                made.settimeout(seconds)
                _connect(made, self.path)
            except BaseException:
                made.close()
                raise
            return made
        made = owned(socket.create_connection((self.host, self.port), seconds))
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A machine or cable that is gone is noticed after 30 s, although a client mostly waits.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEPALIVE:
            if hasattr(socket, name):
                made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        return made if context is None else secured(made, context, self.host)

    def uses_tls(self, seconds: float) -> bool:
        """Returns whether a server answers with TLS here. Neither trusts nor sends anything."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        if self.unix:
            return False
        try:
            self.connect(seconds, context).close()
        except OSError:
            return False
        return True


def _connect(made: socket.socket, path: str) -> None:
    """Connects to a Unix socket, whose path may be longer than the operating system allows. Raises OSError."""
    if len(os.fsencode(path)) <= _LONGEST_PATH or not hasattr(os, "O_PATH"):
        made.connect(path)
        return
    opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        made.connect(f"/proc/self/fd/{opened}")
    finally:
        os.close(opened)


def is_here(connected: socket.socket) -> bool:
    """Returns whether the bytes of a connection stay on this machine. Raises OSError when the connection has ended."""
    if connected.family == socket.AF_UNIX:
        return True
    there: str = connected.getpeername()[0]
    return ipaddress.ip_address(there).is_loopback or there == connected.getsockname()[0]


def is_cluster(source: str) -> bool:
    """Whether a source is the REST address of a JobManager, which knows where the job's sinks listen."""
    return source.startswith(("http://", "https://"))


def is_pipeline(source: PathLike) -> bool:
    """Whether a source is a pipeline file, for which a server is started."""
    return isinstance(source, os.PathLike) or os.path.isfile(source)


def read_token(given: Optional[PathLike]) -> Optional[str]:
    """Returns the token: `given` or else MILLRACE_TOKEN, or what the file of that name contains.

    The file is `serve.token` of the run folder, or the ready file of `./millrace serve`. Raises ValueError without a token in it.
    """
    found = os.fsdecode(given) if given is not None else os.environ.get("MILLRACE_TOKEN") or None
    if found is None or _TOKEN.fullmatch(found):
        return found
    try:
        with open(found, encoding="utf-8") as file:
            text = file.read().strip()
        if text.startswith("{"):
            text = str(json.loads(text).get("token"))
    except (OSError, ValueError) as e:
        raise ValueError(f"the token is neither 32 hex digits nor a file that contains them: {e}") from None
    if not _TOKEN.fullmatch(text):
        raise ValueError(f"the token's file {found} contains neither 32 hex digits nor an object with 'token'")
    return text

"""Addresses of servers."""

import os
import re
import socket
from dataclasses import dataclass
from typing import List, Optional

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
            return Address(path=text[5:])
        host, _, port = text.rpartition(":")
        if host.startswith("[") and host.endswith("]"):
            host = host[1:-1]
        elif ":" in host:
            host = ""
        if not host or "/" in host or not (port.isascii() and port.isdigit()) or not 0 < int(port[:6]) < 65536:
            raise ValueError(f"'{text}' is not an address: expected host:port or unix:/path")
        return Address(host=host, port=int(port))

    def connect(self, seconds: float) -> socket.socket:
        """Returns a new connection. Raises OSError."""
        if self.unix:
            made = socket.socket(socket.AF_UNIX)
            try:
                made.settimeout(seconds)
                made.connect(self.path)
            except BaseException:
                made.close()
                raise
            return made
        made = socket.create_connection((self.host, self.port), seconds)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A machine or cable that is gone is noticed after 30 s, although a client mostly waits.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEPALIVE:
            if hasattr(socket, name):
                made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        return made


def servers(source: str, rank: int) -> List[Address]:
    """Returns the addresses at which the server of a rank may be found, the best one first.

    `source` is an address, or a sequence of them separated by commas.
    """
    if source.startswith(("http://", "https://")):
        # The one place for the discovery over Flink's REST API, which returns the addresses of the rank's sink.
        raise ValueError(
            f"'{source}' is the address of Flink's REST API, from which servers cannot be found yet:"
            " give the address that ./millrace serve prints, for example host:8815"
        )
    return [Address.parse(one) for one in source.split(",")]


def is_pipeline(source: "str | os.PathLike[str]") -> bool:
    """Whether a source is a pipeline file, for which a server is started."""
    return isinstance(source, os.PathLike) or os.path.isfile(source)


def read_token(given: Optional[str]) -> Optional[str]:
    """Returns the token: `given`, the contents of the file of that name, or that of MILLRACE_TOKEN."""
    found = given if given is not None else os.environ.get("MILLRACE_TOKEN") or None
    if found is not None and not re.fullmatch("[0-9a-fA-F]{32}", found):
        try:
            with open(found, encoding="ascii") as file:
                found = file.read().strip()
        except (OSError, UnicodeDecodeError) as e:
            raise ValueError(f"the token is neither 32 hex digits nor a file that contains them: {e}") from None
        if not re.fullmatch("[0-9a-fA-F]{32}", found):
            raise ValueError("the file of the token does not contain 32 hex digits")
    return found

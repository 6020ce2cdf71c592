"""TLS between this process and a server, for connections over TCP."""

import logging
import os
import select
import socket
import ssl
import threading
from typing import Optional, Union

from ._fork import owned

_log = logging.getLogger("millrace")
_PIECE = 1 << 18
_FAREWELL = 1.0
"""Seconds for which the last messages to the server are sent after the end of the connection here."""

Trust = Union[None, bool, str, "os.PathLike[str]"]


def context_for(tls: Trust) -> Optional[ssl.SSLContext]:
    """Returns the settings of TLS that trust the system's certificates (True) or those in a file or folder (PEM).

    Returns None for None and False. Raises ValueError when the certificates cannot be read.
    """
    if tls is None or tls is False:
        return None
    if tls is True:
        return ssl.create_default_context()
    path = os.fspath(tls)
    folder = os.path.isdir(path)
    try:
        os.stat(path)  # No file at all would mean the system's certificates.
        context = ssl.create_default_context(cafile=None if folder else path, capath=path if folder else None)
    except OSError as e:
        raise ValueError(f"tls is '{path}', expected True or a file of certificates in PEM format: {e}") from None
    # Certificates that keytool makes lack an extension that newer versions of Python require of a CA.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


def secured(connected: socket.socket, context: ssl.SSLContext, host: str) -> "Tunnel":
    """Returns a socket for the plain bytes of a TLS connection, after its handshake. Takes ownership of `connected`.

    Raises ssl.SSLError with a sentence when the server is not trusted or does not use TLS, and OSError when it does not answer.
    """
    try:
        return Tunnel(context.wrap_socket(connected, server_hostname=host))
    except ssl.SSLError as e:
        raise explained(e) from e
    finally:
        connected.close()  # Does nothing after a handshake, because the TLS socket has the connection then.


def disagreement(sentence: str) -> ssl.SSLError:
    """Returns the error of a client and a server that do not agree on TLS. Its number makes `str` return the sentence alone."""
    return ssl.SSLError(ssl.SSL_ERROR_SSL, sentence)


def explained(error: ssl.SSLError) -> ssl.SSLError:
    """Returns an error of a handshake with a sentence for the user."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return disagreement(
            f"the server's certificate is not accepted: {error.verify_message}; pass the certificate of its issuer, tls='ca.pem',"
            " and connect to a name in the certificate"
        )
    return disagreement(f"TLS failed, perhaps because the server does not use it: {error}")


class Tunnel(socket.socket):
    """One end of a pair of sockets. A thread passes the bytes on between the other end and a TLS connection.

    A TLS connection of Python must not be used by two threads at once, and not by a finalizer that interrupts its use. Only that
    thread uses it, and all others use this socket like one without TLS.
    """

    def __init__(self, secure: ssl.SSLSocket) -> None:
        ours, theirs = socket.socketpair()
        super().__init__(ours.family, ours.type, ours.proto, ours.detach())
        for one in (self, theirs, secure):
            owned(one)
        self._thread = threading.Thread(target=_pass, args=(secure, theirs), name="millrace-tls", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Closes this end, and waits until the thread has closed the connection."""
        super().close()
        self._thread.join()


def _pass(secure: ssl.SSLSocket, plain: socket.socket) -> None:
    with secure, plain:
        try:
            _Passing(secure, plain).run()
        except OSError as e:
            _log.info("the TLS connection has ended: %s", e)


class _Passing:
    """The passing of bytes in both directions. Belongs to one thread."""

    def __init__(self, secure: ssl.SSLSocket, plain: socket.socket) -> None:
        secure.setblocking(False)
        plain.setblocking(False)
        self._secure = secure
        self._plain = plain
        self._inward = memoryview(bytearray(_PIECE))
        self._received = self._inward[:0]
        self._outward = memoryview(bytearray(1 << 16))
        self._unsent = self._outward[:0]
        self._ended_here = False
        self._ended_there = False
        self._poll = select.poll()
        self._poll.register(plain, 0)
        self._watched = False

    def run(self) -> None:
        """Passes bytes on until one side has closed its connection."""
        while True:
            blocked = self._outwards()
            self._inwards()
            if self._ended_there and not self._received:
                return
            if not self._received and self._secure.pending():
                continue
            # Without events, poll reports the end of the connection; here that matters only on the client's side.
            self._poll.modify(
                self._plain,
                (0 if self._unsent or self._ended_here else select.POLLIN) | (select.POLLOUT if self._received else 0),
            )
            events = (0 if self._received else select.POLLIN) | (select.POLLOUT if blocked else 0)
            if events:
                self._poll.register(self._secure, events)
            elif self._watched:
                self._poll.unregister(self._secure)
            self._watched = events != 0
            for fd, happened in self._poll.poll():
                if fd == self._plain.fileno() and happened & (select.POLLHUP | select.POLLERR):
                    self._farewell()
                    return

    def _inwards(self) -> None:
        if not self._received:
            count = 0
            try:
                while count < len(self._inward):
                    more = self._secure.recv_into(self._inward[count:])
                    if more == 0:
                        self._ended_there = True
                        break
                    count += more
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                pass
            self._received = self._inward[:count]
        if self._received:
            try:
                self._received = self._received[self._plain.send(self._received) :]
            except BlockingIOError:
                pass

    def _outwards(self) -> bool:
        """Returns whether the connection cannot take more bytes now."""
        if not self._unsent and not self._ended_here:
            try:
                count = self._plain.recv_into(self._outward)
            except BlockingIOError:
                return False
            self._ended_here = count == 0
            self._unsent = self._outward[:count]
        if self._unsent:
            try:
                self._unsent = self._unsent[self._secure.send(self._unsent) :]
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                return True
        if self._ended_here:
            # `SSLSocket.shutdown` would end the receiving too.
            socket.socket.shutdown(self._secure, socket.SHUT_WR)
        return False

    def _farewell(self) -> None:
        """Sends what the client has written before it closed its end."""
        self._secure.settimeout(_FAREWELL)
        while True:
            if self._unsent:
                self._secure.sendall(self._unsent)
            try:
                count = 0 if self._ended_here else self._plain.recv_into(self._outward)
            except BlockingIOError:
                return
            if count == 0:
                return
            self._unsent = self._outward[:count]

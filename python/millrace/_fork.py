"""What forked processes, such as the workers of a DataLoader, must not keep of their parent's loaders."""

import os
import socket
import weakref
from typing import IO, TypeVar, Union

_One = TypeVar("_One", bound="Union[socket.socket, IO[bytes]]")

_owned: "weakref.WeakSet[Union[socket.socket, IO[bytes]]]" = weakref.WeakSet()


def owned(one: _One) -> _One:
    """Returns a socket or pipe, which is closed in each process that is forked from this one while it is open.

    A server sees the end of its client, and a server that was started here the end of this process, by the end of a socket or a
    pipe, which lasts as long as any process has it. This process's own is not touched.
    """
    _owned.add(one)
    return one


def _close_all() -> None:
    for one in list(_owned):
        if isinstance(one, socket.socket):
            socket.socket.close(one)  # not the method of a `Tunnel`, which waits for a thread
        else:
            one.close()
    _owned.clear()


os.register_at_fork(after_in_child=_close_all)

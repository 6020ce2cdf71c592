"""What is different in a notebook: it shows outputs in cells, and it keeps objects that the program has replaced."""

import sys
import traceback
import weakref
from typing import Any, List, Optional

_started: "weakref.WeakSet[Any]" = weakref.WeakSet()
"""The loaders of this program that have started a server."""

_HISTORY = ("_", "__", "___")


def shell() -> Optional[Any]:
    """Returns IPython's shell if this program is the kernel of a notebook, and None otherwise."""
    ipython = sys.modules.get("IPython")
    found = None if ipython is None else ipython.get_ipython()
    return found if getattr(found, "kernel", None) is not None else None


def in_notebook() -> bool:
    """Returns whether this program is the kernel of a notebook."""
    return shell() is not None


def has_started(loader: object) -> None:
    """Notes that a loader has started a server. A notebook then keeps no earlier one that has no variable.

    IPython keeps the value of a cell in `Out`, and the variables of all functions that the last error, or an interrupt, has
    passed through. Each would keep the server of a loader whose cell is run again.
    """
    kernel = shell()
    if kernel is not None:
        _clear_variables(getattr(sys, "last_value", None))
        for earlier in list(_started):
            _forget_value(kernel, earlier)
        _started.add(loader)


def _forget_value(kernel: Any, loader: object) -> None:
    """Removes a loader from the values of cells, which are `Out[n]`, `_n`, and `_` with two and three underscores."""
    for namespace in (kernel.user_ns, kernel.user_ns_hidden, kernel.user_ns.get("_oh", {})):
        for name in [name for name, value in namespace.items() if value is loader and _is_history(name)]:
            del namespace[name]
    for name in _HISTORY:
        if getattr(kernel.displayhook, name, None) is loader:
            setattr(kernel.displayhook, name, None)
    last = kernel.last_execution_result
    if last is not None and last.result is loader:
        last.result = None


def _is_history(name: object) -> bool:
    """Returns whether IPython has chosen the name, or the number, of a value."""
    return isinstance(name, int) or name in _HISTORY or (str(name)[:1] == "_" and str(name)[1:].isdigit())


def _clear_variables(error: Optional[BaseException]) -> None:
    """Drops the variables of the functions that an error, and those that it followed, have passed through."""
    known: List[BaseException] = []
    found = [error]
    while found:
        one = found.pop()
        if one is not None and not any(one is other for other in known):
            known.append(one)
            found += [one.__context__, one.__cause__]
            traceback.clear_frames(one.__traceback__)
            for frame, _ in traceback.walk_tb(one.__traceback__):
                frame.f_locals  # noqa: B018 # Before Python 3.13, a frame whose variables were read has a copy of them until now.

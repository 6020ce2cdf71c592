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
    """Notes that a loader has started a server. In a notebook, those that it replaces are forgotten after the cell."""
    kernel = shell()
    if kernel is not None:
        if len(_started):
            _Forgetting(kernel)
        _started.add(loader)


class _Forgetting:
    """Drops what IPython keeps of loaders that have no name any more, once, after the next cell without an error.

    IPython keeps the value of a cell in `Out`, and the variables of all functions that the last error, or an interrupt, has passed
    through. Each would keep the server of a loader whose cell was run again.
    """

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        kernel.events.register("post_run_cell", self._after)

    def _after(self, result: Any) -> None:
        if result.error_in_exec is not None:
            return  # The user may examine this error.
        self._kernel.events.unregister("post_run_cell", self._after)
        kept: List[Any] = [getattr(sys, name, None) for name in ("last_traceback", "last_exc", "last_value")]
        for one in kept:
            traceback.clear_frames(getattr(one, "__traceback__", one))
        for loader in list(_started):
            if not self._has_a_name(loader):
                self._forget(loader)

    def _has_a_name(self, loader: object) -> bool:
        names = [name for name, value in self._kernel.user_ns.items() if value is loader]
        return any(name not in _HISTORY and not name[1:].isdigit() for name in names)

    def _forget(self, loader: object) -> None:
        kernel = self._kernel
        for namespace in (kernel.user_ns, kernel.user_ns.get("_oh", {})):
            for name in [name for name, value in namespace.items() if value is loader]:
                del namespace[name]
        for name in _HISTORY:
            if getattr(kernel.displayhook, name, None) is loader:
                setattr(kernel.displayhook, name, None)
        last = kernel.last_execution_result
        if last is not None and last.result is loader:
            last.result = None

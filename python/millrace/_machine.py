"""The machine of this process."""

import os
import resource
from contextlib import suppress
from typing import Dict, Iterator, NamedTuple, Optional


def machine_id() -> Optional[str]:
    """Returns a text that is equal for processes with the same loopback interface; None where the system does not show one."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return f"{file.read().strip()} {os.readlink('/proc/self/ns/net')}"
    except OSError:
        return None


class _Files(NamedTuple):
    """The files of a control group that limits memory."""

    controller: str
    """The word for it in /proc/self/cgroup."""
    folder: str
    limit: str
    used: str
    cached: str
    """The prefix in memory.stat of the bytes that the system gives away when they are needed."""


_VERSIONS = (
    _Files("", "sys/fs/cgroup", "memory.max", "memory.current", ""),
    _Files("memory", "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_"),
)


def free_memory(root: str = "/") -> Optional[int]:
    """Returns the number of bytes of memory that this process could still get from the machine and from its control groups.

    Returns None where the system shows neither. `root` is the folder with proc and sys.
    """
    found = []
    with suppress(OSError, KeyError):
        found.append(1024 * _counts(os.path.join(root, "proc/meminfo"))["MemAvailable:"])
    for files in _VERSIONS:
        for group in _groups(root, files):
            with suppress(OSError, KeyError, ValueError):  # the root has no limit, and "max" is no number
                limit, used = (int(_text(os.path.join(group, name))) for name in (files.limit, files.used))
                counts = _counts(os.path.join(group, "memory.stat"))
                cached = sum(counts[f"{files.cached}{state}_file"] for state in ("inactive", "active"))
                found.append(max(0, limit - used + cached))
    return min(found, default=None)


def _groups(root: str, files: _Files) -> Iterator[str]:
    """Yields the folders of this process's control group and of those that contain it."""
    with suppress(OSError):
        for line in _text(os.path.join(root, "proc/self/cgroup")).splitlines():
            _, controllers, path = line.split(":", 2)
            if files.controller in controllers.split(","):
                while path.strip("/"):
                    yield os.path.join(root, files.folder, path.strip("/"))
                    path = os.path.dirname(path)
                yield os.path.join(root, files.folder)  # in a container, that of its own group


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def _counts(path: str) -> Dict[str, int]:
    """Returns the numbers in lines of a name and a number."""
    words = (line.split() for line in _text(path).splitlines())
    return {each[0]: int(each[1]) for each in words if len(each) > 1 and each[1].isdigit()}


def locked_limit() -> str:
    """Returns the limit of the memory that this process may lock, as `ulimit -l` prints it, with its unit."""
    soft, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    return "unlimited" if soft == resource.RLIM_INFINITY else f"{soft // 1024} KiB"

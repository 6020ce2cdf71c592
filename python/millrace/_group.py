"""A program in a process group of its own, which ends with this process."""

import os
import signal
import subprocess
from typing import IO, Dict, Sequence, Union

from ._fork import owned

# The shell becomes the program. A helper of its group reads a pipe whose other end only this process has: when this process
# is gone, however it died, the helper ends the program and deletes the folder. The group's number cannot belong to others while
# the helper lives.
_SHELL = """
exec 3<&0 </dev/null
(
    trap '' TERM INT HUP
    cat <&3 >/dev/null
    kill -TERM -$$
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        kill -0 $$ || break
        sleep 1
    done
    rm -rf -- "$0" "$0.lock"
    kill -KILL -$$
) >/dev/null 2>&1 &
exec "$@" 3<&-
"""

_Output = Union[int, IO[bytes], None]


def start_group(
    command: Sequence[str], folder: str, place: str, environment: Dict[str, str], out: _Output, err: _Output
) -> "subprocess.Popen[bytes]":
    """Starts a program in the folder `place`. When this process dies, the program ends and `folder` is deleted."""
    made = subprocess.Popen(
        ["/bin/sh", "-c", _SHELL, folder, *command],
        stdin=subprocess.PIPE,
        stdout=out,
        stderr=err,
        cwd=place,
        env=environment,
        # Ctrl-C in a terminal should reach this process only, which may still save a checkpoint.
        start_new_session=True,
        bufsize=0,  # A pipe without a lock, which another thread could have while this process is forked.
    )
    assert made.stdin is not None
    owned(made.stdin)
    return made


def end_group(process: "subprocess.Popen[bytes]") -> None:
    """Ends what is left of a group, once: its number may be another group's later."""
    assert process.stdin is not None
    if process.stdin.closed:
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # Nothing is left.
    process.wait()
    process.stdin.close()

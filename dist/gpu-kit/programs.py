"""Programs that the kit starts: they end with it, however it ends, and have a limit of time."""

import os
import signal
import subprocess
import sys
import time

ENDED_BY_LIMIT = 124
NOT_STARTED = 127
INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
POLL_SECONDS = 0.02


class Failure(Exception):
    """A step failed; the message is the reason."""


class Guard:
    """
    A process that kills the programs of this one when this one ends without having ended them, as after SIGKILL. They are in
    sessions of their own, and would otherwise go on using the GPU.
    """

    SOURCE = """
import os, signal, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
groups = set()
for line in sys.stdin:
    (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
for group in groups:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass
"""

    def __init__(self):
        self._process = None

    def begun(self, group):
        """Notes a program, by the number of its process group."""
        if self._process is None:
            # Without its environment, so that nothing but this script decides what it does.
            command = [sys.executable, "-I", "-S", "-c", self.SOURCE]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
            )
        self._write(f"+{group}\n")

    def ended(self, group):
        """Forgets a program that has ended."""
        self._write(f"-{group}\n")

    def _write(self, line):
        self._process.stdin.write(line.encode())
        self._process.stdin.flush()

    def close(self):
        """Ends the process, when no program is left."""
        if self._process is not None:
            self._process.stdin.close()
            self._process.wait()
            self._process = None


class Program:
    """A program in a session of its own. Its output goes to a file."""

    def __init__(self, command, cwd, environment, out, errors, guard):
        """Starts it. An interruption waits until the program is known. A program that cannot be started raises Failure."""
        self.mask = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)
        self._guard = guard
        self.process = None
        mask = self.mask
        try:
            self.process = subprocess.Popen(
                command,
                cwd=cwd,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
                start_new_session=True,
                preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, mask),
            )
            guard.begun(self.process.pid)
        except OSError as e:
            raise Failure(f"{command[0]} cannot be started: {e.strerror}") from None
        finally:
            if self.process is None:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def wait(self, seconds, progress=lambda: None):
        """Waits at most so many seconds, ends the program if it has not ended by itself, and returns whether it has."""
        try:
            return wait(self.process, seconds, self.mask, progress)
        finally:
            self.forget()

    def unblock(self):
        """Lets interruptions through again, for a caller that has the program end in any case."""
        signal.pthread_sigmask(signal.SIG_SETMASK, self.mask)

    def over(self):
        """Returns whether the program has ended."""
        return ended(self.process, 0, self.mask)

    def end(self):
        """Ends the program and what it started."""
        end_all([self])

    def forget(self):
        """Tells the guard that the program has ended."""
        self._guard.ended(self.process.pid)


def wait(process, seconds, mask, progress=lambda: None):
    """
    Sets the mask of signals and waits for a program, and calls `progress` meanwhile. When the time is over or this script is
    interrupted, it ends the program and what that started: a program in a session of its own would otherwise keep the GPU.
    Returns whether it ended by itself.
    """
    try:
        by_itself = ended(process, seconds, mask, progress)
    except BaseException:
        end(process, mask)
        raise
    if not by_itself:
        end(process, mask)
    return by_itself


def end(process, mask):
    """Ends a program and what it started: after SIGTERM they have 10 s, and a second interruption kills them at once."""
    try:
        signal_group(process, signal.SIGTERM)
        ended(process, 10, mask)
    finally:
        signal_group(process, signal.SIGKILL)
        ended(process, float("inf"), mask)


def ended(process, seconds, mask, progress=lambda: None):
    """
    Waits until a program ends, at most so many seconds; returns whether it has ended. The mask of signals holds but for the moments
    in which Popen asks for the program: it locks, and an interruption there could leave it locked for ever.
    """
    limit = time.monotonic() + seconds
    while True:
        signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)
        over = process.poll() is not None
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if over or time.monotonic() >= limit:
            return over
        progress()
        time.sleep(POLL_SECONDS)


def signal_group(process, number):
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass  # all have ended


def end_all(programs):
    """Ends several programs as `end` ends one, all in the same 10 s."""
    limit = time.monotonic() + 10
    try:
        for program in programs:
            signal_group(program.process, signal.SIGTERM)
        for program in programs:
            ended(program.process, limit - time.monotonic(), program.mask)
    finally:
        for program in programs:
            signal_group(program.process, signal.SIGKILL)
        for program in programs:
            ended(program.process, float("inf"), program.mask)
            program.forget()

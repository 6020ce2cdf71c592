"""Children that do the work: the process that has imported the user's modules replaces a child that dies, within milliseconds."""

import ctypes
import gc
import os
import select
import signal
import struct

PR_SET_PDEATHSIG = 1

# A frame of this length states the end of a child, and its exit code follows. The code of a signal is negative.
LOST = struct.Struct("<Ii")
LOST_LENGTH = 0xFFFFFFFE
READY = struct.Struct("<II")  # the length, and the process of the next child


def end_with_parent():
    """Lets the system kill this process when the thread that started it ends."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def possible():
    """Returns whether this process can be copied: it has one thread, so no lock is held by a thread that the copy lacks."""
    return len(os.listdir("/proc/self/task")) == 1


def child(channel, mark, first):
    """Returns in each child, and never in this process, which ends with the channel.

    `first` is called with the process of the first child. Before each other child, Java sends `mark`: what it has sent before
    was for the child that died.
    """
    gc.freeze()  # the children share these pages, which the collector would write to
    announce = first
    while True:
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            end_with_parent()
            if os.getppid() != parent:  # it ended before
                os._exit(1)
            return
        announce(pid)
        _, status = os.waitpid(pid, 0)
        if ended(channel.incoming):
            os._exit(0)
        os.write(channel.outgoing, LOST.pack(LOST_LENGTH, os.waitstatus_to_exitcode(status)))
        skip(channel.incoming, mark)
        announce = lambda pid: os.write(channel.outgoing, READY.pack(4, pid))


def ended(incoming):
    poll = select.poll()
    poll.register(incoming, 0)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


def skip(incoming, mark):
    """Reads until the mark. Java sends nothing after it before the next child is announced."""
    tail = b""
    while not tail.endswith(mark):
        data = os.read(incoming, 65536)
        if not data:
            os._exit(0)
        tail = (tail + data)[-len(mark) :]

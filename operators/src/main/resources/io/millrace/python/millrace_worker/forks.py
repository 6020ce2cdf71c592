"""Workers that are copies of the process that has made the user's objects. A copy takes milliseconds and shares its memory.

The parent makes the objects, and then only starts copies: one for each member, and another one when a copy dies.
"""

import ctypes
import fcntl
import gc
import json
import os
import select
import signal
import stat
import struct

from millrace_worker.channel import Channel
from millrace_worker.memory import created

PR_SET_PDEATHSIG = 1

# A frame of this length states the end of a copy, and its exit code follows. The code of a signal is negative.
LOST = struct.Struct("<Ii")
LOST_LENGTH = 0xFFFFFFFE
READY = struct.Struct("<II")  # the length, and the process of the copy

STANDARD = 3  # the descriptors below this number are the standard ones


def end_with_parent():
    """Lets the system kill this process when the thread that started it ends."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def possible():
    """Returns whether this process can be copied: it has one thread, so no lock is held by a thread that the copy lacks."""
    return len(os.listdir("/proc/self/task")) == 1


def descriptors():
    """Returns the open descriptors besides the standard ones."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            os.fstat(int(name))
            found.add(int(name))
        except OSError:
            pass  # that of the listing
    return {each for each in found if each >= STANDARD}


def connected(opened):
    """Returns whether one of the descriptors is a connection or a pipe, which several copies cannot use at the same time."""
    modes = [os.fstat(each).st_mode for each in opened]
    return any(stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode) for mode in modes)


def open_again(opened):
    """Opens the files that are read once more, because a copy shares its place in a file with all other copies."""
    for descriptor in opened:
        try:
            flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
            if flags & os.O_ACCMODE != os.O_RDONLY or not stat.S_ISREG(os.fstat(descriptor).st_mode):
                continue
            inheritable = os.get_inheritable(descriptor)
            place = os.lseek(descriptor, 0, os.SEEK_CUR)
            own = os.open("/proc/self/fd/%d" % descriptor, flags & ~os.O_TRUNC | os.O_CLOEXEC)
            os.lseek(own, place, os.SEEK_SET)
            os.dup2(own, descriptor, inheritable)
            os.close(own)
        except OSError:
            pass  # a file that may no longer be opened is shared, as among the workers of a DataLoader


class Member:
    """The place of a worker: its channel, its output, and the memory that it shares with Java. Copies follow one another in it.

    The member of a process that has only one uses the descriptors of the process.
    """

    def __init__(self, channel, output=None, memory=None):
        self.channel = channel
        self.output = output
        self.memory = memory
        self.pid = 0

    def close(self):
        for descriptor in (self.channel.incoming, self.channel.outgoing, self.output, self.memory):
            if descriptor is not None:
                os.close(descriptor)

    def announce(self):
        """States that a copy works."""
        os.write(self.channel.outgoing, READY.pack(4, os.getpid()))

    def ended(self):
        """Returns whether Java has closed the channel."""
        poll = select.poll()
        poll.register(self.channel.incoming, 0)
        return any(event & select.POLLHUP for _, event in poll.poll(0))


class Parent:
    """The process that starts copies. `opened` has the descriptors that the user's code has opened.

    Before each copy that replaces another one, Java sends `mark`: what it has sent before was for the one that died.
    """

    def __init__(self, mark, opened):
        self.mark = mark
        self.opened = opened
        self.members = []
        self.pid = os.getpid()
        gc.freeze()  # the copies share these pages, which the collector would write to
        self.wakes, self.wake = os.pipe()
        os.set_blocking(self.wake, False)
        self.handler = signal.signal(signal.SIGCHLD, lambda *_: None) or signal.SIG_DFL
        self.wakeup = signal.set_wakeup_fd(self.wake, warn_on_full_buffer=False)

    def only(self, channel, first):
        """Returns in the copies of a single member, which has the channel of this process. This process ends with the member.

        `first` is called in this process with the number of the first copy.
        """
        member = Member(channel)
        self.members.append(member)
        if self.copied(member):
            return
        first(member.pid)
        while self.members:
            os.read(self.wakes, 4096)
            if self.replaced() is not None:
                return
        os._exit(0)

    def family(self, channel, memory):
        """Returns the member in each copy, and never in this process, which ends with the channel.

        Each message on the channel asks for a member, whose memory has the given size. The answer has the descriptors that Java
        opens. With another message, Java states that it has opened them.
        """
        poll = select.poll()
        poll.register(self.wakes, select.POLLIN)
        poll.register(channel.incoming, select.POLLIN)
        while True:
            ready = [descriptor for descriptor, _ in poll.poll()]
            member = None
            if self.wakes in ready:
                os.read(self.wakes, 4096)
                member = self.replaced()
            elif channel.receive() is None:
                os._exit(0)
            else:
                joined = self.joined(channel, memory)
                if self.copied(joined):
                    joined.announce()
                    member = joined
            if member is not None:
                os.close(channel.incoming)
                os.close(channel.outgoing)
                os.dup2(member.output, 1)
                os.dup2(member.output, 2)
                return member

    def joined(self, channel, size):
        incoming, to_member = os.pipe()
        from_member, outgoing = os.pipe()
        lines, output = os.pipe()
        memory = created(size)
        member = Member(Channel(incoming, outgoing), output, memory)
        descriptors = {"incoming": incoming, "outgoing": from_member, "output": lines, "memory": memory}
        channel.send(json.dumps(descriptors).encode())
        if channel.receive() is None:
            os._exit(0)
        for descriptor in (to_member, from_member, lines):
            os.close(descriptor)
        self.members.append(member)
        return member

    def replaced(self):
        """Reaps the copies that have died; returns the member in a copy that replaces one of them, otherwise None."""
        for member in list(self.members):
            pid, status = os.waitpid(member.pid, os.WNOHANG)
            if pid == 0:
                continue
            if member.ended():
                self.members.remove(member)
                member.close()
                continue
            os.write(member.channel.outgoing, LOST.pack(LOST_LENGTH, os.waitstatus_to_exitcode(status)))
            if self.copied(member):
                skip(member.channel.incoming, self.mark)
                member.announce()
                return member
        return None

    def copied(self, member):
        """Starts a copy; returns whether this process is the copy."""
        member.pid = os.fork()
        if member.pid:
            return False
        end_with_parent()
        if os.getppid() != self.pid:  # it ended before
            os._exit(1)
        signal.set_wakeup_fd(self.wakeup)
        signal.signal(signal.SIGCHLD, self.handler)
        os.close(self.wakes)
        os.close(self.wake)
        for other in self.members:
            if other is not member:
                other.close()
        open_again(self.opened)
        return True


def skip(incoming, mark):
    """Reads until the mark. Java sends nothing after it before the copy is announced."""
    tail = b""
    while not tail.endswith(mark):
        data = os.read(incoming, 65536)
        if not data:
            os._exit(0)
        tail = (tail + data)[-len(mark) :]

"""The replies to calls."""

import struct
import time

from millrace_worker.channel import LENGTH
from millrace_worker.reports import cut

DONE = struct.Struct("<BqqH")  # status, CPU nanoseconds, label, number of fields
OK, BAD_SAMPLE, WRONG_PIPELINE, OVERSIZED = range(4)


def head(status, cpu, label, count):
    return DONE.pack(status, cpu, label, count)


def failure(status, cpu, reason, trace):
    """Returns the reply for a bad sample or a wrong pipeline."""
    reason, trace = cut(reason).encode(errors="replace"), trace[-100_000:].encode(errors="replace")
    return head(status, cpu, 0, 0) + LENGTH.pack(len(reason)) + reason + LENGTH.pack(len(trace)) + trace


class Replies:
    """Sends replies, with the CPU time since the one before."""

    def __init__(self, channel):
        self.channel = channel
        self.reported = time.process_time_ns()

    def done(self, label, count, fields, work=b""):
        self.channel.send(work + head(OK, self.cpu(), label, count) + fields)

    def fail(self, status, reason, trace, work=b""):
        self.channel.send(work + failure(status, self.cpu(), reason, trace))

    def cpu(self):
        """Returns the CPU time since the last reply. It includes the sending of that reply."""
        before, self.reported = self.reported, time.process_time_ns()
        return self.reported - before

"""The memory that the process shares with Java."""

import fcntl
import mmap
import os

import numpy as np

ALIGNMENT = 64
F_ADD_SEALS, F_SEAL_SHRINK, F_SEAL_GROW = 1033, 0x0002, 0x0004


class Memory:
    """The memory that the process shares with Java. Samples lie in its first half, results in its second half."""

    def __init__(self, size):
        self.size = size
        self.fd = os.memfd_create("millrace-python", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.fd, size)
        fcntl.fcntl(self.fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW)
        self.bytes = mmap.mmap(self.fd, size)
        self.address = np.frombuffer(self.bytes, np.uint8).__array_interface__["data"][0]

    def array(self, shape, dtype, offset):
        return np.ndarray(shape, dtype, self.bytes, offset)

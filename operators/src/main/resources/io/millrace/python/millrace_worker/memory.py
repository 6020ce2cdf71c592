"""The memory that the process shares with Java."""

import fcntl
import mmap
import os
import struct

import numpy as np

ALIGNMENT = 64
NUMBER = struct.Struct("<i")
F_ADD_SEALS, F_SEAL_SHRINK, F_SEAL_GROW = 1033, 0x0002, 0x0004


def created(size):
    """Returns the descriptor of a new memory."""
    fd = os.memfd_create("millrace-python", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, size)
    fcntl.fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW)
    return fd


class Memory:
    """The memory that the process shares with Java: samples, then results, and at the end the number of the function."""

    def __init__(self, size, fd=None):
        self.size = size
        self.end = size - ALIGNMENT
        self.fd = created(size) if fd is None else fd
        self.bytes = mmap.mmap(self.fd, size)
        self.address = np.frombuffer(self.bytes, np.uint8).__array_interface__["data"][0]

    def calling(self, number):
        """States that the function with this number is called now, which Java watches."""
        NUMBER.pack_into(self.bytes, self.end, number)

    def offset(self, array):
        """Returns where the values of an array begin, if they lie in this memory in one piece; otherwise a negative number, or one
        behind the end."""
        if array.base is None or not array.flags.c_contiguous:  # to ask for the address takes longer than to copy a picture
            return -1
        return array.__array_interface__["data"][0] - self.address

    def array(self, shape, dtype, offset):
        return np.ndarray(shape, dtype, self.bytes, offset)

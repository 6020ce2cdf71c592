"""The fields of results: their values in the shared memory, and their description in the reply."""

import struct

import numpy as np

from millrace_worker.errors import BadResult, Oversized
from millrace_worker.layouts import MOST_LAYOUTS
from millrace_worker.memory import ALIGNMENT
from millrace_worker.values import AS_BEFORE, BFLOAT16, DTYPES, ENCODED, STR

MOST_FIELDS = 1024


class Room:
    """The shared memory during a call. Values that lie below `free` stay where they are, others are placed from there."""

    def __init__(self, free):
        self.free = self.used = free
        self.bytes = 0

    def keeps(self, at, size):
        """Returns whether a value that lies at this place stays there."""
        if at < 0 or at + size > self.used:
            return False
        self.bytes += size
        return True

    def next(self):
        """Begins the fields of another function, which sees those of the one before."""
        self.used = self.free
        self.bytes = 0


class ApartRoom(Room):
    """The memory for fields that another function sees: they lie apart and aligned, as those of a sample that arrives."""

    def __init__(self, free):
        super().__init__(free)
        self.taken = []

    def keeps(self, at, size):
        if at % ALIGNMENT or any(at < end and begin < at + size for begin, end in self.taken):
            return False
        if not super().keeps(at, size):
            return False
        self.taken.append((at, at + size))
        return True

    def next(self):
        super().next()
        self.taken = []


class Packing:
    """Places values in the shared memory. Values that already lie in its first `samples` bytes stay there."""

    def __init__(self, memory, arrays, samples):
        self.memory = memory
        self.arrays = arrays
        self.samples = samples
        self.replies = {}

    def packed(self, fields, kinds, given):
        """Returns the description of the fields, after the values have been placed in the shared memory.

        `kinds` has the fields of the sample before the call by name, and `given` their values.
        """
        return self.described(self.laid(fields, kinds, given, Room(self.samples)))

    def described(self, laid):
        return b"".join([self.description(*field) for field in laid])

    def laid(self, fields, kinds, given, room):
        """Returns [(name, form, code, shape, offset)], after the values have been placed in the room."""
        laid = []
        require_fields(fields)
        for name, value in fields.items():
            require_name(name)
            before = kinds.get(name)
            same = before is not None and value is given.get(name)
            if same and type(value) is np.ndarray:
                if value.shape == before[3] and value.dtype == (
                    DTYPES[before[2]] if before[2] != BFLOAT16 else value.dtype
                ):
                    if room.keeps(before[4], value.nbytes):
                        laid.append((name, AS_BEFORE, before[2], before[3], before[4]))
                        continue
            if same and type(value) is str:  # its bytes are still where they were
                array, code, form = self.memory.array(before[3], np.uint8, before[4]), before[2], STR
            else:
                array, code, form = self.arrays.taken(name, before[1] if before else None, value)
            if before is not None and before[2] == ENCODED and array.ndim == 1 and code == 1:
                code = ENCODED
            at = self.memory.offset(array)
            if not room.keeps(at, array.nbytes):
                at, room.free = room.free, self.place(array, room.free)
                room.bytes += array.nbytes
            laid.append((name, form, code, array.shape, at))
        return laid

    def placed(self, values, free):
        """Places values with their forms, by name, from an offset on; returns their description and the next offset."""
        parts = []
        require_fields(values)
        for name, (value, form) in values.items():
            require_name(name)
            array, code, _ = self.arrays.taken(name, None, value)
            parts.append(self.description(name, form, code, array.shape, free))
            free = self.place(array, free)
        return b"".join(parts), free

    def place(self, array, at):
        """Copies values to an offset and returns the next free offset."""
        end = at + array.nbytes
        if end > self.memory.end:
            raise Oversized(
                "values of %d bytes and more, expected at most %d in a sample"
                % (end - self.samples, self.memory.end - self.samples)
            )
        little = array.dtype if array.dtype.byteorder != ">" else array.dtype.newbyteorder("<")
        self.memory.array(array.shape, little, at)[...] = array
        return -(-end // ALIGNMENT) * ALIGNMENT

    def description(self, name, form, code, shape, offset):
        key = (name, form, code, shape, offset)
        found = self.replies.get(key)
        if found is None:
            encoded = name.encode()
            if not 1 <= len(encoded) <= 255:
                raise BadResult("the name '%s' of %d bytes, expected 1 to 255" % (name[:40], len(encoded)))
            if len(shape) > 32 or any(extent > 0x7FFFFFFF for extent in shape):
                raise BadResult("field '%s' has the shape %s" % (name, list(shape)))
            if len(self.replies) >= MOST_LAYOUTS:
                self.replies.clear()
            found = bytes([len(encoded)]) + encoded + bytes([form, code, len(shape)])
            found += struct.pack("<%di" % len(shape), *shape) + struct.pack("<q", offset)
            self.replies[key] = found
        return found


def require_fields(fields):
    if len(fields) > MOST_FIELDS:
        raise BadResult("%d fields, expected at most %d" % (len(fields), MOST_FIELDS))


def require_name(name):
    if not isinstance(name, str):
        raise BadResult("the name %r, expected a text" % (name,))

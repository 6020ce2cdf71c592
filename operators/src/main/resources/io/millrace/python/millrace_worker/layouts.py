"""The fields of samples that arrive."""

import struct

MOST_LAYOUTS = 1000
COUNT = struct.Struct("<H")


class Layouts:
    """The layouts of samples that have arrived: samples of one shape have the same bytes, which are parsed once."""

    def __init__(self):
        self.known = {}

    def parse(self, data):
        """Returns [(name, kind, code, shape, offset)]."""
        found = self.known.get(data)
        if found is None:
            if len(self.known) >= MOST_LAYOUTS:
                self.known.clear()
            found = self.known[data] = self.parsed(data)
        return found

    @staticmethod
    def parsed(data):
        (count,) = COUNT.unpack_from(data)
        fields, at = [], COUNT.size
        for _ in range(count):
            length = data[at]
            name = data[at + 1 : at + 1 + length].decode()
            at += 1 + length
            kind, code, rank = data[at : at + 3]
            shape = struct.unpack_from("<%di" % rank, data, at + 3)
            (offset,) = struct.unpack_from("<q", data, at + 3 + 4 * rank)
            at += 11 + 4 * rank
            fields.append((name, kind, code, shape, offset))
        return fields

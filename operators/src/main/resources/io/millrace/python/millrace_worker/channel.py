"""The control channel: messages with their length before them."""

import os
import struct

LENGTH = struct.Struct("<I")

# The bit of the length that marks a profile, which is no answer.
PROFILE = 1 << 31


class Channel:
    """The control channel: messages with their length before them. The descriptors are not the process's 0 and 1.

    The messages of `profile` go before others.
    """

    def __init__(self, incoming, outgoing):
        self.incoming, self.outgoing = incoming, outgoing
        self.profile = None

    def receive(self):
        """Returns the next message; None at the end of the channel."""
        data = os.read(self.incoming, 65536)
        if not data:
            return None
        while len(data) < 4 or len(data) < 4 + LENGTH.unpack_from(data)[0]:
            more = os.read(self.incoming, 1 << 20)
            if not more:
                return None
            data += more
        return data[4:]

    def send(self, message):
        message = LENGTH.pack(len(message)) + message
        profile = self.profile.message() if self.profile is not None else None
        if profile is not None:
            message = LENGTH.pack(PROFILE | len(profile)) + profile + message
        sent = os.write(self.outgoing, message)
        while sent < len(message):
            sent += os.write(self.outgoing, message[sent:])

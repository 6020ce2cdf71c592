"""Random numbers that depend on the bits of a call alone."""

import random
import sys

import numpy as np


def seed(bits, user):
    """Seeds the global generators, and those of the user's object where it has a method for this."""
    bits &= 0xFFFFFFFFFFFFFFFF
    random.seed(bits)
    np.random.seed(bits & 0xFFFFFFFF)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.default_generator.manual_seed(bits & 0x7FFFFFFFFFFFFFFF)
    own = getattr(user, "set_random_seed", None)  # Albumentations draws from its own generators
    if own is not None:
        own(bits & 0xFFFFFFFF)


class Generator:
    """The generator that a function gets as `rng`. It is the same object in each call, in the state of the call."""

    def __init__(self):
        self.generator = np.random.Generator(np.random.Philox(key=0))

    def at(self, low, high):
        self.generator.bit_generator.state = {
            "bit_generator": "Philox",
            "state": {"counter": np.zeros(4, np.uint64), "key": np.array([low, high], np.uint64)},
            "buffer": np.zeros(4, np.uint64),
            "buffer_pos": 4,
            "has_uint32": 0,
            "uinteger": 0,
        }
        return self.generator

"""Random numbers that depend on the bits of a call alone."""

import collections
import functools
import itertools
import os
import random
import sys
import types

import numpy as np


def seed(bits):
    """Seeds the global generators."""
    bits &= 0xFFFFFFFFFFFFFFFF
    random.seed(bits)
    np.random.seed(bits & 0xFFFFFFFF)
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "default_generator"):
        torch.default_generator.manual_seed(bits & 0x7FFFFFFFFFFFFFFF)


def seed_user(bits, user):
    """Seeds the generators of the user's object where it has a method for this."""
    own = getattr(user, "set_random_seed", None)  # Albumentations draws from its own generators
    if own is not None:
        own(bits & 0xFFFFFFFF)


def renew():
    """Gives the global generators numbers that no other process draws."""
    random.seed()
    np.random.seed()
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "default_generator"):
        torch.default_generator.seed()


class Own:
    """The generators that the user's code has made for itself: those that the dataset, or a module of the user, refers to.

    A dataset with the method set_random_seed seeds its generators itself.
    """

    def __init__(self, dataset, folders):
        self.dataset = dataset
        self.folders = tuple(folders)
        self.seeds_itself = hasattr(dataset, "set_random_seed")
        self.generators = []
        self.search()

    def search(self):
        """Looks for generators; returns whether there are other ones than before."""
        before = self.generators
        if not self.seeds_itself:
            self.generators = Search(self.folders).found(self.dataset)
        return list(map(id, self.generators)) != list(map(id, before))

    def seed(self, bits):
        if self.seeds_itself:
            seed_user(bits, self.dataset)
        for number, generator in enumerate(self.generators):
            # Each generator gets numbers of its own, and other ones than the global generators.
            word = (bits + (number + 1) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
            if isinstance(generator, random.Random):
                generator.seed(word)
            elif isinstance(generator, np.random.RandomState):
                generator.seed([word & 0xFFFFFFFF, word >> 32])
            elif isinstance(generator, np.random.Generator):
                bit_generator = generator.bit_generator
                bit_generator.state = type(bit_generator)(word).state
            else:
                generator.manual_seed(word & 0x7FFFFFFFFFFFFFFF)


# The search looks at this number of objects, and of the elements of each container.
MOST_OBJECTS = 100_000
MOST_ELEMENTS = 1000

PLAIN = (str, bytes, bytearray, int, float, complex, bool, type(None), np.ndarray, np.generic)


class Search:
    """The search for generators in the dataset and in the modules of the folders."""

    def __init__(self, folders):
        self.modules = {}
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and os.path.abspath(file).startswith(folders):
                self.modules[name] = module

    def found(self, dataset):
        """Returns the generators that are referred to, in the order of the references."""
        torch = sys.modules.get("torch")
        kinds = (random.Random, np.random.RandomState, np.random.Generator)
        kinds += (torch.Generator,) if torch is not None and hasattr(torch, "Generator") else ()
        seen = {id(each) for each in (random._inst, np.random.mtrand._rand, getattr(torch, "default_generator", None))}
        queue = collections.deque([dataset, *(dict(vars(module)) for module in self.modules.values())])
        generators, alive = [], []
        while queue and len(seen) < MOST_OBJECTS:
            value = queue.popleft()
            if id(value) in seen or issubclass(type(value), PLAIN):
                continue
            seen.add(id(value))
            alive.append(value)  # another object must not get its id
            if not issubclass(type(value), kinds):
                queue.extend(self.parts(value))
            elif not isinstance(value, random.SystemRandom):
                generators.append(value)
        return generators

    def parts(self, value):
        """Returns the objects that an object refers to, as far as the search follows them."""
        kind = type(value)
        if issubclass(kind, type):
            return self.attributes(value)
        if issubclass(kind, (types.ModuleType, np.random.BitGenerator)):
            return []
        if kind is functools.partial:
            return [value.func, value.args, value.keywords]
        if kind is types.MethodType:
            return [value.__self__, value.__func__]
        if kind is types.BuiltinMethodType:  # for example the method of a generator
            return [value.__self__]
        if kind is types.FunctionType:
            cells = [cell.cell_contents for cell in value.__closure__ or () if cell != types.CellType()]
            return [*cells, value.__defaults__, value.__kwdefaults__]
        parts = []
        if issubclass(kind, dict):
            parts.extend(itertools.islice(dict.values(value), MOST_ELEMENTS))
        elif issubclass(kind, (list, tuple, set, frozenset, collections.deque)):
            parts.extend(itertools.islice(kind.__iter__(value), MOST_ELEMENTS))
        own = getattr(value, "__dict__", None)
        if isinstance(own, dict):
            parts.extend(own.values())
        for owner in kind.__mro__:
            parts.extend(self.attributes(owner))
            names = owner.__dict__.get("__slots__", ())
            for name in (names,) if isinstance(names, str) else names:
                slot = owner.__dict__.get(name)
                if isinstance(slot, types.MemberDescriptorType):
                    try:
                        parts.append(slot.__get__(value))
                    except AttributeError:
                        pass  # it has no value yet
        return parts

    def attributes(self, owner):
        """Returns the attributes of a class of the user."""
        return list(vars(owner).values()) if owner.__module__ in self.modules else []


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

"""The worker of the format `python`: it gets the items of one dataset of the user by their indexes."""

import inspect
import os
import struct
import sys
import time
import traceback

import numpy as np

from millrace_worker import profile, randomness
from millrace_worker.errors import BadResult, Oversized, WrongPipeline
from millrace_worker.items import Items, with_form
from millrace_worker.load import found_in, made, prepare_torch
from millrace_worker.memory import Memory
from millrace_worker.packing import Packing
from millrace_worker.replies import BAD_SAMPLE, OK, OVERSIZED, WRONG_PIPELINE, failure, head
from millrace_worker.reports import reason, summary
from millrace_worker.values import Arrays

ITEMS, LABELS = 0, 1
REQUEST = struct.Struct("<BI")  # kind, number of items
WANTED = struct.Struct("<qQ")  # index, random bits
COUNT = struct.Struct("<I")
DONE = struct.Struct("<q")

# A reply is sent when it has one of these sizes, so that quick items share a message and slow ones do not wait.
ENOUGH_BYTES = 1 << 20
ENOUGH_NANOS = 1_000_000

# The values of a reply begin here. The number of items that are done is before them: when the process dies, it tells
# which item was at work.
VALUES = 64

MOST_SIZE = 1 << 40


class DatasetWorker:
    """The items of one dataset."""

    def __init__(self, settings):
        self.settings = settings
        self.folders = [os.path.join(os.path.abspath(path), "") for path in settings["path"]]
        self.word = settings["call"]
        self.dataset = self.loaded(settings)
        prepare_torch(False)
        self.size = self.length()
        self.items = Items(settings["fields"])
        self.random = randomness.Own(self.dataset, self.folders) if settings["seed"] else None
        self.searched = False

    def alone(self, hello):
        """Creates the memory, and adds what Java has to know of it."""
        self.join(None)
        hello["memory"] = self.memory.fd

    def join(self, memory):
        """Uses the memory of this descriptor; a new one for None."""
        self.memory = Memory(self.settings["memory"], memory)
        self.packing = Packing(self.memory, Arrays(self.memory), 0)

    def loaded(self, settings):
        # The numbers while the modules are imported and while the dataset is made do not depend on one another.
        randomness.seed(settings["init_seed"])
        found = found_in(settings)
        randomness.seed(settings["init_seed"])
        arguments = settings["args"]
        if inspect.isclass(found) or (callable(found) and not hasattr(found, "__getitem__")):
            found = made(self.word, found, arguments or {})
            self.word += "(...)"
        elif arguments is not None:
            raise WrongPipeline(
                "%s is of type %s, which cannot be called with args" % (self.word, type(found).__name__)
            )
        torch_data = sys.modules.get("torch.utils.data")
        if torch_data is not None and isinstance(found, torch_data.IterableDataset):
            self.refuse_iterable(found)
        if not hasattr(found, "__getitem__"):
            if hasattr(found, "__iter__"):
                self.refuse_iterable(found)
            self.refuse(found, "__getitem__")
        if not hasattr(found, "__len__"):
            self.refuse(found, "__len__")
        return found

    def refuse(self, found, method):
        raise WrongPipeline(
            "%s is of type %s without %s: expected a dataset with __len__ and __getitem__, or a class or function that"
            " makes one" % (self.word, type(found).__name__, method)
        )

    def refuse_iterable(self, found):
        raise WrongPipeline(
            "%s is of type %s, which can only be iterated over: expected a dataset with __len__ and __getitem__. Write its"
            " items to files once, for example as tar shards, or wrap list(...) of it if it fits into the memory"
            % (self.word, type(found).__name__)
        )

    def length(self):
        try:
            size = len(self.dataset)
        except Exception as e:
            raise WrongPipeline("len(%s) failed: %s" % (self.word, reason(e, self.folders))) from e
        if size > MOST_SIZE:
            raise WrongPipeline("len(%s) is %d, expected at most 2^40" % (self.word, size))
        return size

    def hello(self):
        """Returns what Java has to know besides the process."""
        return {"size": self.size, "classes": self.classes()}

    def classes(self):
        """Returns the names of the classes, as the datasets of torchvision have them, or an empty list."""
        found = getattr(self.dataset, "classes", None)
        if isinstance(found, (list, tuple)) and all(isinstance(name, (str, int)) for name in found):
            return [str(name) for name in found]
        return []

    def run(self, channel):
        if self.random is None:
            randomness.renew()  # copies would draw the same numbers
        self.reported = time.process_time_ns()
        while True:
            message = channel.receive()
            if message is None:
                return
            kind, count = REQUEST.unpack_from(message)
            if kind == LABELS:
                channel.send(COUNT.pack(1) + self.labels())
            else:
                replies = self.replies(message, count)
                channel.send(COUNT.pack(len(replies)) + b"".join(replies))

    def replies(self, message, count):
        """Returns the replies to the first of the wanted items: as many as make a message."""
        replies, free, began = [], VALUES, time.perf_counter_ns()
        for index, bits in WANTED.iter_unpack(message[REQUEST.size : REQUEST.size + count * WANTED.size]):
            try:
                fields, free = self.packed(index, bits, free)
                replies.append(fields)
            except WrongPipeline as e:
                replies.append(failure(WRONG_PIPELINE, self.cpu(), str(e), ""))
                break
            except BadResult as e:
                status = OVERSIZED if isinstance(e, Oversized) else BAD_SAMPLE
                replies.append(
                    failure(status, self.cpu(), "%s returned for item %d: %s" % (self.word, index, e), "")
                )
                break
            except BaseException as e:  # also SystemExit: the worker lives on
                replies.append(failure(BAD_SAMPLE, self.cpu(), reason(e, self.folders), traceback.format_exc()))
                break
            DONE.pack_into(self.memory.bytes, 0, len(replies))
            if free > ENOUGH_BYTES or time.perf_counter_ns() - began > ENOUGH_NANOS:
                break
        return replies

    @profile.calls
    def item(self, index):
        return self.dataset[index]

    def seeded_item(self, index, bits):
        if self.random is None:
            return self.item(index)
        self.seed(bits)
        item = self.item(index)
        if not self.searched:
            self.searched = True
            if self.random.search():  # the first item of a process has made generators
                self.seed(bits)
                return self.item(index)
        return item

    def seed(self, bits):
        randomness.seed(bits)
        self.random.seed(bits)

    def packed(self, index, bits, free):
        fields = {}
        for name, value in self.items.fields_of(self.seeded_item(index, bits)):
            if name in fields:
                raise BadResult("two values for the field '%s'" % name)
            fields[name] = with_form(name, value)
        description, free = self.packing.placed(fields, free)
        return head(OK, self.cpu(), 0, len(fields)) + description, free

    def cpu(self):
        """Returns the CPU time since the last reply. It includes the sending of that reply."""
        before, self.reported = self.reported, time.process_time_ns()
        return self.reported - before

    def labels(self):
        """Returns all labels as one field, if the dataset has them as torchvision's datasets do; otherwise no field."""
        try:
            found = getattr(self.dataset, "targets", None)
            if found is None or getattr(self.dataset, "target_transform", None) is not None:
                return head(OK, self.cpu(), 0, 0)
            array = np.asarray(found)
            if array.shape != (self.size,) or array.dtype.kind not in "iu":
                return head(OK, self.cpu(), 0, 0)
            fields, _ = self.packing.placed({"label": (array.astype(np.int64), 0)}, VALUES)
            return head(OK, self.cpu(), 0, 1) + fields
        except Exception as e:
            sys.stderr.write("the labels of %s cannot be read without its items: %s\n" % (self.word, summary(e)))
            return head(OK, self.cpu(), 0, 0)

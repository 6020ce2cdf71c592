"""The worker of the transform `python`: it calls one function of the user for one sample after another."""

import operator
import os
import struct
import traceback

from millrace_worker import randomness
from millrace_worker.errors import BadResult, WrongPipeline
from millrace_worker.function import Function
from millrace_worker.layouts import Layouts
from millrace_worker.load import load, prepare_torch
from millrace_worker.memory import Memory
from millrace_worker.packing import Packing
from millrace_worker.replies import BAD_SAMPLE, WRONG_PIPELINE, Replies
from millrace_worker.reports import reason
from millrace_worker.values import Arrays, Tensors

CALL = struct.Struct("<qiqQQH")  # index, epoch, label, 2 * 64 random bits, bytes of the key


class TransformWorker:
    """The calls for one sample after another."""

    def __init__(self, settings):
        self.settings = settings
        self.folders = [os.path.join(os.path.abspath(path), "") for path in settings["path"]]
        found, word = load(settings)
        if not callable(found):
            raise WrongPipeline("%s is of type %s, expected a function" % (word, type(found).__name__))
        prepare_torch(settings["tensors"])
        self.function = Function(settings["call"], found)
        self.memory = Memory(settings["memory"])
        self.arrays = Tensors(self.memory) if settings["tensors"] else Arrays(self.memory)
        self.layouts = Layouts()
        self.packing = Packing(self.memory, self.arrays, self.memory.size // 2)
        self.generator = randomness.Generator() if "rng" in self.function.extras else None

    def hello(self):
        """Returns what Java has to know besides the process."""
        return {"memory": self.memory.fd}

    def run(self, channel):
        replies = Replies(channel)
        while True:
            message = channel.receive()
            if message is None:
                return
            index, epoch, label, low, high, key_bytes = CALL.unpack_from(message)
            at = CALL.size + key_bytes
            key = message[CALL.size : at].decode()
            try:
                layout = self.layouts.parse(message[at:])
                about = {"index": index, "epoch": epoch, "key": key}
                result = self.changed(layout, about, label, low, high)
                fields = self.packing.packed(result.fields, {field[0]: field for field in layout}, result.given)
                replies.done(result.label(label), len(result.fields), fields)
            except WrongPipeline as e:
                replies.fail(WRONG_PIPELINE, str(e), "")
            except BadResult as e:
                replies.fail(BAD_SAMPLE, "%s returned for sample %d: %s" % (self.function.word, index, e), "")
            except BaseException as e:  # also SystemExit: the worker lives on
                replies.fail(BAD_SAMPLE, reason(e, self.folders), traceback.format_exc())

    def changed(self, layout, about, label, low, high):
        given = {}
        for field in layout:
            given[field[0]] = self.arrays.given(*field)
        sample = dict(given)
        if "label" not in given:
            sample["label"] = label
        if self.settings["seed"]:
            randomness.seed(low, self.function.function)
        if self.generator is not None:
            about["rng"] = self.generator.at(low, high)
        return Result(given, self.function.call(sample, about))


class Result:
    """The fields of a result: everything that the function returned, apart from the label."""

    def __init__(self, given, returned):
        self.given = given
        self.fields_and_label = returned
        self.fields = returned
        if "label" in returned and "label" not in given:
            self.fields = {name: value for name, value in returned.items() if name != "label"}

    def label(self, label):
        if "label" in self.given or "label" not in self.fields_and_label:
            return label
        value = self.fields_and_label["label"]
        if value is label:
            return label
        try:
            value = operator.index(value)
        except TypeError:
            raise BadResult("the label has the type %s, expected an integer" % type(value).__name__) from None
        if not -(1 << 63) <= value < 1 << 63:
            raise BadResult("the label is %d, expected an integer of 64 bits" % value)
        return value

"""The worker of the transform `python`: it calls functions of the user for one sample after another."""

import operator
import os
import struct
import time
import traceback

from millrace_worker import randomness
from millrace_worker.errors import BadResult, BadSample, WrongPipeline
from millrace_worker.function import Function
from millrace_worker.kinds import settled
from millrace_worker.layouts import Layouts
from millrace_worker.load import load, prepare_torch
from millrace_worker.memory import Memory
from millrace_worker.packing import ApartRoom, Packing, Room
from millrace_worker.replies import BAD_SAMPLE, WRONG_PIPELINE, Replies
from millrace_worker.reports import reason
from millrace_worker.values import OF_KIND, Arrays, Tensors

CALL = struct.Struct("<qiqQQH")  # index, epoch, label, 2 * 64 random bits, bytes of the key
BITS = struct.Struct("<QQ")  # the random bits of each function after the first
WORK = struct.Struct("<qqq")  # nanoseconds, CPU nanoseconds, bytes of fields


class TransformWorker:
    """The calls for one sample after another."""

    def __init__(self, settings):
        self.memory = Memory(settings["memory"])
        self.stages = []
        for stage in [settings] + settings["then"]:
            try:
                self.stages.append(Stage(stage, self.memory, len(self.stages)))
            except WrongPipeline as e:
                e.stage = len(self.stages)
                raise
        self.layouts = Layouts()

    def hello(self):
        """Returns what Java has to know besides the process."""
        return {}

    def alone(self, hello):
        """Adds what Java has to know of the memory."""
        hello["memory"] = self.memory.fd

    def run(self, channel):
        replies = Replies(channel)
        while True:
            message = channel.receive()
            if message is None:
                return
            call = Call(message, len(self.stages))
            work = Work() if len(self.stages) > 1 else NoWork
            stage = self.stages[0]
            try:
                layout = self.layouts.parse(message[call.fields_at :])
                if len(self.stages) == 1:
                    result = stage.result(layout, call)
                    laid = stage.packing.laid(result.fields, by_name(layout), result.given, Room(self.memory.size // 2))
                    call.label = result.label(call.label)
                else:
                    room = ApartRoom(self.memory.size // 2)
                    for number, stage in enumerate(self.stages):
                        self.memory.calling(number)
                        work.begin()
                        layout = stage.passed(layout, call, number, room)
                        work.end(room.bytes)
                    laid = [(name, OF_KIND + kind, code, shape, at) for name, kind, code, shape, at in layout]
                replies.done(call.label, len(laid), stage.packing.described(laid), work.packed())
            except WrongPipeline as e:
                replies.fail(WRONG_PIPELINE, str(e), "", work.failed())
            except BadSample as e:
                replies.fail(BAD_SAMPLE, str(e), "", work.failed())
            except BadResult as e:
                words = "%s returned for sample %d: %s" % (stage.function.word, call.index, e)
                replies.fail(BAD_SAMPLE, words, "", work.failed())
            except BaseException as e:  # also SystemExit: the worker lives on
                replies.fail(BAD_SAMPLE, reason(e, stage.folders), traceback.format_exc(), work.failed())


class Call:
    """The message of a call, without its fields."""

    def __init__(self, message, stages):
        self.index, self.epoch, self.label, low, high, key_bytes = CALL.unpack_from(message)
        at = CALL.size + key_bytes
        self.key = message[CALL.size : at].decode()
        self.bits = [(low, high)]
        for _ in range(stages - 1):
            self.bits.append(BITS.unpack_from(message, at))
            at += BITS.size
        self.fields_at = at


class Stage:
    """One function of the user with its settings."""

    def __init__(self, settings, memory, number):
        self.folders = [os.path.join(os.path.abspath(path), "") for path in settings["path"]]
        found, word = load(settings)
        if not callable(found):
            raise WrongPipeline("%s is of type %s, expected a function" % (word, type(found).__name__))
        prepare_torch(settings["tensors"])
        self.seeded = settings["seed"]
        self.function = Function(settings["call"], found, number)
        self.arrays = Tensors(memory) if settings["tensors"] else Arrays(memory)
        self.packing = Packing(memory, self.arrays, memory.size // 2)
        self.generator = randomness.Generator() if "rng" in self.function.extras else None

    def result(self, layout, call, number=0):
        """Calls the function."""
        given = {}
        for field in layout:
            given[field[0]] = self.arrays.given(*field)
        sample = dict(given)
        if "label" not in given:
            sample["label"] = call.label
        low, high = call.bits[number]
        if self.seeded:
            randomness.seed(low)
            randomness.seed_user(low, self.function.function)
        about = {"index": call.index, "epoch": call.epoch, "key": call.key}
        if self.generator is not None:
            about["rng"] = self.generator.at(low, high)
        return Result(given, self.function.call(sample, about))

    def passed(self, layout, call, number, room):
        """Calls the function; returns the layout of the result as the next function sees it."""
        result = self.result(layout, call, number)
        room.next()
        before = by_name(layout)
        passed = []
        for name, form, code, shape, at in self.packing.laid(result.fields, before, result.given, room):
            self.packing.description(name, form, code, shape, at)  # refuses what Java would refuse
            kind, shape = settled(code, shape, form, name, before[name][1] if name in before else None)
            passed.append((name, kind, code, shape, at))
        call.label = result.label(call.label)
        return passed


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


class Work:
    """The work of several functions, which are stages with figures of their own."""

    def __init__(self):
        self.stages = []
        self.began = None

    def begin(self):
        self.began = time.perf_counter_ns(), time.process_time_ns()

    def end(self, size):
        wall, cpu = self.began
        self.stages.append(WORK.pack(time.perf_counter_ns() - wall, time.process_time_ns() - cpu, size))
        self.began = None

    def packed(self):
        return bytes([len(self.stages)]) + b"".join(self.stages)

    def failed(self):
        if self.began is None:
            self.begin()
        self.end(0)
        return self.packed()


class NoWork:
    """The work of a single function, which Java measures itself."""

    @staticmethod
    def packed():
        return b""

    failed = packed


def by_name(layout):
    return {field[0]: field for field in layout}

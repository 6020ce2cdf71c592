"""The worker process of Millrace's transform `python`: it calls one function of the user for one sample after another.

docs/develop/python-workers.md describes the messages. The process needs numpy only. `serve` is called by the bootstrap
that PythonWorker.java passes to the interpreter, with the two ends of the control channel.
"""

import ctypes
import importlib
import inspect
import json
import linecache
import mmap
import operator
import os
import random
import signal
import struct
import sys
import time
import traceback

import numpy as np

LENGTH = struct.Struct("<I")
CALL = struct.Struct("<qiqQQH")  # index, epoch, label, 2 * 64 random bits, bytes of the key
DONE = struct.Struct("<BqqB")  # status, CPU nanoseconds, label, number of fields
OK, BAD_SAMPLE, WRONG_PIPELINE = 0, 1, 2

ENCODED, BFLOAT16 = 0, 11
IMAGE, MASK = 0, 1
AS_BEFORE, TEXT = 0, 1

# The order of the Java enum DType.
DTYPES = ["uint8", "uint8", "float32", "int8", "int16", "uint16", "int32", "int64", "float16", "float64", "bool"]
CODES = {np.dtype(name): code for code, name in enumerate(DTYPES) if code != ENCODED}

ALIGNMENT = 64
MOST_TEXT = 500
MOST_LAYOUTS = 1000

# The parameters that a function may have besides the sample or its fields.
EXTRAS = ("rng", "index", "epoch", "key")


class WrongPipeline(Exception):
    """The pipeline file or the function is wrong, and not a single sample."""


class BadResult(Exception):
    """The function returned something that is no sample. The message says what."""


class Channel:
    """The control channel: messages with their length before them. The descriptors are not the process's 0 and 1."""

    def __init__(self, incoming, outgoing):
        self.incoming, self.outgoing = incoming, outgoing

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
        sent = os.write(self.outgoing, message)
        while sent < len(message):
            sent += os.write(self.outgoing, message[sent:])


class Memory:
    """The memory that the process shares with Java. Samples lie in its first half, results in its second half."""

    def __init__(self, size):
        self.size = size
        self.fd = os.memfd_create("millrace-python", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.fd, size)
        import fcntl

        fcntl.fcntl(self.fd, 1033, 0x0002 | 0x0004)  # F_ADD_SEALS: F_SEAL_SHRINK, F_SEAL_GROW
        self.bytes = mmap.mmap(self.fd, size)
        self.address = np.frombuffer(self.bytes, np.uint8).__array_interface__["data"][0]

    def array(self, shape, dtype, offset):
        return np.ndarray(shape, dtype, self.bytes, offset)


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
        fields, at = [], 1
        for _ in range(data[0]):
            length = data[at]
            name = data[at + 1 : at + 1 + length].decode()
            at += 1 + length
            kind, code, rank = data[at : at + 3]
            shape = struct.unpack_from("<%di" % rank, data, at + 3)
            (offset,) = struct.unpack_from("<q", data, at + 3 + 4 * rank)
            at += 11 + 4 * rank
            fields.append((name, kind, code, shape, offset))
        return fields


class Arrays:
    """Fields as numpy arrays: views of the shared memory."""

    def __init__(self, memory):
        self.memory = memory
        self.bfloat16 = None

    def given(self, name, kind, code, shape, offset):
        if code == BFLOAT16:
            return self.memory.array(shape, self.bfloat(name), offset)
        return self.memory.array(shape, DTYPES[code], offset)

    def bfloat(self, name):
        if self.bfloat16 is None:
            try:
                self.bfloat16 = np.dtype(importlib.import_module("ml_dtypes").bfloat16)
            except ImportError:
                raise WrongPipeline(
                    "field '%s' has the dtype bfloat16, which numpy lacks: install the package ml_dtypes, or set"
                    " tensors: true" % name
                ) from None
        return self.bfloat16

    def taken(self, name, kind, value):
        """Returns (array, dtype code, whether it is a text)."""
        text = False
        if isinstance(value, np.ndarray):
            array = value
        elif isinstance(value, str):
            array, text = np.frombuffer(value.encode(), np.uint8), True
        elif isinstance(value, (bytes, bytearray)):
            array, text = np.frombuffer(value, np.uint8), True
        elif isinstance(value, (bool, int, float, np.generic)):
            array = np.asarray(value)
        elif "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor):
            return self.tensor_taken(name, kind, value) + (False,)
        elif hasattr(value, "__array_interface__") or hasattr(value, "__array__"):
            array = np.asarray(value)
        else:
            raise BadResult(
                "field '%s' has the type %s, expected a numpy array, a torch tensor, a number, a text or bytes"
                % (name, type(value).__name__)
            )
        return array, self.code(name, array.dtype), text

    def tensor_taken(self, name, kind, tensor):
        tensor = tensor.detach()
        if tensor.device.type != "cpu":
            tensor = tensor.cpu()
        if type(tensor) is not sys.modules["torch"].Tensor:
            tensor = tensor.as_subclass(sys.modules["torch"].Tensor)
        if str(tensor.dtype) == "torch.bfloat16":
            return tensor.contiguous().view(sys.modules["torch"].int16).numpy(), BFLOAT16
        try:
            array = tensor.numpy()
        except TypeError:
            raise BadResult("field '%s' has the dtype %s, which numpy lacks" % (name, tensor.dtype)) from None
        return array, self.code(name, array.dtype)

    def code(self, name, dtype):
        code = CODES.get(dtype)
        if code is None and self.bfloat16 is not None and dtype == self.bfloat16:
            code = BFLOAT16
        if code is None and dtype.byteorder == ">":
            code = CODES.get(dtype.newbyteorder("<"))
        if code is None:
            if dtype.name == "bfloat16":
                self.bfloat(name)
                return BFLOAT16
            raise BadResult(
                "field '%s' has the dtype %s, expected one of %s" % (name, dtype, ", ".join(DTYPES[1:] + ["bfloat16"]))
            )
        return code


class Tensors(Arrays):
    """Fields as torch tensors: views of the shared memory. Pictures are [channels, height, width]."""

    def __init__(self, memory):
        super().__init__(memory)
        self.torch = importlib.import_module("torch")

    def given(self, name, kind, code, shape, offset):
        if code == BFLOAT16:
            bits = self.memory.array(shape, "int16", offset)
            tensor = self.torch.from_numpy(bits).view(self.torch.bfloat16)
        else:
            tensor = self.torch.from_numpy(self.memory.array(shape, DTYPES[code], offset))
        if kind in (IMAGE, MASK) and len(shape) == 3:
            tensor = tensor.permute(2, 0, 1)
            marks = sys.modules.get("torchvision.tv_tensors")
            if marks is not None:
                tensor = (marks.Image if kind == IMAGE else marks.Mask)(tensor)
        return tensor

    def tensor_taken(self, name, kind, tensor):
        if kind in (IMAGE, MASK) and tensor.dim() == 3:
            tensor = tensor.permute(1, 2, 0)
        return super().tensor_taken(name, kind, tensor)


class Function:
    """The user's function and the way in which it is called, which its parameters determine."""

    def __init__(self, word, function):
        self.word = word
        self.function = function
        self.names = None
        self.everything = False
        try:
            parameters = list(inspect.signature(function).parameters.values())
            described = True
        except (TypeError, ValueError):
            parameters, described = [], False  # a function of a C library, which gets the sample
        named = [p for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        self.extras = [p.name for p in named if p.name in EXTRAS]
        self.positional = [p for p in named if p.name not in EXTRAS and p.kind is not p.KEYWORD_ONLY]
        keywords = any(p.kind is p.VAR_KEYWORD for p in parameters)
        arguments = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        required = [
            p.name
            for p in named
            if p.kind is p.KEYWORD_ONLY and p.default is p.empty and p.name not in EXTRAS
        ]
        torch = sys.modules.get("torch")
        module = torch is not None and isinstance(function, torch.nn.Module)
        if not module and keywords and not self.positional:
            self.everything = True  # Albumentations' Compose and its like
        elif not module and described and not self.positional and not arguments and not required:
            raise WrongPipeline("%s takes no sample: expected a parameter, found %s" % (word, self.signature()))
        self.keyword_only = required

    def signature(self):
        return "(" + ", ".join(p.name for p in self.positional) + ")"

    def bind(self, fields):
        """Finds the parameters that are names of fields. Called with the first sample."""
        self.names = []
        if self.everything:
            return
        wanted = [p.name for p in self.positional if p.default is p.empty]
        optional = [p.name for p in self.positional if p.default is not p.empty and p.name in fields]
        if not self.keyword_only and len(wanted) <= 1 and not any(name in fields for name in wanted):
            if wanted or not optional:
                return  # one parameter for the whole sample
        names = wanted + optional + self.keyword_only
        strange = [name for name in names if name not in fields]
        if strange:
            raise WrongPipeline(
                "%s has the parameter '%s': expected one parameter for the sample, or names of its fields (%s), %s"
                " or **fields" % (self.word, strange[0], ", ".join(fields), ", ".join(EXTRAS))
            )
        self.names = names

    def call(self, sample, about):
        """Calls the function; returns the fields of the result by name. `about` has the values of EXTRAS."""
        if self.names is None:
            self.bind(list(sample))
        extra = {name: about[name] for name in self.extras}
        if self.everything:
            result = self.function(**sample, **extra)
        elif self.names:
            result = self.function(**{name: sample[name] for name in self.names}, **extra)
        else:
            result = self.function(sample, **extra)
        if result is None:
            return sample
        if isinstance(result, dict):
            return {**sample, **result} if self.names else result
        if self.names and len(self.names) == 1:
            return {**sample, self.names[0]: result}
        if self.names and isinstance(result, (tuple, list)) and len(result) == len(self.names):
            return {**sample, **dict(zip(self.names, result))}
        raise BadResult("the type %s, expected a dict of fields, or None" % type(result).__name__)


class Worker:
    """The calls for one sample after another."""

    def __init__(self, settings, channel):
        self.channel = channel
        self.settings = settings
        self.folders = [os.path.join(os.path.abspath(path), "") for path in settings["path"]]
        self.function = Function(settings["call"], load(settings))
        self.memory = Memory(settings["memory"])
        self.arrays = Tensors(self.memory) if settings["tensors"] else Arrays(self.memory)
        self.layouts = Layouts()
        self.replies = {}
        self.generator = np.random.Generator(np.random.Philox(key=0)) if "rng" in self.function.extras else None

    def run(self):
        self.reported = time.process_time_ns()
        while True:
            message = self.channel.receive()
            if message is None:
                return
            index, epoch, label, low, high, key_bytes = CALL.unpack_from(message)
            at = CALL.size + key_bytes
            key = message[CALL.size : at].decode()
            try:
                layout = self.layouts.parse(message[at:])
                about = {"rng": self.generator, "index": index, "epoch": epoch, "key": key}
                result = self.changed(layout, about, label, low, high)
                reply = self.packed(layout, result, label)
                label = self.label(layout, result, label)
                head = DONE.pack(OK, self.cpu(), label, len(result.fields))
                self.channel.send(head + reply)
            except WrongPipeline as e:
                self.fail(WRONG_PIPELINE, str(e), "")
            except BadResult as e:
                self.fail(BAD_SAMPLE, "%s returned for sample %d: %s" % (self.function.word, index, e), "")
            except BaseException as e:  # also SystemExit: the worker lives on
                self.fail(BAD_SAMPLE, self.reason(e), traceback.format_exc())

    def fail(self, status, reason, trace):
        reason, trace = cut(reason).encode(errors="replace"), trace[-100_000:].encode(errors="replace")
        head = DONE.pack(status, self.cpu(), 0, 0)
        self.channel.send(head + LENGTH.pack(len(reason)) + reason + LENGTH.pack(len(trace)) + trace)

    def cpu(self):
        """Returns the CPU time since the last reply. It includes the sending of that reply."""
        before, self.reported = self.reported, time.process_time_ns()
        return self.reported - before

    def changed(self, layout, about, label, low, high):
        given = {}
        for field in layout:
            given[field[0]] = self.arrays.given(*field)
        sample = dict(given)
        if "label" not in given:
            sample["label"] = label
        if self.settings["seed"]:
            self.seed(low)
        if self.generator is not None:
            self.generator.bit_generator.state = {
                "bit_generator": "Philox",
                "state": {"counter": np.zeros(4, np.uint64), "key": np.array([low, high], np.uint64)},
                "buffer": np.zeros(4, np.uint64),
                "buffer_pos": 4,
                "has_uint32": 0,
                "uinteger": 0,
            }
        return Result(given, self.function.call(sample, about))

    def seed(self, bits):
        bits &= 0xFFFFFFFFFFFFFFFF
        random.seed(bits)
        np.random.seed(bits & 0xFFFFFFFF)
        torch = sys.modules.get("torch")
        if torch is not None:
            torch.default_generator.manual_seed(bits & 0x7FFFFFFFFFFFFFFF)
        own = getattr(self.function.function, "set_random_seed", None)  # Albumentations draws from its own generators
        if own is not None:
            own(bits & 0xFFFFFFFF)

    def label(self, layout, result, label):
        if "label" in result.given or "label" not in result.fields_and_label:
            return label
        value = result.fields_and_label["label"]
        if value is label:
            return label
        try:
            value = operator.index(value)
        except TypeError:
            raise BadResult("the label has the type %s, expected an integer" % type(value).__name__) from None
        if not -(1 << 63) <= value < 1 << 63:
            raise BadResult("the label is %d, expected an integer of 64 bits" % value)
        return value

    def packed(self, layout, result, label):
        """Returns the layout of the result, after the values have been placed in the shared memory."""
        memory = self.memory
        kinds = {field[0]: field for field in layout}
        free = memory.size // 2
        parts = []
        if len(result.fields) > 255:
            raise BadResult("%d fields, expected at most 255" % len(result.fields))
        for name, value in result.fields.items():
            if not isinstance(name, str):
                raise BadResult("the name %r, expected a text" % (name,))
            before = kinds.get(name)
            if before is not None and value is result.given.get(name) and type(value) is np.ndarray:
                if value.shape == before[3] and value.dtype == (DTYPES[before[2]] if before[2] != BFLOAT16 else value.dtype):
                    parts.append(self.description(name, AS_BEFORE, before[2], before[3], before[4]))
                    continue
            array, code, text = self.arrays.taken(name, before[1] if before else None, value)
            if before is not None and before[2] == ENCODED and array.ndim == 1 and code == 1:
                code = ENCODED
            at = array.__array_interface__["data"][0] - memory.address if array.flags.c_contiguous else -1
            inside = 0 <= at and at + array.nbytes <= memory.size // 2
            if not inside:
                at = free
                free = -(-(at + array.nbytes) // ALIGNMENT) * ALIGNMENT
                if free > memory.size:
                    raise BadResult(
                        "fields of more than %d bytes, expected at most that many in a sample" % (memory.size // 2)
                    )
                little = array.dtype if array.dtype.byteorder != ">" else array.dtype.newbyteorder("<")
                memory.array(array.shape, little, at)[...] = array
            parts.append(self.description(name, TEXT if text else AS_BEFORE, code, array.shape, at))
        return b"".join(parts)

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

    def reason(self, error):
        what = "".join(traceback.format_exception_only(type(error), error)).strip().splitlines()[-1]
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != SOURCE]
        own = [frame for frame in frames if os.path.abspath(frame.filename).startswith(tuple(self.folders))]
        if not frames:
            return what
        last = (own or frames)[-1]
        return "%s:%d: %s" % (os.path.basename(last.filename), last.lineno, what)


class Result:
    """The fields of a result: everything that the function returned, apart from the label."""

    def __init__(self, given, returned):
        self.given = given
        self.fields_and_label = returned
        self.fields = returned
        if "label" in returned and "label" not in given:
            self.fields = {name: value for name, value in returned.items() if name != "label"}


SOURCE = "<millrace worker>"


def cut(text):
    text = " ".join(text.split())
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + "..."


def load(settings):
    """Imports the function, or calls the factory that returns it."""
    word = settings["call"]
    for path in settings["path"]:
        if not os.path.exists(path):
            raise WrongPipeline("python.path: there is no folder or zip file %s on machine %s" % (path, os.uname().nodename))
    sys.path[:0] = settings["path"]
    module_name, _, attributes = word.partition(":")
    try:
        found = importlib.import_module(module_name)
    except BaseException as e:
        what = "".join(traceback.format_exception_only(type(e), e)).strip().splitlines()[-1]
        machinery = os.path.dirname(importlib.__file__)
        frames = [f for f in traceback.extract_tb(e.__traceback__) if not f.filename.startswith((machinery, "<"))]
        where = " (%s:%d)" % (frames[-1].filename, frames[-1].lineno) if frames else ""
        if isinstance(e, SyntaxError):
            where = " (%s:%s)" % (e.filename, e.lineno)
        paths = ", ".join(settings["path"])
        raise WrongPipeline("cannot import %s from %s: %s%s" % (module_name, paths, what, where)) from e
    for attribute in attributes.split("."):
        try:
            found = getattr(found, attribute)
        except AttributeError as e:
            raise WrongPipeline("%s has no '%s': %s" % (module_name, attribute, e)) from None
    if settings["args"] is not None or inspect.isclass(found):
        arguments = settings["args"] or {}
        if not callable(found):
            raise WrongPipeline("%s is of type %s, which cannot be called with args" % (word, type(found).__name__))
        try:
            found = found(**arguments)
        except Exception as e:
            traceback.print_exc()
            what = "".join(traceback.format_exception_only(type(e), e)).strip().splitlines()[-1]
            called = ", ".join("%s=%r" % item for item in arguments.items())
            raise WrongPipeline("%s(%s) failed: %s" % (word, called, what)) from e
        word += "(...)"
    if not callable(found):
        raise WrongPipeline("%s is of type %s, expected a function" % (word, type(found).__name__))
    if settings["tensors"]:
        try:
            importlib.import_module("torch")
        except ImportError as e:
            raise WrongPipeline("tensors: true needs torch in %s: %s" % (sys.executable, e)) from None
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)  # there is a worker for each slot
    return found


def serve(incoming, outgoing, source):
    """Serves until the control channel ends. `source` is the text of this file, for tracebacks."""
    linecache.cache[SOURCE] = (len(source), None, source.splitlines(True), SOURCE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C stops the job, which stops its workers
    ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    channel = Channel(incoming, outgoing)
    start = channel.receive()
    if start is None:
        return
    try:
        worker = Worker(json.loads(start), channel)
        hello = {
            "pid": os.getpid(),
            "memory": worker.memory.fd,
            "python": "%d.%d.%d" % sys.version_info[:3],
            "executable": sys.executable,
        }
    except WrongPipeline as e:
        channel.send(json.dumps({"error": str(e)}).encode())
        return
    channel.send(json.dumps(hello).encode())
    worker.run()

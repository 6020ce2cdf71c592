"""The values of fields, as user code sees them and as they travel."""

import importlib
import sys

import numpy as np

from millrace_worker.errors import BadResult, BadSample, WrongPipeline

ENCODED, BFLOAT16 = 0, 11
IMAGE, MASK, TEXT = 0, 1, 4  # as in the Java enum FieldKind

# The forms of a value in a reply. From OF_KIND on, the form is the kind of the field.
AS_BEFORE, STR, BYTES, OF_KIND = range(4)

# The order of the Java enum DType.
DTYPES = ["uint8", "uint8", "float32", "int8", "int16", "uint16", "int32", "int64", "float16", "float64", "bool"]
CODES = {np.dtype(name): code for code, name in enumerate(DTYPES) if code != ENCODED}


class Arrays:
    """Fields as numpy arrays, which are views of the shared memory, and texts as str."""

    def __init__(self, memory):
        self.memory = memory
        self.bfloat16 = None

    def given(self, name, kind, code, shape, offset):
        """Returns the value that user code gets. Raises BadSample for a text that is not UTF-8."""
        if kind == TEXT:
            return self.text(name, shape, offset)
        return self.array(name, kind, code, shape, offset)

    def text(self, name, shape, offset):
        try:
            return str(self.memory.array(shape, "uint8", offset), "utf-8")
        except UnicodeDecodeError as e:
            raise BadSample("the text '%s' is not UTF-8: %s at byte %d" % (name, e.reason, e.start)) from None

    def array(self, name, kind, code, shape, offset):
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
        """Returns (array, dtype code, form)."""
        form = AS_BEFORE
        if isinstance(value, np.ndarray):
            array = value
        elif isinstance(value, str):
            array, form = np.frombuffer(encoded(name, value), np.uint8), STR
        elif isinstance(value, (bytes, bytearray)):
            array, form = np.frombuffer(value, np.uint8), BYTES
        elif isinstance(value, (bool, int, float, np.generic)):
            array = np.asarray(value)
        elif "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor):
            return self.tensor_taken(name, kind, value) + (AS_BEFORE,)
        elif hasattr(value, "__array_interface__") or hasattr(value, "__array__"):
            array = np.asarray(value)
        else:
            raise BadResult(
                "field '%s' has the type %s, expected a numpy array, a torch tensor, a number, a text or bytes"
                % (name, type(value).__name__)
            )
        return array, self.code(name, array.dtype), form

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
    """Fields as torch tensors, which are views of the shared memory, and texts as str. Pictures are [channels, height, width]."""

    def __init__(self, memory):
        super().__init__(memory)
        self.torch = importlib.import_module("torch")

    def array(self, name, kind, code, shape, offset):
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


def encoded(name, text):
    try:
        return text.encode()
    except UnicodeEncodeError as e:
        raise BadResult(
            "field '%s' has half of a surrogate pair, %r, at character %d, expected a text" % (name, text[e.start], e.start)
        ) from None

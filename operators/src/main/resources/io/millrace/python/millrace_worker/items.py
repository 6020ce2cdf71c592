"""The items of a dataset as fields by name."""

import collections.abc
import operator
import sys

import numpy as np

from millrace_worker.errors import BadResult

# The forms in which values travel. The order of the Java enum ItemForm.
NUMBERS, TEXT, BYTES, IMAGE, MASK = range(5)

# The modes of Pillow whose pixels are class numbers or other numbers. Other pictures become RGB.
GREY = ("L", "1")
WIDE = ("I", "F", "I;16", "I;16L", "I;16B", "I;16N")


class Items:
    """Names the parts of items. `fields` has [name, stored name] of the chosen fields, or is None."""

    def __init__(self, fields):
        self.fields = fields

    def fields_of(self, item):
        """Returns [(name, value)]."""
        parts = named_parts(item)
        if parts is not None and not parts or isinstance(item, (tuple, list)) and not item:
            raise BadResult("an empty %s, expected at least one value" % type(item).__name__)
        if parts is None:
            elements = item if isinstance(item, (tuple, list)) else (item,)
            if self.fields is None:
                return flat(default_names(elements), elements)
            return self.positional(elements)
        if self.fields is None:
            return list(parts.items())
        return [(name, self.chosen(parts, stored)) for name, stored in self.fields]

    def positional(self, elements):
        found = []
        for position, (name, stored) in enumerate(self.fields):
            at = int(stored) if stored.isdigit() else position
            if at >= len(elements):
                raise BadResult("%d values, expected one for each of fields" % len(elements))
            found.append((name, elements[at]))
        return found

    @staticmethod
    def chosen(parts, stored):
        if stored not in parts:
            raise BadResult("no '%s', only %s" % (stored, ", ".join(map(str, parts))))
        return parts[stored]


def named_parts(item):
    if isinstance(item, collections.abc.Mapping):  # also UserDict, and the BatchEncoding of Hugging Face
        return item
    if isinstance(item, tuple) and hasattr(item, "_fields"):
        return dict(zip(item._fields, item))
    names = getattr(type(item), "__dataclass_fields__", None)
    return None if names is None else {name: getattr(item, name) for name in names}


def default_names(elements):
    """The first value is `image` or `input`; the last one `label`, `mask` or `target`; others have their position."""
    last = len(elements) - 1
    names = []
    for at, value in enumerate(elements):
        if at == 0:
            names.append("image" if is_picture(value) else "input")
        elif at == last:
            names.append("label" if is_integer(value) else "mask" if is_pillow(value) else "target")
        else:
            names.append("field%d" % at)
    return names


def flat(names, elements):
    """A dict within a tuple, such as the target of an object detection, becomes its values."""
    found = []
    for name, value in zip(names, elements):
        parts = named_parts(value)
        found.extend([(name, value)] if parts is None else parts.items())
    return found


def is_pillow(value):
    pillow = sys.modules.get("PIL.Image")
    return pillow is not None and isinstance(value, pillow.Image)


def is_tensor(value):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_picture(value):
    if isinstance(value, (bytes, bytearray)) or is_pillow(value):
        return True
    if isinstance(value, np.ndarray):
        return value.ndim == 3 or (value.ndim == 2 and value.dtype == np.uint8)
    return is_tensor(value) and value.ndim == 3


def is_integer(value):
    if isinstance(value, int):
        return True
    if isinstance(value, np.ndarray):
        return value.ndim <= 1 and value.size == 1 and value.dtype.kind in "iu"
    if is_tensor(value):
        return value.ndim <= 1 and value.numel() == 1 and not (value.is_floating_point() or value.is_complex())
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def with_form(name, value):
    """Returns the value as something that Arrays.taken accepts, and its form."""
    if isinstance(value, str):
        return value, TEXT
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value), BYTES
    if is_pillow(value):
        return pillow(name, value)
    if is_tensor(value):
        return tensor(name, value)
    if isinstance(value, np.ndarray):
        return value, BYTES if is_encoded(name, value) else NUMBERS
    if isinstance(value, (list, tuple)):
        return numbers(name, value), NUMBERS
    return value, NUMBERS


def is_encoded(name, value):
    """The bytes of a file that numpy or torch has read."""
    return name == "image" and value.ndim == 1 and value.dtype == np.uint8


def pillow(name, picture):
    mode = picture.mode
    if mode in WIDE:
        return np.asarray(picture), NUMBERS if name == "image" else MASK
    if mode in GREY and name == "image":
        return np.asarray(picture.convert("L")), IMAGE
    if name != "image" and mode in ("P", *GREY):
        return np.asarray(picture).astype(np.uint8, copy=False), MASK
    return np.asarray(picture if mode == "RGB" else picture.convert("RGB")), IMAGE


def tensor(name, value):
    """Pictures of uint8 are [channels, height, width] in torch, and [height, width, channels] in samples."""
    marks = sys.modules.get("torchvision.tv_tensors")
    torch = sys.modules["torch"]
    if marks is not None and isinstance(value, marks.Mask):
        value = value.as_subclass(torch.Tensor)
        return (value[0] if value.ndim == 3 and value.shape[0] == 1 else value), MASK
    image = name == "image" or (marks is not None and isinstance(value, marks.Image))
    if image and value.dtype == torch.uint8 and value.ndim == 3 and value.shape[0] in (1, 3):
        return value.as_subclass(torch.Tensor).permute(1, 2, 0), IMAGE
    if name == "image" and value.dtype == torch.uint8 and value.ndim == 1:
        return value, BYTES
    return value, NUMBERS


def numbers(name, values):
    try:
        array = np.asarray(values)
    except ValueError:
        array = None
    if array is None or array.dtype.kind not in "biuf":
        found = sorted({type(value).__name__ for value in values})
        raise BadResult(
            "field '%s' is a %s of %s, expected numbers in one shape"
            % (name, type(values).__name__, ", ".join(found) or "nothing")
        )
    return array

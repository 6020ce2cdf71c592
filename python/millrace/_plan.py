"""The plan that a server announces: the fields of its batches and their places in a buffer."""

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy as np

from ._errors import ProtocolError
from ._future import MIX
from ._mix import Mix, Source, parse
from ._protocol import BUFFER_HEADER_BYTES, MAX_STEP, VERSION, integer, optional_integer, short, text

MAX_BUFFER = 1 << 40
MAX_BUFFERS = 1024
"""The largest number of buffers that a server accepts."""

MAX_ROWS = (1 << 31) - 1
PAGE = 4096

INDEX, POSITION, WEIGHT = "__index__", "__position__", "__weight__"

DTYPES: Dict[str, "np.dtype[Any]"] = {
    name: np.dtype(name).newbyteorder("<")
    for name in ("uint8", "int8", "int16", "uint16", "int32", "int64", "float16", "float32", "float64", "bool")
}
# numpy has no bfloat16: its bits are read as uint16 and converted by the batch.
DTYPES["bfloat16"] = np.dtype("<u2")

FORMS = ("dense", "bits", "ragged", "sparse")


@dataclass(frozen=True)
class Field:
    """One field of the batches."""

    name: str
    dtype: str
    """The element type: uint8, int8, int16, uint16, int32, int64, float16, bfloat16, float32, float64 or bool."""
    shape: Tuple[int, ...]
    """The extents of one row; of a ragged field, of one entry of a row."""
    form: str
    """dense, bits, ragged or sparse."""
    kind: str
    """The meaning: image, mask, tensor or ragged."""
    source: str
    """The element type of the samples, which packing converted to `dtype`."""
    offset: int
    offsets: Optional[int]

    @property
    def stored(self) -> "np.dtype[Any]":
        """The type of the elements in memory."""
        return DTYPES[self.dtype]

    @property
    def elements(self) -> int:
        """The number of elements of a row; of a ragged field, of an entry."""
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def entry_bytes(self) -> int:
        """The bytes of a row that all rows have; of a ragged or sparse field, of an entry."""
        if self.form == "bits":
            return (self.elements + 7) // 8
        if self.form == "sparse":
            return 4 + self.stored.itemsize
        return self.elements * self.stored.itemsize

    @property
    def pictures(self) -> bool:
        """Whether the rows are images or masks [height, width, channels] of one size."""
        return self.form != "ragged" and len(self.shape) == 3 and self.kind in ("image", "mask")


@dataclass(frozen=True)
class Transform:
    """One of the transforms that remain for the device."""

    name: str
    """Its name in the pipeline file, for messages."""
    field: Optional[str]
    """The field that it changes; None for a transform of whole batches."""
    numbers: Mapping[str, Any]
    """`mean`, `std` and, of a matrix, `matrix`: a step of float32 arithmetic; or `classes`, and `ragged` of a ragged field: an
    encoding. Others are empty."""


@dataclass(frozen=True)
class Plan:
    """What a server delivers. `raw` is the whole object that it sent."""

    name: str
    fingerprint: Mapping[str, str]
    rank: int
    world: int
    batch: int
    """Rows of a batch of this rank."""
    global_batch: int
    """Rows of a batch of all ranks."""
    epochs: Optional[int]
    """None for an endless run."""
    steps_per_epoch: int
    steps: Optional[int]
    """None for an endless run."""
    drop_last: bool
    samples: int
    """The size of the dataset; of a mixture or of drawn samples, the rows of an epoch."""
    sources: Tuple[Source, ...]
    """The datasets that the run trains on, in the order of the pipeline file, at least one."""
    mix: Optional[Mix]
    """The shares of the datasets; None for a run of one dataset without `mix`."""
    classes: Tuple[str, ...]
    fields: Mapping[str, Field]
    capacity: int
    buffer_bytes: int
    buffers: int
    transforms: Tuple[Transform, ...]
    """The transforms that remain for the device, in order."""
    evaluation: bool
    """Whether the server delivers an evaluation, too."""
    raw: Mapping[str, Any]

    @staticmethod
    def parse(value: Dict[str, Any]) -> "Plan":
        """Returns the plan in the object of PLAN. Raises ProtocolError for anything that does not fit together."""
        what = "PLAN"
        integer(value, "protocol", what, VERSION, VERSION)
        fingerprint = value.get("fingerprint")
        if not isinstance(fingerprint, dict) or not all(isinstance(v, str) for v in fingerprint.values()):
            raise ProtocolError(f"{what}: 'fingerprint' is {short(fingerprint)}, expected an object of strings")
        drop_last = value.get("drop_last")
        if not isinstance(drop_last, bool):
            raise ProtocolError(f"{what}: 'drop_last' is {short(drop_last)}, expected true or false")
        evaluation = value.get("evaluation", False)
        if not isinstance(evaluation, bool):
            raise ProtocolError(f"{what}: 'evaluation' is {short(evaluation)}, expected true or false")
        world = integer(value, "world", what, 1, MAX_ROWS)
        capacity = integer(value, "capacity", what, 1, MAX_ROWS)
        buffer_bytes = integer(value, "buffer_bytes", what, PAGE, MAX_BUFFER)
        if buffer_bytes % PAGE:
            raise ProtocolError(f"{what}: 'buffer_bytes' is {buffer_bytes}, expected a multiple of {PAGE}")
        classes = _list(value, "classes")
        if not all(isinstance(c, str) for c in classes):
            raise ProtocolError(f"{what}: 'classes' is {short(classes)}, expected a list of strings")
        fields: Dict[str, Field] = {}
        for item in _list(value, "fields"):
            field = _field(item, capacity, buffer_bytes)
            if field.name in fields:
                raise ProtocolError(f"{what}: two fields have the name {field.name!r}")
            fields[field.name] = field
        for name, dtype in ((INDEX, "int64"), (POSITION, "int64"), (WEIGHT, "float32")):
            fixed = fields.get(name)
            if fixed is None:
                raise ProtocolError(f"{what}: the fields {sorted(fields)} lack {name}")
            if (fixed.dtype, fixed.shape, fixed.form) != (dtype, (), "dense"):
                found = f"{fixed.form} {fixed.dtype}{list(fixed.shape)}"
                raise ProtocolError(f"{what}: the field {name} is {found}, expected {dtype}[]")
        samples = integer(value, "samples", what, 0, MAX_STEP)
        return Plan(
            name=text(value, "name", what),
            fingerprint=fingerprint,
            rank=integer(value, "rank", what, 0, world - 1),
            world=world,
            batch=integer(value, "batch", what, 1, MAX_ROWS),
            global_batch=integer(value, "global_batch", what, 1, MAX_STEP),
            epochs=optional_integer(value, "epochs", what, 0, MAX_STEP),
            steps_per_epoch=integer(value, "steps_per_epoch", what, 1, MAX_STEP),
            steps=optional_integer(value, "steps", what, 0, MAX_STEP),
            drop_last=drop_last,
            samples=samples,
            sources=_sources(value, samples),
            mix=_mix(fingerprint),
            classes=tuple(classes),
            fields=fields,
            capacity=capacity,
            buffer_bytes=buffer_bytes,
            buffers=integer(value, "buffers", what, 1, MAX_BUFFERS),
            transforms=tuple(_transform(item) for item in _list(value, "transforms")),
            evaluation=evaluation,
            raw=value,
        )


def _sources(value: Dict[str, Any], samples: int) -> Tuple[Source, ...]:
    """Returns the datasets; those of a run without names, or of an older server, are one."""
    sources: List[Source] = []
    for item in _list(value, "sources"):
        if not isinstance(item, dict):
            raise ProtocolError(f"PLAN: a source is {short(item)}, expected an object")
        what = "PLAN, a source"
        least, most = (sources[-1].first + sources[-1].size, MAX_STEP) if sources else (0, 0)
        first = integer(item, "first", what, least, most)
        sources.append(Source(text(item, "name", what), integer(item, "size", what, 0, MAX_STEP), first))
    return tuple(sources) or (Source("", samples, 0),)


def _mix(fingerprint: Mapping[str, str]) -> Optional[Mix]:
    if MIX not in fingerprint:
        return None
    try:
        return parse(fingerprint[MIX])
    except ValueError as e:
        raise ProtocolError(f"PLAN: '{MIX}' of the fingerprint is no mixture: {e}") from None


def _list(value: Dict[str, Any], key: str) -> List[Any]:
    found = value.get(key)
    if found is None:
        return []
    if not isinstance(found, list):
        raise ProtocolError(f"PLAN: '{key}' is {short(found)}, expected a list")
    return found


def _transform(item: Any) -> Transform:
    if not isinstance(item, dict):
        raise ProtocolError(f"PLAN: a transform is {short(item)}, expected an object")
    numbers = dict(item)
    name = text(item, "name", "PLAN, a transform")
    del numbers["name"]
    field = numbers.pop("field", None)
    if field is not None and not isinstance(field, str):
        raise ProtocolError(f"PLAN, {name}: 'field' is {short(field)}, expected text")
    return Transform(name, field, numbers)


def _field(item: Any, capacity: int, buffer_bytes: int) -> Field:
    if not isinstance(item, dict):
        raise ProtocolError(f"PLAN: a field is {short(item)}, expected an object")
    name = text(item, "name", "PLAN, a field")
    what = f"PLAN, field {short(name)}"
    dtype, form = text(item, "dtype", what), text(item, "form", what)
    if dtype not in DTYPES or form not in FORMS:
        raise ProtocolError(f"{what}: {short(form)} {short(dtype)}, expected {', '.join(FORMS)} and {', '.join(DTYPES)}")
    if form == "bits" and dtype not in ("uint8", "bool"):
        raise ProtocolError(f"{what}: bits of {dtype}, expected uint8 or bool")
    shape = item.get("shape")
    if not isinstance(shape, list) or len(shape) > 32:
        raise ProtocolError(f"{what}: 'shape' is {short(shape)}, expected a list of at most 32 extents")
    elements = 1
    for extent in shape:
        if not isinstance(extent, int) or isinstance(extent, bool) or not 1 <= extent <= MAX_BUFFER:
            raise ProtocolError(f"{what}: 'shape' is {short(shape)}, expected extents of at least 1")
        elements *= extent
        if elements > MAX_BUFFER * 8:
            raise ProtocolError(f"{what}: a row of shape {short(shape)} does not fit in a buffer of {buffer_bytes} bytes")
    offset = integer(item, "offset", what, BUFFER_HEADER_BYTES, buffer_bytes)
    varies = form in ("ragged", "sparse")
    offsets = integer(item, "offsets", what, BUFFER_HEADER_BYTES, buffer_bytes) if varies else None
    field = Field(name, dtype, tuple(shape), form, text(item, "kind", what), text(item, "from", what), offset, offsets)
    alignment = 8 if varies else 1 if form == "bits" else field.stored.itemsize
    if offset % alignment or (offsets is not None and offsets % 8):
        raise ProtocolError(f"{what}: the places {offset} and {offsets} are not multiples of {alignment}")
    end = offset + (16 if varies else capacity * field.entry_bytes)
    if end > buffer_bytes or (offsets is not None and offsets + 8 * (capacity + 1) > buffer_bytes):
        raise ProtocolError(f"{what}: {capacity} rows from {offset} on do not fit in a buffer of {buffer_bytes} bytes")
    if form == "sparse" and elements > 1 << 32:
        raise ProtocolError(f"{what}: places in rows of {elements} elements do not fit in 32 bits")
    return field

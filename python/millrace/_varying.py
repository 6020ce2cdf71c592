"""Fields whose rows differ in length: ragged rows, and sparse rows."""

from typing import TYPE_CHECKING, Any, List, NamedTuple, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from ._errors import ProtocolError
from ._plan import Field

if TYPE_CHECKING:
    import torch

Array = NDArray[Any]


class Ragged(NamedTuple):
    """Rows of different lengths without padding. Row i is `values[offsets[i]:offsets[i + 1]]`."""

    values: Array
    """All entries, one after another: [entries, *shape]."""
    offsets: Array
    """The first entry of each row, and the end of the last one: int64 [rows + 1]."""

    def row(self, i: int) -> Array:
        """Returns row `i` as a view: [entries of the row, *shape]. Negative numbers count from the end."""
        rows = len(self.offsets) - 1
        if not -rows <= i < rows:
            raise IndexError(f"row {i} of {rows} rows")
        i %= rows
        return self.values[int(self.offsets[i]) : int(self.offsets[i + 1])]

    def rows(self) -> List[Array]:
        """Returns all rows as views."""
        return [self.row(i) for i in range(len(self.offsets) - 1)]

    def texts(self) -> List[str]:
        """Returns the rows of a field of texts, which are bytes of UTF-8. Raises TypeError for other fields."""
        if self.values.dtype != np.uint8 or self.values.ndim != 1:
            raise TypeError(
                f"expected a ragged field of texts, uint8 in one dimension, found {self.values.dtype} in {self.values.ndim}"
            )
        return [row.tobytes().decode() for row in self.rows()]

    def lengths(self) -> Array:
        """Returns the number of entries of each row: int64 [rows]."""
        return np.diff(self.offsets)

    def to_padded(self, fill: Any = 0, length: Optional[int] = None) -> Array:
        """Returns a copy with equal rows: [rows, length, *shape]. `fill` fills the rest of shorter rows.

        `length` is by default that of the longest row; longer rows are cut.
        """
        lengths = self.lengths()
        if length is None:
            length = int(lengths.max()) if len(lengths) else 0
        padded = np.full((len(lengths), length, *self.values.shape[1:]), fill, self.values.dtype)
        for i, row in enumerate(self.rows()):
            padded[i, : min(len(row), length)] = row[:length]
        return padded

    def mask(self, length: Optional[int] = None) -> Array:
        """Returns which elements of `to_padded` belong to rows: bool [rows, length]. `length` is as in `to_padded`."""
        lengths = self.lengths()
        if length is None:
            length = int(lengths.max()) if len(lengths) else 0
        mask: Array = np.arange(length) < lengths[:, None]
        return mask

    def to_nested(self) -> "torch.Tensor":
        """Returns a nested tensor of torch (layout `torch.jagged`) that shares the memory of `values`."""
        import torch

        return torch.nested.nested_tensor_from_jagged(torch.from_numpy(self.values), torch.from_numpy(self.offsets))


class Sparse(NamedTuple):
    """Rows of one shape that are mostly 0. Row i has the elements `values[offsets[i]:offsets[i + 1]]` at `places[...]`."""

    places: Array
    """The place of each element in its flattened row: uint32 [elements]."""
    values: Array
    """The elements other than 0: [elements]."""
    offsets: Array
    """The first element of each row, and the end of the last one: int64 [rows + 1]."""
    shape: Tuple[int, ...]
    """The shape of a row."""

    def dense(self) -> Array:
        """Returns all elements: [rows, *shape]."""
        count = 1
        for extent in self.shape:
            count *= extent
        rows = len(self.offsets) - 1
        out = np.zeros((rows, count), self.values.dtype)
        out[np.repeat(np.arange(rows), np.diff(self.offsets)), self.places] = self.values
        return out.reshape((rows, *self.shape))


def entries(field: Field, memory: Array, rows: int) -> Tuple[int, int, Array]:
    """Returns the place of a field's entries, their number, and a copy of the offsets, int64 [rows + 1], after all checks."""
    assert field.offsets is not None
    used = len(memory)
    end = field.offsets + 8 * (rows + 1)
    if end > used or field.offset + 16 > used:
        raise ProtocolError(f"field {field.name!r} ends at byte {max(end, field.offset + 16)} of {used}")
    start, length = (int(n) for n in np.ndarray((2,), "<u8", memory, field.offset))
    size = field.entry_bytes
    if start > used or length > used - start or length % size:
        raise ProtocolError(f"field {field.name!r}: {length} bytes from byte {start} on, of {used}; an entry has {size}")
    # A copy, because the server could change the offsets after the checks.
    offsets = np.ndarray((rows + 1,), "<i8", memory, field.offsets).copy()
    count = length // size
    if offsets[0] != 0 or offsets[-1] != count or (np.diff(offsets) < 0).any() or (offsets < 0).any():
        raise ProtocolError(f"field {field.name!r}: the offsets do not rise from 0 to {count}")
    return start, count, offsets


def ragged(field: Field, memory: Array, rows: int) -> Ragged:
    """Returns a ragged field of a buffer. Its values are a view where they are aligned."""
    start, count, offsets = entries(field, memory, rows)
    values: Array = np.ndarray((count, *field.shape), field.stored, memory, start)
    return Ragged(values if values.flags.aligned else values.copy(), offsets)


def sparse(field: Field, memory: Array, rows: int) -> Sparse:
    """Returns a copy of a sparse field of a buffer, in which places and elements alternate."""
    start, count, offsets = entries(field, memory, rows)
    pairs = np.ndarray((count,), np.dtype([("place", "<u4"), ("value", field.stored)]), memory, start)
    places, values = pairs["place"].copy(), pairs["value"].copy()
    if count and int(places.max()) >= field.elements:
        raise ProtocolError(f"field {field.name!r}: the place {int(places.max())} in a row of {field.elements} elements")
    return Sparse(places, values, offsets, field.shape)

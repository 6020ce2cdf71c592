"""The values of fields in the memory of a buffer, as numpy arrays."""

from typing import Any, Dict, Optional, Set, Union

import numpy as np
from numpy.typing import NDArray

from ._buffers import Lent
from ._errors import ProtocolError
from ._plan import Field, Plan
from ._protocol import BufferHeader
from ._sequences import COMPUTED, DERIVED, LABEL_MASK, LENGTHS, NUMBER, TOKENS, Segments, computed, field_of, segments
from ._varying import Ragged, Sparse, ragged, sparse

Array = NDArray[Any]
Value = Union[Array, Ragged, Sparse, int]


class Look:
    """Whether a program has used a batch."""

    used = False


class Fields:
    """The fields of one batch. Arrays are views of the buffer's memory."""

    __slots__ = ("_cache", "_header", "_memory", "_segments", "exposed", "look", "plan")

    def __init__(self, plan: Plan, header: BufferHeader, memory: Array) -> None:
        self.plan = plan
        self._header = header
        self._memory = memory
        self._cache: Dict[str, Value] = {}
        self._segments: Optional[Segments] = None
        self.look: Optional[Look] = None
        """Hears of the first use of the fields."""
        self.exposed: Set[str] = set()
        """The fields of which the program has arrays on the CPU, into which it may write."""

    def __contains__(self, name: object) -> bool:
        fields = self.plan.fields
        return name in fields or (name in DERIVED and TOKENS in fields and LENGTHS in fields)

    def __getitem__(self, name: str) -> Value:
        """Returns a field: an array [rows, *shape], a `Ragged` or a `Sparse`.

        A batch of packed sequences, with the fields `tokens` and `lengths`, also has fields that are computed when a program
        first gets them: `position_ids`, `segment_ids`, `cu_seqlens`, `labels` and `unshifted_labels`, and `max_seqlen`, an int.

        Bits are expanded to bytes of 0 and 1. bfloat16, which numpy lacks, becomes float32, which is exact. Raises KeyError for
        an unknown name, and ProtocolError when the field is not within the buffer.
        """
        self.expose(name)
        return self.value(name)

    def expose(self, *names: str) -> None:
        """Notes that the program gets arrays of fields: it may write into them, and begin copies from the buffer to a GPU."""
        self.exposed.update(names)
        if isinstance(self._memory, Lent) and self._memory.loan is not None:
            self._memory.loan.seen = True

    def value(self, name: str) -> Value:
        """Returns a field as `[]` does, for a caller that does not pass it to the program."""
        found = self._cache.get(name)
        if found is None:
            found = self._cache[name] = self._value(self.field(name))
        self.use()
        return found

    def use(self) -> None:
        """Notes that the program uses the batch."""
        if self.look is not None:
            self.look.used = True
            self.look = None

    def field(self, name: str) -> Field:
        """Returns the description of a field. Raises KeyError with the known names."""
        try:
            return self.plan.fields[name]
        except KeyError:
            found = field_of(name, self.plan.fields)
            if found is not None:
                return found
            labels = ". No file of the dataset was read as its labels: see the notes that serve prints at its start"
            raise KeyError(
                f"no field {name!r}; the batch has {', '.join(self.plan.fields)}{labels if name == 'label' else ''}"
            ) from None

    def _value(self, field: Field) -> Value:
        rows = self._header.rows
        if field.form in (COMPUTED, NUMBER):
            return self._computed(field)
        if field.form == "ragged":
            varying = ragged(field, self._memory, rows)
            return varying if field.dtype != "bfloat16" else varying._replace(values=_widened(varying.values))
        if field.form == "sparse":
            pairs = sparse(field, self._memory, rows)
            return pairs if field.dtype != "bfloat16" else pairs._replace(values=_widened(pairs.values))
        stored = self.stored(field)
        if field.form == "bits":
            bits = np.unpackbits(stored, axis=1, count=field.elements, bitorder="little").reshape((rows, *field.shape))
            return bits.view(np.bool_) if field.dtype == "bool" else bits
        return _widened(stored) if field.dtype == "bfloat16" else stored

    def _computed(self, field: Field) -> Value:
        tokens = self.value(TOKENS)
        assert isinstance(tokens, np.ndarray)
        if self._segments is None:
            lengths = self.value(LENGTHS)
            assert isinstance(lengths, Ragged)
            self._segments = segments(lengths, tokens.shape[1])
        mask = self.value(LABEL_MASK) if "labels" in field.name and LABEL_MASK in self.plan.fields else None
        assert mask is None or isinstance(mask, np.ndarray)
        return computed(field.name, self._segments, tokens, mask)

    def stored(self, field: Field) -> Array:
        """Returns the memory of a dense field, [rows, *shape], or of bits, uint8 [rows, bytes of a row], without conversion."""
        self.use()
        rows = self._header.rows
        end = field.offset + rows * field.entry_bytes
        if end > self._header.used:
            raise ProtocolError(f"field {field.name!r} ends at byte {end}, but {self._header.used} bytes are in use")
        if field.form == "bits":
            return np.ndarray((rows, field.entry_bytes), np.uint8, self._memory, field.offset)
        return np.ndarray((rows, *field.shape), field.stored, self._memory, field.offset)

    def _array(self, name: str) -> Array:
        found = self[name]
        assert isinstance(found, np.ndarray)
        return found


def _widened(bits: Array) -> Array:
    """Returns the float32 values of bfloat16 bits (uint16)."""
    return (bits.astype(np.uint32) << 16).view(np.float32)

"""Fields that are computed from packed sequences: positions, segments, labels and the boundaries of variable-length attention.

A server delivers the tokens of each row, the lengths of its segments and, for chat data, which tokens are labels. A segment is a
document, or the slice of a document that is in the row. The rest of the row is padding.
"""

from typing import Any, Mapping, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from ._plan import Field
from ._varying import Ragged

Array = NDArray[Any]

TOKENS, LENGTHS, LABEL_MASK = "tokens", "lengths", "label_mask"
"""The fields that a server delivers: integers [length], ragged integers, and numbers of which 0 is no label, [length]."""

DERIVED = {
    "position_ids": "int64",
    "segment_ids": "int32",
    "cu_seqlens": "int32",
    "max_seqlen": "int64",
    "labels": "int64",
    "unshifted_labels": "int64",
}
"""The element types of the fields that are computed here. torch requires int64 of labels."""

IGNORED = -100
"""The label that the losses of torch and Hugging Face ignore."""

COMPUTED, NUMBER = "computed", "number"
"""The forms of the fields that are computed here: arrays, and one number for the whole batch."""

MOST_TOKENS = (1 << 31) - 1


class Segments(NamedTuple):
    """The segments of all rows of a batch in their order, with the padding of each row as a segment after its others.

    No segment is empty. Places count tokens through the flattened batch, [rows * length].
    """

    starts: Array
    """The place of the first token of each segment: int64 [segments]."""
    lengths: Array
    """The number of tokens of each segment: int64 [segments], at least 1."""
    numbers: Array
    """The number of each segment in its row, from 0; -1 for padding: int32 [segments]."""
    rows: int
    length: int
    """The number of tokens of a row, with its padding."""


def field_of(name: str, fields: Mapping[str, Field]) -> Optional[Field]:
    """Returns the description of a computed field, or None if no field of this name can be computed.

    Raises KeyError when the batch lacks what it is computed from, and ValueError when that has another type or shape.
    """
    if name not in DERIVED:
        return None
    needed = (TOKENS, LENGTHS)
    missing = [each for each in needed if each not in fields]
    if missing:
        raise KeyError(
            f"no field {name!r}: it is computed from the fields {' and '.join(needed)} of packed sequences, but the batch has no"
            f" {' and no '.join(missing)}; it has {', '.join(fields)}. The transform pack_sequences makes both: add it to the"
            " pipeline after tokenize"
        )
    tokens, lengths = fields[TOKENS], fields[LENGTHS]
    _require_integers(tokens, tokens.form == "dense" and len(tokens.shape) == 1, "dense integers [length]")
    _require_integers(lengths, lengths.form == "ragged" and lengths.shape == (), "ragged integers, one for each segment")
    mask = fields.get(LABEL_MASK)
    if mask is not None and "labels" in name and (mask.form not in ("dense", "bits") or mask.shape != tokens.shape):
        raise ValueError(f"the field {LABEL_MASK!r} is {_found(mask)}, expected {list(tokens.shape)} as {TOKENS!r} has")
    shape = () if name in ("cu_seqlens", "max_seqlen") else tokens.shape
    return Field(name, DERIVED[name], shape, NUMBER if name == "max_seqlen" else COMPUTED, "tensor", DERIVED[name], 0, None)


def _require_integers(field: Field, fits: bool, expected: str) -> None:
    if not fits or "int" not in field.dtype:
        raise ValueError(f"the field {field.name!r} is {_found(field)}, expected {expected}, as pack_sequences makes them")


def _found(field: Field) -> str:
    return f"{field.form} {field.dtype} {list(field.shape)}"


def segments(lengths: Ragged, length: int) -> Segments:
    """Returns the segments of rows of `length` tokens.

    Raises ValueError for a negative length, and for segments that are longer than their row.
    """
    rows = len(lengths.offsets) - 1
    if rows * length > MOST_TOKENS:
        raise ValueError(f"{rows} rows of {length} tokens are too many for int32 cu_seqlens, which end at {MOST_TOKENS}")
    values = lengths.values.astype(np.int64)
    if (values < 0).any():
        at = int(np.argmax(values < 0))
        raise ValueError(
            f"the field {LENGTHS!r} has the length {values[at]} in row {_row(lengths, at)} of the batch, expected at least 0"
        )
    totals = np.concatenate(([0], np.cumsum(values)))
    used = totals[lengths.offsets[1:]] - totals[lengths.offsets[:-1]]
    if (used > length).any():
        row = int(np.argmax(used > length))
        raise ValueError(
            f"the field {LENGTHS!r} has segments of {used[row]} tokens in row {row} of the batch, expected at most {length},"
            f" the length of {TOKENS!r}"
        )
    kept = values > 0
    counts = np.bincount(np.repeat(np.arange(rows), lengths.lengths())[kept], minlength=rows)
    ends = np.cumsum(counts)
    numbers = np.arange(int(kept.sum())) - np.repeat(ends - counts, counts)
    every = np.insert(values[kept], ends, length - used)
    numbered = np.insert(numbers, ends, -1)
    present = every > 0  # Full rows have no padding.
    every = every[present]
    return Segments(np.cumsum(every) - every, every, numbered[present].astype(np.int32), rows, length)


def _row(lengths: Ragged, entry: int) -> int:
    return int(np.searchsorted(lengths.offsets, entry, side="right")) - 1


def computed(name: str, of: Segments, tokens: Array, mask: Optional[Array]) -> Union[Array, int]:
    """Returns a computed field.

    `tokens` are those of the batch, [rows, length]. `mask` has another value than 0 where a token is a label; without it, all
    tokens of segments are labels.
    """
    shape = (of.rows, of.length)
    if name == "position_ids":
        positions = np.arange(of.rows * of.length)
        positions -= np.repeat(of.starts, of.lengths)  # in place, because new memory costs more than the difference
        return positions.reshape(shape)
    if name == "segment_ids":
        return np.repeat(of.numbers, of.lengths).reshape(shape)
    if name == "cu_seqlens":
        return np.append(of.starts, of.rows * of.length).astype(np.int32)
    if name == "max_seqlen":
        return int(of.lengths.max(initial=0))
    own = _labels(of, tokens, mask)
    labels = np.full(own.shape, IGNORED, np.int64)
    if name == "labels":
        labels[:-1] = own[1:]  # The first token of each row is no label, so the last one of the row before has none.
    else:
        labels[:] = own
    return labels.reshape(shape)


def _labels(of: Segments, tokens: Array, mask: Optional[Array]) -> Array:
    """Returns the label that each token is, [rows * length]. The first one of a segment, which nothing predicts, is none."""
    counted = np.repeat(of.numbers >= 0, of.lengths)
    counted[of.starts] = False
    if mask is not None:
        counted &= mask.reshape(-1) != 0
    values = tokens.reshape(-1)
    return np.where(counted, values, values.dtype.type(IGNORED) if values.dtype.kind == "i" else np.int64(IGNORED))

"""The kinds of fields between functions that follow one another, by the rules of WorkerReply.java."""

from millrace_worker.values import BYTES, ENCODED, IMAGE, MASK, STR, TEXT

TENSOR, RAGGED = 2, 3
UINT8, FLOAT32 = 1, 2


def settled(code, shape, form, name, before):
    """Returns the kind and the shape of a field; `before` is its kind before the call, or None."""
    if form in (STR, BYTES):
        return TEXT if form == STR else RAGGED, shape
    kind = before if before is not None else IMAGE if name == "image" else TENSOR
    if kind in (IMAGE, MASK):
        if code == ENCODED:
            return kind, shape
        picture = shape + (1,) if len(shape) == 2 else shape
        return (kind, picture) if is_picture(kind, code, picture) else (TENSOR, shape)
    return (RAGGED if kind in (RAGGED, TEXT) and shape else TENSOR), shape


def is_picture(kind, code, shape):
    if len(shape) != 3:
        return False
    return shape[2] == 1 if kind == MASK else shape[2] in (1, 3) and code in (UINT8, FLOAT32)

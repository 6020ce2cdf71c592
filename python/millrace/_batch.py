"""A batch: named fields in the memory of a buffer."""

from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._cuda import Request, Transfers
from ._describe import fields_line, table
from ._errors import ProtocolError
from ._fields import Array, Fields
from ._plan import INDEX, POSITION, WEIGHT, Field, Plan
from ._protocol import BufferHeader
from ._sequences import NUMBER
from ._varying import Ragged, Sparse

if TYPE_CHECKING:
    from ._torch import Copied


class Batch(Fields):
    """The rows of one step of this rank. `len(batch)` is the number of rows, at least 1. Quarantined samples have none.

    With several ranks, a rank without a good sample in a step gets one padded row: zeros in every field, of weight 0.

    Arrays are views of the buffer's memory, without a copy, and may be written to. The buffer is returned to the server when the
    batch and all views of it, also those of torch and JAX, are gone. `copy()` makes an independent batch.
    """

    __slots__ = ("_copied", "_transfers")

    def __init__(self, plan: Plan, header: BufferHeader, memory: Array, transfers: Optional[Transfers] = None) -> None:
        super().__init__(plan, header, memory)
        self._transfers = transfers
        self._copied: Optional["Copied"] = None  # the fields that were copied to a GPU ahead

    def __len__(self) -> int:
        return self._header.rows

    def __bool__(self) -> bool:
        return True

    __iter__ = None  # Without this, Python would ask for the fields 0, 1, 2, ... of what is no list.

    @property
    def step(self) -> int:
        """The step of the run, from 0."""
        return self._header.step

    @property
    def generation(self) -> int:
        """The number of the loader's request, from 1 on each connection, that the server answered with this batch."""
        return self._header.generation

    @property
    def epoch(self) -> int:
        """The epoch, from 0."""
        return self._header.epoch

    @property
    def fields(self) -> Mapping[str, Field]:
        """The fields of the batch by name."""
        return self.plan.fields

    @property
    def positions(self) -> Array:
        """The position of each row in the run: int64 [rows]; -1 for a padded row."""
        return self._array(POSITION)

    @property
    def indexes(self) -> Array:
        """The index of each row's sample: int64 [rows]; -1 for a padded row.

        In a mixture, it is the index among all datasets: the indexes of a dataset begin with `plan.sources[i].first`.
        """
        return self._array(INDEX)

    @property
    def source(self) -> Array:
        """The number of the dataset that each row's sample is from, in the order of `plan.sources`: int32 [rows].

        It is 0 in a run of one dataset, and -1 for a padded row. Quarantined samples have no rows.
        """
        return source_of(self.plan, self._array(INDEX))

    @property
    def source_index(self) -> Array:
        """The index of each row's sample in the dataset that it is from: int64 [rows]; -1 for a padded row."""
        indexes = self._array(INDEX)
        firsts = np.array([source.first for source in self.plan.sources], np.int64)
        return np.where(indexes < 0, indexes, indexes - firsts[source_of(self.plan, indexes)])

    @property
    def weights(self) -> Array:
        """The weight of each row in a mean over rows: float32 [rows]. It is 1 for a sample and 0 for a padded row.

        The weights are also the field `__weight__`, so that `batch.torch("image", "label", "__weight__")` returns them.
        """
        return self._array(WEIGHT)

    @property
    def missing(self) -> Array:
        """The positions of the quarantined rows, which the batch lacks: int64 [quarantined rows]."""
        header = self._header
        present = header.rows - header.padded
        whole = np.arange(header.position, header.position + header.expected, dtype=np.int64)
        if present == header.expected:
            return whole[:0]
        absent = np.setdiff1d(whole, self.positions)
        if len(absent) != header.expected - present:
            raise ProtocolError(f"step {header.step}: the positions are not those of {present} rows of the batch")
        return absent

    @property
    def samples(self) -> int:
        """The number of samples of the batch: its rows without a padded one."""
        return self._header.rows - self._header.padded

    @property
    def nbytes(self) -> int:
        """The number of bytes of the buffer that the batch uses."""
        return self._header.used

    @property
    def page_locked(self) -> bool:
        """Whether a GPU may read the buffer while the program goes on.

        The buffer is used again when its last view is gone, and the work is done that the current stream had then of each GPU
        to which `torch(device="cuda")` has copied. A copy that the program begins on another stream may come too late.
        """
        return self._transfers is not None and self._transfers.device is not None

    def numpy(self, *names: str) -> Any:
        """Returns the value of one field, or a tuple of the values of several fields, as `batch[name]` does."""
        return one_or_all([self[name] for name in names], self)

    def torch(self, *names: str, device: Any = None, transforms: bool = False, out: Any = None) -> Any:
        """Returns a torch tensor, or a tuple of tensors for several names.

        On the CPU, dense fields share the buffer's memory; bits and sparse fields become dense tensors, and ragged fields nested
        tensors. `device` copies to a device. The program does not wait for copies to a CUDA device, which may have begun before
        the call (`Loader(pin=..., prefetch=...)`); the current stream does. The result has what the program has written into the
        batch before the call. Do not write into it afterwards: the copy may be under way and receive the new values.

        `out`, a tensor or one for each name, receives the values, and is returned. Its type, shape and device must be those of
        the result, and `device` is by default that of `out`. The copy follows the earlier work of the current stream, as a CUDA
        graph needs that reads `out`. Raises ValueError, before any copy into `out`, when they do not fit, and for ragged fields.

        With `transforms`, the transforms that the plan left for the device are applied, and images become
        [rows, channels, height, width] (in the memory format `channels_last`). Raises ValueError for transforms that are not
        implemented here.

        `max_seqlen` is an int, not a tensor, because variable-length attention needs it on the CPU.
        """
        from . import _torch

        numbers = [name for name in names if self.field(name).form == NUMBER]
        if out is not None and numbers:
            raise ValueError(f"{numbers[0]!r} is a number, which no tensor of out receives: get it with batch[{numbers[0]!r}]")
        if out is not None and device is None and names:
            device = _torch.device_of(out)
        arrays = [name for name in names if name not in numbers]
        made = _torch.tensors(self, arrays, device, transforms, self._transfers, self._copied, self.step)
        if out is not None and names:
            made = _torch.copied_into(out, names, made)
        tensors = iter(made)
        return one_or_all([self[name] if name in numbers else next(tensors) for name in names], self)

    def jax(self, *names: str) -> Any:
        """Returns a JAX array, or a tuple of arrays for several names.

        On the CPU, JAX uses the buffer's memory and keeps the buffer. Sparse fields become dense; a ragged field becomes the
        tuple (values, offsets), and `max_seqlen` an int. As everywhere in JAX, 64-bit numbers become 32-bit numbers unless
        `jax_enable_x64` is set.
        """
        import jax

        values: List[Any] = []
        for name in names:
            value = self[name]
            if isinstance(value, int):
                values.append(value)
            elif isinstance(value, Ragged):
                values.append((jax.device_put(value.values), jax.device_put(value.offsets)))
            else:
                values.append(jax.device_put(value.dense() if isinstance(value, Sparse) else value))
        return one_or_all(values, self)

    def copy(self) -> "Batch":
        """Returns a batch with memory of its own, which does not hold a buffer."""
        self.use()
        return Batch(self.plan, self._header, np.array(self._memory, subok=False))

    def __repr__(self) -> str:
        fields = fields_line(self.plan.fields.values(), len(self))
        return f"Batch(step={self.step}, epoch={self.epoch}, rows={len(self)}, {fields})"

    def _repr_html_(self) -> str:
        facts = {"step": self.step, "epoch": self.epoch, "rows": len(self)}
        return table("Batch", facts.items(), self.plan.fields.values(), len(self))


def source_of(plan: Plan, indexes: Array) -> Array:
    """Returns the number of the dataset of each index among all datasets, int32; -1 for -1."""
    firsts = [source.first for source in plan.sources]
    return (np.searchsorted(firsts, indexes, side="right") - 1).astype(np.int32)


def rows_of_sources(batch: Batch) -> Array:
    """Returns the number of samples of each dataset in a batch, int64 [datasets], without counting as a use of the batch."""
    look, batch.look = batch.look, None
    numbers = source_of(batch.plan, batch.stored(batch.field(INDEX)))
    batch.look = look
    return np.bincount(numbers[numbers >= 0], minlength=len(batch.plan.sources))


def copy_ahead(batch: Batch, request: Request) -> None:
    """Begins to copy fields of a batch to a GPU, for a later call of `torch`, unless this was done, or its memory is its own."""
    transfers = batch._transfers
    if transfers is not None and batch._copied is None:
        from . import _torch

        batch._copied = _torch.copied_ahead(batch, request.names, request.target, transfers)


def one_or_all(values: Sequence[Any], batch: Batch) -> Union[Any, Tuple[Any, ...]]:
    """Returns the only value, or a tuple of all."""
    if not values:
        raise ValueError(f"give the names of the fields to return; the batch has {', '.join(batch.plan.fields)}")
    return values[0] if len(values) == 1 else tuple(values)

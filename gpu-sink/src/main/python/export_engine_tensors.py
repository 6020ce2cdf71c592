"""Writes engine-tensors.pt: what DJL has no function for, as a TorchScript module: tensors that view memory of ours.

    python export_engine_tensors.py ../resources/io/millrace/device/engine-tensors.pt

Made with torch 2.13.0; it must load in the libtorch that DJL brings (2.7.1), so use no newer operators. Element types are
PyTorch's numbers of them (c10::ScalarType). The same code runs on every device.
"""
import sys
from typing import List

import torch


def view(memory: torch.Tensor, dtype: int, offset: int, shape: List[int]) -> torch.Tensor:
    """TorchScript has no view as another type; a tensor may be set on any other's memory, of which the offset counts from
    the first byte of the storage: the memory must begin with it."""
    strides: List[int] = []
    step = 1
    for i in range(len(shape)):
        strides.insert(0, step)
        step = step * shape[len(shape) - 1 - i]
    with torch.no_grad():
        return torch.empty([0], dtype=dtype, device=memory.device).set_(memory, offset, shape, strides)


class EngineTensors(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x

    @torch.jit.export
    def viewed(self, memory: torch.Tensor, dtype: int, offset: int, shape: List[int]) -> torch.Tensor:
        """Numbers of that type in a memory's bytes, not a copy; the offset counts such numbers."""
        return view(memory, dtype, offset, shape)

    @torch.jit.export
    def place(self, x: torch.Tensor, source: torch.Tensor) -> int:
        """Makes x lie where the source lies, with the source's extents."""
        with torch.no_grad():
            x.set_(source)
        return 0

    @torch.jit.export
    def copy(self, target: torch.Tensor, source: torch.Tensor) -> int:
        with torch.no_grad():
            target.copy_(source)
        return 0

    @torch.jit.export
    def fill(self, x: torch.Tensor, value: float) -> int:
        with torch.no_grad():
            x.fill_(value)
        return 0

    @torch.jit.export
    def converted(self, memory: torch.Tensor, dtype: int, shape: List[int], unsigned16: bool, to: int) -> torch.Tensor:
        """A copy of a memory's first numbers as another type; dtype is that of int16 for unsigned 16-bit numbers."""
        values = view(memory, dtype, 0, shape)
        if unsigned16:
            values = values.to(torch.int32).bitwise_and(0xFFFF)
        return values.to(dtype=to, copy=True)

    @torch.jit.export
    def spread(self, memory: torch.Tensor, rows: int, row_bytes: int, elements: int, to: int,
               shape: List[int]) -> torch.Tensor:
        """Bits, the lowest of each byte first, as zeros and ones; each row begins a byte."""
        raw = view(memory, 0, 0, [rows, row_bytes, 1])
        places = torch.arange(8, dtype=torch.uint8, device=memory.device)
        bits = raw.bitwise_right_shift(places).bitwise_and(1).view([rows, row_bytes * 8])
        return bits.narrow(1, 0, elements).to(dtype=to).reshape(shape)

    @torch.jit.export
    def dense(self, memory: torch.Tensor, offsets: torch.Tensor, rows: int, entries: int, width: int, dtype: int,
              unsigned16: bool, elements: int, to: int, shape: List[int]) -> torch.Tensor:
        """Rows of entries, each a place (int32) and an element of that width, with all their elements."""
        raw = view(memory, 0, 0, [entries, 4 + width])
        # Copies, always: contiguous() gives a part of a single entry as it is, which lies further on in the memory.
        at = raw.narrow(1, 0, 4).clone(memory_format=torch.contiguous_format)
        places = view(at, 3, 0, [entries]).to(torch.int64)
        of = raw.narrow(1, 4, width).clone(memory_format=torch.contiguous_format)
        values = view(of, dtype, 0, [entries])
        if unsigned16:
            values = values.to(torch.int32).bitwise_and(0xFFFF)
        ends = view(offsets, 4, 1, [rows])
        entry = torch.arange(entries, dtype=torch.int64, device=memory.device)
        row = torch.searchsorted(ends, entry, right=True)
        all = torch.zeros([rows * elements], dtype=to, device=memory.device)
        all.index_copy_(0, row * elements + places, values.to(dtype=to))
        return all.view(shape)


if __name__ == "__main__":
    torch.jit.script(EngineTensors()).save(sys.argv[1])

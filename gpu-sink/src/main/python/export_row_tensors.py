"""Writes row-tensors.pt: operations on the rows of a batch on the engine's device, as a TorchScript module.

    python export_row_tensors.py ../resources/io/millrace/train/input/row-tensors.pt

Made with torch 2.13.0. It must load in the libtorch that DJL includes (2.7.1), so use no newer operators. Nothing in it waits
for the device, and no number that comes from data can make a kernel fail.
"""
import sys
from typing import List

import torch


class RowTensors(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x

    @torch.jit.export
    def one_hot(self, numbers: torch.Tensor, classes: int) -> torch.Tensor:
        """Class numbers [rows, ...] as floats [rows, classes, ...]; a number that is not a class becomes zeros."""
        shape = [1] * (numbers.dim() + 1)
        shape[1] = classes
        known = torch.arange(classes, dtype=numbers.dtype, device=numbers.device).view(shape)
        return torch.eq(numbers.unsqueeze(1), known).to(torch.float32)

    @torch.jit.export
    def multi_hot(self, numbers: torch.Tensor, offsets: torch.Tensor, classes: int) -> torch.Tensor:
        """Class numbers of rows that begin at offsets [rows + 1], as floats [rows, classes]; numbers that are not classes are left out."""
        rows = offsets.size(0) - 1
        place = torch.arange(numbers.size(0), dtype=torch.int64, device=numbers.device)
        row = torch.searchsorted(offsets.narrow(0, 1, rows).contiguous(), place, right=True)
        known = torch.logical_and(numbers.ge(0), numbers.lt(classes))
        flat = row * (classes + 1) + torch.where(known, numbers, torch.full_like(numbers, classes))
        # One more row and column than there are, for what has no place.
        hot = torch.zeros([(rows + 1) * (classes + 1)], dtype=torch.float32, device=numbers.device)
        hot.index_fill_(0, flat, 1.0)
        return hot.view([rows + 1, classes + 1]).narrow(0, 0, rows).narrow(1, 0, classes).contiguous()

    @torch.jit.export
    def classes(self, numbers: torch.Tensor, classes: int, ignored: List[int]) -> torch.Tensor:
        """The numbers with class 0 in place of what is neither a class nor ignored: no kernel then fails for them."""
        known = torch.logical_and(numbers.ge(0), numbers.lt(classes))
        for number in ignored:
            known = torch.logical_or(known, numbers.eq(number))
        return torch.where(known, numbers, torch.zeros_like(numbers))

    @torch.jit.export
    def extremes(self, numbers: torch.Tensor, ignored: List[int]) -> torch.Tensor:
        """The lowest and the highest number that is not ignored, as 64-bit floats; both 0 where there is none."""
        counted = numbers
        for number in ignored:
            counted = torch.where(counted.eq(number), torch.zeros_like(counted), counted)
        if counted.numel() == 0:
            return torch.zeros([2], dtype=torch.float64, device=numbers.device)
        return torch.stack([counted.min(), counted.max()]).to(torch.float64)

    @torch.jit.export
    def mix(self, values: torch.Tensor, share: float) -> torch.Tensor:
        """A share of each row plus the rest of the one before it, and of the last for the first."""
        return values.mul(share).add_(values.roll(1, 0).mul_(1.0 - share))

    @torch.jit.export
    def paste(self, images: torch.Tensor, left: int, top: int, right: int, bottom: int) -> int:
        """Takes a box of each image [rows, height, width, channels] from the one before it, in place."""
        box = images.narrow(1, top, bottom - top).narrow(2, left, right - left)
        box.copy_(box.roll(1, 0))
        return 0

    @torch.jit.export
    def contiguous(self, x: torch.Tensor) -> torch.Tensor:
        return x.contiguous()


if __name__ == "__main__":
    torch.jit.script(RowTensors()).save(sys.argv[1])

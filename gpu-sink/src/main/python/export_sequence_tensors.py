"""Writes sequence-tensors.pt: labels and contexts of packed sequences on the engine's device, as a TorchScript module.

    python export_sequence_tensors.py ../resources/io/millrace/train/input/sequence-tensors.pt

Made with torch 2.13.0. It must load in the libtorch that DJL includes (2.7.1), so use no newer operators. Nothing in it waits
for the device, and no number that comes from data can make a kernel fail.

A batch has tokens [rows, length]. Each row holds one document after the other, and the rest of the row is padding. The lengths
of all documents are in one vector, in which those of a row begin at its offset; offsets is int64 [rows + 1].
"""
import sys
from typing import Tuple

import torch


class SequenceTensors(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x

    @torch.jit.export
    def next_tokens(
        self, tokens: torch.Tensor, lengths: torch.Tensor, offsets: torch.Tensor, ignored: int
    ) -> torch.Tensor:
        """The token after each token of a document, int64 [rows, length]; `ignored` for the last one, and for padding."""
        after = self.places(tokens, lengths, offsets)[1]
        following = tokens.to(torch.int64).roll(-1, 1)
        # The last token of a row is followed by none, also if the lengths count more tokens than the row has.
        has_next = torch.arange(tokens.size(1), device=tokens.device).lt(tokens.size(1) - 1)
        counted = torch.logical_and(after.gt(0), has_next)
        return torch.where(counted, following, torch.full_like(following, ignored))

    @torch.jit.export
    def masked(self, labels: torch.Tensor, mask: torch.Tensor, ignored: int) -> torch.Tensor:
        """Labels [rows, length], with `ignored` where the mask of the token that is the label is 0."""
        return torch.where(mask.roll(-1, 1).ne(0), labels, torch.full_like(labels, ignored))

    @torch.jit.export
    def contexts(
        self, tokens: torch.Tensor, lengths: torch.Tensor, offsets: torch.Tensor, context: int, outside: int
    ) -> torch.Tensor:
        """The last `context` tokens of a document up to each place, oldest first: int64 [rows * length, context].

        `outside` stands for places before the document, and for what is not in 0 to `outside` - 1."""
        numbers = tokens.to(torch.int64)
        none = torch.full_like(numbers, outside)
        numbers = torch.where(torch.logical_and(numbers.ge(0), numbers.lt(outside)), numbers, none)
        before = self.places(tokens, lengths, offsets)[0]
        columns = [torch.where(before.ge(back), numbers.roll(back, 1), none) for back in range(context - 1, -1, -1)]
        return torch.stack(columns, 2).view([-1, context])

    def places(
        self, tokens: torch.Tensor, lengths: torch.Tensor, offsets: torch.Tensor
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        """The numbers of tokens of its document before and after each token, int64 [rows, length]; 0 for padding."""
        ends = lengths.to(torch.int64).cumsum(0)
        borders = torch.cat([torch.zeros([1], dtype=torch.int64, device=ends.device), ends])
        # Places are counted through the tokens of all documents, without padding.
        starts = borders.index_select(0, offsets)
        place = torch.arange(tokens.size(1), dtype=torch.int64, device=ends.device).unsqueeze(0) + starts[:-1].unsqueeze(1)
        document = torch.searchsorted(ends, place, right=True).clamp(max=max(0, lengths.size(0) - 1))
        flat = document.view(-1)
        begin = borders.index_select(0, flat).view_as(place)
        end = borders.index_select(0, (flat + 1).clamp(max=lengths.size(0))).view_as(place)
        inside = place.lt(starts[1:].unsqueeze(1))
        zero = torch.zeros_like(place)
        return torch.where(inside, place - begin, zero), torch.where(inside, end - place - 1, zero)


if __name__ == "__main__":
    torch.jit.script(SequenceTensors()).save(sys.argv[1])

"""Writes how often torch's WeightedRandomSampler draws each sample: lines of a weight and a count."""

import pathlib

import torch

DRAWS = 1_000_000
target = pathlib.Path(__file__).parent.parent / "resources/vectors/order/weighted.csv"
generator = torch.Generator().manual_seed(7)
weights = torch.cat(
    [torch.rand(30, generator=generator, dtype=torch.float64) * 10, torch.tensor([0.0, 0.001, 1.0, 1.0, 1.0, 100.0])]
)
sampler = torch.utils.data.WeightedRandomSampler(weights, DRAWS, replacement=True, generator=generator)
counts = torch.bincount(torch.tensor(list(sampler)), minlength=len(weights))
target.parent.mkdir(parents=True, exist_ok=True)
target.write_text("".join(f"{w!r},{c}\n" for w, c in zip(weights.tolist(), counts.tolist())))

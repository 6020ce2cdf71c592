"""Trains on photos with Millrace: `python after.py PIPELINE [EPOCHS]`. `before.py` is the same program with torch's DataLoader."""

import sys

import torch
from before import network
from torch.nn.functional import cross_entropy

import millrace


def main(source, epochs=2):
    model = network()
    model(torch.zeros(1, 3, 64, 64))  # gives LazyLinear its parameters
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    loader = millrace.Loader(source)
    for _ in range(epochs):
        for batch in loader:
            images, labels = batch.torch("image", "label", transforms=True)
            loss = cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))

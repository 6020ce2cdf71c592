"""Trains on the digits of conf/digits.yaml with Millrace: `python pytorch.py [SOURCE [EPOCHS]]`.

SOURCE is a pipeline file or the address of a server. `dataloader.py` is the same program with torch's DataLoader.
"""

import sys

import torch
from torch.nn.functional import cross_entropy

import millrace


def main(source="conf/digits.yaml", epochs=3):
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    optimizer = torch.optim.Adam(model.parameters())
    loader = millrace.Loader(source)
    for _ in range(epochs):
        for batch in loader:
            images, labels = batch.torch("image", "label", transforms=True)
            loss = cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"step {loader.step}: loss {loss.item():.3f}")
    return model


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))

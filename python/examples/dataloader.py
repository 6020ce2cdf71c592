"""Trains on the digits of conf/digits.yaml with torch's DataLoader: `python dataloader.py [FOLDER [EPOCHS]]`.

`pytorch.py` is the same program with Millrace.
"""

import sys

import numpy as np
import torch
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __init__(self, folder):
        self.images = np.fromfile(f"{folder}/train-images-idx3-ubyte", np.uint8, offset=16).reshape(-1, 28, 28, 1)
        self.labels = np.fromfile(f"{folder}/train-labels-idx1-ubyte", np.uint8, offset=8).astype(np.int64)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        image = torch.from_numpy(self.images[i]).permute(2, 0, 1) / 255
        return (image - 0.1307) / 0.3081, self.labels[i]


def main(folder="data/digits", epochs=3):
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    optimizer = torch.optim.Adam(model.parameters())
    loader = DataLoader(Digits(folder), batch_size=64, shuffle=True, num_workers=2)
    for _ in range(epochs):
        for images, labels in loader:
            loss = cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"step {epochs * len(loader)}: loss {loss.item():.3f}")
    return model


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))

"""Trains on photos with torch's DataLoader: `python before.py [FOLDER]`. `after.py` is the same program with Millrace."""

import sys

import torch
from photos import Photos
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader


def network():
    torch.manual_seed(1)
    convolution = torch.nn.Conv2d(3, 16, 5, stride=4)
    return torch.nn.Sequential(
        convolution, torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.LazyLinear(10)
    )


def main(folder="data/photos", epochs=2):
    model = network()
    model(torch.zeros(1, 3, 64, 64))  # gives LazyLinear its parameters
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    loader = DataLoader(Photos(folder), batch_size=32, shuffle=True, num_workers=2)
    for _ in range(epochs):
        for images, labels in loader:
            images = images.permute(0, 3, 1, 2) / 255
            loss = cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:2])

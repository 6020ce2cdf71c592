"""Trains with checkpoints and continues exactly: `python resume.py CHECKPOINT [SOURCE [EPOCHS]]`.

Kill this program at any time and start it again: the parameters at the end are those of a program that was never killed.
"""

import os
import sys

import torch
from torch.nn.functional import cross_entropy

import millrace

EVERY = 50
"""Steps between two checkpoints."""


def main(path, source="conf/digits.yaml", epochs=3):
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    optimizer = torch.optim.Adam(model.parameters())
    loader = millrace.Loader(source)
    if os.path.exists(path):
        saved = torch.load(path)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        loader.load_state_dict(saved["data"])
        print(f"continues with step {loader.step}", flush=True)
    for _ in range(loader.step // len(loader), epochs):
        for batch in loader:  # first the rest of the epoch of the checkpoint
            images, labels = batch.torch("image", "label", transforms=True)
            loss = cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if loader.step % EVERY == 0 or loader.step == epochs * len(loader):
                # The data's state counts exactly the batches that the model has seen.
                state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "data": loader.state_dict()}
                torch.save(state, path + ".part")
                os.replace(path + ".part", path)  # A kill leaves the old file or the new one, never a half.
                print(f"saved step {loader.step}", flush=True)
    return model


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:4]))

"""Trains on the digits of conf/digits.yaml with Millrace: `python pytorch.py [SOURCE [EPOCHS]]`.

SOURCE is a pipeline file or the address of a server. `dataloader.py` is the same program with torch's DataLoader.
"""

import sys

import torch
from torch.nn.functional import cross_entropy

import millrace


def validate(model, loader):
    """Returns the mean loss and the accuracy of the pipeline's section `evaluate`."""
    loss, hits, rows = 0.0, 0, 0
    with torch.no_grad():
        for batch in loader.evaluation():
            images, labels = batch.torch("image", "label", transforms=True)
            output = model(images)
            loss += cross_entropy(output, labels, reduction="sum").item()
            hits += (output.argmax(1) == labels).sum().item()
            rows += len(batch)
    return loss / rows, hits / rows


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
        if loader.plan.evaluation:
            validation_loss, accuracy = validate(model, loader)
            print(f"step {loader.step}: validation loss {validation_loss:.3f}, accuracy {accuracy:.1%}")
    print(f"step {loader.step}: loss {loss.item():.3f}")
    return model


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))

"""A training program that tests kill: on the batches of a server, on the CPU, with the same result each time.

Usage: serve_trainer.py OPTIONS, where OPTIONS is a JSON object: model, `torch` (a network and Adam) or `numpy` (softmax regression);
source, memory and timeout of the loader; folder, for the files; every, the steps between checkpoints; seconds, the duration of a
step, until the file `hurry` exists in the folder.

Files: checkpoint (model, state of the loader, length of the ledger), ledger.csv (step, positions, indexes, hash of the images; cut
back to the checkpoint at a start, like the model), received.csv (the same lines, never cut back) and result.json at the end.
"""

import hashlib
import json
import os
import pickle
import sys
import time

import numpy as np

import millrace


class Softmax:
    """Softmax regression with gradient descent."""

    RATE = 0.1

    def __init__(self):
        self.weights = np.zeros((784, 10))

    def train(self, batch):
        pixels = batch["image"].reshape(len(batch), 784) / 255
        scores = pixels @ self.weights
        exp = np.exp(scores - scores.max(axis=1, keepdims=True))
        error = exp / exp.sum(axis=1, keepdims=True)
        error[np.arange(len(batch)), batch["label"]] -= 1
        self.weights = self.weights - self.RATE * (pixels.T @ error / len(batch))

    def state(self):
        return {"weights": self.weights}

    def load(self, state):
        self.weights = state["weights"]

    def parameters(self):
        return [self.weights]

    def save(self, path, value):
        with open(path, "wb") as file:
            pickle.dump(value, file)

    def read(self, path):
        with open(path, "rb") as file:
            return pickle.load(file)


class Network:
    """A network of PyTorch with dropout, trained by Adam."""

    def __init__(self):
        import torch

        self.torch = torch
        torch.manual_seed(1)
        torch.set_num_threads(1)
        torch.use_deterministic_algorithms(True)
        layers = torch.nn
        self.model = layers.Sequential(
            layers.Flatten(), layers.Linear(784, 32), layers.ReLU(), layers.Dropout(0.1), layers.Linear(32, 10)
        )
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def train(self, batch):
        images, labels = batch.torch("image", "label", transforms=True)
        loss = self.torch.nn.functional.cross_entropy(self.model(images), labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def state(self):
        # The dropout of the next step depends on the generator, which is a part of what the steps before have left.
        return {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "generator": self.torch.get_rng_state(),
        }

    def load(self, state):
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.torch.set_rng_state(state["generator"])

    def parameters(self):
        return [tensor.numpy() for tensor in self.model.state_dict().values()]

    def save(self, path, value):
        self.torch.save(value, path)

    def read(self, path):
        return self.torch.load(path)


def main(options):
    folder = options["folder"]
    checkpoint, hurry = os.path.join(folder, "checkpoint"), os.path.join(folder, "hurry")
    learner = {"torch": Network, "numpy": Softmax}[options["model"]]()
    state, length = None, 0
    if os.path.exists(checkpoint):
        saved = learner.read(checkpoint)
        learner.load(saved["learner"])
        state, length = saved["data"], saved["ledger"]
    ledger = os.open(os.path.join(folder, "ledger.csv"), os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    os.ftruncate(ledger, length)
    received = os.open(os.path.join(folder, "received.csv"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    loader = millrace.Loader(options["source"], memory=options["memory"], timeout=options["timeout"])
    if state is not None:
        loader.load_state_dict(state)
    while loader.step < loader.plan.steps:
        for batch in loader:
            line = described(batch)
            if not os.path.exists(hurry):
                time.sleep(options["seconds"])  # The duration of a step on a device; the batch stays in use.
            learner.train(batch)
            os.write(received, line)
            os.write(ledger, line)
            if loader.step % options["every"] == 0:
                value = {"learner": learner.state(), "data": loader.state_dict(), "ledger": os.fstat(ledger).st_size}
                learner.save(checkpoint + ".partial", value)
                os.replace(checkpoint + ".partial", checkpoint)
    assert next(loader, None) is None  # the end of the run
    stats = loader.stats()
    loader.close()
    digest = hashlib.sha256()
    for parameter in learner.parameters():
        digest.update(np.ascontiguousarray(parameter).tobytes())
    result = os.path.join(folder, "result.json")
    with open(result + ".partial", "w") as file:
        json.dump({"sha256": digest.hexdigest(), "model": options["model"], "stats": stats}, file)
    os.replace(result + ".partial", result)


def described(batch):
    """Returns the line of the ledger: step, positions, indexes and a hash of the images and labels."""
    digest = hashlib.sha1(np.ascontiguousarray(batch["image"]).tobytes() + batch["label"].tobytes()).hexdigest()
    positions, indexes = (" ".join(map(str, rows.tolist())) for rows in (batch.positions, batch.indexes))
    return f"{batch.step},{positions},{indexes},{digest}\n".encode()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))

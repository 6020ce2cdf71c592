"""One rank of a training program that tests kill, at any number of ranks: on the batches of a server, with numpy alone.

Usage: serve_rank.py OPTIONS, where OPTIONS is a JSON object: rank and world; source and timeout of the loader; folder, for the files;
every, the steps between checkpoints; seconds, the duration of a step, until the file `hurry` exists in the folder; meeting, the path
of a Unix socket at which the ranks meet.

The model is a perceptron for each class with whole numbers, whose sums do not depend on the order of their terms, and therefore
not on the number of ranks. Rank 0 adds the updates of all ranks, as an all-reduce does. The ranks end when one of them does.

Files: checkpoint (by rank 0: model and state of the loader), ledger-RANK-of-WORLD.csv (step, position, index and hash of a sample's
image, one line for each sample; a start cuts the lines from the checkpoint's step on) and result.json at the end (by rank 0).
"""

import glob
import hashlib
import json
import os
import pickle
import sys
import time
from multiprocessing.connection import Client, Listener

import numpy as np

import millrace


class Sum:
    """The sum of one array of each rank."""

    def __init__(self, rank, world, address):
        self.links = []
        if rank == 0 and world > 1:
            with Listener(address, "AF_UNIX", backlog=world) as listener:
                self.links = [listener.accept() for _ in range(1, world)]
        elif rank > 0:
            self.links = [connected(address)]
        self.first = rank == 0

    def of(self, array):
        """Returns the sum. Raises EOFError or OSError when another rank has ended."""
        if self.first:
            total = sum((link.recv() for link in self.links), array)
            for link in self.links:
                link.send(total)
            return total
        self.links[0].send(array)
        return self.links[0].recv()


def connected(address):
    deadline = time.monotonic() + 60
    while True:
        try:
            return Client(address, "AF_UNIX")
        except OSError:  # Rank 0 does not listen yet.
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def main(options):
    rank, world, folder = options["rank"], options["world"], options["folder"]
    checkpoint, hurry = os.path.join(folder, "checkpoint"), os.path.join(folder, "hurry")
    weights, state = np.zeros((784, 10), np.int64), None
    if os.path.exists(checkpoint):
        with open(checkpoint, "rb") as file:
            weights, state = pickle.load(file)
    first = 0 if state is None else state["step"]
    own = os.path.join(folder, f"ledger-{rank}-of-{world}.csv")
    if rank == 0:
        for other in glob.glob(os.path.join(folder, "ledger-*.csv")):
            if not other.endswith(f"-of-{world}.csv"):
                os.close(reopened(other, first))  # What another number of ranks did after the checkpoint is lost.
    ledger = reopened(own, first)
    total = Sum(rank, world, options["meeting"])
    loader = millrace.Loader(options["source"], rank=rank, world=world, timeout=options["timeout"])
    if state is not None:
        loader.load_state_dict(state)
    for batch in loader.steps():
        good = batch.weights == 1  # A padded row is no sample.
        images = batch["image"].reshape(len(batch), 784)[good]
        if not os.path.exists(hurry):
            time.sleep(options["seconds"])
        update = np.zeros_like(weights)
        pixels = images.astype(np.int64)
        for row, label, found in zip(pixels, batch["label"][good].tolist(), (pixels @ weights).argmax(1).tolist()):
            update[:, label] += row
            update[:, found] -= row
        rows = zip(batch.positions[good].tolist(), batch.indexes[good].tolist(), images)
        lines = (f"{batch.step},{p},{i},{hashlib.sha1(image.tobytes()).hexdigest()}\n" for p, i, image in rows)
        os.write(ledger, "".join(lines).encode())
        weights = weights + total.of(update)  # All ranks have written their lines now.
        if rank == 0 and loader.step % options["every"] == 0:
            with open(checkpoint + ".partial", "wb") as file:
                pickle.dump((weights, loader.state_dict()), file)
            os.replace(checkpoint + ".partial", checkpoint)
    loader.close()
    if rank == 0:
        result = os.path.join(folder, "result.json")
        with open(result + ".partial", "w") as file:
            json.dump({"sha256": hashlib.sha256(weights.tobytes()).hexdigest()}, file)
        os.replace(result + ".partial", result)


def reopened(path, first):
    """Opens a ledger without the lines of the steps from `first` on."""
    kept = b""
    if os.path.exists(path):
        with open(path, "rb") as file:
            kept = b"".join(line for line in file if int(line.split(b",")[0]) < first)
    with open(path + ".partial", "wb") as file:
        file.write(kept)
    os.replace(path + ".partial", path)
    return os.open(path, os.O_WRONLY | os.O_APPEND)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))

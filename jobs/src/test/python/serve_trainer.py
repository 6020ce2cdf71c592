"""A training loop of ServeE2E: softmax regression on the batches of a server, with numpy alone.

Usage: serve_trainer.py OPTIONS, where OPTIONS is a JSON object: source, memory and timeout of the loader; folder, for the files;
every, the steps between checkpoints; seconds, the duration of a step.

Files: checkpoint (model, state of the loader, length of the ledger), ledger.csv (step, rows, hash of the images; cut back to the
checkpoint at a start, like the model), received.csv (the same lines, never cut back) and result.json at the end.
"""

import hashlib
import json
import os
import pickle
import sys
import time

import numpy as np

import millrace

RATE = 0.1


def main(options):
    folder = options["folder"]
    checkpoint = os.path.join(folder, "checkpoint")
    weights = np.zeros((784, 10))
    state, length = None, 0
    if os.path.exists(checkpoint):
        with open(checkpoint, "rb") as file:
            weights, state, length = pickle.load(file)
    ledger = os.open(os.path.join(folder, "ledger.csv"), os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    os.ftruncate(ledger, length)
    received = os.open(os.path.join(folder, "received.csv"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    loader = millrace.Loader(options["source"], memory=options["memory"], timeout=options["timeout"])
    if state is not None:
        loader.load_state_dict(state)
    for batch in loader:
        images = np.asarray(batch["image"])
        digest = hashlib.sha1(np.ascontiguousarray(images).tobytes()).hexdigest()
        rows = " ".join(map(str, batch.indexes.tolist()))
        pixels = images.reshape(len(batch), 784).astype(np.float64) / 255
        labels = np.array(batch["label"])
        time.sleep(options["seconds"])  # The duration of a step on a device; the batch stays in use.
        weights = weights - RATE * gradient(weights, pixels, labels)
        line = f"{batch.step},{rows},{digest}\n".encode()
        os.write(received, line)
        os.write(ledger, line)
        if loader.step % options["every"] == 0:
            save(checkpoint, (weights, loader.state_dict(), os.fstat(ledger).st_size))
    result = {"sha256": hashlib.sha256(weights.tobytes()).hexdigest(), "stats": loader.stats()}
    loader.close()
    save(os.path.join(folder, "result.json"), result)


def gradient(weights, pixels, labels):
    scores = pixels @ weights
    exp = np.exp(scores - scores.max(axis=1, keepdims=True))
    error = exp / exp.sum(axis=1, keepdims=True)
    error[np.arange(len(labels)), labels] -= 1
    return pixels.T @ error / len(labels)


def save(path, value):
    with open(path + ".partial", "wb") as file:
        file.write(json.dumps(value).encode() if path.endswith(".json") else pickle.dumps(value))
    os.replace(path + ".partial", path)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))

"""Compares the reading of a Python dataset by Millrace and by torch's DataLoader: samples per second, and CPU time per sample.

    python python_dataset_benchmark.py [--rounds 5] [--samples 40000] [--millrace <script>]

The dataset returns ready uint8 arrays of 224x224x3 (150 KB) and a label. Millrace reads it with `train` without a model in 2 slots
with one worker each; the DataLoader has 2 workers. In each round, one program runs after the other. Both shuffle and make batches of
64. Only the time from the second epoch on counts: the first one contains the start. The CPU time is that of all processes of a
program. Needs numpy and torch.
"""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

import metered

BATCH = 64
DATASET = """
import numpy as np

class Ready:
    def __init__(self, size):
        self.size = size
        self.arrays = [np.random.default_rng(i).integers(0, 255, (224, 224, 3), np.uint8) for i in range(16)]

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        return self.arrays[i % 16], i % 10
"""
PIPELINE = """
name: ready
dataset: {{format: python, dataset: "ready:Ready", args: {{size: {size}}}, epochs: {epochs}}}
order: {{seed: 1, shuffle: full}}
batch: {{size: 64}}
parallelism: 2
device: {{kind: host}}
train: {{model: none}}
python: {{executable: {python}}}
"""
EPOCHS = 5


def dataloader(size):
    """Runs in a process of its own and prints the end of each epoch."""
    from ready import Ready
    from torch.utils.data import DataLoader

    for _ in range(EPOCHS):
        for _ in DataLoader(Ready(size), BATCH, shuffle=True, num_workers=2):
            pass
        print("epoch", time.time(), flush=True)


def measured(program, arguments, size, work):
    if program == "millrace":
        pipeline = PIPELINE.format(size=size, epochs=EPOCHS, python=sys.executable)
        ends, meter, _ = metered.trained(arguments.millrace, pipeline, work, EPOCHS * size)
    else:
        command = [sys.executable, str(pathlib.Path(__file__).resolve()), "--peer", str(size)]
        ends, meter = metered.peer(command, work, EPOCHS, {**os.environ, "PYTHONPATH": str(work)})
    own, other = meter.between(ends[0], ends[-1])
    samples, seconds = size * (EPOCHS - 1), ends[-1] - ends[0]
    return {"rate": samples / seconds, "cpu_us": own / samples * 1e6, "other": other / seconds}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--samples", type=int, default=40000, help="of all measured epochs together")
    parser.add_argument("--millrace", type=pathlib.Path, default=pathlib.Path(__file__).parents[4] / "millrace")
    parser.add_argument("--peer", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        return dataloader(arguments.peer)
    arguments.millrace = arguments.millrace.resolve()
    size = arguments.samples // (EPOCHS - 1)
    found = {"millrace": [], "dataloader": []}
    with tempfile.TemporaryDirectory() as work:
        pathlib.Path(work, "ready.py").write_text(DATASET)
        for number in range(arguments.rounds):
            for program, rounds in found.items():
                rounds.append(measured(program, arguments, size, work))
                print(number + 1, program, {key: round(value, 2) for key, value in rounds[-1].items()}, flush=True)
    for program, rounds in found.items():
        print(f"{program:12}", {key: round(statistics.median(r[key] for r in rounds), 1) for key in rounds[0]})
    ratios = [a["rate"] / b["rate"] for a, b in zip(*found.values())]
    print("millrace / dataloader, each round:", [round(ratio, 2) for ratio in ratios])


if __name__ == "__main__":
    main()

"""Trains with Hugging Face Accelerate: `python accelerate_training.py FOLDER [SOURCE [STEPS]]`. It continues the state in FOLDER.

On several processes, start `./millrace serve PIPELINE --world N`, and give its address to
`accelerate launch --num_processes N accelerate_training.py FOLDER ADDRESS`.
"""

import os
import sys

import torch
from accelerate import Accelerator
from torch.nn.functional import cross_entropy

import millrace

EVERY = 50
"""Steps between two checkpoints."""


def main(folder, source="conf/digits.yaml", steps=2814):
    torch.manual_seed(1)
    accelerator = Accelerator(cpu=True)
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    # Not the loader: it has the rows of this process, and would be divided among the processes a second time.
    model, optimizer = accelerator.prepare(model, torch.optim.Adam(model.parameters()))
    with millrace.Loader(source, rank=accelerator.process_index, world=accelerator.num_processes) as loader:
        accelerator.register_for_checkpointing(loader)  # Its state is the number of the next step, equal in all processes.
        if os.path.isdir(folder):
            accelerator.load_state(folder)
        while loader.step < steps:
            for batch in loader:
                fields = batch.torch("image", "label", "__weight__", device=accelerator.device, transforms=True)
                images, labels, weights = fields
                # The mean over all good rows of the step, of which one process may have fewer or none.
                rows = accelerator.reduce(weights.sum(), reduction="sum")
                losses = cross_entropy(model(images), labels, reduction="none")
                loss = (losses * weights).sum() * accelerator.num_processes / rows.clamp(min=1)
                optimizer.zero_grad()
                accelerator.backward(loss)
                optimizer.step()
                if loader.step % EVERY == 0 or loader.step == steps:
                    accelerator.save_state(folder)
                if loader.step == steps:
                    break
        accelerator.print(f"step {loader.step}: loss {loss.item():.3f}")
    return accelerator.unwrap_model(model)


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:4]))

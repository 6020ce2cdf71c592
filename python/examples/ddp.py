"""Trains on several ranks: `torchrun --nproc-per-node 2 ddp.py [PIPELINE [EPOCHS]]`.

Rank 0 starts the server, and the other ranks connect to it. Each receives its rows of every global batch, so that the ranks
together train with the batches of a single process.
"""

import os
import sys

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

import millrace


def open_loader(pipeline, rank, world):
    """Returns the loader of a rank. With ranks on several machines, start `./millrace serve` and give its address instead."""
    loader = millrace.Loader(pipeline, rank=0, world=world) if rank == 0 else None
    address = [loader.address if loader else None]
    dist.broadcast_object_list(address, src=0)
    return loader or millrace.Loader(address[0], rank=rank, world=world)


def main(pipeline="conf/digits.yaml", epochs=3):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(1)
    network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    model = DistributedDataParallel(network)
    optimizer = torch.optim.Adam(model.parameters())
    with open_loader(pipeline, rank, world) as loader:
        seen = 0
        for _ in range(epochs):
            for batch in loader:
                images, labels, weights = batch.torch("image", "label", "__weight__", transforms=True)
                # The mean of the ranks' gradients becomes that of all good rows of the step. A rank may have fewer or none.
                rows = weights.sum()
                dist.all_reduce(rows)
                losses = cross_entropy(model(images), labels, reduction="none")
                loss = (losses * weights).sum() * world / rows.clamp(min=1)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                seen += batch.samples
    if rank == 0 and "SAVE" in os.environ:
        torch.save(network.state_dict(), os.environ["SAVE"])
    print(f"rank {rank} of {world}: {seen} rows, step {loader.step}, loss {loss.item():.3f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))

"""Writes what PyTorch computes for updates with clipped gradients, and models for the tests of updates.

    python update_vectors.py ../resources/io/millrace/train

Made with torch 2.13.0 and numpy 2.4.6 on x86-64, one thread, for the tests of io.millrace.train.
"""
import json
import struct
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn

OUT = Path(sys.argv[1])
torch.set_num_threads(1)
TYPES = {"float32": "F32", "float64": "F64", "int64": "I64", "uint8": "U8"}


def write(name, tensors):
    header, blobs, offset = {}, [], 0
    for key, value in tensors.items():
        array = np.ascontiguousarray(value.detach().numpy() if torch.is_tensor(value) else np.asarray(value))
        blob = array.tobytes()
        header[key] = {"dtype": TYPES[str(array.dtype)], "shape": list(array.shape),
                       "data_offsets": [offset, offset + len(blob)]}
        offset += len(blob)
        blobs.append(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    (OUT / name).write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def mlp(inputs, hidden, classes):
    widths = [inputs, *hidden, classes]
    net = nn.Sequential()
    net.add_module("flatten", nn.Flatten())
    for i in range(len(widths) - 1):
        net.add_module(f"fc{i + 1}", nn.Linear(widths[i], widths[i + 1]))
        if i < len(widths) - 2:
            net.add_module(f"relu{i + 1}", nn.ReLU())
    return net


def clipped(name, optimizer, most):
    """Small batches whose norms are above and below the limit."""
    torch.manual_seed(3)
    net = mlp(36, [16, 8], 5)
    optimizer = optimizer(net.parameters())
    batches = [12, 12, 7, 12, 1]
    generator = torch.Generator().manual_seed(7)
    images = torch.randint(0, 256, (sum(batches), 6, 6, 1), generator=generator, dtype=torch.uint8)
    labels = torch.randint(0, 5, (sum(batches),), generator=generator)
    tensors = {"images": images, "labels": labels, "batches": np.asarray(batches), "most": np.asarray([most])}
    tensors |= {"initial." + k: v.clone() for k, v in net.state_dict().items()}
    x = (images.permute(0, 3, 1, 2).float() / 255 - 0.1307) / 0.3081
    losses, norms, at = [], [], 0
    for size in batches:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x[at:at + size]), labels[at:at + size])
        loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(net.parameters(), most).item())
        optimizer.step()
        losses.append(loss.item())
        at += size
    assert min(norms) < most < max(norms), norms
    tensors |= {"losses": np.asarray(losses), "norms": np.asarray(norms)}
    tensors |= {"final." + k: v.clone() for k, v in net.state_dict().items()}
    write(name + ".safetensors", tensors)


def plain():
    """Convolutions without batch normalization: every row's gradient is its own."""
    torch.manual_seed(3)
    net = nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 8, 3, padding=1), nn.ReLU(),
                        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3))
    torch.jit.script(net.train()).save(OUT / "plain.pt")


clipped("clipped_sgd", lambda p: torch.optim.SGD(p, lr=0.1, fused=True), 1.0)
clipped("clipped_adamw", lambda p: torch.optim.AdamW(p, lr=0.01, betas=(0.8, 0.99), eps=1e-6, fused=True), 1.0)
plain()

"""Writes what PyTorch computes for a small language model on packed sequences, for TextMlpTest.

    python text_vectors.py ../resources/io/millrace/train

Made with torch 2.13.0 and numpy 2.4.6 on x86-64, one thread. The model gets each document alone, so that nothing can leak from one
document into another.
"""
import sys
from pathlib import Path

import numpy as np
import safetensors.numpy
import torch
from torch import nn

LENGTH, VOCABULARY, CONTEXT, WIDTH = 12, 11, 3, 5
DOCUMENTS = [[5, 7], [12], [1, 4, 3, 2], [3, 3]]
"""The lengths of the documents of each row. The last two rows end with padding."""


def layers():
    torch.manual_seed(3)
    return nn.ModuleDict({"embedding": nn.Embedding(VOCABULARY + 1, WIDTH), "fc1": nn.Linear(CONTEXT * WIDTH, 6),
                          "fc2": nn.Linear(6, VOCABULARY)})


def predictions(net, tokens, mask):
    """Outputs and targets of all tokens that have a next one, which the mask counts."""
    contexts, targets, counted = [], [], []
    for row, lengths in enumerate(DOCUMENTS):
        at = 0
        for count in lengths:
            own = tokens[row, at:at + count].tolist()
            padded = [VOCABULARY] * (CONTEXT - 1) + own
            contexts += [padded[i:i + CONTEXT] for i in range(count - 1)]
            targets += own[1:]
            counted += mask[row, at + 1:at + count].tolist()
            at += count
    kept = torch.tensor(counted)
    hidden = net["fc1"](net["embedding"](torch.tensor(contexts)).flatten(1)).relu()
    return net["fc2"](hidden)[kept], torch.tensor(targets)[kept]


def training(name, tokens, mask):
    net = layers()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, fused=True)
    results = {"initial." + key: value.clone() for key, value in net.state_dict().items()}
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(*predictions(net, tokens, mask))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    results[name + ".losses"] = torch.tensor(losses, dtype=torch.float64)
    results |= {name + ".final." + key: value for key, value in net.state_dict().items()}
    outputs, targets = predictions(net, tokens, mask)
    results[name + ".evaluation.loss"] = nn.functional.cross_entropy(outputs.double(), targets)[None]
    results[name + ".evaluation.correct"] = torch.tensor([(outputs.argmax(1) == targets).sum(), len(targets)])
    return results


torch.set_num_threads(1)
generator = torch.Generator().manual_seed(9)
tokens = torch.randint(0, VOCABULARY, (len(DOCUMENTS), LENGTH), generator=generator)
mask = torch.randint(0, 4, tokens.shape, generator=generator).gt(0)
tensors = {"tokens": tokens, "label_mask": mask.to(torch.uint8),
           "lengths": torch.tensor(sum(DOCUMENTS, [])), "counts": torch.tensor([len(row) for row in DOCUMENTS])}
tensors |= training("all", tokens, torch.ones_like(mask)) | training("masked", tokens, mask)
safetensors.numpy.save_file({key: np.ascontiguousarray(value.detach().numpy()) for key, value in tensors.items()},
                            Path(sys.argv[1]) / "text_mlp.safetensors")

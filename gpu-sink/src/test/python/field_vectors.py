"""Writes what PyTorch and torchvision compute for targets of several kinds, several inputs, and mixed batches.

    python field_vectors.py ../resources/io/millrace/train

Made with torch 2.14.1 and torchvision 0.29.1 on x86-64, one thread, for the tests of io.millrace.train.
"""
import json
import struct
import sys
from pathlib import Path

import numpy as np
import torch
from scipy import stats
from torch import nn
from torch.nn import functional
from torchvision.transforms import v2

OUT = Path(sys.argv[1])
torch.set_num_threads(1)
ROWS, HEIGHT, WIDTH, CLASSES = 6, 7, 5, 4
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


class Segment(nn.Module):
    """A class for each pixel."""

    def __init__(self, classes: int):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 3, padding=1)
        self.conv2 = nn.Conv2d(6, classes, 3, padding=1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.conv2(torch.relu(self.conv1(image)))


class Reader(nn.Module):
    """An image, a vector, and text of any length by its bytes."""

    def __init__(self, classes: int):
        super().__init__()
        self.letters = nn.EmbeddingBag(256, 3, mode="sum", include_last_offset=True)
        self.fc = nn.Linear(3 + 2 + 3, classes)

    def forward(self, image: torch.Tensor, place: torch.Tensor, text: torch.Tensor,
                offsets: torch.Tensor) -> torch.Tensor:
        read = self.letters(text.long(), offsets)
        return self.fc(torch.cat([image.mean([2, 3]), place, read], 1))


def trained(net, inputs, target, loss):
    """One step of plain descent: the loss, and every parameter before and after."""
    tensors = {"initial." + k: v.clone() for k, v in net.state_dict().items()}
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, fused=True)
    value = loss(net(*inputs), target)
    value.backward()
    optimizer.step()
    tensors["loss"] = np.asarray([value.item()])
    tensors |= {"final." + k: v.clone() for k, v in net.state_dict().items()}
    return tensors


def evaluated(outputs, target, loss):
    return np.asarray([loss(outputs, target).item() * ROWS])


def prefixed(name, tensors):
    return {f"{name}.{k}": v for k, v in tensors.items()}


def script(name, make, *arguments):
    torch.manual_seed(3)
    net = make(*arguments)
    torch.jit.script(net).save(OUT / name)
    return net


def fields():
    rng = np.random.default_rng(11)
    images = torch.from_numpy(rng.integers(0, 256, (ROWS, HEIGHT, WIDTH, 3), dtype=np.uint8))
    masks = torch.from_numpy(rng.integers(0, CLASSES, (ROWS, HEIGHT, WIDTH, 1), dtype=np.uint8))
    bits = torch.from_numpy(rng.integers(0, 2, (ROWS, HEIGHT, WIDTH, 1), dtype=np.uint8))
    several = torch.from_numpy(rng.integers(0, 2, (ROWS, CLASSES), dtype=np.uint8))
    values = torch.from_numpy(rng.normal(size=(ROWS, CLASSES)).astype(np.float32))
    places = torch.from_numpy(rng.normal(size=(ROWS, 2)).astype(np.float32))
    labels = torch.from_numpy(rng.integers(0, CLASSES, ROWS))
    texts = [rng.integers(0, 256, n, dtype=np.uint8) for n in (4, 0, 9, 1, 2, 5)]
    lists = [np.flatnonzero(row) for row in several.numpy()]
    tensors = {
        "images": images, "masks": masks, "bits": bits, "several": several, "values": values, "places": places,
        "labels": labels, "texts": np.concatenate(texts), "text_lengths": np.asarray([len(t) for t in texts]),
        "lists": np.concatenate(lists).astype(np.int64), "list_lengths": np.asarray([len(r) for r in lists]),
    }
    x = images.permute(0, 3, 1, 2).float() / 255
    plane = masks[..., 0].long()

    def step(name, net_name, make, inputs, target, loss, outputs=CLASSES):
        net = script(net_name, make, outputs)
        found = trained(net, inputs, target, loss)
        with torch.no_grad():
            y = net(*inputs)
        found["evaluation.loss_sum"] = evaluated(y, target, loss)
        tensors.update(prefixed(name, found))
        return y

    y = step("mask", "segment.pt", Segment, [x], plane, functional.cross_entropy)
    tensors["mask.evaluation.correct"] = np.asarray([(y.argmax(1) == plane).sum().item()])
    ignoring = lambda o, t: functional.cross_entropy(o, t, ignore_index=2)
    y = step("ignored", "segment.pt", Segment, [x], plane, ignoring)
    tensors["ignored.evaluation.correct"] = np.asarray([((y.argmax(1) == plane) & (plane != 2)).sum().item(),
                                                        (plane != 2).sum().item()])
    hot = functional.one_hot(plane, CLASSES).permute(0, 3, 1, 2).float()
    step("hot", "segment.pt", Segment, [x], hot, functional.cross_entropy)
    binary = bits.permute(0, 3, 1, 2).float()
    y = step("bits", "segment1.pt", Segment, [x], binary, functional.binary_cross_entropy_with_logits, 1)
    tensors["bits.evaluation.correct"] = np.asarray([((y > 0) == (binary > 0.5)).sum().item()])

    text = torch.from_numpy(np.concatenate(texts))
    offsets = torch.tensor(np.concatenate([[0], np.cumsum([len(t) for t in texts])]))
    inputs = [x, places, text, offsets]
    y = step("several", "reader.pt", Reader, inputs, several.float(), functional.binary_cross_entropy_with_logits)
    tensors["several.evaluation.correct"] = np.asarray([((y > 0) == (several > 0)).sum().item()])
    step("values", "reader.pt", Reader, inputs, values, functional.mse_loss)
    step("labels", "reader.pt", Reader, inputs, labels, functional.cross_entropy)
    logits = torch.tensor([-60.0, -21.0, -5.0, -0.5, 0.0, 0.5, 5.0, 21.0, 60.0])
    tensors["logits"] = logits
    for target in (0.0, 0.25, 1.0):
        tensors[f"logits.{target}"] = functional.binary_cross_entropy_with_logits(
            logits, torch.full_like(logits, target), reduction="none")
    write("fields.safetensors", tensors)


class Given:
    """Stands for a distribution: gives what is asked for."""

    def __init__(self, value):
        self.value = value

    def sample(self, _):
        return torch.tensor(self.value, dtype=torch.float64)


def mixtures():
    rng = np.random.default_rng(12)
    images = torch.from_numpy(rng.integers(0, 256, (ROWS, HEIGHT, WIDTH, 3), dtype=np.uint8))
    labels = torch.from_numpy(rng.integers(0, CLASSES, ROWS))
    x = images.permute(0, 3, 1, 2).float() / 255
    tensors = {"images": images, "labels": labels}
    for lam in (0.0, 0.1, 0.3, 0.7654321, 1.0):
        transform = v2.MixUp(num_classes=CLASSES)
        transform._dist = Given(lam)
        mixed, soft = transform(x.clone(), labels)
        tensors |= {f"mixup.{lam}.images": mixed, f"mixup.{lam}.labels": soft}
    boxes = []
    for lam, column, row in ((0.0, 0, 0), (0.1, 4, 6), (0.5, 2, 3), (0.75, 0, 6), (0.9, 2, 2), (1.0, 1, 1)):
        transform = v2.CutMix(num_classes=CLASSES)
        transform._dist = Given(lam)
        drawn = iter([column, row])
        randint, torch.randint = torch.randint, lambda high, size: torch.tensor([next(drawn)])
        try:
            params = transform.make_params([x])
            drawn = iter([column, row])
            mixed, soft = transform(x.clone(), labels)
        finally:
            torch.randint = randint
        boxes.append([lam, column, row, *params["box"], params["lam_adjusted"]])
        tensors |= {f"cutmix.{len(boxes) - 1}.images": mixed, f"cutmix.{len(boxes) - 1}.labels": soft}
    tensors["boxes"] = np.asarray(boxes, np.float64)
    shares = np.linspace(0.05, 0.95, 19)
    for alpha in (0.2, 1.0, 4.0):
        tensors[f"beta.{alpha}"] = stats.beta(alpha, alpha).ppf(shares)
    write("mixtures.safetensors", tensors)


fields()
mixtures()

"""Writes what PyTorch computes for small trainings, for the tests of io.millrace.train.

    python training_vectors.py ../resources/io/millrace/train

Made with torch 2.14.1, torchvision 0.29.1 and numpy 2.4.6 on x86-64, one thread; the ResNets with torch 2.13.0 and
torchvision 0.28.0. Files are safetensors, written here in
a few lines so that the reader of the tests is checked against another hand.
"""
import json
import math
import struct
import sys
from pathlib import Path

import numpy as np
import torch
import torchvision
from torch import nn

OUT = Path(sys.argv[1])
torch.set_num_threads(1)


def write(name, tensors):
    types = {"float32": "F32", "float64": "F64", "int64": "I64", "uint8": "U8"}
    header, blobs, offset = {}, [], 0
    for key, value in tensors.items():
        array = np.ascontiguousarray(value.detach().numpy() if torch.is_tensor(value) else np.asarray(value))
        blob = array.tobytes()
        header[key] = {"dtype": types[str(array.dtype)], "shape": list(array.shape),
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


def convnet(channels, widths, classes):
    net, inputs = nn.Sequential(), channels
    for i, width in enumerate(widths):
        if i:
            net.add_module(f"pool{i}", nn.MaxPool2d(2))
        net.add_module(f"conv{i + 1}", nn.Conv2d(inputs, width, 3, padding=1))
        net.add_module(f"bn{i + 1}", nn.BatchNorm2d(width))
        net.add_module(f"relu{i + 1}", nn.ReLU())
        inputs = width
    net.add_module("mean", nn.AdaptiveAvgPool2d(1))
    net.add_module("flatten", nn.Flatten())
    net.add_module("fc", nn.Linear(inputs, classes))
    return net


def normalized(images, mean, std):
    x = images.permute(0, 3, 1, 2).float().div(255)
    return torchvision.transforms.functional.normalize(x, mean, std)


def training(name, net, optimizer, shape, batches, classes, mean, std, loss=nn.functional.cross_entropy):
    """Trains over batches of these sizes and writes everything that a repetition needs and should find."""
    generator = torch.Generator().manual_seed(7)
    rows = sum(batches)
    images = torch.randint(0, 256, (rows, *shape), generator=generator, dtype=torch.uint8)
    labels = torch.randint(0, classes, (rows,), generator=generator)
    tensors = {"images": images, "labels": labels, "batches": np.asarray(batches)}
    tensors |= {"initial." + k: v.clone() for k, v in net.state_dict().items() if "num_batches" not in k}
    x, regression, losses, at = normalized(images, mean, std), loss is nn.functional.mse_loss, [], 0
    target = labels.float()[:, None] if regression else labels
    net.train()
    for size in batches:
        optimizer.zero_grad()
        value = loss(net(x[at:at + size]), target[at:at + size])
        value.backward()
        optimizer.step()
        losses.append(value.item())
        at += size
    tensors["losses"] = np.asarray(losses)
    tensors |= {"final." + k: v.clone() for k, v in net.state_dict().items() if "num_batches" not in k}
    net.eval()
    with torch.no_grad():
        y = net(x)
        tensors["evaluation.loss_sum"] = np.asarray([loss(y.double(), target.double() if regression else target,
                                                          reduction="sum").item()])
        if not regression:
            tensors["evaluation.correct"] = np.asarray([(y.argmax(1) == labels).sum().item()])
    write(name + ".safetensors", tensors)


def seeded(make, *arguments):
    torch.manual_seed(3)
    return make(*arguments)


def trainings():
    optimizers = {
        "sgd": lambda p: torch.optim.SGD(p, lr=0.1, fused=True),
        "sgd_nesterov": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, weight_decay=0.01, nesterov=True, fused=True),
        "adam": lambda p: torch.optim.Adam(p, lr=0.01, weight_decay=0.01, fused=True),
        "adamw": lambda p: torch.optim.AdamW(p, lr=0.01, betas=(0.8, 0.99), eps=1e-6, fused=True),
    }
    for name, optimizer in optimizers.items():
        net = seeded(mlp, 36, [16, 8], 5)
        training("mlp_" + name, net, optimizer(net.parameters()), (6, 6, 1), [12, 12, 7, 12, 1], 5, [0.1307], [0.3081])
    net = seeded(mlp, 36, [8], 1)
    training("mlp_mean_squared_error", net, optimizers["sgd_nesterov"](net.parameters()), (6, 6, 1), [12, 12, 12], 4,
             [0.1307], [0.3081], nn.functional.mse_loss)
    mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
    for name in ("sgd_nesterov", "adam"):
        net = seeded(convnet, 3, [4, 8], 3)
        training("convnet_" + name, net, optimizers[name](net.parameters()), (9, 8, 3), [6, 6, 6, 5], 3, mean, std)
    net = seeded(convnet, 3, [4, 8], 3)
    torch.jit.script(net.train()).save(OUT / "convnet.pt")
    training("torchscript_adam", net, optimizers["adam"](net.parameters()), (9, 8, 3), [6, 6, 6, 5], 3, mean, std)


def dropped():
    """A module that draws random numbers in training and keeps running statistics, the hardest to go on with."""
    net = nn.Sequential()
    for name, layer in convnet(3, [4, 8], 3).named_children():
        if name == "fc":
            net.add_module("drop", nn.Dropout(0.5))
        net.add_module(name, layer)
        if name == "relu1":
            net.add_module("drop1", nn.Dropout2d(0.25))
    torch.jit.script(net.train()).save(OUT / "dropout.pt")


def pattern(count):
    """Returns numbers that spread like random ones: those of a regular pattern make nearly equal features, whose batch
    norms enlarge roundings until the losses depend on the kind of CPU."""
    mixed = np.arange(count, dtype=np.uint64) * np.uint64(2654435761) % np.uint64(2**32)
    for _ in range(2):
        mixed ^= mixed >> np.uint64(16)
        mixed = mixed * np.uint64(0x45D9F3B) % np.uint64(2**32)
    return (mixed ^ mixed >> np.uint64(16)) / 2.0**32 - 0.5


def resnets():
    rng = np.random.default_rng(5)
    images = torch.from_numpy(rng.integers(0, 256, (4, 64, 64, 3), dtype=np.uint8))
    labels = torch.from_numpy(rng.integers(0, 7, 4))
    tensors = {"images": images, "labels": labels}
    names = {}
    for name in ("resnet18", "resnet50"):
        net = getattr(torchvision.models, name)(num_classes=7)
        with torch.no_grad():
            last = "bn2.weight" if name == "resnet18" else "bn3.weight"
            for key, parameter in net.named_parameters():
                if parameter.dim() > 1:
                    fan = parameter[0].numel()
                    values = pattern(parameter.numel()) * math.sqrt(24.0 / fan)
                    parameter.copy_(torch.from_numpy(values.astype(np.float32)).view(parameter.shape))
                elif parameter.shape == net.fc.bias.shape:
                    parameter.zero_()
                elif key.startswith("layer") and key.endswith(last):
                    parameter.fill_(0.2)  # small residuals, as training begins with them
        names[name] = {k: list(v.shape) for k, v in net.named_parameters()}
        x = normalized(images, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01, fused=True)
        losses = []
        for _ in range(3):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x), labels)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        tensors[name + ".losses"] = np.asarray(losses)
        tensors[name + ".fc.weight"] = net.fc.weight
        tensors[name + ".conv1.weight"] = net.conv1.weight
        tensors[name + ".bn1.running_mean"] = net.bn1.running_mean
        tensors[name + ".bn1.running_var"] = net.bn1.running_var
        full = getattr(torchvision.models, name)(num_classes=1000)
        tensors[name + ".parameters"] = np.asarray([sum(p.numel() for p in full.parameters())])
    write("resnets.safetensors", tensors)
    (OUT / "resnets.json").write_text(json.dumps(names, separators=(",", ":")) + "\n")


def device_transforms():
    rng = np.random.default_rng(6)
    images = torch.from_numpy(rng.integers(0, 256, (3, 5, 7, 3), dtype=np.uint8))
    planar = images.permute(0, 3, 1, 2).float()
    rows = torch.tensor([[0.299, 0.587, 0.114], [-0.16874, -0.33126, 0.5], [0.5, -0.41869, -0.08131]])
    color = (images.float() @ rows.T + torch.tensor([0.0, 128.0, 128.0])).permute(0, 3, 1, 2)
    write("device_transforms.safetensors", {
        "images": images, "none": planar, "to_float": planar / 255,
        "normalized": normalized(images, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]), "color": color})


def schedules():
    """Rates of 60 steps: 6 epochs of 10."""
    lines = []

    def record(name, make):
        parameter = torch.nn.Parameter(torch.zeros(1))
        optimizer = torch.optim.SGD([parameter], lr=0.5)
        scheduler, per_epoch = make(optimizer)
        for step in range(60):
            lines.append(f"{name},{step},{optimizer.param_groups[0]['lr']!r}")
            optimizer.step()
            if not per_epoch or step % 10 == 9:
                scheduler.step()

    s = torch.optim.lr_scheduler
    warm = lambda o, n: s.LinearLR(o, start_factor=1 / n, total_iters=n - 1)
    record("step", lambda o: (s.StepLR(o, 2, 0.1), True))
    record("cosine", lambda o: (s.CosineAnnealingLR(o, 60), False))
    record("constant_warm_up", lambda o: (warm(o, 8), False))
    record("cosine_warm_up", lambda o: (s.SequentialLR(o, [warm(o, 8), s.CosineAnnealingLR(o, 52)], [8]), False))
    record("step_warm_up", lambda o: (s.ChainedScheduler([warm(o, 8), s.StepLR(o, 20, 0.1)]), False))
    (OUT / "schedules.csv").write_text("schedule,step,rate\n" + "\n".join(lines) + "\n")


trainings()
seeded(dropped)
resnets()
device_transforms()
schedules()

#!/usr/bin/env python3
"""Trains torchvision's ResNet-50 in PyTorch as conf/gpu-resnet50.yaml trains Millrace's, and prints the length of a step.

The batch, the precision, the memory format and the optimizer are those of the pipeline file. Each step copies its pixels as
bytes from page-locked memory on a stream of their own, while the step before computes, as Millrace does. The pixels are made
once, so that nothing but the device limits the steps. The last line of the output is a JSON object.
"""

import argparse
import json
import statistics
import sys
import time


def at_least(least):
    """Returns the type of an option that is a whole number of at least `least`."""

    def number(text):
        try:
            found = int(text)
        except ValueError:
            found = least - 1
        if found < least:
            raise argparse.ArgumentTypeError(f"expected a whole number of at least {least}, found '{text}'")
        return found

    return number


def parse(arguments):
    parser = argparse.ArgumentParser(description="Measures the training step of torchvision's ResNet-50.")
    parser.add_argument("--precision", choices=("float32", "tf32", "bfloat16"), default="bfloat16")
    parser.add_argument("--device", default="cuda:0", help="a device of PyTorch; default: cuda:0")
    parser.add_argument("--batch", type=at_least(1), default=256)
    parser.add_argument("--edge", type=at_least(1), default=224, help="the height and width of a picture; default: 224")
    parser.add_argument("--steps", type=at_least(1), default=60, help="the number of timed steps; default: 60")
    parser.add_argument("--warm-up", type=at_least(0), default=20, help="the number of steps before; default: 20")
    return parser.parse_args(arguments)


def chosen(torch, name):
    """
    Returns the device with this name. A GPU becomes the current one, because events are recorded on the current device's stream.
    A name that is no device of this machine raises ValueError.
    """
    try:
        device = torch.device(name)
        if device.type == "cuda":
            if not torch.cuda.is_available():
                raise ValueError("PyTorch finds no GPU")
            device = torch.device("cuda", device.index or 0)
            torch.cuda.set_device(device)
    except RuntimeError as e:
        raise ValueError(str(e).splitlines()[0]) from None
    if device.type not in ("cuda", "cpu"):
        raise ValueError("expected cuda, cuda:N or cpu")
    return device


def main(arguments):
    options = parse(arguments)
    try:
        import torch
        from torchvision.models import resnet50
    except ImportError as e:
        print(f"resnet50.py: {e}: expected a Python with torch and torchvision", file=sys.stderr)
        return 1
    try:
        device = chosen(torch, options.device)
    except ValueError as e:
        print(f"resnet50.py: --device {options.device}: {e}", file=sys.stderr)
        return 1
    on_gpu = device.type == "cuda"
    torch.manual_seed(42)
    torch.backends.cudnn.benchmark = False
    torch.backends.cuda.matmul.allow_tf32 = options.precision == "tf32"
    torch.backends.cudnn.allow_tf32 = options.precision == "tf32"
    # Millrace's default for a GPU: contiguous for float32, which has no tensor cores, and channels last otherwise.
    layout = torch.contiguous_format if on_gpu and options.precision == "float32" else torch.channels_last
    model = resnet50(num_classes=1000).to(device).to(memory_format=layout).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001, fused=True)
    loss_of = torch.nn.CrossEntropyLoss()
    mean = torch.tensor([0.485, 0.456, 0.406], device=device).view(1, 3, 1, 1)
    deviation = torch.tensor([0.229, 0.224, 0.225], device=device).view(1, 3, 1, 1)
    pixels = [
        torch.randint(0, 256, (options.batch, options.edge, options.edge, 3), dtype=torch.uint8) for _ in range(2)
    ]
    labels = torch.randint(0, 1000, (options.batch,)).to(device)
    if on_gpu:
        pixels = [batch.pin_memory() for batch in pixels]
    copies = torch.cuda.Stream(device) if on_gpu else None

    def copy(number):
        if not on_gpu:
            return pixels[number % 2], None
        with torch.cuda.stream(copies):
            batch = pixels[number % 2].to(device, non_blocking=True)
            return batch, copies.record_event()

    def step(batch, ready):
        if ready is not None:
            torch.cuda.current_stream(device).wait_event(ready)
            batch.record_stream(torch.cuda.current_stream(device))
        images = batch.permute(0, 3, 1, 2).to(memory_format=layout).float().div_(255).sub_(mean).div_(deviation)
        with torch.autocast(device.type, torch.bfloat16, enabled=options.precision == "bfloat16"):
            loss = loss_of(model(images), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        return loss.detach()

    marks = []
    following = copy(0)
    loss = None
    for number in range(options.warm_up + options.steps + 1):
        if number >= options.warm_up:
            marks.append(mark(torch, on_gpu))
        if number == options.warm_up + options.steps:
            break
        batch, ready = following
        following = copy(number + 1)
        loss = step(batch, ready)
    if on_gpu:
        torch.cuda.synchronize(device)
        lengths = [a.elapsed_time(b) for a, b in zip(marks, marks[1:])]
    else:
        lengths = [1000 * (b - a) for a, b in zip(marks, marks[1:])]
    mean_ms = sum(lengths) / len(lengths)
    print(
        json.dumps(
            {
                "precision": options.precision,
                "device": torch.cuda.get_device_name(device) if on_gpu else "cpu",
                "torch": torch.__version__,
                "cudnn": torch.backends.cudnn.version() if on_gpu else None,
                "memory_format": "contiguous" if layout is torch.contiguous_format else "channels_last",
                "batch": options.batch,
                "steps": options.steps,
                "step_ms": round(mean_ms, 3),
                "median_step_ms": round(statistics.median(lengths), 3),
                "slowest_step_ms": round(max(lengths), 3),
                "images_per_s": round(1000 * options.batch / mean_ms, 1),
                "loss": round(float(loss), 4),
                "memory_bytes": torch.cuda.max_memory_allocated(device) if on_gpu else None,
            }
        )
    )
    return 0


def mark(torch, on_gpu):
    if not on_gpu:
        return time.perf_counter()
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

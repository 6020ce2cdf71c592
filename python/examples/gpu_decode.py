"""Decodes JPEGs on the GPU: `python gpu_decode.py [PIPELINE [EPOCHS [DEVICE]]]`, with torchvision and Pillow.

The pipeline sends the bytes of the files, and torchvision decodes those of a batch in one call, on a CUDA device with nvJPEG.
This pays where the CPUs cannot keep up: with fewer than about 4 CPU cores for each GPU, or with photos of 1080p and more. In all
other cases Millrace's decoder is the better choice, and the GPU keeps its time for training. On the CPU this program is for
tests: it needs more than twice the CPU time of a pipeline that decodes.

The pixels are not those of Millrace's `decode` and of Pillow, which are libjpeg-turbo's: nvJPEG rounds in other ways, so a model
should be evaluated with the decoder with which it was trained. On the CPU this program has libjpeg-turbo's pixels.
"""

import io
import sys

import torch
from PIL import Image, UnidentifiedImageError
from torch import nn
from torch.nn.functional import cross_entropy
from torchvision.io import ImageReadMode, decode_jpeg
from torchvision.transforms import v2

import millrace

ORIENTATION = 0x0112
"""EXIF's tag of the orientation."""

UPRIGHT = {2: (False, [2]), 3: (False, [1, 2]), 4: (False, [1]), 5: (True, []), 6: (True, [2]), 7: (True, [1, 2]), 8: (True, [1])}
"""How a picture of each orientation becomes upright: whether rows and columns are exchanged, and which axes are then flipped."""


def upright(image, orientation):
    """Returns an image [3, height, width] upright. nvJPEG ignores the orientation, so that this must not depend on the device."""
    transposed, flipped = UPRIGHT.get(orientation, (False, []))
    return (image.transpose(1, 2) if transposed else image).flip(flipped)


def decode(files, device):
    """Returns for each file, uint8 [bytes], an upright RGB image on the device, uint8 [3, height, width], or a str, why not."""
    found, orientations = [None] * len(files), [1] * len(files)
    groups = {"cpu": [], str(device): []}
    for i, file in enumerate(files):
        try:
            with Image.open(io.BytesIO(file)) as header:  # reads no pixels
                orientations[i] = header.getexif().get(ORIENTATION, 1)
                if header.format == "JPEG":
                    # nvJPEG does not convert CMYK, which few photos have.
                    groups["cpu" if header.mode == "CMYK" else str(device)].append(i)
                else:
                    found[i] = f"expected a JPEG, found {header.format}"
        except UnidentifiedImageError:
            found[i] = "the file is no image that Pillow knows"
        except Exception as e:  # Pillow raises many kinds for damaged headers
            found[i] = str(e)
    for place, group in groups.items():
        encoded = [torch.from_numpy(files[i]) for i in group]
        try:
            # A list is decoded in one call. The call waits for the GPU, so the files may be overwritten afterwards.
            images = decode_jpeg(encoded, ImageReadMode.RGB, device=place) if group else []
        except RuntimeError:  # one of them is damaged, and the message does not say which
            images = [alone(one, place) for one in encoded]
        for i, image in zip(group, images):
            found[i] = image if isinstance(image, str) else upright(image.to(device), orientations[i])
    return found


def alone(encoded, device):
    """Returns the image of one file, or a str, the reason why it cannot be decoded."""
    try:
        return decode_jpeg(encoded, ImageReadMode.RGB, device=device)
    except RuntimeError as e:
        return str(e).splitlines()[0].split(", ")[-1]  # after the place in torchvision's code


def network(classes):
    """Returns a small network that two CPU cores can train. On a GPU, use torchvision.models.resnet50(num_classes=classes)."""
    layers = []
    for before, after in ((3, 16), (16, 32), (32, 64)):
        layers += [nn.Conv2d(before, after, 3, stride=2, padding=1), nn.BatchNorm2d(after), nn.ReLU()]
    return nn.Sequential(nn.AvgPool2d(4), *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, classes))


def main(source="python/examples/gpu_decode.yaml", epochs=1, device=None):
    device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    torch.manual_seed(1)
    crop = v2.RandomResizedCrop((224, 224), antialias=True)
    normalize = v2.Compose([v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])
    with millrace.Loader(source) as loader:
        model = network(len(loader.plan.classes)).to(device)
        optimizer = torch.optim.Adam(model.parameters())
        seen = 0
        for _ in range(epochs):
            for batch in loader:
                images = decode(batch["image"].rows(), device)
                good = [i for i, image in enumerate(images) if not isinstance(image, str)]
                for i in sorted(set(range(len(batch))) - set(good)):
                    print(f"sample {batch.indexes[i]} of the dataset is left out: {images[i]}", flush=True)
                if not good:
                    continue
                # On the device, each image has its own crop, and becomes one of 224x224.
                inputs = normalize(torch.stack([crop(images[i]) for i in good]))
                loss = cross_entropy(model(inputs), batch.torch("label")[good].to(device))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                seen += len(good)
        print(f"{seen} images, step {loader.step}, loss {loss.item():.3f}", flush=True)
    return model


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]), *sys.argv[3:4])

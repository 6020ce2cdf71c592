"""The example that decodes JPEGs on the device, with torchvision's real decoder on the CPU."""

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import millrace

from .server import LAUNCHER, ROOT, Server

EXAMPLES = ROOT / "python" / "examples"
SIZE = 48, 64
"""Height and width of all pictures."""


@pytest.fixture(autouse=True)
def nothing_left():
    """Replaces the check for open files: torch keeps threads."""


@pytest.fixture
def recipe(monkeypatch):
    """Returns the example's module, where torchvision is installed and can decode."""
    pytest.importorskip("torch")
    pytest.importorskip("PIL")
    try:
        import torch
        import torchvision

        torchvision.io.decode_jpeg(torch.from_numpy(np.frombuffer(bytearray(jpeg()), np.uint8)))
    except (ImportError, RuntimeError) as e:  # a torchvision for another torch raises RuntimeError
        pytest.skip(f"torchvision cannot decode JPEGs: {e}")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import gpu_decode

    return gpu_decode


def picture(mode="RGB", seed=0):
    image = pytest.importorskip("PIL.Image")
    coarse = np.random.default_rng(seed).integers(0, 256, (6, 8, {"L": 1, "RGB": 3, "CMYK": 4}[mode]), np.uint8)
    return image.fromarray(coarse[..., 0] if mode == "L" else coarse, mode).resize(SIZE[::-1], image.Resampling.BICUBIC)


def jpeg(mode="RGB", seed=0, orientation=None, **options):
    image = pytest.importorskip("PIL.Image")
    if orientation is not None:
        options["exif"] = image.Exif()
        options["exif"][0x0112] = orientation
    file = io.BytesIO()
    picture(mode, seed).save(file, "JPEG", quality=90, **options)
    return file.getvalue()


def upright(file):
    """Returns the pixels of Pillow, [height, width, 3]."""
    from PIL import Image, ImageOps

    return np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(file))).convert("RGB"))


def decoded(recipe, files, device="cpu"):
    """Returns images as arrays, [height, width, 3], and the reasons of others."""
    import torch

    found = recipe.decode([np.frombuffer(bytearray(file), np.uint8) for file in files], torch.device(device))
    return [one if isinstance(one, str) else one.permute(1, 2, 0).cpu().numpy() for one in found]


ODD = {
    "usual": {},
    "no subsampling": {"subsampling": 0},
    "progressive": {"progressive": True},
    "grayscale": {"mode": "L"},
    "CMYK": {"mode": "CMYK"},
    "CMYK, on its side": {"mode": "CMYK", "orientation": 6},
    **{f"orientation {n}": {"orientation": n} for n in range(10)},
}


def test_pixels_are_those_of_pillow_for_all_kinds_of_jpegs(recipe):
    files = [jpeg(seed=i, **options) for i, options in enumerate(ODD.values())]
    for name, file, found in zip(ODD, files, decoded(recipe, files)):
        np.testing.assert_array_equal(found, upright(file), err_msg=name)


def test_orientation_is_that_of_torchvision(recipe):
    import torch
    from torchvision.io import decode_jpeg

    for orientation in range(1, 9):
        file = jpeg(orientation=orientation)
        expected = decode_jpeg(torch.from_numpy(np.frombuffer(bytearray(file), np.uint8)), apply_exif_orientation=True)
        np.testing.assert_array_equal(decoded(recipe, [file])[0], expected.permute(1, 2, 0).numpy())


def test_damaged_files_are_named_and_the_others_decoded(recipe):
    whole = jpeg()
    png = io.BytesIO()
    picture().save(png, "PNG")
    damaged = {
        whole[: len(whole) // 2]: "Image is incomplete or truncated",
        whole[:-30]: "Image is incomplete or truncated",
        whole[:25]: "Truncated File Read",
        b"": "the file is no image that Pillow knows",
        b"not an image": "the file is no image that Pillow knows",
        png.getvalue(): "expected a JPEG, found PNG",
    }
    found = decoded(recipe, [whole, *damaged, whole])
    assert found[1:-1] == list(damaged.values())
    np.testing.assert_array_equal(found[0], upright(whole))
    np.testing.assert_array_equal(found[-1], upright(whole))
    assert decoded(recipe, []) == []


def test_files_of_a_batch_are_decoded_in_one_call_and_cmyk_on_the_cpu(recipe, monkeypatch):
    """nvJPEG does not know CMYK. The device is a stand-in without values, as no test machine has a GPU."""
    calls = []
    real = recipe.decode_jpeg

    def recorded(files, mode, device):
        calls.append((device, len(files)))
        return [one.to(device) for one in real(files, mode)]

    monkeypatch.setattr(recipe, "decode_jpeg", recorded)
    import torch

    files = [np.frombuffer(bytearray(jpeg(mode)), np.uint8) for mode in ("RGB", "CMYK", "L", "RGB")]
    found = recipe.decode(files, torch.device("meta"))
    assert calls == [("cpu", 1), ("meta", 3)]
    assert [(one.device.type, tuple(one.shape)) for one in found] == 4 * [("meta", (3, *SIZE))]


@pytest.mark.gpu
def test_nvjpegs_pixels_are_close_to_those_of_the_cpu(recipe):
    import torch

    if not torch.cuda.is_available():
        pytest.skip("torch finds no CUDA device")
    files = [jpeg(seed=i, **options) for i, options in enumerate(ODD.values())]
    for name, cuda, cpu in zip(ODD, decoded(recipe, files, "cuda"), decoded(recipe, files)):
        difference = np.abs(cuda.astype(int) - cpu)
        assert cuda.shape == cpu.shape and difference.mean() < 2, name


def folder_of_photos(root, count=40):
    """Writes two classes whose brightness differs, with one truncated file, and returns its index."""
    from PIL import Image

    for name, base in ("dark", 40), ("light", 180):
        (root / "data/photos" / name).mkdir(parents=True)
        for i in range(count):
            noise = np.random.default_rng(i).integers(-30, 30, (*SIZE, 3))
            Image.fromarray((noise + base).astype(np.uint8)).save(root / "data/photos" / name / f"{i:03}.jpg")
    file = root / "data/photos/light/003.jpg"
    file.write_bytes(file.read_bytes()[:-60])
    return count + 3


def pipeline_in(root):
    """Writes the example's pipeline without the generated photos, and returns its path."""
    text = (EXAMPLES / "gpu_decode.yaml").read_text()
    lines = [line for line in text.splitlines() if "generate:" not in line]
    path = root / "gpu_decode.yaml"
    path.write_text("\n".join([*lines, "run: { web_port: 0 }", ""]).replace("size: 64", "size: 8"))
    return path


def test_program_trains_and_leaves_damaged_files_out(recipe, tmp_path):
    damaged = folder_of_photos(tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "MILLRACE_HOME": str(Path(LAUNCHER).parent)}
    environment["OMP_NUM_THREADS"] = "1"
    command = [sys.executable, str(EXAMPLES / "gpu_decode.py"), str(pipeline_in(tmp_path)), "6", "cpu"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count(f"sample {damaged} of the dataset is left out: Image is incomplete or truncated") == 6
    last = done.stdout.splitlines()[-1]
    assert last.startswith("474 images, step 60, loss ")
    assert float(last.split("loss ")[1]) < 0.5, done.stdout  # 0.7 before the training


def served(folder, pipeline):
    """Returns the rows of the field `image` by the index of their samples, from one epoch."""
    found = {}
    server = Server(folder, pipeline=pipeline)
    try:
        with millrace.Loader(server.address, token=server.token) as loader:
            for batch in loader:
                image = batch["image"]
                rows = image if isinstance(image, np.ndarray) else image.rows()
                found.update((int(index), np.array(row)) for index, row in zip(batch.indexes, rows))
    finally:
        server.stop()
    return found


def test_pixels_are_those_of_the_servers_own_decoder(recipe, tmp_path):
    folder = tmp_path / "data/photos/all"
    folder.mkdir(parents=True)
    # Orientations that exchange height and width have other shapes, which one batch cannot have.
    kinds = {name: o for name, o in ODD.items() if o.get("orientation") not in (5, 6, 7, 8)}
    for i, options in enumerate(kinds.values()):
        (folder / f"{i:03}.jpg").write_bytes(jpeg(seed=i, **options))
    (folder / "900.jpg").write_bytes(jpeg()[:-60])
    bytes_only = pipeline_in(tmp_path)
    pixels = tmp_path / "pixels.yaml"
    pixels.write_text(
        "dataset: { format: folder, path: data/photos }\ntransforms: [{ decode: { exif: true } }]\n"
        "batch: { size: 4, max_quarantined: 0.5 }\nrun: { web_port: 0 }\n"
    )
    for name in "bytes", "pixels":
        (tmp_path / name).mkdir()
        (tmp_path / name / "data").symlink_to(tmp_path / "data")
    files = served(tmp_path / "bytes", bytes_only)
    own = served(tmp_path / "pixels", pixels)
    assert len(files) == len(kinds) + 1 and sorted(own) == list(range(len(kinds)))
    found = decoded(recipe, [files[i].tobytes() for i in sorted(files)])
    assert found[-1] == "Image is incomplete or truncated"
    for i, name in enumerate(kinds):
        np.testing.assert_array_equal(found[i], own[i], err_msg=name)

"""The device transforms in torch: the vectors of the server's tests, and the operations of torch."""

import json
import struct

import numpy as np
import pytest

import millrace
from millrace._errors import ProtocolError
from millrace._plan import Field

from .server import ROOT

torch = pytest.importorskip("torch")
from millrace._transforms import CLASSES, FLOATS, device_transforms, transformed  # noqa: E402

VECTORS = ROOT / "gpu-sink" / "src" / "test" / "resources" / "io" / "millrace" / "train"
NORMALIZE = ("Normalize", {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]})
TYPES = {"U8": "u1", "F32": "<f4", "I64": "<i8"}


def vectors(name):
    """Returns the tensors of a safetensors file."""
    if not VECTORS.is_dir():
        pytest.skip("the test vectors are in the repository only")
    data = (VECTORS / name).read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    made = {}
    for key, about in json.loads(data[8 : 8 + length]).items():
        if about["dtype"] in TYPES:
            begin, end = about["data_offsets"]
            raw = np.frombuffer(data[8 + length + begin : 8 + length + end], TYPES[about["dtype"]])
            made[key] = torch.from_numpy(raw.reshape(about["shape"]).copy())
    return made


def field(name, dtype, shape, kind, form="dense"):
    return Field(name, dtype, tuple(shape), form, kind, dtype, 64, 128 if form == "ragged" else None)


PLAIN, SCALE, COLOR = [], [("ToFloat", {})], [("ConvertColor", {})]


@pytest.mark.parametrize(
    ("changes", "vector", "bound"),
    [(SCALE, "to_float", 0), ([*SCALE, NORMALIZE], "normalized", 0), (COLOR, "color", 1e-4)],
    ids=["ToFloat", "Normalize", "ConvertColor"],
)
def test_the_servers_vectors(changes, vector, bound):
    found = vectors("device_transforms.safetensors")
    images = found["images"]
    before = images.clone()
    made = transformed(images, field("image", "uint8", images.shape[1:], "image"), changes)
    assert made.dtype == torch.float32 and (made - found[vector]).abs().max() <= bound
    assert torch.equal(images, before) and made.is_contiguous(memory_format=torch.channels_last)


def test_without_transforms_pictures_change_their_layout_only():
    images = vectors("device_transforms.safetensors")["images"]
    made = transformed(images, field("image", "uint8", images.shape[1:], "image"), PLAIN)
    assert made.dtype == torch.uint8 and torch.equal(made, images.permute(0, 3, 1, 2))
    assert made.data_ptr() == images.data_ptr()


def test_a_float_field_is_not_changed_in_its_buffer():
    values = torch.arange(12.0).reshape(3, 4)
    made = transformed(values, field("x", "float32", (4,), "tensor"), [("Normalize", {"mean": [1], "std": [2, 2, 2, 4]})])
    assert torch.equal(values, torch.arange(12.0).reshape(3, 4))
    assert torch.equal(made, (values - 1) / torch.tensor([2.0, 2, 2, 4]))


def test_class_numbers_become_zeros_and_ones():
    found = vectors("fields.safetensors")
    one_hot = torch.nn.functional.one_hot
    labels = transformed(found["labels"], field("label", "int64", (), "tensor"), [("OneHot", {"classes": 4})])
    assert labels.dtype == torch.float32 and torch.equal(labels, one_hot(found["labels"], 4).float())
    masks = found["masks"]
    made = transformed(masks, field("mask", "uint8", masks.shape[1:], "mask"), [("OneHot", {"classes": 4})])
    # Pixels of class 255 are ignored in the vectors' training; here they are out of the range.
    assert torch.equal(made, one_hot(masks[..., 0].long(), 4).permute(0, 3, 1, 2).float())
    lists, lengths = found["lists"], found["list_lengths"]
    offsets = torch.cat([torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)])
    nested = torch.nested.nested_tensor_from_jagged(lists, offsets)
    made = transformed(nested, field("tags", "int64", (), "ragged", "ragged"), [("MultiHot", {"classes": 5})])
    assert made.shape == (len(lengths), 5)
    for row, part in enumerate(lists.split(lengths.tolist())):
        assert made[row].nonzero().flatten().tolist() == sorted(set(part.tolist())) and made[row].max() <= 1
    for number in (-1, 4):
        with pytest.raises(ValueError, match=r"OneHot: field 'label' has the class numbers .* expected 0 to 3"):
            transformed(torch.tensor([0, number]), field("label", "int64", (), "tensor"), [("OneHot", {"classes": 4})])
    nobody = torch.empty(0, dtype=torch.int64)
    assert transformed(nobody, field("label", "int64", (), "tensor"), [("OneHot", {"classes": 4})]).shape == (0, 4)


def test_transforms_that_do_not_fit_are_refused():
    image, label = field("image", "uint8", (2, 2, 1), "image"), field("label", "int64", (), "tensor")
    pixels, numbers = torch.zeros((1, 2, 2, 1), dtype=torch.uint8), torch.zeros(1, dtype=torch.int64)
    for tensor, of, changes, words in [
        (pixels, image, COLOR, "ConvertColor of 'image'.*expected images"),
        (pixels, image, [NORMALIZE], "Normalize has 3 numbers, expected 1 or one for each of the 1 channels"),
        (numbers, label, [("MultiHot", {"classes": 2})], "MultiHot of the dense field 'label'"),
        (numbers, label, [("OneHot", {})], "OneHot: 'classes' is None"),
        (numbers, label, [("OneHot", {"classes": 2}), *SCALE], "ToFloat after OneHot"),
        (pixels, image, [*SCALE, ("OneHot", {"classes": 2})], "OneHot after a transform of numbers"),
        (pixels, image, [("ToFloat", {"scale": 0})], "'scale' is 0"),
    ]:
        with pytest.raises(ProtocolError, match=words):
            transformed(tensor, of, changes)


def test_each_transform_changes_its_field(peer):
    plan = {"transforms": ["ToFloat", {"ToFloat": {"scale": 2, "field": "half"}}, {"OneHot": {"classes": 10}}]}
    with millrace.Loader(peer(plan=plan).address) as loader:
        assert sorted(device_transforms(loader.plan)) == ["half", "image", "label"]
        batch = next(loader)
        image, half, label, mask = batch.torch("image", "half", "label", "mask", transforms=True)
        assert torch.equal(image, torch.from_numpy(batch["image"]).permute(0, 3, 1, 2) / 255)
        assert torch.equal(half, torch.from_numpy(batch["half"]) / 2) and label.shape == (4, 10) and mask.dtype == torch.uint8
        assert np.array_equal(label.argmax(1).numpy(), batch["label"])
    with millrace.Loader(peer(plan={"transforms": [{"ToFloat": {"field": "x"}}]}).address) as loader:
        with pytest.raises(ProtocolError, match="ToFloat changes the field 'x'; the batch has"):
            next(loader).torch("image", transforms=True)


def test_all_transforms_of_the_options_page_are_known_or_left_to_the_server():
    page = ROOT / "docs" / "use" / "options.md"
    if not page.is_file():
        pytest.skip("the page is in the repository only")
    section = page.read_text().split("\n## Device transforms\n")[1].split("\n## ")[0]
    names = [line[5:-1] for line in section.splitlines() if line.startswith("### `")]
    assert len(names) == 12
    plan = {"image": field("image", "uint8", (2, 2, 3), "image"), "label": field("label", "int64", (), "tensor")}
    for name in names:
        made = type("Plan", (), {"fields": plan, "transforms": ((name, {}),)})
        if name in FLOATS + CLASSES:
            assert device_transforms(made) == {"label" if name in CLASSES else "image": [(name, {})]}
        else:
            with pytest.raises(ValueError, match=f"{name}.*transforms='server'"):
                device_transforms(made)

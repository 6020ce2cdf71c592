"""The device transforms in torch: the vectors of the server's tests, and the operations of torch."""

import collections
import json
import struct

import numpy as np
import pytest

import millrace
from millrace._errors import ProtocolError
from millrace._plan import Field, Transform

from .server import ROOT

torch = pytest.importorskip("torch")
from torch.overrides import TorchFunctionMode  # noqa: E402

from millrace import _transforms  # noqa: E402
from millrace._transforms import device_transforms, require_classes, transformed  # noqa: E402

VECTORS = ROOT / "gpu-sink" / "src" / "test" / "resources" / "io" / "millrace" / "train"
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


def step(name, mean, std, **others):
    return Transform(name, "x", {"mean": mean, "std": std, **others})


def encoding(name, classes, **others):
    return Transform(name, "x", {"classes": classes, **others})


NORMALIZE = step("Normalize", [0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
MATRIX = [0.299, 0.587, 0.114, -0.16874, -0.33126, 0.5, 0.5, -0.41869, -0.08131]
PLAIN, SCALE, COLOR = [], [step("ToFloat", [0.0], [255.0])], [step("ConvertColor", [0.0, -128.0, -128.0], [1.0], matrix=MATRIX)]


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
    made = transformed(values, field("x", "float32", (4,), "tensor"), [step("Normalize", [1], [2, 2, 2, 4])])
    assert torch.equal(values, torch.arange(12.0).reshape(3, 4))
    assert torch.equal(made, (values - 1) / torch.tensor([2.0, 2, 2, 4]))


def test_class_numbers_become_zeros_and_ones():
    found = vectors("fields.safetensors")
    one_hot = torch.nn.functional.one_hot
    labels = transformed(found["labels"], field("label", "int64", (), "tensor"), [encoding("OneHot", 4)])
    assert labels.dtype == torch.float32 and torch.equal(labels, one_hot(found["labels"], 4).float())
    masks = found["masks"]
    made = transformed(masks, field("mask", "uint8", masks.shape[1:], "mask"), [encoding("OneHot", 4)])
    # Pixels of class 255 are ignored in the vectors' training; here they are out of the range.
    assert torch.equal(made, one_hot(masks[..., 0].long(), 4).permute(0, 3, 1, 2).float())
    lists, lengths = found["lists"], found["list_lengths"]
    offsets = torch.cat([torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)])
    nested = torch.nested.nested_tensor_from_jagged(lists, offsets)
    made = transformed(nested, field("tags", "int64", (), "ragged", "ragged"), [encoding("MultiHot", 5, ragged=True)])
    assert made.shape == (len(lengths), 5)
    for row, part in enumerate(lists.split(lengths.tolist())):
        assert made[row].nonzero().flatten().tolist() == sorted(set(part.tolist())) and made[row].max() <= 1
    nobody = torch.empty(0, dtype=torch.int64)
    assert transformed(nobody, field("label", "int64", (), "tensor"), [encoding("OneHot", 4)]).shape == (0, 4)


def test_class_numbers_are_checked_before_they_are_copied(peer):
    label, pixels = field("label", "int64", (), "tensor"), torch.tensor([[3], [255]], dtype=torch.uint8)
    for numbers, found in [([0, -1], "-1 to 0"), ([4, 1], "1 to 4")]:
        with pytest.raises(ValueError, match=f"OneHot: field 'label' has the class numbers {found}, expected 0 to 3"):
            require_classes(torch.tensor(numbers), label, [encoding("OneHot", 4)])
    require_classes(torch.tensor([0, 3]), label, [encoding("OneHot", 4)])
    require_classes(torch.empty(0, dtype=torch.int64), label, [encoding("OneHot", 4)])
    require_classes(pixels, label, [encoding("OneHot", 256)])
    with pytest.raises(ValueError, match="class numbers 3 to 255, expected 0 to 254"):
        require_classes(pixels, label, [encoding("OneHot", 255)])
    require_classes(torch.tensor([7]), label, SCALE)
    with millrace.Loader(peer(plan={"transforms": [{"name": "OneHot", "field": "label", "classes": 2}]}).address) as loader:
        batch = next(loader)
        for device in (None, "cpu", "meta"):
            with pytest.raises(ValueError, match="OneHot: field 'label' has the class numbers 0 to 3, expected 0 to 1"):
                batch.torch("label", device=device, transforms=True)


def nested(values, lengths, device):
    offsets = torch.tensor([0, *np.cumsum(lengths)]).to(device)
    return torch.nested.nested_tensor_from_jagged(torch.tensor(values).to(device), offsets)


@pytest.mark.parametrize("changes", [SCALE, [NORMALIZE], COLOR, [*COLOR, *SCALE]])
def test_transforms_of_numbers_need_nothing_from_the_device(changes):
    # Tensors of this device have no values: an operation that needs one on the host, and would wait for a GPU, raises.
    images = torch.empty((2, 4, 5, 3), dtype=torch.uint8, device="meta")
    made = transformed(images, field("image", "uint8", (4, 5, 3), "image"), changes)
    assert made.shape == (2, 3, 4, 5) and made.device.type == "meta"


def test_class_numbers_need_nothing_from_the_device():
    with pytest.raises(RuntimeError, match="meta"):
        int(torch.empty((), dtype=torch.int64, device="meta"))  # the control
    labels = torch.empty(3, dtype=torch.int64, device="meta")
    assert transformed(labels, field("label", "int64", (), "tensor"), [encoding("OneHot", 4)]).shape == (3, 4)
    masks = torch.empty((2, 4, 5, 1), dtype=torch.uint8, device="meta")
    assert transformed(masks, field("m", "uint8", (4, 5, 1), "mask"), [encoding("OneHot", 4)]).shape == (2, 4, 4, 5)
    tags = nested([1, 2, 0], [2, 0, 1], "meta")
    changes = [encoding("MultiHot", 5, ragged=True)]
    assert transformed(tags, field("tags", "int64", (), "ragged", "ragged"), changes).shape == (3, 5)


class Calls(TorchFunctionMode):
    """Counts the calls of functions of torch by name."""

    def __init__(self):
        super().__init__()
        self.counts = collections.Counter()

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(function, "__name__", "")
        moves = name == "to" and any(isinstance(each, (str, torch.device)) for each in [*args[1:], *kwargs.values()])
        self.counts[f"{name} a device" if moves else name] += 1
        return function(*args, **kwargs)


def test_constants_are_made_once_for_a_device(peer):
    plan = {
        "transforms": [
            {"name": "ToFloat", "field": "image", "mean": [0], "std": [255]},
            {"name": "ConvertColor", "field": "image", "mean": [0, 1, 2], "std": [1], "matrix": MATRIX},
            {"name": "Normalize", "field": "half", "mean": [1, 2, 3], "std": [2, 3, 5]},
            {"name": "OneHot", "field": "label", "classes": 11},
        ]
    }
    counts = []
    _transforms._per_channel.cache_clear()
    _transforms._matrix.cache_clear()
    with millrace.Loader(peer(plan=plan).address) as loader:
        for batch in loader:
            with Calls() as calls:
                batch.torch("image", "half", "label", transforms=True)
            counts.append(sum(calls.counts[name] for name in ("tensor", "to a device", "cat", "as_tensor", "full", "ones")))
    assert counts[0] > 5 and not any(counts[1:])


def test_transforms_that_do_not_fit_are_refused():
    image, label = field("image", "uint8", (2, 2, 1), "image"), field("label", "int64", (), "tensor")
    pixels, numbers = torch.zeros((1, 2, 2, 1), dtype=torch.uint8), torch.zeros(1, dtype=torch.int64)
    for tensor, of, changes, words in [
        (pixels, image, [step("Mixed", [0], [1], matrix=MATRIX)], r"Mixed of 'image' \[2, 2, 1\]: the matrix needs pixels of 3"),
        (pixels, image, [NORMALIZE], "Normalize: 'mean' has 3 numbers, expected 1"),
        (numbers, label, [encoding("MultiHot", 2, ragged=True)], "MultiHot of the dense field 'label'"),
        (numbers, label, [encoding("OneHot", None)], "OneHot: 'classes' is None"),
        (numbers, label, [encoding("OneHot", 2), *SCALE], "ToFloat after OneHot"),
        (pixels, image, [*SCALE, encoding("OneHot", 2)], "OneHot after a transform of numbers"),
        (pixels, image, [step("ToFloat", [0], [0])], "'std' is .*other than 0"),
        (pixels, image, [step("ToFloat", [0], [True])], "'std' is .*expected a list of numbers"),
        (pixels, image, [step("ToFloat", None, [1])], "'mean' is None"),
        (pixels, image, [step("Mixed", [0], [1], matrix=[1])], "'matrix' has 1 numbers, expected 9|needs pixels of 3"),
    ]:
        with pytest.raises(ProtocolError, match=words):
            transformed(tensor, of, changes)


def test_steps_equal_single_operations_in_any_order():
    values = torch.randint(0, 256, (3, 5, 7, 3), dtype=torch.uint8)
    steps = [NORMALIZE, *SCALE, NORMALIZE, step("Shift", [3.0], [1.0]), *SCALE]
    expected = values.float()
    for change in steps:
        expected = (expected - torch.tensor(change.numbers["mean"])) / torch.tensor(change.numbers["std"])
    made = transformed(values, field("image", "uint8", (5, 7, 3), "image"), steps)
    assert torch.equal(made, expected.permute(0, 3, 1, 2))
    torch.set_default_dtype(torch.float64)
    try:
        mixed = transformed(values, field("image", "uint8", (5, 7, 3), "image"), COLOR)
    finally:
        torch.set_default_dtype(torch.float32)
    assert mixed.dtype == torch.float32
    mixing = step("Mixed", [1.0], [2.0, 4.0, 8.0], matrix=MATRIX)
    mixed = transformed(values, field("image", "uint8", (5, 7, 3), "image"), [mixing])
    exact = (values.double() @ torch.tensor(MATRIX, dtype=torch.float64).view(3, 3).t() - 1) / torch.tensor([2.0, 4.0, 8.0])
    assert (mixed - exact.permute(0, 3, 1, 2)).abs().max() < 1e-4


def test_each_transform_changes_its_field(peer):
    plan = {
        "transforms": [
            {"name": "ToFloat", "field": "image", "mean": [0], "std": [255]},
            {"name": "ToFloat", "field": "half", "mean": [0], "std": [2]},
            {"name": "OneHot", "field": "label", "classes": 10},
        ]
    }
    with millrace.Loader(peer(plan=plan).address) as loader:
        assert sorted(device_transforms(loader.plan)) == ["half", "image", "label"]
        batch = next(loader)
        image, half, label, mask = batch.torch("image", "half", "label", "mask", transforms=True)
        assert torch.equal(image, torch.from_numpy(batch["image"]).permute(0, 3, 1, 2) / 255)
        assert torch.equal(half, torch.from_numpy(batch["half"]) / 2) and label.shape == (4, 10) and mask.dtype == torch.uint8
        assert np.array_equal(label.argmax(1).numpy(), batch["label"])
    unknown = {"name": "ToFloat", "field": "x", "mean": [0], "std": [255]}
    with millrace.Loader(peer(plan={"transforms": [unknown]}).address) as loader:
        with pytest.raises(ProtocolError, match="ToFloat changes the field 'x'; the batch has"):
            next(loader).torch("image", transforms=True)


@pytest.mark.parametrize("entry", ["ToFloat", {"ToFloat": {}}, {"name": 1}, {"name": "ToFloat", "field": 3}, 7])
def test_a_transform_of_another_form_is_refused(peer, entry):
    with pytest.raises(ProtocolError, match="PLAN[:,] "):
        millrace.Loader(peer(plan={"transforms": [entry]}).address)

"""Batches as tensors of torch and JAX, and transforms."""

import gc

import numpy as np
import pytest

import millrace
from millrace._batch import Batch
from millrace._plan import Plan
from millrace._protocol import Header, parse_slot

from .fuzz import plan_bytes
from .peer import RETURN, expected, layout, slot_bytes

TRANSFORMS = [{"ToFloat": {"scale": 255}}, {"Normalize": {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]}}]


@pytest.mark.parametrize("memory", ["memfd", "inline"])
def test_torch_tensors_share_the_slot_and_hold_it(peer, memory):
    torch = pytest.importorskip("torch")
    server = peer()
    with millrace.Loader(server.address, memory=memory) as loader:
        batch = next(loader)
        images, labels = batch.torch("image", "label")
        assert images.data_ptr() == batch["image"].ctypes.data
        half, mask, words, boxes = batch.torch("half", "mask", "words", "boxes")
        wanted = expected(0, 4)
        assert torch.equal(labels, torch.from_numpy(wanted["label"]))
        assert half.dtype == torch.bfloat16 and torch.equal(half.float(), torch.from_numpy(wanted["half"]))
        assert torch.equal(mask, torch.from_numpy(wanted["mask"])) and torch.equal(words, torch.from_numpy(wanted["words"]))
        assert [row.tolist() for row in boxes.unbind()] == [row.tolist() for row in wanted["boxes"]]
        del batch, labels, half, boxes, mask, words
        gc.collect()
        assert loader.stats()["lent"] == 1
        assert torch.equal(images, torch.from_numpy(wanted["image"]))
        del images
        server.wait_for(lambda: server.of(RETURN))
        with pytest.raises(ValueError, match="image"):
            next(loader).torch()
        with pytest.raises(KeyError, match="no field 'x'"):
            next(loader).torch("x")


def test_transforms_equal_torchvisions_arithmetic(peer):
    torch = pytest.importorskip("torch")
    with millrace.Loader(peer(plan={"transforms": TRANSFORMS}).address) as loader:
        batch = next(loader)
        before = batch["image"].copy()
        images, labels = batch.torch("image", "label", transforms=True)
        mean, std = (torch.tensor(TRANSFORMS[1]["Normalize"][key]).view(3, 1, 1) for key in ("mean", "std"))
        wanted = (torch.from_numpy(before).permute(0, 3, 1, 2).float() / 255).sub_(mean).div_(std)  # torchvision's operations
        assert images.shape == (4, 3, 4, 5) and torch.equal(images, wanted)
        assert images.is_contiguous(memory_format=torch.channels_last)
        assert np.array_equal(batch["image"], before) and labels.dtype == torch.int64
    with millrace.Loader(peer(plan={"transforms": ["ToFloat", {"MixUp": {}}]}).address) as loader:
        with pytest.raises(ValueError, match="MixUp.*transforms='server'"):
            next(loader).torch("image", transforms=True)


def test_memory_of_results_is_used_again_after_the_last_view(peer):
    torch = pytest.importorskip("torch")
    with millrace.Loader(peer(plan={"transforms": TRANSFORMS}).address) as loader:
        batch = next(loader)
        first = batch.torch("image", transforms=True)
        row, wanted = first[1], first[1].clone()
        place = first.data_ptr()
        del first
        second = batch.torch("image", transforms=True)
        assert second.data_ptr() != place and torch.equal(row, wanted)  # the row still needs its memory
        del row
        assert batch.torch("image", transforms=True).data_ptr() == place


def test_dataset_in_dataloaders(peer):
    torch = pytest.importorskip("torch")
    server = peer(steps=12)
    with millrace.Loader(server.address) as loader:
        found = [labels.tolist() for _, labels in torch.utils.data.DataLoader(loader.dataset("image", "label"), batch_size=None)]
        assert found == [expected(step, 4)["label"].tolist() for step in range(12)]
        loader.seek(0)
        assert isinstance(next(iter(torch.utils.data.DataLoader(loader.dataset(), batch_size=None))), millrace.Batch)
        with pytest.raises(RuntimeError, match="num_workers=0"):
            list(torch.utils.data.DataLoader(loader.dataset("label"), batch_size=None, num_workers=1))


def test_stateful_dataloader_resumes(peer):
    stateful = pytest.importorskip("torchdata.stateful_dataloader").StatefulDataLoader
    server = peer(steps=12)
    with millrace.Loader(server.address) as loader:
        data = stateful(loader.dataset("label"), batch_size=None, num_workers=0)
        iterator = iter(data)
        first = [next(iterator).tolist() for _ in range(5)]
        state = data.state_dict()
    with millrace.Loader(server.address) as loader:
        data = stateful(loader.dataset("label"), batch_size=None, num_workers=0)
        data.load_state_dict(state)
        rest = [labels.tolist() for labels in data]
    assert first + rest == [expected(step, 4)["label"].tolist() for step in range(12)]


def test_jax_uses_the_slot_and_holds_it(peer):
    jax = pytest.importorskip("jax")
    server = peer()
    with millrace.Loader(server.address) as loader:
        batch = next(loader)
        images, (values, offsets) = batch.jax("image", "boxes")
        assert images.unsafe_buffer_pointer() == batch["image"].ctypes.data
        assert offsets[-1] == len(values)
        del batch, values, offsets
        gc.collect()
        assert loader.stats()["lent"] == 1
        for _ in loader:
            pass
        assert np.array_equal(np.asarray(images), expected(0, 4)["image"])
        assert jax.numpy.sum(images) == expected(0, 4)["image"].sum()
        del images, _
        gc.collect()
        assert loader.stats()["lent"] == 0


def test_padding_and_rows_of_ragged_fields():
    data = slot_bytes(layout(4)[0], 2, 1, 4)
    batch = Batch(
        Plan.parse(plan_bytes()), parse_slot(data, 0, Header(6, 1, 1, 2, 0, len(data)), 4), np.frombuffer(data, np.uint8)
    )
    boxes = batch["boxes"]
    assert boxes.lengths().tolist() == [2, 0, 1, 2]
    padded = boxes.to_padded(fill=-1)
    assert padded.shape == (4, 2, 4) and padded[2, 1].tolist() == [-1] * 4 and padded[3, 1, 0] == 11
    assert boxes.to_padded(length=1).shape == (4, 1, 4)
    with pytest.raises(IndexError):
        boxes.row(4)

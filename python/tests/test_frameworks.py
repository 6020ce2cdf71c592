"""Batches as tensors of torch and JAX, and transforms."""

import gc
import json

import numpy as np
import pytest

import millrace
from millrace._batch import Batch
from millrace._plan import Plan
from millrace._protocol import Header, parse_buffer, parse_json

from .fuzz import plan_bytes
from .peer import RETURN, expected, layout, buffer_bytes

TO_FLOAT = {"name": "ToFloat", "field": "image", "mean": [0.0], "std": [255.0]}
TRANSFORMS = [
    TO_FLOAT,
    {"name": "Normalize", "field": "image", "mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]},
]


def test_batches_without_labels_say_so(peer):
    server = peer(steps=2, only=("image",))
    with millrace.Loader(server.address) as loader:
        with pytest.raises(KeyError, match="no field 'label'; the batch has .*image. No file of the dataset was read as its labels"):
            next(loader)["label"]


@pytest.mark.parametrize("memory", ["memfd", "inline"])
def test_torch_tensors_share_the_buffer_and_hold_it(peer, memory):
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
        mean, std = (torch.tensor(TRANSFORMS[1][key]).view(3, 1, 1) for key in ("mean", "std"))
        wanted = (torch.from_numpy(before).permute(0, 3, 1, 2).float() / 255).sub_(mean).div_(std)  # torchvision's operations
        assert images.shape == (4, 3, 4, 5) and torch.equal(images, wanted)
        assert images.is_contiguous(memory_format=torch.channels_last)
        assert np.array_equal(batch["image"], before) and labels.dtype == torch.int64
    with millrace.Loader(peer(plan={"transforms": [TO_FLOAT, {"name": "MixUp"}]}).address) as loader:
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


def test_iterables_in_dataloaders(peer):
    torch = pytest.importorskip("torch")
    server = peer(steps=12, epochs=2)
    with millrace.Loader(server.address) as loader:
        data = torch.utils.data.DataLoader(loader.iterable("image", "label"), batch_size=None)
        assert len(data) == 6
        found = [labels.tolist() for _ in range(2) for _, labels in data]
        assert found == [expected(step, 4)["label"].tolist() for step in range(12)]
        loader.seek(0)
        assert isinstance(next(iter(torch.utils.data.DataLoader(loader.iterable(), batch_size=None))), millrace.Batch)
        with pytest.raises(RuntimeError, match="num_workers=0"):
            list(torch.utils.data.DataLoader(loader.iterable("label"), batch_size=None, num_workers=1))
        with pytest.warns(DeprecationWarning, match="loader.iterable"):
            assert len(loader.dataset("label")) == 6


BATCHES = 10
"""Batches of an epoch in the tests of frameworks."""


@pytest.fixture
def endless(peer):
    """Returns a function that opens a loader of a run without an end, which the fixture closes."""
    made = []

    def start(batches=BATCHES, **options):
        plan = {"steps_per_epoch": batches, "transforms": [TO_FLOAT]}
        server = peer(steps=None, epochs=None, plan=plan, only=("image", "label"))
        made.append(millrace.Loader(server.address, buffers=8, **options))
        return made[-1]

    yield start
    for one in made:
        one.close()


def stateful(loader):
    kind = pytest.importorskip("torchdata.stateful_dataloader").StatefulDataLoader
    return kind(loader.iterable(), batch_size=None, num_workers=0)


def steps(batches):
    return [batch.step for batch in batches]


@pytest.mark.parametrize("cut", [0, 1, 2, 9, 10, 11, 19, 20, 21])
@pytest.mark.parametrize("taken", ["in the loop", "after the loop", "from an iterator"])
def test_stateful_dataloader_resumes(endless, cut, taken):
    data, seen = stateful(endless()), []
    state = data.state_dict()  # before the first batch
    while len(seen) < cut:
        if taken == "from an iterator":
            iterator = iter(data)
            seen += [next(iterator).step for _ in range(min(BATCHES, cut - len(seen)))]
            state = data.state_dict()
            continue
        for batch in data:
            seen.append(batch.step)
            if len(seen) == cut:
                state = data.state_dict()
                break
        if taken == "after the loop":
            state = data.state_dict()
    assert seen == list(range(cut))
    data = stateful(endless())
    data.load_state_dict(state)
    first = steps(data)
    assert first == list(range(cut, (cut // BATCHES + 1) * BATCHES))
    assert steps(data) == [step + BATCHES for step in range(first[-1] + 1 - BATCHES, first[-1] + 1)]


def test_stateful_dataloader_knows_its_state_at_any_time(endless):
    data = stateful(endless())
    for number in range(3):  # after whole epochs
        assert steps(data) == list(range(BATCHES * number, BATCHES * (number + 1)))
    state = data.state_dict()
    data = stateful(endless())
    data.state_dict()
    data.load_state_dict(state)  # after a state was asked for
    assert data.state_dict()["dataset_state"]["step"] == 3 * BATCHES  # before the first batch
    assert steps(data) == list(range(3 * BATCHES, 4 * BATCHES))
    data.load_state_dict(state)  # of a loader that is in use
    assert next(iter(data)).step == 3 * BATCHES
    data.load_state_dict(state)
    iterator = iter(data)
    assert [next(iterator).step, next(iterator).step] == [3 * BATCHES, 3 * BATCHES + 1]
    again = stateful(endless())
    again.load_state_dict(json.loads(json.dumps(data.state_dict())))
    assert steps(again) == steps(iterator)


@pytest.mark.parametrize("direct", [True, False], ids=["loader", "iterable"])
@pytest.mark.parametrize(
    ("options", "trained", "validated", "last"),
    [
        ({}, [10, 10, 10], [6, 4, 4], 30),  # two more validation batches before the training
        ({"limit_train_batches": 4, "limit_val_batches": 2}, [4, 4, 4], [4, 2, 2], 24),
        ({"val_check_interval": 5}, [10, 10, 10], [10, 8, 8], 30),
    ],
    ids=["all", "limits", "check"],
)
def test_lightning_trains_and_validates_whole_epochs(endless, options, trained, validated, last, direct):
    lightning = pytest.importorskip("lightning")
    import torch

    class Model(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(60, 2))
            self.trained, self.validated = [], []

        def training_step(self, batch, _):
            images, labels = batch.torch("image", "label", transforms=True) if direct else batch
            self.trained.append(self.current_epoch)
            return torch.nn.functional.cross_entropy(self.layers(images), labels % 2)

        def validation_step(self, batch, _):
            self.validated.append(self.current_epoch)

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.01)

    def data(loader):
        if direct:
            return loader
        return torch.utils.data.DataLoader(loader.iterable("image", "label", transforms=True), batch_size=None)

    quiet = dict(logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    trainer = lightning.Trainer(max_epochs=3, accelerator="cpu", devices=1, **quiet, **options)
    model, training, validation = Model(), endless(), endless(4, repeat=True)
    trainer.fit(model, data(training), data(validation))
    assert [model.trained.count(epoch) for epoch in range(3)] == trained
    assert [model.validated.count(epoch) for epoch in range(3)] == validated
    assert training.step == last and validation.step <= 4


@pytest.mark.parametrize("length", [{"max_steps": 30, "eval_steps": 10}, {"num_train_epochs": 3}], ids=["steps", "epochs"])
def test_the_trainer_of_hugging_face_trains_and_evaluates_whole_epochs(endless, tmp_path, length):
    pytest.importorskip("accelerate")
    transformers = pytest.importorskip("transformers")
    import torch

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(60, 2))

        def forward(self, image, label):
            output = self.layers(image)
            return {"loss": torch.nn.functional.cross_entropy(output, label % 2), "logits": output}

    class Data(torch.utils.data.IterableDataset):
        def __init__(self, loader):
            self.loader, self.seen = loader, []

        def __len__(self):
            return len(self.loader)

        def __iter__(self):
            for batch in self.loader:
                self.seen.append(batch.step)
                yield dict(zip(("image", "label"), batch.torch("image", "label", transforms=True)))

    class Trainer(transformers.Trainer):
        def get_train_dataloader(self):
            return torch.utils.data.DataLoader(self.train_dataset, batch_size=None)

        def get_eval_dataloader(self, eval_dataset=None):
            return torch.utils.data.DataLoader(self.eval_dataset, batch_size=None)

    training, validation = Data(endless()), Data(endless(4, repeat=True))
    when = "epoch" if "num_train_epochs" in length else "steps"
    options = dict(use_cpu=True, report_to=[], disable_tqdm=True, save_strategy="no", eval_strategy=when, **length)
    arguments = transformers.TrainingArguments(str(tmp_path), **options)
    trainer = Trainer(Model(), arguments, train_dataset=training, eval_dataset=validation)
    trainer.train()
    losses = [entry["eval_loss"] for entry in trainer.state.log_history if "eval_runtime" in entry]
    assert len(losses) == 3 and all(loss > 0 for loss in losses)
    assert training.seen == list(range(3 * BATCHES)) and validation.seen == 3 * [0, 1, 2, 3]


def test_accelerate_prepares_epochs(endless):
    accelerate = pytest.importorskip("accelerate")
    import torch

    accelerator = accelerate.Accelerator(cpu=True)
    data = accelerator.prepare(torch.utils.data.DataLoader(endless().iterable("__index__"), batch_size=None))
    first = [[int(rows[0]) for rows in data] for _ in range(3)]
    assert [len(one) for one in first] == 3 * [BATCHES] == 3 * [len(data)]
    loader = endless()
    assert accelerator.prepare(loader) is loader
    data = accelerator.prepare(torch.utils.data.DataLoader(loader.iterable("__index__"), batch_size=None))
    assert [int(rows[0]) for rows in accelerator.skip_first_batches(data, 3)] == first[0][3:]
    assert [int(rows[0]) for rows in data] == first[1]


@pytest.mark.parametrize("kind", ["dataloader", "generator"])
def test_keras_fits_epochs(endless, monkeypatch, kind):
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    pytest.importorskip("torch")
    keras = pytest.importorskip("keras")
    import torch

    loader, seen = endless(), []

    def pairs():
        for batch in loader:
            seen.append(batch.step)
            images, labels = batch.torch("image", "label", transforms=True)
            yield images, labels % 2

    class Data(torch.utils.data.IterableDataset):
        def __len__(self):
            return len(loader)

        def __iter__(self):
            return pairs()

    def forever():
        while True:
            yield from pairs()

    model = keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(2)])
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    if kind == "dataloader":
        model.fit(torch.utils.data.DataLoader(Data(), batch_size=None), epochs=3, verbose=0)
        assert seen[0] == seen[1] == 0  # It looks at the first batch before it trains.
        del seen[0]
    else:
        model.fit(forever(), steps_per_epoch=len(loader), epochs=3, verbose=0)
    assert seen == list(range(3 * BATCHES)) and loader.step == 3 * BATCHES


def test_jax_uses_the_buffer_and_holds_it(peer):
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
    data = buffer_bytes(layout(4)[0], 2, 1, 4)
    batch = Batch(
        Plan.parse(parse_json(2, plan_bytes())),
        parse_buffer(data, 0, Header(6, 1, 1, 2, 0, len(data)), 4),
        np.frombuffer(data, np.uint8),
    )
    boxes = batch["boxes"]
    assert boxes.lengths().tolist() == [2, 0, 1, 2]
    padded = boxes.to_padded(fill=-1)
    assert padded.shape == (4, 2, 4) and padded[2, 1].tolist() == [-1] * 4 and padded[3, 1, 0] == 11
    assert boxes.to_padded(length=1).shape == (4, 1, 4)
    assert boxes.mask().tolist() == [[True, True], [False, False], [True, False], [True, True]]
    assert boxes.mask(length=1).tolist() == [[True], [False], [True], [True]]
    assert (padded[~boxes.mask()] == -1).all() and np.array_equal(padded[boxes.mask()], boxes.values)
    with pytest.raises(IndexError):
        boxes.row(4)
    with pytest.raises(TypeError, match="expected a ragged field of texts, uint8 in one dimension, found float32 in 2"):
        boxes.texts()


def test_texts_of_ragged_fields():
    texts = ["", "caf\u00e9", "\U0001f600 b", ""]
    rows = [text.encode() for text in texts]
    field = millrace.Ragged(np.frombuffer(b"".join(rows), np.uint8), np.cumsum([0] + [len(row) for row in rows]))
    assert field.texts() == texts

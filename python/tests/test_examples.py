"""The programs in python/examples, which the documentation shows, with a real server."""

import importlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import millrace

from .server import LAUNCHER, PIPELINE, ROOT

EXAMPLES = ROOT / "python" / "examples"


@pytest.fixture(autouse=True)
def nothing_left():
    """Replaces the check for open files: frameworks keep files and threads."""


@pytest.fixture
def example(monkeypatch):
    """Returns a function that imports an example, if its framework is installed."""

    def load(name, framework):
        pytest.importorskip(framework)
        monkeypatch.syspath_prepend(str(EXAMPLES))
        return importlib.import_module(name)

    return load


def held_out(server):
    images = np.fromfile(server.data / "t10k-images-idx3-ubyte", np.uint8, offset=16).reshape(-1, 1, 28, 28)
    labels = np.fromfile(server.data / "t10k-labels-idx1-ubyte", np.uint8, offset=8)
    return (images.astype(np.float32) / 255 - np.float32(0.1307)) / np.float32(0.3081), labels


def accuracy(model, server):
    import torch

    images, labels = held_out(server)
    with torch.no_grad():
        return float((model(torch.from_numpy(images)).argmax(1).numpy() == labels).mean())


def equal(first, second):
    import torch

    return all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters()))


def validated(printed):
    return float(re.findall(r"accuracy[: ']+([\d.]+)", printed)[-1])


def test_both_programs_of_the_tutorial_learn(server, example, capsys):
    after = example("pytorch", "torch").main(server.address, 2)
    assert accuracy(after, server) > 0.85
    assert validated(capsys.readouterr().out) == pytest.approx(100 * accuracy(after, server), abs=0.06)
    # A process of its own, because its workers are forked, which the threads of JAX would not survive.
    command = [sys.executable, "dataloader.py", str(server.data), "2"]
    before = subprocess.run(command, cwd=EXAMPLES, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert before.returncode == 0, before.stdout
    assert 0 < float(before.stdout.split("loss ")[1]) < 1


def test_a_killed_program_ends_with_the_parameters_of_a_quiet_one(server, example, tmp_path):
    torch = pytest.importorskip("torch")
    quiet = example("resume", "torch").main(str(tmp_path / "quiet.pt"), server.address, 2)
    command = [sys.executable, "resume.py", str(tmp_path / "killed.pt"), server.address, "2"]
    kills, saved = 0, ""
    while "step 200" not in saved:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        with subprocess.Popen(command, cwd=EXAMPLES, env=environment, stdout=subprocess.PIPE, text=True) as process:
            for saved in process.stdout:
                if saved.startswith("saved") and kills < 2:
                    process.send_signal(signal.SIGKILL)
                    kills += 1
                    break
            process.stdout.read()
        assert process.returncode == 0 or process.returncode == -signal.SIGKILL
    assert kills == 2
    states = [torch.load(tmp_path / name)["model"] for name in ("quiet.pt", "killed.pt")]
    assert states[0].keys() == quiet.state_dict().keys()
    assert all(torch.equal(states[0][key], states[1][key]) for key in states[0])


def test_jax_learns(server, example):
    module = example("jax_training", "jax")
    parameters, loss = module.main(server.address, 3)
    images, labels = held_out(server)
    pixels = np.round((images * np.float32(0.3081) + np.float32(0.1307)) * 255)
    assert (np.asarray(module.logits(parameters, pixels)).argmax(1) == labels).mean() > 0.9 and loss < 1


ACCUMULATED = pytest.mark.parametrize(("accumulated", "steps"), [(1, 120), (3, 70)], ids=["batch", "3 batches"])


@ACCUMULATED
def test_lightning_continues_its_checkpoint_exactly(server, example, tmp_path, accumulated, steps):
    lightning = example("lightning_training", "lightning")
    quiet = lightning.main(server.address, steps, accumulated=accumulated)
    lightning.main(server.address, 50, save=tmp_path / "half.ckpt", accumulated=accumulated)
    resumed = lightning.main(server.address, steps, checkpoint=tmp_path / "half.ckpt", accumulated=accumulated)
    assert equal(quiet, resumed)


def test_lightning_validates_with_the_pipelines_evaluation(server, example, capsys):
    model = example("lightning_training", "lightning").main(server.address, 100)
    found = re.findall(r"val_accuracy ([\d.]+)", capsys.readouterr().out)
    assert float(found[-1]) == pytest.approx(accuracy(model.layers, server), abs=6e-4)


def test_the_trainer_of_hugging_face_validates_with_the_pipelines_evaluation(server, example, tmp_path, capsys):
    pytest.importorskip("accelerate")
    model = example("trainer", "transformers").main(str(tmp_path / "run"), server.address, 100)
    out = capsys.readouterr().out
    assert validated(out.replace("eval_accuracy", "accuracy")) == pytest.approx(accuracy(model.layers, server), abs=6e-4)
    with millrace.Loader(server.address) as loader:
        epochs = 100 / len(loader)
    assert float(re.findall(r"'epoch': '?([\d.]+)", out)[-1]) == pytest.approx(epochs, rel=0.01)


@ACCUMULATED
def test_the_trainer_of_hugging_face_continues_its_checkpoint_exactly(server, example, tmp_path, accumulated, steps):
    pytest.importorskip("accelerate")
    trainer = example("trainer", "transformers")
    quiet = trainer.main(str(tmp_path / "quiet"), server.address, steps, accumulated)
    trainer.main(str(tmp_path / "halves"), server.address, 50, accumulated)
    resumed = trainer.main(str(tmp_path / "halves"), server.address, steps, accumulated)
    assert equal(quiet, resumed)


def test_accelerate_continues_its_state_exactly(server, example, tmp_path):
    accelerate = example("accelerate_training", "accelerate")
    quiet = accelerate.main(str(tmp_path / "quiet"), server.address, 120)
    accelerate.main(str(tmp_path / "halves"), server.address, 50)
    resumed = accelerate.main(str(tmp_path / "halves"), server.address, 120)
    assert equal(quiet, resumed)


def test_two_ranks_train_what_one_process_trains(example, tmp_path, monkeypatch):
    """The last batch of each epoch has a single row, so that the other rank gets a padded one."""
    torch = pytest.importorskip("torch")
    if not torch.distributed.is_gloo_available():
        pytest.skip("torch lacks gloo")
    monkeypatch.chdir(tmp_path)
    pipeline = tmp_path / "digits.yaml"
    dataset = "format: idx, path: digits, generate: { digits: { train: 385, test: 100 } }, epochs: 12"
    text = re.sub("(?m)^dataset:.*", f"dataset: {{ {dataset} }}", PIPELINE.read_text())
    pipeline.write_text(text + "run: { web_port: 0 }\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "SAVE": str(tmp_path / "ddp.pt"), "OMP_NUM_THREADS": "1"}
    environment["MILLRACE_HOME"] = str(Path(LAUNCHER).parent)
    monkeypatch.setenv("MILLRACE_HOME", environment["MILLRACE_HOME"])
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command += [str(EXAMPLES / "ddp.py"), str(pipeline), "8"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    # 8 epochs of 6 full batches and one of a single row.
    assert "rank 0 of 2: 1544 rows" in done.stdout and "rank 1 of 2: 1536 rows" in done.stdout
    alone = example("pytorch", "torch").main(str(pipeline), 8)
    saved = torch.load(tmp_path / "ddp.pt")
    for key, value in alone.state_dict().items():
        # Sums in another order: Adam turns the sign of a gradient near 0 into a step, so single parameters may differ more.
        assert (saved[key] - value).abs().mean() < 1e-4, key


@pytest.fixture
def photos(tmp_path):
    """Returns a folder with `data/photos`: two classes of 40 JPEGs each, whose colours differ."""
    image = pytest.importorskip("PIL.Image")
    generator = np.random.default_rng(1)
    for name, colour in ("ash", (200, 80, 40)), ("birch", (40, 90, 200)):
        (tmp_path / "data/photos" / name).mkdir(parents=True)
        for i in range(40):
            noise = generator.integers(-30, 30, (80 + i % 5, 96 - i % 7, 3))
            picture = image.fromarray((noise + colour).astype(np.uint8))
            picture.save(tmp_path / "data/photos" / name / f"{i}.jpg")
    return tmp_path


MOVED = EXAMPLES / "from_dataloader"


@pytest.mark.parametrize("step", [None, 1, 2, 3])
def test_each_step_from_dataloader_learns(photos, step):
    pytest.importorskip("torch")
    command = [str(MOVED / "before.py")] if step is None else [str(MOVED / "after.py"), str(MOVED / f"step{step}.yaml")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "MILLRACE_HOME": str(Path(LAUNCHER).parent)}
    done = subprocess.run(
        [sys.executable, *command], cwd=photos, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout
    assert 0 < float(done.stdout.split("loss ")[-1]) < 0.5, done.stdout  # 2.3 before the training


@pytest.mark.parametrize(
    "command",
    [
        ["inspect", "step1.yaml"],
        ["inspect", "step2.yaml"],
        ["preview", "step3.yaml", "--out", "sheet.png"],
        ["pack", "step2.yaml", "packed"],
        ["diagnose", "step2.yaml", "--samples", "32", "--most", "4s"],
    ],
    ids=" ".join,
)
def test_commands_take_the_pipelines_of_the_steps(photos, command, monkeypatch):
    monkeypatch.setenv("MILLRACE_PYTHON", sys.executable)
    name, step, *options = command
    done = subprocess.run(
        [LAUNCHER, name, str(MOVED / step), *options], cwd=photos, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout
    # Training has to be meant: the same file is refused with the line to add.
    if name == "diagnose":
        trained = subprocess.run([LAUNCHER, "train", str(MOVED / step)], cwd=photos, stderr=subprocess.PIPE, text=True)
        assert trained.returncode == 2 and "train: { model: none }" in trained.stderr, trained.stderr


def blocks(page):
    """Returns the parts of example programs that a page shows: (program, lines)."""
    text = (ROOT / page).read_text()
    return re.findall(r"<!-- (python/examples/[\w/]+\.(?:py|yaml)) -->\n+```(?:python|yaml)\n(.*?)```", text, re.DOTALL)


def code_of(line):
    """Returns a line without its indentation and its comment."""
    return re.sub(r"\s{2,}#.*", "", line.strip())


@pytest.mark.parametrize("page", ["docs/use/python.md", "docs/use/from-dataloader.md", "README.md"])
def test_the_documentation_shows_the_programs_that_run_here(page):
    found = blocks(page)
    assert found
    for program, shown in found:
        lines = {code_of(line) for line in (ROOT / program).read_text().splitlines()}
        for line in shown.splitlines():
            code = code_of(line)
            assert code in lines or code == "...", f"{page}: {program} lacks the line {code!r}"

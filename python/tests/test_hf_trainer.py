"""The example of Hugging Face's Trainer: losses of packed and unpacked documents, training, and a resume."""

import importlib
import os
import subprocess
import sys

import numpy as np
import pytest

import millrace

from .peer import TOKEN
from .server import ROOT
from .test_gpt import VOCABULARY, counting, unpacked, without_labels
from .test_sequences import LENGTH, ONLY, packs, ranked

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("accelerate")


@pytest.fixture(autouse=True)
def nothing_left():
    """Replaces the check for open files: the Trainer keeps files and threads."""


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "python" / "examples"))
    return importlib.import_module("hf_trainer")


def gpt2(attention):
    size = {"n_positions": LENGTH, "n_embd": 32, "n_layer": 2, "n_head": 4}
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=VOCABULARY, attn_implementation=attention, **size))


def llama(attention):
    size = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(vocab_size=VOCABULARY, attn_implementation=attention, **size))


def varlen(module, query, key, value, mask, cu_seq_lens_q=None, cu_seq_lens_k=None, max_length_q=0, max_length_k=0, **others):
    """Returns the attention within the segments of the arguments for flash attention, segment by segment."""
    parts = [each.transpose(1, 2).flatten(0, 1) for each in (query, key, value)]  # [tokens, heads, width of a head]
    ends = [0, len(parts[0])] if cu_seq_lens_q is None else cu_seq_lens_q.tolist()
    assert cu_seq_lens_q is cu_seq_lens_k and max_length_q == max_length_k, "as in flash attention without a cache"
    assert cu_seq_lens_q is None or max(np.diff(ends)) == max_length_q
    found = []
    for begin, end in zip(ends, ends[1:]):
        own = (each[begin:end].transpose(0, 1) for each in parts)
        found.append(torch.nn.functional.scaled_dot_product_attention(*own, is_causal=True).transpose(0, 1))
    return torch.cat(found).unflatten(0, (len(query), -1)), None


def difference(example, peer, kind, attention="sdpa", **changed):
    """Returns the largest difference of the mean losses of packed and unpacked documents over some batches."""
    torch.manual_seed(3)
    model = kind(attention).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)  # What a token attends to must change its loss.
    server = peer(steps=4, sequence=LENGTH, only=ONLY, values=packs, buffers=8)
    worst = 0.0
    with millrace.Loader(server.address) as loader, torch.no_grad():
        for batch in loader:
            packed = model(**{**example.inputs(batch), **changed}).loss.item()
            total, count = 0.0, 0
            for tokens, labels in unpacked(batch.step, len(batch), True):
                logits = model(tokens[None], use_cache=False).logits[0, :-1]
                total += torch.nn.functional.cross_entropy(logits, labels, reduction="sum").item()
                count += int((labels != -100).sum())
            worst = max(worst, abs(packed - total / count))
    return worst


@pytest.mark.parametrize("kind", [gpt2, llama])
@pytest.mark.parametrize("attention", ["sdpa", "eager", "varlen"])
def test_the_losses_of_packed_documents_are_those_of_documents_alone(example, peer, kind, attention):
    transformers.AttentionInterface.register("varlen", varlen)  # Flash attention needs a GPU.
    assert difference(example, peer, kind, attention) < 1e-5


@pytest.mark.parametrize("kind", [gpt2, llama])
@pytest.mark.parametrize(
    "changed",
    [{"position_ids": None}, {"use_cache": True}, {"attention_mask": torch.ones(4, LENGTH)}],
    ids=["no positions", "a cache", "a mask"],
)
def test_attention_that_reaches_other_documents_changes_the_losses(example, peer, kind, changed):
    assert difference(example, peer, kind, **changed) > 0.01


def parameters(model):
    return [each.detach().clone() for each in model.parameters()]


def test_the_example_learns(example, peer, tmp_path):
    server = peer(steps=80, sequence=LENGTH, only=ONLY, values=counting, buffers=8)
    _, losses = example.main(str(tmp_path), server.address, 80, 1, 40)
    assert len(losses) == 8 and losses[-1] < 0.5 * losses[0]


def test_updates_without_labels_leave_finite_parameters(example, peer, tmp_path):
    server = peer(steps=10, sequence=LENGTH, only=ONLY, values=without_labels, buffers=8)
    model, losses = example.main(str(tmp_path), server.address, 10, 1, VOCABULARY)
    assert all(each.isfinite().all() for each in parameters(model)) and losses[0] > 1


@pytest.mark.parametrize("accumulated", [1, 3])
def test_a_run_that_continues_its_checkpoint_has_the_losses_and_parameters_of_a_whole_run(example, peer, tmp_path, accumulated):
    server = peer(steps=240, sequence=LENGTH, only=ONLY, values=packs, buffers=8)
    whole, expected = example.main(str(tmp_path / "whole"), server.address, 80, accumulated, VOCABULARY)
    example.main(str(tmp_path / "parts"), server.address, 50, accumulated, VOCABULARY)
    resumed, found = example.main(str(tmp_path / "parts"), server.address, 80, accumulated, VOCABULARY)
    assert found == expected and len(found) == 8
    assert all(torch.equal(one, other) for one, other in zip(parameters(whole), parameters(resumed)))


def test_a_checkpoint_of_other_data_is_refused(example, peer, tmp_path):
    options = {"steps": 60, "sequence": LENGTH, "only": ONLY, "values": packs, "buffers": 8}
    example.main(str(tmp_path), peer(**options).address, 50, 1, VOCABULARY)
    other = peer(plan={"fingerprint": {"order.seed": "2", "batch.size": "4"}}, **options)
    with pytest.raises(millrace.PlanDiffers, match="order.seed is '1', expected '2'"):
        example.main(str(tmp_path), other.address, 60, 1, VOCABULARY)


def test_two_processes_train_what_one_trains(example, peer, tmp_path):
    if not torch.distributed.is_gloo_available():
        pytest.skip("torch lacks gloo")
    alone, expected = example.main(str(tmp_path / "one"), ranked(peer, 1, steps=60).address, 50, 1, VOCABULARY)
    arguments = (str(tmp_path / "two"), ranked(peer, 2, steps=60).address, 50, 1, VOCABULARY)
    (tmp_path / "two.py").write_text(f"import hf_trainer; hf_trainer.main(*{arguments})")
    paths = [str(ROOT / "python"), str(ROOT / "python" / "examples")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "MILLRACE_TOKEN": TOKEN, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(tmp_path / "two.py")]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    assert done.returncode == 0, done.stdout
    checkpoint = str(tmp_path / "two" / "checkpoint-50")
    saved = transformers.TrainerState.load_from_json(f"{checkpoint}/trainer_state.json")
    assert [entry["loss"] for entry in saved.log_history] == pytest.approx(expected, rel=1e-3)
    two = transformers.LlamaForCausalLM.from_pretrained(checkpoint)
    assert all((one - other).abs().mean() < 1e-3 for one, other in zip(parameters(alone), parameters(two)))
    # One process continues the checkpoint of two.
    _, losses = example.main(str(tmp_path / "two"), ranked(peer, 1, steps=60).address, 60, 1, VOCABULARY)
    assert len(losses) == 6

"""A mixture of two folders of pictures, some of them bad, from real servers: other numbers of ranks, kills, another future."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import millrace

from .server import ROOT, Server

ROWS = 16
EPOCH = 30
FIRST = 12
"""The number of steps of the first phase."""

PIPELINE = """\
name: mixed
datasets:
  web: {{ format: folder, path: {data}/web, generate: {{ photos: {{ count: 150, size: 40x32, classes: 4, bad: 2 }} }} }}
  code: {{ format: folder, path: {data}/code, generate: {{ photos: {{ count: 50, size: 40x32, classes: 4, bad: 1 }} }} }}
mix:
  - {{ steps: 12, weights: {{ web: 0.75, code: 0.25 }} }}
  - {{ steps: 108, weights: {{ web: 0.5, code: 0.5 }}, ramp: 6 }}
mix_epoch: 30
transforms: [ decode, Resize: {{ size: [8, 8] }} ]
batch: {{ size: 16, max_quarantined: 0.5 }}
run: {{ folder: {data}/runs, web_port: 0 }}
"""


class Mixed:
    """Starts servers of the mixture, and remembers what a loop on one rank receives that nobody disturbs."""

    def __init__(self, folder):
        self.folder = folder
        self.text = PIPELINE.format(data=folder)
        self.count = 0
        one = self.server(1)
        with millrace.Loader(one.address, token=one.token, timeout=120) as loader:
            self.sources, self.mix = loader.plan.sources, str(loader.mix)
            self.batches = [batch.copy() for batch in loader.steps()]
            loader.seek(0)  # The server goes on.
        self.one = one

    def server(self, world, *options, text=None):
        self.count += 1
        folder = self.folder / f"server{self.count}"
        folder.mkdir()
        pipeline = folder / "mixed.yaml"
        pipeline.write_text(text or self.text)
        return Server(folder, "--world", str(world), *options, pipeline=pipeline)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    made = Mixed(tmp_path_factory.mktemp("mixed"))
    yield made
    made.one.stop()


def rows(batch):
    """Returns the index of the sample at each position."""
    return dict(zip(batch.positions.tolist(), batch.indexes.tolist()))


def test_the_rows_are_those_of_the_phases_and_of_whole_epochs_of_each_dataset(mixed):
    assert [(source.name, source.size, source.first) for source in mixed.sources] == [("web", 152, 0), ("code", 51, 152)]
    assert mixed.mix == "12: web=3/4 code=1/4; 108 ramp 6: web=1/2 code=1/2"
    assert len(mixed.batches) == 120 and sum(len(batch.missing) for batch in mixed.batches) > 3
    seen = {0: [], 1: []}
    for number, batch in enumerate(mixed.batches, start=1):
        for source, index in zip(batch.source.tolist(), batch.source_index.tolist()):
            seen[source].append(index)
        if number <= FIRST:
            assert abs(len(seen[0]) - 0.75 * ROWS * number) <= 1.3 + 2
    good = {0: 150, 1: 50}
    for source, size in good.items():
        first = seen[source][:size]
        assert len(set(first)) == size, "each good sample once before any comes again"


def test_a_state_of_the_end_of_an_epoch_and_a_second_one_go_on_exactly(mixed):
    state = None
    for number in range(3):
        with millrace.Loader(mixed.one.address, token=mixed.one.token, timeout=120) as loader:
            if state is not None:
                loader.load_state_dict(state)
            steps = []
            for batch in loader:
                assert rows(batch) == rows(mixed.batches[batch.step]) and batch.epoch == number
                steps.append(batch.step)
            state = json.loads(json.dumps(loader.state_dict()))
        assert steps == list(range(number * EPOCH, (number + 1) * EPOCH)) and state["step"] == (number + 1) * EPOCH


CLIENT = """
import json, sys
import millrace

address, token, world, state = sys.argv[1], sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4])
loaders = [millrace.Loader(address, token=token, rank=rank, world=world, timeout=120) for rank in range(world)]
for loader in loaders:
    if state:
        loader.load_state_dict(state)
while True:
    positions, indexes = [], []
    for loader in loaders:
        batch = next(loader)
        positions += batch.positions[batch.positions >= 0].tolist()
        indexes += batch.indexes[batch.positions >= 0].tolist()
    states = [loader.state_dict() for loader in loaders]
    assert all(one == states[0] for one in states)
    print(json.dumps([batch.step, positions, indexes, states[0]]), flush=True)
"""


def test_1_4_2_and_8_ranks_receive_the_same_global_batches_although_client_and_server_are_killed(mixed):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    state, step = None, 0
    for world in (1, 4, 2, 8):
        server = mixed.server(world)
        try:
            command = [sys.executable, "-c", CLIENT, server.address, server.token, str(world), json.dumps(state)]
            with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as client:
                for _ in range(9):
                    line = client.stdout.readline()
                    assert line, server.log()
                    found, positions, indexes, state = json.loads(line)
                    assert found == step and state["step"] == step + 1
                    assert dict(zip(positions, indexes)) == rows(mixed.batches[step])
                    step += 1
                client.kill()
        finally:
            server.process.kill()
            server.process.wait(60)
    assert step == 36, "one epoch and a part of the next"


RANK = """
import json, sys
import torch
import torch.distributed as dist
import millrace

address, token, rendezvous, rank, world = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
dist.init_process_group("gloo", init_method="file://" + rendezvous, rank=rank, world_size=world)
state, steps, padded, left_out, sums = None, [], 0, 0, []
for epoch in range(4):
    loader = millrace.Loader(address, token=token, rank=rank, world=world, timeout=120)
    if state:
        loader.load_state_dict(state)
    for batch in loader:
        total = torch.tensor([float(batch.weights.sum()), float(batch.step)])
        dist.all_reduce(total)
        assert total[1] == world * batch.step
        padded += int((batch.source == -1).sum())
        sums.append(int(total[0]))
        steps.append(batch.step)
    state = loader.state_dict()
    left_out += loader.stats()["left_out"]
    if epoch < 3:
        loader.close()
print(json.dumps([steps, padded, left_out, sums]), flush=True)
loader.close()
dist.destroy_process_group()
"""


def test_four_ranks_with_bad_rows_take_equal_numbers_of_steps_and_resume_at_each_end_of_an_epoch(mixed):
    torch = pytest.importorskip("torch")
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        pytest.skip("torch lacks gloo")
    server = mixed.server(4, "--set", "batch.size=4")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "OMP_NUM_THREADS": "1"}
    try:
        words = [sys.executable, "-c", RANK, server.address, server.token, str(server.folder / "rendezvous")]
        ranks = [
            subprocess.Popen([*words, str(rank), "4"], env=environment, stdout=subprocess.PIPE, text=True) for rank in range(4)
        ]
        found = []
        for rank in ranks:
            printed, _ = rank.communicate(timeout=300)
            assert rank.returncode == 0, server.log()
            found.append(json.loads(printed.splitlines()[-1]))
        assert server.process.wait(120) == 0, server.log()
    finally:
        if server.process.poll() is None:
            server.stop()
    steps, padded, left_out, sums = zip(*found)
    assert list(steps) == [list(range(120))] * 4 and left_out == (0, 0, 0, 0)
    # A bad row leaves its rank without a sample of the step.
    assert sum(padded) == 120 * 4 - sum(sums[0]) >= 5 and all(one == sums[0] for one in sums)


FUTURE = """\
  math: {{ format: folder, path: {data}/math, generate: {{ photos: {{ count: 20, size: 40x32, classes: 4 }} }} }}
mix:
  - {{ steps: 12, weights: {{ web: 3, code: 1 }} }}
  - {{ steps: 60, weights: {{ web: 0.5, code: 0.2, math: 0.3 }} }}
mix_epoch: 36
"""


def test_a_state_goes_on_with_other_shares_and_an_added_dataset_but_not_before_its_step(mixed):
    begin, end = mixed.text.index("mix:\n"), mixed.text.index("transforms:")
    server = mixed.server(1, text=mixed.text[:begin] + FUTURE.format(data=mixed.folder) + mixed.text[end:])
    with millrace.Loader(mixed.one.address, token=mixed.one.token, timeout=120) as loader:
        loader.seek(FIRST)
        state = loader.state_dict()
    try:
        with millrace.Loader(server.address, token=server.token, timeout=120) as loader:
            for _ in range(FIRST):
                batch = next(loader)
                assert rows(batch) == rows(mixed.batches[batch.step]), "the past is what it was"
            with pytest.raises(millrace.PlanDiffers, match="mix is '.*', which differs from step 12 on; steps before 13 have"):
                loader.load_state_dict({**state, "step": FIRST + 1})
            loader.load_state_dict(state)
            future = [batch.copy() for batch in loader.steps()]
            assert [source.name for source in loader.plan.sources] == ["web", "code", "math"]
        assert future[0].step == FIRST and len(future) == 60
        numbers = np.concatenate([batch.source for batch in future])
        for number, share in enumerate((0.5, 0.2, 0.3)):
            assert abs((numbers == number).sum() - share * 60 * ROWS) <= 1.3 + 10, "but for the bad rows"
        for number, size in enumerate((150, 50, 20)):
            whole = [*mixed.batches[:FIRST], *future]
            seen = np.concatenate([batch.source_index[batch.source == number] for batch in whole])
            assert len(set(seen[:size].tolist())) == size, "no sample is lost or repeated"
    finally:
        if server.process.poll() is None:
            server.stop()

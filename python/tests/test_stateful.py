"""The interfaces by which training programs save a loader: those of torchdata, torchtitan with torch's checkpoints, and Grain.

Of torchdata's own tests of states (`test/stateful_dataloader/test_state_dict.py`), these apply to a dataset whose batches are
ready and that needs no worker processes (`num_workers=0`), and have a test of the same meaning here or in test_frameworks.py:

- TestStatefulDataLoaderIterable, `test_no_mp`: a state at any place, `test_stateful_dataloader_resumes`
- TestSnapshotZero and TestSnapshotEnd, `test_iterable`
- TestInitialState: `test_initial_state`, `test_load_state_after_initial_state_dict`, `test_load_state_before_initial_state_dict`,
  `test_load_then_state`, and the error of an iteration
- TestJsonSerDe, `test_json_serde_single_process`
- TestConcurrentDataLoaders
- TestMultiEpochSDL and TestMultiEpochState, `test_inline`
- TestEndOfEpochBehavior
- TestSingleIterCalled, `test_inline`
- TestDatasetIteratorStateDuplication: the state is in the dataset only

The others are about worker processes, samplers, map-style datasets, random states of workers, and incremental states.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import millrace

from .peer import TOKEN

BATCHES = 10


@pytest.fixture
def opened(peer):
    """Returns a function that opens a loader of a run with epochs of ten batches, which the fixture closes."""
    made = []

    def start(**options):
        server = peer(steps=None, epochs=None, plan={"steps_per_epoch": BATCHES}, only=("image", "label"), buffers=8)
        made.append(millrace.Loader(server.address, **options))
        return made[-1]

    yield start
    for one in made:
        one.close()


@pytest.fixture
def stateful(opened):
    """Returns a function that makes a StatefulDataLoader of a new loader."""
    kind = pytest.importorskip("torchdata.stateful_dataloader").StatefulDataLoader

    def start():
        return kind(opened().iterable(), batch_size=None, num_workers=0)

    return start


def steps(batches):
    return [batch.step for batch in batches]


def epoch(number, first=0):
    return list(range(number * BATCHES + first, (number + 1) * BATCHES))


class TestTorchdata:
    def test_a_state_before_the_first_batch_begins_again(self, stateful):
        data = stateful()
        iterator = iter(data)
        start = data.state_dict()
        assert steps(iterator) == epoch(0)
        data.load_state_dict(start)
        assert steps(data) == epoch(0)

    def test_a_state_of_the_end_begins_the_next_epoch_also_in_a_loop_that_has_begun(self, stateful):
        data = stateful()
        assert steps(data) == epoch(0)
        end = data.state_dict()
        assert steps(data) == epoch(1)
        data = stateful()
        iterator = iter(data)
        assert [next(iterator).step, next(iterator).step] == [0, 1]
        data.load_state_dict(end)
        assert steps(data) == epoch(1)

    def test_a_state_that_was_asked_for_first_changes_nothing(self, stateful):
        data = stateful()
        start = data.state_dict()
        assert steps(data) == epoch(0)
        iterator = iter(data)
        assert [next(iterator).step, next(iterator).step] == [10, 11]
        data.load_state_dict(start)
        assert steps(data) == epoch(0) and steps(data) == epoch(1)

    @pytest.mark.parametrize("interrupt", [2, 9])
    def test_a_state_is_loaded_after_one_was_asked_for(self, stateful, interrupt):
        data = stateful()
        iterator = iter(data)
        for _ in range(interrupt):
            next(iterator)
        state = data.state_dict()
        expected = steps(iterator)
        data = stateful()
        data.state_dict()
        data.load_state_dict(state)
        assert steps(data) == expected == epoch(0, interrupt)

    @pytest.mark.parametrize("interrupt", [2, 9])
    def test_the_state_is_the_loaded_one_until_the_first_batch(self, stateful, interrupt):
        data = stateful()
        iterator = iter(data)
        for _ in range(interrupt):
            next(iterator)
        state = data.state_dict()
        data = stateful()
        data.load_state_dict(state)
        assert data.state_dict() == state
        assert steps(data) == epoch(0, interrupt)

    def test_a_loop_that_has_begun_goes_back_to_a_state(self, stateful):
        data = stateful()
        start = data.state_dict()
        data = stateful()
        iterator = iter(data)
        for _ in range(3):
            next(iterator)
        data.load_state_dict(start)
        again = data.state_dict()
        assert again["dataset_state"] == start["dataset_state"] and steps(data) == epoch(0)

    def test_two_loaders_go_on_from_one_state(self, stateful):
        data = stateful()
        iterator = iter(data)
        for _ in range(4):
            next(iterator)
        state = json.loads(json.dumps(data.state_dict()))
        others = [stateful(), stateful()]
        for other in others:
            other.load_state_dict(state)
        assert [batch.step for pair in zip(*others) for batch in pair] == [step for step in epoch(0, 4) for _ in range(2)]
        others[0].load_state_dict(state)  # a second time
        assert steps(others[0]) == epoch(0, 4)

    def test_epochs_follow_each_other_after_a_state(self, stateful):
        data = stateful()
        assert steps(data) + steps(data) == epoch(0) + epoch(1)
        state = data.state_dict()
        data = stateful()
        data.load_state_dict(state)
        assert steps(data) + steps(data) == epoch(2) + epoch(3)

    def test_a_state_in_the_last_step_of_a_loop_and_one_after_it_begin_the_next_epoch(self, stateful):
        # torchdata's loaders give nothing at first after the former. A loop that counts epochs would count one too many.
        data = stateful()
        for _ in data:
            inside = data.state_dict()
        after = data.state_dict()
        for state in (inside, after):
            data = stateful()
            data.load_state_dict(state)
            assert steps(data) == epoch(1)

    def test_the_place_is_only_in_the_state_of_the_dataset(self, stateful):
        data = stateful()
        iterator = iter(data)
        next(iterator)
        next(iterator)
        state = data.state_dict()
        assert state["dataset_state"]["step"] == 2 and state["fetcher_state"]["dataset_iter_state"] is None

    def test_an_error_is_that_of_the_loader(self, stateful):
        data = stateful()
        data.load_state_dict({**data.state_dict(), "dataset_state": {"version": 7}})
        with pytest.raises(ValueError, match="is not a state of this package"):
            next(iter(data))


class TestGrain:
    def test_an_iterator_goes_on_from_its_state(self, opened):
        iterator = iter(opened())
        assert [next(iterator).step for _ in range(3)] == [0, 1, 2]
        state = iterator.get_state()
        assert isinstance(state, bytes) and json.loads(state)["step"] == 3
        assert steps(iterator) == epoch(0, 3)
        iterator.set_state(state)  # also after its end
        assert steps(iterator) == epoch(0, 3)
        other = iter(opened())
        other.set_state(state)
        assert next(other).step == 3
        other.set_state(state)  # a second time
        assert [next(other).step, next(other).step] == [3, 4]

    def test_a_loader_is_an_iterator_over_the_whole_run(self, opened):
        loader = opened()
        assert [next(loader).step for _ in range(9)] == epoch(0)[:9]
        state = loader.get_state()
        assert [next(loader).step for _ in range(4)] == [9, 10, 11, 12]
        loader.set_state(state)
        assert next(loader).step == 9
        loader.set_state(loader.state_dict())  # a mapping, as that of Grain's DatasetIterator
        assert steps(loader) == epoch(1)

    def test_a_checkpoint_is_written_and_restored_as_grains_handler_does(self, opened, tmp_path):
        # The handler writes get_state().decode() for what is no iterator of Grain, and calls set_state and start_prefetch.
        loader = opened()
        for _ in range(12):
            next(loader)
        file = tmp_path / "process_0-of-1.json"
        file.write_text(loader.get_state().decode())
        restored = opened()
        restored.set_state(file.read_text().encode())
        restored.start_prefetch()
        assert next(restored).step == 12

    @pytest.mark.parametrize("wrong", [b"", b"\xff", b"nonsense", b"[]", b"{}", {"step": 1}, "text", None])
    def test_what_is_no_state_is_refused_and_changes_nothing(self, opened, wrong):
        loader = opened()
        next(loader)
        with pytest.raises(ValueError, match="expected the state of a loader as JSON|is not a state of this package"):
            loader.set_state(wrong)
        assert next(loader).step == 1


RANK = """
import json, sys
import torch.distributed as dist
import torch.distributed.checkpoint as checkpoints
import millrace

action, folder, rendezvous, rank, world, address = sys.argv[1:]
rank, world = int(rank), int(world)
dist.init_process_group("gloo", init_method="file://" + rendezvous, rank=rank, world_size=world)
loader = millrace.Loader(address, rank=rank, world=world)
if action == "save":
    for _ in range(6):
        next(loader)
    checkpoints.save({"dataloader": loader}, checkpoint_id=folder)
else:
    checkpoints.load({"dataloader": loader}, checkpoint_id=folder)
print(json.dumps([loader.step, next(loader).step]))
loader.close()
dist.destroy_process_group()
"""


class TestTorchtitan:
    """torchtitan requires `state_dict`, `load_state_dict` and `close` of a loader, which its distributed checkpoints save."""

    def test_close_may_be_called_twice(self, opened):
        loader = opened()
        next(loader)
        loader.close()
        loader.close()

    @pytest.mark.parametrize(("saved", "loaded"), [(2, 1), (1, 2)])
    def test_a_distributed_checkpoint_is_loaded_by_another_number_of_ranks(self, peer, tmp_path, saved, loaded):
        pytest.importorskip("torch.distributed.checkpoint")
        before = {"batch.size": "4", "mix": "6: web=1; open: code=1", "datasets": "web code"}
        after = {**before, "datasets": "web code math", "datasets.math.size": "3", "mix": "6: web=1; open: math=1"}

        def run(action, world, fingerprint):
            servers = [peer(steps=20, epochs=2, plan={"fingerprint": fingerprint}, only=("label",)) for _ in range(world)]
            rendezvous = tmp_path / action
            environment = {**os.environ, "PYTHONPATH": str(Path(millrace.__file__).parents[1]), "MILLRACE_TOKEN": TOKEN}
            words = [sys.executable, "-c", RANK, action, str(tmp_path / "checkpoint"), str(rendezvous)]
            ranks = [
                subprocess.Popen(
                    [*words, str(rank), str(world), server.address],
                    env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                )
                for rank, server in enumerate(servers)
            ]  # fmt: skip
            found = []
            for rank in ranks:
                printed, errors = rank.communicate(timeout=300)
                assert rank.returncode == 0, errors
                found.append(json.loads(printed.splitlines()[-1]))
            return found

        assert run("save", saved, before) == [[6, 6]] * saved
        assert run("load", loaded, after) == [[6, 6]] * loaded

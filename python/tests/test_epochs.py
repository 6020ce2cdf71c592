"""A `for` over a loader is an epoch: the next one, the rest of one, the same one, a look, and the attributes of a DataLoader."""

import gc
import threading

import pytest

import millrace

from .peer import BYE, RETURN, SEEK, STEP
from .test_loader import KINDS, check

EPOCH = 5
"""Batches of an epoch."""


@pytest.fixture
def loader(peer):
    """Returns a function that opens a loader of an endless run, or of one with some epochs, which the fixture closes."""
    made = []

    def start(epochs=None, **options):
        server = peer(steps=None if epochs is None else epochs * EPOCH, epochs=epochs, plan={"steps_per_epoch": EPOCH})
        made.append(millrace.Loader(server.address, **options))
        made[-1].server = server
        return made[-1]

    yield start
    for one in made:
        one.close()


def steps(batches):
    return [batch.step for batch in batches]


def epoch(number, first=0):
    return list(range(number * EPOCH + first, (number + 1) * EPOCH))


@pytest.mark.parametrize("memory", KINDS)
@pytest.mark.parametrize("epochs", [None, 3])
def test_each_for_is_the_next_epoch(loader, memory, epochs):
    opened = loader(epochs, memory=memory)
    for number in range(3):
        assert len(opened) == EPOCH
        for step, batch in zip(epoch(number), opened):
            check(batch, step)
        assert opened.step == (number + 1) * EPOCH
    assert len(opened.server.of(SEEK)) == 1


def test_a_for_beyond_the_last_epoch_raises_what_to_set(loader):
    opened = loader(2)
    assert steps(opened) + steps(opened) == epoch(0) + epoch(1)
    for _ in range(2):
        with pytest.raises(millrace.NoMoreEpochs, match=r"the run has 2 epochs.* set dataset.epochs .*repeat=True"):
            steps(opened)
    assert opened.step == 2 * EPOCH and next(opened, None) is None
    opened.seek(EPOCH)
    assert steps(opened) == epoch(1)
    opened.close()
    opened.server.wait_for(lambda: opened.server.of(BYE))
    assert [m[2] for m in opened.server.of(STEP)] == epoch(0) + epoch(1) + epoch(1)


def test_a_break_ends_the_epoch(loader):
    opened = loader()
    for number in range(3):
        for batch in opened:
            if batch.step == number * EPOCH + 2:
                break
        assert opened.step == number * EPOCH + 3
    assert steps(opened) == epoch(3)


def test_with_repeat_each_for_is_the_same_epoch(loader):
    for epochs in (None, 1):
        opened = loader(epochs, repeat=True)
        assert steps(opened) == steps(opened) == epoch(0)
        for batch in opened:
            if batch.step == 3:
                break
        assert steps(opened) == epoch(0)
        for batch in opened:
            state = opened.state_dict()
        assert state["step"] == opened.state_dict()["step"] == 0
    opened = loader(3, repeat=True)
    opened.sampler.set_epoch(2)
    opened.seek(EPOCH + 2)
    assert steps(opened) == epoch(1, 2)
    assert steps(opened) == epoch(1)


@pytest.mark.parametrize("cut", range(1, 2 * EPOCH + 1))
@pytest.mark.parametrize("inside", [True, False])
def test_the_first_for_after_a_state_finishes_its_epoch(loader, cut, inside):
    opened, seen = loader(), []
    while len(seen) < cut:
        for batch in opened:
            seen.append(int(batch.indexes[0]))
            if len(seen) == cut:
                state = opened.state_dict()
                break
    if not inside:
        state = opened.state_dict()
    assert state["step"] == cut
    other = loader()
    other.load_state_dict(state)
    assert len(other) == EPOCH
    rest = [int(batch.indexes[0]) for batch in other]
    assert len(rest) == EPOCH - cut % EPOCH  # after the last batch of an epoch, it is the next one
    following = steps(other)
    assert following == epoch(cut // EPOCH + 1)
    whole = [int(batch.indexes[0]) for batch in loader(3).steps()]
    assert seen + rest + whole[following[0] :] == whole


def test_the_first_for_after_a_seek_finishes_its_epoch(loader):
    opened = loader(4)
    opened.seek(EPOCH + 3)
    assert steps(opened) == epoch(1, 3)
    assert steps(opened) == epoch(2)
    opened.seek(3 * EPOCH)
    assert steps(opened) == epoch(3)
    opened.seek(4 * EPOCH)
    with pytest.raises(millrace.NoMoreEpochs):
        iter(opened)
    opened.seek(0)
    found = []
    for batch in opened:
        found.append(batch.step)
        if batch.step == 1:
            opened.seek(2 * EPOCH + 1)  # within the loop: it goes on there
    assert found == [0, 1, *epoch(2, 1)]
    assert steps(opened) == epoch(3)


@pytest.mark.parametrize("memory", KINDS)
def test_a_look_at_the_first_batch_costs_nothing(loader, memory):
    opened = loader(memory=memory)
    for number in range(2):
        for _ in range(2):
            first = next(iter(opened))
            assert opened.step == opened.state_dict()["step"] == number * EPOCH
            check(first, number * EPOCH)
        first["image"][:] = 0  # The next one is not the memory of this one.
        for step, batch in zip(epoch(number), opened):
            check(batch, step)
    iter(opened)
    first = next(iter(opened))
    check(next(opened), 2 * EPOCH)
    assert steps(opened) == epoch(2, 1)
    del first, batch
    gc.collect()
    assert opened.stats()["lent"] == 0 and opened.stats()["steps"] == 3 * EPOCH
    opened.close()
    server = opened.server
    server.wait_for(lambda: server.of(BYE))
    assert len(server.of(SEEK)) == 1
    assert [m[2] for m in server.of(STEP)] == list(range(3 * EPOCH))
    assert len(server.of(RETURN)) >= 3 * EPOCH


def test_a_for_that_is_left_in_its_first_batch_counts_it_and_gives_it_again(loader):
    opened = loader()
    for batch in opened:
        assert batch["image"].shape == (4, 4, 5, 3)
        break
    assert opened.step == opened.state_dict()["step"] == 1
    assert steps(opened) == epoch(0)
    while opened.step < EPOCH + 1:  # the position that the loop has seen never goes back
        for _ in opened:
            if opened.step >= EPOCH + 1:
                break
    assert opened.step == EPOCH + 1
    assert steps(opened) == epoch(1)
    for batch in opened:
        assert batch["image"].any()
        break
    opened.seek(2 * EPOCH + 1)
    assert steps(opened) == epoch(2, 1)


def test_a_look_survives_a_lost_connection(peer):
    def script(connection):
        if connection.number == 0:
            connection.serve(until=1)
        else:
            connection.serve()

    for rank, world in ((0, 1), (1, 2)):  # the rank connects again while nobody asks for a batch
        server = peer(script)
        with millrace.Loader(server.address, rank=rank, world=world) as opened:
            check(next(iter(opened)), 0)
            if world > 1:
                server.wait_for(lambda found=server: len(found.of(SEEK)) == 2)
            for step, batch in enumerate(opened):
                check(batch, step)
            assert step == 9 and opened.stats()["steps"] == 10


def test_an_iterator_after_which_another_for_has_begun_raises(loader):
    opened = loader()
    first, unused = iter(opened), iter(opened)
    assert [next(first).step, next(first).step] == [0, 1]
    assert next(unused).step == EPOCH
    for _ in range(2):
        with pytest.raises(millrace.MillraceError, match="another `for` over the same loader has begun.*another Loader"):
            next(first)
    assert [next(unused).step, *steps(unused)] == epoch(1, 1)
    assert next(unused, None) is None and next(unused, None) is None


def test_several_threads_may_share_an_epoch(loader):
    opened = loader(copy=True)
    seen, iterator = [], iter(opened)
    threads = [threading.Thread(target=lambda: seen.extend(steps(iterator))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == epoch(0)


def test_steps_epochs_and_next_go_on_where_the_loader_is(loader):
    opened = loader(4)
    assert steps(opened) == epoch(0)
    assert next(opened).step == EPOCH
    assert steps(opened) == epoch(1, 1)
    assert next(opened.steps()).step == 2 * EPOCH
    assert [steps(one) for one in opened.epochs()] == [epoch(2, 1), epoch(3)]
    assert steps(opened.epoch(1)) == epoch(1)
    assert steps(opened) == epoch(2)
    assert steps(opened.steps()) == epoch(3)
    assert steps(opened.steps()) == []
    opened.seek(1)
    assert steps(opened.steps()) == list(range(1, 4 * EPOCH))


def test_attributes_of_a_dataloader(loader):
    opened = loader()
    assert opened.batch_size == 4 and opened.num_workers == 0 and len(opened.dataset) == 100
    with pytest.raises(TypeError, match="arrive in batches"):
        opened.dataset[0]
    opened.sampler.set_epoch(0)
    assert steps(opened) == epoch(0)
    for number in (1, 2, 2, 7):  # the next one, again, and another
        opened.sampler.set_epoch(number)
        assert steps(opened) == epoch(number)
    opened.seek(EPOCH + 2)
    opened.sampler.set_epoch(1)
    assert steps(opened) == epoch(1, 2)
    with pytest.raises(ValueError, match="at least 0"):
        opened.sampler.set_epoch(-1)
    opened = loader(2)
    opened.sampler.set_epoch(2)
    with pytest.raises(millrace.NoMoreEpochs):
        iter(opened)


def test_the_state_of_a_look_gives_each_rank_every_step_once(loader):
    opened = loader(rank=1, world=2)
    next(iter(opened))
    state = opened.state_dict()
    assert state["step"] == 0
    opened.load_state_dict(state)
    opened.server.wait_for(lambda: len(opened.server.of(SEEK)) == 2)  # another rank may load another state
    assert steps(opened) == epoch(0) and steps(opened) == epoch(1)


def test_after_a_look_and_another_epoch_next_gives_the_batch_of_the_look(loader):
    opened = loader()
    next(iter(opened))
    assert opened.step == 0
    opened.sampler.set_epoch(3)
    assert [next(opened).step for _ in range(3)] == [0, 1, 2]
    next(iter(opened))
    opened.sampler.set_epoch(3)
    assert steps(opened) == epoch(3)

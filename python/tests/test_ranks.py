"""Two ranks of one real server: in one thread, in two, alone, and one that stops."""

import logging
import threading

import pytest

import millrace

from .server import PIPELINE, Server, settings

pytestmark = pytest.mark.filterwarnings("ignore:.*buffers hold batches")


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """Returns a function that opens the loader of a rank at a server of two ranks, which all tests of this module share."""
    server = Server(tmp_path_factory.mktemp("ranks"), "--world", "2")
    yield lambda rank, **options: millrace.Loader(server.address, rank=rank, world=2, timeout=120, **options)
    server.stop()


class Log(logging.Handler):
    """The messages of the client, for which a test can wait."""

    def __init__(self):
        super().__init__()
        self.arrived = threading.Condition()
        self.messages = []

    def emit(self, record):
        with self.arrived:
            self.messages.append(record.getMessage())
            self.arrived.notify_all()

    def wait_for(self, text):
        """Returns the first message with a text. Fails without one after a minute, of which the server needs 5 to 15 s."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: any(text in message for message in self.messages), 60), self.messages
            return next(message for message in self.messages if text in message)


@pytest.fixture
def log():
    handler = Log()
    logging.getLogger("millrace").addHandler(handler)
    yield handler
    logging.getLogger("millrace").removeHandler(handler)


def in_thread(function):
    """Starts a thread with a function, and returns a function that waits for its result."""
    results = []
    thread = threading.Thread(target=lambda: results.append(function()), daemon=True)
    thread.start()

    def join():
        thread.join(60)
        assert not thread.is_alive() and results
        return results[0]

    return join


@pytest.mark.parametrize("memory", ["memfd", "inline"])
def test_one_thread_uses_two_ranks_in_turn(ranks, memory):
    def both():
        with ranks(0, memory=memory) as first, ranks(1, memory=memory) as second:
            steps = [(next(first).step, next(second).step) for _ in range(20)]
            for one in (first, second):
                one.load_state_dict({**one.state_dict(), "step": 250})
            steps += [(next(second).step, next(first).step) for _ in range(3)]
            return steps

    assert in_thread(both)() == [(step, step) for step in (*range(20), 250, 251, 252)]


def test_two_threads_use_a_rank_each(ranks):
    with ranks(0) as first, ranks(1) as second:
        wait = in_thread(lambda: [next(first).step for _ in range(20)])
        assert [next(second).step for _ in range(20)] == wait() == list(range(20))


def test_a_rank_that_never_comes_and_one_that_asks_for_nothing_are_named(ranks, log):
    with ranks(0) as first:
        wait = in_thread(lambda: next(first).step)
        log.wait_for("waiting for rank 1 of 2, wh")
        with ranks(1) as second:
            message = log.wait_for("is connected and has not asked for a batch")
            assert message.startswith("waiting for rank 1 of 2, whose client (")
            assert first.stats()["waiting_for"] == message
            assert next(second).step == wait() == 0


def test_a_rank_that_takes_no_batches_any_more_is_named(ranks, log):
    with ranks(0) as first, ranks(1) as second:
        wait = in_thread(lambda: [next(first).step for _ in range(90)])
        assert next(second).step == 0
        message = log.wait_for("which is at step 0 and not at step ")
        assert message.startswith("waiting for rank 1 of 2 (")
        assert [next(second).step for _ in range(89)] == list(range(1, 90))
        assert wait() == list(range(90))


def test_a_loader_of_one_rank_names_the_missing_one(tmp_path, log):
    with millrace.Loader(PIPELINE, rank=0, world=2, settings=settings(tmp_path)) as alone:
        wait = in_thread(lambda: next(alone).step)
        assert log.wait_for("waiting for rank") == "waiting for rank 1 of 2, which has not connected"
        with millrace.Loader(alone.address, rank=1, world=2) as other:
            assert next(other).step == wait() == 0

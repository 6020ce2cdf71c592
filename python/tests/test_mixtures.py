"""What a program sees of a mixture: the dataset of each row, the shares of the datasets, and the phases."""

import numpy as np
import pytest

import millrace
from millrace import _progress
from millrace._figures import shares_line

# The scripted server's indexes are 0 to 100.
SOURCES = [
    {"name": "web", "size": 50, "first": 0},
    {"name": "code", "size": 40, "first": 60},
    {"name": "math", "size": 1, "first": 100},
]
MIX = "6: web=0.8 code=0.2; open ramp 2: web=0.5 code=0.3 math=0.2"
PLAN = {"fingerprint": {"order.seed": "1", "batch.size": "4", "mix": MIX, "datasets": "web code math"}, "sources": SOURCES}


def number(index):
    return 0 if index < 60 else 1 if index < 100 else 2


def test_each_row_has_the_number_and_the_index_of_its_dataset(peer):
    with millrace.Loader(peer(steps=40, plan=PLAN).address) as loader:
        assert [(source.name, source.size, source.first) for source in loader.plan.sources] == [
            (one["name"], one["size"], one["first"]) for one in SOURCES
        ]
        counts = [0, 0, 0]
        for batch in loader:
            assert batch.source.dtype == np.int32 and batch.source.shape == (4,)
            assert batch.source.tolist() == [number(index) for index in batch.indexes]
            firsts = [SOURCES[source]["first"] for source in batch.source]
            assert batch.source_index.dtype == np.int64
            assert batch.source_index.tolist() == [index - first for index, first in zip(batch.indexes, firsts)]
            for source in batch.source:
                counts[source] += 1
        assert loader.stats()["sources"] == dict(zip(("web", "code", "math"), counts)) and min(counts) > 0


def test_a_padded_row_is_of_no_dataset_and_a_quarantined_one_is_missing(peer):
    server = peer(lambda connection: connection.serve(present=[0, 3]), plan=PLAN)
    with millrace.Loader(server.address) as loader:
        batch = next(loader)
        assert batch.source.tolist() == [number(index) for index in batch.indexes] and len(batch.source) == 2
        assert sum(loader.stats()["sources"].values()) == 2
    server = peer(lambda connection: connection.serve(present=[], pad=True), plan=PLAN)
    with millrace.Loader(server.address, world=2) as loader:
        batch = next(loader)
        assert batch.source.tolist() == [-1] and batch.source_index.tolist() == [-1]
        assert loader.stats()["sources"] == {"web": 0, "code": 0, "math": 0}


@pytest.mark.parametrize("plan", [{}, {"sources": [{"name": "", "size": 100, "first": 0}]}], ids=["older server", "one dataset"])
def test_a_run_of_one_dataset_has_one_source_and_no_mixture(peer, plan):
    with millrace.Loader(peer(plan=plan).address) as loader:
        batch = next(loader)
        assert batch.source.tolist() == [0, 0, 0, 0] and np.array_equal(batch.source_index, batch.indexes)
        assert loader.plan.sources == (millrace.Source("", 100, 0),) and loader.mix is None
        assert "sources" not in loader.stats() and "mix" not in repr(loader) and "mix" not in loader._repr_html_()


def test_a_loader_shows_its_mixture_and_what_it_has_received(peer):
    with millrace.Loader(peer(steps=40, plan=PLAN).address) as loader:
        assert loader.mix.phases[1].ramp == 2 and loader.mix.phases[0].steps == 6
        assert "mix='6: web=4/5 code=1/5; open ramp 2: web=1/2 code=3/10 math=1/5'" in repr(loader)
        assert "<th>received</th><td>nothing</td>" in loader._repr_html_()
        look = next(iter(loader))
        assert look.look is not None, "counting the rows is no use of the batch"
        for _ in loader:
            pass
        shares = shares_line(loader.plan.sources, list(loader.stats()["sources"].values()))
        assert f"<th>received</th><td>{shares}</td>" in loader._repr_html_() and shares.startswith("web ")


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ([1], "a source is 1, expected an object"),
        ("x", "'sources' is 'x', expected a list"),
        ([{"name": "web", "size": 5, "first": 1}], "'first' is 1, expected .*0 to 0"),
        ([{"name": "web", "size": 5, "first": 0}, {"name": "b", "size": 5, "first": 4}], "'first' is 4, expected .*5 to"),
        ([{"name": 3, "size": 5, "first": 0}], "'name' is 3"),
        ([{"name": "web", "first": 0}], "'size' is None"),
    ],
)
def test_sources_that_are_none_are_refused(peer, sources, message):
    with pytest.raises(millrace.ProtocolError, match=message):
        millrace.Loader(peer(plan={"sources": sources}).address)


def test_a_mixture_that_is_none_is_refused(peer):
    with pytest.raises(millrace.ProtocolError, match="'mix' of the fingerprint is no mixture: expected a phase .*, found 'x'"):
        millrace.Loader(peer(plan={"fingerprint": {"mix": "x"}}).address)


def test_the_lines_of_progress_have_the_shares_since_the_line_before(peer, capsys, monkeypatch):
    monkeypatch.setattr(_progress.Lines, "interval", 0.0)
    expected, at = [], 0
    with millrace.Loader(peer(plan=PLAN).address, progress=True) as loader:
        for batch in loader:
            rows = [int((batch.source == i).sum()) for i in range(3)]
            expected.append(", ".join(f"{name} {rows[i] / 4:.1%}" for i, name in enumerate(("web", "code", "math"))))
    for line in capsys.readouterr().err.splitlines():
        if "web" in line:
            assert line.endswith(expected[at]), line
            at += 1
    assert at == 10


def test_the_bar_of_a_pass_has_the_shares_of_the_pass(peer, capsys, monkeypatch):
    monkeypatch.setattr("millrace._progress.in_notebook", lambda: True)
    passes = []
    with millrace.Loader(peer(steps=20, epochs=2, plan=PLAN).address) as loader:
        for _ in range(2):
            numbers = np.concatenate([batch.source for batch in loader])
            passes.append(", ".join(f"{name} {(numbers == i).mean():.1%}" for i, name in enumerate(("web", "code", "math"))))
    lines = [line.rsplit("\r", 1)[-1].rstrip() for line in capsys.readouterr().err.strip("\n").split("\n")]
    assert len(lines) == 2 and passes[0] != passes[1]
    for line, shares in zip(lines, passes):
        assert line.endswith(f"] {shares}")


def test_a_line_of_many_datasets_has_the_largest_shares():
    sources = [millrace.Source(f"d{i}", 1, i) for i in range(9)]
    assert shares_line(sources, [1, 2, 3, 4, 0, 0, 40, 50, 0]) == (
        "d7 50.0%, d6 40.0%, d3 4.0%, d2 3.0%, d1 2.0%, d0 1.0%, 3 more"
    )
    assert shares_line(sources, [1] * 9, [1] * 9) == "" and shares_line(sources[:2], [3, 1], [1, 1]) == "d0 100.0%, d1 0.0%"

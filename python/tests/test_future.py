"""What may differ between a saved state and a run, with the cases that the servers' rule is tested with, and mixtures as text."""

import json
from fractions import Fraction

import pytest

import millrace
from millrace._future import differences
from millrace._mix import parse

from .server import ROOT

# RunIdentityTest reads the same file.
CASES = json.loads((ROOT / "operators/src/test/resources/io/millrace/source/futures.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_only_steps_from_the_state_on_and_added_datasets_may_differ(case):
    found = differences(case["run"], case["saved"], case["step"])
    assert [{"key": one.key, "step": one.step} for one in found] == case["differences"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_without_a_step_every_setting_that_differs_is_named(case):
    found = [one.key for one in differences(case["run"], case["saved"])]
    expected = [key for key in {**case["run"], **case["saved"]} if case["run"].get(key) != case["saved"].get(key)]
    older = "version 0.1.0" in case["name"]
    assert found == sorted(key for key in expected if not older or key != "dataset.format")


def test_a_mixture_has_the_exact_shares_of_its_phases():
    mix = parse("10000: web=0.8 code=0.2; 5 ramp 2: web=1/3 code=2e-1; open: code=7 web=0")
    assert [phase.steps for phase in mix.phases] == [10000, 5, None] and mix.steps is None
    assert [phase.ramp for phase in mix.phases] == [0, 2, 0]
    assert mix.phases[0].shares == {"web": Fraction(4, 5), "code": Fraction(1, 5)}
    assert mix.phases[1].shares == {"web": Fraction(5, 8), "code": Fraction(3, 8)}
    assert mix.phases[2].shares == {"code": 1}
    assert str(mix) == "10000: web=4/5 code=1/5; 5 ramp 2: web=5/8 code=3/8; open: code=1" and parse(str(mix)) == mix
    assert repr(parse("3: a=1")) == "Mix('3: a=1')" and parse("3: a=1; 4: b=1").steps == 7
    assert parse("3: a=1") != parse("4: a=1") and parse("3: a=1") != "3: a=1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a phase of a mixture, found ''"),
        ("1" * 20 + ": web=1", "expected a phase of a mixture, found '1+: web=1'"),
        ("ten: web=1", "expected a phase of a mixture, found 'ten: web=1'"),
        ("open: web=1; 5: web=1", "expected a phase of a mixture, found 'open: web=1'"),
        ("5: web", "expected the weight of a dataset, found 'web'"),
        ("5: web=-1", "expected the weight of a dataset, found 'web=-1'"),
        ("5: web=nan", "expected the weight of a dataset, found 'web=nan'"),
        ("5: web=1/0", "expected a denominator above 0, found 'web=1/0'"),
        ("5: web=0", "expected a weight above 0, found '5: web=0'"),
        ("5: web=" + "1" * 101, "expected the weight of a dataset, found 'web=1+'"),
        ("5: web=1e9999", "expected the weight of a dataset, found 'web=1e9999'"),
    ],
)
def test_text_that_is_no_mixture_is_refused(text, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        parse(text)


def test_steps_that_are_no_list_are_refused():
    with pytest.raises(ValueError, match="^expected steps that are left out, found '5'$"):
        differences({"order.skip_steps": "5"}, {}, 3)


MIXED = {"datasets": "web code", "mix": "6: web=1; open: code=1", "order.seed": "1", "batch.size": "4"}


def test_a_state_goes_on_with_another_future(peer):
    saved = peer(plan={"fingerprint": MIXED})
    with millrace.Loader(saved.address) as loader:
        for _ in range(6):
            next(loader)
        state = loader.state_dict()
    future = {
        **MIXED,
        "datasets": "web code math",
        "datasets.math.size": "3",
        "mix": "6: web=1; open: math=1",
        "order.skip_steps": "7-8",
    }
    with millrace.Loader(peer(plan={"fingerprint": future}).address) as loader:
        loader.load_state_dict(state)
        assert next(loader).step == 6 and loader.mix.phases[1].shares == {"math": 1}
        # The new state is one of the new plan.
        again = loader.state_dict()
        assert again["step"] == 7 and json.loads(again["fingerprint"]) == future


def test_another_past_is_refused_with_the_first_step_that_differs(peer):
    with millrace.Loader(peer(plan={"fingerprint": MIXED}).address) as loader:
        for _ in range(7):
            next(loader)
        state = loader.state_dict()
    past = {**MIXED, "mix": "6: web=1; open: web=1"}
    with millrace.Loader(peer(plan={"fingerprint": past}).address) as loader:
        expected = (
            "^the plan of the saved state differs from the server's plan: mix is '6: web=1; open: code=1', expected"
            " '6: web=1; open: web=1', which differs from step 6 on; steps before 7 have been received, and cannot be changed$"
        )
        with pytest.raises(millrace.PlanDiffers, match=expected) as raised:
            loader.load_state_dict(state)
        assert raised.value.keys == ("mix",) and loader.step == 0
        loader.load_state_dict({**state, "step": 6})
        assert next(loader).step == 6


def test_a_server_that_comes_back_with_another_future_is_refused(peer):
    def script(connection):
        if connection.number:
            connection.peer.options["plan"] = {"fingerprint": {**MIXED, "mix": "6: web=1; open: web=1"}}
        connection.serve(until=None if connection.number else 2)

    with millrace.Loader(peer(script, plan={"fingerprint": MIXED}).address) as loader:
        assert [next(loader).step, next(loader).step] == [0, 1]
        with pytest.raises(millrace.PlanDiffers, match="the plan before the connection was lost differs .*: mix is"):
            next(loader)


@pytest.mark.parametrize("wrong", ["nonsense", '{"a": 1}', "[]", '{"order.skip_steps": "5"}', '{"mix": "x"}'])
def test_a_fingerprint_that_is_none_is_refused(peer, wrong):
    with millrace.Loader(peer(plan={"fingerprint": MIXED}).address) as loader:
        with pytest.raises(ValueError, match="is not a state of this package: expected"):
            loader.load_state_dict({"version": 2, "step": 0, "fingerprint": wrong})

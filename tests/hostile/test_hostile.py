"""Hostile cases, thinned: nothing of the user's changes, and outcomes are the right ones.

All of them: `PYTHONPATH=tests python -m hostile.run`.
"""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
import torch

from hostile.harness import FRAMEWORKS, Case, Scene, load, run
from hostile.page import counts
from hostile.run import results

THIN = 80  # every eightieth case of each family, and the first of all


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_hostile_cases_change_nothing(framework):
    found = list(results(framework, THIN))
    assert [str(one) for one in found if one.wrong] == []


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_page_on_reliability_counts_every_case_and_all_are_clean(framework):
    cases = Counter(family for family, _ in load(framework))
    shown = counts()
    assert {family: shown.get(family) for family in cases} == {
        family: (count, count) for family, count in cases.items()
    }


class Holder:
    def __init__(self) -> None:
        self.values = [torch.zeros(2), np.zeros(2), {"one": 1}]


def nothing(watched):
    return None


CHANGES = {
    "a tensor's values": lambda watched: watched.values[0].add_(1),
    "values behind torch's back": lambda watched: watched.values[0].data.add_(1),
    "a gradient": lambda watched: setattr(watched.values[0], "grad", torch.ones(2)),
    "a mark": lambda watched: watched.values[0].requires_grad_(),
    "a hook": lambda watched: watched.values[0].requires_grad_().register_hook(print),
    "an array": lambda watched: watched.values[1].fill(1),
    "an attribute": lambda watched: setattr(watched, "new", 1),
    "a key": lambda watched: watched.values[2].clear(),
    "an equal tensor in the place of another": lambda watched: watched.values.__setitem__(
        0, torch.zeros(2)
    ),
    "torch's generator": lambda watched: torch.rand(1),
    "NumPy's generator": lambda watched: np.random.rand(1),
    "Python's generator": lambda watched: random.random(),
    "grad mode": lambda watched: torch.set_grad_enabled(False),
    "the default dtype": lambda watched: torch.set_default_dtype(torch.float64),
    "a mode": lambda watched: torch.set_default_device("meta"),
}


# JAX, if another test has loaded it, warns of every fork; these children never call it.
pytestmark = [
    pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_harness_sees_a_change_of(change):
    def make() -> Scene:
        holder = Holder()
        return Scene(lambda: change(holder) and None, holder, ("None", "False"))

    assert run("", Case("it changes", make)).wrong


def test_the_harness_sees_nothing_where_nothing_changes_and_what_goes_wrong_otherwise():
    def scene(act, outcomes=("None",), says=""):
        return Case("it does nothing", lambda: Scene(act, Holder(), outcomes, says))

    assert run("", scene(lambda: None)).wrong == ()
    assert run("", scene(lambda: None, ("PASS",))).wrong
    assert run("", scene(lambda: None, says="words")).wrong
    assert run("", scene(lambda: 1 / 0, ("ArithmeticError",))).wrong == ()
    assert run("", scene(lambda: 1 / 0)).outcome == "ZeroDivisionError"
    assert "ended with" in run("", scene(lambda: __import__("os")._exit(3))).wrong[0]

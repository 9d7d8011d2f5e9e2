"""Parallel layers on two and four processes: right ones pass, wrong ones are named."""

from __future__ import annotations

import pytest

import secant
from processes import asking, layers
from processes.crew import crew
from processes.stacked import on_one_process

SIZES = (2, 4)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", layers.RIGHT)
def test_a_right_layer_passes_on_every_rank(name, size):
    told = crew().ask(asking.check_right, name, size=size)
    assert [one.verdict for one in told] == ["PASS"] * size, told[0].text
    assert len({one.text for one in told}) == 1
    assert all(one.is_untouched for one in told)


@pytest.mark.parametrize("name", layers.WRONG)
def test_a_wrong_twin_fails_on_every_rank_with_its_cause(name):
    told = crew().ask(asking.check_wrong, name, size=2)
    assert [one.verdict for one in told] == ["FAIL"] * 2
    assert len({one.text for one in told}) == 1
    cause = layers.WRONG[name][1]
    assert told[0].causes, told[0].text
    assert all(cause in one for one in told[0].causes), told[0].text
    assert all(one.is_untouched for one in told)


OFTEN = (
    "column, averaged",
    "column, wrong on one rank",
    "norm, shares reduced already",
    "exchange, not sent back",
    "gather, the next rank's chunk",
)


@pytest.mark.parametrize(
    "name",
    [
        name if name in OFTEN else pytest.param(name, marks=pytest.mark.slow)
        for name in layers.WRONG
    ],
)
def test_a_wrong_twin_on_four_processes_is_named_as_well(name):
    told = crew().ask(asking.check_wrong, name, {"max_evaluations": 100}, size=4)
    assert [one.verdict for one in told] == ["FAIL"] * 4
    assert len({one.text for one in told}) == 1
    cause = layers.WRONG[name][1]
    assert told[0].causes, told[0].text
    assert all(cause in one for one in told[0].causes), told[0].text


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [*layers.RIGHT, *layers.WRONG])
def test_one_process_with_the_same_weights_gives_the_same_verdict(name, size):
    build = layers.RIGHT.get(name) or layers.WRONG[name][0]
    function, inputs = on_one_process(build, size)
    verdict = secant.check(function, *inputs, explain=False).verdict.name
    assert verdict == ("PASS" if name in layers.RIGHT else "FAIL")

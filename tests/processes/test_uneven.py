"""Layers whose ranks do different things: right ones pass, wrong ones are named, none hangs."""

from __future__ import annotations

from typing import Any

import pytest

from processes import asking, uneven
from processes.collectives import Collectives
from processes.crew import crew

TOGETHER = {**uneven.RIGHT, **uneven.WRONG}


def check(group: Any, name: str) -> asking.Told:
    layer = TOGETHER[name][1](Collectives(group))
    return asking.told(layer, group, {"max_evaluations": 100})


@pytest.mark.parametrize("name", uneven.RIGHT)
def test_a_right_layer_of_unlike_ranks_passes(name):
    size = uneven.RIGHT[name][0]
    told = crew().ask(check, name, size=size)
    assert [one.verdict for one in told] == ["PASS"] * size, told[0].text
    assert all(one.is_untouched for one in told)


@pytest.mark.parametrize("name", uneven.WRONG)
def test_a_wrong_layer_of_unlike_ranks_is_named(name):
    size, _, cause = uneven.WRONG[name]
    told = crew().ask(check, name, size=size)
    assert [one.verdict for one in told] == ["FAIL"] * size, told[0].text
    assert len({one.text for one in told}) == 1
    assert not cause or any(cause in one for one in told[0].causes), told[0].text

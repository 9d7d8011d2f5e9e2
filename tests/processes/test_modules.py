"""DTensors, FSDP2, parallelize_module and modules by hand, as they are."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import secant
from processes import asking, modules
from processes.crew import crew


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("name", modules.RIGHT)
def test_what_torch_spreads_over_processes_passes(name, size):
    told = crew().ask(asking.check_module, name, size=size)
    assert [one.verdict for one in told] == ["PASS"] * size, told[0].text
    assert len({one.text for one in told}) == 1
    assert all(one.is_untouched for one in told)


@pytest.mark.parametrize("size", [2, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", modules.WRONG)
def test_what_is_wrong_in_a_module_is_named(name, size):
    told = crew().ask(asking.check_module, name, {"max_evaluations": 60}, size=size)
    assert [one.verdict for one in told] == ["FAIL"] * size
    cause = modules.WRONG[name][1]
    assert told[0].causes, told[0].text
    assert all(cause in one for one in told[0].causes), told[0].text
    assert all(one.is_untouched for one in told)


def train_after_check(group: Any, name: str) -> bool:
    """A module trains after a check as it does without one."""
    steps = []
    for is_checked in (False, True):
        module, inputs, _ = modules.RIGHT[name](group)
        if is_checked:
            assert secant.check(module, *inputs, group=group)
        optimiser = torch.optim.SGD(module.parameters(), lr=0.1)
        for _ in range(2):
            optimiser.zero_grad()
            module(*inputs).square().sum().backward()
            optimiser.step()
        steps.append([asking.local(one) for one in module.parameters()])
    return steps[0] == steps[1]


@pytest.mark.parametrize("name", ["fully sharded", "data parallel"])
def test_a_module_trains_after_a_check_as_before(name):
    assert crew().ask(train_after_check, name, size=2) == [True, True]


def test_parameters_are_named_with_their_rank():
    told = crew().ask(asking.check_module, "by hand, not summed", size=2)
    assert "gradient of bias" in told[0].text
    assert "rank 1: ∂out / ∂weight" in told[0].text

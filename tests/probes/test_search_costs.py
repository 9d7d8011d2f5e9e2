"""What a failure's explanation may cost, where suspicions are ruled out together."""

from __future__ import annotations

import pytest
import torch

import secant
from device.imitations import HALF_A_SUM, HALF_ROTATED, IMITATIONS, OVERWRITTEN
from planted import planted, points
from secant._probes.failing.halving import _only_place

MOST = {
    ("softmax", HALF_A_SUM): 400,
    ("rotary", HALF_ROTATED): 400,
    ("embedding", OVERWRITTEN): 300,
}


@pytest.mark.parametrize(("name", "mistake"), MOST, ids=lambda one: one.replace(" ", "-"))
def test_a_wrong_kernel_is_explained_within_a_few_hundred_evaluations(name, mistake):
    (kernel,) = (one for one in IMITATIONS if one.name == name)
    inputs = kernel.draw(64, 300, torch.float32)
    report = secant.check(kernel.function(mistake), *inputs, seed=1729)
    assert not report
    assert report.cost.evaluations <= MOST[name, mistake]
    if mistake == HALF_A_SUM:
        assert "a sum along dimension 1 is missing or wrong" in str(report)


@pytest.mark.parametrize("place", [0, 1, 127, 128, 70_000, 99_999])
def test_the_only_wrong_output_of_many_takes_a_few_pulls(place):
    size, wrong = 100_000, 3.0
    asked: list[int] = []

    def residual_by_blocks(low, high, width):
        asked.append(width)
        return wrong * ((place - low) // width + 1) if low <= place < high else 0.0

    assert _only_place(size, wrong, residual_by_blocks) == place
    assert len(asked) <= 3


def test_several_wrong_outputs_are_not_taken_for_one():
    places = [17, 4_000, 90_000]

    def residual_by_blocks(low, high, width):
        return sum((place - low) // width + 1.1 for place in places if low <= place < high)

    assert _only_place(100_000, 3.0, residual_by_blocks) not in places
    report = secant.check(
        planted("Three", torch.sin, lambda saved, v: _three(v * saved[0].cos(), places)),
        points(100_000),
        seed=7,
    )
    assert not report
    assert {entry.column for entry in report.worst.entries} == set(places)


def _three(gradient, places):
    gradient[places] *= 1.5
    return gradient

"""What a failure's explanation may cost, where suspicions are ruled out together."""

from __future__ import annotations

import pytest
import torch

import secant
from device.imitations import HALF_A_SUM, HALF_ROTATED, IMITATIONS, NO_LAST_TOKENS, OVERWRITTEN
from planted import planted, points
from secant._probes.failing.halving import BLOCKS, only_place

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

    assert only_place(size, wrong, residual_by_blocks, BLOCKS) == place
    assert len(asked) <= 3


def test_several_wrong_outputs_are_not_taken_for_one():
    places = [17, 4_000, 90_000]

    def residual_by_blocks(low, high, width):
        return sum((place - low) // width + 1.1 for place in places if low <= place < high)

    assert only_place(100_000, 3.0, residual_by_blocks, BLOCKS) not in places
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


def test_inputs_that_a_claim_leaves_out_are_found_though_it_says_that_nothing_moves_them():
    (kernel,) = (one for one in IMITATIONS if one.name == "embedding")
    inputs = kernel.draw(64, 300, torch.float32)
    report = secant.check(kernel.function(NO_LAST_TOKENS), *inputs, seed=1729)
    assert not report
    assert report.cost.evaluations <= 700
    assert "WRONG_FROM_INDEX" in report.worst.codes


@pytest.mark.parametrize("name", ["softmax", "rmsnorm"])
def test_where_no_region_can_be_told_a_few_columns_are_looked_at(name):
    (kernel,) = (one for one in IMITATIONS if one.name == name)
    inputs = kernel.draw(64, 300, torch.bfloat16)
    for mistake in kernel.mistakes:
        report = secant.check(kernel.function(mistake), *inputs, seed=1729)
        assert not report
        assert report.cost.evaluations <= 700

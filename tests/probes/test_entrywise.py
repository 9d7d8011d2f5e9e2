"""Slight errors: forgiven to all entries alike, not to one among many."""

from __future__ import annotations

import pytest
import torch

import secant
from planted import points, scaled_sine, sine_wrong_at

PASS, FAIL = secant.Verdict.PASS, secant.Verdict.FAIL


@pytest.mark.parametrize("size", [4, 300, 20_000])
def test_constants_in_single_precision_are_forgiven(size):
    report = secant.check(scaled_sine(1 + 2.0**-25), points(size), probe="fast")
    assert report.verdict is PASS


@pytest.mark.parametrize("size", [300, 20_000])
@pytest.mark.parametrize("seed", range(4))
def test_one_wrong_entry_is_not_forgiven_because_it_has_many_neighbours(size, seed):
    x = points(size)
    place = (17 * size) // 29
    assert secant.check(sine_wrong_at(place, 1e-6), x, seed=seed).verdict is FAIL


def test_the_library_that_needs_it_says_so():
    x = points(40)
    report = secant.check(torch.nn.functional.hardsigmoid, x)  # torch's 1/6 has seven digits
    assert report.verdict is PASS
    assert "constants in single precision" in str(report)

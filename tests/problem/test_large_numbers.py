"""Numbers near the end of what there is: one clear error, never an overflow of our own."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import secant

MESSAGE = "expected numbers whose squares are finite; the largest of x is 1e+308. Check the "


@pytest.mark.parametrize("settings", [{}, {"probe": "full"}, {"modes": "all"}, {"order": 2}])
@pytest.mark.parametrize("value", [1e308, -1e308])
def test_a_point_whose_square_overflows_is_refused(settings, value):
    point = torch.tensor([1.0, value], dtype=torch.float64)
    with pytest.raises(secant.InputError) as caught:
        secant.check(lambda x: x / 3, point, **settings)
    assert str(caught.value) == f"{MESSAGE}function in other units"


def test_in_numpy_and_jax_too():
    with pytest.raises(secant.InputError, match="squares are finite"):
        secant.check(lambda x: x / 3, np.full(3, 1e308), pull=lambda x, v: v / 3)
    with jax.enable_x64(True), pytest.raises(secant.InputError, match="squares are finite"):
        secant.check(lambda x: x / 3, jnp.full(3, 1e308))


def test_infinite_entries_are_said_to_be_infinite_not_large():
    report = secant.check(lambda x: torch.sigmoid(x), torch.tensor([1.0, torch.inf]))
    assert "what is infinite was not moved" in str(report)


def test_the_largest_of_float32_is_no_large_number():
    assert secant.check(lambda x: x / 3, torch.tensor([3e38, -3e38]))


def test_large_outputs_are_judged():
    assert secant.check(lambda x: x * 1e308, torch.ones(3, dtype=torch.float64))

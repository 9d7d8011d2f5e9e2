"""Functions on grids: flat between jumps, or rounded so finely that a slope is meant.

A staircase whose claim is zero is right. A straight-through estimator claims the slope of the
stairs' average and is wrong. A function that rounds to a lower dtype inside is a staircase as well,
but its steps are the dtype's, and the slope that autodiff claims for it is right. The coarsest
dtype has eight digits: stairs as fine as that can be either, and then nobody is blamed or believed.
"""

from __future__ import annotations

import pytest
import torch

import secant
from hard.claims import DOUBLE, DTYPES, FAIL, PASS, PROBES, SINGLE, off, right, uniform, wrong
from planted import planted

STAIRS = {
    "floor": torch.floor,
    "ceil": torch.ceil,
    "round": torch.round,
    "trunc": torch.trunc,
    "sign": torch.sign,
    "heaviside": lambda x: torch.where(x > 0, torch.ones_like(x), torch.zeros_like(x)) + 0 * x,
    "floor(3 x)": lambda x: torch.floor(3 * x),
    "quarters": lambda x: torch.round(4 * x) / 4,
    "floor division": lambda x: torch.div(x, 0.7, rounding_mode="floor"),
    "one-hot of the largest": lambda x: (x == x.max()).to(x.dtype) + 0 * x,
}
NAMES = pytest.mark.parametrize("name", STAIRS)


def straight_through(function):
    """The function with the gradient of the identity."""
    return planted("StraightThrough", function, lambda saved, v: v.clone())


@pytest.mark.thinned(keep=16)
@NAMES
@DTYPES
@PROBES
@pytest.mark.parametrize("seed", range(4))
def test_a_zero_claim_on_a_staircase_is_right(name, dtype, probe, seed):
    x = uniform(20, low=-9, high=9, dtype=dtype, seed=seed)
    right(STAIRS[name], x, probe=probe, seed=seed)


@pytest.mark.thinned(keep=16)
@NAMES
@DTYPES
@PROBES
def test_a_straight_through_estimator_is_wrong_and_called_by_its_name(name, dtype, probe):
    x = uniform(12, low=-9, high=9, dtype=dtype, seed=3)
    report = wrong(straight_through(STAIRS[name]), x, probe=probe)
    assert "straight-through" in str(report), str(report)


def fake_quantisation(bits):
    """What quantisation-aware training does: useful, and not the derivative."""
    steps = 2**bits
    return lambda x: x + (torch.round(x * steps) / steps - x).detach()


@DTYPES
@PROBES
@pytest.mark.parametrize("bits", [2, 4])
def test_fake_quantisation_with_a_straight_through_gradient_is_wrong(dtype, probe, bits):
    x = uniform(12, low=0.1, high=0.9, dtype=dtype, seed=2)
    report = wrong(fake_quantisation(bits), x, probe=probe)
    assert "straight-through" in str(report), str(report)


@DTYPES
@PROBES
def test_fake_quantisation_to_the_digits_of_a_dtype_is_not_passed(dtype, probe):
    x = uniform(12, low=0.1, high=0.9, dtype=dtype, seed=2)
    report = secant.check(fake_quantisation(8), x, probe=probe)
    assert report.verdict is not PASS, str(report)


@pytest.mark.thinned(keep=6)
@pytest.mark.parametrize(
    ("dtype", "decimals", "seed"),
    [(SINGLE, 3, seed) for seed in range(40)]
    + [(SINGLE, 2, seed) for seed in range(10)]
    + [(DOUBLE, decimals, seed) for decimals in (2, 3) for seed in range(10)],
    ids=lambda one: str(one).removeprefix("torch."),
)
def test_rounding_to_decimals_is_never_blamed_for_its_zero_claim(dtype, decimals, seed):
    """In float32 a first step spans several stairs, whose average slope is 1; torch claims 0."""
    x = uniform(20, low=-9, high=9, dtype=dtype, seed=seed)
    for lift in ("auto", False):
        report = secant.check(
            lambda x: torch.round(x, decimals=decimals), x, lift=lift, explain=False
        )
        assert report.verdict is not FAIL, str(report)


@pytest.mark.thinned(keep=6)
@pytest.mark.parametrize("decimals", [1, 2, 3])
@DTYPES
@pytest.mark.parametrize("seed", [0, 3, 4])
def test_rounding_to_decimals_does_not_pass_with_a_slope_of_one(decimals, dtype, seed):
    x = uniform(20, low=-9, high=9, dtype=dtype, seed=seed)
    function = straight_through(lambda x: torch.round(x, decimals=decimals))
    report = secant.check(function, x, seed=seed, explain=False)
    assert report.verdict is not PASS, str(report)


@DTYPES
@PROBES
def test_a_staircase_on_a_slope_has_the_slope(dtype, probe):
    """Flat pieces beside a smooth function: round(x) + sin(x) moves like the sine."""
    x = uniform(12, low=-9, high=9, dtype=dtype, seed=5)
    right(lambda x: torch.round(x) + torch.sin(x), x, probe=probe)
    wrong(off(lambda x: torch.round(x) + torch.sin(x), 1.01), x, probe=probe)


@DTYPES
@PROBES
def test_the_remainder_moves_like_its_argument(dtype, probe):
    x = uniform(12, low=-9, high=9, dtype=dtype, seed=5)
    for function in (torch.frac, lambda x: torch.remainder(x, 0.7), lambda x: torch.fmod(x, 2.0)):
        right(function, x, probe=probe)
        wrong(off(function, 1.01), x, probe=probe)


def lowered(dtype):
    """The sine, computed in a lower dtype inside."""
    return lambda x: x.to(dtype).sin().to(x.dtype)


@pytest.mark.thinned(keep=8)
@PROBES
@pytest.mark.parametrize("size", [1, 5, 40])
@pytest.mark.parametrize("seed", range(4))
def test_single_precision_inside_is_right_and_can_be_wrong(probe, size, seed):
    x = uniform(size, low=0.2, high=1.2, dtype=DOUBLE, seed=seed)
    right(lowered(torch.float32), x, probe=probe, seed=seed)
    wrong(off(lowered(torch.float32), 1.01), x, probe=probe, seed=seed)


@PROBES
@pytest.mark.parametrize("inside", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("outside", [torch.float32, DOUBLE], ids=["float32", "float64"])
@pytest.mark.parametrize("size", [1, 5, 20])
@pytest.mark.parametrize("seed", range(2))
def test_half_precision_inside_is_not_blamed(probe, inside, outside, size, seed):
    x = uniform(size, low=0.2, high=1.2, dtype=outside, seed=seed)
    report = secant.check(lowered(inside), x, probe=probe, seed=seed, explain=False)
    assert report.verdict is not FAIL, str(report)


@PROBES
@pytest.mark.parametrize("inside", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("size", [5, 20])
@pytest.mark.parametrize("seed", range(2))
def test_half_precision_inside_does_not_hide_twice_the_gradient(probe, inside, size, seed):
    """Rounding to half precision moves outputs by up to 0.4 %; steps of a tenth show the slope."""
    x = uniform(size, low=0.2, high=0.9, dtype=DOUBLE, seed=seed)
    wrong(off(lowered(inside), 2.0), x, probe=probe, seed=seed, explain=False)


@PROBES
@pytest.mark.parametrize("seed", range(1))
def test_a_product_in_half_precision_inside_a_network_is_not_blamed(probe, seed):
    """Mixed precision as it is written: the matrix product in bfloat16, the rest in float32."""
    weights = uniform(6, 5, low=-1, high=1, dtype=torch.float32, seed=seed + 100)

    def network(x):
        product = x.to(torch.bfloat16) @ weights.to(torch.bfloat16)
        return torch.tanh(product.to(x.dtype))

    x = uniform(4, 6, low=-1, high=1, dtype=torch.float32, seed=seed)
    report = secant.check(network, x, probe=probe, seed=seed, explain=False)
    assert report.verdict is not FAIL, str(report)
    report = secant.check(off(network, 2.0), x, probe=probe, seed=seed, explain=False)
    assert report.verdict is not PASS, str(report)

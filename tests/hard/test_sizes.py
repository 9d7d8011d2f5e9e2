"""Huge and tiny inputs, and gradients of very different size side by side."""

from __future__ import annotations

import pytest
import torch

import secant
from hard.claims import DOUBLE, DTYPES, FAIL, PASS, PROBES, SINGLE, off, right, uniform, wrong
from planted import planted

TINY = {
    "x": lambda x: 3 * x,
    "x²": lambda x: x * x,
    "x³": lambda x: x**3,
    "sin": torch.sin,
    "expm1": torch.expm1,
    "sqrt": torch.sqrt,
    "log": torch.log,
    "1 / x": torch.reciprocal,
    "exp": torch.exp,
}
HUGE = {
    "x": lambda x: 3 * x,
    "x²": lambda x: x * x,
    "sqrt": torch.sqrt,
    "log": torch.log,
    "1 / x": torch.reciprocal,
    "norm": torch.linalg.vector_norm,
    "difference": lambda x: x[1:] - x[:-1],
}


@pytest.mark.thinned(keep=24)
@pytest.mark.parametrize(
    ("dtype", "scale"),
    [(DOUBLE, 1e-5), (DOUBLE, 1e-10), (DOUBLE, 1e-20), (SINGLE, 1e-5), (SINGLE, 1e-10)],
    ids=lambda one: str(one).removeprefix("torch."),
)
@pytest.mark.parametrize("name", TINY)
@PROBES
def test_tiny_inputs_are_right_and_can_be_wrong(name, dtype, probe, scale):
    x = uniform(6, low=0.5, high=2.0, dtype=DOUBLE).mul(scale).to(dtype)
    right(TINY[name], x, probe=probe)
    wrong(off(TINY[name], 1.01), x, probe=probe)


@pytest.mark.thinned(keep=24)
@pytest.mark.parametrize("scale", [3e5, 1e10, 1e15])
@pytest.mark.parametrize("name", HUGE)
@DTYPES
@PROBES
def test_huge_inputs_are_right_and_can_be_wrong(name, dtype, probe, scale):
    x = uniform(6, low=0.5, high=2.0, dtype=DOUBLE).mul(scale).to(dtype)
    right(HUGE[name], x, probe=probe)
    wrong(off(HUGE[name], 1.01), x, probe=probe)


@PROBES
def test_a_slope_beyond_the_dtype_may_be_claimed_as_infinite(probe):
    """1 / x at 1e-20: its slope is 1e40, which single precision rounds to infinity."""
    x = uniform(6, low=0.5, high=2.0, dtype=DOUBLE).mul(1e-20).to(SINGLE)
    report = secant.check(torch.reciprocal, x, probe=probe)
    assert report.verdict is not FAIL, str(report)


@pytest.mark.parametrize("scale", [1e6, 1e10, 1e15])
@PROBES
def test_a_function_that_has_saturated_is_not_blamed_and_promises_no_more_than_it_sees(
    scale, probe
):
    """At 1e10 x / (1 + x) differs from 1 in the tenth digit, and moves in that digit alone."""
    x = uniform(6, low=0.5, high=2.0, dtype=DOUBLE).mul(scale)
    report = secant.check(torch.nn.functional.softsign, x, probe=probe)
    assert report.verdict is not FAIL, str(report)
    report = secant.check(off(torch.nn.functional.softsign, 2.0), x, probe=probe)
    error = float(1 / (1 + x.min()) ** 2)
    assert report.verdict is not PASS or report.resolution > error, str(report)


@PROBES
@pytest.mark.parametrize(
    ("scale", "dtype"),
    [(1e10, DOUBLE), (1e6, DOUBLE), (3e5, SINGLE), (1e3, SINGLE)],
    ids=lambda one: str(one).removeprefix("torch."),
)
def test_the_sine_of_a_huge_number_is_right_and_can_be_wrong(scale, dtype, probe):
    """The input's own spacing (2e-6 at 1e10, 0.03 in single precision) is shorter than a period."""
    x = uniform(6, low=0.5, high=2.0, dtype=DOUBLE).mul(scale).to(dtype)
    right(torch.sin, x, probe=probe)
    wrong(off(torch.sin, 1.01), x, probe=probe)


@PROBES
def test_the_sine_of_a_number_whose_neighbour_is_a_period_away_is_not_blamed(probe):
    x = torch.tensor([3e8, 5e8, 7.1e8], dtype=SINGLE)  # spacing 32 and more
    for lift in ("auto", False):
        report = secant.check(torch.sin, x, probe=probe, lift=lift)
        assert report.verdict is not FAIL, str(report)


@pytest.mark.parametrize("ratio", [1e-4, 1e-8])
@DTYPES
def test_in_full_a_tiny_slope_beside_a_large_one_is_judged_by_itself(ratio, dtype):
    """An entry whose slope is 1e-8 and whose claim is twice that, beside a slope of 1."""
    slopes = torch.tensor([1.0, ratio, 1.0], dtype=dtype)
    wrong_slopes = torch.tensor([1.0, 2 * ratio, 1.0], dtype=dtype)

    def function(x):
        return x.sin() * slopes.to(x.dtype)

    def backward(saved, v):
        return v * saved[0].cos() * wrong_slopes.to(v.dtype)

    x = uniform(3, low=0.2, high=0.8, dtype=dtype)
    right(function, x, probe="full")
    wrong(planted("Doubled", function, backward), x, probe="full")


@pytest.mark.thinned(keep=12)
@pytest.mark.parametrize("ratio", [1e-4, 1e-6, 1e-8, 1e-12])
@DTYPES
@PROBES
@pytest.mark.parametrize("seed", range(3))
def test_what_a_large_slope_hides_is_not_promised(ratio, dtype, probe, seed):
    """A pass may overlook the tiny entry, but then says that it can overlook so much."""
    slopes = torch.tensor([1.0, ratio, 1.0], dtype=dtype)

    def backward(saved, v):
        slope = slopes.to(v.dtype).clone()
        slope[1] = 2 * ratio
        return v * slope * saved[0].cos()

    function = planted("Doubled", lambda x: x.sin() * slopes.to(x.dtype), backward)
    x = uniform(3, low=0.2, high=0.8, dtype=dtype, seed=seed)
    report = secant.check(function, x, probe=probe, seed=seed)
    error = float(ratio * x[1].double().cos())
    assert report.verdict is FAIL or report.resolution > error, str(report)


def unlike(big, small):
    """Two leaves of which one moves its output a million million times as much as the other."""
    return 1e6 * big.sin(), 1e-6 * small.sin()


def unlike_in_one_sum(big, small):
    """The same, added up: the small leaf moves the sum's tenth digit and below."""
    return (1e6 * big.sin()).sum() + (1e-6 * small.sin()).sum()


def with_small_off(function, factor):
    def wrong_one(big, small):
        return function(big, off(lambda x: x * 1, factor)(small))

    return wrong_one


@DTYPES
@PROBES
def test_a_leaf_with_tiny_gradients_is_judged_beside_one_with_huge_gradients(dtype, probe):
    inputs = [uniform(4, low=0.3, high=0.9, dtype=dtype, seed=seed) for seed in range(2)]
    right(unlike, *inputs, probe=probe)
    wrong(with_small_off(unlike, 1.01), *inputs, probe=probe)
    wrong(off(unlike, 1.01), *inputs, probe=probe)


@PROBES
@pytest.mark.parametrize("seed", range(5))
def test_what_a_large_sum_hides_of_a_small_leaf_is_not_promised(probe, seed):
    """1e6 carries noise of 1e-10; along a step of 0.1 the small leaf's 1e-6 is seen to 1e-3."""
    inputs = [uniform(4, low=0.3, high=0.9, dtype=DOUBLE, seed=2 * seed + k) for k in range(2)]
    report = secant.check(unlike_in_one_sum, *inputs, probe=probe, seed=seed)
    assert report.verdict is not FAIL, str(report)
    report = secant.check(with_small_off(unlike_in_one_sum, 2.0), *inputs, probe=probe, seed=seed)
    assert report.verdict is not PASS or report.resolution > 1e-6, str(report)


@DTYPES
@PROBES
@pytest.mark.parametrize("function", [torch.log, torch.sqrt, torch.reciprocal])
def test_inputs_of_very_different_size_in_one_leaf_are_right_and_can_be_wrong(
    function, dtype, probe
):
    x = torch.tensor([1e-6, 1.0, 1e6, 1e-3], dtype=dtype)
    right(function, x, probe=probe)
    wrong(off(function, 1.01), x, probe=probe)


@DTYPES
def test_in_full_every_entry_of_a_widely_spread_leaf_is_judged_by_itself(dtype):
    x = torch.tensor([1e-3, 1.0, 1e3], dtype=dtype)
    for place in range(3):

        def backward(saved, v, place=place):
            slope = 1 / saved[0]
            slope[place] *= 1.05
            return v * slope

        wrong(planted("OneOff", torch.log, backward), x, probe="full")


@DTYPES
@PROBES
@pytest.mark.parametrize("offset", [1e4, 1e6])
def test_a_large_constant_in_the_output_hides_little(dtype, probe, offset):
    """The output's round-off is that of the constant; a gradient 10 % off is still seen."""

    def function(x):
        return x.sin() + offset

    x = uniform(5, low=0.3, high=0.9, dtype=dtype)
    right(function, x, probe=probe)
    wrong(off(function, 1.1), x, probe=probe)


@DTYPES
@PROBES
@pytest.mark.parametrize("scale", [1e-30, 1e-12, 1e12, 1e30])
def test_outputs_of_any_size_are_right_and_can_be_wrong(dtype, probe, scale):
    def function(x):
        return scale * x.sin()

    x = uniform(5, low=0.3, high=0.9, dtype=dtype)
    right(function, x, probe=probe)
    wrong(off(function, 1.01), x, probe=probe)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
@PROBES
def test_gradients_near_the_ends_of_double_precision_are_right(scale, probe):
    x = uniform(5, low=0.3, high=0.9, dtype=DOUBLE)
    report = right(lambda x: scale * x.sin(), x, probe=probe)
    assert report.resolution < 1e-3 * scale
    assert secant.check(off(lambda x: scale * x.sin(), 1.01), x, probe=probe).verdict is FAIL


def test_a_pass_at_any_size_promises_in_units_of_the_derivative():
    x = uniform(5, low=0.3, high=0.9, dtype=DOUBLE)
    small, large = (
        secant.check(lambda x, s=scale: s * x.sin(), x).resolution for scale in (1e-6, 1e6)
    )
    assert PASS is secant.check(torch.sin, x).verdict
    assert large / small == pytest.approx(1e12, rel=0.5)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
@PROBES
def test_squares_of_slopes_that_leave_float64_are_no_reason_to_blame_or_to_acquit(scale, probe):
    def scaled(factor):
        return planted("Square", lambda x: x * x, lambda saved, v: 2 * factor * saved[0] * v)

    x = torch.tensor([scale, 0.3 * scale], dtype=DOUBLE)
    assert secant.check(scaled(1.0), x, probe=probe).verdict is not FAIL
    assert secant.check(scaled(1.01), x, probe=probe).verdict is not PASS

"""Gradients that are exactly zero, and claims that are not numbers beside slopes that are."""

from __future__ import annotations

import pytest
import torch

import secant
from hard.claims import DTYPES, FAIL, PASS, PROBES, off, right, uniform, wrong
from planted import planted

FLAT = {
    "a constant": lambda x: 0 * x + 3,
    "zero": lambda x: 0 * x,
    "relu of negatives": lambda x: torch.relu(-x - 1),
    "clamp far outside": lambda x: x.clamp(5, 6),
    "the square at zero": lambda x: (x - x.detach()) ** 2,
    "x - x": lambda x: x - x,
    "sum of a softmax": lambda x: x.softmax(0).sum(),
    "cos at zero": lambda x: torch.cos(x - x.detach()),
    "far in the tail": lambda x: torch.sigmoid(1e5 * (x + 1)),
}


@pytest.mark.parametrize("name", FLAT)
@DTYPES
@PROBES
def test_a_gradient_of_zero_is_right(name, dtype, probe):
    right(FLAT[name], uniform(7, low=0.2, high=0.9, dtype=dtype), probe=probe)


@DTYPES
@PROBES
@pytest.mark.parametrize("seed", range(3))
def test_an_output_that_is_rounding_alone_is_not_blamed(dtype, probe, seed):
    """A standardised vector adds up to zero: output and claim are nothing but noise."""
    x = uniform(7, low=0.2, high=0.9, dtype=dtype, seed=seed)
    report = secant.check(lambda x: ((x - x.mean()) / x.std()).sum(), x, probe=probe, seed=seed)
    assert report.verdict is not FAIL, str(report)


@pytest.mark.thinned(keep=12)
@pytest.mark.parametrize("error", [1.0, 1e-3])
@pytest.mark.parametrize("name", ["a constant", "zero", "relu of negatives", "clamp far outside"])
@DTYPES
@PROBES
def test_a_claim_where_nothing_moves_is_wrong(name, dtype, probe, error):
    claim = planted("Claim", FLAT[name], lambda saved, v: error * v)
    wrong(claim, uniform(7, low=0.2, high=0.9, dtype=dtype), probe=probe)


@DTYPES
@PROBES
def test_a_claim_of_zero_where_something_moves_is_wrong(dtype, probe):
    for function in (torch.sin, lambda x: 1e-6 * x.sin(), lambda x: 1e6 * x.sin()):
        claim = planted("Zero", function, lambda saved, v: torch.zeros_like(v))
        wrong(claim, uniform(7, low=0.2, high=0.9, dtype=dtype), probe=probe)


@DTYPES
@PROBES
def test_the_claim_of_a_loss_at_its_minimum_is_right(dtype, probe):
    """Gradients vanish where training ends; the outputs are not even near zero."""
    target = uniform(7, low=0.2, high=0.9, dtype=dtype)

    def loss(x):
        return 5 + ((x - target.to(x.dtype)) ** 2).sum()

    right(loss, target.clone(), probe=probe)
    wrong(planted("Off", loss, lambda saved, v: v * 0.1 * torch.ones(7)), target, probe=probe)


@DTYPES
@PROBES
def test_one_leaf_without_influence_beside_one_with_is_right(dtype, probe):
    x, y = (uniform(5, low=0.2, high=0.9, dtype=dtype, seed=seed) for seed in range(2))
    right(lambda x, y: x.sin() + 0 * y, x, y, probe=probe)
    wrong(lambda x, y: x.sin() + 1e-2 * (y - y.detach()), x, y, probe=probe)


@pytest.mark.thinned(keep=12)
@DTYPES
@PROBES
@pytest.mark.parametrize("claimed", [torch.nan, torch.inf, -torch.inf])
@pytest.mark.parametrize("place", [0, 3, 6])
def test_a_claim_that_is_no_number_beside_a_finite_slope_is_wrong(dtype, probe, claimed, place):
    def backward(saved, v):
        slope = saved[0].cos()
        slope[place] = claimed
        return v * slope

    x = uniform(7, low=0.2, high=0.9, dtype=dtype)
    report = wrong(planted("Hole", torch.sin, backward), x, probe=probe)
    assert f"[{place}]" in str(report), str(report)


@DTYPES
@PROBES
def test_beside_a_hole_another_entry_can_be_wrong_too(dtype, probe):
    """The root at 0 has an infinite slope, rightly claimed; entry 1 is 10 % off."""

    def backward(saved, v):
        slope = 0.5 / saved[0].sqrt()
        slope[1] *= 1.1
        return v * slope

    x = torch.tensor([0.0, 1.0, 4.0], dtype=dtype)
    wrong(planted("OneOff", torch.sqrt, backward), x, probe=probe, laws="none")


# Each is finite and has finite slopes where autodiff multiplies 0 by infinity.
HOLES = {
    "norm by hand at zero": (lambda x: (x * x).sum().sqrt(), (0.0, 0.0, 0.0)),
    "where around a root": (lambda x: torch.where(x > 0, x.sqrt(), x), (-1.0, 2.0, -0.5)),
    "sinc by hand": (lambda x: torch.where(x == 0, 1.0, x.sin() / x), (0.0, 1.0, 2.0)),
}


@pytest.mark.parametrize("name", HOLES)
@DTYPES
@PROBES
def test_zero_times_infinity_in_the_backward_is_wrong(name, dtype, probe):
    function, numbers = HOLES[name]
    report = wrong(function, torch.tensor(numbers, dtype=dtype), probe=probe)
    assert "nan" in str(report).lower(), str(report)


@DTYPES
@PROBES
def test_the_safe_forms_of_the_same_functions_are_right(dtype, probe):
    right(torch.linalg.vector_norm, torch.zeros(3, dtype=dtype), probe=probe)
    right(torch.sinc, torch.tensor([0.0, 0.3, 0.7], dtype=dtype), probe=probe)
    right(
        lambda x: torch.where(x > 0, x.clamp(min=1e-3).sqrt(), x),
        torch.tensor([-1.0, 2.0, -0.5], dtype=dtype),
        probe=probe,
    )


@DTYPES
@PROBES
def test_an_output_that_is_detached_is_not_passed_in_silence(dtype, probe):
    """A term moves with the input and claims nothing: its gradient is missing."""
    x = uniform(5, low=0.2, high=0.9, dtype=dtype)
    report = secant.check(lambda x: x.sin() + x.detach().cos(), x, probe=probe)
    assert report.verdict is FAIL, str(report)


@DTYPES
@PROBES
def test_entries_that_do_not_move_hide_none_that_do(dtype, probe):
    """The relu of mostly negative numbers: one entry of forty moves, and its claim is 10 % off."""
    x = -uniform(40, low=0.2, high=0.9, dtype=dtype)
    x[17] = 0.5
    right(torch.relu, x, probe=probe)
    wrong(off(torch.relu, 1.1), x, probe=probe)


@DTYPES
def test_a_gradient_of_zero_promises_something(dtype):
    report = secant.check(lambda x: 0 * x + 3, uniform(7, low=0.2, high=0.9, dtype=dtype))
    assert report.verdict is PASS
    assert report.resolution is not None
    assert report.resolution < 1

"""Steep but smooth functions: a slope that changes fast is no kink, and excuses nothing."""

from __future__ import annotations

import pytest
import torch

import secant
from hard.claims import DOUBLE, DTYPES, FAIL, PROBES, SINGLE, gradient_of, off, right, told, wrong

# The width of the steep part is a thousandth or less; points lie on it, beside it, and far off.
STEEP = {
    "sigmoid(1000 x)": (lambda x: torch.sigmoid(1000 * x), (0.0, 1e-4, -5e-4, 2e-3, 0.5)),
    "tanh(1e4 x)": (lambda x: torch.tanh(1e4 * x), (0.0, 3e-5, -1e-4, 0.2)),
    "softplus, beta 1000": (
        lambda x: torch.nn.functional.softplus(x, beta=1000),
        (0.0, 1e-4, -7e-4, 0.3),
    ),
    "sqrt(x² + 1e-8)": (lambda x: (x * x + 1e-8).sqrt(), (0.0, 1e-4, -3e-5, 0.4)),
    "atan(1e4 x)": (lambda x: torch.atan(1e4 * x), (0.0, 2e-5, -1e-4, 0.2)),
    "exp(30 x)": (lambda x: torch.exp(30 * x), (0.0, 0.3, -0.4, 0.5)),
    "x**20": (lambda x: x**20, (0.3, 1.0, 1.3, -0.9)),
    "sin(100 x)": (lambda x: torch.sin(100 * x), (0.1, 0.7, -0.33)),
    "1 / (1 + (1e3 x)²)": (lambda x: 1 / (1 + (1e3 * x) ** 2), (2e-4, 1e-3, -5e-4)),
    "cosh(20 x)": (lambda x: torch.cosh(20 * x), (0.1, -0.5, 0.9)),
    "softmax(1000 x)": (lambda x: (1000 * x).softmax(0), (0.5, 0.5005, 0.499, 0.2)),
    "logsumexp(1000 x) / 1000": (
        lambda x: (1000 * x).logsumexp(0) / 1000,
        (0.5, 0.5005, 0.499, 0.2),
    ),
}
FUNCTIONS = pytest.mark.parametrize("name", STEEP)


def point(name, dtype):
    function, numbers = STEEP[name]
    return function, torch.tensor(numbers, dtype=dtype)


@FUNCTIONS
@DTYPES
@PROBES
def test_a_steep_function_is_right_and_no_kink(name, dtype, probe):
    function, x = point(name, dtype)
    report = right(function, x, probe=probe)
    assert "kink" not in str(report), str(report)
    assert "jump" not in str(report), str(report)


@pytest.mark.thinned(keep=24)
@FUNCTIONS
@DTYPES
@PROBES
def test_a_steep_function_excuses_no_claim_one_percent_off(name, dtype, probe):
    function, x = point(name, dtype)
    wrong(off(function, 1.01), x, probe=probe)


@pytest.mark.thinned(keep=24)
@FUNCTIONS
@PROBES
@pytest.mark.parametrize("place", range(3))
def test_single_points_on_the_steep_part_are_right_and_can_be_wrong(name, probe, place):
    function, x = point(name, DOUBLE)
    x = x[place : place + 1]
    report = right(function, x, probe=probe)
    assert "kink" not in str(report), str(report)
    if gradient_of(function, x).any():  # no factor makes a gradient of zero wrong
        wrong(off(function, 1.01), x, probe=probe)


@pytest.mark.thinned(keep=12)
@FUNCTIONS
@PROBES
def test_in_single_precision_alone_steepness_is_neither_blamed_nor_excuses(name, probe):
    """Without float64 the bar may be too wide; the answer may be that it cannot be told."""
    function, x = point(name, SINGLE)
    report = secant.check(function, x, probe=probe, lift=False)
    assert report.verdict is not FAIL, str(report)
    report = secant.check(off(function, 1.5), x, probe=probe, lift=False)
    assert report.verdict is FAIL, str(report)


@PROBES
def test_a_step_function_smoothed_below_any_step_is_not_a_wrong_claim(probe):
    """sigmoid(1e12 x) at 1: the claim is 0, and the function flat wherever it can be seen."""
    x = torch.tensor([1.0, -1.0, 0.5], dtype=DOUBLE)
    right(lambda x: torch.sigmoid(1e12 * x), x, probe=probe)


@PROBES
@pytest.mark.parametrize("seed", range(5))
def test_a_deep_network_of_steep_layers_is_right(seed, probe):
    generator = torch.Generator().manual_seed(seed)
    weights = [torch.randn(6, 6, dtype=DOUBLE, generator=generator) for _ in range(4)]

    def network(x):
        for one in weights:
            x = torch.tanh(5 * (x @ one))
        return x

    x = 0.1 * torch.randn(3, 6, dtype=DOUBLE, generator=generator)
    report = right(network, x, probe=probe, seed=seed)
    assert "kink" not in str(report), str(report)
    told(secant.check(off(network, 1.01), x, probe=probe, seed=seed), FAIL)

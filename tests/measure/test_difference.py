"""Four evaluations give a slope with a bar that holds the error; input rounding costs nothing."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from asked import ask
from planted import planted, points, scaled_sine
from secant._measure.difference import Functional
from secant._measure.estimate import Estimate
from secant._measure.noise import modelled

DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
DOUBLE = torch.float64


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_identity_is_measured_without_any_error(dtype):
    """The displacement that exists is the one the claim is contracted with."""
    for seed in range(20):
        reading = ask(lambda x: x.clone(), points(50, dtype=dtype, seed=seed)).read()
        assert reading.residual.value == 0.0


@pytest.mark.parametrize(
    "polynomial", [lambda x: 3 * x, lambda x: x * x, lambda x: x * x * x], ids=["1", "2", "3"]
)
def test_polynomials_up_to_degree_four_are_measured_to_rounding(polynomial):
    """The stencil of five points, which few outputs are read by, is exact for them."""
    reading = ask(polynomial, points(5)).read()
    assert abs(reading.residual.value) < 1e-10


@pytest.mark.parametrize("polynomial", [lambda x: 3 * x, lambda x: x * x], ids=["1", "2"])
def test_many_outputs_are_read_from_three_points_which_is_exact_for_parabolas(polynomial):
    reading = ask(polynomial, points(20)).read()
    assert abs(reading.residual.value) < 1e-10


@pytest.mark.parametrize("function", [torch.sin, torch.exp, torch.tanh, lambda x: 1 / (x + 2)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_bar_holds_the_error_of_a_right_claim(function, dtype):
    kept = 0
    for seed in range(30):
        reading = ask(function, points(30, dtype=dtype, seed=seed), seed=seed).read()
        kept += abs(reading.residual.value) <= reading.residual.error
    assert kept == 30


@pytest.mark.parametrize("factor", [1.5, 1.001, 0.0])
def test_the_residual_of_a_wrong_claim_is_what_is_wrong_about_it(factor):
    x = points(20)
    asked = ask(scaled_sine(factor), x)
    reading, one = asked.read(), asked.question
    truth = float(torch.dot(torch.as_tensor(one.weights) * x.cos(), torch.as_tensor(one.direction)))
    assert reading.residual.value == pytest.approx(truth - factor * truth, abs=1e-9)
    assert reading.residual.shifted(one.claimed).value == pytest.approx(truth, abs=1e-9)


def test_the_bar_in_double_precision_is_narrow():
    reading = ask(torch.sin, points(20)).read()
    assert reading.residual.error < 1e-8 * reading.slope


def test_the_slope_is_the_size_of_the_terms():
    x = points(20)
    asked = ask(torch.sin, x)
    one = asked.question
    terms = torch.as_tensor(one.weights) * x.cos() * torch.as_tensor(one.direction)
    assert asked.read().slope == pytest.approx(float(terms.norm()), rel=1e-6)


def test_a_step_out_of_the_domain_is_no_reading():
    x = torch.tensor([1e-9, 1.0], dtype=DOUBLE)
    assert ask(torch.log, x).read() is None


def test_a_step_on_which_the_function_raises_is_no_reading():
    x = points(3)

    def rigid(y):
        if not torch.equal(y.detach(), x):
            raise ValueError
        return y.clone()

    asked = ask(rigid, x)
    assert asked.read() is None


def test_modelled_noise_falls_with_the_step_and_grows_with_the_values():
    assert modelled(1e-16, 1.0, 1e-3) == pytest.approx(10 * modelled(1e-16, 1.0, 1e-2))
    assert modelled(1e-16, 5.0, 1e-3) == pytest.approx(5 * modelled(1e-16, 1.0, 1e-3))
    assert modelled(0.0, 1.0, 1e-3) == 0.0


def test_rounding_of_inputs_and_of_outputs_add_up_in_quadrature():
    none = np.zeros(1)
    asked = Functional(0, none, (), 3.0, 2.0, 1e-16, lambda: 0.0, none)
    assert asked.floor(1e-3, 2.0) == modelled(1e-16, 5.0, 1e-3, 2.0)


def test_an_estimate_prints_its_bar_with_one_digit():
    assert str(Estimate(-3.84, 2.2e-12)) == "-3.84 ± 2e-12"
    assert Estimate(1.0, 0.5).shifted(2.0) == Estimate(3.0, 0.5)


def test_a_backward_of_its_own_does_not_change_what_is_measured():
    """Claims and measurements are independent: the same numbers, whatever is claimed."""
    right, wrong = ask(scaled_sine(1.0), points(9)), ask(scaled_sine(7.0), points(9))
    one = right.read().residual.shifted(right.question.claimed)
    other = wrong.read().residual.shifted(wrong.question.claimed)
    assert one.value == pytest.approx(other.value, abs=1e-10)


def test_outputs_that_do_not_move_have_slope_zero():
    still = planted("Still", torch.round, lambda saved, v: v)
    assert ask(still, points(5)).read().slope == 0.0

"""No number in a report says nothing: 0.0 %, 1 × measured, 9e+15 roundings."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest
import torch

import secant
from planted import planted, points, scaled_sine
from secant._words import slopes
from secant._words.reason import said
from secant.jax import check_grads
from secant.torch import GradcheckError, gradcheck

SLIGHTLY = 1.000002
BOTH = pytest.mark.parametrize("probe", ["fast", "full"])


@BOTH
def test_a_factor_has_the_digits_that_tell_it_from_one(probe):
    report = secant.check(scaled_sine(SLIGHTLY), points(6), probe=probe)
    assert "claimed = 1.000002 × measured" in str(report)


def test_a_factor_has_them_in_the_drop_ins_too():
    inputs = points(6).requires_grad_()
    with pytest.raises(GradcheckError, match=r"claimed = 1\.000002 × measured"):
        gradcheck(scaled_sine(SLIGHTLY), inputs, rtol=1e-9, atol=1e-9)
    rule = jax.custom_jvp(jnp.sin)
    rule.defjvp(lambda x, u: (jnp.sin(x[0]), SLIGHTLY * jnp.cos(x[0]) * u[0]))
    with jax.enable_x64(True), pytest.raises(AssertionError, match=r"= 1\.000002 × measured"):
        check_grads(rule, (jnp.linspace(0.1, 1.0, 5),), order=1)


def solved(tolerance: float):
    """X of M x = b, whose adjoint is iterated until it moves by less than a tolerance."""
    matrix = torch.tensor([[1.0, 0.3], [-0.2, 1.1]], dtype=torch.float64)

    def pull(saved, v):
        gradient = torch.zeros_like(v)
        while (left := v - matrix.T @ gradient).abs().max() > tolerance:
            gradient = gradient + left
        return gradient

    return planted(
        "Solved",
        lambda b: torch.linalg.solve(matrix, b.sin()),
        lambda s, v: s[0].cos() * pull(s, v),
        None,
    )


@BOTH
@pytest.mark.parametrize("tolerance", [1e-4, 1e-5])
def test_an_approximate_adjoint_is_hinted_at_and_its_share_is_a_number(probe, tolerance):
    report = secant.check(solved(tolerance), points(2), probe=probe)
    text = str(report)
    assert not report
    assert "(a solve to a tolerance: an approximate adjoint)" in text
    assert " 0.0%" not in text
    assert "the linearity law" in text


def test_what_is_far_from_linear_is_no_approximate_adjoint():
    clipped = planted(
        "Clipped", torch.sin, lambda saved, v: v.clamp(-0.1, 0.1) * saved[0].cos(), None
    )
    text = str(secant.check(clipped, points(5)))
    assert "(an abs, relu, clamp, sign, square or constant)" in text
    assert "adjoint" not in text


@pytest.mark.parametrize(
    ("topic", "aspect"),
    [
        (slopes.VERSIONS_AGREE, "what"),
        (slopes.VERSIONS_DIFFER, "note"),
        (slopes.TOO_BLURRED, "what"),
    ],
)
def test_roundings_beyond_counting_are_not_counted(topic, aspect):
    reason = topic(version="in float64", claim="the float32 claim", roundings=9e15)
    assert "more than a million roundings" in str(said(reason, aspect))

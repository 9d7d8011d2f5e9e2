"""Infinities in the inputs, as in masks of −inf: held, named, and nothing may be claimed there."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import secant
from dropin.promises import BOTH, FORWARD, failure
from planted import planted, points
from secant import Verdict
from secant.torch import gradcheck, gradgradcheck

INF = float("inf")
PROBE = pytest.mark.parametrize("probe", ["fast", "full"])
MODES = pytest.mark.parametrize("modes", ["reverse", "forward", "all"])


def mask(*rows, dtype=torch.float64):
    return torch.tensor(rows, dtype=dtype, requires_grad=True)


def attention(x, mask):
    """A softmax that gives zeros for a row in which everything is masked."""
    return torch.ops.aten._safe_softmax(x + mask, -1)


MASK = ([0.0, -INF, 0.0], [-INF, -INF, -INF])


@PROBE
@MODES
@pytest.mark.parametrize("order", [1, 2])
def test_a_mask_of_infinities_is_checked_where_it_is_finite(probe, modes, order):
    x, added = points(2, 3).requires_grad_(), mask(*MASK)
    report = secant.check(attention, x, added, probe=probe, modes=modes, order=order)
    assert report, str(report)
    assert (
        "note        mask is infinite at [0, 1], [1, 0], [1, 1], [1, 2]: what is infinite was not "
        "moved" in str(report)
    )


@BOTH
@pytest.mark.parametrize("mode", [{}, FORWARD], ids=["reverse", "forward"])
def test_the_drop_in_accepts_what_torch_accepts(fast_mode, mode):
    inputs = points(2, 3).requires_grad_(), mask(*MASK)
    assert torch.autograd.gradcheck(attention, inputs, fast_mode=fast_mode, **mode)
    assert gradcheck(attention, inputs, fast_mode=fast_mode, **mode)
    assert gradgradcheck(attention, inputs, fast_mode=fast_mode)


def exponential(gradient):
    """Return exp with a gradient of its own, and a tangent to fit."""
    return planted("Exp", torch.exp, lambda saved, v: gradient(saved[0]) * v, None)


@PROBE
def test_a_wrong_entry_beside_an_infinite_one_is_named_by_its_own_index(probe):
    def gradient(x):
        slope = x.exp()
        slope[3] *= 1.05
        return slope

    x = mask(0.5, -INF, 0.7, 0.9)
    report = secant.check(exponential(gradient), x, probe=probe)
    assert report.verdict is Verdict.FAIL
    assert "∂out[3] / ∂input0[3]" in str(report)


@PROBE
@pytest.mark.parametrize("claim", [1.0, float("nan"), INF])
def test_a_claim_about_an_infinite_entry_is_wrong(probe, claim):
    def gradient(x):
        return torch.where(x.isinf(), torch.full_like(x, claim), x.exp())

    report = secant.check(exponential(gradient), mask(0.5, -INF, 0.7), probe=probe)
    assert report.verdict is Verdict.FAIL
    assert "something is claimed about an infinite input, which cannot move" in {
        one.message for one in report.findings if one.verdict is Verdict.FAIL
    }
    assert "∂out / ∂input0[1]" in {one.where for one in report.findings}


@BOTH
def test_a_claim_about_an_infinite_entry_is_a_mismatch_in_the_drop_in(fast_mode):
    wrong = exponential(lambda x: torch.where(x.isinf(), torch.ones_like(x), x.exp()))
    error = failure(wrong, mask(0.5, -INF, 0.7), fast_mode=fast_mode)
    assert "mismatch for output 0 with respect to input 0" in str(error)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_low_precision_has_masks_too(dtype):
    x = mask(0.5, -INF, 0.75, dtype=dtype)
    report = secant.check(lambda x: torch.softmax(x, 0), x)
    assert report, str(report)


def test_complex_numbers_are_infinite_if_a_part_is():
    x = torch.tensor([complex(0.5, 0.25), complex(-INF, 0.0)], requires_grad=True)
    report = secant.check(lambda x: torch.where(x.isinf(), 0, x) ** 2, x.to(torch.complex128))
    assert report, str(report)
    assert "is infinite at [1]: what" in str(report)


def test_numpy_and_jax_have_masks_too():
    row = [0.5, -INF, 0.75]

    def gradient(x):
        p = np.exp(x) / np.exp(x).sum()
        return p * (np.array([1.0, 2.0, 3.0]) - p @ np.array([1.0, 2.0, 3.0]))

    weights = np.array([1.0, 2.0, 3.0])
    by_hand = secant.check(
        lambda x: (np.exp(x) / np.exp(x).sum()) @ weights, np.array(row), gradient=gradient
    )
    traced = secant.check(lambda x: jax.nn.softmax(x), jnp.array(row))
    for report in (by_hand, traced):
        assert report, str(report)
        assert "x is infinite at [1]: what is infinite was not moved" in str(report)


def test_an_output_that_is_infinite_is_still_refused():
    with pytest.raises(secant.InputError, match="expected `<lambda>` to be finite at the point"):
        secant.check(lambda x: x * 2, mask(0.5, -INF))


def test_a_leaf_that_is_infinite_everywhere_has_nothing_to_check():
    report = secant.check(lambda x, m: x + m.exp(), points(2).requires_grad_(), mask(-INF, -INF))
    assert report, str(report)

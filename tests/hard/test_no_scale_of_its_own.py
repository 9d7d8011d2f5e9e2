"""Points that do not tell the function's scale, and outputs that stand on flats of rounding.

Each is right, was blamed once, and is no more blamed; what is wrong beside it is not let pass.
"""

from __future__ import annotations

import pytest
import torch

import secant
from hard.claims import DOUBLE, FAIL, PASS, SINGLE, off, uniform

HALF = torch.bfloat16


def centred(x):
    """Zero but for rounding, and so is its gradient."""
    apart = x - x.mean(-1, keepdim=True)
    mean = 2 * apart.mean()
    return 1000 * mean, torch.maximum(mean, mean)


def expanded(x):
    """One number three times, less its mean."""
    numbers = torch.hypot(x.norm(), x.norm()).expand(3)
    return torch.nn.functional.silu(numbers - numbers.mean())


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("function", [centred, expanded])
def test_laws_are_not_broken_by_what_rounding_leaves_of_terms_that_cancel(function, seed):
    x = 1e4 * uniform(1, 36, low=-1, high=1, dtype=DOUBLE, seed=seed)
    report = secant.check(function, x, seed=seed)
    broken = [one.kind for one in report.findings if one.verdict is FAIL]
    assert not broken, str(report)


@pytest.mark.parametrize("rule", [lambda v: 2 * v.abs(), lambda v: v + 1e-3], ids=["abs", "offset"])
def test_a_law_that_is_broken_beside_such_terms_is_said_to_be(rule):
    class Bent(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x + 0

        @staticmethod
        def backward(ctx, v):
            return rule(v)

    x = 1e4 * uniform(36, low=-1, high=1, dtype=DOUBLE, seed=0)
    report = secant.check(lambda x: Bent.apply(x) - x.mean(), x)
    assert "linearity" in {one.kind for one in report.findings if one.verdict is FAIL}, str(report)


def beside(x, tiny):
    """Smooth over a length of 1e-10, a kink from further away."""
    return torch.hypot(tiny, x)


def pulse(x):
    """A pulse that is over long before 1."""
    return torch.exp(-((1e9 * x) ** 2)) * 1e9 * x


@pytest.mark.parametrize("seed", range(2))
def test_a_leaf_of_zeros_is_not_judged_from_afar(seed):
    zeros, tiny = (
        torch.zeros(5, dtype=DOUBLE),
        1e-10 * uniform(5, low=0.5, high=1, dtype=DOUBLE, seed=seed),
    )
    assert secant.check(beside, zeros, tiny, seed=seed).verdict is not FAIL
    assert secant.check(pulse, zeros[0], seed=seed).verdict is not FAIL
    assert secant.check(off(pulse, 2.0), zeros[0], seed=seed).verdict is not PASS


@pytest.mark.parametrize("dtype", [HALF, torch.float16])
@pytest.mark.parametrize("seed", range(2))
def test_a_kink_at_zero_is_seen_in_half_precision(dtype, seed):
    """A leaf of zeros rounds nothing: one-sided slopes tell apart what they are."""

    def function(x):
        return torch.relu(x) * uniform(4, low=1, high=2, dtype=dtype, seed=seed)

    zeros = torch.zeros((), dtype=dtype)
    report = secant.check(function, zeros, seed=seed, lift=False)
    assert report.verdict is not FAIL, str(report)
    report = secant.check(off(function, -1.0), zeros + 0.5, seed=seed, lift=False)
    assert report.verdict is not PASS, str(report)


@pytest.mark.parametrize("seed", range(2))
def test_outputs_of_zero_that_first_move_by_a_rounding_do_not_stand_still(seed):
    x = 1e-12 * uniform(2, low=0.5, high=1, dtype=DOUBLE, seed=seed)
    report = secant.check(lambda x: torch.lgamma(torch.sqrt(x * x + 1)), x, seed=seed)
    assert report.verdict is not FAIL, str(report)


def rounded(x, dtype):
    return x.to(dtype).to(x.dtype)


def through_casts(x):
    """One output underflows in the backward of a cast, the other is as exact as its version."""
    narrow = rounded(1e-6 * x, torch.float16)
    squashed = rounded(torch.tanh(narrow), HALF)
    return 1e-9 * torch.atan(torch.exp(-squashed * squashed) @ squashed), narrow


def spread(x):
    """What is cast is what cancels, so that no version without casts has the same values."""
    return rounded(rounded(torch.hypot(x, x + 3), HALF).std(0), HALF)


@pytest.mark.parametrize("seed", range(2))
def test_flats_that_casts_make_are_not_held_against_a_claim(seed):
    x = 1e6 * uniform(4, 4, low=-1, high=1, dtype=DOUBLE, seed=seed)
    assert secant.check(through_casts, x, seed=seed).verdict is not FAIL
    assert secant.check(off(through_casts, 1.5), x, seed=seed).verdict is not PASS
    x = uniform(18, low=-1, high=1, dtype=SINGLE, seed=seed)
    assert secant.check(spread, x, seed=seed).verdict is not FAIL
    assert secant.check(off(spread, 3.0), x, seed=seed).verdict is not PASS

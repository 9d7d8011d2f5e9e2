"""Where there is nothing to check, a check says so: absence of evidence is no PASS."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import secant
from secant.torch import gradcheck

INCONCLUSIVE = secant.Verdict.INCONCLUSIVE
WHOLE = "nothing was checked: every output holds whole numbers or truth values"
DTYPES = pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])


@pytest.mark.thinned(keep=15)
@DTYPES
@pytest.mark.parametrize(
    "settings",
    [{}, {"probe": "full"}, {"modes": "all"}, {"modes": "forward"}, {"order": 2}],
    ids=str,
)
@pytest.mark.parametrize(
    "function", [torch.argmax, lambda x: (3 * x).long(), lambda x: (x > 0.5, x.argsort())]
)
def test_outputs_of_whole_numbers_are_no_evidence(function, settings, dtype):
    report = secant.check(function, torch.linspace(0, 1, 6, dtype=dtype), **settings)
    assert report.verdict is INCONCLUSIVE
    assert WHOLE in str(report)


def test_assert_gradient_does_not_pass_in_silence():
    with pytest.raises(secant.GradientInconclusive, match=WHOLE):
        secant.assert_gradient(torch.argmax, torch.rand(3, 2))


@pytest.mark.parametrize(
    "check",
    [
        lambda: secant.check(jnp.argmax, jnp.ones(3)),
        lambda: secant.check(np.argmax, np.ones(3), pull=lambda x, v: 0 * x),
    ],
)
def test_in_jax_and_numpy_too(check):
    report = check()
    assert report.verdict is INCONCLUSIVE
    assert WHOLE in str(report)


def test_the_message_is_one_screen():
    report = secant.check(torch.argmax, torch.ones(3, dtype=torch.float64))
    assert str(report).splitlines() == [
        "INCONCLUSIVE  derivative of `argmax`",
        f"  what   {WHOLE}, which have no derivative",
        '  rerun  secant.check(argmax, input0, probe="full", seed=1729)',
    ]


def test_a_cut_dependence_that_nobody_asks_about_is_not_passed():
    report = secant.check(lambda x: x.detach() * 2, torch.ones(3), laws="none")
    assert report.verdict is INCONCLUSIVE
    assert "the liveness law" in str(report)


def test_one_output_that_can_be_checked_is_enough():
    assert secant.check(lambda x: (x.argmax(), x.sin()), torch.linspace(0, 1, 4))


def test_the_drop_in_says_yes_as_torch_does():
    x = torch.ones(3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(torch.argmax, x)
    assert gradcheck(torch.argmax, x)

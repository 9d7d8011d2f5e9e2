"""Kernels that nothing was tuned on are told right from wrong in every dtype."""

from __future__ import annotations

import pytest
import torch

import secant
from device.everyday import EVERYDAY
from device.further import CHOICES, FURTHER, TWO_LARGEST
from device.imitations import DTYPES

PASS, FAIL, INCONCLUSIVE = secant.Verdict.PASS, secant.Verdict.FAIL, secant.Verdict.INCONCLUSIVE
UNTUNED = (*FURTHER, *EVERYDAY)
EVERY = [(one, mistake) for one in UNTUNED for mistake in ("", *one.mistakes)]
KERNELS = pytest.mark.parametrize(
    ("kernel", "mistake"), EVERY, ids=[f"{one.name}-{wrong or 'right'}" for one, wrong in EVERY]
)
IN_DTYPES = pytest.mark.parametrize(
    "dtype", DTYPES, ids=lambda one: str(one).removeprefix("torch.")
)


@pytest.mark.thinned(keep=28)
@IN_DTYPES
@KERNELS
def test_a_kernel_that_nothing_was_tuned_on_is_told_right_from_wrong(kernel, mistake, dtype):
    report = secant.check(
        kernel.function(mistake), *kernel.draw(256, 384, dtype, seed=2), explain=False
    )
    assert report.verdict is (FAIL if mistake else PASS), str(report)


@IN_DTYPES
@pytest.mark.parametrize("mistake", ["", *TWO_LARGEST.mistakes])
def test_a_choice_of_the_largest_is_told_right_from_wrong_away_from_ties(mistake, dtype):
    order = torch.rand(1024, CHOICES, generator=torch.Generator().manual_seed(0)).argsort(-1)
    x = torch.linspace(-2, 2, CHOICES)[order].to(dtype).requires_grad_()
    report = secant.check(TWO_LARGEST.function(mistake), x, explain=False)
    assert report.verdict is (FAIL if mistake else PASS), str(report)


@IN_DTYPES
@pytest.mark.parametrize("mistake", ["", *TWO_LARGEST.mistakes])
def test_a_choice_of_the_largest_beside_ties_is_never_told_the_wrong_way_round(mistake, dtype):
    (x,) = TWO_LARGEST.draw(32, 128, dtype)
    report = secant.check(TWO_LARGEST.function(mistake), x, explain=False)
    assert report.verdict in ((FAIL if mistake else PASS), INCONCLUSIVE), str(report)

"""Claims that are off by little: all entries say so where they are known, not one lucky sum."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch

import secant
from planted import planted, points
from secant._measure.estimate import Estimate
from secant._probes.failing.slight import slight
from secant._verdict.evidence import Comparison, Leaf, LeafPair


@pytest.mark.parametrize(("share", "is_named"), [(1e-3, True), (0.3, False)])
def test_a_sum_that_is_right_by_luck_makes_no_approximation(share, is_named):
    measured = np.linspace(1.0, 2.0, 16).reshape(4, 4)
    claimed = measured * (1 + share)
    scene = LeafPair(Leaf("x", np.zeros(4)), Leaf("out", np.zeros(4)))
    error, limit = np.full((4, 4), 1e-9), np.full((4, 4), 1e-8)
    comparison = Comparison(claimed, measured, error, limit, np.ones((4, 4), bool), scene)
    lucky = SimpleNamespace(slope=1.0, residual=Estimate(1e-4, 1e-9))
    question = SimpleNamespace(yardstick=SimpleNamespace(is_slight=lambda _: True, terms=1.0))
    judged = SimpleNamespace(reading=lucky)
    assert (slight(question, judged, comparison) is not None) == is_named


def off_by_little(size: int):
    """Return a dense function of so many entries, with the claim of one that is nearly it."""
    generator = torch.Generator().manual_seed(size)
    matrix, other = torch.randn(2, 6, size, dtype=torch.float64, generator=generator)

    def backward(saved, v):
        return (v * (matrix @ saved[0]).cos()) @ (matrix + 1e-5 * other)

    return planted("Nearly", lambda x: (matrix @ x).sin(), backward)


@pytest.mark.parametrize("size", [3, 20, 36, 100])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_named_forgives_a_claim_that_is_off_by_little_everywhere(size, seed):
    function, x = off_by_little(size), points(size)
    report = secant.check(function, x, seed=seed)
    (reason,) = [one for one in report.worst.reasons if one.code == "OFF_BY_LITTLE"]
    name, number = reason.fields["setting"].split("=")
    assert 1e-6 < reason.fields["share"] < 1e-4
    assert secant.check(function, x, seed=seed, **{name: float(number)})
    # a hundred columns are asked by a sample, forty and fewer one by one
    assert report.cost.evaluations <= 120 + 2 * min(size, 40)


def test_a_single_number_that_is_off_by_little_is_no_constant_factor():
    loss = planted("Loss", lambda x: (x**2).sum(), lambda saved, v: 2.002 * saved[0] * v)
    codes = {one.code for one in secant.check(loss, points(1)).worst.reasons}
    assert "OFF_BY_LITTLE" in codes
    assert "CONSTANT_FACTOR" not in codes
    codes = {one.code for one in secant.check(loss, points(3)).worst.reasons}
    assert "CONSTANT_FACTOR" in codes

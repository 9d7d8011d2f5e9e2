"""Claims that are off by little: all entries say so where they are known, not one lucky sum."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from secant._measure.estimate import Estimate
from secant._probes.failing.slight import slight
from secant._verdict.evidence import Comparison, Leaf, Scene


@pytest.mark.parametrize(("share", "is_named"), [(1e-3, True), (0.3, False)])
def test_a_sum_that_is_right_by_luck_makes_no_approximation(share, is_named):
    measured = np.linspace(1.0, 2.0, 16).reshape(4, 4)
    claimed = measured * (1 + share)
    scene = Scene(Leaf("x", np.zeros(4)), Leaf("out", np.zeros(4)))
    error, limit = np.full((4, 4), 1e-9), np.full((4, 4), 1e-8)
    comparison = Comparison(claimed, measured, error, limit, np.ones((4, 4), bool), scene)
    lucky = SimpleNamespace(slope=1.0, residual=Estimate(1e-4, 1e-9))
    question = SimpleNamespace(yardstick=SimpleNamespace(is_slight=lambda _: True, terms=1.0))
    judged = SimpleNamespace(reading=lucky)
    assert (slight(question, judged, comparison) is not None) == is_named

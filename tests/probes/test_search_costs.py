"""What a failure's explanation may cost, where suspicions are ruled out together."""

from __future__ import annotations

import pytest
import torch

import secant
from device.imitations import HALF_A_SUM, HALF_ROTATED, IMITATIONS, OVERWRITTEN

MOST = {
    ("softmax", HALF_A_SUM): 400,
    ("rotary", HALF_ROTATED): 400,
    ("embedding", OVERWRITTEN): 300,
}


@pytest.mark.parametrize(("name", "mistake"), MOST, ids=lambda one: one.replace(" ", "-"))
def test_a_wrong_kernel_is_explained_within_a_few_hundred_evaluations(name, mistake):
    (kernel,) = (one for one in IMITATIONS if one.name == name)
    inputs = kernel.draw(64, 300, torch.float32)
    report = secant.check(kernel.function(mistake), *inputs, seed=1729)
    assert not report
    assert report.cost.evaluations <= MOST[name, mistake]
    if mistake == HALF_A_SUM:
        assert "a sum along dimension 1 is missing or wrong" in str(report)

"""Outputs that bend beside the point: rectifiers in float32, where every step is long."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import secant
from asked import ask
from device.imitations import Imitation
from planted import FLOAT

PASS, FAIL = secant.Verdict.PASS, secant.Verdict.FAIL
DTYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)


def normals(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=FLOAT)


def _pulled(mistake, g, x, b):
    slopes = np.where(x + b > 0, 1.0, 0.5 if mistake else 0.0).astype(np.float32)
    return g * slopes, (g * slopes).sum(0)


RECTIFIER = Imitation(
    "biased_rectifier",
    ("half passes below 0",),
    lambda rows, columns: ((rows, columns), (columns,)),
    lambda x, b: np.maximum(x + b, np.float32(0)),
    _pulled,
)


@DTYPES
@pytest.mark.parametrize("seed", [0, 1])
def test_a_rectifier_out_of_sight_is_told_from_a_wrong_one(dtype, seed):
    inputs = RECTIFIER.draw(64, 300, dtype, seed)
    right = secant.check(RECTIFIER.function(), *inputs)
    assert right.verdict is PASS, str(right)
    assert right.cost.evaluations <= 150  # without a walk along a path, which takes hundreds
    leaky = secant.check(RECTIFIER.function(*RECTIFIER.mistakes), *inputs, explain=False)
    assert leaky.verdict is FAIL, str(leaky)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("function", "slopes"),
    [
        (lambda z: z.clamp(min=0), lambda z: (z > 0) * 1.0),
        (lambda z: z.clamp(-1, 1), lambda z: (z.abs() < 1) * 1.0),
        (lambda z: z.clamp(min=0) ** 2, lambda z: 2 * z.clamp(min=0)),
        (lambda z: z.sin().abs(), lambda z: z.cos() * z.sin().sign()),
    ],
)
def test_what_is_read_beside_kinks_lies_within_its_bar(function, slopes, seed):
    """In float32's steps; what is subtracted is the truth, so that the residual is the error."""
    z = normals(20_000, seed=seed)
    closer = ask(lambda x: function(x).float().double(), z).look()
    assert closer.verdict is PASS
    reading = closer.reading
    assert abs(reading.residual.value) <= reading.residual.error
    assert reading.residual.error < 2e-3 * float(torch.linalg.norm(slopes(z)))


def test_a_kink_at_the_point_is_read_from_both_sides():
    """Zero is no slope of the right side, and one none of the left: the mean is, as it was."""
    closer = ask(torch.relu, torch.zeros(64, dtype=FLOAT)).look()
    assert closer.corner is not None
    assert closer.is_at_kink


def test_smooth_outputs_of_many_sizes_have_no_clear_sides():
    closer = ask(lambda x: x.sin() * torch.logspace(-6, 6, 500, dtype=FLOAT), normals(500)).look()
    assert closer.verdict is PASS
    assert closer.reading.residual.error < 1e-6 * closer.reading.slope

"""The command that a report ends with: executed, it finds the same."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

import secant
from planted import points, scaled_sine

wrong = scaled_sine(1.05)
x = points(4)


def kinked(x, y, scale=1.0):
    return scale * wrong(x) * y.abs()


def half(x):
    return x.sin() / 2


def whole(x):
    return x.sin()


def by_hand(x, power):
    return np.sum(x**power)


def slope(x, power):
    return 1.1 * power * x ** (power - 1)


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return wrong(self.linear(x))


def asked_again(one, **names):
    """Execute what a report ends with, and nothing else."""
    return eval(one.rerun, {"secant": secant, "torch": torch, **names})


def findings(report):
    grave = [one for one in report.findings if one.verdict is report.verdict]
    causes = [reason for one in grave for reason in one.reasons[1:]]
    return report.verdict, {one.kind for one in grave}, {(one.code, *one.fields) for one in causes}


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"modes": "all", "order": 2, "seed": 7},
        {"laws": "none", "draws": 2, "explain": True},
        {"laws": ("layout", "linearity"), "step": 1e-3, "memory": 1 << 20},
        {"rtol": 1e-6, "atol": 1e-9, "nondeterminism": 1e-9, "lift": False},
        {"dtype": torch.float32, "max_evaluations": 10**6, "max_seconds": 1e6, "pictures": True},
        {"kwargs": {"scale": 2.0}, "names": ["first", "second"]},
    ],
    ids=str,
)
def test_a_check_that_is_asked_again_finds_the_same(settings):
    y = points(4)
    one = secant.check(kinked, x, y, probe="full", **settings)
    assert not one
    again = asked_again(one, kinked=kinked, x=x, y=y, kwargs=settings.get("kwargs"))
    assert findings(again) == findings(one)
    assert again.rerun == one.rerun
    written = {name for name in settings if name not in ("seed", "explain")}
    assert all(f"{name}=" in one.rerun for name in written), one.rerun


def test_a_setting_that_was_the_default_is_not_said():
    assert secant.check(wrong, x).rerun.endswith(', probe="full", seed=1729)')
    assert secant.check(wrong, x).rerun.count("=") == 2


def test_a_derivative_by_hand_and_constants_are_asked_again():
    x = np.linspace(0.5, 1.0, 3)
    one = secant.check(by_hand, x, gradient=slope, args=(3,))
    again = asked_again(one, by_hand=by_hand, slope=slope, x=x, args=(3,))
    assert findings(again) == findings(one)


def test_many_inputs_go_together():
    inputs = [points(2) for _ in range(6)]

    def summed(*many):
        return wrong(sum(many))

    one = secant.check(summed, *inputs)
    assert asked_again(one, summed=summed, inputs=inputs).verdict is secant.Verdict.FAIL


def test_a_localisation_is_asked_again():
    module = Twice().double()
    one = secant.localise(module, x, laws="none", dtype=torch.float64, seed=3)
    again = asked_again(one, module=module, x=x)
    assert [call.name for call in again.blamed] == [call.name for call in one.blamed] != []
    assert again.rerun == one.rerun


def test_a_comparison_is_asked_again():
    single = x.float()
    one = secant.compare(half, whole, single, limit=3.0, draws=4, gradients=False, seed=2)
    again = asked_again(one, half=half, whole=whole, x=single)
    assert [row.codes for row in again.rows] == [row.codes for row in one.rows]
    assert again.rows[0].codes == ("KERNEL_FACTOR",)
    assert again.rerun == one.rerun

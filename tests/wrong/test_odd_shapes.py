"""Looking for causes raises nowhere: wrong derivatives of odd shapes, at odd points."""

from __future__ import annotations

import pytest
import torch

import secant
from planted import planted

SHAPES = [(), (1,), (1, 1), (2,), (2, 1, 3), (40,)]
POINTS = {
    "ordinary": lambda x: x,
    "zeros": torch.zeros_like,
    "tiny": lambda x: 1e-200 * x,
    "huge": lambda x: 1e150 * x,
}
FUNCTIONS = {
    "sine": (torch.sin, torch.cos),
    "scaled": (lambda x: 3.0 * x, lambda x: torch.full_like(x, 3.0)),
    "nothing": (torch.zeros_like, torch.zeros_like),
}
MISTAKES = {
    "twice": lambda x, v: 2 * v,
    "negative": lambda x, v: -v,
    "nothing": lambda x, v: 0 * v,
    "added": lambda x, v: v + 1,
    "infinite": lambda x, v: v * torch.inf,
    "slight": lambda x, v: 1.00001 * v,
    "reversed": lambda x, v: v.reshape(-1).flip(0).reshape(v.shape),
    "levels": lambda x, v: (v / v.abs().max() * 7).round() * (v.abs().max() / 7),
    "powers": lambda x, v: v * x * x,
}


def beside(function, claim, mistake):
    """Return a function with a wrong gradient, and whole numbers and no entries beside."""

    def pull(saved, v):
        (x,) = saved
        return mistake(x, v * claim(x))

    wrong = planted("Wrong", function, pull)

    def outputs(x, none):
        return {"wrong": wrong(x), "sign": (x > 0).long(), "none": none.clone()}

    return outputs


@pytest.mark.thinned(keep=40)
@pytest.mark.parametrize("probe", ["auto", "full"])
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_looking_for_the_cause_of_odd_mistakes_raises_nowhere(name, mistake, shape, point, probe):
    function, claim = FUNCTIONS[name]
    none = torch.zeros(0, 3, dtype=torch.float64)
    generator = torch.Generator().manual_seed(5)
    x = POINTS[point](torch.randn(shape, dtype=torch.float64, generator=generator))
    report = secant.check(beside(function, claim, MISTAKES[mistake]), x, none, probe=probe)
    raised = [one for one in report.findings for why in one.reasons if why.code == "LOOKING_RAISED"]
    assert not raised, str(report)


def test_a_scalar_whose_powers_leave_the_range_is_no_factor():
    x = torch.tensor(1e-200, dtype=torch.float64)
    twice = planted("Twice", torch.sin, lambda saved, v: 2 * v * saved[0].cos())
    assert "2 × measured" in str(secant.check(twice, x))

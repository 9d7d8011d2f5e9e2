"""The ladder: longer steps for hidden noise, shorter ones for kinks, one-sided ones at borders."""

from __future__ import annotations

import pytest
import torch

import secant
from asked import ask
from planted import FLOAT, planted, points

PASS, FAIL = secant.Verdict.PASS, secant.Verdict.FAIL


def hidden(x):
    """Noise 1e8 times what the dtype of input and output promises."""
    return x.float().sin().double()


def normals(size, seed=0):
    return torch.randn(size, generator=torch.Generator().manual_seed(seed), dtype=FLOAT)


def test_hidden_noise_makes_the_step_longer():
    asked = ask(hidden, points(200))
    closer = asked.look()
    assert closer.verdict is PASS
    assert closer.reading.step > 8 * asked.examination.step(0)
    assert closer.reading.residual.error < 1e-3 * closer.reading.slope


def test_outputs_that_bend_at_one_side_are_read_from_the_other():
    closer = ask(torch.relu, normals(100_000)).look()
    assert closer.verdict is PASS
    assert closer.reading.residual.error < 1e-9 * closer.reading.slope


def test_kinks_on_both_sides_make_the_step_shorter():
    asked = ask(lambda x: (1e6 * x).sin().abs() / 1e6, normals(100_000))
    closer = asked.look()
    assert closer.verdict is PASS
    assert closer.reading.step < asked.examination.step(0)
    assert closer.reading.residual.error < 1e-3 * closer.reading.slope


def test_curvature_makes_the_step_shorter():
    asked = ask(lambda x: (1e4 * x).sin(), points(5))
    closer = asked.look()
    assert closer.verdict is PASS
    assert closer.reading.step < asked.examination.step(0)


@pytest.mark.parametrize(
    ("function", "point"),
    [
        (hidden, lambda: points(200)),
        (torch.relu, lambda: normals(10_000)),
        (lambda x: (1e4 * x).sin(), lambda: points(5)),
        (lambda x: x.prod(), lambda: points(125) * 2),
        (lambda x: x.float().exp().double().sum(), lambda: points(9)),
    ],
    ids=["hidden noise", "kinks", "curvature", "product", "hidden in a sum"],
)
@pytest.mark.parametrize("error", [0.0, 0.05])
def test_traps_are_told_from_mistakes(function, point, error):
    """The traps of the design: right claims pass, claims 5 % off fail."""

    def forward(x):
        return function(x)

    def backward(saved, v):
        x = saved[0].detach().requires_grad_()
        with torch.enable_grad():
            (gradient,) = torch.autograd.grad(function(x), x, v)
        return gradient * (1 + error)

    verdict = secant.check(planted("Trap", forward, backward), point()).verdict
    assert verdict is (FAIL if error else PASS)


# -- borders of domains --------------------------------------------------------------------------

BORDERS = {
    "log near 0": (torch.log, [1e-6, 1e-5]),
    "log very near 0": (torch.log, [1e-9, 2e-9]),
    "log near and far": (torch.log, [1e-6, 1.0]),
    "asin near 1": (torch.asin, [1 - 1e-6, -1 + 1e-6]),
    "asin and 0": (torch.asin, [1 - 1e-6, 0.0]),
    "sqrt near 0": (torch.sqrt, [1e-8, 1e-7]),
    "acosh near 1": (torch.acosh, [1 + 1e-6]),
    "log1p near −1": (torch.log1p, [-1 + 1e-6]),
    "x log x near 0": (lambda x: x * x.log(), [1e-7, 1e-3]),
}


@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize("border", BORDERS)
def test_right_gradients_at_the_border_of_a_domain_pass(border, probe):
    function, x = BORDERS[border]
    report = secant.check(function, torch.tensor(x, dtype=FLOAT), probe=probe)
    assert report, str(report)


# On the border itself slopes of 0 need not stand out from their bars: the numbers may not tell.
AT_BORDERS = {
    "x**1.5": (lambda x: x**1.5, [0.0, 0.0, 0.0]),
    "x**2.5": (lambda x: x**2.5, [0.0, 0.0]),
    "x**1.5, partly": (lambda x: x**1.5, [0.0, 0.4, 1.0]),
}


@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize("border", AT_BORDERS)
def test_right_gradients_on_the_border_itself_are_never_blamed(border, probe):
    function, x = AT_BORDERS[border]
    report = secant.check(function, torch.tensor(x, dtype=FLOAT), probe=probe)
    assert report.verdict is not FAIL, str(report)


@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize(
    ("function", "slope", "x"),
    [
        (torch.log, lambda x: 1.01 / x, [1e-6, 1e-5]),
        (torch.asin, lambda x: 1.01 / (1 - x * x).sqrt(), [1 - 1e-6, -1 + 1e-6]),
        (lambda x: x + x.sqrt() * x, lambda x: 1.1 + 1.5 * x.sqrt(), [0.0, 0.0]),
    ],
    ids=["log", "asin", "x + x**1.5"],
)
def test_wrong_gradients_at_the_border_of_a_domain_fail(function, slope, x, probe):
    wrong = planted("Wrong", function, lambda saved, v: v * slope(saved[0]))
    report = secant.check(wrong, torch.tensor(x, dtype=FLOAT), probe=probe)
    assert report.verdict is FAIL, str(report)


@pytest.mark.parametrize("probe", ["fast", "full"])
def test_a_slope_that_vanishes_at_the_border_is_never_called_right_when_it_is_wrong(probe):
    wrong = planted("Wrong", lambda x: x**1.5, lambda saved, v: v * (1.5 * saved[0].sqrt() + 0.1))
    report = secant.check(wrong, torch.zeros(2, dtype=FLOAT), probe=probe)
    assert report.verdict is not secant.Verdict.PASS, str(report)


def test_the_one_sided_slope_at_a_border_is_measured():
    asked = ask(lambda x: x * x.sqrt() + 2 * x, torch.zeros(1, dtype=FLOAT))
    closer = asked.look()
    assert closer.reading is not None
    assert closer.verdict is PASS


def test_a_function_that_is_finite_nowhere_beside_the_point_cannot_be_judged():
    def island(x):
        return torch.where(x.detach() == 0.25, x * 2, torch.nan)

    report = secant.check(island, torch.full((3,), 0.25, dtype=FLOAT))
    assert report.verdict is secant.Verdict.INCONCLUSIVE
    assert "no step stays inside the domain" in str(report)


def test_a_function_that_overflows_within_every_step_cannot_be_judged():
    point = torch.tensor([1e3, -2e3, 1.5e3], dtype=FLOAT)
    report = secant.check(lambda x: (x / 4).exp().cumsum(0), point)
    assert report.verdict is secant.Verdict.INCONCLUSIVE, str(report)

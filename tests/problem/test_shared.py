"""Arguments that are views of one another are variables of their own; one given twice is one."""

from __future__ import annotations

import pytest
import torch

import secant
from dropin.promises import BOTH, FORWARD, FORWARD_OVER_REVERSE, failure, sine_with_gradient
from fingerprints import fingerprint
from planted import points, scaled_sine
from secant import Verdict
from secant.torch import gradcheck, gradgradcheck

PROBE = pytest.mark.parametrize("probe", ["fast", "full"])
MODES = pytest.mark.parametrize("modes", ["reverse", "forward", "all"])
ORDER = pytest.mark.parametrize("order", [1, 2])
WRONG_SECOND = sine_with_gradient(lambda x, v: v * x.detach().cos())


def halves():
    x = points(4).requires_grad_()
    return x[:2], x[2:]


def a_whole_and_its_view():
    x = points(4).requires_grad_()
    return x, x.view(2, 2)


def overlapping():
    x = points(4)
    return x[:3].requires_grad_(), x[1:].requires_grad_()


VIEWS = pytest.mark.parametrize("make", [halves, a_whole_and_its_view, overlapping])


def product(rule):
    return lambda a, b: rule(a) * b.reshape(-1)


@pytest.mark.thinned(keep=6)
@VIEWS
@PROBE
@MODES
@ORDER
def test_views_of_one_another_are_variables_of_their_own(make, probe, modes, order):
    inputs = make()
    before = fingerprint(*inputs)
    settings = {"probe": probe, "modes": modes, "order": order}
    report = secant.check(product(torch.sin), *inputs, **settings)
    assert report, str(report)
    wrong = scaled_sine(1.05) if order == 1 else WRONG_SECOND
    assert secant.check(product(wrong), *inputs, **settings).verdict is Verdict.FAIL
    assert fingerprint(*inputs) == before


@VIEWS
@BOTH
@pytest.mark.parametrize("mode", [{}, FORWARD], ids=["reverse", "forward"])
def test_the_drop_in_takes_views_of_one_another(make, fast_mode, mode):
    inputs = make()
    before = fingerprint(*inputs)
    assert gradcheck(product(torch.sin), inputs, fast_mode=fast_mode, **mode)
    failure(product(scaled_sine(1.05)), inputs, fast_mode=fast_mode, **mode)
    second = FORWARD_OVER_REVERSE if mode else {}
    assert gradgradcheck(product(torch.sin), inputs, fast_mode=fast_mode, **second)
    failure(product(WRONG_SECOND), inputs, check=gradgradcheck, fast_mode=fast_mode, **second)
    assert fingerprint(*inputs) == before


@pytest.mark.thinned(keep=6)
@PROBE
@MODES
@ORDER
def test_an_array_given_twice_has_the_total_derivative(probe, modes, order):
    x = points(3).requires_grad_()
    before = fingerprint(x)
    settings = {"probe": probe, "modes": modes, "order": order}
    report = secant.check(lambda a, b: a.sin() * b, x, x, **settings)
    assert report, str(report)
    wrong = scaled_sine(1.05) if order == 1 else WRONG_SECOND
    assert secant.check(lambda a, b: a * wrong(b), x, x, **settings).verdict is Verdict.FAIL
    assert fingerprint(x) == before


@pytest.mark.thinned(keep=6)
@PROBE
@MODES
@ORDER
def test_a_parameter_arrives_as_a_parameter(probe, modes, order):
    def registering(weight, x):
        layer = torch.nn.Linear(3, 2, bias=False).double()
        layer.weight = weight
        assert len(list(layer.parameters())) == 1
        return layer(x).sin()

    weight, x = torch.nn.Parameter(points(2, 3)), points(3).requires_grad_()
    report = secant.check(registering, weight, x, probe=probe, modes=modes, order=order)
    assert report, str(report)
    assert {one.where for one in report.findings if one.kind == "unread"} == set()

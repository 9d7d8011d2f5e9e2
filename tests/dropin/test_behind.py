"""`gradcheck(lambda x, *p: module(x), (x, *module.parameters()))` checks the parameters."""

from __future__ import annotations

import pytest
import torch

from dropin.promises import BOTH, FORWARD, FORWARD_OVER_REVERSE, failure, sine_with_gradient
from fingerprints import fingerprint
from planted import points, scaled_sine
from secant.torch import gradcheck, gradgradcheck

FIRST = pytest.mark.parametrize("flags", [{}, FORWARD], ids=["reverse", "forward"])
SECOND = pytest.mark.parametrize(
    "flags", [{}, FORWARD_OVER_REVERSE], ids=["reverse", "forward over reverse"]
)
WRONG_SECOND = sine_with_gradient(lambda x, v: v * x.detach().cos())


def network(rule):
    """Return a module as a function of (x, its parameters), and these."""
    module = torch.nn.Linear(3, 2).double()
    with torch.no_grad():
        module.weight.copy_(points(2, 3))
        module.bias.copy_(points(2, seed=1))
    return (lambda x, *_: rule(module(x))), (
        points(2, 3, seed=2).requires_grad_(),
        *module.parameters(),
    )


@BOTH
@FIRST
def test_right_gradients_of_parameters_pass(fast_mode, flags):
    function, inputs = network(torch.sin)
    before = fingerprint(*inputs)
    assert gradcheck(function, inputs, fast_mode=fast_mode, **flags)
    assert fingerprint(*inputs) == before


@BOTH
@FIRST
@pytest.mark.parametrize("factor", [1.05, 1.01])
def test_wrong_gradients_of_parameters_are_caught(fast_mode, flags, factor):
    _, inputs = network(torch.sin)
    rule = scaled_sine(factor)
    bias = inputs[2]

    def only_the_bias(x, weight, _):
        return x @ inputs[1].t() + rule(bias)

    before = fingerprint(*inputs)
    error = failure(only_the_bias, inputs, fast_mode=fast_mode, **flags)
    assert "mismatch for output 0 with respect to input 2" in str(error)
    assert fingerprint(*inputs) == before


@BOTH
@SECOND
@pytest.mark.parametrize("rule", [torch.sin, torch.neg], ids=["curved", "linear in x"])
def test_right_second_derivatives_in_parameters_pass(fast_mode, flags, rule):
    function, inputs = network(rule)
    before = fingerprint(*inputs)
    assert gradgradcheck(function, inputs, fast_mode=fast_mode, **flags)
    assert fingerprint(*inputs) == before


@BOTH
@SECOND
def test_wrong_second_derivatives_in_parameters_are_caught(fast_mode, flags):
    bias = points(2, seed=1).requires_grad_()
    before = fingerprint(bias)
    failure(
        lambda _: WRONG_SECOND(bias), (bias,), check=gradgradcheck, fast_mode=fast_mode, **flags
    )
    assert fingerprint(bias) == before


@BOTH
def test_a_function_that_keeps_answers_by_value_may_have_been_called_before(fast_mode):
    answers = {}

    def keeping(x):
        key = tuple(x.tolist())
        if key not in answers:
            answers[key] = x.sin()
        return answers[key]

    x = points(3).requires_grad_()
    keeping(x)
    assert gradcheck(keeping, (x,), fast_mode=fast_mode)

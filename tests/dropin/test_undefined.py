"""Undefined cotangents and tangents count as zero, unless `check_undefined_grad` is off."""

from __future__ import annotations

import re

import pytest
import torch

from dropin.promises import BOTH, FORWARD, failure, leaf, opening
from secant.torch import GradcheckError, gradcheck

NOT_HANDLED = "Expected backward function to handle undefined output grads"
NOT_ZERO = "Expected all input grads to be undefined or zero"
TANGENT = "Mismatch in tangent values for output with index"


def sine_without_cotangent(answer):
    """Return sin whose backward gives `answer(x)` where the cotangent is absent."""

    class Sine(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx, v):
            (x,) = ctx.saved_tensors
            return answer(x) if v is None else v * x.cos()

    return Sine.apply


def raising(exception):
    def answer(x):
        raise exception("a cotangent is needed")

    return answer


@BOTH
def test_a_backward_that_raises_without_a_cotangent_fails(fast_mode):
    function = sine_without_cotangent(raising(RuntimeError))
    assert NOT_HANDLED in opening(failure(function, leaf(4), fast_mode=fast_mode))


@BOTH
@pytest.mark.parametrize("exception", [TypeError, ValueError, AttributeError])
def test_a_backward_that_raises_otherwise_is_not_passed_either(exception, fast_mode):
    """Torch lets the exception out; an error of ours would say more."""
    function = sine_without_cotangent(raising(exception))
    with pytest.raises((GradcheckError, exception)):
        gradcheck(function, leaf(4), fast_mode=fast_mode)


@BOTH
@pytest.mark.parametrize("answer", [torch.ones_like, lambda x: torch.full_like(x, 1e-9)])
def test_a_backward_that_makes_something_of_no_cotangent_fails(answer, fast_mode):
    function = sine_without_cotangent(answer)
    assert NOT_ZERO in opening(failure(function, leaf(4), fast_mode=fast_mode))


@BOTH
@pytest.mark.parametrize("answer", [torch.zeros_like, lambda x: None], ids=["zeros", "none"])
def test_a_backward_that_makes_nothing_of_no_cotangent_passes(answer, fast_mode):
    assert gradcheck(sine_without_cotangent(answer), leaf(4), fast_mode=fast_mode)


@BOTH
@pytest.mark.parametrize("answer", [torch.ones_like, raising(RuntimeError), raising(TypeError)])
def test_it_is_not_asked_where_it_is_switched_off(answer, fast_mode):
    function = sine_without_cotangent(answer)
    assert gradcheck(function, leaf(4), fast_mode=fast_mode, check_undefined_grad=False)


class OneAtATime(torch.autograd.Function):
    """Adds to the gradient where the first of two cotangents is absent, and only there.

    What it adds lies below the tolerances.
    """

    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return x.sin(), x * x

    @staticmethod
    def backward(ctx, first, second):
        (x,) = ctx.saved_tensors
        if first is None and second is None:
            return None
        if second is None:
            return first * x.cos()
        if first is None:
            return 2 * x * second + 1e-7
        return first * x.cos() + 2 * x * second


class FirstForgotten(OneAtATime):
    """Forgets the first output where the second has no cotangent."""

    @staticmethod
    def backward(ctx, first, second):
        (x,) = ctx.saved_tensors
        if first is None and second is None:
            return None
        if second is None:
            return torch.zeros_like(x)
        if first is None:
            return 2 * x * second
        return first * x.cos() + 2 * x * second


@BOTH
def test_cotangents_are_left_out_one_at_a_time(fast_mode):
    assert NOT_ZERO in opening(failure(OneAtATime.apply, leaf(4), fast_mode=fast_mode))


@BOTH
def test_an_output_that_is_forgotten_without_the_other_is_a_mismatch(fast_mode):
    error = failure(FirstForgotten.apply, leaf(4), fast_mode=fast_mode)
    assert "Jacobian mismatch for output 0 with respect to input 0" in opening(error)


def product_without_tangent(answer):
    """Return x y whose jvp gives `answer(x, dy)` where the tangent of x is absent."""

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.set_materialize_grads(False)
            ctx.save_for_backward(x, y)
            ctx.save_for_forward(x, y)
            return x * y

        @staticmethod
        def backward(ctx, v):
            x, y = ctx.saved_tensors
            return (None, None) if v is None else (v * y, v * x)

        @staticmethod
        def jvp(ctx, dx, dy):
            x, y = ctx.saved_tensors
            if dx is None:
                return answer(x, dy)
            if dy is None:
                return dx * y
            return dx * y + x * dy

    return Product.apply


@BOTH
@pytest.mark.parametrize("mode", [{"check_forward_ad": True}, FORWARD], ids=["both", "forward"])
def test_an_absent_tangent_that_is_not_taken_for_zero_fails(mode, fast_mode):
    function = product_without_tangent(lambda x, dy: 2 * x * dy)
    inputs = (leaf(4), leaf(4, seed=1))
    assert TANGENT in opening(failure(function, inputs, fast_mode=fast_mode, **mode))


@BOTH
def test_an_absent_tangent_that_is_taken_for_zero_passes(fast_mode):
    function = product_without_tangent(lambda x, dy: x * dy)
    inputs = (leaf(4), leaf(4, seed=1))
    assert gradcheck(function, inputs, fast_mode=fast_mode, check_forward_ad=True)


@BOTH
def test_absent_tangents_are_not_asked_about_where_it_is_switched_off(fast_mode):
    function = product_without_tangent(lambda x, dy: 2 * x * dy)
    inputs = (leaf(4), leaf(4, seed=1))
    flags = {"fast_mode": fast_mode, "check_undefined_grad": False}
    assert gradcheck(function, inputs, check_forward_ad=True, **flags)
    assert gradcheck(function, inputs, **FORWARD, **flags)


@BOTH
def test_the_output_with_the_wrong_tangent_is_counted(fast_mode):
    product = product_without_tangent(lambda x, dy: 2 * x * dy)
    inputs = (leaf(4), leaf(4, seed=1))
    function = lambda x, y: (x + y, product(x, y))  # noqa: E731
    text = opening(failure(function, inputs, fast_mode=fast_mode, **FORWARD))
    assert re.search(TANGENT + r"\W+1\b", text), text

"""Hooks take part in a backward pass and must keep its laws."""

from __future__ import annotations

import pytest

import secant
from dropin.promises import BOTH, failure, leaf, opening
from planted import points
from secant.torch import gradcheck, gradgradcheck


def with_hook(hook, *, inside=False):
    """Return a function whose output, or an intermediate value, has a hook."""

    def function(x):
        y = x * 2
        y.register_hook(hook)
        return y.sin() if inside else y

    return function


INSIDE = pytest.mark.parametrize("inside", [False, True], ids=["output", "inside"])


@BOTH
@INSIDE
@pytest.mark.parametrize("offset", [1e-2, 1e-4])
def test_an_offset_added_by_a_hook_is_caught_whatever_is_forgiven(fast_mode, inside, offset):
    function = with_hook(lambda gradient: gradient + offset, inside=inside)
    error = failure(function, leaf(3), atol=0.1, fast_mode=fast_mode)
    assert "backward not multiplied by grad_output" in opening(error)
    for order in (1, 2):
        report = secant.check(function, points(3), atol=0.1, order=order)
        wrong = [one.kind for one in report.findings if one.verdict is secant.Verdict.FAIL]
        assert set(wrong) == {"linearity"}


@BOTH
@INSIDE
def test_a_hook_that_raises_without_a_cotangent_is_noticed(fast_mode, inside):
    def hook(gradient):
        if gradient is None:
            raise RuntimeError("there is no gradient")

    function = with_hook(hook, inside=inside)
    for check in (gradcheck, gradgradcheck) if inside else (gradcheck,):
        error = failure(function, leaf(3), check=check, fast_mode=fast_mode)
        assert "Expected backward function to handle undefined output grads" in opening(error)
        assert check(function, leaf(3), fast_mode=fast_mode, check_undefined_grad=False)
    assert not secant.check(function, points(3))


@BOTH
def test_an_offset_added_by_a_hook_inside_is_caught_at_second_order_too(fast_mode):
    function = with_hook(lambda gradient: gradient + 1e-2, inside=True)
    error = failure(function, leaf(3), check=gradgradcheck, atol=0.1, fast_mode=fast_mode)
    assert "backward not multiplied by grad_output" in opening(error)


@BOTH
@INSIDE
def test_hooks_that_change_nothing_pass(fast_mode, inside):
    seen = []
    function = with_hook(lambda gradient: seen.append(gradient), inside=inside)
    assert gradcheck(function, leaf(3), fast_mode=fast_mode)
    assert gradgradcheck(function, leaf(3), fast_mode=fast_mode)
    assert secant.check(function, points(3))
    assert seen


@BOTH
@INSIDE
def test_a_hook_that_scales_is_a_wrong_gradient(fast_mode, inside):
    function = with_hook(lambda gradient: gradient * 1.05, inside=inside)
    assert "mismatch" in opening(failure(function, leaf(3), fast_mode=fast_mode))

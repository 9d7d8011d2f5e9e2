"""Tensors that hold another one and know of its entries by dispatch alone, as torch's tests use."""

from __future__ import annotations

import pytest
import torch
from torch.utils._pytree import tree_map

import secant
from dropin.promises import BOTH, FORWARD, FORWARD_OVER_REVERSE, failure, sine_with_gradient
from planted import points, scaled_sine
from secant.torch import gradcheck, gradgradcheck


class Holding(torch.Tensor):
    """A wrapper without memory of its own, which counts what it is asked."""

    held: torch.Tensor
    asked = 0

    @staticmethod
    def __new__(cls, held):
        return torch.Tensor._make_wrapper_subclass(
            cls, held.size(), strides=held.stride(), dtype=held.dtype, device=held.device
        )

    def __init__(self, held):
        self.held = held.detach()

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        cls.asked += 1
        given = tree_map(lambda one: one.held if isinstance(one, cls) else one, args)
        answer = function(*given, **(kwargs or {}))
        return tree_map(lambda one: cls(one) if isinstance(one, torch.Tensor) else one, answer)


def wrapped(*shape, seed=0, dtype=torch.float64):
    return Holding(points(*shape, seed=seed, dtype=dtype)).requires_grad_()


@BOTH
@pytest.mark.parametrize("mode", [{}, FORWARD], ids=["reverse", "forward"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_a_wrapper_is_checked(fast_mode, mode, dtype):
    x = wrapped(3, 2, dtype=dtype)
    before, held = x.held.clone(), x.held
    Holding.asked = 0
    assert gradcheck(torch.sin, x, fast_mode=fast_mode, **mode)
    assert Holding.asked > 3
    assert x.held is held
    assert torch.equal(x.held, before)


@BOTH
@pytest.mark.parametrize("mode", [{}, FORWARD], ids=["reverse", "forward"])
def test_a_wrong_derivative_of_a_wrapper_fails(fast_mode, mode):
    error = failure(scaled_sine(1.05), wrapped(3), fast_mode=fast_mode, **mode)
    assert "mismatch for output 0 with respect to input 0" in str(error)
    assert not secant.check(scaled_sine(1.05), wrapped(3))


@BOTH
@pytest.mark.parametrize("mode", [{}, FORWARD_OVER_REVERSE], ids=["reverse", "forward"])
def test_second_derivatives_of_a_wrapper_are_checked(fast_mode, mode):
    assert gradgradcheck(torch.sin, wrapped(3), fast_mode=fast_mode, **mode)
    wrong = sine_with_gradient(lambda x, v: v * x.detach().cos())
    failure(wrong, wrapped(3), check=gradgradcheck, fast_mode=fast_mode, **mode)


def test_an_output_may_be_a_wrapper_beside_plain_inputs():
    x = points(3).requires_grad_()
    report = secant.check(lambda x: Holding(x) * 2, x)  # which cuts the record
    assert [one.kind for one in report.findings if one.verdict is secant.Verdict.FAIL] == [
        "liveness"
    ]


def test_a_wrapper_behind_the_arguments_is_moved_too():
    x = wrapped(3)
    before = x.held.clone()
    assert secant.check(lambda _: x.sin(), x)
    assert not secant.check(lambda _: scaled_sine(1.05)(x), x)
    assert torch.equal(x.held, before)

"""Second order: right functions pass, wrong double backwards fail, in both compositions."""

from __future__ import annotations

import pytest
import torch
from torch.autograd.function import once_differentiable

from dropin.promises import (
    BOTH,
    FORWARD_OVER_REVERSE,
    failure,
    leaf,
    opening,
    pulled_slope,
    pushed_slope,
    sine_with_gradient,
    slope,
)
from planted import points
from secant.torch import gradcheck, gradgradcheck

COMPOSITIONS = pytest.mark.parametrize(
    "composition",
    [{}, {"check_fwd_over_rev": True}, FORWARD_OVER_REVERSE],
    ids=["reverse over reverse", "both", "forward over reverse"],
)
RIGHT = {
    "sin": (torch.sin, leaf(3)),
    "product": (torch.mul, (leaf(3), leaf(3, seed=1))),
    "matmul": (torch.matmul, (leaf(2, 3), leaf(3, 2, seed=1))),
    "cube": (lambda x: x**3, leaf(3)),
    "linear": (lambda x: 2 * x, leaf(3)),
    "sum": (torch.sum, leaf(2, 2)),
    "two outputs": (lambda x: (x.sin(), x.exp().sum()), leaf(3)),
    "unused input": (lambda x, unused: x.sin(), (leaf(3), leaf(2, seed=1))),
    "beside a constant": (lambda x, c, k: c * x**k, (leaf(3), points(3, seed=1), 3)),
    "the input itself": (lambda x: x, leaf(3)),
    "own": (sine_with_gradient(slope()), leaf(3)),
    "complex": (torch.sin, leaf(2, dtype=torch.complex128)),
    "complex to real": (torch.abs, leaf(2, dtype=torch.complex128)),
}


def mismatch(error, output: int, number: int) -> bool:
    where = f"mismatch for output {output} with respect to input {number}"
    return "Jacobian" in opening(error) and where in opening(error)


@pytest.mark.thinned(keep=39)
@BOTH
@COMPOSITIONS
@pytest.mark.parametrize("name", RIGHT)
def test_right_second_derivatives_pass(name, composition, fast_mode):
    function, inputs = RIGHT[name]
    assert gradgradcheck(function, inputs, fast_mode=fast_mode, **composition)


@BOTH
@pytest.mark.parametrize("name", RIGHT)
def test_right_second_derivatives_pass_with_cotangents_that_are_not_contiguous(name, fast_mode):
    function, inputs = RIGHT[name]
    flags = {"fast_mode": fast_mode, "gen_non_contig_grad_outputs": True}
    assert gradgradcheck(function, inputs, **flags)


class KeepsANumber(torch.autograd.Function):
    """exp that keeps its result as a plain number, so that torch differentiates past it."""

    @staticmethod
    def forward(ctx, x):
        ctx.result = x.detach().exp()
        return x.exp()

    @staticmethod
    def backward(ctx, v):
        return v * ctx.result


class Once(torch.autograd.Function):
    """sin with a gradient that says itself that it has none."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    @once_differentiable
    def backward(ctx, v):
        return v * ctx.saved_tensors[0].cos()


CUT = {
    "intermediate not saved": KeepsANumber.apply,
    "input detached": sine_with_gradient(lambda x, v: v * x.detach().cos()),
    "once differentiable": Once.apply,
}


@BOTH
@pytest.mark.parametrize("how", CUT)
def test_a_second_derivative_that_is_cut_fails(how, fast_mode):
    assert gradcheck(CUT[how], leaf(3), fast_mode=fast_mode)
    error = failure(CUT[how], leaf(3), check=gradgradcheck, fast_mode=fast_mode)
    assert mismatch(error, 0, 0)


@BOTH
def test_a_cotangent_that_is_detached_fails_by_the_cotangent(fast_mode):
    cut = sine_with_gradient(lambda x, v: v.detach() * x.cos())
    assert mismatch(failure(cut, leaf(3), check=gradgradcheck, fast_mode=fast_mode), 0, 1)


@pytest.mark.thinned(keep=6)
@BOTH
@pytest.mark.parametrize("factor", [-1.0, 0.0, 1.05])
@pytest.mark.parametrize("number", [0, 1], ids=["by the input", "by the cotangent"])
def test_a_wrong_double_backward_fails(number, factor, fast_mode):
    def pull(saved, w):
        gradients = list(pulled_slope(saved, w))
        gradients[number] = gradients[number] * factor
        return tuple(gradients)

    wrong = sine_with_gradient(slope(pull))
    assert gradcheck(wrong, leaf(3), fast_mode=fast_mode)
    error = failure(wrong, leaf(3), check=gradgradcheck, fast_mode=fast_mode)
    assert mismatch(error, 0, number)
    assert gradgradcheck(wrong, leaf(3), fast_mode=fast_mode, **FORWARD_OVER_REVERSE)


@BOTH
@pytest.mark.parametrize("factor", [-1.0, 0.0, 1.05])
def test_a_wrong_forward_over_reverse_fails(factor, fast_mode):
    def push(saved, dx, dv):
        return pushed_slope(saved, factor * dx, dv)

    wrong = sine_with_gradient(slope(push=push))
    assert gradgradcheck(wrong, leaf(3), fast_mode=fast_mode)
    for composition in ({"check_fwd_over_rev": True}, FORWARD_OVER_REVERSE):
        error = failure(wrong, leaf(3), check=gradgradcheck, fast_mode=fast_mode, **composition)
        assert mismatch(error, 0, 0)
        assert "computed with forward mode" in opening(error)


@BOTH
def test_a_wrong_first_derivative_that_is_consistent_is_not_asked_about(fast_mode):
    """The gradient claimed is differentiated rightly, whatever it is the gradient of."""
    consistent = sine_with_gradient(lambda x, v: 1.05 * v * x.cos())
    assert gradgradcheck(consistent, leaf(3), fast_mode=fast_mode)


@BOTH
@pytest.mark.parametrize(
    "grad_outputs",
    [leaf(3, seed=7), (leaf(3, seed=7),), [leaf(3, seed=7)], points(3, seed=7)],
    ids=["tensor", "tuple", "list", "constant"],
)
def test_cotangents_may_be_given(grad_outputs, fast_mode):
    assert gradgradcheck(torch.sin, leaf(3), grad_outputs, fast_mode=fast_mode)
    assert gradgradcheck(torch.sin, leaf(3), grad_outputs=grad_outputs, fast_mode=fast_mode)
    cut = CUT["input detached"]
    failure(cut, leaf(3), grad_outputs, check=gradgradcheck, fast_mode=fast_mode)


@BOTH
def test_a_given_cotangent_is_an_input_only_if_it_requires_a_gradient(fast_mode):
    cut = sine_with_gradient(lambda x, v: v.detach() * x.cos())
    assert gradgradcheck(cut, leaf(3), points(3, seed=7), fast_mode=fast_mode)
    failure(cut, leaf(3), leaf(3, seed=7), check=gradgradcheck, fast_mode=fast_mode)


@BOTH
def test_a_given_cotangent_is_the_point(fast_mode):
    """The error by x is in proportion to v, so that v = 0 hides it."""
    cut = CUT["input detached"]
    zeros = torch.zeros(3, dtype=torch.float64)
    assert gradgradcheck(cut, leaf(3), zeros, fast_mode=fast_mode)


@BOTH
def test_every_one_of_several_cotangents_may_be_given(fast_mode):
    function = lambda x: (x.sin(), x.argsort(), x.exp())  # noqa: E731
    given = (leaf(3, seed=7), points(3, seed=8))
    assert gradgradcheck(function, leaf(3), given, fast_mode=fast_mode)


@BOTH
def test_the_order_of_inputs_is_arguments_then_cotangents(fast_mode):
    wrong = CUT["input detached"]
    inputs = (leaf(3), 2.0, leaf(3, seed=1))
    error = failure(
        lambda x, k, y: k * x + wrong(y), inputs, check=gradgradcheck, fast_mode=fast_mode
    )
    assert "with respect to input 1" in opening(error)

"""What a reference may be: a module, random, rounded inside, of few dtypes, or of no use."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

import secant
from compare.kernels import fused_rms_norm, gelu, normal
from planted import planted
from secant import Verdict

X = normal(12, 16)


def test_a_reference_that_does_not_run_in_float64_is_refused():
    def single(x):
        if x.dtype is torch.float64:
            raise TypeError("no float64 here")
        return x.sin()

    with pytest.raises(secant.InputError) as caught:
        secant.compare(torch.sin, single, X)
    assert str(caught.value) == (
        "expected the reference to run in float64, where it is the truth; "
        "`single` raised TypeError: no float64 here"
    )
    assert type(caught.value.__cause__) is TypeError


def sine_without_backward_in(dtype, error):
    """Return a sine whose backward raises in one dtype."""

    def backward(saved, grad):
        if grad.dtype is dtype:
            raise error
        return grad * saved[0].cos()

    return planted("Sine", torch.sin, backward)


def test_a_reference_that_is_not_differentiable_in_float64_is_refused():
    sine = sine_without_backward_in(torch.float64, TypeError("no float64 here"))
    with pytest.raises(secant.InputError, match="differentiable in float64; the backward pass rai"):
        secant.compare(torch.sin, sine, X)
    assert secant.compare(torch.sin, sine, X, gradients=False)


def wide_only(x):
    if x.dtype is not torch.float64:
        raise NotImplementedError("not implemented for 'Half'")
    return gelu(x)


def test_without_the_kernels_dtype_the_yardstick_is_modelled():
    comparison = secant.compare(lambda x: functional.gelu(x), wide_only, X, dtype="float16")
    assert comparison
    assert all(row.is_modelled for row in comparison.rows)
    assert comparison.notes == (
        "a modelled yardstick is used, because in the kernel's dtype `wide_only` raised "
        "NotImplementedError: not implemented for 'Half'",
    )


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
def test_a_modelled_yardstick_sees_an_error_of_a_tenth(dtype):
    comparison = secant.compare(lambda x: 1.1 * functional.gelu(x), wide_only, X, dtype=dtype)
    assert {row.verdict for row in comparison.rows} == {Verdict.FAIL}


def test_a_reference_without_a_backward_in_the_kernels_dtype_has_a_modelled_gradient():
    sine = sine_without_backward_in(torch.bfloat16, NotImplementedError)
    comparison = secant.compare(torch.sin, sine, X.bfloat16())
    assert comparison
    assert [row.is_modelled for row in comparison.rows] == [False, True]


def test_what_a_reference_closes_over_is_widened():
    layer = torch.nn.Linear(16, 4)
    comparison = secant.compare(lambda x: functional.linear(x, layer.weight, layer.bias), layer, X)
    assert comparison, str(comparison)


def half_inside(x, w, **ignored):
    """As is common: computed in float32 whatever comes in."""
    return fused_rms_norm(x, w)


def test_a_reference_in_float32_is_good_enough_for_half_precision():
    w = normal(16, seed=1)

    def regrouped(x, w, factor=1.0):
        y = x.float()
        root = (y.square().sum(-1, keepdim=True) / 16 + 1e-5).sqrt()
        return (factor * w.float() * (y / root)).to(x.dtype)

    for dtype in ("bfloat16", "float16"):
        assert secant.compare(regrouped, half_inside, X, w, dtype=dtype)
        wrong = secant.compare(regrouped, half_inside, X, w, dtype=dtype, kwargs={"factor": 1.05})
        assert wrong.verdict is Verdict.FAIL
        assert not wrong.notes


def test_a_reference_in_float32_is_no_truth_for_float32():
    x, w = normal(40, 300), normal(300, seed=1)

    def regrouped(x, w):
        return w * (x / (x.square().sum(-1, keepdim=True) / 300 + 1e-5).sqrt())

    comparison = secant.compare(regrouped, half_inside, x, w)
    assert comparison.verdict is Verdict.PASS, str(comparison)
    wrong = secant.compare(lambda x, w: regrouped(x, w) * (1 + 1e-5), half_inside, x, w)
    assert wrong.verdict is Verdict.FAIL
    assert wrong.notes == (
        "out of the reference is rounded inside even if it runs in float64: its truth has no more "
        "digits than the kernel, and a modelled yardstick is used",
    )


def test_random_numbers_are_the_same_for_all():
    def drop(x):
        return functional.dropout(x, 0.4)

    comparison = secant.compare(lambda x: drop(x) * 1.0, drop, X)
    assert comparison
    assert comparison.notes[0].startswith("random numbers are drawn")


def test_a_reference_that_is_not_differentiable_is_refused_unless_outputs_are_enough():
    def cut(x):
        return x.detach().sin()

    with pytest.raises(secant.InputError, match="Pass gradients=False"):
        secant.compare(torch.sin, cut, X)
    comparison = secant.compare(torch.sin, cut, X, gradients=False)
    assert [row.what for row in comparison.rows] == ["out"]
    assert comparison.cost.pulls == 0


def test_a_kernel_without_gradients_claims_zero():
    def cut(x):
        return x.detach().sin()

    comparison = secant.compare(cut, torch.sin, X)
    assert comparison.worst.cause == (
        "kernel = 0 everywhere: the dependence is cut, or nothing was written"
    )
    assert secant.compare(cut, torch.sin, X, gradients=False)


def test_neither_has_gradients():
    def signs(x):
        return x.detach().sign()

    assert [row.what for row in secant.compare(signs, signs, X).rows] == ["out"]


@pytest.mark.parametrize("who", ["kernel", "reference"])
def test_an_output_without_a_derivative_beside_others_is_noted(who):
    def both(x):
        return x.sin(), x.exp()

    def one(x):
        return x.sin(), x.detach().exp()

    functions = (one, both) if who == "kernel" else (both, one)
    comparison = secant.compare(*functions, X)
    assert comparison
    assert comparison.notes == (
        f"out[1] claims no derivative in the {who}: its gradients are not compared",
    )
    assert [row.what for row in comparison.rows] == ["out[0]", "out[1]", "∂out[0] / ∂x"]


def test_a_backward_that_raises_fails():
    class Sine(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.sin()

        @staticmethod
        def backward(ctx, grad):
            raise IndexError("out of shared memory")

    comparison = secant.compare(Sine.apply, torch.sin, X)
    assert comparison.worst.what == "∂out"
    assert comparison.worst.message == ("the backward pass raised IndexError: out of shared memory")


def test_a_kernel_that_raises_raises():
    def kernel(x):
        raise IndexError("out of shared memory")

    with pytest.raises(secant.FunctionRaised, match="`kernel` raised IndexError: out of shared"):
        secant.compare(kernel, torch.sin, X)


def test_a_reference_without_digits_cannot_tell():
    def cancelling(x):
        return (x + 1e9) - 1e9

    comparison = secant.compare(lambda x: x * 0, cancelling, X, gradients=False)
    assert comparison.verdict is Verdict.INCONCLUSIVE
    assert comparison.worst.message.endswith(
        "of the truth in float32: no digits are left to compare"
    )


def test_a_gradient_that_vanishes_may_be_round_off():
    """Softmax does not see a constant: the gradient in one is zero, and rounding all there is."""

    def shifted(x, c):
        return torch.softmax(x + c, -1)

    def regrouped(x, c):
        e = (x + c - (x + c).amax(-1, keepdim=True)).exp()
        return e / e.sum(-1, keepdim=True)

    for dtype in ("bfloat16", "float32"):
        comparison = secant.compare(shifted, regrouped, X, torch.tensor(0.5), dtype=dtype)
        assert comparison.verdict is not Verdict.FAIL, str(comparison)


def test_a_sum_that_cancels_is_not_blamed_for_its_order():
    x = torch.tensor([1e4, 3.14159, -1e4, 2.71828, math.pi])
    assert secant.compare(lambda x: x.flip(0).cumsum(0)[-1], lambda x: x.cumsum(0)[-1], x)

"""Every flag of second order, with a double backward that breaks just that promise."""

from __future__ import annotations

import pytest
import torch

from dropin.promises import (
    BOTH,
    FORWARD_OVER_REVERSE,
    failure,
    is_batch,
    leaf,
    opening,
    pulled_slope,
    pushed_slope,
    sine_with_gradient,
    slope,
)
from planted import points
from secant.torch import gradcheck, gradgradcheck


def second(pull) -> object:
    """Return sin whose gradient has the backward given: `pull(gradients, w)` bends right ones."""
    return sine_with_gradient(slope(lambda saved, w: pull(pulled_slope(saved, w), w)))


def refused(function, **flags) -> str:
    return opening(failure(function, leaf(3), check=gradgradcheck, **flags))


def restless(size: float):
    generator = torch.Generator().manual_seed(0)

    def pull(gradients, w):
        factor = 1 + size * torch.rand((), generator=generator).double()
        return tuple(factor * gradient for gradient in gradients)

    return second(pull)


@BOTH
def test_a_double_backward_must_be_reentrant(fast_mode):
    assert "Backward is not reentrant" in refused(restless(1e-6), fast_mode=fast_mode)
    assert gradgradcheck(restless(1e-6), leaf(3), fast_mode=fast_mode, nondet_tol=1e-4)
    message = refused(restless(1e-6), fast_mode=fast_mode, nondet_tol=1e-9)
    assert "Backward is not reentrant" in message


@BOTH
def test_a_double_backward_must_be_multiplied_by_its_cotangent(fast_mode):
    added = second(lambda gradients, w: tuple(gradient + 1e-7 for gradient in gradients))
    assert "backward not multiplied by grad_output" in refused(added, fast_mode=fast_mode)


@BOTH
@pytest.mark.parametrize("bent", [torch.abs, torch.relu, lambda w: w.clamp(-2, 2)])
def test_a_double_backward_must_be_linear(bent, fast_mode):
    wrong = sine_with_gradient(slope(lambda saved, w: pulled_slope(saved, bent(w))))
    assert "backward not multiplied by grad_output" in refused(wrong, fast_mode=fast_mode)


def branching(gradients, w):
    return gradients if w.sum().item() < 1e9 else (None, None)


def doubled_in_batches(gradients, w):
    return tuple((2 if is_batch(w) else 1) * gradient for gradient in gradients)


@BOTH
@pytest.mark.parametrize(
    ("pull", "phrase"),
    [
        (branching, "While computing batched gradients"),
        (doubled_in_batches, "For output 0 and input 0"),
    ],
)
def test_a_double_backward_must_work_in_batches_on_request(pull, phrase, fast_mode):
    function = second(pull)
    assert gradgradcheck(function, leaf(3), fast_mode=fast_mode)
    assert phrase in refused(function, fast_mode=fast_mode, check_batched_grad=True)


@BOTH
@pytest.mark.parametrize("function", [torch.sin, second(lambda gradients, w: gradients)])
def test_right_double_backwards_pass_in_batches(function, fast_mode):
    assert gradgradcheck(function, leaf(3), fast_mode=fast_mode, check_batched_grad=True)


def without_cotangent(answer):
    """Return sin whose double backward gives `answer(x, v)` where its cotangent is absent."""

    class Slope(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, v):
            ctx.set_materialize_grads(False)
            ctx.save_for_backward(x, v)
            return v * x.cos()

        @staticmethod
        def backward(ctx, w):
            return answer(*ctx.saved_tensors) if w is None else pulled_slope(ctx.saved_tensors, w)

    return sine_with_gradient(Slope.apply)


def raising(x, v):
    raise RuntimeError("a cotangent is needed")


def ones(x, v):
    return torch.ones_like(x), torch.ones_like(v)


@BOTH
@pytest.mark.parametrize(
    ("answer", "phrase"),
    [
        (raising, "Expected backward function to handle undefined output grads"),
        (ones, "Expected all input grads to be undefined or zero"),
    ],
)
def test_a_double_backward_must_take_undefined_for_zero(answer, phrase, fast_mode):
    function = without_cotangent(answer)
    assert phrase in refused(function, fast_mode=fast_mode)
    assert gradgradcheck(function, leaf(3), fast_mode=fast_mode, check_undefined_grad=False)


@BOTH
def test_a_complex_second_tangent_is_a_dtype_mismatch_on_request(fast_mode):
    odd = sine_with_gradient(
        slope(push=lambda saved, dx, dv: pushed_slope(saved, dx, dv).to(torch.complex128))
    )
    flags = {"check_fwd_over_rev": True, "check_grad_dtypes": True}
    assert "Forward AD gradient has dtype mismatch" in refused(odd, fast_mode=fast_mode, **flags)


def as_if_contiguous(w):
    flat = torch.as_strided(w, (w.untyped_storage().nbytes() // 8,), (1,))
    return flat[: w.numel()].reshape(w.shape)


@BOTH
def test_a_double_backward_that_assumes_a_contiguous_cotangent_fails(fast_mode):
    wrong = sine_with_gradient(slope(lambda saved, w: pulled_slope(saved, as_if_contiguous(w))))
    failure(wrong, leaf(3), check=gradgradcheck, fast_mode=fast_mode)


@BOTH
def test_a_double_backward_that_writes_into_its_cotangent_fails(fast_mode):
    def pull(saved, w):
        gradients = pulled_slope(saved, w.clone())
        w.zero_()
        return gradients

    wrong = sine_with_gradient(slope(pull))
    failure(wrong, leaf(3), check=gradgradcheck, fast_mode=fast_mode)


@BOTH
def test_cotangents_that_are_not_contiguous_reach_the_backward_on_request(fast_mode):
    seen = set()

    def gradient(x, v):
        seen.add(v.is_contiguous())
        return v * x.cos()

    function = sine_with_gradient(gradient)
    assert gradgradcheck(function, leaf(3), fast_mode=fast_mode, gen_non_contig_grad_outputs=True)
    assert False in seen


def test_one_wrong_second_derivative_of_2000_fails_fast_mode():
    def pull(saved, w):
        by_x, by_v = pulled_slope(saved, w)
        by_x = by_x.clone()
        by_x[617] *= 1.05
        return by_x, by_v

    wrong = sine_with_gradient(slope(pull))
    v = (points(2_000, seed=3) + 0.5).requires_grad_()
    error = failure(wrong, leaf(2_000), v, check=gradgradcheck, fast_mode=True)
    assert "Jacobian mismatch for output 0 with respect to input 0" in opening(error)
    assert "[617]" in str(error)


@BOTH
def test_a_double_backward_without_a_jvp_is_torchs_own_error_in_forward_mode(fast_mode):
    without = sine_with_gradient(slope(push=None))
    assert gradgradcheck(without, leaf(3), fast_mode=fast_mode)
    with pytest.raises(NotImplementedError, match="jvp"):
        gradgradcheck(without, leaf(3), fast_mode=fast_mode, **FORWARD_OVER_REVERSE)


@BOTH
def test_first_order_knows_nothing_of_the_second(fast_mode):
    wrong = second(lambda gradients, w: tuple(2 * gradient for gradient in gradients))
    assert gradcheck(wrong, leaf(3), fast_mode=fast_mode)
    failure(wrong, leaf(3), check=gradgradcheck, fast_mode=fast_mode)

"""Reverse mode's promises: reentrant, multiplied by grad_output, of the right dtype and shape."""

from __future__ import annotations

import pytest
import torch

from dropin.promises import BOTH, cosine, failure, leaf, opening, sine
from secant.torch import GradcheckError, gradcheck

NOT_REENTRANT = "Backward is not reentrant"
NOT_MULTIPLIED = "backward not multiplied by grad_output"


def restless(size: float):
    """Return a gradient that is never twice the same, off by at most the share given."""
    generator = torch.Generator().manual_seed(0)

    def backward(saved, v):
        return v * saved[0].cos() * (1 + size * torch.rand((), generator=generator).double())

    return sine(backward)


@BOTH
def test_two_equal_pulls_must_be_equal(fast_mode):
    """The noise lies far below the tolerances, so nothing but the repetition can tell."""
    error = failure(restless(1e-6), leaf(5), fast_mode=fast_mode)
    assert NOT_REENTRANT in opening(error)


@BOTH
def test_nondet_tol_forgives_up_to_itself(fast_mode):
    assert gradcheck(restless(1e-6), leaf(5), fast_mode=fast_mode, nondet_tol=1e-4)
    error = failure(restless(1e-6), leaf(5), fast_mode=fast_mode, nondet_tol=1e-9)
    assert NOT_REENTRANT in opening(error)


@BOTH
def test_an_accumulating_backward_is_not_reentrant(fast_mode):
    total = torch.zeros(4, dtype=torch.float64)

    def backward(saved, v):
        total.add_(1e-7 * v)
        return v * saved[0].cos() + total

    error = failure(sine(backward), leaf(4), fast_mode=fast_mode)
    assert NOT_REENTRANT in opening(error)


@BOTH
def test_a_wrong_gradient_is_not_excused_by_nondet_tol(fast_mode):
    wrong = sine(lambda saved, v: 1.05 * v * saved[0].cos())
    error = failure(wrong, leaf(4), fast_mode=fast_mode, nondet_tol=10.0)
    assert "Jacobian mismatch" in opening(error)


@BOTH
@pytest.mark.parametrize("constant", [1e-7, 1e-12])
def test_a_constant_added_is_not_multiplied(constant, fast_mode):
    """The constants lie below the tolerances: the zero cotangent alone tells."""
    added = sine(lambda saved, v: v * saved[0].cos() + constant)
    assert NOT_MULTIPLIED in opening(failure(added, leaf(5), fast_mode=fast_mode))


@BOTH
@pytest.mark.parametrize(
    "bent",
    [torch.abs, torch.relu, lambda v: v.clamp(-2, 2), lambda v: v.clamp_min(-1), torch.sign],
    ids=["abs", "relu", "clamp", "clamp from below", "sign"],
)
def test_a_backward_that_is_not_linear_is_not_multiplied(bent, fast_mode):
    """Right for the unit vectors, all of them positive and of size 1, that torch asks with."""
    wrong = sine(lambda saved, v: bent(v) * saved[0].cos())
    assert NOT_MULTIPLIED in opening(failure(wrong, leaf(5), fast_mode=fast_mode))


@BOTH
def test_a_backward_that_ignores_negative_cotangents_is_caught(fast_mode):
    wrong = sine(lambda saved, v: torch.where(v < 0, 0.5 * v, v) * saved[0].cos())
    assert NOT_MULTIPLIED in opening(failure(wrong, leaf(5), fast_mode=fast_mode))


@BOTH
def test_the_second_of_two_outputs_must_be_multiplied_too(fast_mode):
    added = sine(lambda saved, v: v * saved[0].cos() + 1e-7)
    error = failure(lambda x: (x.exp(), added(x)), leaf(4), fast_mode=fast_mode)
    assert NOT_MULTIPLIED in opening(error)


@BOTH
def test_a_gradient_of_another_shape_is_torchs_error_or_ours(fast_mode):
    """The engine refuses it before anybody can compare: torch lets that RuntimeError out."""
    with pytest.raises(RuntimeError, match="shape"):
        gradcheck(sine(lambda saved, v: v[:2]), leaf(4), fast_mode=fast_mode)


@BOTH
def test_a_gradient_of_another_dtype_that_the_engine_casts_is_right(fast_mode):
    single = sine(lambda saved, v: (v * saved[0].cos()).float())
    assert gradcheck(single, leaf(4), fast_mode=fast_mode, check_grad_dtypes=True)


@BOTH
def test_a_complex_gradient_of_a_real_input_is_torchs_error_or_ours(fast_mode):
    wrong = sine(lambda saved, v: (v * saved[0].cos()).to(torch.complex128))
    with pytest.raises(RuntimeError):
        gradcheck(wrong, leaf(4), fast_mode=fast_mode, check_grad_dtypes=True)


def leaf_that_takes_single_gradients() -> torch.Tensor:
    """Return a leaf of the one kind whose gradients the engine leaves in their own dtype."""
    x = leaf(4)
    x.grad_dtype = torch.float32
    return x


@BOTH
def test_a_gradient_of_another_dtype_is_a_dtype_mismatch_where_dtypes_are_checked(fast_mode):
    x = leaf_that_takes_single_gradients()
    error = failure(torch.sin, x, fast_mode=fast_mode, check_grad_dtypes=True)
    assert "Gradient has dtype mismatch" in opening(error)


@BOTH
def test_a_gradient_of_another_dtype_is_of_incorrect_type_in_any_case(fast_mode):
    error = failure(torch.sin, leaf_that_takes_single_gradients(), fast_mode=fast_mode)
    assert "grad is incorrect type" in opening(error)


@BOTH
def test_a_missing_gradient_is_a_mismatch(fast_mode):
    error = failure(sine(lambda saved, v: None), leaf(4), fast_mode=fast_mode)
    assert "Jacobian mismatch for output 0 with respect to input 0" in opening(error)


@BOTH
def test_a_detached_input_is_a_mismatch(fast_mode):
    inputs = (leaf(4), leaf(4, seed=1))
    error = failure(lambda x, y: x * y.detach(), inputs, fast_mode=fast_mode)
    assert "Jacobian mismatch for output 0 with respect to input 1" in opening(error)


@BOTH
def test_what_only_reverse_mode_promises_is_not_asked_without_it(fast_mode):
    def broken(saved, v):
        raise AssertionError("reverse mode was asked")

    flags = {"check_forward_ad": True, "check_backward_ad": False, "fast_mode": fast_mode}
    assert gradcheck(sine(broken, cosine), leaf(4), **flags)


def test_both_modes_tell_the_same_error_class():
    classes = set()
    for fast_mode in (False, True):
        with pytest.raises(GradcheckError) as caught:
            gradcheck(restless(1e-6), leaf(5), fast_mode=fast_mode)
        classes.add(type(caught.value))
    assert classes == {GradcheckError}

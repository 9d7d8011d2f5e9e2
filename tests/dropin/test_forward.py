"""Forward mode through dual tensors: views, writes in place, unused inputs, wrong and odd jvps."""

from __future__ import annotations

import pytest
import torch
from torch.autograd import forward_ad

from dropin.promises import BOTH, FORWARD, cosine, failure, leaf, opening, sine
from planted import points
from secant.torch import gradcheck

MISMATCH = "Jacobian computed with forward mode mismatch for output 0 with respect to input 0"


def writes_into_a_slice(x):
    y = x.clone()
    y[1:] *= 2
    return y * x


def writes_into_a_view(x):
    y = x * 1
    y.view(-1)[0].sin_()
    y.t().mul_(3)
    return y


def copies_into_zeros(x):
    y = torch.zeros(x.numel() + 1, dtype=x.dtype)
    y[:-1].copy_(x.reshape(-1))
    y[1:] += x.reshape(-1).sin()
    return y


def writes_a_constant_over_it(x):
    y = x.sin()
    y[0] = 1.0
    return y


WRITING = [writes_into_a_slice, writes_into_a_view, copies_into_zeros, writes_a_constant_over_it]
VIEWS = {
    "the input itself": lambda x: x,
    "a reshaped view": lambda x: x.view(-1),
    "a transposed view": lambda x: x.t(),
    "a slice": lambda x: x[1:, ::2],
    "an expanded view": lambda x: x[0].expand(3, -1),
    "the input twice": lambda x: (x, x),
    "the input and a view": lambda x: (x, x.t(), x.sin()),
}


@BOTH
@pytest.mark.parametrize("function", WRITING)
def test_writing_into_views_of_a_dual_tensor_passes(function, fast_mode):
    assert gradcheck(function, leaf(2, 3), fast_mode=fast_mode, **FORWARD)
    assert gradcheck(function, leaf(2, 3), fast_mode=fast_mode, check_forward_ad=True)


@BOTH
@pytest.mark.parametrize("function", WRITING)
def test_a_wrong_tangent_under_writes_fails(function, fast_mode):
    wrong = sine(cosine, lambda saved, u: 1.05 * u * saved[0].cos())
    error = failure(lambda x: function(wrong(x)), leaf(2, 3), fast_mode=fast_mode, **FORWARD)
    assert MISMATCH in opening(error)


@BOTH
@pytest.mark.parametrize("view", VIEWS)
def test_returning_the_input_or_a_view_of_it_passes(view, fast_mode):
    assert gradcheck(VIEWS[view], leaf(3, 4), fast_mode=fast_mode, **FORWARD)
    assert gradcheck(VIEWS[view], leaf(3, 4), fast_mode=fast_mode, check_forward_ad=True)


@BOTH
def test_inputs_that_are_not_used_pass(fast_mode):
    inputs = (leaf(3), leaf(2, seed=1), leaf(3, seed=2))
    flags = {"fast_mode": fast_mode, "check_forward_ad": True}
    assert gradcheck(lambda x, unused, y: x * y, inputs, **flags)
    assert gradcheck(lambda unused, x, y: (y.sin(), y), inputs, **flags)
    assert gradcheck(lambda x, unused, y: x * y, inputs, fast_mode=fast_mode, **FORWARD)


@BOTH
@pytest.mark.parametrize(
    "view",
    [lambda y: y[::2], lambda y: y.view(2, 3).t(), lambda y: y[1:].view(-1), lambda y: y],
    ids=["slice", "transposed", "offset", "no view"],
)
def test_a_view_with_a_history_is_an_input_like_others(view, fast_mode):
    root = leaf(6)
    x = view(root * 2)
    assert not x.is_leaf
    assert gradcheck(torch.sin, x, fast_mode=fast_mode, **FORWARD)
    assert gradcheck(torch.sin, x, fast_mode=fast_mode, check_forward_ad=True)
    wrong = sine(cosine, lambda saved, u: 1.05 * u * saved[0].cos())
    failure(wrong, x, fast_mode=fast_mode, **FORWARD)


@BOTH
@pytest.mark.parametrize("factor", [-1.0, 0.0, 1.01, 2.0])
def test_a_wrong_jvp_is_caught(factor, fast_mode):
    wrong = sine(cosine, lambda saved, u: factor * u * saved[0].cos())
    assert gradcheck(wrong, leaf(4), fast_mode=fast_mode)
    assert MISMATCH in opening(failure(wrong, leaf(4), fast_mode=fast_mode, **FORWARD))
    assert MISMATCH in opening(failure(wrong, leaf(4), fast_mode=fast_mode, check_forward_ad=True))


@BOTH
def test_a_wrong_backward_is_none_of_forward_modes_business(fast_mode):
    wrong = sine(lambda saved, v: 1.05 * v * saved[0].cos(), cosine)
    assert gradcheck(wrong, leaf(4), fast_mode=fast_mode, **FORWARD)
    failure(wrong, leaf(4), fast_mode=fast_mode, check_forward_ad=True)


@BOTH
def test_a_wrong_tangent_by_the_second_input_is_counted(fast_mode):
    wrong = sine(cosine, lambda saved, u: 1.05 * u * saved[0].cos())
    inputs = (leaf(3), points(3, seed=2), leaf(3, seed=1))
    error = failure(lambda x, c, y: x * c * wrong(y), inputs, fast_mode=fast_mode, **FORWARD)
    assert "forward mode mismatch for output 0 with respect to input 1" in opening(error)


@BOTH
def test_a_complex_tangent_of_a_real_output_is_a_dtype_mismatch_on_request(fast_mode):
    odd = sine(cosine, lambda saved, u: (u * saved[0].cos()).to(torch.complex128))
    flags = {"fast_mode": fast_mode, "check_grad_dtypes": True}
    error = failure(odd, leaf(4), **FORWARD, **flags)
    assert "Forward AD gradient has dtype mismatch" in opening(error)
    error = failure(odd, leaf(4), check_forward_ad=True, **flags)
    assert "Forward AD gradient has dtype mismatch" in opening(error)


@BOTH
def test_right_tangents_pass_where_dtypes_are_checked(fast_mode):
    flags = {"fast_mode": fast_mode, "check_grad_dtypes": True, "check_forward_ad": True}
    assert gradcheck(sine(), leaf(4), **flags)
    assert gradcheck(torch.sin, leaf(4, dtype=torch.complex128), **flags)
    assert gradcheck(lambda x: torch.complex(x, x.sin()), leaf(4), **flags)


class OnlyForward(torch.autograd.Function):
    """Has a jvp and no backward."""

    @staticmethod
    def forward(ctx, x, y):
        return x.clone(), y.clone()

    @staticmethod
    def jvp(ctx, dx, dy):
        return dx, dy


@BOTH
@pytest.mark.parametrize("undefined", [True, False])
def test_a_function_with_a_jvp_only_is_checked_in_forward_mode_only(undefined, fast_mode):
    inputs = (leaf(3), leaf(3, seed=1))
    flags = {"fast_mode": fast_mode, "check_undefined_grad": undefined}
    assert gradcheck(OnlyForward.apply, inputs, **flags, **FORWARD)


@BOTH
def test_inputs_do_not_require_a_gradient_where_forward_mode_is_at_work(fast_mode):
    """Torch promises it, so that functions may tell the modes apart."""
    seen = set()

    def watching(x):
        if forward_ad._current_level >= 0:
            seen.add(x.requires_grad)
        return x.sin()

    assert gradcheck(watching, leaf(3), fast_mode=fast_mode, **FORWARD)
    assert seen == {False}


@BOTH
def test_inputs_without_requires_grad_get_no_tangent(fast_mode):
    def product(x, y):
        if forward_ad._current_level >= 0:
            assert forward_ad.unpack_dual(y).tangent is None
        return x * y

    assert gradcheck(product, (leaf(3), points(3, seed=1)), fast_mode=fast_mode, **FORWARD)

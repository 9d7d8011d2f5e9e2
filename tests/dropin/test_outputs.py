"""Outputs of every kind in any order: none differentiable, some, integers, booleans."""

from __future__ import annotations

import itertools

import pytest
import torch

import secant
from dropin.promises import BOTH, FORWARD, failure, leaf, opening
from planted import scaled_sine
from secant.torch import GradcheckError, gradcheck, gradgradcheck

ZERO = "Numerical gradient for function expected to be zero"
MODES = pytest.mark.parametrize(
    "mode", [{}, {"check_forward_ad": True}, FORWARD], ids=["reverse", "both", "forward"]
)
STILL = {
    "floor": torch.floor,
    "floor, detached": lambda x: x.detach().floor(),
    "comparison": lambda x: x > 0.4,
    "comparison as float": lambda x: (x > 0.4).double(),
    "order": torch.argsort,
    "constant": lambda x: torch.ones(3, dtype=torch.float64),
    "rounded to integers": lambda x: (10 * x).long(),
    "two": lambda x: (x.detach().floor(), x.argsort()),
    "nothing": lambda x: (),
}
MOVING = {
    "detached": lambda x: x.detach().sin(),
    "one of two": lambda x: (x.detach().floor(), x.detach() * 2),
    "beside integers": lambda x: (x.argsort(), x.detach() * 2),
    "a sum": lambda x: x.detach().sum(),
}
BESIDE = {
    "float": torch.sin,
    "integer": torch.argsort,
    "boolean": lambda x: x > 0.4,
    "still": lambda x: x.detach().floor(),
}


@BOTH
@MODES
@pytest.mark.parametrize("kind", STILL)
def test_a_function_without_a_derivative_that_does_not_move_passes(kind, mode, fast_mode):
    assert gradcheck(STILL[kind], leaf(4), fast_mode=fast_mode, **mode)


@pytest.mark.thinned(keep=8)
@BOTH
@pytest.mark.parametrize("mode", [{}, {"check_forward_ad": True}], ids=["reverse", "both"])
@pytest.mark.parametrize("kind", MOVING)
def test_a_function_without_a_derivative_that_moves_fails(kind, mode, fast_mode):
    error = failure(MOVING[kind], leaf(4), fast_mode=fast_mode, **mode)
    assert ZERO in opening(error)


@BOTH
@pytest.mark.parametrize("kind", MOVING)
def test_it_fails_forward_mode_alone_too(kind, fast_mode):
    """Torch says the first in slow mode; in fast mode it crashes."""
    error = failure(MOVING[kind], leaf(4), fast_mode=fast_mode, **FORWARD)
    assert ZERO in opening(error) or "Jacobian computed with forward mode" in opening(error)


@BOTH
def test_one_of_1000_detached_entries_that_moves_fails(fast_mode):
    def moving(x):
        y = torch.zeros(1_000, dtype=torch.float64)
        y[617] = x.detach()[2]
        return y

    assert ZERO in opening(failure(moving, leaf(5), fast_mode=fast_mode))


@pytest.mark.thinned(keep=48)
@BOTH
@MODES
@pytest.mark.parametrize("kinds", list(itertools.permutations(BESIDE)), ids=", ".join)
def test_outputs_of_all_kinds_pass_in_any_order(kinds, mode, fast_mode):
    def several(x):
        return tuple(BESIDE[kind](x) for kind in kinds)

    assert gradcheck(several, leaf(4), fast_mode=fast_mode, **mode)


@pytest.mark.thinned(keep=8)
@BOTH
@MODES
@pytest.mark.parametrize("kinds", [(0, 1), (1, 0), (1, 1, 0, 0), (1, 0, 1, 0)], ids=str)
def test_a_wrong_output_among_integers_fails_in_any_order(kinds, mode, fast_mode):
    def several(x):
        return tuple(x.argsort() if kind else scaled_sine(1.05)(x) for kind in kinds)

    error = failure(several, leaf(4), fast_mode=fast_mode, **mode)
    assert "mismatch for output 0 with respect to input 0" in opening(error)


@BOTH
@MODES
@pytest.mark.parametrize("first", [True, False])
def test_a_detached_output_beside_a_right_one_is_left_alone(first, mode, fast_mode):
    def several(x):
        outputs = (x.sin(), x.detach() * 2)
        return outputs if first else outputs[::-1]

    assert gradcheck(several, leaf(4), fast_mode=fast_mode, **mode)


class WithStatistics(torch.autograd.Function):
    """Normalises, and returns the norm for reading only."""

    @staticmethod
    def forward(ctx, x):
        norm = x.norm()
        y = x / norm
        ctx.save_for_backward(y, norm)
        ctx.mark_non_differentiable(norm)
        return norm, y

    @staticmethod
    def backward(ctx, ignored, v):
        y, norm = ctx.saved_tensors
        return (v - y * (v * y).sum()) / norm


@BOTH
def test_an_output_marked_as_not_differentiable_is_left_alone(fast_mode):
    assert gradcheck(WithStatistics.apply, leaf(4), fast_mode=fast_mode)


@BOTH
@pytest.mark.parametrize("kinds", [(0, 1), (1, 0), (1, 1, 0, 0)], ids=str)
def test_gradgradcheck_takes_integers_in_any_order(kinds, fast_mode):
    def several(x):
        return tuple(x.argsort() if kind else x.sin() for kind in kinds)

    assert gradgradcheck(several, leaf(4), fast_mode=fast_mode)
    assert gradgradcheck(several, leaf(4), fast_mode=fast_mode, check_fwd_over_rev=True)


@BOTH
@MODES
def test_outputs_may_come_in_a_list(mode, fast_mode):
    assert gradcheck(lambda x: [x.sin(), x.exp()], leaf(4), fast_mode=fast_mode, **mode)


@BOTH
@MODES
def test_empty_outputs_pass(mode, fast_mode):
    assert gradcheck(lambda x: x[:0], leaf(3), fast_mode=fast_mode, **mode)
    assert gradcheck(lambda x: (x.sin(), x[:0]), leaf(3), fast_mode=fast_mode, **mode)


@BOTH
@MODES
def test_a_constant_that_requires_a_gradient_of_its_own_passes(mode, fast_mode):
    """The output is differentiable, though not by the input, and so it must not move."""
    weight = leaf(3, seed=5)
    assert gradcheck(lambda x: weight * 2, leaf(4), fast_mode=fast_mode, **mode)
    assert gradcheck(lambda x: (weight * 2, x.sin()), leaf(4), fast_mode=fast_mode, **mode)


@BOTH
def test_a_function_that_is_not_finite_at_the_point_fails_as_torch_fails_it(fast_mode):
    x = torch.tensor([-2.0, 1.0], dtype=torch.float64, requires_grad=True)
    with pytest.raises(GradcheckError, match=r"Jacobian mismatch.*finite") as caught:
        gradcheck(torch.sqrt, x, fast_mode=fast_mode)
    assert caught.value.report is None
    assert gradcheck(torch.sqrt, x, fast_mode=fast_mode, raise_exception=False) is False
    assert gradgradcheck(torch.sqrt, x, fast_mode=fast_mode, raise_exception=False) is False


@BOTH
def test_a_gradient_that_is_nan_where_no_slope_exists_fails(fast_mode):
    x = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    error = failure(lambda x: x.abs().sqrt() * x.sign(), x, fast_mode=fast_mode)
    assert "Jacobian mismatch for output 0 with respect to input 0" in str(error)


MATCHES = torch.tensor([0.2, 0.5, 0.7, 0.9], dtype=torch.float64)
THRESHOLD = 0.5 - 2e-6  # a step of torch's away from an entry, and no longer one


def matched(x):
    """As many outputs as entries are large: another number a little further away."""
    return 2 * x[x.detach() > THRESHOLD]


@BOTH
@pytest.mark.parametrize("check", [gradcheck, gradgradcheck])
def test_as_many_outputs_as_the_point_decides_are_checked_near_it(check, fast_mode):
    inputs = MATCHES.clone().requires_grad_()
    assert getattr(torch.autograd, check.__name__)(matched, inputs, fast_mode=fast_mode)
    assert check(matched, inputs, fast_mode=fast_mode)


@BOTH
def test_wrong_ones_among_as_many_as_the_point_decides_are_caught(fast_mode):
    def wrong(x):
        y = matched(x)
        y.register_hook(lambda gradient: 1.05 * gradient)
        return y

    inputs = MATCHES.clone().requires_grad_()
    assert not gradcheck(wrong, inputs, fast_mode=fast_mode, raise_exception=False)


@pytest.mark.parametrize("probe", ["fast", "full"])
def test_a_check_keeps_to_as_many_outputs_too(probe):
    assert secant.check(matched, MATCHES.clone().requires_grad_(), probe=probe)

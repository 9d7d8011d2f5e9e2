"""An explicit `eps` is the step; the default lets secant choose."""

from __future__ import annotations

import pytest
import torch

from dropin.promises import BOTH, FORWARD, failure, leaf
from planted import scaled_sine
from secant.torch import gradcheck, gradgradcheck


def moves_of(x, **flags) -> list[float]:
    """Return how far the inputs of every call lay from the point, calls at the point left out."""
    moves, point = [], x.detach().clone()

    def square(y):
        moves.append(float((y.detach() - point).abs().max()))
        return y * y

    assert gradcheck(square, x, **flags)
    return [move for move in moves if move > 0]


@BOTH
@pytest.mark.parametrize("mode", [{}, FORWARD], ids=["reverse", "forward"])
@pytest.mark.parametrize("eps", [1e-2, 1e-3, 1e-4, 1e-5])
def test_an_explicit_step_is_taken(eps, mode, fast_mode):
    """Directions have entries of at least 1/2 and at most 3/2, stencils twice the step."""
    moves = moves_of(leaf(4), eps=eps, fast_mode=fast_mode, **mode)
    assert moves
    assert eps / 4 <= min(moves)
    assert max(moves) <= 4 * eps


def rippled(x):
    return x.sin() + (x * 1e8).sin().detach() * 1e-8


def rounded(x):
    y = x.sin()
    return y + ((y * 1e8).round() / 1e8 - y).detach()


@BOTH
@pytest.mark.parametrize("function", [rippled, rounded])
@pytest.mark.parametrize("eps", [1e-2, 1e-3])
def test_an_explicit_step_looks_over_what_is_far_shorter(eps, function, fast_mode):
    """At the step given both are sin, to a tenth of the tolerance; below it they are not."""
    assert gradcheck(function, leaf(4), eps=eps, fast_mode=fast_mode)
    failure(
        lambda x: function(x) + 0.05 * x - 0.05 * x.detach(), leaf(4), eps=eps, fast_mode=fast_mode
    )


@BOTH
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_default_step_suits_inputs_of_any_size(scale, fast_mode):
    x = (leaf(4).detach() * scale).requires_grad_()
    assert gradcheck(lambda x: (x / scale) ** 3 * scale, x, fast_mode=fast_mode)
    failure(lambda x: scaled_sine(1.05)(x / scale) * scale, x, fast_mode=fast_mode)


@BOTH
@pytest.mark.parametrize("eps", [1e-3, 1e-4])
def test_gradgradcheck_takes_the_explicit_step_too(eps, fast_mode):
    x = leaf(4)
    moves, point = [], x.detach().clone()

    def cube(y):
        moves.append(float((y.detach() - point).abs().max()))
        return y**3

    v = torch.ones(4, dtype=torch.float64)
    assert gradgradcheck(cube, x, v, eps=eps, fast_mode=fast_mode)
    moves = [move for move in moves if move > 0]
    assert moves
    assert eps / 4 <= min(moves)
    assert max(moves) <= 4 * eps

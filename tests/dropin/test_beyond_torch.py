"""What torch's gradcheck passes and must not pass here: layouts, writes, permutations."""

from __future__ import annotations

import pytest
import torch

from dropin.promises import BOTH, FORWARD, failure, leaf, opening, sine
from planted import planted
from secant import Verdict
from secant.torch import gradcheck

MISMATCH = "Jacobian mismatch for output 0 with respect to input 0"


def as_if_contiguous(v: torch.Tensor) -> torch.Tensor:
    """Read v as a kernel does that takes it for contiguous."""
    flat = torch.as_strided(v, (v.untyped_storage().nbytes() // 8,), (1,))
    return flat[: v.numel()].reshape(v.shape)


def broken(error) -> set[str]:
    return {one.kind for one in error.report.findings if one.verdict is Verdict.FAIL}


LAYOUT = {
    "reads the storage": lambda saved, v: as_if_contiguous(v) * saved[0].cos(),
    "views it flat": lambda saved, v: v.view(-1).view(v.shape) * saved[0].cos(),
}
WRITING = {
    "in place": lambda saved, v: v.mul_(saved[0].cos()),
    "after the answer": lambda saved, v: (v * saved[0].cos(), v.zero_())[0],
    "negligibly": lambda saved, v: (v * saved[0].cos(), v.mul_(1 + 1e-9))[0],
}


@BOTH
@pytest.mark.parametrize("how", LAYOUT)
def test_a_backward_that_assumes_a_contiguous_cotangent_fails(how, fast_mode):
    error = failure(sine(LAYOUT[how]), leaf(3, 4), fast_mode=fast_mode)
    assert broken(error) == {"layout"}


@BOTH
def test_it_fails_on_vectors_too(fast_mode):
    error = failure(sine(LAYOUT["reads the storage"]), leaf(6), fast_mode=fast_mode)
    assert broken(error) == {"layout"}


@BOTH
@pytest.mark.parametrize("how", WRITING)
def test_a_backward_that_writes_into_its_cotangent_fails(how, fast_mode):
    error = failure(sine(WRITING[how]), leaf(5), fast_mode=fast_mode)
    assert "mutation" in broken(error)


@BOTH
def test_a_backward_that_needs_a_contiguous_cotangent_may_make_it_one(fast_mode):
    careful = sine(lambda saved, v: as_if_contiguous(v.contiguous().clone()) * saved[0].cos())
    assert gradcheck(careful, leaf(3, 4), fast_mode=fast_mode)


def shuffled(n: int) -> torch.Tensor:
    return torch.randperm(n, generator=torch.Generator().manual_seed(0))


ORDERS = {
    "permuted": ((5_000,), lambda v: v[shuffled(5_000)]),
    "reversed": ((5_000,), lambda v: v.flip(0)),
    "rolled": ((5_000,), lambda v: v.roll(1)),
    "transposed": ((71, 71), lambda v: v.t()),
    "neighbours swapped": ((5_000,), lambda v: v.view(-1, 2).flip(1).reshape(-1)),
}


@pytest.mark.parametrize("order", ORDERS)
def test_a_gradient_in_the_wrong_order_fails_fast_mode(order):
    shape, reorder = ORDERS[order]
    wrong = planted("Reordered", lambda x: 2 * x, lambda saved, v: 2 * reorder(v))
    assert MISMATCH in opening(failure(wrong, leaf(*shape), fast_mode=True))


@pytest.mark.parametrize("order", ORDERS)
def test_a_tangent_in_the_wrong_order_fails_fast_mode(order):
    shape, reorder = ORDERS[order]
    wrong = planted(
        "Reordered", lambda x: 2 * x, lambda saved, v: 2 * v, lambda saved, u: 2 * reorder(u)
    )
    assert gradcheck(wrong, leaf(*shape), fast_mode=True)
    error = failure(wrong, leaf(*shape), fast_mode=True, **FORWARD)
    assert "Jacobian computed with forward mode mismatch for output 0" in opening(error)


@pytest.mark.parametrize("order", ORDERS)
def test_the_same_order_small_fails_both_modes(order):
    _, reorder = ORDERS[order]
    if order == "permuted":
        reorder = lambda v: v[torch.tensor([2, 0, 3, 1])]  # noqa: E731
    x = leaf(2, 2) if order == "transposed" else leaf(4)
    wrong = planted("Reordered", lambda x: 2 * x, lambda saved, v: 2 * reorder(v))
    for fast_mode in (False, True):
        assert MISMATCH in opening(failure(wrong, x, fast_mode=fast_mode))


@pytest.mark.parametrize("factor", [1.1, 100.0])
@pytest.mark.parametrize("size", [100, 1_000, 10_000])
def test_one_wrong_entry_fails_fast_mode_at_every_size(size, factor):
    place = size // 3

    def backward(saved, v):
        gradient = 2 * v
        gradient[place] *= factor
        return gradient

    wrong = planted("OneEntryOff", lambda x: 2 * x, backward)
    error = failure(wrong, leaf(size), fast_mode=True)
    assert MISMATCH in opening(error)
    assert f"[{place}]" in str(error)


@BOTH
def test_relu_at_zero_is_not_wrong(fast_mode):
    zeros = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    assert gradcheck(torch.relu, zeros, fast_mode=fast_mode)

"""Batched gradients and tangents: asked about on request, with vmap, against one at a time."""

from __future__ import annotations

import pytest
import torch

from dropin.promises import BOTH, FORWARD, cosine, failure, is_batch, leaf, opening, sine
from secant.torch import gradcheck

BROKEN = "While computing batched gradients"
DIFFERENT = "For output 0 and input 0"
BATCHED = {"check_batched_grad": True}
BATCHED_FORWARD = {"check_batched_forward_grad": True, "check_forward_ad": True}


def branching(saved, v):
    """Right, but it needs to know a number, which no batch has."""
    return v * saved[0].cos() if v.sum().item() < 1e9 else v


def through_numpy(saved, v):
    """Right, but NumPy knows nothing of batches."""
    return torch.from_numpy(v.detach().numpy() * saved[0].detach().cos().numpy())


def doubled_in_batches(saved, v):
    """Twice the derivative, for a batch only."""
    return v * saved[0].cos() * (2 if is_batch(v) else 1)


def slightly_off_in_batches(saved, v):
    """A thousandth too large, for a batch only."""
    return v * saved[0].cos() * (1.001 if is_batch(v) else 1)


INCOMPATIBLE = pytest.mark.parametrize("rule", [branching, through_numpy])
WRONG = pytest.mark.parametrize("rule", [doubled_in_batches, slightly_off_in_batches])


@BOTH
@INCOMPATIBLE
def test_a_backward_that_breaks_under_vmap_fails(rule, fast_mode):
    error = failure(sine(rule), leaf(4), fast_mode=fast_mode, **BATCHED)
    assert BROKEN in opening(error)


@BOTH
@WRONG
def test_a_backward_that_answers_batches_otherwise_fails(rule, fast_mode):
    error = failure(sine(rule), leaf(4), fast_mode=fast_mode, **BATCHED)
    assert DIFFERENT in opening(error)


@BOTH
@INCOMPATIBLE
def test_a_jvp_that_breaks_under_vmap_fails(rule, fast_mode):
    error = failure(sine(cosine, rule), leaf(4), fast_mode=fast_mode, **BATCHED_FORWARD)
    assert BROKEN in opening(error)
    error = failure(
        sine(cosine, rule), leaf(4), fast_mode=fast_mode, check_batched_forward_grad=True, **FORWARD
    )
    assert BROKEN in opening(error)


@BOTH
@WRONG
def test_a_jvp_that_answers_batches_otherwise_fails(rule, fast_mode):
    error = failure(sine(cosine, rule), leaf(4), fast_mode=fast_mode, **BATCHED_FORWARD)
    assert DIFFERENT in opening(error)


@BOTH
@pytest.mark.parametrize(
    "rule", [branching, through_numpy, doubled_in_batches, slightly_off_in_batches]
)
def test_batches_are_not_asked_about_unless_wished(rule, fast_mode):
    assert gradcheck(sine(rule, rule), leaf(4), fast_mode=fast_mode, check_forward_ad=True)


@BOTH
@pytest.mark.parametrize(
    "rule", [branching, through_numpy, doubled_in_batches, slightly_off_in_batches]
)
def test_each_flag_asks_about_its_own_mode_only(rule, fast_mode):
    flags = {"fast_mode": fast_mode, "check_forward_ad": True}
    assert gradcheck(sine(cosine, rule), leaf(4), check_batched_grad=True, **flags)
    assert gradcheck(sine(rule, cosine), leaf(4), check_batched_forward_grad=True, **flags)


@BOTH
@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (torch.sin, leaf(4)),
        (torch.matmul, (leaf(2, 3), leaf(3, 2))),
        (lambda x: (x.exp(), x.sum()), leaf(2, 2)),
        (lambda x, y: x.sin(), (leaf(3), leaf(2))),
        (sine(), leaf(4)),
        (torch.sin, leaf(3, dtype=torch.complex128)),
    ],
    ids=["sin", "matmul", "two outputs", "unused input", "own", "complex"],
)
def test_right_derivatives_pass_in_batches(function, inputs, fast_mode):
    flags = {"fast_mode": fast_mode, "check_batched_grad": True}
    assert gradcheck(function, inputs, **flags, **BATCHED_FORWARD)


@BOTH
def test_the_output_and_the_input_of_a_wrong_batch_are_counted(fast_mode):
    wrong = sine(doubled_in_batches)

    def function(x, constant, y):
        return x * y, x.argsort(), x * wrong(y)

    inputs = (leaf(4), 2.0, leaf(4, seed=1))
    error = failure(function, inputs, fast_mode=fast_mode, **BATCHED)
    assert "For output 1 and input 1" in opening(error)

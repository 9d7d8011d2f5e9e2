"""Block-diagonal Jacobians are compared whole for the price of one block, and nothing hides."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import secant
from secant import Verdict

SEEDS = (1, 2, 1729)


def numbers(*shape, seed=0):
    return torch.from_numpy(np.random.default_rng(seed).uniform(0.3, 1.7, shape))


def rule(forward, backward):
    """A function of one tensor with a backward of its own: (cotangent, input) to gradient."""

    class Rule(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return forward(x)

        @staticmethod
        def backward(ctx, cotangent):
            return backward(cotangent, *ctx.saved_tensors)

    return Rule.apply


def test_an_elementwise_function_of_ten_thousand_entries_takes_a_handful_of_evaluations():
    report = secant.check(torch.sin, numbers(100, 100), probe="full")
    assert report, str(report)
    assert report.cost.evaluations <= 50
    assert report.cost.pulls <= 50
    (finding,) = [one for one in report.findings if one.kind == "derivative"]
    assert finding.total == 10**8


@pytest.mark.parametrize(
    ("function", "inputs", "most"),
    [
        (lambda x: x.softmax(-1), [numbers(40, 5)], 25),
        (lambda x: x.softmax(0), [numbers(5, 40)], 25),
        (lambda x: x.sum(1), [numbers(6, 5, 7)], 25),
        (lambda x: x.permute(2, 0, 1).exp(), [numbers(3, 4, 5)], 10),
        (lambda x, y: x * y, [numbers(8, 6), numbers(6, seed=1)], 10),
        (lambda x: (x.sin(), x.sum(1)), [numbers(30, 4)], 20),
    ],
)
def test_shared_axes_are_found_wherever_they_are(function, inputs, most):
    report = secant.check(function, *inputs, probe="full")
    assert report, str(report)
    assert report.cost.evaluations <= most


def test_the_jacobian_that_is_kept_is_the_whole_one():
    x = numbers(4, 3)
    kept = secant.check(lambda x: x.softmax(-1), x, probe="full").jacobian()
    true = torch.autograd.functional.jacobian(lambda x: x.softmax(-1), x).reshape(12, 12).numpy()
    assert np.allclose(kept.claimed, true, atol=1e-14)
    assert (np.abs(kept.measured - true) <= kept.error).all()


def outside_of_the_claim(x):
    return torch.cat([x[:7].sin(), (x[7].sin() + 1e-4 * x[2])[None], x[8:].sin()])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("forward", "backward", "where"),
    [
        (  # one entry of a block
            torch.sin,
            lambda v, x: v * x.cos() * (1 + 1e-5 * (torch.arange(20) == 3)),
            "∂out[3] / ∂x[3]",
        ),
        (  # claimed outside of the blocks
            torch.sin,
            lambda v, x: v * x.cos() + 1e-4 * v[7] * (torch.arange(20) == 2),
            "∂out[7] / ∂x[2]",
        ),
        (outside_of_the_claim, lambda v, x: v * x.cos(), "∂out[7] / ∂x[2]"),
        (torch.sin, lambda v, x: v.sum() * x.cos(), "∂out"),  # all over
    ],
    ids=["inside", "claimed outside", "not claimed outside", "a sum"],
)
def test_what_lies_outside_the_blocks_does_not_hide(forward, backward, where, seed):
    report = secant.check(rule(forward, backward), numbers(20, seed=seed), probe="full", seed=seed)
    assert report.verdict is Verdict.FAIL
    assert where in str(report)


def test_a_kink_and_a_staircase_are_left_to_the_closer_look():
    x = numbers(12)
    x[5] = 0.0
    assert secant.check(torch.relu, x, probe="full").verdict is Verdict.PASS
    stairs = rule(torch.round, lambda v, x: v)
    assert secant.check(stairs, numbers(6), probe="full").verdict is not Verdict.PASS


@pytest.mark.parametrize("sizes", [1.0, torch.logspace(-3, 0, 20, dtype=torch.float64)])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_resolution_is_a_promise_outside_the_blocks_too(seed, sizes):
    x = numbers(20, seed=seed) * sizes
    promised = secant.check(torch.sin, x, probe="full", seed=seed).resolution
    assert promised is not None
    planted = rule(
        torch.sin, lambda v, x: v * x.cos() + 2 * promised * v[7] * (torch.arange(20) == 2)
    )
    assert secant.check(planted, x, probe="full", seed=seed).verdict is Verdict.FAIL

"""What a check that passes costs: few calls, lines that outputs share, one pull for determinism."""

from __future__ import annotations

import gc
import sys
from collections import Counter

import pytest
import tinygrad
import torch

import secant
from planted import planted, points
from secant import Verdict

_MOST_CALLS = 600  # of Python functions; 470 with Python 3.11, which counts comprehensions too


def numbers(count):
    return torch.linspace(0.1, 0.9, count, dtype=torch.float64)


def calls_of(question):
    """Return the Python functions that a question calls, without what a collector does meanwhile.

    It may run at any moment, and call whatever waits for the garbage of the tests before.
    """
    called = Counter()

    def count(frame, event, _argument):
        if event == "call":
            called[frame.f_code.co_qualname] += 1

    question()
    question()  # what the first calls load and remember is nobody's cost
    before = sys.getprofile()
    gc.collect()
    gc.disable()
    sys.setprofile(count)
    try:
        question()
    finally:
        sys.setprofile(before)
        gc.enable()
    return called


def test_a_passing_sine_walks_few_layers():
    x = numbers(5)
    called = calls_of(lambda: secant.check(torch.sin, x))
    assert called.total() <= _MOST_CALLS, called.most_common(40)


def test_random_numbers_of_other_frameworks_cost_a_passing_sine_little():
    x = numbers(5)
    tinygrad.Tensor.rand(3).numpy()
    called = calls_of(lambda: secant.check(torch.sin, x))
    assert called.total() <= _MOST_CALLS, called.most_common(40)


def flat_here(count):
    """So many outputs, all flat at the point and bent a step away."""
    return lambda x: tuple(torch.relu(x - 2) for _ in range(count))


def test_outputs_that_are_asked_one_by_one_share_what_was_measured():
    few, many = (secant.check(flat_here(count), numbers(4)) for count in (2, 8))
    assert few.verdict is many.verdict is Verdict.PASS
    # along two directions: how soon a kink is known for one depends on where it lies
    assert max(few.cost.evaluations, many.cost.evaluations) <= 30


def waves(x):
    return tuple(torch.sin(k * x) for k in range(1, 6))


def test_determinism_of_many_outputs_takes_one_pull():
    report = secant.check(waves, numbers(7))
    assert report, str(report)
    assert report.cost.pulls <= 5 + 2  # one for each output, the chain's end, and that again


class Tiring(torch.autograd.Function):
    """Waves, whose backward is right so many times and then a thousandth too large."""

    patience = 0

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return waves(x)

    @staticmethod
    def backward(ctx, *cotangents):
        (x,) = ctx.saved_tensors
        Tiring.patience -= 1
        factor = 1.0 if Tiring.patience >= 0 else 1.001
        numbered = reversed(list(enumerate(cotangents, 1)))  # the last first: sums round otherwise
        return factor * sum(v * k * torch.cos(k * x) for k, v in numbered)


@pytest.mark.parametrize("patience", [5, 6])
def test_a_rule_of_many_outputs_that_changes_its_mind_is_not_repeatable(patience):
    Tiring.patience = patience  # a pull for each output, and one for all of them
    report = secant.check(Tiring.apply, numbers(7), explain=False)
    broken = {one.kind for one in report.findings if one.verdict is Verdict.FAIL}
    assert "determinism" in broken, str(report)


def single(count, seed):
    return points(count, dtype=torch.float32, seed=seed)


def test_structure_takes_one_push_a_leaf_for_all_outputs_in_forward_mode():
    leaves = [single(5, seed) for seed in range(3)]
    report = secant.check(
        lambda a, b, c: (a * b + c, a * c, b - c), *leaves, modes="forward", lift=False
    )
    assert report
    assert report.cost.pushes == 2 * len(leaves)


@pytest.mark.parametrize("modes", ["forward", "reverse"])
def test_structure_blames_the_output_that_is_wrong(modes):
    """A mean that is forgotten is small beside a random direction, and all of one along ones."""
    centred = planted(
        "Centred",
        lambda x: x - x.mean(-1, keepdim=True),
        lambda saved, v: v,
        lambda saved, u: u,
    )
    x = points(4, 512, dtype=torch.bfloat16)
    report = secant.check(lambda x: (x * 2, centred(x)), x, modes=modes, lift=False, explain=False)
    wrong = {one.output for one in report.findings if one.verdict is Verdict.FAIL}
    assert wrong == {1}

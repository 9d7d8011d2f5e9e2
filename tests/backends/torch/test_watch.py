"""Casts are seen wherever they are made, and nothing is left watching afterwards."""

from __future__ import annotations

import pytest
import torch
from torch.utils.checkpoint import checkpoint

import secant
from secant._backends.torch.versions import watch
from secant._backends.torch.versions.watch import watched, watching_casts


class Rounding(torch.autograd.Function):
    """A cast within a rule's own forward, of which the graph knows nothing."""

    @staticmethod
    def forward(ctx, x):
        return x.half().sin().double()

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent


def points():
    return torch.linspace(0.1, 0.9, 5, dtype=torch.float64).requires_grad_()


def is_watching():
    return watch._key is not None and torch._C._dispatch_tls_is_dispatch_key_included(watch._key)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.half().sin().double(),
        lambda x: x.detach().to(torch.float16).double() + x,
        lambda x: checkpoint(lambda y: y.half().double(), x, use_reentrant=False),
        lambda x: torch.func.vmap(lambda y: y.half().double())(x),
        lambda x: torch.func.grad(lambda y: y.half().double().sum())(x),
        lambda x: torch.cond(x.sum() > 0, lambda y: y.half().double(), lambda y: y.sin(), (x,)),
        Rounding.apply,
    ],
    ids=["plain", "detached", "checkpoint", "vmap", "grad", "cond", "rule"],
)
def test_a_cast_is_seen_wherever_it_is_made(function):
    noted = {}
    with watching_casts(noted):
        function(points())
    assert noted == {"float16": 2.0**-11}
    assert not is_watching()


def test_casts_to_more_digits_or_to_whole_numbers_are_no_casts_to_less():
    noted = {}
    with watching_casts(noted):
        points().detach().float().double().long()
        torch.ones(3, dtype=torch.float32).double()
    assert noted == {"float32": 2.0**-24}


def test_a_function_that_checks_another_one_is_watched_after_that_as_well():
    def nested(x):
        assert secant.check(torch.sin, points())
        return x.half().double()

    noted = {}
    with watching_casts(noted):
        nested(points())
        assert watched() is noted
        assert is_watching() is (watch._key is not None)
    assert noted == {"float16": 2.0**-11}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_nothing_is_watched_after_a_function_has_raised(error):
    def raising(x):
        x.half()
        raise error

    with pytest.raises((secant.EvaluationError, KeyboardInterrupt)):
        secant.check(raising, points())
    assert watched() is None
    assert not is_watching()

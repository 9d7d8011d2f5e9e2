"""The way real code is written: at both orders, in both modes, and by `secant.check`.

Each habit is a function of a rule and of a point; with a rule whose derivative is wrong at an order
every checker must fail at that order, with right ones none may.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch

import secant
from dropin.promises import leaf, sine_with_gradient
from dropin.test_wrappers import wrapped as wrapper
from fingerprints import fingerprint
from planted import scaled_sine
from secant.torch import gradcheck, gradgradcheck

Posed = tuple[Callable[..., Any], tuple[Any, ...]]


def _times(x, v):
    return v * x.cos()


class TooSteep(torch.autograd.Function):
    """The gradient of sin, whose own derivative is 5 % too large."""

    @staticmethod
    def forward(ctx, x, v):
        ctx.save_for_backward(x, v)
        return _times(x, v)

    @staticmethod
    def backward(ctx, w):
        x, v = ctx.saved_tensors
        return -1.05 * w * v * x.sin(), w * x.cos()


WRONG = {1: scaled_sine(1.05), 2: sine_with_gradient(TooSteep.apply)}


def through_a_module(rule) -> Posed:
    module = torch.nn.Linear(3, 2).double()
    with torch.no_grad():
        module.weight.copy_(leaf(2, 3))
        module.bias.copy_(leaf(2, seed=1))
    return (lambda x, *_: x.sum() * rule(module.weight)), (
        leaf(3, seed=2),
        *module.parameters(),
    )


def through_a_closure(rule) -> Posed:
    weight = leaf(4)
    return (lambda x, _: x * rule(weight)), (leaf(4, seed=1), weight)


def registered(rule) -> Posed:
    def function(weight):
        module = torch.nn.Module()
        module.weight = weight
        assert [name for name, _ in module.named_parameters()] == ["weight"]
        return rule(module.weight)

    return function, (torch.nn.Parameter(leaf(4).detach()),)


def twice(rule) -> Posed:
    x = leaf(4)
    return (lambda one, other: rule(one) * other), (x, x)


def views(rule) -> Posed:
    base = leaf(5)
    return (lambda one, other: rule(one) * other), (base[:4], base[1:])


def infinite_itself(rule) -> Posed:
    point = leaf(4).detach()
    point[1] = -torch.inf
    return (lambda x: torch.softmax(x, 0) * rule(torch.softmax(x, 0))), (point.requires_grad_(),)


def kept_by_value(rule) -> Posed:
    answers: dict[tuple[float, ...], Any] = {}

    def keeping(x):
        key = tuple(x.tolist())
        if key not in answers:
            answers[key] = rule(x)
        return answers[key]

    x = leaf(3)
    keeping(x)
    return keeping, (x,)


def beside_infinity(rule) -> Posed:
    mask = torch.tensor([0.0, -torch.inf, 0.0, 0.0], dtype=torch.float64)
    return (lambda x, mask: torch.softmax(rule(x) + mask, 0)), (leaf(4), mask)


def wrapped(rule) -> Posed:
    return rule, (wrapper(4),)


def with_a_hook(rule) -> Posed:
    def function(x):
        out = rule(x)
        out.register_hook(lambda gradient: None if gradient is None else gradient * 1.0)
        return out * out

    return function, (leaf(4),)


HABITS = {
    "module": through_a_module,
    "closure": through_a_closure,
    "registered": registered,
    "twice": twice,
    "views": views,
    "infinite itself": infinite_itself,
    "kept by value": kept_by_value,
    "beside infinity": beside_infinity,
    "wrapped": wrapped,
    "hook": with_a_hook,
}


def checked(check, **settings) -> Callable[..., bool]:
    return lambda function, inputs: check(function, inputs, raise_exception=False, **settings)


def by_check(function, inputs, **settings) -> bool:
    return bool(secant.check(function, *inputs, **settings))


CHECKERS = {
    "gradcheck slow": (1, checked(gradcheck)),
    "gradcheck fast": (1, checked(gradcheck, fast_mode=True)),
    "gradgradcheck slow": (2, checked(gradgradcheck)),
    "gradgradcheck fast": (2, checked(gradgradcheck, fast_mode=True)),
    "check fast": (1, partial(by_check, probe="fast")),
    "check full": (1, partial(by_check, probe="full")),
    "check of order 2 fast": (2, partial(by_check, probe="fast", order=2)),
    "check of order 2 full": (2, partial(by_check, probe="full", order=2)),
}


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("habit", HABITS)
def test_right_derivatives_pass_and_nothing_is_changed(habit, checker):
    function, inputs = HABITS[habit](torch.sin)
    own = [getattr(one, "held", one) for one in inputs]
    before = fingerprint(*own)
    assert CHECKERS[checker][1](function, inputs)
    assert fingerprint(*own) == before


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("habit", HABITS)
def test_wrong_derivatives_are_caught(habit, checker):
    order, check = CHECKERS[checker]
    function, inputs = HABITS[habit](WRONG[order])
    own = [getattr(one, "held", one) for one in inputs]
    before = fingerprint(*own)
    assert not check(function, inputs)
    assert fingerprint(*own) == before

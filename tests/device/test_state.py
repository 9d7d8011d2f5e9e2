"""A check leaves a device as it was: tensors, gradients and the device's random generator."""

from __future__ import annotations

import pytest
import torch

import secant
from fingerprints import Halt, fingerprint
from planted import points, scaled_sine
from secant import Verdict

SETTINGS = {
    "default": {},
    "full": {"probe": "full"},
    "whole": {"modes": "all", "probe": "full", "order": 2, "laws": "all"},
}
EACH = pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)


def generator_of(device: str) -> torch.Generator:
    """The generator that the device's own random functions draw from."""
    if device == "cpu":
        return torch.default_generator
    torch.cuda.init()
    return torch.cuda.default_generators[torch.cuda.current_device()]


@pytest.fixture
def inputs(device):
    """Two tensors with what a user may have hung on them."""
    marked = points(3, 2).to(device).t().requires_grad_()  # not contiguous
    marked.grad = torch.full((2, 3), 7.0, dtype=torch.float64, device=device)
    marked.register_hook(lambda gradient: gradient * 1000)
    expanded = points(1, seed=1).to(device).expand(3).requires_grad_()
    return marked, expanded


def product(one, other):
    return (one.sin() * other).sum(0), (one * one).mean()


def state(device: str, inputs) -> list:
    return [fingerprint(*inputs), generator_of(device).get_state().tolist()]


@EACH
def test_a_check_changes_nothing(device, inputs, settings):
    before = state(device, inputs)
    assert secant.check(product, *inputs, **settings)
    assert not secant.check(scaled_sine(1.5), inputs[0], **settings)
    assert state(device, inputs) == before


@EACH
@pytest.mark.parametrize("call", [1, 2, 5, 13])
@pytest.mark.parametrize("halt", [Halt, KeyboardInterrupt])
def test_stopping_at_any_call_changes_nothing(device, inputs, settings, call, halt):
    count = 0

    def stopping(one, other):
        nonlocal count
        count += 1
        torch.rand(3, device=device)
        if count == call:
            raise halt("stop")
        return product(one, other)

    before = state(device, inputs)
    try:
        secant.check(stopping, *inputs, **settings)
    except (KeyboardInterrupt, secant.FunctionRaised):
        assert count >= call
    assert state(device, inputs) == before


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_dropout_is_frozen_and_its_generator_put_back(device, dtype):
    x = points(60, dtype=dtype).to(device)
    generator = generator_of(device)
    generator.manual_seed(3)
    before = generator.get_state()
    report = secant.check(lambda y: torch.nn.functional.dropout(y.sin(), 0.5), x)
    assert report, str(report)
    assert torch.equal(generator.get_state(), before)


def test_a_wrong_gradient_behind_dropout_is_caught(device):
    wrong = scaled_sine(1.01)
    x = points(60).to(device)
    report = secant.check(lambda y: torch.nn.functional.dropout(wrong(y), 0.5), x)
    assert report.verdict is Verdict.FAIL, str(report)


def test_a_check_draws_nothing_from_the_generator_of_the_device(device):
    generator_of(device).manual_seed(3)
    first = torch.rand(4, device=device)
    generator_of(device).manual_seed(3)
    secant.check(scaled_sine(1.1), points(6).to(device), probe="full", modes="all")
    assert torch.equal(torch.rand(4, device=device), first)


def test_a_function_that_writes_into_a_constant_sees_the_same_one_every_time(device):
    x, constant = points(4).to(device).requires_grad_(), points(4, seed=1).to(device)
    seen = []

    def writing(y, constant):
        seen.append(constant.tolist())
        constant.mul_(2)
        return y * constant

    before = fingerprint(x, constant)
    assert secant.check(writing, x, constant)
    assert fingerprint(x, constant) == before
    assert seen == [constant.tolist()] * len(seen)

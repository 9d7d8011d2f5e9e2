"""A check leaves nothing changed: not after a verdict, an exception or Ctrl-C in the middle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import secant
from fingerprints import Halt, fingerprint
from planted import planted, points, scaled_sine

WHOLE = {"modes": "all", "probe": "full", "order": 2, "laws": "all"}
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "full": {"probe": "full"},
    "forward": {"modes": "forward"},
    "second": {"order": 2},
    "whole": WHOLE,
}
CALLS = (1, 2, 3, 5, 8, 13, 30)


@pytest.fixture
def inputs():
    """Two tensors with everything a user may have hung on them."""
    marked = points(3, 2).t().requires_grad_()  # not contiguous
    marked.grad = torch.full((2, 3), 7.0, dtype=torch.float64)
    marked.register_hook(lambda gradient: gradient * 1000)
    expanded = points(1, seed=1).expand(3).requires_grad_()
    return marked, expanded


def product(one, other):
    return (one.sin() * other).sum(0), (one * one).mean()


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_a_check_that_passes_changes_nothing(inputs, settings):
    before = fingerprint(*inputs)
    assert secant.check(product, *inputs, **settings)
    assert fingerprint(*inputs) == before


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_a_check_that_fails_changes_nothing(inputs, settings):
    before = fingerprint(*inputs)
    assert not secant.check(scaled_sine(1.5), inputs[0], **settings)
    assert fingerprint(*inputs) == before


@pytest.mark.thinned(keep=30)
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("halt", [Halt, KeyboardInterrupt, SystemExit])
def test_stopping_at_any_call_changes_nothing(inputs, settings, call, halt):
    count = 0

    def stopping(one, other):
        nonlocal count
        count += 1
        torch.rand(3)
        torch.set_default_dtype(torch.float64)
        if count == call:
            raise halt("stop")
        return product(one, other)

    before = fingerprint(*inputs)
    outcome = raised_by(lambda: secant.check(stopping, *inputs, **settings))
    assert fingerprint(*inputs) == before
    if halt is Halt:  # in the middle it may be taken for the border of a domain
        assert outcome is None or type(outcome.__cause__) is Halt
    elif count >= call:  # an interrupt never is
        assert type(outcome) is halt


def raised_by(call: Callable[[], object]) -> BaseException | None:
    try:
        call()
    except BaseException as error:
        return error
    return None


@pytest.mark.parametrize("call", [1, 2, 3, 5, 8])
def test_stopping_inside_a_backward_changes_nothing(inputs, call):
    count = 0

    def backward(saved, v):
        nonlocal count
        count += 1
        if count == call:
            raise KeyboardInterrupt
        return 1.5 * v * saved[0].cos()

    wrong = planted("Stopping", torch.sin, backward)
    before = fingerprint(*inputs)
    with pytest.raises(KeyboardInterrupt):
        secant.check(wrong, inputs[0], probe="full", laws="all", draws=50)
    assert count == call
    assert fingerprint(*inputs) == before


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_a_check_under_no_grad_checks_and_leaves_no_grad_on(inputs, settings):
    with torch.no_grad():
        before = fingerprint(*inputs)
        report = secant.check(product, *inputs, **settings)
        assert fingerprint(*inputs) == before
    assert report
    assert report.cost.evaluations > 1


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_a_check_under_inference_mode_checks_and_leaves_it_on(inputs, settings):
    with torch.inference_mode():
        before = fingerprint(*inputs)
        report = secant.check(product, *inputs, **settings)
        wrong = secant.check(scaled_sine(1.5), inputs[0], **settings)
        assert fingerprint(*inputs) == before
    assert report
    assert wrong.verdict is secant.Verdict.FAIL


def test_inference_tensors_are_inputs_like_others():
    with torch.inference_mode():
        x = points(4)
        before = fingerprint(x)
        inside = secant.check(torch.sin, x)
        assert fingerprint(x) == before
    assert inside
    before = fingerprint(x)
    assert secant.check(torch.sin, x)
    assert not secant.check(scaled_sine(1.5), x)
    assert fingerprint(x) == before


def test_inputs_with_a_history_keep_it():
    root = points(4).requires_grad_()
    x = root * 2
    before = fingerprint(root, x)
    assert secant.check(torch.sin, x)
    assert fingerprint(root, x) == before
    x.sum().backward()
    assert torch.equal(root.grad, torch.full((4,), 2.0, dtype=torch.float64))


def test_hooks_of_the_user_are_not_called():
    x = points(4).requires_grad_()
    calls = []
    x.register_hook(calls.append)
    x.register_post_accumulate_grad_hook(calls.append)
    assert secant.check(torch.sin, x)
    assert calls == []


def test_hooks_that_the_function_hangs_on_its_argument_stay_on_the_copy():
    x = points(4).requires_grad_()

    def hooked(y):
        if y.requires_grad:
            y.register_hook(lambda gradient: gradient)
        return y.sin()

    before = fingerprint(x)
    assert secant.check(hooked, x)
    assert fingerprint(x) == before


def test_a_module_that_is_closed_over_is_untouched():
    layer = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3)).double().eval()
    layer[0].weight.grad = torch.ones_like(layer[0].weight)
    tensors = [*layer.parameters(), *layer.buffers()]
    before = fingerprint(*tensors)
    assert secant.check(lambda x: layer(x), points(5, 4), **WHOLE)
    assert fingerprint(*tensors) == before
    assert not layer.training


def test_parameters_that_are_closed_over_get_no_gradient():
    weight = points(3).requires_grad_()
    assert secant.check(lambda x: x * weight, points(3, seed=1), order=2)
    assert weight.grad is None


def test_a_function_that_writes_into_its_argument_writes_into_a_copy():
    x = points(4).requires_grad_()

    def writing(y):
        y.detach().mul_(2)
        return y.sin()

    before = fingerprint(x)
    report = secant.check(writing, x)
    assert fingerprint(x) == before
    assert "mutation" in failed_kinds(report)


def test_a_function_that_writes_into_a_constant_sees_the_same_one_every_time():
    x, constant = points(4).requires_grad_(), points(4, seed=1)
    seen = []

    def writing(y, constant):
        seen.append(constant.tolist())
        constant.mul_(2)
        return y * constant

    before = fingerprint(x, constant)
    report = secant.check(writing, x, constant)
    assert fingerprint(x, constant) == before
    assert report
    assert seen == [constant.tolist()] * len(seen)
    assert {finding.kind for finding in report.findings} > {"linearity", "determinism"}


def test_running_statistics_that_are_passed_in_are_put_back():
    x = points(5, 3).requires_grad_()
    mean, variance = torch.zeros(3, dtype=x.dtype), torch.ones(3, dtype=x.dtype)

    def normalise(x, mean, variance):
        return torch.nn.functional.batch_norm(x, mean, variance, training=True)

    before = fingerprint(x, mean, variance)
    assert secant.check(normalise, x, mean, variance)
    assert fingerprint(x, mean, variance) == before


def failed_kinds(report: secant.Report) -> set[str]:
    return {one.kind for one in report.findings if one.verdict is secant.Verdict.FAIL}


def test_a_function_that_draws_random_numbers_is_frozen_and_the_generator_put_back():
    x = points(6)
    torch.manual_seed(3)
    before = torch.get_rng_state()
    report = secant.check(lambda y: torch.nn.functional.dropout(y.sin(), 0.5), x)
    assert report
    assert torch.equal(torch.get_rng_state(), before)


def test_a_check_draws_nothing_from_the_generators_of_the_user():
    x = points(6)
    torch.manual_seed(3)
    first = torch.rand(4)
    torch.manual_seed(3)
    secant.check(scaled_sine(1.1), x, probe="full", modes="all")
    assert torch.equal(torch.rand(4), first)


def test_a_generator_of_the_function_itself_cannot_be_frozen_and_is_reported():
    generator = torch.Generator().manual_seed(0)

    def restless(y):
        return y.sin() * torch.rand(y.shape, generator=generator, dtype=y.dtype)

    report = secant.check(restless, points(6))
    assert report.verdict is secant.Verdict.INCONCLUSIVE
    (finding,) = [one for one in report.findings if one.subject == "function"]
    assert (finding.kind, finding.verdict) == ("determinism", secant.Verdict.INCONCLUSIVE)


def test_a_refused_check_changes_nothing(inputs):
    before = fingerprint(*inputs)
    for call in (
        lambda: secant.check(product, inputs[0] * float("nan"), inputs[1]),
        lambda: secant.check(product, *inputs, probe="slow"),
        lambda: secant.check(lambda one, other: None, *inputs),
        lambda: secant.check(lambda one, other: (one - one) / 0, *inputs),
    ):
        with pytest.raises(secant.InputError):
            call()
    assert fingerprint(*inputs) == before

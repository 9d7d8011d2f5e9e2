"""Inputs that a function reads behind its arguments are moved themselves, and put back."""

from __future__ import annotations

import contextlib
import itertools
import sys
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import secant
from dropin.promises import sine_with_gradient
from fingerprints import Halt, fingerprint
from planted import points, scaled_sine
from secant import Verdict
from secant._backends.torch.autodiff.borrowed import BorrowedTensors
from secant._problem import behind

PROBE = pytest.mark.parametrize("probe", ["fast", "full"])
MODES = pytest.mark.parametrize("modes", ["reverse", "forward", "all"])
ORDER = pytest.mark.parametrize("order", [1, 2])
# the first derivative of sin is right, the derivative of that is missing
WRONG_SECOND = sine_with_gradient(lambda x, v: v * x.detach().cos())


class Network(torch.nn.Module):
    """Two parameters that meet a rule."""

    def __init__(self, rule=torch.sin):
        super().__init__()
        self.weight = torch.nn.Parameter(points(3, 2))
        self.bias = torch.nn.Parameter(points(2, seed=1))
        self.rule = rule

    def forward(self, x):
        return self.rule(x @ self.weight + self.bias) * self.weight.sum()


def behind_a_closure(rule):
    """Return a function of (x, w) that reads another w than it is given, and its arguments."""
    x, w = points(3).requires_grad_(), points(3, seed=1).requires_grad_()
    return (lambda x, _: rule(w) * x), (x, w)


def behind_a_module(rule):
    network = Network(rule)
    return (lambda x, *_: network(x)), (points(3).requires_grad_(), *network.parameters())


BOTH = pytest.mark.parametrize("make", [behind_a_closure, behind_a_module])


@BOTH
@PROBE
@MODES
@ORDER
def test_what_is_read_behind_the_arguments_is_checked(make, probe, modes, order):
    function, inputs = make(torch.sin)
    before = fingerprint(*inputs)
    report = secant.check(function, *inputs, probe=probe, modes=modes, order=order)
    assert report, str(report)
    assert "unread" not in {finding.kind for finding in report.findings}
    assert fingerprint(*inputs) == before


@BOTH
@PROBE
@MODES
def test_a_gradient_five_per_cent_too_large_is_caught_behind_the_arguments(make, probe, modes):
    function, inputs = make(scaled_sine(1.05))
    before = fingerprint(*inputs)
    report = secant.check(function, *inputs, probe=probe, modes=modes)
    assert report.verdict is Verdict.FAIL
    wrong = {one.where for one in report.findings if one.verdict is Verdict.FAIL}
    assert any(where.endswith(("∂_", "∂input1")) for where in wrong), wrong
    with pytest.raises(secant.GradientMismatch):
        secant.assert_gradient(function, *inputs, probe=probe, modes=modes)
    assert fingerprint(*inputs) == before


@BOTH
@PROBE
@pytest.mark.parametrize("modes", ["reverse", "all"])
def test_a_second_derivative_that_is_missing_is_caught_behind_the_arguments(make, probe, modes):
    function, inputs = make(WRONG_SECOND)
    before = fingerprint(*inputs)
    assert secant.check(function, *inputs, probe=probe)
    report = secant.check(function, *inputs, probe=probe, modes=modes, order=2, explain=False)
    assert report.verdict is Verdict.FAIL
    assert fingerprint(*inputs) == before


@PROBE
def test_a_module_that_keeps_a_parameter_in_a_list_is_checked_in_it(probe):
    class Listing(Network):
        def __init__(self, rule):
            super().__init__(rule)
            self.kept = [self.weight]

        def forward(self, x):
            return self.rule(x @ self.kept[0])

    right, wrong = Listing(torch.sin), Listing(scaled_sine(1.05))
    x, before = points(3), fingerprint(*wrong.parameters())
    assert secant.check(right, x, probe=probe)
    report = secant.check(wrong, x, probe=probe)
    assert report.verdict is Verdict.FAIL
    assert any("weight" in one.where for one in report.findings if one.verdict is Verdict.FAIL)
    assert fingerprint(*wrong.parameters()) == before


@PROBE
def test_an_array_that_is_read_both_ways_has_the_total_derivative(probe):
    w = points(3).requires_grad_()
    for rule, verdict in ((torch.sin, Verdict.PASS), (scaled_sine(1.05), Verdict.FAIL)):
        report = secant.check(lambda v, rule=rule: rule(w) * v, w, probe=probe)
        assert report.verdict is verdict
        assert report.cost.pulls


@pytest.mark.parametrize("dtype", [torch.float32, torch.complex128], ids=str)
def test_other_dtypes_are_moved_in_place_too(dtype):
    w = points(3, dtype=dtype).requires_grad_()
    before = fingerprint(w)
    assert secant.check(lambda _: w.sin() * 2, w)
    wrong = scaled_sine(1.5) if dtype.is_complex is False else None
    if wrong is not None:
        assert secant.check(lambda _: wrong(w), w).verdict is Verdict.FAIL
    assert fingerprint(w) == before


def test_an_array_without_a_mark_is_found_by_moving_it():
    w = points(3)
    before = fingerprint(w)
    right = secant.check(lambda _: torch.sin(w), w)
    assert right
    assert right.cost.pulls, "it was not differentiated"
    assert secant.check(lambda _: scaled_sine(1.05)(w), w).verdict is Verdict.FAIL
    assert fingerprint(w) == before


def test_a_missing_gradient_behind_the_arguments_is_caught():
    w = points(3).requires_grad_()
    x = points(3, seed=1).requires_grad_()
    before = fingerprint(w, x)
    report = secant.check(lambda x, _: w.detach().sin() * x, x, w)
    assert [one.kind for one in report.findings if one.verdict is Verdict.FAIL] == ["liveness"]
    assert fingerprint(w, x) == before


def test_a_missing_gradient_in_front_of_the_arguments_is_still_caught():
    x, w = points(3).requires_grad_(), points(3, seed=1).requires_grad_()
    report = secant.check(lambda x, w: w.detach().sin() * x, x, w)
    assert [one.kind for one in report.findings if one.verdict is Verdict.FAIL] == ["liveness"]


def test_what_has_a_history_of_its_own_is_moved_where_it_stands():
    root = points(3).requires_grad_()
    y = root * 2
    before = fingerprint(root, y)
    assert secant.check(lambda x, _: x * y.sin(), root, y)
    report = secant.check(lambda x, _: x * scaled_sine(1.05)(y), root, y)
    assert report.verdict is Verdict.FAIL
    assert fingerprint(root, y) == before


def test_a_sparse_array_is_moved_where_it_stores_entries():
    w = torch.sparse_coo_tensor(
        [[0, 2]], [0.5, 0.7], (4,), dtype=torch.float64, check_invariants=True
    )
    w = w.coalesce()
    w.requires_grad_()
    before = w._values().tolist(), w._values().data_ptr()
    for factor, verdict in ((1.0, Verdict.PASS), (1.05, Verdict.FAIL)):
        rule = scaled_sine(factor)
        report = secant.check(lambda _, rule=rule: rule(w.to_dense()), w, masked=True)
        assert report.verdict is verdict, str(report)
    assert (w._values().tolist(), w._values().data_ptr()) == before


def test_an_array_whose_entries_share_memory_is_refused():
    w = points(1).expand(3).detach().requires_grad_()
    with pytest.raises(
        secant.InputError, match=r"to read _ from its arguments; it reads the array"
    ):
        secant.check(lambda _: w.sin(), w)


@PROBE
def test_a_function_that_returns_what_it_reads_is_checked(probe):
    w = points(3, 2).requires_grad_()
    assert secant.check(lambda _: (w, w.t(), w.detach() * 2 * w), w, probe=probe) is not None
    assert secant.check(lambda _: (w, w.t()), w, probe=probe)


def test_what_a_call_does_to_borrowed_arrays_is_undone():
    w, unmarked = points(3).requires_grad_(), points(3, seed=1)
    w.grad = torch.ones_like(w)
    kept, before = w.grad, fingerprint(w, unmarked)
    borrowed = BorrowedTensors([w, unmarked])
    with borrowed.holding([points(3, seed=2), points(3, seed=3)]):
        assert torch.equal(w, points(3, seed=2))
        assert unmarked.requires_grad
        (w * unmarked).sum().backward()
        w.detach().mul_(3)
    assert w.grad is kept
    assert fingerprint(w, unmarked) == before


@pytest.mark.parametrize("modes", ["reverse", "all"])
@pytest.mark.parametrize("halt", [Halt, KeyboardInterrupt])
@pytest.mark.parametrize("call", [1, 2, 3, 4, 6, 9])
def test_stopping_at_any_call_puts_back_what_was_moved(modes, halt, call):
    w = points(3).requires_grad_()
    w.grad = torch.ones_like(w)
    count = 0

    def stopping(_):
        nonlocal count
        count += 1
        if count == call:
            raise halt
        return w.sin() * 2

    before = fingerprint(w)
    with contextlib.suppress(KeyboardInterrupt, secant.FunctionRaised):
        secant.check(stopping, w, modes=modes, order=2)
    assert count >= call
    assert fingerprint(w) == before


def interrupted_at(line: int, check) -> bool:
    """Raise KeyboardInterrupt at one line among those that move arrays; say if it was reached."""
    files = {behind.__file__, str(Path(behind.__file__).parent / "leaves.py")}
    files.add(sys.modules["secant._backends.torch.autodiff.borrowed"].__file__)
    count = itertools.count()

    def follow(frame, event, _):
        if frame.f_code.co_filename not in files:
            return None
        if event == "line" and next(count) == line:
            raise KeyboardInterrupt
        return follow

    before = sys.gettrace()
    sys.settrace(follow)
    try:
        with torch.enable_grad():  # whose way out is not among the lines
            check()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.parametrize(
    "first", [0, 3, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2, 4, 5, 6))]
)
def test_an_interrupt_at_any_line_puts_back_what_was_moved(first):
    w, x = points(2).requires_grad_(), points(2, seed=1)
    w.grad = torch.ones_like(w)
    unmarked = points(2, seed=2)
    before = fingerprint(w, x, unmarked)[0]

    def check():
        secant.check(lambda _: w.sin() * x, w, modes="all")
        secant.check(lambda _: unmarked.sin(), unmarked)

    line = first  # every seventh from here on; the seven tests take all of them
    while interrupted_at(line, check):
        assert fingerprint(w, x, unmarked)[0] == before, f"interrupted at line event {line}"
        line += 7
    assert line > 300


def test_a_leaf_that_nothing_depends_on_is_said():
    x, w = points(3).requires_grad_(), points(2).requires_grad_()
    report = secant.check(lambda x, w: x.sin(), x, w)
    assert report
    unread = [one for one in report.findings if one.kind == "unread"]
    assert [one.where for one in unread] == ["w"]
    assert "note        no output depends on w, so nothing was checked about it" in str(report)


@PROBE
@MODES
def test_the_verdict_on_other_leaves_stands(probe, modes):
    x, w = points(3).requires_grad_(), points(2).requires_grad_()
    report = secant.check(lambda x, w: scaled_sine(1.05)(x), x, w, probe=probe, modes=modes)
    assert report.verdict is Verdict.FAIL
    assert [one.where for one in report.findings if one.kind == "unread"] == ["w"]


@PROBE
def test_numpy_and_jax_say_what_nothing_depends_on(probe):
    x, w = np.array([0.5, 0.7]), np.array([1.0, 2.0])
    by_hand = secant.check(
        lambda a, b: np.sum(a**2 + w), x, w, gradient=lambda a, b: (2 * a, 0 * b), probe=probe
    )
    kept = jnp.asarray(w)
    traced = secant.check(lambda a, b: jnp.sum(a**2 * kept), jnp.asarray(x), kept, probe=probe)
    for report in (by_hand, traced):
        assert report
        assert [one.where for one in report.findings if one.kind == "unread"] == ["b"]
        assert "no output depends on b" in str(report)


def test_a_function_that_keeps_answers_by_value_may_have_been_called_before():
    answers = {}

    def keeping(x):
        key = tuple(x.tolist())
        if key not in answers:
            answers[key] = x.sin()
        return answers[key]

    x = points(3).requires_grad_()
    keeping(x)
    report = secant.check(keeping, x)
    assert report, str(report)
    assert secant.check(keeping, x, probe="full")

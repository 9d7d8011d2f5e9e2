"""A comparison leaves nothing changed: not after a verdict, an exception or Ctrl-C."""

from __future__ import annotations

import pytest
import torch

import secant
from compare.kernels import normal
from fingerprints import Halt, fingerprint

CALLS = (1, 2, 3, 4, 7)


@pytest.fixture
def inputs():
    """Two tensors with everything a user may have hung on them."""
    marked = normal(3, 2).t().requires_grad_()  # not contiguous
    marked.grad = torch.full((2, 3), 7.0)
    marked.register_hook(lambda gradient: gradient * 1000)
    expanded = normal(1, seed=1).expand(3).requires_grad_()
    return marked, expanded


def product(one, other):
    return (one.sin() * other).sum(0), (one * one).mean()


def wrong(one, other):
    return (one.sin() * other).sum(0) * 1.5, (one * one).mean()


@pytest.mark.parametrize("dtype", [None, "bfloat16"])
@pytest.mark.parametrize("kernel", [product, wrong])
def test_a_comparison_changes_nothing(inputs, kernel, dtype):
    before = fingerprint(*inputs)
    assert bool(secant.compare(kernel, product, *inputs, dtype=dtype)) is (kernel is product)
    assert fingerprint(*inputs) == before


@pytest.mark.parametrize("side", ["kernel", "reference"])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("halt", [Halt, KeyboardInterrupt])
def test_stopping_at_any_call_changes_nothing(inputs, side, call, halt):
    count = 0

    def stopping(one, other):
        nonlocal count
        count += 1
        torch.rand(3)
        torch.set_default_dtype(torch.float64)
        if count == call:
            raise halt("stop")
        return product(one, other)

    functions = (stopping, product) if side == "kernel" else (wrong, stopping)
    before = fingerprint(*inputs)
    outcome: BaseException | None = None
    try:
        secant.compare(*functions, *inputs)
    except BaseException as error:
        outcome = error
    assert fingerprint(*inputs) == before
    if halt is KeyboardInterrupt and count >= call:
        assert type(outcome) is KeyboardInterrupt


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_gradients_are_compared_where_the_user_has_switched_them_off(mode):
    with mode():
        x = normal(4, 4)
        comparison = secant.compare(torch.sin, torch.sin, x)
        assert not torch.is_grad_enabled()
    assert [row.what for row in comparison.rows] == ["out", "∂out / ∂input0"]


def test_a_function_that_writes_into_its_inputs_sees_copies_and_is_noted():
    def writing(x):
        y = x.clone().sin()
        with torch.no_grad():
            x.zero_()
        return y

    x = normal(4, 4)
    before = fingerprint(x)
    comparison = secant.compare(writing, torch.sin, x)
    assert fingerprint(x) == before
    assert comparison
    assert comparison.notes == ("the kernel writes into its input x",)
    assert secant.compare(torch.sin, writing, x)
    assert fingerprint(x) == before


def test_leaves_that_are_marked_are_the_ones_differentiated():
    x, y = normal(3, 3), normal(3, 3, seed=1).requires_grad_()
    rows = secant.compare(torch.mul, lambda x, y: x * y, x, y, dtype="bfloat16").rows
    assert [row.what for row in rows] == ["out", "∂out / ∂input1"]


def test_nested_inputs_and_keywords_keep_their_paths():
    def affine(parts, *, shift):
        return parts["w"][0] * parts["x"] + shift

    inputs = {"w": [normal(3, seed=1), 7], "x": normal(4, 3)}
    rows = secant.compare(
        affine, affine, inputs, kwargs={"shift": normal(3, seed=2)}, dtype="float16"
    ).rows
    assert [row.what for row in rows] == [
        "out",
        '∂out / ∂parts["w"][0]',
        '∂out / ∂parts["x"]',
        "∂out / ∂shift",
    ]


def test_the_same_seed_gives_the_same_rows():
    x = normal(20, 20).bfloat16()
    rows = [secant.compare(torch.tanh, torch.tanh, x, seed=5).rows for _ in range(2)]
    assert rows[0] == rows[1]
    assert secant.compare(torch.tanh, torch.tanh, x, seed=6).rows != rows[0]

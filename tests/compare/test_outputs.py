"""What the two functions return: other structures, shapes, dtypes, whole numbers, NaN, inf."""

from __future__ import annotations

import math

import pytest
import torch

import secant
from compare.kernels import normal
from secant import Verdict

X = normal(6, 8).bfloat16()


def row_of(comparison, what):
    return next(row for row in comparison.rows if row.what == what)


# -- structure -------------------------------------------------------------------------------------


def test_another_number_of_outputs_fails():
    comparison = secant.compare(lambda x: (x, x * 2), lambda x: x * 2, X)
    assert comparison.verdict is Verdict.FAIL
    assert comparison.worst.message == "the kernel returns (*, *), the reference *"


def test_another_shape_fails_and_the_other_outputs_are_compared():
    comparison = secant.compare(
        lambda x: {"a": x[:3], "b": x * 2}, lambda x: {"a": x, "b": x * 3}, X
    )
    assert row_of(comparison, 'out["a"]').message == (
        "the kernel's shape is [3, 8], the reference's [6, 8]"
    )
    assert row_of(comparison, 'out["b"]').verdict is Verdict.FAIL
    assert row_of(comparison, '∂out["b"] / ∂x').cause == (
        "kernel = 0.67 × truth: a constant factor is wrong"
    )


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (lambda x: x + 0j, "the kernel returns complex numbers, the reference real numbers"),
        (lambda x: x.argmax(-1), "the kernel returns whole numbers, the reference real numbers"),
        (lambda x: (x, 3.0), "the kernel returns (*, *), the reference *"),
    ],
)
def test_another_kind_of_output_fails(kernel, message):
    comparison = secant.compare(kernel, lambda x: x.float(), X, gradients=False)
    assert comparison.verdict is Verdict.FAIL
    assert comparison.worst.message == message


def test_a_list_for_a_tuple_is_noted_and_compared():
    comparison = secant.compare(lambda x: [x * 2, x], lambda x: (x * 2, x), X)
    assert comparison
    assert comparison.notes == (
        "the kernel returns [*, *], the reference (*, *): outputs are compared in this order",
    )


def test_a_wider_output_than_the_references_is_noted_and_compared():
    comparison = secant.compare(lambda x: x.float().exp(), torch.exp, X)
    assert comparison
    assert comparison.notes == (
        "out is float32; the reference, given the same inputs, returns bfloat16",
    )


def test_a_narrower_output_than_the_references_is_judged_by_its_own_rounding():
    comparison = secant.compare(torch.exp, lambda x: x.exp().to(x.dtype).double(), X)
    assert comparison, str(comparison)
    assert row_of(comparison, "out").dtype == "bfloat16"
    assert not comparison.notes


def test_gradients_of_each_output_are_rows_of_their_own():
    def pair(x, y):
        return 1000 * x * y, x + y

    def wrong(x, y):
        return 1000 * x * y, x + y.detach()

    y = normal(6, 8, seed=1).bfloat16()
    comparison = secant.compare(wrong, pair, X, y)
    failed = [row.what for row in comparison.rows if row.verdict is Verdict.FAIL]
    assert failed == ["∂out[1] / ∂y"]
    assert comparison.worst.cause.startswith("kernel = 0 everywhere")


def test_an_empty_output_is_equal():
    assert secant.compare(lambda x: x.exp(), torch.exp, X[:0])


# -- whole numbers ---------------------------------------------------------------------------------


def test_equal_whole_numbers_pass():
    assert secant.compare(lambda x: x.max(-1), lambda x: x.max(-1), X)


def test_other_whole_numbers_cannot_be_told():
    comparison = secant.compare(lambda x: (x, x.argmax(-1)), lambda x: (x, x.argmin(-1)), X)
    row = row_of(comparison, "out[1]")
    assert row.verdict is Verdict.INCONCLUSIVE
    kernel, truth = int(X[0].argmax()), int(X[0].argmin())
    assert row.message == f"6 of 6 entries differ, first [0]: kernel {kernel}, truth {truth}"


def test_whole_numbers_that_rounding_decides_may_be_those_of_the_reference_in_the_same_dtype():
    def buckets(x):
        return (x * 100).floor().long()

    comparison = secant.compare(lambda x: (x, buckets(x)), lambda x: (x, buckets(x)), X)
    assert not torch.equal(buckets(X), buckets(X.double()))
    assert comparison


# -- what is not finite ----------------------------------------------------------------------------


def with_entry(value):
    def kernel(x):
        y = x.sin()
        hit = torch.zeros_like(y, dtype=torch.bool)
        hit[2, 3] = True
        return y.masked_fill(hit, value)

    return kernel


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_kernel_that_is_not_finite_where_the_truth_is_fails_and_names_the_entry(value):
    comparison = secant.compare(with_entry(value), torch.sin, X)
    row = row_of(comparison, "out")
    assert (row.verdict, row.wrong, row.entries[0].where) == (Verdict.FAIL, 1, "[2, 3]")
    assert row.message.startswith(f"the kernel is {value:g} in [2, 3], the truth ")


def test_the_same_infinities_are_equal():
    assert secant.compare(with_entry(-math.inf), with_entry(-math.inf), X)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_truth_that_is_not_finite_cannot_tell(value):
    comparison = secant.compare(torch.sin, with_entry(value), X)
    row = row_of(comparison, "out")
    assert row.verdict is Verdict.INCONCLUSIVE
    assert row.message.startswith("the kernel is ")
    assert row.entries[0].where == "[2, 3]"


def test_an_overflow_that_the_dtype_forces_is_equal():
    x = torch.tensor([1.0, 11.0, 12.0], dtype=torch.float16)
    assert secant.compare(lambda x: x.float().exp().half(), torch.exp, x, gradients=False)


def test_an_overflow_that_the_reference_has_in_the_same_dtype_cannot_tell():
    def log_sum(x):
        return x.exp().sum(-1).log()

    x = 12 * torch.ones(3, 4, dtype=torch.float16)
    comparison = secant.compare(log_sum, log_sum, x, gradients=False)
    assert comparison.verdict is Verdict.INCONCLUSIVE
    assert comparison.worst.message == (
        "the kernel is inf in [0], the truth 13.3828, the reference in the same dtype inf"
    )
    right = secant.compare(lambda x: x.logsumexp(-1), log_sum, x, gradients=False)
    assert right
    assert right.rows[0].is_modelled


def test_a_nan_in_the_gradient_fails_there():
    def kernel(x):
        return (x - x[0, 0]).abs().sqrt()  # infinite slope times zero at [0, 0]

    def reference(x):
        y = (x - x[0, 0]).abs()
        return torch.where(y > 0, y, 1).sqrt() * (y > 0)

    comparison = secant.compare(kernel, reference, X)
    assert row_of(comparison, "∂out / ∂x").verdict is Verdict.FAIL
    assert row_of(comparison, "∂out / ∂x").entries[0].where == "[0, 0]"

"""Kernels that are right pass, kernels with a planted mistake fail in the row where it lies."""

from __future__ import annotations

import pytest
import torch

import secant
from compare.kernels import RIGHT, WRONG, Pair, cases, gelu, normal, spelt
from secant import Verdict

RIGHT_CASES = pytest.mark.parametrize(("pair", "dtype"), cases(RIGHT), ids=spelt)
WRONG_CASES = pytest.mark.parametrize(("pair", "dtype"), cases(WRONG), ids=spelt)


def compared(pair: Pair, dtype: str, seed: int = 0) -> secant.Comparison:
    return secant.compare(pair.kernel, pair.reference, *pair.draw(seed), dtype=dtype, seed=seed)


def row_of(comparison: secant.Comparison, what: str) -> secant.ComparisonRow:
    return next(row for row in comparison.rows if row.what == what)


@pytest.mark.thinned(keep=24)
@RIGHT_CASES
@pytest.mark.parametrize("seed", range(3))
def test_a_right_kernel_passes(pair, dtype, seed):
    comparison = compared(pair, dtype, seed)
    assert comparison.verdict is Verdict.PASS, str(comparison)
    assert comparison


@WRONG_CASES
@pytest.mark.parametrize("seed", range(3))
def test_a_wrong_kernel_fails_where_the_mistake_is(pair, dtype, seed):
    comparison = compared(pair, dtype, seed)
    assert row_of(comparison, pair.fails).verdict is Verdict.FAIL, str(comparison)
    assert not comparison


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
def test_a_mistake_in_the_backward_leaves_the_output_alone(dtype):
    comparison = compared(WRONG[0], dtype)
    assert row_of(comparison, "out").verdict is Verdict.PASS
    assert comparison.worst.what == "∂out / ∂x"


def test_a_kernel_that_ignores_strides_is_told_so():
    comparison = compared(WRONG[1], "bfloat16")
    assert comparison.worst.cause == (
        "right for a contiguous cotangent, wrong for one with gaps: its strides are ignored"
    )


def test_one_wrong_entry_is_found_among_a_thousand():
    comparison = compared(next(pair for pair in WRONG if pair.name == "one_entry_off"), "bfloat16")
    row = comparison.worst
    assert (row.what, row.wrong, row.entries[0].where) == ("out", 1, "[3, 5]")
    assert row.entries[0].kernel == pytest.approx(1.1 * row.entries[0].truth, rel=1e-2)


def test_wrong_entries_that_lie_together_are_placed():
    pair = next(pair for pair in WRONG if pair.name == "last_column_left_out")
    assert (
        compared(pair, "bfloat16").worst.picture
        == "all at index 39 of dimension 1 (the last column)"
    )


def test_accumulating_in_low_precision_fails_and_in_float32_passes():
    wrong = next(pair for pair in WRONG if pair.name == "sums_in_low_precision")
    right = next(pair for pair in RIGHT if pair.name == "sums_in_float32")
    assert compared(wrong, "bfloat16").worst.norm.ratio > 3
    assert compared(right, "bfloat16").worst.norm.ratio < 1.5


def test_a_higher_limit_lets_a_worse_kernel_pass():
    def coarse(x):
        return (gelu(x.float()) * (1 + 0.01 * torch.sign(normal(*x.shape)))).to(x.dtype)

    x = normal(30, 30, seed=1).bfloat16()
    assert secant.compare(coarse, gelu, x).verdict is Verdict.FAIL
    assert secant.compare(coarse, gelu, x, limit=6)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_inputs_that_have_the_dtype_need_no_setting(dtype):
    pair = RIGHT[0]
    x = pair.draw(0)[0].to(dtype)
    one = secant.compare(pair.kernel, pair.reference, x)
    other = secant.compare(pair.kernel, pair.reference, x.double(), dtype=dtype)
    assert one.rows == other.rows
    assert one.dtype == str(dtype).removeprefix("torch.")

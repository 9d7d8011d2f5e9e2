"""Kernels that compute in float32 out of sight are told right from wrong in every dtype."""

from __future__ import annotations

import pytest
import torch

import secant
from device.imitations import DTYPES, HALF_A_SUM, IMITATIONS, NO_NORM_TERM, NO_TAIL, Imitation

PASS, FAIL, INCONCLUSIVE = secant.Verdict.PASS, secant.Verdict.FAIL, secant.Verdict.INCONCLUSIVE
EVERY = [(kernel, mistake) for kernel in IMITATIONS for mistake in ("", *kernel.mistakes)]
KERNELS = pytest.mark.parametrize(
    ("kernel", "mistake"), EVERY, ids=[f"{one.name}-{wrong or 'right'}" for one, wrong in EVERY]
)
IN_DTYPES = pytest.mark.parametrize(
    "dtype", DTYPES, ids=lambda one: str(one).removeprefix("torch.")
)


def named(name: str) -> Imitation:
    (kernel,) = (one for one in IMITATIONS if one.name == name)
    return kernel


@pytest.mark.thinned(keep=16)
@IN_DTYPES
@KERNELS
def test_a_kernel_of_a_block_s_size_is_told_right_from_wrong(kernel, mistake, dtype):
    inputs = kernel.draw(256, 384, dtype)
    report = secant.check(kernel.function(mistake), *inputs, explain=False)
    assert report.verdict is (FAIL if mistake else PASS), str(report)


@IN_DTYPES
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", ["softmax", "rmsnorm", "layernorm", "swiglu"])
def test_a_right_kernel_is_right_for_other_seeds_and_shapes(name, seed, dtype):
    kernel = named(name)
    inputs = kernel.draw(37 + 64 * seed, 129, dtype, seed)
    report = secant.check(kernel.function(), *inputs, seed=seed, explain=False)
    assert report.verdict is PASS, str(report)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("mistake", ["", HALF_A_SUM])
def test_a_kernel_that_takes_one_dtype_only_is_never_told_the_wrong_way_round(mistake, dtype):
    kernel = named("softmax")
    inner = kernel.function(mistake)

    def softmax(x: torch.Tensor) -> torch.Tensor:
        if x.dtype is not dtype:
            raise TypeError(f"expected {dtype}")
        return inner(x)

    report = secant.check(softmax, *kernel.draw(256, 384, dtype), explain=False)
    assert report.verdict in ((FAIL,) if mistake else (PASS, INCONCLUSIVE)), str(report)


def test_bfloat16_is_judged_in_float32_where_the_kernel_computes():
    kernel = named("rmsnorm")
    report = secant.check(kernel.function(NO_NORM_TERM), *kernel.draw(64, 96, torch.bfloat16))
    assert report.verdict is FAIL
    assert "judged in float32, where the bfloat16 claim is the same" in str(report)


@IN_DTYPES
@pytest.mark.parametrize(
    ("name", "mistake", "form"),
    [
        ("softmax", HALF_A_SUM, "softmax"),
        ("rmsnorm", "row sum without the weight", "norm"),
        ("layernorm", "mean of the gradient not subtracted", "constant"),
        ("layernorm", "variance term missing", "variance"),
    ],
)
def test_a_term_that_is_missing_inside_rows_is_named_in_every_dtype(name, mistake, form, dtype):
    kernel = named(name)
    assert mistake in kernel.mistakes
    report = secant.check(kernel.function(mistake), *kernel.draw(64, 300, dtype))
    (reason,) = (one for one in report.worst.reasons if one.code == "TERM_INSIDE_ROWS")
    assert (reason.fields["form"], reason.fields["axes"]) == (form, (1,)), str(report)


@IN_DTYPES
def test_the_columns_that_a_block_leaves_out_are_named(dtype):
    kernel = named("softmax")
    report = secant.check(kernel.function(NO_TAIL), *kernel.draw(64, 300, dtype))
    assert report.verdict is FAIL
    assert "index ≥ 284 of dimension 1" in str(report)
    assert "the tail of a block" in str(report)


@pytest.mark.parametrize("mistake", [NO_TAIL, "term of the product rule missing"])
@IN_DTYPES
def test_entries_that_are_wrong_altogether_are_not_called_off_by_little(mistake, dtype):
    kernel = named("swiglu")
    for seed in range(3):
        report = secant.check(kernel.function(mistake), *kernel.draw(37, 129, dtype), seed=seed)
        assert "OFF_BY_LITTLE" not in report.worst.codes, str(report)


def test_a_region_is_none_because_what_was_searched_for_in_it_is_wrong():
    """One entry a row is wrong, found one by one; all others are too small to be told."""
    kernel = named("cross_entropy")
    for seed in range(3):
        inputs = kernel.draw(64, 300, torch.float32, seed)
        report = secant.check(kernel.function("one-hot not subtracted"), *inputs, seed=seed)
        assert report.verdict is FAIL
        assert "off the diagonal" not in str(report)
        assert report.worst.place is None, str(report)


def test_explaining_a_failure_of_many_entries_has_an_end():
    kernel = named("cross_entropy")
    report = secant.check(
        kernel.function(kernel.mistakes[1]), *kernel.draw(256, 384, torch.float32)
    )
    assert report.verdict is FAIL
    assert "raised" not in str(report)
    assert report.cost.evaluations <= 1600, report.cost

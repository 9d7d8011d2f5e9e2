"""Functions that cast to lower precision inside: neither blamed for it, nor excused by it."""

from __future__ import annotations

import pytest
import torch

import secant
from secant import Verdict
from secant._backends.torch.versions.watch import watched

DTYPES = [torch.float32, torch.float16, torch.bfloat16]
WEIGHTS = torch.linspace(-1, 1, 25, dtype=torch.float64).reshape(5, 5).sin()


def cast(dtype):
    return lambda x: x.to(dtype).sin().to(x.dtype)


def beside_what_is_not_cast(dtype):
    return lambda x: x.to(dtype).sin().to(x.dtype) + x * x


def residual_block(dtype):
    def block(x):
        weights = WEIGHTS.to(x.dtype)
        return x + (x.to(dtype) @ weights.to(dtype)).tanh().to(x.dtype) @ weights

    return block


def points(kind, dtype=torch.float64):
    generator = torch.Generator().manual_seed(7)
    point = torch.randn(4, 5, dtype=dtype, generator=generator)
    return {"anywhere": point, "halves": (2 * point).round() / 2, "zeros": point.relu()}[kind]


@pytest.mark.thinned(keep=18)
@pytest.mark.parametrize("probe", ["auto", "full"])
@pytest.mark.parametrize("kind", ["anywhere", "halves", "zeros"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("make", [cast, beside_what_is_not_cast, residual_block])
def test_casts_inside_are_not_called_wrong(make, dtype, kind, probe):
    report = secant.check(make(dtype), points(kind), probe=probe)
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("dtype", DTYPES[1:], ids=str)
def test_the_promise_is_no_sharper_than_the_cast(dtype, mode):
    report = secant.check(beside_what_is_not_cast(dtype), points("anywhere"), modes=mode)
    assert report.verdict is Verdict.PASS, str(report)
    assert report.resolution > torch.finfo(dtype).eps
    assert f"without its casts to {str(dtype).removeprefix('torch.')} inside" in str(report)


class SineInHalf(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.half().sin().to(x.dtype)

    @staticmethod
    def backward(ctx, cotangent):
        (x,) = ctx.saved_tensors
        return 1.05 * cotangent * x.cos()


@pytest.mark.parametrize("probe", ["auto", "full"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_a_wrong_factor_is_measured_without_the_cast_and_named(dtype, probe):
    report = secant.check(SineInHalf.apply, points("anywhere", dtype), probe=probe)
    assert report.verdict is Verdict.FAIL
    worst = report.worst
    assert "1.05 × measured" in worst.cause, str(report)
    assert "judged without its casts to float16 inside" in worst.note


def test_a_backward_that_rounds_is_wrong_where_the_function_does_not():
    class Rounded(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx, cotangent):
            (x,) = ctx.saved_tensors
            return (cotangent.half() * x.half().cos()).to(x.dtype)

    report = secant.check(Rounded.apply, points("anywhere"))
    assert report.verdict is Verdict.FAIL
    assert "float16" in report.worst.cause


def test_a_function_that_is_another_one_without_its_cast_decides_with_it():
    def parity(x):  # of the last digit that half precision keeps
        rounded = x.half().to(x.dtype)
        return x.sin() + 1e3 * (x - rounded)

    report = secant.check(parity, points("anywhere"))
    assert report.verdict is not Verdict.PASS
    assert " casts " not in str(report)


def test_a_function_that_insists_on_its_dtype_is_judged_with_its_casts():
    def insisting(x):
        low = x.half()
        assert low.dtype is torch.float16
        return low.sin().to(x.dtype) + x * x

    report = secant.check(insisting, points("anywhere"))
    assert report.verdict is not Verdict.FAIL
    assert " casts " not in str(report)


def test_a_function_that_casts_nothing_is_watched_once_and_never_changed():
    calls = []

    def counted(x):
        calls.append(watched())
        assert torch.utils._python_dispatch._get_current_dispatch_mode() is None
        return x.sin()

    assert secant.check(counted, points("anywhere"))
    assert [one is None for one in calls] == [False] + [True] * (len(calls) - 1)
    assert watched() is None


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("own", [torch.float64, torch.float32], ids=str)
def test_second_derivatives_through_casts_are_not_called_wrong(own, dtype):
    report = secant.check(beside_what_is_not_cast(dtype), points("halves", own), order=2)
    assert report.verdict is Verdict.PASS, str(report)


def test_what_half_precision_loses_of_a_few_cotangents_breaks_no_law():
    # One column's cotangents are among float16's last, denormal numbers, and lose digits there.
    scale = torch.tensor([1.0, 1.0, 0.5, 1e-2, 0.3], dtype=torch.float64)
    report = secant.check(
        lambda x: 1e-3 * (scale * x.half().tanh().to(x.dtype) + x.sin()), points("anywhere")
    )
    assert report.verdict is Verdict.PASS, str(report)


def test_gradients_that_underflow_in_half_precision_are_wrong():
    report = secant.check(
        lambda x: 1e-6 * (x.half().tanh().to(x.dtype) + x.sin()), points("anywhere")
    )
    assert report.verdict is Verdict.FAIL, str(report)


def test_a_backward_that_is_not_linear_is_wrong_whatever_is_cast():
    class Bent(SineInHalf):
        @staticmethod
        def backward(ctx, cotangent):
            (x,) = ctx.saved_tensors
            return cotangent.abs() * x.cos()

    report = secant.check(Bent.apply, points("anywhere"))
    assert report.verdict is Verdict.FAIL
    assert any(one.kind == "linearity" and one.verdict is Verdict.FAIL for one in report.findings)


@pytest.mark.parametrize("modes", ["reverse", "all"])
def test_calls_without_casts_are_counted_once(modes):
    calls = []

    def counted(x):
        calls.append(x)
        return x.half().sin().to(x.dtype) + x * x

    report = secant.check(counted, points("anywhere"), modes=modes)
    assert report.verdict is Verdict.PASS, str(report)
    assert report.cost.evaluations == len(calls)

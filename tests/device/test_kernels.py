"""Triton kernels in bfloat16, right and with planted bugs, are told apart by `check`, `compare`."""

from __future__ import annotations

import pytest
import torch

import secant
from device.kernels import ACCEPTED, KERNELS, Kernel, unavailable
from device.transfers import TO_HOST, WIDEST_SCALAR, memory_copies, widest
from secant import Verdict

needs_kernels = pytest.mark.skipif(bool(unavailable()), reason=unavailable())
EACH = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
WRONG = pytest.mark.parametrize(
    ("kernel", "mistake"),
    [(kernel, mistake) for kernel in KERNELS for mistake in kernel.mistakes],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
DTYPE = pytest.mark.parametrize("dtype", ACCEPTED, ids=str)


def bfloat16(kernel: Kernel) -> tuple[torch.Tensor, ...]:
    return kernel.draw("cuda", torch.bfloat16)


@needs_kernels
@EACH
@DTYPE
def test_check_passes_a_right_kernel(kernel, dtype):
    report = secant.check(kernel.function(), *kernel.draw("cuda", dtype))
    assert report.verdict is Verdict.PASS, str(report)


@needs_kernels
@EACH
@pytest.mark.parametrize("seed", range(5))
def test_check_never_blames_a_right_kernel(kernel, seed):
    for dtype in ACCEPTED:
        inputs = kernel.draw("cuda", dtype, seed)
        report = secant.check(kernel.function(), *inputs, seed=seed)
        assert report.verdict is not Verdict.FAIL, str(report)


@needs_kernels
@WRONG
@DTYPE
def test_check_fails_a_wrong_kernel(kernel, mistake, dtype):
    report = secant.check(kernel.function(mistake), *kernel.draw("cuda", dtype))
    assert report.verdict is Verdict.FAIL, str(report)


@needs_kernels
@EACH
def test_compare_passes_a_right_kernel(kernel):
    report = secant.compare(kernel.function(), kernel.reference, *bfloat16(kernel))
    assert report.verdict is Verdict.PASS, str(report)


@needs_kernels
@WRONG
def test_compare_fails_a_wrong_kernel(kernel, mistake):
    report = secant.compare(kernel.function(mistake), kernel.reference, *bfloat16(kernel))
    assert report.verdict is Verdict.FAIL, str(report)


@needs_kernels
@EACH
def test_checking_a_right_kernel_brings_no_array_to_main_memory(kernel, tmp_path):
    function, inputs = kernel.function(), bfloat16(kernel)
    assert secant.check(function, *inputs)
    copies = memory_copies(lambda: secant.check(function, *inputs), tmp_path)
    assert 0 < widest(copies, TO_HOST) <= WIDEST_SCALAR


@needs_kernels
@EACH
def test_a_kernel_refuses_float64(kernel):
    """So that nothing but the kernel itself can be measured."""
    with pytest.raises(TypeError, match="float64"):
        kernel.function()(*kernel.draw("cuda", torch.float64))


@needs_kernels
@EACH
def test_a_mistake_is_in_the_backward_only(kernel):
    inputs = bfloat16(kernel)
    right = kernel.function()(*inputs)
    assert all(torch.equal(kernel.function(one)(*inputs), right) for one in kernel.mistakes)


@EACH
def test_the_reference_of_a_kernel_is_right(kernel):
    """In float64 and anywhere: what the kernels are compared with."""
    inputs = kernel.draw("cpu", torch.float64)
    assert secant.check(kernel.reference, *inputs)


@EACH
def test_a_kernel_can_be_named_without_triton(kernel):
    with pytest.raises(ValueError, match=kernel.mistakes[0]):
        kernel.function("no such mistake")

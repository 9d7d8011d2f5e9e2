"""Kernels of JAX, one of them of Pallas: right ones pass, classic mistakes do not."""

import pytest

pytest.importorskip("jax")

import secant
from device.jax_kernels import kernels
from secant import Verdict

DTYPES = ("float32", "bfloat16")
RIGHT = [(kernel, "", dtype) for kernel in kernels() for dtype in DTYPES]
WRONG = [
    (kernel, mistake, dtype)
    for kernel in kernels()
    for mistake, dtype in zip(kernel.mistakes, DTYPES, strict=True)
]


@pytest.mark.thinned(keep=6)
@pytest.mark.parametrize(
    ("kernel", "mistake", "dtype"),
    RIGHT + WRONG,
    ids=lambda one: getattr(one, "name", one) or "right",
)
def test_a_kernel_of_jax_is_told_from_its_wrong_twins(kernel, mistake, dtype):
    report = secant.check(kernel.make(mistake), *kernel.draw(8, 24, dtype), explain=False)
    assert report.verdict is (Verdict.FAIL if mistake else Verdict.PASS), str(report)

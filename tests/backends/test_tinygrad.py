"""tinygrad is checked like any other framework; here in its interpreter, without a compiler."""

from __future__ import annotations

import numpy as np
import pytest

import secant

tinygrad = pytest.importorskip("tinygrad")

from tinygrad import Tensor, dtypes  # noqa: E402
from tinygrad.function import function  # noqa: E402

from secant._backends.tinygrad import TinygradBackend  # noqa: E402 after its framework
from secant.extend import conformance  # noqa: E402

X = np.linspace(0.3, 1.7, 4)


@pytest.mark.parametrize("case", conformance(TinygradBackend(), dtypes=["float64"]), ids=str)
def test_tinygrad_conforms(case):
    case()


def sine(factor):
    """Return a sine with a gradient written by hand, so many times the right one."""
    return function(lambda x: x.sin(), grad_fxn=lambda v, call: (v * call.src[1].cos() * factor,))


def test_a_rule_written_by_hand_is_judged():
    x = Tensor(X)
    assert secant.check(sine(1.0), x)
    report = secant.check(sine(1.05), x)
    assert report.verdict is secant.Verdict.FAIL, str(report)
    assert report.worst.cause.endswith("a constant factor is wrong")


def test_forward_mode_and_second_order_are_pulls_of_pulls():
    assert secant.check(lambda x: x * x * x, Tensor(X), modes="all", order=2)


def test_single_precision_is_judged_by_its_own_roundoff():
    x = Tensor(X.astype(np.float32))
    assert secant.check(lambda x: x.sin(), x)
    assert secant.check(sine(1.05), x).verdict is secant.Verdict.FAIL


def test_functions_that_draw_are_given_the_same_numbers_and_leave_the_generator():
    Tensor.manual_seed(3)
    expected = [Tensor.rand(2).tolist(), Tensor.rand(2).tolist()]
    Tensor.manual_seed(3)
    drawn = Tensor.rand(2).tolist()
    assert secant.check(lambda x: x * x * Tensor.rand(4, dtype=dtypes.float64), Tensor(X))
    assert [drawn, Tensor.rand(2).tolist()] == expected


def test_what_numpy_has_not_is_refused_in_a_sentence():
    with pytest.raises(secant.InputError, match="which NumPy has not: cast it to float32"):
        secant.check(lambda x: x * x, Tensor(X).cast(dtypes.bfloat16))


def test_a_tensor_that_is_read_behind_the_arguments_is_refused():
    own = Tensor(X).realize()
    with pytest.raises(secant.InputError, match="to read x from its arguments"):
        secant.check(lambda x: own * own, own)


def test_kernels_are_compared_across_frameworks():
    comparison = secant.compare(
        Tensor.sin,
        np.sin,
        Tensor(X),
        reference_framework="numpy",
        dtype="float32",
        reference_pull=lambda x, v: v * np.cos(x),
    )
    assert comparison, str(comparison)


def test_what_is_cut_off_claims_zero():
    report = secant.check(lambda x: x * x.detach() + x.detach(), Tensor(X))
    assert report.verdict is secant.Verdict.FAIL
    assert secant.check(lambda x: x.detach() * 2, Tensor(X)).worst.claimed == 0

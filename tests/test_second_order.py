"""Second order and beyond: the gradient of a problem is a problem."""

from __future__ import annotations

import pytest
import torch

import secant
from planted import points

FAIL = secant.Verdict.FAIL
PROBES = pytest.mark.parametrize("probe", ["fast", "full"])


class Cube(torch.autograd.Function):
    """x³, whose backward is written in operations that autograd can differentiate again."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * v


class Detached(torch.autograd.Function):
    """x³ with a right gradient that is cut from x: the second derivative is lost."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        return 3 * x.detach() ** 2 * v


class Slope(torch.autograd.Function):
    """The gradient of x³ as a function of its own, with a wrong derivative."""

    @staticmethod
    def forward(ctx, x, v):
        ctx.save_for_backward(x, v)
        return 3 * x**2 * v

    @staticmethod
    def backward(ctx, w):
        x, v = ctx.saved_tensors
        return 6.6 * x * v * w, 3 * x**2 * w


class SecondWrong(torch.autograd.Function):
    """x³ with a right gradient and a wrong second derivative."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        return Slope.apply(x, v)


class Once(torch.autograd.Function):
    """x³ that refuses to be differentiated twice."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * v


@PROBES
@pytest.mark.parametrize(
    "function",
    [
        torch.sin,
        lambda x: x.exp().sum(),
        lambda x: (x.sin(), (x * x).sum()),
        lambda x: x.prod(),
        torch.linalg.norm,
        Cube.apply,
    ],
    ids=["sin", "exp", "two outputs", "product", "norm", "own"],
)
def test_right_second_derivatives_pass(function, probe):
    report = secant.check(function, points(4), order=2, probe=probe)
    assert report, str(report)


@PROBES
def test_a_wrong_second_derivative_fails_though_the_first_is_right(probe):
    x = points(4)
    assert secant.check(SecondWrong.apply, x, probe=probe)
    report = secant.check(SecondWrong.apply, x, order=2, probe=probe)
    assert report.verdict is FAIL
    failed = [one for one in report.findings if one.verdict is FAIL and one.kind == "derivative"]
    assert [one.where for one in failed] == ["∂out[0] / ∂x"]


@PROBES
def test_a_second_derivative_that_is_cut_off_fails(probe):
    x = points(4)
    assert secant.check(Detached.apply, x, probe=probe)
    report = secant.check(Detached.apply, x, order=2, probe=probe)
    assert report.verdict is FAIL


def test_a_wrong_first_derivative_fails_at_first_order_even_if_consistent():
    """The gradient 4x² is differentiated rightly; what is wrong is that it is not the gradient."""

    class Consistent(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, v):
            (x,) = ctx.saved_tensors
            return 4 * x**2 * v

    report = secant.check(Consistent.apply, points(4), order=2, probe="fast")
    assert report.verdict is FAIL
    named = [one for one in report.findings if one.verdict is FAIL]
    assert len(named) == 1


@PROBES
def test_a_function_that_can_be_differentiated_only_once_loses_its_second_derivative(probe):
    report = secant.check(Once.apply, points(4), order=2, probe=probe)
    assert report.verdict is FAIL
    assert {one.kind for one in report.findings if one.verdict is FAIL} == {"liveness"}


@PROBES
def test_forward_over_reverse_is_checked_with_all_modes(probe):
    report = secant.check(
        lambda x: (x.sin() * x).sum(), points(4), order=2, modes="all", probe=probe
    )
    assert report, str(report)
    assert {one.subject for one in report.findings if one.kind == "derivative"} == {
        "reverse-mode gradient",
        "forward-mode derivative",
        "second-order reverse-mode gradient",
        "second-order forward-mode derivative",
    }
    assert report.cost.pushes > 0


class HalfForward(torch.autograd.Function):
    """A backward that is differentiable in reverse mode rightly and in forward mode wrongly."""

    @staticmethod
    def forward(x, v):
        return 3 * x**2 * v

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, w):
        x, v = ctx.saved_tensors
        return 6 * x * v * w, 3 * x**2 * w

    @staticmethod
    def jvp(ctx, dx, dv):
        x, v = ctx.saved_tensors
        return 9 * x * v * dx + 3 * x**2 * dv


class CubeForward(torch.autograd.Function):
    """x³ with derivatives in both modes, its backward made of `HalfForward`."""

    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        return HalfForward.apply(x, v)

    @staticmethod
    def jvp(ctx, u):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * u


@PROBES
def test_a_wrong_forward_over_reverse_fails_and_reverse_over_reverse_does_not(probe):
    x = points(4)
    assert secant.check(CubeForward.apply, x, order=2, probe=probe)
    report = secant.check(CubeForward.apply, x, order=2, modes="all", probe=probe)
    assert report.verdict is FAIL
    failed = {
        one.subject for one in report.findings if one.verdict is FAIL and one.kind != "adjointness"
    }
    assert failed == {"second-order forward-mode derivative"}


@PROBES
def test_third_order_of_the_fourth_power_passes(probe):
    report = secant.check(lambda x: x**4, points(3), order=3, probe=probe)
    assert report, str(report)


def test_every_order_adds_its_own_findings():
    counts = [
        len(secant.check(lambda x: x**4, points(3), order=order, probe="fast").findings)
        for order in (1, 2, 3)
    ]
    assert counts[0] < counts[1] < counts[2]


def test_a_wrong_third_derivative_is_seen_at_third_order_only():
    class Third(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, v):
            ctx.save_for_backward(x, v)
            return 12 * x**2 * v

        @staticmethod
        def backward(ctx, w):
            x, v = ctx.saved_tensors
            return 30 * x * v * w, 12 * x**2 * w

    class Second(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, v):
            ctx.save_for_backward(x, v)
            return 4 * x**3 * v

        @staticmethod
        def backward(ctx, w):
            x, v = ctx.saved_tensors
            return Third.apply(x, v * w), 4 * x**3 * w

    class Fourth(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**4

        @staticmethod
        def backward(ctx, v):
            return Second.apply(ctx.saved_tensors[0], v)

    x = points(3)
    assert secant.check(Fourth.apply, x, order=1, probe="fast")
    assert secant.check(Fourth.apply, x, order=2, probe="fast")
    assert secant.check(Fourth.apply, x, order=3, probe="fast").verdict is FAIL


def test_a_failure_at_second_order_is_not_titled_as_one_at_first():
    text = str(secant.check(SecondWrong.apply, points(4), order=2, probe="fast"))
    title = text.splitlines()[0]
    assert title != "FAIL  reverse-mode gradient of `SecondWrong`"  # that one is right


@PROBES
def test_linear_functions_have_second_derivative_zero(probe):
    assert secant.check(lambda x: 3 * x, points(4), order=2, probe=probe)
    assert secant.check(lambda x: x.clone(), points(4), order=2, probe=probe)


@PROBES
def test_complex_second_derivatives_pass(probe):
    report = secant.check(
        lambda z: z * z * z, points(2, dtype=torch.complex128), order=2, probe=probe
    )
    assert report, str(report)


@PROBES
def test_several_inputs_have_mixed_second_derivatives(probe):
    report = secant.check(
        lambda x, y: x.sin() * y.exp(), points(3), points(3, seed=1), order=2, probe=probe
    )
    assert report, str(report)


@PROBES
def test_a_function_without_a_claim_has_no_second_order(probe):
    assert secant.check(lambda x: x.detach() * 0, points(3), order=2, probe=probe)


def test_float32_second_derivatives_are_not_blamed():
    report = secant.check(lambda x: x**3, points(4, dtype=torch.float32), order=2)
    assert report.verdict is not FAIL


class Infinite(torch.autograd.Function):
    """The sine, whose gradient is infinite everywhere."""

    @staticmethod
    def forward(ctx, x):
        return x.sin()

    @staticmethod
    def backward(ctx, v):
        return v * torch.inf


class Broken(torch.autograd.Function):
    """The sine, whose backward raises."""

    @staticmethod
    def forward(ctx, x):
        return x.sin()

    @staticmethod
    def backward(ctx, v):
        raise RuntimeError("no saved tensor")


@PROBES
@pytest.mark.parametrize("rule", [Infinite, Broken])
@pytest.mark.parametrize("order", [2, 3])
def test_a_gradient_that_is_wrong_stays_wrong_where_the_next_order_cannot_be_asked(
    rule, order, probe
):
    first = secant.check(rule.apply, points(4), probe=probe)
    report = secant.check(rule.apply, points(4), probe=probe, order=order)
    assert first.verdict is report.verdict is FAIL
    assert str(report).splitlines()[0] == str(first).splitlines()[0]
    assert report.findings[-1].verdict is secant.Verdict.INCONCLUSIVE
    assert report.findings[-1].message.startswith(
        f"a higher order could not be asked about: expected `gradient of {rule.__name__}` to be"
        if rule is Infinite
        else f"a higher order could not be asked about: `gradient of {rule.__name__}` raised"
    )


def test_a_right_gradient_whose_function_raises_at_the_next_order_raises():
    calls = []

    def tires(x):
        calls.append(x)
        if len(calls) > limit:
            raise ValueError("tired")
        return x.sin()

    limit = 10**6
    assert secant.check(tires, points(3))
    limit, calls[:] = len(calls), []
    with pytest.raises(secant.EvaluationError, match="raised ValueError: tired"):
        secant.check(tires, points(3), order=2)


@pytest.mark.parametrize("limit", [{"max_evaluations": 60}, {"max_seconds": 1e-9}], ids=str)
def test_an_order_beyond_the_budget_is_not_begun_and_said(limit):
    report = secant.check(torch.sin, points(3), order=9, **limit)
    assert report.verdict is secant.Verdict.INCONCLUSIVE
    assert "a higher order could not be asked about: order" in str(report)
    assert "is beyond the limits" in str(report)
    assert report.cost.evaluations < 200  # order 9 alone takes tens of thousands


def test_a_budget_that_suffices_changes_nothing():
    assert secant.check(torch.sin, points(3), order=3, max_evaluations=10**6)

"""Forward mode: right and wrong jvps, and frameworks without one."""

from __future__ import annotations

import pytest
import torch

import secant
from planted import planted, points, scaled_sine

PASS, FAIL, INCONCLUSIVE = secant.Verdict.PASS, secant.Verdict.FAIL, secant.Verdict.INCONCLUSIVE
PROBES = pytest.mark.parametrize("probe", ["fast", "full"])


def cosine(saved, v):
    return v * saved[0].cos()


@PROBES
@pytest.mark.parametrize(
    "function",
    [
        torch.sin,
        lambda x: x.view(2, 2) @ x.view(2, 2),
        lambda x: (x.sin(), x.sum()),
        lambda x: {"a": x.prod(), "b": x.detach()},
        lambda x: x,
        planted("Sine", torch.sin, cosine, cosine),
    ],
    ids=["sin", "matrix product", "two outputs", "dict", "identity", "own"],
)
def test_right_tangents_pass(function, probe):
    report = secant.check(function, points(4), modes="forward", probe=probe)
    assert report, str(report)
    assert report.cost.pushes > 0
    assert report.cost.pulls == 0


@PROBES
@pytest.mark.parametrize("factor", [-1.0, 0.0, 0.999, 1.01, 2.0])
def test_wrong_tangents_fail(factor, probe):
    report = secant.check(scaled_sine(factor), points(4), modes="forward", probe=probe)
    assert report.verdict is FAIL
    assert report.worst.subject == "forward-mode derivative"


@PROBES
def test_one_wrong_tangent_is_named(probe):
    def push(saved, u):
        tangent = u * saved[0].cos()
        tangent[3] = tangent[3] + 0.01 * u[1]
        return tangent

    wrong = planted("Wrong", torch.sin, cosine, push)
    report = secant.check(wrong, points(6), modes="forward", probe=probe)
    assert report.verdict is FAIL
    (entry,) = report.worst.entries
    assert (entry.output, entry.input) == ("out[3]", "input0[1]")


@PROBES
def test_a_wrong_jvp_beside_a_right_backward_is_told_apart(probe):
    wrong = planted("Wrong", torch.sin, cosine, lambda saved, u: 2 * u * saved[0].cos())
    x = points(4)
    assert secant.check(wrong, x, probe=probe)
    report = secant.check(wrong, x, modes="all", probe=probe)
    failed = {
        one.subject for one in report.findings if one.verdict is FAIL and one.kind == "derivative"
    }
    assert failed == {"forward-mode derivative"}


@PROBES
def test_a_wrong_backward_beside_a_right_jvp_is_told_apart(probe):
    wrong = planted("Wrong", torch.sin, lambda saved, v: 2 * v * saved[0].cos(), cosine)
    report = secant.check(wrong, points(4), modes="all", probe=probe)
    failed = {
        one.subject for one in report.findings if one.verdict is FAIL and one.kind == "derivative"
    }
    assert failed == {"reverse-mode gradient"}


@PROBES
def test_a_rule_without_a_jvp_cannot_be_judged_and_does_not_crash(probe):
    half = planted("Half", torch.sin, cosine)
    report = secant.check(half, points(4), modes="forward", probe=probe)
    assert report.verdict is INCONCLUSIVE
    assert "the forward-mode pass raised" in str(report)
    assert "the framework has no derivative here" in str(report)


@PROBES
def test_a_rule_without_a_jvp_still_has_its_backward_judged(probe):
    x = points(4)
    right = secant.check(planted("Half", torch.sin, cosine), x, modes="all", probe=probe)
    assert right.verdict is INCONCLUSIVE
    wrong = planted("Half", torch.sin, lambda saved, v: 2 * v * saved[0].cos())
    report = secant.check(wrong, x, modes="all", probe=probe)
    assert report.verdict is FAIL


@PROBES
def test_an_operator_without_forward_mode_cannot_be_judged(probe):
    x = points(2, 3, 5)

    def function(y):
        return torch.nn.functional.ctc_loss(
            y.log_softmax(-1),
            torch.tensor([[1, 2], [1, 3], [2, 1]]),
            torch.tensor([2, 2, 2]),
            torch.tensor([2, 2, 1]),
        )

    report = secant.check(function, x, modes="forward", probe=probe)
    assert report.verdict in (PASS, INCONCLUSIVE)
    if report.verdict is INCONCLUSIVE:
        assert "forward" in str(report)


@PROBES
def test_a_jvp_that_raises_an_exception_of_its_own_fails(probe):
    def push(saved, u):
        raise LookupError("lost")

    report = secant.check(
        planted("Lost", torch.sin, cosine, push), points(4), modes="forward", probe=probe
    )
    assert report.verdict is FAIL
    assert "LookupError: lost" in str(report)


@PROBES
@pytest.mark.parametrize("dtype", [torch.float32, torch.complex128])
def test_other_dtypes_are_pushed(dtype, probe):
    x = points(4, dtype=dtype)
    assert secant.check(torch.exp, x, modes="forward", probe=probe)
    wrong = planted(
        "Wrong", torch.exp, lambda s, v: v * s[0].exp().conj(), lambda s, u: 1.1 * u * s[0].exp()
    )
    assert secant.check(wrong, x, modes="forward", probe=probe).verdict is FAIL


@PROBES
def test_an_output_that_carries_no_tangent_but_moves_fails(probe):
    def push(saved, u):
        return None

    report = secant.check(
        planted("Cut", torch.sin, cosine, push), points(4), modes="forward", probe=probe
    )
    assert report.verdict is FAIL


def test_half_precision_tangents_are_not_blamed():
    for dtype in (torch.float16, torch.bfloat16):
        report = secant.check(torch.sin, points(9, dtype=dtype), modes="forward")
        assert report.verdict is not FAIL

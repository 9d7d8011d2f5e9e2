"""Outputs in any container, of any kind; what does not claim a derivative must not have one."""

from __future__ import annotations

from typing import NamedTuple

import pytest
import torch

import secant
from planted import planted, points, scaled_sine

PROBES = pytest.mark.parametrize("probe", ["fast", "full"])


class Answer(NamedTuple):
    loss: torch.Tensor
    parts: list[torch.Tensor]


def wheres(report, verdict=None):
    """Return where the derivative findings are, those of one verdict only if asked."""
    return [
        one.where
        for one in report.findings
        if one.kind in ("derivative", "liveness") and verdict in (None, one.verdict)
    ]


@PROBES
@pytest.mark.parametrize(
    ("container", "paths"),
    [
        (lambda a, b: (a, b), ["out[0]", "out[1]"]),
        (lambda a, b: [a, [b]], ["out[0]", "out[1][0]"]),
        (lambda a, b: {"b": b, "a": a}, ['out["a"]', 'out["b"]']),
        (lambda a, b: Answer(a, [b]), ["out.loss", "out.parts[0]"]),
        (lambda a, b: (a, None, b), ["out[0]", "out[2]"]),
    ],
    ids=["tuple", "list", "dict", "named tuple", "with None"],
)
def test_outputs_in_any_container_are_judged_one_by_one(container, paths, probe):
    report = secant.check(lambda x: container(x.sin(), x.sum()), points(3), probe=probe)
    assert report
    assert wheres(report) == [f"∂{path} / ∂x" for path in paths]


@PROBES
def test_a_wrong_output_beside_a_right_one_is_named(probe):
    wrong = scaled_sine(1.2)
    report = secant.check(lambda x: {"right": x.sin(), "wrong": wrong(x)}, points(3), probe=probe)
    assert wheres(report, secant.Verdict.FAIL) == ['∂out["wrong"] / ∂x']


@PROBES
def test_a_large_output_does_not_hide_a_small_one(probe):
    wrong = scaled_sine(1.01)
    report = secant.check(lambda x: (1e9 * x.exp(), 1e-9 * wrong(x)), points(3), probe=probe)
    assert wheres(report, secant.Verdict.FAIL) == ["∂out[1] / ∂x"]


@PROBES
def test_integer_and_boolean_outputs_travel_along(probe):
    report = secant.check(
        lambda x: (x.argmax(), x.sin(), x > 0.5, x.shape[0]), points(3), probe=probe
    )
    assert report
    assert wheres(report) == ["∂out[1] / ∂x"]


@PROBES
def test_a_detached_output_beside_a_differentiable_one_is_not_judged(probe):
    report = secant.check(lambda x: (x.sin(), x.detach().cos()), points(3), probe=probe)
    assert report
    assert [one.where for one in report.findings if one.kind == "derivative"] == ["∂out[0] / ∂x"]


@PROBES
def test_what_is_not_judged_is_said(probe):
    report = secant.check(lambda x: (x.sin(), x.detach().cos()), points(3), probe=probe)
    (finding,) = [one for one in report.findings if one.where == "out[1]"]
    assert finding.verdict is secant.Verdict.PASS
    assert finding.note == (
        "out[1] claims no derivative, beside outputs that do, and was not checked"
    )
    assert finding.note in str(report)


@PROBES
@pytest.mark.parametrize(
    "constant",
    [
        lambda x: torch.ones(2, dtype=x.dtype),
        lambda x: x.detach().round() * 2,
        lambda x: torch.zeros_like(x),
        lambda x: x.detach() * 0,
    ],
    ids=["ones", "steps", "zeros", "times zero"],
)
def test_a_function_without_a_differentiable_output_passes_if_it_does_not_move(constant, probe):
    assert secant.check(constant, points(3), probe=probe)


@PROBES
@pytest.mark.parametrize(
    "moving",
    [lambda x: x.detach().sin(), lambda x: (x.detach() ** 2).sum(), lambda x: x.data * 1e-3],
    ids=["detach", "sum", "data"],
)
def test_a_function_without_a_differentiable_output_fails_if_it_moves(moving, probe):
    report = secant.check(moving, points(3), probe=probe)
    assert report.verdict is secant.Verdict.FAIL
    assert wheres(report, secant.Verdict.FAIL) == ["∂out / ∂x"]


@PROBES
def test_integer_outputs_alone_have_nothing_to_measure(probe):
    report = secant.check(lambda x: x.argmax(), points(3), probe=probe)
    assert report.verdict is secant.Verdict.INCONCLUSIVE


@PROBES
@pytest.mark.parametrize(
    "view",
    [
        lambda x: x,
        lambda x: x.t(),
        lambda x: x[1:],
        lambda x: x.view(-1),
        lambda x: (x, x.t()),
        lambda x: x.expand(2, 3, 2),
        lambda x: x.detach().requires_grad_(x.requires_grad) * 0 + x,
    ],
    ids=["itself", "transposed", "slice", "flat", "twice", "expanded", "sum"],
)
def test_functions_that_return_their_input_or_a_view_are_checked(view, probe):
    report = secant.check(view, points(3, 2), probe=probe)
    assert report
    assert report.resolution < 1e-5


@PROBES
def test_an_input_that_is_not_used_has_a_zero_gradient(probe):
    report = secant.check(lambda x, unused: x.sin(), points(3), points(2, seed=1), probe=probe)
    assert report


@PROBES
def test_an_input_that_is_cut_off_fails_by_name(probe):
    report = secant.check(lambda x, y: x.sin() * y.detach(), points(3), points(3, seed=1))
    assert wheres(report, secant.Verdict.FAIL) == ["∂out / ∂y"]
    assert {one.kind for one in report.findings if one.verdict is secant.Verdict.FAIL} == {
        "liveness"
    }


@PROBES
@pytest.mark.parametrize(
    "function",
    [
        lambda z: z * z,
        lambda z: z.abs(),
        lambda z: z.conj() * 2,
        lambda z: z.real,
        lambda z: torch.view_as_real(z),
        lambda z: z.exp().sum(),
        lambda z: torch.fft.fft(z),
        lambda z: (z * z.conj()).imag.sum() + z.angle(),
    ],
    ids=["square", "abs", "conj", "real", "view", "exp", "fft", "angle"],
)
@pytest.mark.parametrize("dtype", [torch.complex128, torch.complex64])
def test_complex_functions_are_checked(function, dtype, probe):
    assert secant.check(function, points(4, dtype=dtype), probe=probe)


@PROBES
def test_real_inputs_with_complex_outputs_are_checked(probe):
    assert secant.check(lambda x: torch.complex(x.sin(), x * x), points(4), probe=probe)


@PROBES
def test_a_missing_conjugate_is_caught(probe):
    wrong = planted("Square", lambda z: z * z, lambda saved, v: 2 * v * saved[0])
    report = secant.check(wrong, points(3, dtype=torch.complex128), probe=probe)
    assert report.verdict is secant.Verdict.FAIL
    assert "conjugate" in report.worst.cause


def test_a_rule_is_named_by_its_class():
    report = secant.check(scaled_sine(2.0), points(3))
    assert report.name == "ScaledSine"
    assert "reverse-mode gradient of `ScaledSine`" in str(report)
    assert "secant.check(ScaledSine.apply, " in str(report)


@PROBES
def test_outputs_of_mixed_dtypes_are_judged_each_by_its_own(probe):
    report = secant.check(lambda x: (x.sin(), x.float().cos()), points(3), probe=probe)
    assert report

"""Kinks and jumps: a valid subgradient passes, with a note; a claim outside is wrong."""

from __future__ import annotations

import pytest
import torch

import secant
from asked import ask
from planted import FLOAT, planted, points
from secant._verdict.kinks import Shape, corner_at

PASS, FAIL, INCONCLUSIVE = secant.Verdict.PASS, secant.Verdict.FAIL, secant.Verdict.INCONCLUSIVE
PROBES = pytest.mark.parametrize("probe", ["fast", "full"])


def corner(function, x, step=2.0**-17):
    asked = ask(function, torch.as_tensor(x, dtype=FLOAT))
    return corner_at(asked.line, asked.question.functional, step)


@pytest.mark.parametrize(
    ("function", "x", "shape"),
    [
        (torch.sin, [0.3, 0.7], Shape.SMOOTH),
        (lambda x: x * x, [0.0, 0.0], Shape.SMOOTH),
        (lambda x: x * x.abs(), [0.0], Shape.SMOOTH),
        (torch.abs, [0.0], Shape.KINK),
        (torch.relu, [0.0, 1.0], Shape.KINK),
        (lambda x: x.abs() + 100 * x * x, [0.0], Shape.KINK),
        (lambda x: x.max(), [0.5, 0.5], Shape.KINK),
        (lambda x: torch.sign(x) * 1.0 + x, [0.0], Shape.JUMP),
        (lambda x: torch.where(x > 0.5, x + 1, x), [0.5], Shape.JUMP),
    ],
    ids=["sin", "x²", "x|x|", "|x|", "relu", "|x| + x²", "max", "sign", "where"],
)
def test_the_shape_of_a_function_at_the_point_is_seen(function, x, shape):
    assert corner(function, x).shape is shape


def test_a_border_of_the_domain_has_no_two_sides():
    assert corner(lambda x: x**1.5, [0.0]).shape is Shape.UNKNOWN


def claiming(function, slope):
    return planted("Claiming", function, lambda saved, v: v * slope)


@PROBES
@pytest.mark.parametrize("slope", [-1.0, -0.3, 0.0, 0.5, 1.0])
def test_every_claim_between_the_slopes_of_abs_passes(slope, probe):
    report = secant.check(claiming(torch.abs, slope), torch.zeros(3, dtype=FLOAT), probe=probe)
    assert report, str(report)


@PROBES
@pytest.mark.parametrize("slope", [-2.0, -1.05, 1.05, 3.0])
def test_every_claim_outside_the_slopes_of_abs_fails(slope, probe):
    report = secant.check(claiming(torch.abs, slope), torch.zeros(3, dtype=FLOAT), probe=probe)
    assert report.verdict is FAIL, str(report)


@PROBES
@pytest.mark.parametrize("slope", [-0.05, 1.05])
def test_every_claim_outside_the_slopes_of_relu_fails(slope, probe):
    report = secant.check(claiming(torch.relu, slope), torch.zeros(3, dtype=FLOAT), probe=probe)
    assert report.verdict is FAIL, str(report)


@PROBES
@pytest.mark.parametrize(
    "function",
    [
        torch.relu,
        torch.abs,
        torch.nn.functional.leaky_relu,
        torch.nn.functional.hardtanh,
        lambda x: torch.clamp(x, 0, 1),
        lambda x: x.max(),
        lambda x: torch.maximum(x, -x),
    ],
    ids=["relu", "abs", "leaky_relu", "hardtanh", "clamp", "max", "maximum"],
)
def test_the_choices_of_the_framework_at_kinks_are_valid(function, probe):
    report = secant.check(function, torch.zeros(4, dtype=FLOAT), probe=probe)
    assert report, str(report)


@PROBES
def test_ties_of_a_sort_are_never_blamed(probe):
    """The identity is one of its generalised Jacobians, though no single entry moves like that."""
    report = secant.check(lambda x: x.sort().values, torch.zeros(4, dtype=FLOAT), probe=probe)
    assert report.verdict is not FAIL, str(report)


@PROBES
def test_a_kink_is_noted(probe):
    report = secant.check(torch.relu, torch.zeros(3, dtype=FLOAT), probe=probe)
    assert "kink" in str(report)


@PROBES
def test_a_wrong_smooth_entry_beside_a_kink_fails(probe):
    def backward(saved, v):
        slope = (saved[0] > 0).to(v.dtype)
        slope[2] = 1.3
        return v * slope

    x = torch.tensor([0.0, -0.5, 0.7, 0.0], dtype=FLOAT)
    report = secant.check(planted("Beside", torch.relu, backward), x, probe=probe)
    assert report.verdict is FAIL
    entries = [(entry.output, entry.input) for entry in report.worst.entries]
    assert entries == [("out[2]", "input0[2]")]


@PROBES
def test_a_jump_is_named_and_blames_nobody(probe):
    def step(x):
        return torch.where(x > 0.5, x + 1, x)

    report = secant.check(step, torch.full((3,), 0.5, dtype=FLOAT), probe=probe)
    assert report.verdict is INCONCLUSIVE
    assert "a jump" in str(report)


@PROBES
@pytest.mark.parametrize("size", [1, 3, 50])
def test_noise_hidden_inside_is_no_kink(size, probe):
    """At a short step one-sided slopes differ by rounding; that excuses no claim 1 % off."""

    def sine(x):
        return x.float().sin().double()

    wrong = planted("Noisy", sine, lambda saved, v: 1.01 * v * saved[0].cos())
    for seed in range(10):
        report = secant.check(wrong, points(size, seed=seed), probe=probe, seed=seed, explain=False)
        assert report.verdict is not PASS, str(report)
        assert "kink" not in str(report), str(report)


def test_a_kink_is_not_an_excuse_elsewhere():
    wrong = claiming(torch.relu, 0.5)
    assert secant.check(wrong, points(5)).verdict is FAIL

"""Curves: the worst entry at many steps, after a failure, or where pictures are wanted."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import secant
from planted import planted, points, scaled_sine, sine_wrong_at


@pytest.mark.parametrize("probe", ["fast", "full"])
def test_the_curve_is_that_of_the_worst_entry(probe):
    x = points(6)
    report = secant.check(sine_wrong_at(3, 0.1), x, probe=probe)
    curve, worst = report.curve, report.worst.entries[0]
    assert (curve.output, curve.input) == ("out[3]", "input0[3]") == (worst.output, worst.input)
    assert (worst.row, worst.column) == (3, 3)
    assert curve.claimed == worst.claimed
    assert curve.measured == worst.measured


def test_a_curve_meets_the_true_slope_within_its_bars_where_truncation_is_small():
    x = points(6)
    curve = secant.check(sine_wrong_at(3, 0.1), x).curve
    truth, third = float(x[3].cos()), float(x[3].cos()) / 6
    assert len(curve.steps) >= 6
    for step, value, error in zip(curve.steps, curve.values, curve.errors, strict=True):
        assert abs(value - truth) <= 2 * error + 1.1 * abs(third) * step**2 + 1e-15


def test_steps_grow_by_powers_of_two_so_that_moves_are_exact():
    curve = secant.check(scaled_sine(1.1), points(4)).curve
    ratios = np.array(curve.steps[1:]) / np.array(curve.steps[:-1])
    assert (ratios == ratios[0]).all()
    assert np.log2(ratios[0]) % 1 == 0


def test_the_smallest_numbers_have_a_curve():
    tripled = planted("Tripled", lambda x: 3 * x, lambda saved, v: 3.15 * v)
    report = secant.check(tripled, 1e-310 * points(4))
    assert report.verdict is secant.Verdict.FAIL
    assert report.curve.measured.value == pytest.approx(3.0)


def test_steps_that_leave_the_domain_are_left_out():
    def wrong(saved, v):
        return v / saved[0].sqrt()

    curve = secant.check(planted("Root", torch.sqrt, wrong), torch.full((2,), 1e-3).double()).curve
    assert max(curve.steps) <= 1e-3
    assert np.isfinite(curve.values).all()


def test_forward_mode_has_its_curve_too():
    report = secant.check(scaled_sine(1.1), points(4), modes="forward")
    assert report.curve.claimed / report.curve.measured.value == pytest.approx(1.1)


def test_a_part_of_a_complex_entry_has_its_curve():
    wrong = planted("Square", torch.square, lambda saved, v: 1.1 * v * (2 * saved[0]).conj())
    z = torch.complex(points(3), points(3, seed=1))
    curve = secant.check(wrong, z).curve
    assert curve.input.endswith((".real", ".imag"))
    best = int(np.argmin(curve.errors[:6]))
    assert curve.values[best] == pytest.approx(curve.measured.value, rel=1e-6)


def test_what_a_failure_was_compared_with_is_kept():
    report = secant.check(sine_wrong_at(3, 0.1), points(6))
    jacobian = report.jacobian()
    assert jacobian.claimed.shape == (6, 6)
    wrong = np.argwhere(np.abs(jacobian.claimed - jacobian.measured) > 3 * jacobian.error + 1e-9)
    assert wrong.tolist() == [[3, 3]]


def test_of_several_leaves_only_compared_pairs_are_kept():
    wrong = planted(
        "Product", lambda x, y: (x * y, x + y), lambda saved, v, w: (v * saved[1] + w, 2 * v + w)
    )
    report = secant.check(wrong, points(3), points(3, seed=1))
    assert list(report.jacobians) == [("out[0]", "y")]
    with pytest.raises(secant.InputError, match="expected `output` to be one of"):
        report.jacobian(1, 0)


def test_a_right_function_pays_for_no_picture():
    report = secant.check(torch.sin, points(6))
    assert report.curve is None
    assert not report.jacobians


def test_pictures_of_a_right_function_are_measured_on_request():
    plain = secant.check(torch.sin, points(6))
    report = secant.check(torch.sin, points(6), pictures=True)
    assert report.verdict is secant.Verdict.PASS
    assert report.resolution == plain.resolution
    assert report.jacobian().measured == pytest.approx(np.diag(points(6).cos().numpy()), abs=1e-8)
    assert report.curve.measured.value == pytest.approx(report.curve.claimed, abs=1e-8)


def test_pictures_leave_large_jacobians_alone():
    report = secant.check(torch.sin, points(100), pictures=True)
    assert not report.jacobians
    assert report.curve is None


def test_nothing_is_drawn_where_no_explanation_is_wanted():
    report = secant.check(scaled_sine(1.5), points(4), explain=False)
    assert report.verdict is secant.Verdict.FAIL
    assert report.curve is None


def test_a_budget_ends_the_curve():
    free = secant.check(scaled_sine(1.5), points(4)).cost.evaluations
    bound = secant.check(scaled_sine(1.5), points(4), max_evaluations=free - 14)
    assert bound.verdict is secant.Verdict.FAIL
    assert bound.cost.evaluations <= free - 12


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_low_precision_has_the_curve_of_what_was_judged(dtype):
    report = secant.check(scaled_sine(1.5), points(4, dtype=dtype))
    best = int(np.argmin(np.abs(np.array(report.curve.values) - report.curve.measured.value)))
    assert report.curve.values[best] == pytest.approx(report.curve.measured.value, rel=1e-6)


def test_curve_and_jacobians_survive_json():
    report = secant.check(sine_wrong_at(3, 0.1), points(6))
    again = secant.Report.from_json(report.to_json())
    assert again == report
    assert again.curve == report.curve
    for one, other in zip(again.jacobian(), report.jacobian(), strict=True):
        assert (one == other).all()

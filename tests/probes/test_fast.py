"""The fast probe: three or four evaluations, and no single wrong entry hides from it."""

from __future__ import annotations

import pytest
import torch

import secant
from planted import planted, points, scaled_sine, sine_wrong_at

PASS, FAIL = secant.Verdict.PASS, secant.Verdict.FAIL


@pytest.mark.parametrize("leaves", [1, 2, 3])
def test_a_right_claim_costs_four_evaluations_and_one_pull_however_many_leaves(leaves):
    inputs = [points(9, seed=seed) for seed in range(leaves)]
    report = secant.check(lambda *x: sum(x).sin(), *inputs, probe="fast", laws="none")
    assert report
    assert report.cost.evaluations == 4
    assert report.cost.pulls == 1


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_few_outputs_or_few_digits_cost_one_evaluation_more(dtype):
    size = 3 if dtype is torch.float64 else 9
    report = secant.check(torch.sin, points(size, dtype=dtype), probe="fast", laws="none")
    assert report
    assert report.cost.evaluations == 5


def test_a_leaf_without_entries_costs_nothing():
    empty = secant.check(torch.sin, points(0), probe="fast")
    assert empty
    assert empty.cost.evaluations == 1
    assert empty.resolution == 0


def test_the_default_laws_cost_one_more_pull():
    report = secant.check(torch.sin, points(9), probe="fast")
    assert report.cost.pulls == 2
    assert report.cost.evaluations == 4


def test_forward_mode_costs_one_push_a_leaf():
    report = secant.check(torch.mul, points(9), points(9, seed=1), modes="forward", probe="fast")
    assert report.cost.pushes == 2


@pytest.mark.parametrize("size", [3, 100, 10_000])
@pytest.mark.parametrize("share", [0.0, 0.37, 1.0])
def test_one_entry_one_per_cent_off_is_caught_wherever_it_is(size, share):
    place = round(share * (size - 1))
    x = points(size)
    error = 0.01 * float(x[place].cos())
    report = secant.check(sine_wrong_at(place, error), x)
    assert report.verdict is FAIL
    worst = report.worst.entries[0]
    assert (worst.output, worst.input) == (f"out[{place}]", f"input0[{place}]")
    assert abs(worst.claimed - worst.measured.value - error) < 1e-6


@pytest.mark.parametrize("seed", range(12))
def test_detection_does_not_depend_on_the_seed(seed):
    x = points(50)
    assert secant.check(sine_wrong_at(17, 1e-3), x, seed=seed).verdict is FAIL
    assert secant.check(torch.sin, x, seed=seed).verdict is PASS


def test_errors_that_cancel_in_a_sum_are_caught():
    def backward(saved, v):
        slope = saved[0].cos().clone()
        slope[0] += 0.1
        slope[1] -= 0.1
        return v * slope

    assert secant.check(planted("Cancel", torch.sin, backward), points(6)).verdict is FAIL


def test_every_pair_of_leaves_is_judged_by_itself():
    wrong = scaled_sine(1.1)
    report = secant.check(
        lambda x, y: (x.sin() * y, wrong(x) + y.exp()), points(3), points(3, seed=1), probe="fast"
    )
    verdicts = {one.where: one.verdict for one in report.findings if one.kind == "derivative"}
    assert verdicts == {
        "∂out[0] / ∂x": PASS,
        "∂out[1] / ∂x": FAIL,
        "∂out[0] / ∂y": PASS,
        "∂out[1] / ∂y": PASS,
    }


def test_a_small_leaf_beside_a_large_one_is_not_hidden():
    wrong = scaled_sine(1.001)
    report = secant.check(
        lambda big, small: big.sum() * 1e6 + wrong(small).sum(),
        points(1000),
        points(2, seed=1),
        probe="fast",
    )
    failed = [one.where for one in report.findings if one.verdict is FAIL]
    assert failed == ["∂out / ∂small"]


def test_a_gradient_of_the_wrong_sign_of_everything_is_caught_in_float32():
    assert secant.check(scaled_sine(-1.0), points(50, dtype=torch.float32)).verdict is FAIL
    assert secant.check(scaled_sine(1.01), points(50, dtype=torch.float32)).verdict is FAIL


def test_a_backward_that_raises_fails_and_says_so():
    def backward(saved, v):
        raise LookupError("lost")

    report = secant.check(planted("Lost", torch.sin, backward), points(3), probe="fast")
    assert report.verdict is FAIL
    assert "the backward pass raised LookupError: lost" in str(report)


def test_a_backward_that_the_framework_lacks_cannot_be_judged():
    def backward(saved, v):
        raise NotImplementedError("derivative for aten::strange is not implemented")

    report = secant.check(planted("Strange", torch.sin, backward), points(3), probe="fast")
    assert report.verdict is secant.Verdict.INCONCLUSIVE
    assert "aten::strange" in str(report)

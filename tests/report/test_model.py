"""The report: truthy only on PASS, and able to raise, to promise and to show Jacobians."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import secant
from handmade import broken, doubtful, kept, report, right, wrong
from planted import FLOAT, planted, points, scaled_sine

PASS, FAIL, INCONCLUSIVE = secant.Verdict.PASS, secant.Verdict.FAIL, secant.Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("findings", "verdict"),
    [
        ((), PASS),
        ((right(), kept("layout")), PASS),
        ((right(), doubtful()), INCONCLUSIVE),
        ((doubtful(), broken()), FAIL),
    ],
)
def test_a_report_is_truthy_only_on_pass(findings, verdict):
    one = report(*findings)
    assert one.verdict is verdict
    assert bool(one) is (verdict is PASS)


def test_the_worst_finding_is_the_gravest():
    assert report(right(), doubtful(), wrong()).worst == wrong()
    assert report(right(), doubtful()).worst == doubtful()
    assert report().worst is None


def test_the_worst_finding_of_a_pass_promises_least():
    weak = right("∂out[1] / ∂x1", resolution=1e-3)
    assert report(right(), weak, kept("layout")).worst == weak


def test_the_promise_is_that_of_the_weakest_pair():
    assert report(right(resolution=1e-7), right(resolution=1e-5)).resolution == 1e-5
    assert report(right(), kept("layout")).resolution == 4e-7


def test_a_pair_without_a_promise_leaves_none():
    assert report(right(), right(resolution=None)).resolution is None
    assert report(kept("layout")).resolution is None
    assert report().resolution is None


@pytest.mark.parametrize(
    ("finding", "error"),
    [(wrong(), secant.GradientMismatch), (doubtful(), secant.GradientInconclusive)],
)
def test_raising_carries_the_report_and_its_message(finding, error):
    one = report(finding)
    with pytest.raises(error) as caught:
        one.raise_for_verdict()
    assert type(caught.value) is error
    assert caught.value.report is one
    assert str(one) in str(caught.value)


def test_a_pass_raises_nothing():
    assert report(right()).raise_for_verdict() is None


def test_assert_gradient_raises_only_for_wrong_gradients():
    x = points(3)
    assert secant.assert_gradient(torch.sin, x) is None
    with pytest.raises(
        AssertionError, match="FAIL  reverse-mode gradient of `ScaledSine`"
    ) as caught:
        secant.assert_gradient(scaled_sine(1.1), x)
    assert caught.value.report.verdict is FAIL


def test_check_never_raises_for_a_wrong_gradient():
    assert secant.check(scaled_sine(1.1), points(3)).verdict is FAIL


def test_a_report_states_its_cost_versions_and_name():
    one = secant.check(torch.sin, points(9))
    assert one.name == "sin"
    assert one.cost.evaluations == 4
    assert one.cost.pulls == 2
    assert one.cost.pushes == 0
    assert one.cost.seconds > 0
    assert one.cost.peak_bytes >= 0
    assert [word.split()[0] for word in one.versions] == ["secant", "torch", "numpy"]


def test_a_prompt_and_pytests_assert_show_one_line_with_the_cause():
    wrong = secant.check(np.sin, np.ones(3), pull=lambda x, v: 2 * np.cos(x) * v)
    assert repr(wrong) == (
        "<FAIL given pull of `sin`: claimed = 2 × measured in every probe: a constant factor is "
        "wrong>"
    )
    right = secant.check(np.sin, np.ones(3), pull=lambda x, v: np.cos(x) * v)
    assert repr(right) == "<PASS given pull of `sin`>"


def test_reports_are_frozen():
    one = report(right())
    with pytest.raises(AttributeError):
        one.name = "other"  # type: ignore[misc]


# -- Jacobians -----------------------------------------------------------------------------------


def pair(x, y):
    return {"product": x * y.sum(), "sum": x.sum() + (y * y).sum()}


@pytest.fixture(scope="module")
def full():
    return secant.check(pair, points(3), points(2, seed=1), probe="full")


def test_jacobians_are_found_by_path(full):
    x, y = points(3), points(2, seed=1)
    found = full.jacobian('out["product"]', "x")
    np.testing.assert_allclose(found.claimed, np.diag([float(y.sum())] * 3), atol=1e-14)
    found = full.jacobian('out["sum"]', "y")
    np.testing.assert_allclose(found.claimed, 2 * y.numpy()[None], atol=1e-14)
    assert (np.abs(found.measured - 2 * y.numpy()[None]) <= found.error).all()
    assert x.shape == (3,)


def test_jacobians_are_found_by_place(full):
    for output, path in enumerate(('out["product"]', 'out["sum"]')):
        for place, name in enumerate(("x", "y")):
            by_path, by_place = full.jacobian(path, name), full.jacobian(output, place)
            assert by_place.claimed is by_path.claimed
    assert full.jacobian().claimed is full.jacobian(0, 0).claimed
    assert full.jacobian(-1, -1).claimed is full.jacobian(1, 1).claimed


def test_jacobians_have_claimed_measured_and_error_of_one_shape(full):
    found = full.jacobian(0, 1)
    assert found.claimed.shape == found.measured.shape == found.error.shape == (3, 2)
    assert np.isfinite(found.error).all()


@pytest.mark.parametrize(
    ("output", "place", "message"),
    [
        (
            "out",
            "x",
            "expected `output` to be one of 'out[\"product\"]', 'out[\"sum\"]', "
            "or a place among them; got 'out'",
        ),
        (2, 0, "or a place among them; got 2"),
        (0, "z", "expected `input` to be one of 'x', 'y', or a place among them; got 'z'"),
        (0, 5, "expected `input` to be one of 'x', 'y', or a place among them; got 5"),
    ],
)
def test_an_unknown_jacobian_is_refused_with_the_known_ones(full, output, place, message):
    with pytest.raises(secant.InputError) as caught:
        full.jacobian(output, place)
    assert message in str(caught.value)


def test_a_report_of_the_fast_probe_holds_no_jacobian():
    with pytest.raises(secant.InputError) as caught:
        secant.check(torch.sin, points(9), probe="fast").jacobian()
    assert str(caught.value) == (
        'expected a report of probe="full" whose Jacobians fit into `memory`; this one holds none'
    )


def test_a_wrong_entry_is_wrong_in_the_jacobian_too():
    def backward(saved, v):
        return v * (saved[0].cos() + torch.tensor([0.0, 0.5, 0.0], dtype=FLOAT))

    found = secant.check(planted("Wrong", torch.sin, backward), points(3), probe="full").jacobian()
    off = np.abs(found.claimed - found.measured) > 3 * found.error + 1e-9
    assert off.tolist() == [[False] * 3, [False, True, False], [False] * 3]


def test_forward_mode_fills_jacobians_too():
    found = secant.check(torch.sin, points(3), modes="forward", probe="full").jacobian()
    np.testing.assert_allclose(found.claimed, np.diag(points(3).cos().numpy()), atol=1e-14)

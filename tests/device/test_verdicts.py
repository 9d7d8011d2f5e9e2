"""The main behaviour, the same on every device: right is passed, wrong is caught and named."""

from __future__ import annotations

import math

import pytest
import torch

import secant
from planted import planted, points, scaled_sine, sine_wrong_at
from secant import Verdict
from secant.torch import GradcheckError, gradcheck, gradgradcheck

WIDE = (torch.float64, torch.float32)
NARROW = (torch.float16, torch.bfloat16)
COMPLEX = (torch.complex128, torch.complex64)


def leaf(device: str, *shape: int, dtype: torch.dtype = torch.float64, seed: int = 0):
    return points(*shape, dtype=dtype, seed=seed).to(device)


def failed(report: secant.Report) -> set[str]:
    return {one.kind for one in report.findings if one.verdict is Verdict.FAIL}


@pytest.mark.parametrize("dtype", [*WIDE, *NARROW, *COMPLEX], ids=str)
@pytest.mark.parametrize("probe", ["fast", "full"])
def test_a_right_sine_passes(device, dtype, probe):
    report = secant.check(torch.sin, leaf(device, 20, dtype=dtype), probe=probe)
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.parametrize("dtype", WIDE, ids=str)
@pytest.mark.parametrize("probe", ["fast", "full"])
def test_a_sine_one_percent_off_fails_with_its_factor(device, dtype, probe):
    report = secant.check(scaled_sine(1.01), leaf(device, 20, dtype=dtype), probe=probe)
    assert report.verdict is Verdict.FAIL, str(report)
    assert "1.01 ×" in str(report)


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_a_sine_half_off_fails_in_few_digits(device, dtype):
    report = secant.check(scaled_sine(1.5), leaf(device, 200, dtype=dtype))
    assert report.verdict is Verdict.FAIL, str(report)


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_a_missing_conjugate_fails(device, dtype):
    report = secant.check(scaled_sine(1.0), leaf(device, 12, dtype=dtype))
    assert report.verdict is Verdict.FAIL, str(report)
    assert "conj" in str(report)


def test_of_several_leaves_the_wrong_one_is_named(device):
    def backward(saved, v):
        x, y = saved
        return v * y, 0.9 * v * x

    product = planted("Product", torch.mul, backward)
    inputs = {"x": leaf(device, 4, 3), "y": leaf(device, 4, 3, dtype=torch.float32, seed=1)}
    assert secant.check(lambda at: at["x"] * at["y"], inputs)
    report = secant.check(lambda at: product(at["x"], at["y"]), inputs)
    (wrong,) = [one for one in report.findings if one.verdict is Verdict.FAIL]
    assert wrong.input == 1, str(report)
    assert 'at["y"]' in wrong.where


def test_leaves_on_two_devices_are_checked_together(device):
    x, factor = leaf(device, 7), leaf("cpu", seed=1)
    assert secant.check(lambda x, factor: x.sin() * factor, x, factor)
    scaled = scaled_sine(1.1)
    report = secant.check(lambda x, factor: x.sin() * scaled(factor), x, factor)
    assert report.verdict is Verdict.FAIL, str(report)


def test_the_full_jacobian_is_that_of_the_function(device):
    x = leaf(device, 5, 3)
    report = secant.check(torch.Tensor.exp, x, probe="full")
    assert report, str(report)
    claimed, measured, error = report.jacobian()
    truth = torch.diag(x.exp().flatten()).cpu().numpy()
    assert abs(claimed - truth).max() < 1e-14
    assert (abs(measured - truth) <= error + 1e-12).all()


def test_a_wrong_entry_of_a_full_jacobian_is_named(device):
    report = secant.check(sine_wrong_at(7, 1e-3), leaf(device, 5, 3), probe="full")
    assert report.worst is not None
    (entry,) = report.worst.entries
    assert (entry.output, entry.input.partition("[")[2]) == ("out[2, 1]", "2, 1]")


def test_second_order_is_measured(device):
    def backward(saved, v):  # right, but differentiated as if the cosine were constant
        return v * saved[0].detach().cos()

    x = leaf(device, 6)
    assert secant.check(torch.sin, x, order=2)
    half = planted("Half", torch.sin, backward)
    assert secant.check(half, x)
    assert secant.check(half, x, order=2).verdict is Verdict.FAIL


@pytest.mark.parametrize("dtype", WIDE, ids=str)
def test_forward_mode_is_measured(device, dtype):
    x = leaf(device, 6, dtype=dtype)
    assert secant.check(torch.sin, x, modes="all")
    wrong = planted(
        "WrongPush",
        torch.sin,
        lambda saved, v: v * saved[0].cos(),
        lambda saved, u: 1.1 * u * saved[0].cos(),
    )
    assert secant.check(wrong, x)
    report = secant.check(wrong, x, modes="all")
    assert failed(report) >= {"derivative", "adjointness"}, str(report)


def reads_as_contiguous(saved, v):
    return torch.as_strided(v, v.shape, (v.shape[1], 1)) * saved[0].cos()


def takes_the_size(saved, v):
    return v.abs() * saved[0].cos()


def writes_into_it(saved, v):
    return v.mul_(saved[0].cos())


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16], ids=str)
@pytest.mark.parametrize(
    ("law", "backward"),
    [
        ("layout", reads_as_contiguous),
        ("linearity", takes_the_size),
        ("mutation", writes_into_it),
    ],
)
def test_a_broken_law_is_named(device, dtype, law, backward):
    wrong = planted("Lawless", torch.sin, backward)
    report = secant.check(wrong, leaf(device, 6, 4, dtype=dtype))
    assert law in failed(report), str(report)


def test_one_wrong_entry_of_many_is_named(device):
    place = 27_182
    report = secant.check(sine_wrong_at(place, 1e-2), leaf(device, 100_000))
    assert report.worst is not None
    assert report.verdict is Verdict.FAIL, str(report)
    (entry,) = report.worst.entries
    assert entry.output == f"out[{place}]"
    assert entry.claimed - entry.measured.value == pytest.approx(1e-2, rel=1e-3)


def test_a_kink_excuses_what_lies_between_its_slopes(device):
    x = torch.linspace(-1, 1, 9, dtype=torch.float64, device=device)
    x[4] = 0.0
    report = secant.check(torch.relu, x)
    assert report, str(report)
    assert "kink" in str(report)
    outside = planted("Outside", torch.relu, lambda saved, v: v * (saved[0] >= 0) * 1.5)
    assert secant.check(outside, x).verdict is Verdict.FAIL


def test_a_report_can_be_saved_and_read_back(device):
    report = secant.check(scaled_sine(1.01), leaf(device, 9))
    assert secant.Report.from_json(report.to_json()).findings == report.findings
    assert all(math.isfinite(one.claimed) for one in report.worst.entries)


@pytest.mark.parametrize("fast_mode", [False, True])
def test_the_drop_in_judges_as_it_does_elsewhere(device, fast_mode):
    x = leaf(device, 4, 3).requires_grad_()
    assert gradcheck(torch.sin, x, fast_mode=fast_mode, check_forward_ad=True)
    assert gradgradcheck(torch.sin, x, fast_mode=fast_mode)
    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        gradcheck(scaled_sine(1.1), x, fast_mode=fast_mode)

"""Low precision is judged in float64 where the function runs there, and directly where not."""

from __future__ import annotations

import pytest
import torch

import secant
from planted import planted, points

PASS, FAIL, INCONCLUSIVE = secant.Verdict.PASS, secant.Verdict.FAIL, secant.Verdict.INCONCLUSIVE
LOW = (torch.float32, torch.float16, torch.bfloat16)
DTYPES = pytest.mark.parametrize("dtype", LOW, ids=lambda dtype: str(dtype)[6:])


def sine(factor, *, only=None, wrong_in=None):
    """Return a sine whose gradient has a factor, in all dtypes or one; it may refuse the others."""

    def forward(x):
        if only is not None and x.dtype is not only:
            raise TypeError(f"expected {only}")
        return x.sin()

    def backward(saved, v):
        is_wrong = wrong_in is None or v.dtype is wrong_in
        return (factor if is_wrong else 1.0) * v * saved[0].cos()

    return planted("Sine", forward, backward)


def lifted(report):
    """Say whether a report rests on float64."""
    return any(finding.kind == "precision" for finding in report.findings)


@DTYPES
def test_a_function_that_runs_in_float64_is_judged_there(dtype):
    report = secant.check(torch.sin, points(20, dtype=dtype))
    assert report.verdict is PASS
    assert lifted(report)
    assert "measured in float64" in str(report)


@DTYPES
@pytest.mark.parametrize("seed", range(5))
def test_a_factor_of_a_tenth_is_caught_whatever_the_direction(dtype, seed):
    report = secant.check(sine(1.1), points(20, dtype=dtype), seed=seed)
    assert report.verdict is FAIL
    assert "1.1" in str(report)
    assert "judged in float64" in str(report)


@DTYPES
@pytest.mark.parametrize("seed", range(5))
def test_a_kernel_of_one_dtype_is_measured_directly(dtype, seed):
    x = points(64, dtype=dtype)
    right = secant.check(sine(1.0, only=dtype), x, seed=seed)
    # eight bits hide a tenth of the gradient's size: no PASS is worth that
    assert right.verdict is (INCONCLUSIVE if dtype is torch.bfloat16 else PASS), str(right)
    assert not lifted(right)
    wrong = secant.check(sine(1.1, only=dtype), x, seed=seed).verdict
    assert wrong is FAIL or (dtype is torch.bfloat16 and wrong is INCONCLUSIVE)


@DTYPES
def test_an_error_in_the_low_dtype_alone_is_caught(dtype):
    report = secant.check(sine(1.2, wrong_in=dtype), points(64, dtype=dtype))
    assert report.verdict is FAIL
    assert "from the claim in float64" in str(report)


def test_an_error_in_float64_alone_is_not_held_against_float32():
    report = secant.check(sine(1.2, wrong_in=torch.float64), points(20, dtype=torch.float32))
    assert report.verdict is PASS
    assert not lifted(report)


def test_what_a_function_closes_over_is_widened_too():
    weight = points(5, 3, dtype=torch.float32)
    report = secant.check(lambda x: x @ weight, points(4, 5, dtype=torch.float32))
    assert report.verdict is PASS
    assert lifted(report)
    assert weight.dtype is torch.float32


def test_a_function_that_is_another_one_in_float64_is_not_lifted():
    def by_dtype(x):
        return x.sin() if x.dtype is torch.float32 else x.cos()

    report = secant.check(by_dtype, points(20, dtype=torch.float32))
    assert report.verdict is PASS
    assert not lifted(report)


def test_a_formula_that_is_exact_to_its_own_dtype_passes():
    approximate = sine(1 + 2.0**-24)  # off by one rounding of float32, by 5e8 of float64
    assert secant.check(approximate, points(300, dtype=torch.float32)).verdict is PASS


def test_lift_is_refused_or_demanded():
    x = points(20, dtype=torch.float32)
    assert not lifted(secant.check(torch.sin, x, lift=False))
    assert lifted(secant.check(torch.sin, x, lift=True))
    with pytest.raises(secant.InputError, match="can be lifted to float64; it does not run in"):
        secant.check(sine(1.0, only=torch.float32), x, lift=True)
    assert lifted(secant.check(lambda x: x.sin().float(), x, lift=True))  # without that cast


@pytest.mark.parametrize("modes", ["reverse", "forward", "all"])
def test_second_order_and_both_modes_are_lifted(modes):
    report = secant.check(torch.sin, points(6, dtype=torch.float32), modes=modes, order=2)
    assert report.verdict is PASS
    assert lifted(report)


def test_too_few_digits_are_said_to_be_missing():
    steep = planted(
        "Steep",
        lambda x: (x.float() * 1e3).sin().to(x.dtype) if x.dtype is torch.bfloat16 else 1 / 0,
        lambda saved, v: (v.float() * 1e3 * (saved[0].float() * 1e3).cos()).to(v.dtype),
    )
    report = secant.check(steep, points(30, dtype=torch.bfloat16))
    assert report.verdict is INCONCLUSIVE
    assert "bfloat16 has too few digits here" in str(report)
    assert "secant.compare" in str(report)
    assert "ZeroDivisionError" in str(report)  # why it was not lifted


@DTYPES
def test_a_backward_that_raises_is_a_finding_in_low_precision_too(dtype):
    def backward(saved, v):
        raise ValueError("no gradient today")

    report = secant.check(planted("Raises", lambda x: x.sin(), backward), points(5, dtype=dtype))
    assert report.verdict is FAIL
    assert "no gradient today" in report.worst.message


def test_what_a_function_does_between_two_points_is_no_noise_of_its_claim():
    """In bfloat16 neighbouring points have other gradients; those of float64 say by how much."""
    generator = torch.Generator().manual_seed(7)
    x, w = (torch.randn(*shape, generator=generator) for shape in ((16, 32), (8,)))

    def group_norm(x, w):
        return torch.nn.functional.group_norm(x.reshape(16, 8, 4), 8, w)

    report = secant.check(
        group_norm, x.bfloat16().requires_grad_(), w.bfloat16().requires_grad_(), seed=0
    )
    assert report.verdict is secant.Verdict.PASS


@pytest.mark.parametrize("seed", range(8))
def test_the_promise_about_one_output_is_that_of_its_entry_whatever_cotangent_is_drawn(seed):
    x = torch.tensor([0.7]).bfloat16()
    report = secant.check(lambda x: x.exp().sum(), x, seed=seed)
    assert report.resolution is not None
    assert report.resolution < 0.06 * float(x.double().exp())


@DTYPES
@pytest.mark.parametrize("factor", [1.0, 1.1])
def test_a_leaf_written_into_in_float64_alone_is_measured_where_it_was(dtype, factor):
    """What was made wider is given to calls themselves, and made again once it was written into."""
    scaled = planted("Scaled", lambda y: y * 1, lambda saved, v: factor * v)

    def careless(x):
        y = scaled(x.exp())  # neither of which needs x once more
        if x.dtype is torch.float64:
            with torch.no_grad():
                x += 1
        return y

    x = points(20, dtype=dtype)
    before = x.clone()
    report = secant.check(careless, x)
    assert (report.verdict is PASS) == (factor == 1.0), str(report)
    assert torch.equal(x, before)

"""Luck is not blamed: right kernels at random sizes, and the rule itself on random numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import secant
from compare.kernels import gelu, normal, softmax
from secant import Verdict
from secant._compare.neighbours import NEIGHBOURS
from secant._compare.yardstick import Size, alone, measured, rounded_once

DTYPES = ("bfloat16", "float16", "float32")
DRAWS = 80  # of each pair and dtype


# -- pairs that differ in the order of their sums only ---------------------------------------------


def shuffled(x):
    order = torch.randperm(x.shape[-1], generator=torch.Generator().manual_seed(7))
    return x[..., order]


def sums(x):
    return x.sum(-1)


def sums_shuffled(x):
    return shuffled(x).sum(-1)


def sums_in_blocks(x):
    return torch.stack([part.float().sum(-1) for part in x.split(7, -1)], -1).sum(-1).to(x.dtype)


def sums_in_a_row(x):
    total = x[..., 0].float()
    for k in range(1, x.shape[-1]):
        total = total + x[..., k].float()
    return total.to(x.dtype)


def softmax_shuffled(x):
    e = (x - x.amax(-1, keepdim=True)).exp()
    return e / shuffled(e).sum(-1, keepdim=True)


def loss(x):
    return (x.sin() * x).mean()


def loss_shuffled(x):
    y = x.flatten()
    return shuffled(y.sin() * y).mean()


def gelu_regrouped(x):
    return x * (0.5 * (1 + torch.erf(x * math.sqrt(0.5))))


PAIRS = (
    (sums_shuffled, sums),
    (sums_in_blocks, sums),
    (sums_in_a_row, sums),
    (softmax_shuffled, softmax),
    (loss_shuffled, loss),
    (gelu_regrouped, gelu),
)


@pytest.mark.thinned(keep=6)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("kernel", "reference"), PAIRS, ids=lambda one: one.__name__)
def test_another_order_of_sums_is_never_blamed(kernel, reference, dtype):
    sizes = np.random.default_rng(11)
    for seed in range(DRAWS):
        columns, rows = (int(2 ** sizes.uniform(0, most)) for most in (6, 4))
        x = normal(rows, columns, seed=seed)
        comparison = secant.compare(kernel, reference, x, dtype=dtype, seed=seed)
        assert comparison.verdict is not Verdict.FAIL, f"seed {seed}\n{comparison}"


@pytest.mark.parametrize("dtype", DTYPES)
def test_another_order_of_sums_is_not_blamed_among_a_hundred_thousand_entries(dtype):
    x = normal(400, 256, seed=3)
    for kernel, reference in ((sums_shuffled, sums), (softmax_shuffled, softmax)):
        assert secant.compare(kernel, reference, x, dtype=dtype)


# -- the rule by itself ----------------------------------------------------------------------------


def share_of_false_alarms(errors: int, trials: int, scale: float) -> float:
    """Return how often a kernel with as large errors as the yardstick is blamed.

    `errors` of them are independent and Gaussian, `scale` roundings large.
    """
    generator = np.random.default_rng(errors)

    def norms(*shape: int) -> np.ndarray:
        return scale * np.sqrt((generator.standard_normal((*shape, errors)) ** 2).mean(-1))

    kernel, yardstick = norms(trials), norms(trials, NEIGHBOURS + 1)
    blamed = 0
    for error, drawn in zip(kernel, yardstick, strict=True):
        if error > 2 * drawn[0]:
            level = measured([Size(one, 1.0) for one in drawn], rounded_once(errors))
            blamed += error > level.allowed(2.0).norm
    return blamed / trials


@pytest.mark.parametrize("scale", [2.0, 30.0])
@pytest.mark.parametrize("errors", [1, 2, 4, 20])
def test_luck_is_blamed_less_than_once_in_a_thousand(errors, scale):
    assert share_of_false_alarms(errors, 20_000, scale) < 1e-3


def test_without_neighbours_a_single_error_would_be_blamed_often():
    """The experiment above can fail: one point is not enough."""
    generator = np.random.default_rng(0)
    kernel, yardstick = np.abs(generator.standard_normal((2, 20_000)))
    assert (kernel > 2 * yardstick).mean() == pytest.approx(0.295, abs=0.01)


def test_many_independent_errors_need_no_allowance():
    level = measured([Size(3.0 + 0.01 * k, 9.0) for k in range(12)], rounded_once(10_000))
    assert level.norm_allowance == pytest.approx(1.0, abs=0.03)
    assert level.allowed(2.0).worst == 18.0


@pytest.mark.parametrize(("entries", "norm"), [(1, math.sqrt(12)), (10**8, 1.0)])
def test_the_floor_is_a_faithful_rounding_of_one_and_a_right_one_of_many(entries, norm):
    least = rounded_once(entries)
    assert least.norm == pytest.approx(norm, rel=1e-3)
    assert least.worst == 1.0
    assert measured([Size(0.0, 0.0)], least).size == least


def test_the_rms_of_roundings_is_what_the_floor_says():
    exact = np.random.default_rng(0).uniform(1, 2, 100_000)
    rounded = torch.from_numpy(exact).bfloat16().double().numpy()
    ulps = (rounded - exact) / 2.0**-7
    assert np.sqrt(np.mean(ulps**2)) == pytest.approx(1 / math.sqrt(12), rel=0.01)
    assert np.abs(ulps).max() == pytest.approx(0.5, abs=1e-4)


def test_a_point_without_neighbours_gets_the_modelled_allowance():
    few, many = (alone(Size(2.0, 2.0), rounded_once(n), n) for n in (1, 10_000))
    assert few.norm_allowance == pytest.approx(math.exp(3.3))
    assert many.norm_allowance == pytest.approx(math.exp(0.033))


def test_a_reference_that_runs_at_the_point_only_leaves_the_modelled_allowance():
    x = normal(5, 5, seed=2).bfloat16()
    here = x.double()

    def fussy(y):
        if not torch.equal(y.detach().double(), here):
            raise ValueError("elsewhere")
        return y.sin()

    comparison = secant.compare(lambda y: y.sin() * 1.5, fussy, x)
    assert comparison.verdict is Verdict.FAIL
    assert comparison.worst.norm.limit == pytest.approx(2 * math.exp(3.3 / math.sqrt(25)))


def test_an_entry_is_not_blamed_for_an_error_that_the_reference_makes_in_the_same_place():
    """Cancellation in one entry: both lose their digits there, each in its own way."""
    x = normal(40, 40, seed=5)
    x[3, 4] = 8.0  # 1 − tanh² is rounding there, 1e-6 of the others

    def reference(y):
        return 1 - y.tanh() * y.tanh()

    def kernel(y):
        return (1 - y.tanh()) * (1 + y.tanh())

    for dtype in DTYPES:
        assert secant.compare(kernel, reference, x, dtype=dtype).verdict is not Verdict.FAIL


class AddedByAtomics(torch.autograd.Function):
    """x · w, the weight's gradient added up row by row in float32, in some order."""

    @staticmethod
    def forward(ctx, x, w, factor):
        ctx.save_for_backward(x, w)
        ctx.factor = factor
        return x * w

    @staticmethod
    def backward(ctx, v):
        x, w = ctx.saved_tensors
        terms = (v * x).numpy()
        total = np.zeros(terms.shape[1], np.float32)
        for row in np.random.default_rng(0).permutation(len(terms)):
            total += terms[row]
        return v * w, torch.from_numpy(total) * ctx.factor, None


def compared_by_atomics(rows, factor=1.0):
    x, w = normal(rows, 24, seed=1).float(), normal(24, seed=2).float()
    return secant.compare(lambda x, w: AddedByAtomics.apply(x, w, factor), lambda x, w: x * w, x, w)


@pytest.mark.parametrize("rows", [300, 8192, 30_000])
def test_a_weight_s_gradient_added_up_row_by_row_is_not_blamed(rows):
    comparison = compared_by_atomics(rows)
    assert comparison.verdict is Verdict.PASS, str(comparison)


def test_what_is_beyond_any_order_of_a_long_sum_is_blamed():
    comparison = compared_by_atomics(8192, 1.0001)
    assert comparison.verdict is Verdict.FAIL, str(comparison)


def test_a_long_sum_that_is_excused_by_its_length_is_said():
    text = str(compared_by_atomics(30_000))
    assert "no further off than sums of 30,000 terms may be" in text

"""A claim that is known whole is confirmed by two sums of its columns, which hide nothing."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import secant
from planted import planted
from secant import Verdict

SEEDS = (1, 2, 3, 1729)
MATRIX = torch.from_numpy(np.random.default_rng(5).uniform(0.3, 1.7, (30, 40)))


def numbers(*shape, seed=0):
    return torch.from_numpy(np.random.default_rng(seed).uniform(0.3, 1.7, shape))


def dense(x):
    return MATRIX @ x.exp()


def off(errors):
    """`dense`, with some entries of its Jacobian off by so much: (row, column) to error."""

    def backward(saved, v):
        gradient = (MATRIX.T @ v) * saved[0].exp()
        for (row, column), error in errors.items():
            gradient[column] += error * v[row]
        return gradient

    return planted("Off", dense, backward)


def test_a_dense_jacobian_takes_as_many_evaluations_whatever_its_size():
    report = secant.check(dense, numbers(40), probe="full")
    assert report, str(report)
    assert report.cost.evaluations <= 9
    (finding,) = [one for one in report.findings if one.kind == "derivative"]
    assert finding.total == 30 * 40


def test_many_leaves_move_together():
    leaves = numbers(5, 6), numbers(5, seed=1), numbers(6, seed=2)
    report = secant.check(lambda w, b, x: torch.sin(w @ x + b), *leaves, probe="full")
    assert report, str(report)
    assert report.cost.evaluations <= 9


@pytest.mark.parametrize("sizes", [1.0, torch.logspace(-2, 0, 40, dtype=torch.float64)])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_resolution_is_a_promise(seed, sizes):
    x = numbers(40, seed=seed) * sizes
    report = secant.check(dense, x, probe="full", seed=seed)
    assert report.cost.evaluations <= 9
    for place in ((7, 2), (0, 39)):
        wrong = off({place: 2 * report.resolution})
        assert secant.check(wrong, x, probe="full", seed=seed).verdict is Verdict.FAIL


@pytest.mark.parametrize("seed", range(40))
def test_errors_in_one_row_do_not_cancel(seed):
    wrong = off({(4, 11): 1e-5, (4, 12): -1e-5, (4, 30): 2e-5, (4, 31): 2e-5})
    report = secant.check(wrong, numbers(40), probe="full", seed=seed, explain=False)
    assert report.verdict is Verdict.FAIL


def test_columns_and_rows_of_other_units_are_seen_by_themselves():
    units, other = 10.0 ** torch.arange(-9, 0), 10.0 ** torch.arange(9, 0, -1)
    own = numbers(9, 9, seed=3)
    x = numbers(9) * units.double()

    def backward(saved, v, error=0.0):
        gradient = (own.T @ (v * other)) / units
        gradient[0] += error * other[8] * v[8] / units[0]
        return gradient

    def function(x):
        return other * (own @ (x / units))

    assert secant.check(planted("Right", function, backward), x, probe="full")
    wrong = planted("Wrong", function, lambda saved, v: backward(saved, v, 1e-4))
    report = secant.check(wrong, x, probe="full")
    assert report.verdict is Verdict.FAIL
    assert "∂out[8] / ∂x[0]" in str(report)


def test_what_is_measured_lies_within_its_bars():
    x = numbers(40)
    found = secant.check(dense, x, probe="full").jacobian()
    true = torch.autograd.functional.jacobian(dense, x).numpy()
    assert (np.abs(found.measured - true) <= found.error).all()
    assert found.error.max() < 1e-6
    assert not np.array_equal(found.measured, found.claimed)


def test_pictures_show_every_entry_measured_by_itself():
    x = numbers(12)
    report = secant.check(lambda x: MATRIX[:, :12] @ x, x, probe="full", pictures=True)
    assert report.cost.evaluations >= 4 * 12


def test_a_kink_is_left_to_the_columns():
    x = numbers(8)
    x[3] = 0.0
    report = secant.check(lambda x: MATRIX[:, :8] @ x.relu(), x, probe="full")
    assert report, str(report)
    assert "kink" in str(report)
    half = planted(
        "Half",
        lambda x: MATRIX[:, :8] @ x.relu(),
        lambda saved, v: (MATRIX[:, :8].T @ v) * (saved[0] > 0) * (1.0 + 1e-5 * (saved[0] > 1)),
    )
    assert secant.check(half, x, probe="full").verdict is Verdict.FAIL


def test_a_leaf_that_is_claimed_to_move_nothing_is_moved_alone_and_far():
    def function(x, y):
        return MATRIX[:, :6] @ x + MATRIX[:, :6] @ y.to(torch.bfloat16).double()

    def backward(saved, v):
        return MATRIX[:, :6].T @ v, torch.zeros(6, dtype=torch.float64)

    cut = planted("Cut", function, backward)
    report = secant.check(cut, numbers(6), numbers(6, seed=1), probe="full")
    assert report.verdict is not Verdict.PASS


class RowsWrongInABatch(torch.autograd.Function):
    """The identity, with a backward whose batching rule doubles one row."""

    @staticmethod
    def forward(x):
        return x.clone()

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, v):
        return Doubled.apply(v)


class Doubled(torch.autograd.Function):
    """Twice what it is given; but in a batch as it is given."""

    @staticmethod
    def forward(v):
        return 2 * v

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def vmap(info, in_dims, v):
        return v.clone(), in_dims[0]


def test_rows_that_are_right_in_a_batch_alone_do_not_speak_for_the_backward():
    report = secant.check(
        lambda x: MATRIX[:, :8] @ RowsWrongInABatch.apply(x), numbers(8), probe="full"
    )
    assert report.verdict is Verdict.FAIL

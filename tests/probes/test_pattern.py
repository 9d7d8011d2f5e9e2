"""A sparsity pattern that is wrong is named as such, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

import secant
from secant import Verdict

SIZES = [(7, 9), (40, 3), (30, 200), (700, 900)]


class Sparse:
    """A sin(x) for a random sparse A, with its Jacobian and ways to get it wrong."""

    def __init__(self, rows: int, columns: int, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        count = min(rows * columns // 2, 4 * rows)
        places = self.random.choice(rows * columns, count, replace=False)
        self.row, self.column = np.divmod(places, columns)
        self.values = self.random.uniform(1, 2, count) * self.random.choice([-1, 1], count)
        self.shape = rows, columns
        self.matrix = sparse.csr_array((self.values, (self.row, self.column)), shape=self.shape)
        self.point = self.random.normal(size=columns)
        self.chosen = int(self.random.integers(count))

    def __call__(self, x):
        return self.matrix @ np.sin(x)

    def jacobian(self, x, keep=slice(None), columns=None, factors=1.0):
        values = (self.values * np.cos(x)[self.column] * factors)[keep]
        columns = self.column if columns is None else columns
        return sparse.csr_array((values, (self.row[keep], columns[keep])), shape=self.shape)

    def one_missing(self, x):
        return self.jacobian(x, np.arange(self.values.size) != self.chosen)

    def some_missing(self, x):
        return self.jacobian(x, np.arange(self.values.size) % 5 != self.chosen % 5)

    def one_moved(self, x):
        taken = set(self.column[self.row == self.row[self.chosen]])
        columns = self.column.copy()
        columns[self.chosen] = next(k for k in range(self.shape[1]) if k not in taken)
        return self.jacobian(x, columns=columns)

    def one_value(self, x):
        factors = np.ones(self.values.size)
        factors[self.chosen] = 1.01
        return self.jacobian(x, factors=factors)


@pytest.fixture(params=SIZES, ids=str)
def function(request):
    return Sparse(*request.param, seed=sum(request.param))


def cause_of(function, jacobian):
    report = secant.check(function, function.point, jacobian=jacobian)
    assert report.verdict is Verdict.FAIL, str(report)
    return report.worst.cause or ""


def test_the_right_pattern_passes(function):
    report = secant.check(function, function.point, jacobian=function.jacobian)
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.parametrize("way", ["one_missing", "some_missing", "one_moved"])
def test_a_wrong_pattern_is_named(function, way):
    assert cause_of(function, getattr(function, way)).startswith("the sparsity pattern is wrong")


def test_a_wrong_value_is_not_called_a_wrong_pattern(function):
    assert "pattern" not in cause_of(function, function.one_value)


def test_a_dense_matrix_has_no_pattern_to_blame(function):
    assert "pattern" not in cause_of(function, lambda x: function.one_missing(x).toarray())


def test_the_pattern_is_named_in_single_precision_and_forward_too(function):
    low = function.point.astype(np.float32)
    report = secant.check(function, low, jacobian=function.one_missing)
    assert report.verdict is Verdict.FAIL
    forward = secant.check(function, function.point, jacobian=function.one_missing, modes="forward")
    assert forward.verdict is Verdict.FAIL

"""What looking into a failure costs: evaluations of small functions, copies of large ones."""

from __future__ import annotations

import pytest
import torch

import secant
from planted import planted, points, scaled_sine, sine_wrong_at
from secant._backends.torch.arrays.algebra import TorchAlgebra

MOST = 80  # evaluations of a failing check of up to 100 entries, explained
MIXING = torch.randn(100, 100, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def no_row_sum(saved, v):
    shares = saved[0].softmax(-1)
    return v * shares


def mixed(size: int):
    """Return a dense function of so many entries, with a column of its Jacobian doubled."""
    matrix = MIXING[:size, :size] / size

    def backward(saved, v):
        gradient = (v * (matrix @ saved[0]).cos()) @ matrix
        return gradient * torch.where(torch.arange(size) == size // 2, 2.0, 1.0)

    return planted("Mixed", lambda x: (matrix @ x).sin(), backward)


WRONG = {
    "a factor": lambda size: scaled_sine(1.05),
    "one entry": lambda size: sine_wrong_at(size // 2, 0.3),
    "one column": mixed,
    "the sign of a loss": lambda size: planted(
        "Loss", lambda x: (x**2).sum(), lambda saved, v: -2 * saved[0] * v
    ),
    "a sum": lambda size: planted("Softmax", lambda x: x.softmax(-1), no_row_sum),
}


@pytest.mark.parametrize("size", [3, 10, 30, 100])
@pytest.mark.parametrize("wrong", WRONG)
def test_a_failing_check_of_a_small_function_is_explained_in_few_evaluations(wrong, size):
    function, x = WRONG[wrong](size), points(size)
    bare = secant.check(function, x, explain=False)
    report = secant.check(function, x)
    assert not report
    assert report.worst.entries
    spent = report.cost.evaluations - bare.cost.evaluations
    assert spent <= MOST - 26
    if bare.cost.evaluations <= 26:  # no function that may be computed inexactly
        assert report.cost.evaluations <= MOST


@pytest.mark.parametrize("size", [30, 100])
def test_entries_that_are_named_from_few_evaluations_are_wrong_and_measured_within_their_bars(size):
    matrix, x = MIXING[:size, :size] / size, points(size)
    truth = (matrix @ x).cos()[:, None] * matrix
    finding = secant.check(mixed(size), x).worst
    assert {entry.column for entry in finding.entries} == {size // 2}
    for entry in finding.entries:
        exact = float(truth[entry.row, entry.column])
        assert abs(entry.measured.value - exact) <= entry.measured.error
        assert abs(entry.claimed - entry.measured.value) > 3 * entry.measured.error


def test_every_so_many_th_entry_of_a_large_leaf_is_called_that():
    flags = torch.arange(20_000) % 128 == 5
    wrong = planted(
        "Every", torch.sin, lambda saved, v: v * saved[0].cos() * torch.where(flags, 1.5, 1.0)
    )
    finding = secant.check(wrong, points(20_000)).worst
    assert finding.picture.startswith("every 128th index from 5 on of input0 (")
    assert finding.wrong == int(flags.sum())


KERNELS = {
    "a sum along rows": (no_row_sum, lambda x: x.softmax(-1)),
    "the last columns": (
        lambda saved, v: v * saved[0].cos() * (torch.arange(400) < 352),
        torch.sin,
    ),
    "all of a loss": (
        lambda saved, v: v * 2 * saved[0].softmax(-1) / 400,
        lambda x: x.logsumexp(-1).mean(),
    ),
}


@pytest.mark.parametrize("kernel", KERNELS)
def test_nothing_of_a_large_leafs_size_is_copied_to_explain_what_is_wrong(kernel, monkeypatch):
    backward, forward = KERNELS[kernel]
    wrong, x = planted("Kernel", forward, backward), points(400, 400)
    secant.check(wrong, x, explain=False)
    copied = []
    to_numpy = TorchAlgebra.to_numpy

    def counted(self, vector):
        copied.append(int(vector.shape[0]))
        return to_numpy(self, vector)

    monkeypatch.setattr(TorchAlgebra, "to_numpy", counted)
    report = secant.check(wrong, x)
    assert report.worst.entries
    assert copied
    assert max(copied) <= 1 << 16 < x.numel()


def test_without_an_explanation_the_full_probe_asks_for_none():
    def asked(**settings):
        return secant.check(mixed(12), points(12), probe="full", **settings)

    explained, bare = asked(), asked(explain=False)
    assert explained.verdict is bare.verdict is secant.Verdict.FAIL
    assert explained.worst.wrong == bare.worst.wrong
    assert bare.worst.cause is None
    assert bare.cost.evaluations < explained.cost.evaluations
    assert bare.cost.pulls < explained.cost.pulls


def test_a_leaf_of_mixed_units_that_fails_is_compared_only_once():
    def fourth_doubled(saved, v):
        return 2 * saved[0] * v * torch.tensor([1, 1, 1, 2, 1, 1], dtype=torch.float64)

    x = points(6) * torch.tensor([1e-9, 1, 1e-9, 1e9, 1, 1e-9], dtype=torch.float64)
    report = secant.check(planted("Square", lambda x: x * x, fourth_doubled), x, explain=False)
    assert report.verdict is secant.Verdict.FAIL
    assert [entry.column for entry in report.worst.entries] == [3]
    assert report.cost.evaluations <= MOST


@pytest.mark.parametrize("reach", [12, 24])
def test_a_factor_is_named_where_a_leaf_mixes_units(reach):
    point = points(9) * 10.0 ** torch.linspace(-reach, 0, 9, dtype=torch.float64)
    wrong = planted("Logarithm", torch.log, lambda saved, v: 1.05 * v / saved[0])
    report = secant.check(wrong, point.abs())
    assert "a constant factor is wrong" in str(report)
    assert report.cost.evaluations <= MOST


@pytest.mark.parametrize("place", [0, 6, 12])
def test_no_term_that_one_entry_drowns_is_named(place):
    scale = 10.0 ** torch.linspace(-12, 12, 13, dtype=torch.float64)
    off = torch.ones(13, dtype=torch.float64)
    off[place] = 1.05
    for function, slope in ((torch.log, lambda x: 1 / x), (torch.square, lambda x: 2 * x)):
        wrong = planted("Off", function, lambda saved, v, f=slope: v * off * f(saved[0]))
        text = str(secant.check(wrong, points(13).abs() * scale))
        assert "grad_output" not in text, text

"""What a check costs where there is a cliff: evaluations, held against torch's own."""

from __future__ import annotations

import pytest
import torch

import secant
from dropin.promises import BOTH, TorchError, leaf
from planted import planted, scaled_sine
from secant.torch import gradcheck

TIMES = 10  # torch's own evaluations, explanation included

# of 216 inputs; torch's backward is off by about 1e-6 at the first channel, which both forgive
NORMALISED = torch.nn.CrossMapLRN2d(5, 5e-3, 1e-3, 2)


def counted(function):
    calls = []

    def call(*arguments):
        calls.append(1)
        return function(*arguments)

    return call, calls


def evaluations(check, function, inputs, **settings):
    call, calls = counted(function)
    try:
        answer = bool(check(call, inputs, **settings))
    except TorchError:
        answer = False
    return answer, len(calls)


def eigenvalues(matrix):
    start = torch.eye(*matrix.shape, dtype=matrix.dtype)[:, :1]
    return torch.lobpcg((matrix + matrix.T) / 2, k=1, X=start)[0]


CLIFFS = {
    "inexact but forgiven": (NORMALISED, lambda: leaf(2, 3, 6, 6).abs()),
    "lobpcg": (eigenvalues, lambda: leaf(4, 4) + 9 * torch.eye(4, dtype=torch.float64)),
}


@BOTH
@pytest.mark.parametrize("name", CLIFFS)
def test_what_passes_costs_at_most_ten_times_torchs_evaluations(name, fast_mode):
    function, make = CLIFFS[name]
    inputs = make().detach().requires_grad_()
    passes, theirs = evaluations(torch.autograd.gradcheck, function, inputs, fast_mode=fast_mode)
    assert passes
    passes, ours = evaluations(gradcheck, function, inputs, fast_mode=fast_mode)
    assert passes
    assert ours <= TIMES * theirs


@pytest.mark.parametrize("probe", ["fast", "full"])
def test_a_check_with_tolerances_has_no_cliff_either(probe):
    report = secant.check(
        NORMALISED, leaf(2, 3, 6, 6).abs(), probe=probe, rtol=1e-3, atol=1e-5, laws="none"
    )
    assert report
    assert report.cost.evaluations <= 4 * TIMES  # torch's fast mode takes four


@BOTH
@pytest.mark.parametrize("size", [6, 216])
def test_explaining_a_failure_costs_at_most_ten_times_what_torch_takes_to_fail(size, fast_mode):
    function, inputs = scaled_sine(1.05), leaf(size)
    passes, theirs = evaluations(torch.autograd.gradcheck, function, inputs, fast_mode=fast_mode)
    assert not passes
    passes, ours = evaluations(gradcheck, function, inputs, fast_mode=fast_mode)
    assert not passes
    assert ours <= TIMES * theirs


@pytest.mark.parametrize("size", [24, 300])
def test_one_row_of_many_columns_is_not_measured_column_by_column(size):
    inputs = leaf(size)
    passes, theirs = evaluations(torch.autograd.gradcheck, lambda x: x.sin().sum(), inputs)
    assert passes
    passes, ours = evaluations(gradcheck, lambda x: x.sin().sum(), inputs)
    assert passes
    assert ours < theirs


@pytest.mark.parametrize("seed", range(20))
def test_errors_that_nearly_cancel_are_caught_entry_by_entry_or_not(seed):
    numbers = torch.Generator().manual_seed(seed)
    places = torch.randperm(24, generator=numbers)[:2]
    off = torch.zeros(24, dtype=torch.float64)
    off[places] = torch.tensor([5e-3, -5e-3], dtype=torch.float64)  # a few of the tolerances

    summed = planted(
        "Summed", lambda x: x.sin().sum(), lambda saved, v: v * (saved[0].cos() + off), None
    )
    assert not gradcheck(summed, leaf(24, seed=seed), raise_exception=False)

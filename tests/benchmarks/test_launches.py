"""What a check asks of a device is counted, and stays in bounds that no machine changes."""

from __future__ import annotations

import pytest
import torch

from _kernels import IMITATIONS
from launches import counted

SIZE = 256, 384  # of which lines are not kept, as they are of short vectors


@pytest.mark.thinned(keep=8)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("kernel", IMITATIONS, ids=lambda one: one.name)
def test_a_right_kernel_takes_few_evaluations_and_reads(kernel, dtype):
    launches, report, weight = counted(kernel, "", SIZE, dtype, seed=1729)
    assert report, str(report)
    assert report.cost.evaluations <= 50
    assert report.cost.pulls <= 12
    assert 0 < launches.read_back <= 80  # numbers, or several at once
    assert 0 < launches.peak <= 60 * weight  # with outputs and gradients, which the kernel makes


@pytest.mark.parametrize(("dtype", "most"), [(torch.float32, 10), (torch.bfloat16, 20)])
def test_steps_that_are_remembered_keep_nothing_of_the_size_of_the_input(dtype, most):
    (kernel,) = (one for one in IMITATIONS if one.name == "cross_entropy")  # few outputs
    launches, report, weight = counted(kernel, "", SIZE, dtype, seed=1729)
    assert report, str(report)
    assert report.cost.evaluations >= 10
    assert 0 < launches.peak <= most * weight


@pytest.mark.parametrize("name", ["swiglu", "attention"])
def test_of_half_precision_no_leaf_is_asked_by_itself_for_a_constant_factor(name):
    (kernel,) = (one for one in IMITATIONS if one.name == name)
    _, report, _ = counted(kernel, "", SIZE, torch.bfloat16, seed=1729)
    assert report, str(report)
    assert report.cost.evaluations <= 12


@pytest.mark.parametrize(("dtype", "most"), [(torch.float32, 10.2), (torch.bfloat16, 23)])
def test_what_lives_at_once_is_counted_in_few_inputs(dtype, most):
    """Where tables of random numbers, which are as large for any size, hardly count."""
    (kernel,) = (one for one in IMITATIONS if one.name == "rotary")
    launches, report, weight = counted(kernel, "", (1024, 1024), dtype, seed=1729)
    assert report, str(report)
    assert 0 < launches.peak <= most * weight


def test_what_the_function_does_itself_is_not_counted():
    (kernel,) = (one for one in IMITATIONS if one.name == "rotary")
    launches, _, weight = counted(kernel, "", SIZE, torch.float32, seed=1729)
    assert launches.operations < 1000
    assert launches.moved > weight

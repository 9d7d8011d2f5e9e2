"""On the passing path nothing larger than a scalar leaves the accelerator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import secant
from device.transfers import (
    TO_DEVICE,
    TO_HOST,
    WIDEST_SCALAR,
    Copy,
    Crossings,
    crossings,
    memory_copies,
    total,
    widest,
)
from planted import planted, points

DTYPES = (torch.float64, torch.float32, torch.bfloat16)
SIZE = 10_000


def norm(x: torch.Tensor) -> torch.Tensor:
    return x.square().sum().sqrt()


def weighted(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x.sin() * y, x * y.exp()


FUNCTIONS: dict[str, tuple[Callable[..., Any], int]] = {
    "sin": (torch.sin, 1),
    "norm": (norm, 1),
    "weighted": (weighted, 2),
}


def passing_check(function: Callable[..., Any], inputs: list[torch.Tensor]) -> None:
    report = secant.check(function, *inputs)
    assert report, str(report)


@pytest.fixture(params=DTYPES, ids=str)
def dtype(request):
    return request.param


@pytest.fixture(params=FUNCTIONS)
def case(request, dtype, accelerator):
    """A default check that passes, run once so that what is loaded once is nobody's copy."""
    function, count = FUNCTIONS[request.param]
    inputs = [points(SIZE, dtype=dtype, seed=seed).to(accelerator) for seed in range(count)]
    passing_check(function, inputs)
    return function, inputs


def test_the_dispatcher_sees_no_array_leave_the_device(case):
    with Crossings() as seen:
        passing_check(*case)
    assert_only_scalars_leave(seen.copies)
    assert total(seen.copies, TO_DEVICE) > 0  # directions are drawn in main memory


def test_the_profiler_sees_no_array_leave_the_device(case, tmp_path):
    copies = memory_copies(lambda: passing_check(*case), tmp_path)
    assert_only_scalars_leave(copies)
    assert total(copies, TO_DEVICE) > 0


def assert_only_scalars_leave(copies: list[Copy]) -> None:
    leaving = [copy for copy in copies if copy.way == TO_HOST]
    assert leaving  # verdicts are made of numbers that were read
    large = [copy for copy in leaving if copy.bytes > WIDEST_SCALAR]
    assert not large, large


def test_the_profiler_sees_an_array_that_leaves(accelerator, tmp_path):
    x = points(SIZE).to(accelerator)
    copies = memory_copies(lambda: (x.cpu(), x.sum().item()), tmp_path)
    assert sorted(copy.bytes for copy in copies if copy.way == TO_HOST) == [8, 8 * SIZE]


def test_the_dispatcher_sees_an_array_that_leaves(accelerator):
    x = points(SIZE).to(accelerator)
    with Crossings() as seen:
        x.cpu()
        x.sum().item()
        torch.equal(x, x)
    assert [copy.bytes for copy in seen.copies][:2] == [8 * SIZE, 8]
    assert {copy.way for copy in seen.copies} == {TO_HOST}
    assert widest(seen.copies[1:], TO_HOST) <= WIDEST_SCALAR


def test_the_dispatcher_sees_what_a_backward_does(accelerator):
    def backward(saved, v):  # runs in a thread of the device's own
        return v * saved[0].cpu().cos().to(v.device)

    x = points(SIZE).to(accelerator).requires_grad_()
    y = planted("Detour", torch.sin, backward)(x)
    with Crossings() as seen:
        torch.autograd.grad(y, x, torch.ones_like(y))
    assert [copy.bytes for copy in seen.copies] == [8 * SIZE, 8 * SIZE]
    assert [copy.way for copy in seen.copies] == [TO_HOST, TO_DEVICE]


def test_what_counts_as_a_crossing_needs_no_accelerator():
    with FakeTensorMode():  # shapes and devices, without memory behind them
        x, y = torch.empty(5, 3, device="cuda"), torch.empty(5, 3)
        with Crossings() as seen:
            x.sin().sum()
            y.sin().sum()
            x * torch.empty(())
            assert seen.copies == []
            x.to("cpu", torch.float64)
            y.copy_(x)
            x.sum().cpu()
        # a torch that was built for the processor alone refuses this one, so it is only described
        sent = list(crossings("aten.copy_.default", (x, y), x))
    assert [copy.bytes for copy in seen.copies] == [120, 60, 4]
    assert (widest(seen.copies, TO_HOST), total(seen.copies, TO_HOST)) == (120, 184)
    assert [(copy.way, copy.bytes) for copy in sent] == [(TO_DEVICE, 60)]

"""What a function computes in is seen from its numbers, not from the dtype that it stores in."""

from __future__ import annotations

import weakref

import numpy as np
import pytest
import torch

import secant
from device.imitations import IMITATIONS
from secant._problem.grain import hides_single
from secant._problem.pose import gather, pose


def posed(function, x):
    arguments, backend = gather(function, (x,), {})
    problem = pose(function, arguments, backend, masked=True)
    return problem, problem.trace()


def in_single(x):
    """A sine that leaves the framework for float32."""

    class Sine(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return torch.from_numpy(np.sin(x.numpy().astype(np.float32)).astype(np.float64))

        @staticmethod
        def backward(ctx, v):
            return v * ctx.saved_tensors[0].cos()

    return Sine.apply(x)


POINT = torch.linspace(0.2, 0.9, 40).bfloat16().double()


def test_a_kernel_that_computes_in_float32_is_seen_through():
    problem, trace = posed(in_single, POINT)
    assert hides_single(problem, trace.vectors)
    assert problem.tally.evaluations == 2


def test_a_gather_of_float32_numbers_is_seen_through():
    table = next(one for one in IMITATIONS if one.name == "embedding")
    (x,) = table.draw(16, 33, torch.bfloat16)
    problem, trace = posed(table.function(), x.detach().double())
    assert hides_single(problem, trace.vectors)


@pytest.mark.parametrize(
    ("function", "evaluations"),
    [
        (torch.sin, 1),
        (lambda x: x * 1, 2),  # as short as its inputs at the point, not beside it
        (lambda x: x[[3, 1, 1]], 2),
        (lambda x: torch.round(x) * x.sum().sqrt(), 1),
        (torch.round, 2),  # 0 and 1 say nothing
        (lambda x: torch.round(x * 1e6), 2),  # nor do whole numbers
    ],
)
def test_functions_of_float64_are_not_taken_for_float32(function, evaluations):
    problem, trace = posed(function, POINT)
    assert not hides_single(problem, trace.vectors)
    assert problem.tally.evaluations == evaluations


def test_a_version_that_was_not_used_is_forgotten_at_once():
    kernel = IMITATIONS[0]
    alive = []

    def watched(x):
        if x.dtype is torch.float32:
            alive.append(sum(one() is not None for one in doubles))
        y = kernel.function()(x)
        if x.dtype is torch.float64:
            doubles.append(weakref.ref(y))
        return y

    doubles: list = []
    assert secant.check(watched, *kernel.draw(16, 33, torch.bfloat16))
    assert doubles
    assert alive[-1] == 0


def out_of_sight(function, spoil=lambda gradient: gradient):
    """A function whose forward and backward run in float32 where no framework sees them."""

    class Hidden(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.dtype = x.dtype
            with torch.enable_grad():
                numbers = x.detach().double().numpy().astype(np.float32)
                ctx.inside = torch.from_numpy(numbers).requires_grad_()
                ctx.value = function(ctx.inside)
            return torch.from_numpy(ctx.value.detach().numpy().astype(np.float64)).to(x.dtype)

        @staticmethod
        def backward(ctx, v):
            v = torch.from_numpy(v.double().numpy().astype(np.float32))
            (own,) = torch.autograd.grad(ctx.value, ctx.inside, v, retain_graph=True)
            return spoil(torch.from_numpy(own.numpy().astype(np.float64))).to(ctx.dtype)

    return Hidden.apply


SQUARE = torch.randn(5, 5, generator=torch.Generator().manual_seed(3), dtype=torch.float64)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.matrix_exp(0.3 * x),  # whose backward rescales, so that it rounds otherwise
        lambda x: torch.linalg.svdvals(x),
        lambda x: torch.softmax(x, -1),
    ],
)
def test_what_computes_in_float32_is_judged_as_what_it_is(function, dtype):
    x = SQUARE.to(dtype).requires_grad_()
    assert secant.check(out_of_sight(function), x).verdict is secant.Verdict.PASS
    for spoil in (lambda g: 1.15 * g, lambda g: -g, lambda g: 0 * g):
        report = secant.check(out_of_sight(function, spoil), x, explain=False)
        assert report.verdict is secant.Verdict.FAIL


def test_numbers_of_float64_cost_no_evaluation_more():
    long, short = torch.rand(9, dtype=torch.float64) + 1, torch.ones(9, dtype=torch.float64)
    for function in (torch.sin, lambda x: x * 1):
        assert (
            secant.check(function, long.clone().requires_grad_()).cost.evaluations
            == secant.check(function, short.clone().requires_grad_()).cost.evaluations
        )

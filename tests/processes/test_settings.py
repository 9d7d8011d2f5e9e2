"""Everything that a check can be asked, asked of a group; and what it costs."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.distributed as dist

import secant
from processes import asking, layers
from processes.collectives import Collectives
from processes.crew import crew
from processes.stacked import on_one_process


def check_column(group: Any, dtype: str, settings: dict[str, Any], back: str = "") -> Any:
    c = Collectives(group)
    mistakes = {"": None, "missing": layers.same, "slight": lambda v: c.sum(v) * 1.001}
    layer = layers.column(c, mistakes[back], getattr(torch, dtype))
    return asking.told(layer, group, settings)


@pytest.mark.parametrize(
    ("dtype", "settings"),
    [
        ("float32", {}),
        ("bfloat16", {}),
        ("float64", {"probe": "full"}),
        ("float64", {"laws": ("subsets", "layout", "signature")}),
        ("float64", {"dtype": "float32"}),
        ("complex128", {}),
    ],
    ids=str,
)
def test_a_right_layer_passes_whatever_is_asked(dtype, settings):
    told = crew().ask(check_column, dtype, settings, size=2)
    assert [one.verdict for one in told] == ["PASS"] * 2, told[0].text
    assert all(one.is_untouched for one in told)


def test_a_group_is_asked_every_law_but_one_and_says_which():
    told = crew().ask(check_column, "float64", {"laws": "all"}, size=2)
    assert [one.verdict for one in told] == ["PASS"] * 2, told[0].text
    assert "the batching law was not asked: torch's collectives cannot be batched" in told[0].text
    assert "signature, subsets, mutation" in told[0].text


@pytest.mark.parametrize(("dtype", "back"), [("float32", "slight"), ("bfloat16", "missing")])
def test_a_wrong_layer_fails_in_low_precision_too(dtype, back):
    told = crew().ask(check_column, dtype, {"explain": False}, back, size=2)
    assert [one.verdict for one in told] == ["FAIL"] * 2, told[0].text


def check_modes(group: Any, settings: dict[str, Any]) -> Any:
    return asking.check_right(group, "scatter", settings)


def test_forward_mode_that_a_collective_has_not_is_no_failure():
    told = crew().ask(check_modes, {"modes": "all"}, size=2)
    assert [one.verdict for one in told] == ["INCONCLUSIVE"] * 2, told[0].text
    assert "You must implement the jvp function" in told[0].text


class Summed(torch.autograd.Function):
    """A sum over the ranks, in both modes."""

    @staticmethod
    def forward(ctx, value, c, along):
        ctx.along = along
        return c.sum(value)

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent.clone(), None, None

    @staticmethod
    def jvp(ctx, tangent, c, along):
        return ctx.along(tangent)


def push_row(group: Any, mistake: str, modes: str) -> Any:
    c = Collectives(group)
    alongs = {
        "": c.sum,
        "not reduced": layers.same,
        "averaged": lambda tangent: c.sum(tangent) / c.size,
        "wrong on one rank": lambda tangent: c.sum(tangent) * (1 + (c.rank == 1)),
    }

    def row_parallel(x, w):
        return Summed.apply(x @ w, c, alongs[mistake]).tanh()

    return asking.told((row_parallel, *layers.row(c)[1:]), group, {"modes": modes})


@pytest.mark.parametrize("size", [2, 4])
def test_a_group_is_pushed_in_forward_mode(size):
    told = crew().ask(push_row, "", "all", size=size)
    assert [one.verdict for one in told] == ["PASS"] * size, told[0].text
    assert "adjointness" in told[0].text
    assert "forward-mode derivative" in told[0].text
    assert all(one.is_untouched for one in told)


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        ("not reduced", "forward-mode derivative of `row_parallel`"),
        ("averaged", "claimed = 0.5 × measured"),
        ("wrong on one rank", "rank 1's tangent of out differs from rank 0's"),
    ],
)
def test_a_wrong_tangent_of_a_group_fails(mistake, said):
    told = crew().ask(push_row, mistake, "forward", size=2)
    assert [one.verdict for one in told] == ["FAIL"] * 2, told[0].text
    assert said in told[0].text, told[0].text


class Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x.sin()

    @staticmethod
    def backward(ctx, cotangent):
        (x,) = ctx.saved_tensors
        return cotangent * (x.cos() + ctx.factor * (x.detach().cos() - x.cos())), None


def check_second_order(group: Any, factor: float) -> str:
    c = Collectives(group)

    def nested(x, w):
        return Sine.apply(layers_entering(c, x) * w, factor)

    inputs = layers.draw(3, seed=0), layers.draw(3, seed=1 + c.rank)
    settings = {"replicated": ("x",), "order": 2, "explain": False}
    return secant.check(nested, *inputs, group=group, **settings).verdict.name


class Entering(torch.autograd.Function):
    """Copies go into a parallel region, and what comes back is added up, again and again."""

    @staticmethod
    def forward(ctx, value, c):
        ctx.c = c
        return value.clone()

    @staticmethod
    def backward(ctx, cotangent):
        return Leaving.apply(cotangent, ctx.c), None


class Leaving(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value, c):
        ctx.c = c
        return c.sum(value)

    @staticmethod
    def backward(ctx, cotangent):
        return Entering.apply(cotangent, ctx.c), None


def layers_entering(c: Collectives, x: torch.Tensor) -> torch.Tensor:
    return Entering.apply(x, c)


@pytest.mark.parametrize(("factor", "verdict"), [(0.0, "PASS"), (0.5, "FAIL")])
def test_second_order_is_asked_of_a_group(factor, verdict):
    assert crew().ask(check_second_order, factor, size=2) == [verdict] * 2


def check_dropout(group: Any) -> Any:
    c = Collectives(group)

    def noisy(x, w):
        return torch.nn.functional.dropout(c.entering(x) @ w, 0.5)

    inputs = layers.draw(3, 4, seed=0), layers.draw(4, 5, seed=1 + c.rank)
    return asking.told((noisy, inputs, {"replicated": ("x",)}), group, {})


def test_random_numbers_are_rewound_on_every_rank():
    told = crew().ask(check_dropout, size=2)
    assert [one.verdict for one in told] == ["PASS"] * 2, told[0].text
    assert all(one.is_untouched for one in told)


def costs(group: Any) -> list[tuple[str, tuple[int, int], tuple[int, int]]]:
    """What every right layer costs: on all processes, and with the same weights on one."""
    found = []
    for name, build in layers.RIGHT.items():
        layer, inputs, settings = build(Collectives(group))
        there = secant.check(layer, *inputs, group=group, **settings).cost
        function, leaves = on_one_process(build, dist.get_world_size(group))
        here = secant.check(function, *leaves).cost
        both = (there.evaluations, there.pulls), (here.evaluations, here.pulls)
        found.append((name, *both))
    return found


@pytest.mark.parametrize("size", [2, 4])
def test_a_group_asks_no_more_than_one_process_does(size):
    told = crew().ask(costs, size=size)
    assert all(one == told[0] for one in told)
    for name, there, here in told[0]:
        assert all(ours <= 1.5 * theirs for ours, theirs in zip(there, here, strict=True)), name

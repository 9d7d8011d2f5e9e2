"""Parallel layers whose ranks do different things: unlike shapes, stages, groups within the group.

Builders as in `layers.py`; no one process computes these alike.
"""

from __future__ import annotations

import functools
from typing import Any

import torch
import torch.distributed as dist

from .collectives import Collectives, collective
from .layers import AVERAGED, MISSING, SHARD, TWICE, draw, same


def exchanged(value: torch.Tensor, given: list[int], taken: list[int], group: Any) -> torch.Tensor:
    """All-to-all of as many rows as each rank has for each: gloo has none of its own."""
    ranks = dist.get_process_group_ranks(group)
    own = dist.get_rank(group)
    parts = [one.contiguous() for one in value.split(given)]
    heard = [value.new_empty((count, *value.shape[1:])) for count in taken]
    heard[own] = parts[own]
    works = [
        work
        for k, rank in enumerate(ranks)
        if k != own
        for work in (dist.isend(parts[k], rank, group), dist.irecv(heard[k], rank, group))
    ]
    for work in works:
        work.wait()
    return torch.cat(heard)


def mixture(c: Collectives, turned=None, is_gated=True):
    """Tokens go to experts, unlike numbers to each, and come back."""
    counts = [[(one + 2 * other) % 3 + 1 for other in range(c.size)] for one in range(c.size)]
    given, taken = counts[c.rank], [one[c.rank] for one in counts]
    there = functools.partial(exchanged, given=given, taken=taken, group=c.group)
    back = functools.partial(exchanged, given=taken, taken=given, group=c.group)

    def expert_mixture(x, w, gate):
        held = collective(x, there, lambda v: back(v).flip(0) if turned else back(v))
        answered = collective(torch.tanh(held @ w), back, there)
        return answered * (gate if is_gated else gate.detach())[:, None].sigmoid()

    rows = sum(given)
    inputs = draw(rows, 2, seed=60 + c.rank), draw(2, 2, seed=70 + c.rank)
    return expert_mixture, (*inputs, draw(rows, seed=80 + c.rank)), {}


class Stage(torch.autograd.Function):
    """What comes from the rank before goes on to the next; the last one answers."""

    @staticmethod
    def forward(ctx, x, w, c, slope):
        ranks = dist.get_process_group_ranks(c.group)
        held = x.clone()
        if c.rank:
            dist.recv(held, ranks[c.rank - 1], c.group)
        answered = torch.tanh(held @ w)
        is_last = c.rank == c.size - 1
        if not is_last:
            dist.send(answered, ranks[c.rank + 1], c.group)
        ctx.save_for_backward(held, w, answered)
        ctx.c, ctx.slope, ctx.ranks = c, slope, ranks
        return answered if is_last else answered * 0

    @staticmethod
    def backward(ctx, cotangent):
        held, w, answered = ctx.saved_tensors
        c, cotangent = ctx.c, cotangent.contiguous().clone()
        if c.rank < c.size - 1:
            dist.recv(cotangent, ctx.ranks[c.rank + 1], c.group)
        inner = cotangent * ctx.slope(answered)
        back = (inner @ w.T).contiguous()
        if c.rank:
            dist.send(back, ctx.ranks[c.rank - 1], c.group)
        return (back * 0 if c.rank else back), held.T @ inner, None, None


def pipeline(c: Collectives, slope=lambda answered: 1 - answered**2):
    def pipeline_stage(x, w):
        return Stage.apply(x, w, c, slope)

    return pipeline_stage, (draw(2, 2, seed=90 + c.rank), draw(2, 2, seed=95 + c.rank)), {}


def sharded(c: Collectives, back=None):
    """A flat parameter in shards: gathered for a call, its gradient reduced and scattered."""

    def sharded_linear(x, shard):
        back_ = back or (lambda v: c.own_chunk(c.sum(v), 0))
        weight = collective(shard, lambda v: c.gathered(v, 0), back_)
        return torch.tanh(x @ weight.reshape(2, -1))

    return sharded_linear, (draw(2, 2, seed=100 + c.rank), draw(4, seed=110 + c.rank)), {}


def attention(c: Collectives, back=None):
    """Each rank has some queries, and all keys and values before them."""

    def own_sum(value):
        return c.own_chunk(c.sum(value), 0)

    def causal_attention(q, k, v):
        keys = collective(k, lambda one: c.gathered(one, 0), back or own_sum)
        values = collective(v, lambda one: c.gathered(one, 0), own_sum)
        places = torch.arange(len(keys))
        is_later = places > (c.rank * len(q) + torch.arange(len(q)))[:, None]
        return (q @ keys.T).masked_fill(is_later, float("-inf")).softmax(-1) @ values

    return causal_attention, tuple(draw(2, 2, seed=120 + 9 * c.rank + k) for k in range(3)), {}


@functools.cache
def _grid() -> tuple[Any, Any]:
    """The rows and the columns of four ranks that this one is in."""
    rows, columns = (
        [dist.new_group(one) for one in two] for two in (((0, 1), (2, 3)), ((0, 2), (1, 3)))
    )
    row, column = divmod(dist.get_rank(), 2)
    return Collectives(rows[row]), Collectives(columns[column])


def grid(c: Collectives, back=None):
    """Blocks of a product on a grid of ranks: what is multiplied is gathered along both."""
    row, column = _grid()

    def grid_linear(x, w):
        back_ = back or (lambda v: row.own_chunk(row.sum(v), -1))
        left = collective(x, lambda v: row.gathered(v, -1), back_)
        right = collective(
            w, lambda v: column.gathered(v, 0), lambda v: column.own_chunk(column.sum(v), 0)
        )
        return torch.tanh(left @ right)

    return grid_linear, (draw(2, 2, seed=1 + c.rank), draw(2, 2, seed=11 + c.rank)), {}


def mesh(c: Collectives, wrong=None):
    """Rows of ranks share a batch, columns share a weight: copies in groups within the group."""
    row, column = _grid()

    def mesh_linear(x, w):
        entered = collective(x, same, column.sum if wrong else row.sum)
        return row.leaving(torch.tanh(entered @ column.entering(w)))

    batch, shard = divmod(c.rank, 2)
    replicated = {"x": row.group, "out": row.group, "w": column.group}
    inputs = draw(2, 3, seed=130 + batch), draw(3, 2, seed=140 + shard)
    return mesh_linear, inputs, {"replicated": replicated}


class Sent(torch.autograd.Function):
    """What goes to the next rank; its gradient comes from there."""

    @staticmethod
    def forward(ctx, value, c):
        ctx.shape, ctx.c = value.shape, c
        dist.send(value, dist.get_global_rank(c.group, c.rank + 1), c.group)
        return value.new_zeros(())

    @staticmethod
    def backward(ctx, cotangent):
        gradient = cotangent.new_empty(ctx.shape)
        dist.recv(gradient, dist.get_global_rank(ctx.c.group, ctx.c.rank + 1), ctx.c.group)
        return gradient, None


class Received(torch.autograd.Function):
    """What the rank before has sent; the way back begins at no input of this rank."""

    @staticmethod
    def forward(ctx, anchor, shape, c, factor):
        ctx.c, ctx.factor = c, factor
        held = anchor.new_empty(shape)
        dist.recv(held, dist.get_global_rank(c.group, c.rank - 1), c.group)
        return held

    @staticmethod
    def backward(ctx, cotangent):
        before = dist.get_global_rank(ctx.c.group, ctx.c.rank - 1)
        dist.send(ctx.factor * cotangent, before, ctx.c.group)
        return None, None, None, None


def stages(c: Collectives, factor=1.0):
    def stage(x, w):
        if c.rank:
            anchor = torch.zeros((), dtype=x.dtype, requires_grad=True)
            x = Received.apply(anchor, x.shape, c, factor)
        answered = torch.tanh(x @ w)
        return Sent.apply(answered, c) if c.rank < c.size - 1 else answered

    inputs = draw(2, 2, seed=150 + c.rank), draw(2, 2, seed=155 + c.rank)
    return stage, inputs, {"replicated": ()}


def joined_columns(c: Collectives, back=None):
    """Columns are computed on their ranks, and laid side by side."""

    def column_gathered(x, w):
        return c.gathering(torch.tanh(c.entering(x) @ w), -1, back)

    inputs = draw(3, 3, seed=0), draw(3, 2, seed=160 + c.rank)
    return column_gathered, inputs, {"replicated": ("x", "out")}


RIGHT = {
    "mesh": (4, mesh),
    "stages": (4, stages),
    "mixture": (2, mixture),
    "mixture on four": (4, mixture),
    "pipeline": (4, pipeline),
    "sharded": (2, sharded),
    "attention": (4, attention),
    "grid": (4, grid),
}
WRONG = {
    "mixture, tokens come back in another order": (
        2,
        lambda c: mixture(c, turned=True),
        "reversed along dimension 0",
    ),
    "mixture, a gate without a gradient": (
        2,
        lambda c: mixture(c, is_gated=False),
        "the dependence is cut",
    ),
    "pipeline, the first stage forgets a slope": (
        2,
        lambda c: pipeline(c, (lambda one: one * 0 + 1) if c.rank == 0 else (lambda y: 1 - y**2)),
        "",
    ),
    "sharded, averaged": (
        2,
        lambda c: sharded(c, lambda v: c.own_chunk(c.sum(v) / c.size, 0)),
        AVERAGED,
    ),
    "sharded, the next rank's": (
        2,
        lambda c: sharded(c, lambda v: c.own_chunk(c.sum(v), 0, shift=1)),
        SHARD,
    ),
    "attention, not reduced": (2, lambda c: attention(c, lambda v: c.own_chunk(v, 0)), MISSING),
    "attention, reduced twice": (
        2,
        lambda c: attention(c, lambda v: c.own_chunk(c.sum(c.sum(v)), 0)),
        TWICE,
    ),
    "mesh, summed over the other groups": (
        4,
        lambda c: mesh(c, wrong=True),
        "the sum is taken over the wrong ranks",
    ),
    "stages, divided by their number": (2, lambda c: stages(c, 0.5), AVERAGED),
    "columns, the next rank's": (
        2,
        lambda c: joined_columns(c, lambda v: c.own_chunk(v, -1, shift=1)),
        SHARD,
    ),
    "grid, not reduced": (4, lambda c: grid(c, lambda v: _grid()[0].own_chunk(v, -1)), MISSING),
}

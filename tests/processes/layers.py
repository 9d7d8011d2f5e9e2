"""Parallel layers, each with its right version and wrong twins.

A builder takes the collectives of a group and gives a function, this rank's inputs and the settings
of a check; a wrong twin is the same with another backward. Dimensions count from the last: with
`stacked.Stacked` for collectives, the first one is the rank, and one process computes it all.
"""

from __future__ import annotations

import torch

from .collectives import Collectives, collective, same

__all__ = ["collective", "same"]
ROWS, DEEP = 3, 4


def draw(*shape, seed, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)


def folded(value, rows):
    return value.reshape(*value.shape[:-2], rows, 4)


def column(c: Collectives, back=None, dtype=torch.float64):
    def column_parallel(x, w):
        return torch.tanh(c.entering(x, back) @ w)

    x = draw(ROWS, DEEP, seed=0, dtype=dtype)
    w = c.each(lambda rank: draw(DEEP, 2, seed=1 + rank, dtype=dtype))
    return column_parallel, (x, w), {"replicated": ("x",)}


def row(c: Collectives, back=None):
    def row_parallel(x, w):
        return torch.tanh(c.leaving(x @ w, back))

    x = c.each(lambda rank: draw(ROWS, DEEP, seed=1 + rank))
    w = c.each(lambda rank: draw(DEEP, 2, seed=11 + rank))
    return row_parallel, (x, w), {"replicated": ("out",)}


class CrossEntropy(torch.autograd.Function):
    """Logits lie by vocabulary; the loss is one."""

    @staticmethod
    def forward(ctx, logits, c, back):
        rows, width = logits.shape[-2:]
        targets = torch.arange(rows) % (width * c.size)
        mine = c.each(lambda rank: targets // width == rank)
        hit = torch.nn.functional.one_hot(targets % width, width) * mine[..., None]
        exponential = logits.exp()
        total = c.sum(exponential.sum(-1))
        chosen = c.sum((logits * hit).sum(-1))
        ctx.save_for_backward(exponential / total[..., None], hit)
        ctx.back = back
        return (total.log() - chosen).mean(-1)

    @staticmethod
    def backward(ctx, cotangent):
        soft, hit = ctx.saved_tensors
        return (soft - hit) * ctx.back(cotangent)[..., None, None] / hit.shape[-2], None, None


def cross_entropy(c: Collectives, back=same):
    def parallel_cross_entropy(logits):
        return CrossEntropy.apply(logits, c, back)

    logits = c.each(lambda rank: draw(6, 3, seed=3 + rank))
    return parallel_cross_entropy, (logits,), {"replicated": ("out",)}


def norm(c: Collectives, back=None, gradients="whole", is_reduced=True):
    """Rows lie on their ranks, the weight is one."""

    def sequence_parallel_norm(x, weight):
        weight = c.entering(weight, back) if is_reduced else weight
        return x / x.square().mean(-1, keepdim=True).sqrt() * weight

    inputs = c.each(lambda rank: draw(ROWS, DEEP, seed=5 + rank)), draw(1, DEEP, seed=2)
    return sequence_parallel_norm, inputs, {"replicated": ("weight",), "gradients": gradients}


def exchange(c: Collectives, back=None):
    def expert_exchange(x):
        return c.exchanging(x, back).sin()

    return expert_exchange, (c.each(lambda rank: draw(2 * c.size, DEEP, seed=7 + rank)),), {}


def ring(c: Collectives, back=None):
    """Queries stay, keys and values go around."""

    def ring_attention(q, k, v):
        scores, values = [], []
        for _ in range(c.size):
            scores.append(q @ k.mT)
            values.append(v)
            k, v = c.shifting(k, back), c.shifting(v)
        return torch.cat(scores, -1).softmax(-1) @ torch.cat(values, -2)

    inputs = tuple(
        c.each(lambda rank, one=one: draw(1, 2, seed=20 + 3 * rank + one)) for one in range(3)
    )
    return ring_attention, inputs, {}


def embedding(c: Collectives, back=None):
    width = 3
    tokens = torch.arange(2 * c.size) * 2 % (width * c.size)  # some of every rank
    mine = c.each(lambda rank: tokens // width == rank)

    def sharded_embedding(table):
        rows = torch.where(mine[..., None], table[..., tokens % width, :], 0.0)
        return c.leaving(rows, back).sin()

    table = c.each(lambda rank: draw(width, DEEP, seed=9 + rank))
    return sharded_embedding, (table,), {"replicated": ("out",)}


def gather(c: Collectives, back=None):
    """Shards are laid side by side along the second dimension."""

    def gather_columns(x):
        return c.gathering(x, -1, back).sin()

    x = c.each(lambda rank: draw(8, 4, seed=31 + rank))  # a row to a rank: cut, or exchanged?
    return gather_columns, (x,), {"replicated": ("out",)}


def scatter(c: Collectives, back=None):
    """Each rank keeps a shard of the sum, along the second dimension."""

    def reduce_scatter(x):
        return c.scattering(x, -1, back).sin()

    return reduce_scatter, (c.each(lambda rank: draw(4, 4, seed=41 + rank)),), {}


def totals(c: Collectives, back=None):
    """Every rank has a loss of its own, in which the sum over all ranks stands."""

    def own_losses(x):
        total = c.leaving(x.sin(), back or c.sum).sum(-1)
        return total * c.each(lambda rank: torch.tensor(1.0 + rank))

    return own_losses, (c.each(lambda rank: draw(DEEP, seed=51 + rank)),), {"replicated": ()}


RIGHT = {
    "column": column,
    "row": row,
    "cross entropy": cross_entropy,
    "norm": norm,
    "norm, by shares": lambda c: norm(c, gradients="share", is_reduced=False),
    "exchange": exchange,
    "ring": ring,
    "embedding": embedding,
    "gather": gather,
    "scatter": scatter,
    "losses of their own": totals,
}

MISSING, TWICE, AVERAGED = "a reduction is missing", "reduced twice", "averaged instead of summed"
SHARD, DIMENSION = "another rank's shard", "the wrong dimension is gathered"

WRONG = {
    "column, not reduced": (lambda c: column(c, same), MISSING),
    "column, averaged": (lambda c: column(c, lambda v: c.sum(v) / c.size), AVERAGED),
    "column, reduced twice": (lambda c: column(c, lambda v: c.sum(c.sum(v))), TWICE),
    "column, wrong on one rank": (
        lambda c: column(
            c, lambda v: c.sum(v) * c.each(lambda k: torch.full((1, 1), 1.5 if k == 1 else 1.0))
        ),
        "it is wrong on rank 1 alone",
    ),
    "row, reduced again": (lambda c: row(c, c.sum), TWICE),
    "row, averaged": (lambda c: row(c, lambda v: v / c.size), AVERAGED),
    "cross entropy, reduced again": (lambda c: cross_entropy(c, c.sum), TWICE),
    "norm, not reduced": (lambda c: norm(c, is_reduced=False), MISSING),
    "norm, shares reduced already": (lambda c: norm(c, gradients="share"), "reduced already"),
    "exchange, not sent back": (lambda c: exchange(c, same), SHARD),
    "ring, not handed back": (lambda c: ring(c, same), SHARD),
    "embedding, reduced again": (lambda c: embedding(c, c.sum), TWICE),
    "gather, the next rank's chunk": (
        lambda c: gather(c, lambda v: c.own_chunk(v, -1, shift=1)),
        SHARD,
    ),
    "gather, cut along rows": (
        lambda c: gather(c, lambda v: folded(c.own_chunk(v, -2), 8)),
        DIMENSION,
    ),
    "scatter, gathered along rows": (
        lambda c: scatter(c, lambda v: folded(c.gathered(v, -2), 4)),
        DIMENSION,
    ),
    "losses of their own, not reduced": (lambda c: totals(c, same), MISSING),
}

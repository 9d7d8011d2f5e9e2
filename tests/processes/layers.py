"""Parallel layers, each with its right version and wrong twins.

A builder takes the collectives of a group and gives a function, this rank's inputs and the settings
of a check; a wrong twin is the same with another backward.
"""

from __future__ import annotations

import torch

from .collectives import Collectives, collective, gathered, own_chunk, same

__all__ = ["collective", "same"]
ROWS, DEEP = 3, 4


def draw(*shape, seed, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)


def column(c: Collectives, back=None, dtype=torch.float64):
    def column_parallel(x, w):
        return torch.tanh(c.entering(x, back) @ w)

    x, w = draw(ROWS, DEEP, seed=0, dtype=dtype), draw(DEEP, 2, seed=1 + c.rank, dtype=dtype)
    return column_parallel, (x, w), {"replicated": ("x",)}


def row(c: Collectives, back=None):
    def row_parallel(x, w):
        return torch.tanh(c.leaving(x @ w, back))

    inputs = draw(ROWS, DEEP, seed=1 + c.rank), draw(DEEP, 2, seed=11 + c.rank)
    return row_parallel, inputs, {"replicated": ("out",)}


class CrossEntropy(torch.autograd.Function):
    """Logits lie by vocabulary; the loss is one."""

    @staticmethod
    def forward(ctx, logits, c, back):
        width = logits.shape[1]
        targets = torch.arange(len(logits)) % (width * c.size)
        mine, places = targets // width == c.rank, targets % width
        exponential = logits.exp()
        total = c.sum(exponential.sum(1))
        chosen = c.sum(torch.where(mine, logits.gather(1, places[:, None])[:, 0], 0.0))
        hit = torch.zeros_like(logits)
        hit[torch.arange(len(logits)), places] = mine.to(hit.dtype)
        ctx.save_for_backward(exponential / total[:, None], hit)
        ctx.back = back
        return (total.log() - chosen).mean()

    @staticmethod
    def backward(ctx, cotangent):
        soft, hit = ctx.saved_tensors
        return (soft - hit) * ctx.back(cotangent) / len(hit), None, None


def cross_entropy(c: Collectives, back=same):
    def parallel_cross_entropy(logits):
        return CrossEntropy.apply(logits, c, back)

    return parallel_cross_entropy, (draw(6, 3, seed=3 + c.rank),), {"replicated": ("out",)}


def norm(c: Collectives, back=None, gradients="whole", is_reduced=True):
    """Rows lie on their ranks, the weight is one."""

    def sequence_parallel_norm(x, weight):
        weight = c.entering(weight, back) if is_reduced else weight
        return x / x.square().mean(-1, keepdim=True).sqrt() * weight

    inputs = draw(ROWS, DEEP, seed=5 + c.rank), draw(DEEP, seed=2)
    return sequence_parallel_norm, inputs, {"replicated": ("weight",), "gradients": gradients}


def exchange(c: Collectives, back=None):
    def expert_exchange(x):
        return c.exchanging(x, back).sin()

    return expert_exchange, (draw(2 * c.size, DEEP, seed=7 + c.rank),), {}


def ring(c: Collectives, back=None):
    """Queries stay, keys and values go around."""

    def ring_attention(q, k, v):
        scores, values = [], []
        for _ in range(c.size):
            scores.append(q @ k.T)
            values.append(v)
            k, v = c.shifting(k, back), c.shifting(v)
        return torch.cat(scores, 1).softmax(1) @ torch.cat(values)

    inputs = tuple(draw(1, 2, seed=20 + 3 * c.rank + one) for one in range(3))
    return ring_attention, inputs, {}


def embedding(c: Collectives, back=None):
    width = 3
    tokens = torch.arange(5) * 2 % (width * c.size)
    mine = (tokens // width) == c.rank

    def sharded_embedding(table):
        rows = torch.where(mine[:, None], table[tokens % width], 0.0)
        return c.leaving(rows, back).sin()

    return sharded_embedding, (draw(width, DEEP, seed=9 + c.rank),), {"replicated": ("out",)}


def gather(c: Collectives, back=None):
    """Shards are laid side by side along the second dimension."""

    def gather_columns(x):
        return c.gathering(x, 1, back).sin()

    return gather_columns, (draw(4, 4, seed=31 + c.rank),), {"replicated": ("out",)}


def scatter(c: Collectives, back=None):
    """Each rank keeps a shard of the sum, along the second dimension."""

    def reduce_scatter(x):
        return c.scattering(x, 1, back).sin()

    return reduce_scatter, (draw(4, 4, seed=41 + c.rank),), {}


def totals(c: Collectives, back=None):
    """Every rank has a loss of its own, in which the sum over all ranks stands."""

    def own_losses(x):
        return (c.leaving(x.sin(), back or c.sum) * (1.0 + c.rank)).sum()

    return own_losses, (draw(DEEP, seed=51 + c.rank),), {"replicated": ()}


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
        lambda c: column(c, lambda v: c.sum(v) * (1.5 if c.rank == 1 else 1.0)),
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
        lambda c: gather(c, lambda v: own_chunk(v, c.group, 1, shift=1)),
        SHARD,
    ),
    "gather, cut along rows": (
        lambda c: gather(c, lambda v: own_chunk(v, c.group, 0).reshape(4, 4)),
        DIMENSION,
    ),
    "scatter, gathered along rows": (
        lambda c: scatter(c, lambda v: gathered(v, c.group, 0).reshape(4, 4)),
        DIMENSION,
    ),
    "losses of their own, not reduced": (lambda c: totals(c, same), MISSING),
}

"""Wrong backwards of sums, norms, normalisations and losses."""

from __future__ import annotations

import torch
from torch.nn import functional

from wrong.written import Draw, mixed, positive, wrong

LABELS = torch.tensor([2, 0, 1, 2])


def with_ties(*rows: list[float]) -> Draw:
    """Given numbers, some of them equal."""
    return lambda _: torch.tensor(rows, dtype=torch.float64)


def normed(x: torch.Tensor) -> torch.Tensor:
    """Every row over its length."""
    return x / x.norm(dim=-1, keepdim=True)


def standardised(x: torch.Tensor, dimension: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Numbers of mean 0 and variance 1 along a dimension, and the deviation it was divided by."""
    deviation = (x.var(dimension, keepdim=True, correction=0) + 1e-5).sqrt()
    return (x - x.mean(dimension, keepdim=True)) / deviation, deviation


def layer_norm_without_mean(v: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Forgets that the mean moves."""
    y, deviation = standardised(x, -1)
    return (v - y * (v * y).mean(-1, keepdim=True)) / deviation


def layer_norm_without_variance(v: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Forgets that the deviation moves."""
    _, deviation = standardised(x, -1)
    return (v - v.mean(-1, keepdim=True)) / deviation


def affine_norm_unsummed(
    v: torch.Tensor, x: torch.Tensor, scale: torch.Tensor, _: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """Right for the input; the scale's and the bias's gradients are those of the first row."""
    y, deviation = standardised(x, -1)
    w = v * scale
    own = w - w.mean(-1, keepdim=True) - y * (w * y).mean(-1, keepdim=True)
    return own / deviation, (v * y)[0], v[0]


def spread_to_ties(v: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """All entries that equal the maximum get its whole gradient."""
    return v.unsqueeze(-1) * (x == x.amax(-1, keepdim=True))


def pool_all_ties(v: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """As above, in windows of two."""
    windows = x.unflatten(-1, (-1, 2))
    return (v.unsqueeze(-1) * (windows == windows.amax(-1, keepdim=True))).flatten(-2)


def lower_neighbour(v: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The whole gradient of a quantile to the entry below it, nothing to the one above."""
    place = x.argsort()[int(0.3 * (x.numel() - 1))]
    return torch.zeros_like(x).index_fill(0, place, 1.0) * v


EXHIBITS = (
    wrong(
        "softmax without the row sum",
        lambda x: x.softmax(-1),
        lambda v, x: v * x.softmax(-1),
        mixed(3, 5),
    ),
    wrong(
        "softmax with the sum of all rows",
        lambda x: x.softmax(-1),
        lambda v, x: x.softmax(-1) * (v - (v * x.softmax(-1)).sum()),
        mixed(3, 5),
    ),
    wrong(
        "log softmax as if v summed to one",
        lambda x: x.log_softmax(-1),
        lambda v, x: v - x.softmax(-1),
        mixed(3, 5),
    ),
    wrong(
        "logsumexp not normalised",
        lambda x: x.logsumexp(-1),
        lambda v, x: v.unsqueeze(-1) * x.exp(),
        mixed(3, 5),
    ),
    wrong(
        "cross entropy not averaged",
        lambda x: functional.cross_entropy(x, LABELS),
        lambda v, x: v * (x.softmax(-1) - functional.one_hot(LABELS, 3)),
        mixed(4, 3),
    ),
    wrong(
        "layer norm without the mean",
        lambda x: standardised(x, -1)[0],
        layer_norm_without_mean,
        mixed(4, 6),
    ),
    wrong(
        "layer norm without the variance",
        lambda x: standardised(x, -1)[0],
        layer_norm_without_variance,
        mixed(4, 6),
    ),
    wrong(
        "layer norm, scale and bias not summed",
        lambda x, scale, bias: standardised(x, -1)[0] * scale + bias,
        affine_norm_unsummed,
        mixed(4, 6),
        mixed(6),
        mixed(6),
    ),
    wrong(
        "batch norm with constant statistics",
        lambda x: standardised(x, 0)[0],
        lambda v, x: v / standardised(x, 0)[1],
        mixed(6, 4),
    ),
    wrong(
        "rms norm without the projection",
        lambda x: x * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt(),
        lambda v, x: v * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt(),
        mixed(4, 6),
    ),
    wrong(
        "normalisation without the projection",
        normed,
        lambda v, x: v / x.norm(dim=-1, keepdim=True),
        mixed(4, 3),
    ),
    wrong(
        "cosine similarity without the projection",
        lambda a, b: (normed(a) * normed(b)).sum(-1),
        lambda v, a, b: (
            v.unsqueeze(-1) * normed(b) / a.norm(dim=-1, keepdim=True),
            v.unsqueeze(-1) * normed(a) / b.norm(dim=-1, keepdim=True),
        ),
        mixed(4, 3),
        mixed(4, 3),
    ),
    wrong("mean as a sum", lambda x: x.mean(-1), lambda v, x: v[:, None].expand_as(x), mixed(3, 4)),
    wrong("sum as a mean", lambda x: x.sum(0), lambda v, x: (v / 3).expand_as(x), mixed(3, 4)),
    wrong(
        "variance with n in place of n - 1",
        lambda x: x.var(-1),
        lambda v, x: v[:, None] * 2 * (x - x.mean(-1, keepdim=True)) / 5,
        mixed(3, 5),
    ),
    wrong(
        "deviation not divided by itself",
        lambda x: x.std(-1),
        lambda v, x: v[:, None] * (x - x.mean(-1, keepdim=True)) / 4,
        mixed(3, 5),
    ),
    wrong("product not divided", lambda x: x.prod(-1), lambda v, x: v * x.prod() / x**2, mixed(6)),
    wrong(
        "norm of order 3 without the sign",
        lambda x: x.norm(p=3),
        lambda v, x: v * x.square() / x.norm(p=3).square(),
        mixed(7),
    ),
    wrong(
        "mean squared error without 2 / n",
        lambda a, b: functional.mse_loss(a, b),
        lambda v, a, b: (v * (a - b), v * (b - a)),
        mixed(3, 4),
        mixed(3, 4),
    ),
    wrong(
        "divided by a maximum held constant",
        lambda x: x / x.amax(),
        lambda v, x: v / x.amax(),
        positive(6),
    ),
    wrong(
        "maximum given to all ties",
        lambda x: x.amax(-1),
        spread_to_ties,
        with_ties([0.5, 2.0, 2.0], [1.0, 0.0, -1.0]),
        misleading=("normalises over the wrong dimension",),
    ),
    wrong(
        "max pooling given to all ties",
        lambda x: functional.max_pool1d(x, 2),
        pool_all_ties,
        with_ties([0.5, 0.5, 1.0, 2.0], [3.0, 1.0, 0.25, 0.25]),
    ),
    wrong(
        "quantile without its upper neighbour",
        lambda x: x.quantile(0.3),
        lower_neighbour,
        mixed(7),
    ),
)

"""Derivatives that forget what couples the entries of a row: sums, means, norms, masks."""

from __future__ import annotations

import torch

from wrong.exhibit import Exhibit, Tensor, normals, point, rule


def _softmax_pull(x: Tensor, g: Tensor) -> Tensor:
    y = x.softmax(-1)
    return y * (g - (g * y).sum(-1, keepdim=True))


def _softmax(name: str, *shape: int, cause: str) -> Exhibit:
    return Exhibit(
        name,
        rule(name, lambda x: x.softmax(-1), lambda x, g: g * x.softmax(-1)),
        point(*shape),
        cause=cause,
        right=rule("softmax", lambda x: x.softmax(-1), _softmax_pull),
        probes=("auto", "full") if shape[0] * shape[1] < 100 else ("auto",),
    )


def _spread(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    return x.var(dims, correction=0, keepdim=True).sqrt()


def _norm(x: Tensor) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / _spread(x, (-1,))


def _layer_norm(name: str, backward: object, cause: str, *shape: int) -> Exhibit:
    return Exhibit(name, rule(name, _norm, backward), point(*shape), cause=cause, right=_norm)


def _forgets_the_mean(x: Tensor, g: Tensor) -> Tensor:
    y = _norm(x)
    return (g - y * (g * y).mean(-1, keepdim=True)) / _spread(x, (-1,))


def _forgets_the_variance(x: Tensor, g: Tensor) -> Tensor:
    return (g - g.mean(-1, keepdim=True)) / _spread(x, (-1,))


def _batch_norm(x: Tensor) -> Tensor:
    return (x - x.mean((0, 2), keepdim=True)) / _spread(x, (0, 2))


def _unit(x: Tensor) -> Tensor:
    return x / x.norm(dim=-1, keepdim=True)


def _causal(x: Tensor) -> Tensor:
    return 2 * x.tril()


_CHOSEN = torch.randint(0, 300, (200,), generator=torch.Generator().manual_seed(0))


def _overwrites(w: Tensor, g: Tensor) -> Tensor:
    gradient = torch.zeros_like(w)
    gradient[_CHOSEN] = g
    return gradient


EXHIBITS = [
    _softmax(
        "softmax_forgets_its_row_sum",
        3,
        5,
        cause="measured − claimed is a multiple of out along dimension 1",
    ),
    _softmax(
        "large_softmax_forgets_its_row_sum", 40, 60, cause="a sum along dimension 1 is missing"
    ),
    Exhibit(
        "large_softmax_keeps_its_diagonal_only",
        rule(
            "large_softmax_keeps_its_diagonal_only",
            lambda x: x.softmax(-1),
            lambda x, g: g * x.softmax(-1) * (1 - x.softmax(-1)),
        ),
        point(40, 60),
        cause="that couple different indices along dimension 1",
        right=rule("softmax", lambda x: x.softmax(-1), _softmax_pull),
        probes=("auto",),
    ),
    Exhibit(
        "log_softmax_forgets_its_row_sum",
        rule("log_softmax_forgets_its_row_sum", lambda x: x.log_softmax(-1), lambda x, g: g * 1),
        point(3, 5),
        cause="a multiple of softmax(x) along dimension 1",
        right=lambda x: x.log_softmax(-1),
    ),
    _layer_norm(
        "layer_norm_forgets_the_mean",
        _forgets_the_mean,
        "measured − claimed is constant along dimension 1",
        4,
        7,
    ),
    _layer_norm(
        "layer_norm_forgets_the_variance",
        _forgets_the_variance,
        "the term through the variance along dimension 1 is missing",
        4,
        7,
    ),
    Exhibit(
        "batch_norm_takes_its_statistics_for_constants",
        rule(
            "batch_norm_takes_its_statistics_for_constants",
            _batch_norm,
            lambda x, g: g / _spread(x, (0, 2)),
        ),
        point(3, 4, 5),
        cause="the terms through mean and variance along dimensions 0 and 2 are missing",
        right=_batch_norm,
    ),
    Exhibit(
        "unit_vectors_forget_their_length",
        rule(
            "unit_vectors_forget_their_length",
            _unit,
            lambda x, g: g / x.norm(dim=-1, keepdim=True),
        ),
        point(3, 6),
        cause="what multiplies x is taken for a constant",
        right=_unit,
    ),
    Exhibit(
        "causal_mask_is_forgotten",
        rule("causal_mask_is_forgotten", _causal, lambda x, g: 2 * g),
        point(6, 6),
        cause="a mask is missing in the backward",
        shows=("the upper triangle, without the diagonal", "15 of 36"),
        right=_causal,
    ),
    Exhibit(
        "large_causal_mask_is_forgotten",
        rule("large_causal_mask_is_forgotten", _causal, lambda x, g: 2 * g),
        point(40, 40),
        cause="a mask is missing",
        shows=("the upper triangle, without the diagonal of x",),
        right=_causal,
        probes=("auto",),
    ),
    Exhibit(
        "large_embedding_overwrites_instead_of_adding",
        rule(
            "large_embedding_overwrites_instead_of_adding",
            lambda w: w[_CHOSEN] * 1,
            _overwrites,
            batches=False,
        ),
        point(300, 8),
        cause="written over instead of added",
        right=lambda w: w[_CHOSEN] * 1,
        probes=("auto",),
    ),
    Exhibit(
        "scale_of_each_row_is_forgotten",
        rule(
            "scale_of_each_row_is_forgotten",
            lambda x, s: x.sin() * s,
            lambda x, s, g: (g * x.cos(), (g * x.sin()).sum(1, keepdim=True)),
        ),
        lambda: (normals(4, 5), normals(4, 1, seed=1).abs() + 0.5),
        cause="claimed × s = measured",
        shows=("a factor s is missing",),
        right=lambda x, s: x.sin() * s,
    ),
    Exhibit(
        "scale_of_each_row_that_is_no_input_is_forgotten",
        rule(
            "scale_of_each_row_that_is_no_input_is_forgotten",
            lambda x: x.sin() * torch.arange(2.0, 6.0)[:, None],
            lambda x, g: g * x.cos(),
        ),
        point(4, 5),
        cause="a scale along dimension 0 is wrong or missing",
        right=lambda x: x.sin() * torch.arange(2.0, 6.0)[:, None],
    ),
    Exhibit(
        "large_scale_of_each_column_that_is_no_input_is_forgotten",
        rule(
            "large_scale_of_each_column_that_is_no_input_is_forgotten",
            lambda x: x.sin() * torch.linspace(2.0, 6.0, 40),
            lambda x, g: g * x.cos(),
        ),
        point(30, 40),
        cause="a scale along dimension 1 is wrong or missing",
        right=lambda x: x.sin() * torch.linspace(2.0, 6.0, 40),
        probes=("auto",),
    ),
]

"""Derivatives with the right numbers in the wrong places, or wrong numbers in a few places."""

from __future__ import annotations

import torch

from wrong.exhibit import Exhibit, Rule, Tensor, away_from_zero, normals, point, rule

_DOUBLE = rule("double", lambda x: 2 * x, lambda x, g: 2 * g)


def one_wrong_entry(place: int, factor: float = 1.01) -> Rule:
    """Return f(x) = 2x whose backward is wrong in one entry."""

    def backward(x: Tensor, g: Tensor) -> Tensor:
        gradient = 2 * g
        gradient[place] *= factor
        return gradient

    return rule("one_wrong_entry", lambda x: 2 * x, backward, batches=False)


def _single(size: int, place: int, probes: tuple[str, ...] = ("auto",)) -> Exhibit:
    return Exhibit(
        f"one_wrong_entry_of_{size}",
        one_wrong_entry(place),
        point(size),
        shows=(f"∂out[{place}] / ∂x[{place}]", "2.02", "1 of"),
        right=_DOUBLE,
        probes=probes,
    )


def _permuted(size: int, probes: tuple[str, ...]) -> Exhibit:
    order = torch.randperm(size, generator=torch.Generator().manual_seed(3))
    return Exhibit(
        f"permuted_{size}",
        rule("permuted", lambda x: 2 * x, lambda x, g: 2 * g[order]),
        point(size),
        cause="permuted" if size < 100 else None,
        right=_DOUBLE,
        probes=probes,
    )


def _reversed(size: int, probes: tuple[str, ...]) -> Exhibit:
    return Exhibit(
        f"reversed_{size}",
        rule("reversed", lambda x: 2 * x, lambda x, g: 2 * g.flip(0)),
        point(size),
        cause="reversed",
        right=_DOUBLE,
        probes=probes,
    )


def _rolled(size: int, probes: tuple[str, ...]) -> Exhibit:
    return Exhibit(
        f"rolled_the_wrong_way_{size}",
        rule("rolled_the_wrong_way", lambda x: x.roll(1, 0), lambda x, g: g.roll(1, 0)),
        point(size),
        cause="shifted",
        right=rule("rolled", lambda x: x.roll(1, 0), lambda x, g: g.roll(-1, 0)),
        probes=probes,
    )


def _transposed(rows: int, columns: int, probes: tuple[str, ...]) -> Exhibit:
    return Exhibit(
        f"transposed_{rows}x{columns}",
        rule(
            "transposed",
            lambda x: x.t() * 2,
            lambda x, g: (2 * g).reshape(x.shape),
        ),
        point(rows, columns),
        cause="transpose",
        right=rule("transposing", lambda x: x.t() * 2, lambda x, g: 2 * g.t()),
        probes=probes,
    )


def _wrong_where(name: str, mask: Rule, cause: str | None, shows: tuple[str, ...]) -> Exhibit:
    """Sin of 12 numbers, 5 % too large where `mask` says so."""
    return Exhibit(
        name,
        rule(name, lambda x: x.sin(), lambda x, g: g * x.cos() * torch.where(mask(x), 1.05, 1.0)),
        lambda: (away_from_zero(12),),
        cause=cause,
        shows=shows,
        right=torch.sin,
    )


def _index(x: Tensor) -> Tensor:
    return torch.arange(x.numel())


def _block_kernel(x: Tensor, g: Tensor) -> Tensor:
    """A kernel of block size 128 that forgets the tail."""
    return torch.cat([g[:128] * x[:128].cos(), torch.zeros_like(g[128:])])


_CHOSEN = torch.tensor([0, 2, 2, 3])


def _overwrites(x: Tensor, g: Tensor) -> Tensor:
    gradient = torch.zeros_like(x)
    gradient[_CHOSEN] = g
    return gradient


def _scatters(x: Tensor, g: Tensor) -> Tensor:
    return torch.zeros_like(x).index_add(0, _CHOSEN, g)


EXHIBITS = [
    _single(100, 63, ("auto", "full")),
    _single(300, 217, ("auto", "full")),
    _single(1_000, 998),
    _single(10_000, 4_321),
    _permuted(12, ("auto", "full")),
    _permuted(3_000, ("auto",)),
    _reversed(12, ("auto", "full")),
    _reversed(3_000, ("auto",)),
    _rolled(10, ("auto", "full")),
    _rolled(1_000, ("auto",)),
    _transposed(4, 4, ("auto", "full")),
    _transposed(3, 5, ("auto", "full")),
    _transposed(32, 32, ("auto",)),
    _transposed(100, 60, ("auto",)),
    _wrong_where(
        "wrong_from_index_7_on", lambda x: _index(x) >= 7, "wrong from index 7 on", ("5 of",)
    ),
    _wrong_where("wrong_at_the_last_index", lambda x: _index(x) == 11, "border", ("x[11]",)),
    _wrong_where(
        "wrong_at_both_ends",
        lambda x: (_index(x) == 0) | (_index(x) == 11),
        "border",
        ("x[0]", "x[11]"),
    ),
    _wrong_where("wrong_at_every_other_index", lambda x: _index(x) % 2 == 1, None, ("6 of",)),
    _wrong_where("wrong_where_x_is_negative", lambda x: x < 0, None, ("x[",)),
    Exhibit(
        "block_kernel_forgets_its_tail",
        rule("block_kernel_forgets_its_tail", lambda x: x.sin(), _block_kernel),
        point(130),
        cause="from index 128 on",
        shows=("2 of", "x[129]", "x[128]"),
        right=torch.sin,
    ),
    Exhibit(
        "gather_overwrites_instead_of_adding",
        rule(
            "gather_overwrites_instead_of_adding", lambda x: x[_CHOSEN], _overwrites, batches=False
        ),
        point(5),
        shows=("∂out[1] / ∂x[2]",),
        cause="a term is missing",
        right=rule("gather", lambda x: x[_CHOSEN], _scatters),
    ),
    Exhibit(
        "cumulative_sum_runs_the_wrong_way",
        rule(
            "cumulative_sum_runs_the_wrong_way",
            lambda x: x.cumsum(0),
            lambda x, g: g.cumsum(0),
        ),
        point(9),
        right=rule(
            "cumulative_sum", lambda x: x.cumsum(0), lambda x, g: g.flip(0).cumsum(0).flip(0)
        ),
    ),
    Exhibit(
        "crop_is_off_by_one",
        rule(
            "crop_is_off_by_one",
            lambda x: x[1:-1] * 1,
            lambda x, g: torch.nn.functional.pad(g, (0, 2)),
        ),
        point(9),
        cause="shifted",
        right=rule("crop", lambda x: x[1:-1] * 1, lambda x, g: torch.nn.functional.pad(g, (1, 1))),
    ),
    Exhibit(
        "matrix_product_transposes_its_weight_gradient",
        rule(
            "matrix_product_transposes_its_weight_gradient",
            lambda x, w: x @ w,
            lambda x, w, g: (g @ w.t(), g.t() @ x),
        ),
        lambda: (normals(6, 4), normals(4, 4, seed=1)),
        shows=("∂w",),
        cause="transpose",
        right=torch.matmul,
    ),
    Exhibit(
        "convolution_forgets_to_flip_its_kernel",
        rule(
            "convolution_forgets_to_flip_its_kernel",
            lambda x, w: torch.nn.functional.conv1d(x, w, padding=1),
            lambda x, w, g: (
                torch.nn.functional.conv1d(g, w.transpose(0, 1), padding=1),
                torch.nn.grad.conv1d_weight(x, w.shape, g, padding=1),
            ),
        ),
        lambda: (normals(1, 2, 7), normals(3, 2, 3, seed=1)),
        shows=("∂x",),
        right=lambda x, w: torch.nn.functional.conv1d(x, w, padding=1),
    ),
    Exhibit(
        "one_wrong_entry_deep_in_a_container",
        lambda batch: one_wrong_entry(3)(batch["layers"][1]["w"]) + batch["layers"][0].sum(),
        lambda: ({"layers": [normals(4), {"w": normals(5, seed=1)}]},),
        shows=('batch["layers"][1]["w"][3]',),
        right=lambda batch: 2 * batch["layers"][1]["w"] + batch["layers"][0].sum(),
    ),
]

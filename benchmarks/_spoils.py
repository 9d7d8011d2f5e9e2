"""The kinds of planted errors: each takes a pull and a site, and gives spoiled gradients.

Every kind is written at size 1; `spoiled` blends it with the truth. One entry, row or column is
then off by the size times the largest entry of its Jacobian, a reversed gradient is reversed by
that share, and so on. Kinds that break a law instead of a derivative come at size 1 alone, unless
they blend.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

import _museum  # noqa: F401 for what follows
from wrong.spoiling import Gradients, Pull, Spoil

__all__ = ["KINDS", "SIZES", "Kind", "Site", "pairs", "spoil_at"]

SIZES = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)


@dataclass(frozen=True)
class Site:
    """Where an error is planted: a leaf, and entries of one of its Jacobians, by flat index."""

    leaf: int
    output: int
    row: int  # an output element of weight,
    column: int  # the element of the leaf that weighs most in that row,
    any_row: int  # and elements drawn without looking, zero or not
    any_column: int
    largest: float  # entry of the Jacobian between this output and this leaf


@dataclass(frozen=True)
class Kind:
    """One kind of error, how it spoils, and what shape the leaf must have."""

    spoil: Callable[[Pull, Site], Gradients]
    is_sized: bool = True
    is_linear: bool = True  # its wrongness shows in the Jacobian, else in pulls or in what is left
    is_of_one_leaf: bool = True
    fits: Callable[[torch.Size], bool] = lambda _: True


def spoil_at(kind: str, site: Site) -> Spoil:
    """A kind's way of spoiling, at one site."""
    return lambda pull: KINDS[kind].spoil(pull, site)


def pairs(kinds: Sequence[str], sizes: Sequence[float]) -> list[tuple[str, float]]:
    """Every kind at every size it comes in."""
    return [(kind, size) for size in sizes for kind in kinds if size == 1.0 or KINDS[kind].is_sized]


def only(pull: Pull, leaf: int, change: Callable[[torch.Tensor], torch.Tensor]) -> Gradients:
    """The gradients, one leaf's changed."""
    return tuple(
        change(gradient) if place == leaf and gradient is not None else gradient
        for place, gradient in enumerate(pull.gradients)
    )


def every(pull: Pull, change: Callable[[torch.Tensor], torch.Tensor]) -> Gradients:
    """The gradients, all changed."""
    return tuple(None if gradient is None else change(gradient) for gradient in pull.gradients)


def cotangent_at(pull: Pull, site: Site, row: int) -> torch.Tensor:
    """The real part of one entry of a cotangent."""
    return pull.cotangents[site.output].reshape(-1)[row].real


def at(gradient: torch.Tensor, column: int, value: torch.Tensor | float) -> torch.Tensor:
    """A gradient with a value added to one entry."""
    flat = gradient.clone(memory_format=torch.contiguous_format).view(-1)
    flat[column] += value
    return flat.view(gradient.shape)


def entry(pull: Pull, site: Site) -> Gradients:
    """One entry of the Jacobian, wherever it lies."""
    error = site.largest * cotangent_at(pull, site, site.any_row)
    return only(pull, site.leaf, lambda gradient: at(gradient, site.any_column, error))


def row(pull: Pull, site: Site) -> Gradients:
    """All inputs' terms of one output."""
    error = site.largest * cotangent_at(pull, site, site.any_row)
    return only(pull, site.leaf, lambda gradient: gradient + error)


def column(pull: Pull, site: Site) -> Gradients:
    """All outputs' terms of one input."""
    error = site.largest * pull.cotangents[site.output].real.sum()
    return only(pull, site.leaf, lambda gradient: at(gradient, site.any_column, error))


def swapped(pull: Pull, site: Site) -> Gradients:
    """Two entries of the gradient have changed places."""

    def swap(gradient: torch.Tensor) -> torch.Tensor:
        flat = gradient.clone(memory_format=torch.contiguous_format).view(-1)
        flat[[site.column, site.any_column]] = flat[[site.any_column, site.column]]
        return flat.view(gradient.shape)

    return only(pull, site.leaf, swap)


def reverse(pull: Pull, site: Site) -> Gradients:
    """The last entry comes first."""
    return only(pull, site.leaf, lambda gradient: gradient.reshape(-1).flip(0).view(gradient.shape))


def transpose(pull: Pull, site: Site) -> Gradients:
    """The last two dimensions are transposed, and read in the order of the right ones."""
    return only(
        pull, site.leaf, lambda gradient: gradient.transpose(-1, -2).reshape(gradient.shape)
    )


def drop_output(pull: Pull, site: Site) -> Gradients:
    """One output's contribution is missing."""
    masked = list(pull.cotangents)
    masked[site.output] = at(masked[site.output], site.row, -masked_entry(pull, site))
    return pull.again(masked)


def masked_entry(pull: Pull, site: Site) -> torch.Tensor:
    """The entry of a cotangent that is dropped, real or complex."""
    return pull.cotangents[site.output].reshape(-1)[site.row]


def drop_input(pull: Pull, site: Site) -> Gradients:
    """One input's gradient is missing."""
    return only(
        pull,
        site.leaf,
        lambda gradient: at(gradient, site.column, -gradient.reshape(-1)[site.column]),
    )


def drop_leaf(pull: Pull, site: Site) -> Gradients:
    """A whole leaf's gradient is missing."""
    return only(pull, site.leaf, torch.zeros_like)


def through(bend: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[Pull, Site], Gradients]:
    """The true gradients of a cotangent that was bent first, real and imaginary part alike."""

    def bent(cotangent: torch.Tensor) -> torch.Tensor:
        if cotangent.is_complex():
            return torch.view_as_complex(bend(torch.view_as_real(cotangent.resolve_conj())))
        return bend(cotangent)

    return lambda pull, _: pull.again([bent(cotangent) for cotangent in pull.cotangents])


def read_as_contiguous(pull: Pull, _: Site) -> Gradients:
    """Reads a cotangent in the order of its storage; beyond its end it begins again."""

    def read(cotangent: torch.Tensor) -> torch.Tensor:
        if cotangent.is_contiguous():
            return cotangent
        held = cotangent.untyped_storage().nbytes() // cotangent.element_size()
        places = torch.arange(cotangent.numel()) % max(held - cotangent.storage_offset(), 1)
        flat = cotangent.as_strided((held,), (1,), 0)
        return flat[cotangent.storage_offset() + places].view(cotangent.shape)

    return pull.again([read(cotangent) for cotangent in pull.cotangents])


def read_first_of_expanded(pull: Pull, _: Site) -> Gradients:
    """Where a cotangent is one number expanded, writes that number once and zeros beside it."""

    def read(cotangent: torch.Tensor) -> torch.Tensor:
        layout = zip(cotangent.stride(), cotangent.shape, strict=True)
        if not any(stride == 0 and length > 1 for stride, length in layout):
            return cotangent
        flat = torch.zeros_like(cotangent, memory_format=torch.contiguous_format).view(-1)
        flat[0] = cotangent.reshape(-1)[0]
        return flat.view(cotangent.shape)

    return pull.again([read(cotangent) for cotangent in pull.cotangents])


def write_cotangent(pull: Pull, _: Site) -> Gradients:
    """Doubles the cotangents it was handed, after it has used them."""
    for cotangent in pull.cotangents:
        cotangent.mul_(2)
    return pull.gradients


def write_input(pull: Pull, site: Site) -> Gradients:
    """Halves a saved input, behind autograd's back, after it has used it."""
    gradients = tuple(None if one is None else one.clone() for one in pull.gradients)
    pull.inputs[site.leaf].data.mul_(0.5)
    return gradients


def doubled_where(
    region: Callable[[torch.Tensor], torch.Tensor],
) -> Callable[[Pull, Site], Gradients]:
    """Twice the gradient in a region of the leaf, given by a mask made from its values."""

    def spoil(pull: Pull, site: Site) -> Gradients:
        mask = region(pull.inputs[site.leaf].detach())
        return only(pull, site.leaf, lambda gradient: torch.where(mask, 2 * gradient, gradient))

    return spoil


def last_index(values: torch.Tensor) -> torch.Tensor:
    """The last index of the last dimension."""
    mask = torch.zeros_like(values, dtype=torch.bool)
    mask[..., -1] = True
    return mask


def border(values: torch.Tensor) -> torch.Tensor:
    """The first and the last index of every dimension that has more than two."""
    mask = torch.zeros_like(values, dtype=torch.bool)
    for dimension, length in enumerate(values.shape):
        if length > 2:
            mask.select(dimension, 0).fill_(True)
            mask.select(dimension, -1).fill_(True)
    return mask


def last_third(values: torch.Tensor) -> torch.Tensor:
    """From some index on, counted through all dimensions."""
    return torch.arange(values.numel()).view(values.shape) >= values.numel() * 2 // 3


def large_values(values: torch.Tensor) -> torch.Tensor:
    """Where the input is large: above the widest gap in the middle half of its values.

    No entry lies near the border, so that the region does not hang on anybody's rounding.
    """
    ordered = values.flatten().sort().values
    least = len(ordered) // 4
    middle = ordered[least : len(ordered) - least]
    if len(middle) < 2:
        return values > ordered[0]
    place = int(middle.diff().argmax())
    return values > (middle[place] + middle[place + 1]) / 2


def has_two(shape: torch.Size) -> bool:
    """Whether there are two entries to tell apart."""
    return shape.numel() > 1


def is_matrix(shape: torch.Size) -> bool:
    """Whether there is something to transpose."""
    return len(shape) > 1 and shape[-1] > 1 and shape[-2] > 1


def has_inside(shape: torch.Size) -> bool:
    """Whether some dimension has more than its border."""
    return any(length > 2 for length in shape)


KINDS: dict[str, Kind] = {
    "one entry": Kind(entry),
    "one row": Kind(row),
    "one column": Kind(column),
    "all scaled": Kind(lambda pull, _: every(pull, lambda g: 2 * g), is_of_one_leaf=False),
    "sign": Kind(lambda pull, _: every(pull, torch.neg), is_sized=False, is_of_one_leaf=False),
    "two swapped": Kind(swapped, fits=has_two),
    "reversed": Kind(reverse, fits=has_two),
    "transposed": Kind(transpose, fits=is_matrix),
    "output dropped": Kind(drop_output),
    "input dropped": Kind(drop_input),
    "leaf dropped": Kind(drop_leaf),
    "abs of v": Kind(through(torch.abs), is_linear=False, is_of_one_leaf=False),
    "relu of v": Kind(through(torch.relu), is_linear=False, is_of_one_leaf=False),
    "v clamped": Kind(through(lambda v: v.clamp(-1, 1)), is_linear=False, is_of_one_leaf=False),
    "v read as contiguous": Kind(
        read_as_contiguous, is_sized=False, is_linear=False, is_of_one_leaf=False
    ),
    "v expanded": Kind(
        read_first_of_expanded, is_sized=False, is_linear=False, is_of_one_leaf=False
    ),
    "writes into v": Kind(write_cotangent, is_sized=False, is_linear=False, is_of_one_leaf=False),
    "writes into input": Kind(write_input, is_sized=False, is_linear=False),
    "last index": Kind(doubled_where(last_index), fits=lambda shape: shape[-1:].numel() > 1),
    "border": Kind(doubled_where(border), fits=has_inside),
    "last third": Kind(doubled_where(last_third), fits=has_two),
    "large inputs": Kind(doubled_where(large_values), fits=has_two),
}

"""What the gradients of a function are, and whether a planted error really is one.

Takes a `Case` and gives its `Truth`: rows of its Jacobians, by one pull each; all rows of a small
function, some of a large one. A plant counts only if it changes what is pulled by at least half of
its nominal size, in units of the largest entry; no checker is asked about that.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

import _museum  # noqa: F401 for what follows
from _database import Case
from _spoils import KINDS, Site, spoil_at
from wrong.spoiling import Gradients, spoiled

__all__ = ["Plant", "Row", "Truth", "plant", "truth_of"]

MOST_ROWS = 300  # of the truth; a function with more outputs is looked at in so many drawn ones
COMPARED_ROWS = 48  # of a planted Jacobian, beside the row the plant was meant for
ROUNDING = 1e-10  # of outputs' over inputs' size: a Jacobian below that is the rounding of a zero


@dataclass(frozen=True)
class Row:
    """One row of every Jacobian of one output: what a unit cotangent pulls."""

    output: int
    index: int  # flat
    unit: complex
    gradients: Gradients


@dataclass(frozen=True)
class Truth:
    """The rows looked at, and the largest entry of every Jacobian that is not zero."""

    case: Case
    rows: tuple[Row, ...]
    largest: dict[tuple[int, int], float]  # (output, leaf)
    is_whole: bool


@dataclass(frozen=True)
class Plant:
    """A planted error that is wrong."""

    kind: str
    size: float
    site: Site
    case: Case  # the same inputs, the planted function


def fresh(case: Case) -> tuple[torch.Tensor, ...]:
    """The inputs, in copies that a backward may write into."""
    return tuple(tensor.detach().clone().requires_grad_() for tensor in case.inputs)


def outputs_of(case: Case, inputs: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """The outputs, as a tuple."""
    with torch.random.fork_rng(devices=[]):
        output = case.function(*inputs)
    return output if isinstance(output, tuple) else (output,)


def pull(
    outputs: Sequence[torch.Tensor],
    inputs: Sequence[torch.Tensor],
    cotangents: Sequence[torch.Tensor | None],
) -> Gradients:
    """The gradients as autograd tells them; an absent cotangent leaves its output out."""
    asked = [
        (output, cotangent)
        for output, cotangent in zip(outputs, cotangents, strict=True)
        if cotangent is not None and output.requires_grad
    ]
    return torch.autograd.grad(
        [output for output, _ in asked],
        inputs,
        [cotangent for _, cotangent in asked],
        retain_graph=True,
        allow_unused=True,
    )


def pull_unit(
    outputs: Sequence[torch.Tensor], inputs: Sequence[torch.Tensor], row: tuple[int, int, complex]
) -> Gradients:
    """One row of every Jacobian."""
    place, index, unit = row
    cotangents: list[torch.Tensor | None] = [None] * len(outputs)
    cotangent = torch.zeros_like(outputs[place], memory_format=torch.contiguous_format)
    cotangent.view(-1)[index] = unit if cotangent.is_complex() else unit.real
    cotangents[place] = cotangent.detach()
    return pull(outputs, inputs, cotangents)


def truth_of(case: Case, chance: random.Random) -> Truth:
    """Pull the rows of the Jacobians: all, or the first, the last and some between."""
    inputs = fresh(case)
    outputs = outputs_of(case, inputs)
    places = [
        (place, index, unit)
        for place, output in enumerate(outputs)
        if output.requires_grad
        for index in range(output.numel())
        for unit in ((1 + 0j, 1j) if output.is_complex() else (1 + 0j,))
    ]
    is_whole = len(places) <= MOST_ROWS
    if not is_whole:
        places = [places[0], places[-1], *chance.sample(places[1:-1], COMPARED_ROWS)]
    rows = tuple(Row(*place, pull_unit(outputs, inputs, place)) for place in places)
    return Truth(case, rows, dict(heaviest(rows, outputs, inputs)), is_whole)


def heaviest(
    rows: Sequence[Row], outputs: Sequence[torch.Tensor], inputs: Sequence[torch.Tensor]
) -> Iterator[tuple[tuple[int, int], float]]:
    """The largest entry of every Jacobian that is finite and more than rounding."""
    for place, output in enumerate(outputs):
        for leaf, tensor in enumerate(inputs):
            entries = [largest_of(row.gradients[leaf]) for row in rows if row.output == place]
            largest = max(entries, default=0.0)
            scale = largest_of(output) / max(largest_of(tensor), 1.0)
            if largest > ROUNDING * scale and largest < float("inf"):
                yield (place, leaf), largest


def largest_of(tensor: torch.Tensor | None) -> float:
    """The largest magnitude; NaN counts as infinite."""
    if tensor is None or not tensor.numel():
        return 0.0
    largest = float(tensor.detach().abs().max())
    return largest if largest == largest else float("inf")


def plant(truth: Truth, kind: str, size: float, chance: random.Random) -> Plant | None:
    """An error of this kind and size, at the first drawn place where it is one; None if nowhere."""
    form = KINDS[kind]
    couples = list(truth.largest)
    chance.shuffle(couples)
    for output, leaf in couples if form.is_of_one_leaf else couples[:1]:
        case = truth.case
        if not form.fits(case.inputs[leaf].shape):
            continue
        site = draw_site(truth, output, leaf, chance)
        function = spoiled(case.function, spoil_at(kind, site), size)
        made = Plant(kind, size, site, Case(case.name, case.operator, function, case.inputs, 0))
        if changes_rows(truth, made) if form.is_linear else breaks_a_law(truth, made, chance):
            return made
    return None


def draw_site(truth: Truth, output: int, leaf: int, chance: random.Random) -> Site:
    """A heavy entry of one Jacobian, and any other."""
    largest = truth.largest[output, leaf]
    own = [row for row in truth.rows if row.output == output]
    heavy = chance.choice([row for row in own if largest_of(row.gradients[leaf]) >= largest / 2])
    gradient = heavy.gradients[leaf]
    assert gradient is not None
    return Site(
        leaf=leaf,
        output=output,
        row=heavy.index,
        column=int(gradient.reshape(-1).abs().argmax()),
        any_row=chance.choice(own).index,
        any_column=chance.randrange(gradient.numel()),
        largest=largest,
    )


def changes_rows(truth: Truth, made: Plant) -> bool:
    """Whether some entry of a Jacobian is off by half the nominal size or more."""
    inputs = fresh(made.case)
    outputs = outputs_of(made.case, inputs)
    meant = {made.site.row, made.site.any_row}
    stride = -(-len(truth.rows) // COMPARED_ROWS)
    for number, row in enumerate(truth.rows):
        if number % stride and (row.output != made.site.output or row.index not in meant):
            continue
        gradients = pull_unit(outputs, inputs, (row.output, row.index, row.unit))
        for leaf, (claimed, true) in enumerate(zip(gradients, row.gradients, strict=True)):
            largest = truth.largest.get((row.output, leaf), float("inf"))
            if apart(claimed, true) >= 0.5 * made.size * largest * (1 - 1e-6):
                return True
    return False


def breaks_a_law(truth: Truth, made: Plant, chance: random.Random) -> bool:
    """Whether a pull is wrong for a signed, a gapped or an expanded cotangent, or leaves damage."""
    generator = torch.Generator().manual_seed(chance.randrange(2**31))
    true_inputs, inputs = fresh(made.case), fresh(made.case)
    true_outputs = outputs_of(truth.case, true_inputs)
    for stored in (as_drawn, with_gaps, expanded):
        outputs = outputs_of(made.case, inputs)
        cotangents = [stored(signed(output, generator)) for output in outputs]
        copies = [cotangent.clone() for cotangent in cotangents]
        true = pull(true_outputs, true_inputs, copies)
        claimed = pull(outputs, inputs, cotangents)
        for one, other in zip(claimed, true, strict=True):
            if apart(one, other) >= 0.5 * made.size * largest_of(other) > 0:
                return True
        pairs = [*zip(cotangents, copies, strict=True), *zip(inputs, true_inputs, strict=True)]
        if any(not torch.equal(one, other) for one, other in pairs):
            return True
    return False


def apart(one: torch.Tensor | None, other: torch.Tensor | None) -> float:
    """The largest difference between two gradients; an absent one is zero."""
    if one is None or other is None:
        return largest_of(other if one is None else one)
    return largest_of(one - other)


def signed(output: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """A random cotangent of both signs, some of it beyond one."""
    return 2 * torch.randn(output.shape, dtype=output.dtype, generator=generator)


def as_drawn(cotangent: torch.Tensor) -> torch.Tensor:
    """A contiguous cotangent."""
    return cotangent


def with_gaps(cotangent: torch.Tensor) -> torch.Tensor:
    """The same numbers with another number between any two of them."""
    buffer = torch.ones(*cotangent.shape, 2, dtype=cotangent.dtype)
    buffer[..., 0] = cotangent
    return buffer[..., 0]


def expanded(cotangent: torch.Tensor) -> torch.Tensor:
    """One number in every place, stored once."""
    return cotangent.reshape(-1)[:1].reshape(()).expand(cotangent.shape)

"""Which output of the kernel is held against which of the reference's, and what keeps them apart.

Outputs are paired in the order of their leaves. Another number of them, another shape or another
kind of number is a FAIL of its own; numbers that are no floats are equal or they are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .._findings import Verdict
from .._problem.trees import spell_structure
from .._report.comparison import ComparisonRow
from .._spaces.base import index_label
from .._words import comparisons as words
from .._words.reason import Reason
from .side import Run, carry


@dataclass(slots=True)
class Pairing:
    """The outputs that can be compared, by their place, and what is said about the others."""

    places: list[int] = field(default_factory=list)
    rows: list[ComparisonRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def pair(kernel: Run, truth: Run, yardstick: Run | None) -> Pairing:
    """Lay the answers of kernel and reference side by side."""
    pairing = Pairing()
    own, other = spell_structure(kernel.structure), spell_structure(truth.structure)
    if len(kernel.answers) != len(truth.answers):
        reasons = (words.OTHER_OUTPUTS(kernel=own, reference=other),)
        pairing.rows.append(ComparisonRow("out", Verdict.FAIL, reasons=reasons))
        return pairing
    if kernel.structure != truth.structure:
        pairing.notes.append(
            f"the kernel returns {own}, the reference {other}: outputs are compared in this order"
        )
    for place in range(len(kernel.answers)):
        difference = _difference(kernel, truth, place)
        if difference is not None:
            row = ComparisonRow(kernel.path(place), Verdict.FAIL, reasons=(difference,))
            pairing.rows.append(row)
        elif place in kernel.spaces:
            pairing.places.append(place)
        elif kernel.backend.is_array(kernel.answers[place]):
            pairing.rows.append(_exact(kernel, truth, yardstick, place))
    return pairing


def is_alike(one: Run, other: Run) -> bool:
    """Say whether two runs of one function gave outputs of the same shapes and kinds."""
    return one.structure == other.structure and all(
        _difference(one, other, place) is None for place in range(len(one.answers))
    )


def _difference(kernel: Run, truth: Run, place: int) -> Reason | None:
    """Return what makes two outputs incomparable."""
    kinds = [_kind(run, place) for run in (kernel, truth)]
    if kinds[0] != kinds[1]:
        return words.OTHER_OUTPUTS(kernel=kinds[0], reference=kinds[1])
    if kinds[0] == "no array":
        return None
    shapes = [tuple(run.backend.signature(run.answers[place]).shape) for run in (kernel, truth)]
    if shapes[0] != shapes[1]:
        return words.OTHER_SHAPE(kernel=shapes[0], reference=shapes[1])
    return None


def _kind(run: Run, place: int) -> str:
    answer = run.answers[place]
    if not run.backend.is_array(answer):
        return "no array"
    if not run.backend.is_inexact(answer):
        return "whole numbers"
    return "complex numbers" if run.backend.is_complex(answer) else "real numbers"


def _exact(kernel: Run, truth: Run, yardstick: Run | None, place: int) -> ComparisonRow:
    """Return the row of an output of whole numbers: equal, or these numbers cannot tell.

    Equal to the yardstick is good enough: rounding may decide which of two is the larger.
    """
    backend = kernel.backend
    own = backend.flatten(kernel.answers[place])
    others = [
        carry(run.backend.flatten(run.answers[place]), run, kernel)
        for run in (truth, yardstick)
        if run is not None
    ]
    other = others[0]
    shape = tuple(backend.signature(kernel.answers[place]).shape)
    dtype = backend.dtype_name(kernel.answers[place])
    path, size = kernel.path(place), int(np.prod(shape, dtype=np.int64))
    if any(backend.is_equal(own, one) for one in others):
        return ComparisonRow(path, Verdict.PASS, dtype, size)
    differs = backend.to_numpy(own) != backend.to_numpy(other)
    first = int(differs.argmax())
    return ComparisonRow(
        path,
        Verdict.INCONCLUSIVE,
        dtype,
        size,
        reasons=(
            words.WHOLE_NUMBERS_DIFFER(
                count=int(differs.sum()),
                total=size,
                place=index_label(first, shape),
                kernel=float(backend.to_numpy(own)[first]),
                truth=float(backend.to_numpy(other)[first]),
            ),
        ),
    )


def widest_notes(kernel: Run, yardstick: Run, places: Sequence[int]) -> list[str]:
    """Note the outputs that the kernel returns in a wider dtype than the reference does."""
    return [
        f"{kernel.path(place)} is {_dtype(kernel, place)}; the reference, given the same inputs, "
        f"returns {_dtype(yardstick, place)}"
        for place in places
        if place in yardstick.spaces
        and kernel.spaces[place].roundoff < yardstick.spaces[place].roundoff
    ]


def _dtype(run: Run, place: int) -> str:
    return run.backend.dtype_name(run.answers[place])

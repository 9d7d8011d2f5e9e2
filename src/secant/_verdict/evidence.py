"""What is known about a failing pair of leaves: both leaves, some probes, perhaps all entries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._measure.estimate import Estimate
from .._words.reason import Reason

Numbers = np.ndarray[Any, Any]
SLACK = 1e-6
SHARP = 1e-2  # bars above this share of the measured slope show no pattern
_VISIBLE = 3.0  # bars that an error must be large by to show
_COARSE = 1e-3
_TELLING = 0.02  # and above this share of the residual none that explains it


@dataclass(frozen=True, slots=True)
class Leaf:
    """One input or output: its path, and what it holds at the point, in its own shape."""

    path: str
    values: Numbers
    unstored: Numbers | None = None  # flags of entries that a sparse leaf does not store
    names: tuple[str, ...] = ()  # of its entries, where they have some
    whole: tuple[int, ...] = ()  # the leaf's own shape, where only a part of it is held

    def entry(self, place: int) -> str:
        """Return one entry as a user writes it."""
        if self.names:
            return self.names[place]
        index = ", ".join(str(int(k)) for k in np.unravel_index(place, self.shape))
        return f"{self.path}[{index}]" if self.shape else self.path

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape as the user sees it."""
        return tuple(self.values.shape)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The leaf's dimensions, whatever part of it is held."""
        return self.whole or self.shape

    @property
    def is_complex(self) -> bool:
        """Say whether every entry has two coordinates."""
        return np.iscomplexobj(self.values)

    @property
    def grid(self) -> tuple[int, ...]:
        """The shape of the coordinates: one axis more, (real, imaginary), where complex."""
        return (*self.shape, 2) if self.is_complex else self.shape


@dataclass(frozen=True, slots=True)
class Cause:
    """The likely cause."""

    reason: Reason
    is_everywhere: bool = True  # it speaks of the whole claim: where entries are wrong is no news


@dataclass(frozen=True, slots=True)
class LeafPair:
    """A pair of leaves, and the inputs beside it."""

    input: Leaf
    output: Leaf
    others: tuple[Leaf, ...] = ()
    roundoff: float = 0.0  # the coarser one of input and output
    devices: int = 1  # of the mesh that they lie on

    @property
    def is_square(self) -> bool:
        """Say whether input and output are of one shape and kind, as for functions of entries."""
        return (
            self.input.shape == self.output.shape
            and self.input.is_complex == self.output.is_complex
        )


@dataclass(frozen=True, slots=True)
class Probed:
    """One probe of a failing pair: what was claimed, what was measured, and along what.

    Gradient and direction are arrays of the leaf's own shape, complex if the leaf is; reverse mode
    knows them, forward mode does not.
    """

    claimed: float
    measured: Estimate
    gradient: Numbers | None = None
    direction: Numbers | None = None
    conjugated: Numbers | None = None  # conj(pull(conj v)), the claim without its conjugate
    cotangent: Numbers | None = None  # v, of the output's own shape
    turned: float | None = None  # ⟨pull(u), v⟩: the claim of a Jacobian that is transposed
    mirrored: Numbers | None = None  # the pull of v reversed in space, reversed back
    rivals: dict[int, Numbers] = field(default_factory=dict)  # what other inputs are claimed

    def holds(self, claimed: float, terms: float) -> bool:
        """Say whether this claim, a sum of terms of that size, would explain the measurement."""
        return abs(claimed - self.measured.value) <= 3 * self.measured.error + SLACK * terms

    def holds_for(self, gradient: Numbers) -> bool:
        """Say whether this gradient would explain the measurement."""
        terms = self._terms(gradient)
        return self.holds(float(terms.sum()), _size(terms))

    def slope(self, gradient: Numbers) -> float:
        """Return what a gradient claims along this probe's direction."""
        return float(self._terms(gradient).sum())

    def _terms(self, gradient: Numbers) -> Numbers:
        if not np.iscomplexobj(gradient):
            return gradient * self.direction
        return np.asarray(np.real(np.conj(gradient) * self.direction))

    @property
    def is_telling(self) -> bool:
        """Say whether the residual is far beyond the bar and what rounding may amount to."""
        return self.sharpness * _TELLING >= 1.0

    @property
    def sharpness(self) -> float:
        """How many times the residual is the bar and what rounding may amount to."""
        apart = abs(self.claimed - self.measured.value)
        terms = abs(self.claimed) if self.gradient is None else _size(self._terms(self.gradient))
        blur = 3 * self.measured.error + SLACK * terms
        return apart / blur if blur else math.inf

    @property
    def is_drowned(self) -> bool:
        """Say whether one claimed term is so large that none of the others shows."""
        return self.gradient is not None and self.drowns_in(self.gradient)

    def drowns_in(self, gradient: Numbers) -> bool:
        """Say whether one term of a gradient, or of a part of it, speaks for all the others."""
        terms = np.abs(self._terms(gradient))
        others, size = _size(np.sort(terms, axis=None)[:-1]), _size(terms)
        if self.gradient is not None:
            size = max(size, _size(self._terms(self.gradient)))
        return 0 < others <= 3 * self.measured.error + SLACK * size


def _size(terms: Numbers) -> float:
    """Return the Euclidean norm, without linear algebra that starts threads."""
    return math.sqrt(float(np.square(terms).sum()))


def coordinates(array: Numbers) -> Numbers:
    """Return the real coordinates of an array, (real, imaginary) in turn where it is complex."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(np.float64) if np.iscomplexobj(flat) else flat


def tightness(evidence: Sequence[Probed]) -> dict[str, float]:
    """Return how many probes agree, and to what share of the measured slope."""
    blur = max(one.measured.error / abs(one.measured.value or 1.0) for one in evidence)
    return {"probes": len(evidence), "blur": blur}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A Jacobian, claimed and measured, (outputs, inputs): whole, or some rows and columns."""

    claimed: Numbers
    measured: Numbers
    error: Numbers
    limit: Numbers  # how far an entry may be off before it is called wrong
    wrong: Numbers  # flags
    scene: LeafPair
    some_rows: Numbers | None = None  # which coordinates of the output; None: all
    some_columns: Numbers | None = None

    @property
    def rows(self) -> Numbers:
        """The output's coordinates that the rows are about."""
        return np.arange(len(self.claimed)) if self.some_rows is None else self.some_rows

    @property
    def columns(self) -> Numbers:
        """The input's coordinates that the columns are about."""
        every = np.arange(self.claimed.shape[1])
        return every if self.some_columns is None else self.some_columns

    @property
    def is_whole(self) -> bool:
        """Say whether every entry is there."""
        return self.some_rows is None and self.some_columns is None

    def spread(self, matrix: Numbers) -> Numbers:
        """Return columns among all of the input's, with zeros where nothing is known."""
        if self.some_columns is None:
            return matrix
        whole = np.zeros((len(matrix), math.prod(self.scene.input.grid)))
        whole[:, self.some_columns] = matrix
        return whole

    @property
    def scale(self) -> float:
        """The largest measured entry."""
        return float(np.abs(self.measured).max(initial=0.0))

    @property
    def bar(self) -> Numbers:
        """How far an entry may be from another that it is said to equal."""
        sizes = np.abs(self.measured)  # rows and columns have units of their own
        scale = np.minimum(*(sizes.max(axis=k, keepdims=True, initial=0.0) for k in (0, 1)))
        bar: Numbers = np.maximum(3 * self.error + SLACK * scale, self.limit)
        return bar

    @property
    def moves(self) -> Numbers:
        """Flags: entries along which the function moves."""
        flags: Numbers = np.abs(self.measured) > self.bar
        return flags

    @property
    def claims(self) -> Numbers:
        """Flags: entries along which a slope is claimed."""
        flags: Numbers = np.abs(self.claimed) > self.bar
        return flags

    @property
    def wrong_inputs(self) -> Numbers:
        """Flags of the input's coordinates, in its grid: columns with a wrong entry."""
        flags: Numbers = self.wrong.any(axis=0).reshape(self.scene.input.grid)
        return flags

    @property
    def right_inputs(self) -> Numbers:
        """Flags of the input's coordinates: columns that are right, and would show if not."""
        return self.right.any(axis=0).reshape(self.scene.input.grid) & ~self.wrong_inputs

    @property
    def right_outputs(self) -> Numbers:
        """Flags of the output's coordinates: rows that are right, and would show if not."""
        return self.right.any(axis=1).reshape(self.scene.output.grid) & ~self.wrong_outputs

    @property
    def right(self) -> Numbers:
        """Flags: entries that are right, and in which an error of the usual share would show."""
        size = np.maximum(np.abs(self.claimed), np.abs(self.measured))
        apart = np.abs(self.claimed - self.measured)[self.wrong] / size[self.wrong]
        usual = float(np.quantile(apart, 0.25)) if apart.size else 1.0
        flags: Numbers = ~self.wrong & (usual * size > _VISIBLE * self.bar)
        return flags

    @property
    def wrong_outputs(self) -> Numbers:
        """Flags of the output's coordinates, in its grid: rows with a wrong entry."""
        flags: Numbers = self.wrong.any(axis=1).reshape(self.scene.output.grid)
        return flags

    def is_coarse(self) -> bool:
        """Say whether so much is forgiven that many a wrong entry may be called right."""
        return float(np.median(self.limit)) > _COARSE * self.scale

    def is_blurred(self) -> bool:
        """Say whether bars are so wide, or entries so undefined, that no pattern shows."""
        if not (np.isfinite(self.measured).all() and np.isfinite(self.claimed).all()):
            return True
        return float(np.median(self.error)) * 3 > SHARP * self.scale

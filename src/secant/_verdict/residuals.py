"""Terms that are missing inside a row: what claim and truth differ by has a form along a dimension.

A softmax's backward y (v − Σ v y) that forgets its sum is off by y times one number for each row; a
layer norm that takes its statistics for constants is off by a constant plus a multiple of its
input. Such a difference lies in the span of a few known vectors along a dimension:

    claimed − measured = Σₖ cₖ bₖ      with bₖ ∈ {1, x, out, softmax(x)} and c one number a fibre.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from .._words import causes, matrices
from .._words.reason import Reason
from .._words.spelling import about
from .evidence import Comparison, LeafPair, Numbers

_SPARE = 2  # entries of a fibre beyond those that fix its coefficients
_WITHIN = 1e-2  # bars above this share of the difference tell no form
_RICHER = 10.0  # limits by which claim and truth must differ from the form


@dataclass(frozen=True, slots=True)
class Form:
    """What a difference may be made of along some axes, and what that speaks of."""

    axes: tuple[int, ...]
    basis: tuple[Numbers, ...]  # arrays of the input's shape
    name: str
    scene: LeafPair

    def said(self, count: str) -> Reason:
        """Return the reason that this form is, with how many times it was seen."""
        x, y = self.scene.input, self.scene.output
        dimensions = len(x.shape)
        axes: tuple[int, ...] | str = self.axes
        if len(self.axes) == dimensions:
            axes = () if dimensions == 1 else "all entries"
        return causes.TERM_INSIDE_ROWS(
            form=self.name, axes=axes, input=x.path, output=y.path, count=count
        )

    def project_out(self, array: Numbers) -> Numbers:
        """Return the array without what lies in the span of the basis, fibre by fibre.

        The array may have axes in front of the input's own.
        """
        front = array.ndim - self.basis[0].ndim
        axes = tuple(front + axis for axis in self.axes)
        for vector in self._orthogonal():
            square = np.real(np.conj(vector) * vector).sum(axis=self.axes, keepdims=True)
            inner = (np.conj(vector) * array).sum(axis=axes, keepdims=True)
            array = array - vector * (inner / np.where(square > 0, square, 1.0))
        return array

    def _orthogonal(self) -> list[Numbers]:
        """Return the basis made orthogonal along the axes."""
        done: list[Numbers] = []
        for vector in self.basis:
            rest = vector
            for other in (*done, *done):  # twice: what is left may be rounding alone
                square = np.real(np.conj(other) * other).sum(axis=self.axes, keepdims=True)
                inner = (np.conj(other) * rest).sum(axis=self.axes, keepdims=True)
                rest = rest - other * (inner / np.where(square > 0, square, 1.0))
            done.append(rest)
        return done


def forms(scene: LeafPair) -> Iterator[Form]:
    """Yield the forms that a missing term may have, the furthest reaching and plainest first."""
    x, y = scene.input, scene.output
    for axes in _axes(x.shape):
        length = math.prod(x.shape[axis] for axis in axes)
        ones = np.ones(x.shape)
        if length <= _SPARE:
            continue
        yield Form(axes, (ones,), "constant", scene)
        yield Form(axes, (x.values,), "norm", scene)
        deviations = x.values - x.values.mean(axis=axes, keepdims=True)
        yield Form(axes, (deviations,), "variance", scene)
        if scene.is_square:
            yield Form(axes, (y.values,), "softmax", scene)
        if not x.is_complex:
            yield Form(axes, (_softmax(x.values, axes),), "log_softmax", scene)
        if length > _SPARE + 1:
            yield Form(axes, (ones, x.values), "statistics", scene)


def widest_form(scene: LeafPair, axis: int) -> Form | None:
    """Return a form that spans all those whose axes hold this one; None where it leaves nothing."""
    x, y = scene.input, scene.output
    basis = [np.ones(x.shape), x.values]
    if scene.is_square:
        basis.append(y.values)
    if not x.is_complex:
        basis.append(_softmax(x.values, (axis,)))
    if x.shape[axis] < _SPARE + len(basis):
        return None
    return Form((axis,), tuple(basis), "", scene)


def _axes(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the dimensions that sums are likely to run over: all, all but one, the last, one."""
    dimensions = len(shape)
    every = tuple(range(dimensions))
    choices = [every, *reversed(list(itertools.combinations(every, dimensions - 1)))]
    choices += [every[k:] for k in range(1, dimensions)]
    choices += [(axis,) for axis in reversed(every)]
    yield from dict.fromkeys(axes for axes in choices if axes)


def _softmax(values: Numbers, axes: tuple[int, ...]) -> Numbers:
    grown: Numbers = np.exp(values - values.max(axis=axes, keepdims=True))
    softmax: Numbers = grown / grown.sum(axis=axes, keepdims=True)
    return softmax


def missing_sum(comparison: Comparison) -> Reason | None:
    """Recognise a difference that has a known form along a dimension, for every output."""
    scene = comparison.scene
    if len(scene.input.shape) == 0 or comparison.claimed.shape[1] < _SPARE + 1:
        return None
    rows = len(comparison.claimed)
    residual = comparison.measured - comparison.claimed
    limit = float(comparison.bar.max(initial=0.0))
    if limit > _WITHIN * np.abs(residual).max():
        return None
    apart, truth, claim = (
        _shaped(comparison.spread(one), scene)
        for one in (residual, comparison.measured, comparison.claimed)
    )
    known = _shaped(comparison.spread(np.ones((1, residual.shape[1]))), scene)[0]
    for form in forms(scene):
        form = replace(form, basis=tuple(one * (known != 0) for one in form.basis))
        left = float(np.abs(form.project_out(apart)).max())
        if left > limit or not _says_something(form, apart, truth, claim, limit):
            continue
        blur = about(left / np.abs(residual).max())
        return form.said(f"for {rows:,} outputs, to {blur}")
    return None


def same_for_all_outputs(comparison: Comparison) -> Reason | None:
    """Recognise a difference that every output shares: something is added to all of them."""
    residual = comparison.measured - comparison.claimed
    rows, limit = len(residual), float(comparison.bar.max(initial=0.0))
    if rows <= _SPARE or limit > _WITHIN * np.abs(residual).max(initial=0.0):
        return None
    spreads = [float(np.ptp(one, axis=0).max()) for one in (residual, comparison.measured)]
    if spreads[0] > 2 * limit or spreads[1] <= _RICHER * limit:
        return None
    inputs = int(comparison.wrong.any(axis=0).sum())
    return matrices.SAME_FOR_ALL_OUTPUTS(
        rows=rows,
        blur=float(spreads[0] / np.abs(residual).max()),
        inputs=inputs,
        total=residual.shape[1],
        path=comparison.scene.input.path,
    )


def _shaped(matrix: Numbers, scene: LeafPair) -> Numbers:
    """Return rows as arrays of the input's shape, complex if it is."""
    rows = len(matrix)
    if scene.input.is_complex:
        matrix = np.ascontiguousarray(matrix).view(np.complex128)
    return matrix.reshape(rows, *scene.input.shape)


def _says_something(
    form: Form, apart: Numbers, truth: Numbers, claim: Numbers, limit: float
) -> bool:
    """Say whether the form is no accident: claim and truth have another, and fibres are many."""
    axes = tuple(1 + axis for axis in form.axes)
    is_wrong = (np.abs(apart) > limit).any(axis=axes)  # fibres with something to explain
    is_richer = np.abs(form.project_out(truth)).max() > _RICHER * limit
    is_richer &= bool(np.abs(form.project_out(claim)).max() > _RICHER * limit)
    wide = (np.abs(apart) > limit).sum(axis=axes)[is_wrong]
    return bool(is_richer and is_wrong.sum() > 1 and np.median(wide) > len(form.basis))

"""Functions of single entries: what a claim is, or lacks, as a formula of the same argument.

A backward that holds another function's derivative, or the right formula of the wrong variable, is
recognised by saying what it holds: claimed = grad_output·tanh(x) in every entry, where the truth is
another number each time. A chain rule that forgets its inner derivative lacks such a formula.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from .._words import causes
from .._words.reason import Reason
from .._words.spelling import known, times
from .evidence import SLACK, Evidence, Numbers, Scene, tightness
from .factors import STEEP, explains, is_constant, known_numbers

_FEWEST = 6  # entries that make a formula no accident
_NEARLY_ALIKE = 1e-3


def another_function(evidence: Sequence[Evidence], scene: Scene) -> Reason | None:
    """Recognise claimed = c·v·h(x) where measured = v·k(x), h and k being known functions."""
    x = scene.input
    if not scene.is_square or x.is_complex or x.values.size < _FEWEST:
        return None
    slopes = []
    for one in evidence:
        if one.gradient is None or one.cotangent is None or not (one.cotangent != 0).all():
            return None
        slopes.append(one.gradient / one.cotangent)
    if any(not _is_alike(slope, slopes[0]) for slope in slopes[1:]):
        return None  # no function of entries: what one gets depends on others' cotangents
    claimed = _formula(slopes[0], scene)
    if claimed is None:
        return None
    due = next(
        (
            name
            for name, numbers in _formulas(scene)
            if all(one.holds_for(one.cotangent * numbers) for one in evidence)
        ),
        None,
    )
    if due is None:
        return None  # what is missing may be anything
    count = x.values.size
    return causes.ANOTHER_FUNCTION(claimed=claimed, due=due, count=count, input=x.path)


def _formula(slope: Numbers, scene: Scene) -> str | None:
    for name, numbers in _formulas(scene):
        weight = float((numbers * numbers).sum())
        factor = float((slope * numbers).sum()) / weight if weight else 0.0
        if factor and _is_alike(slope, factor * numbers):
            return times(known(factor, 1e-6), name)
    return None


def _is_alike(one: Numbers, other: Numbers) -> bool:
    return bool(np.abs(one - other).max() <= SLACK * np.abs(other).max())


def _formulas(scene: Scene) -> Iterator[tuple[str, Numbers]]:
    """Yield what derivatives are made of, of the input and of the output."""
    for leaf in (scene.input, scene.output):
        a, name = leaf.values, leaf.path
        if np.ptp(a) <= _NEARLY_ALIKE * np.abs(a).max():
            continue
        yield f"sin({name})", np.sin(a)
        yield f"cos({name})", np.cos(a)
        yield f"tanh({name})", np.tanh(a)
        yield f"(1 − tanh({name})²)", 1 - np.tanh(a) ** 2
        yield f"(1 − {name}²)", 1 - a * a
        yield f"{name}·(1 − {name})", a * (1 - a)
        yield f"1/(1 + {name}²)", 1 / (1 + a * a)
        yield f"1/(1 + |{name}|)", 1 / (1 + np.abs(a))
        yield f"1/√(1 + {name}²)", 1 / np.sqrt(1 + a * a)
        yield f"arctan({name})", np.arctan(a)
        if np.abs(a).max() < STEEP:
            sigmoid = 1 / (1 + np.exp(-a))
            yield f"sigmoid({name})", sigmoid
            yield f"sigmoid(−{name})", 1 - sigmoid
            yield f"sigmoid({name})·(1 − sigmoid({name}))", sigmoid * (1 - sigmoid)
            yield f"exp({name})", np.exp(a)
            yield f"exp(−{name})", np.exp(-a)
            yield f"sinh({name})", np.sinh(a)
            yield f"cosh({name})", np.cosh(a)
        yield f"exp(−{name}²)", np.exp(-a * a)
        yield f"exp(−{name}²/2)", np.exp(-a * a / 2)
        if (a != 0).all():
            yield f"1/{name}", 1 / a
            yield f"1/{name}²", 1 / (a * a)
        if (a > 0).all():
            yield f"√{name}", np.sqrt(a)
            yield f"1/√{name}", 1 / np.sqrt(a)
            yield f"log({name})", np.log(a)


def inner_factor(evidence: Sequence[Evidence], scene: Scene) -> Reason | None:
    """Recognise claimed × c·h(x) = measured: an inner factor of the chain rule that varies."""
    gradients = [one.gradient for one in evidence]
    for name, numbers in itertools.chain(known_numbers(scene), _inner_numbers(scene)):
        if is_constant(numbers):
            continue
        shares = [_ratio(one, numbers) for one in evidence]
        factor = float(np.median(shares))
        if not factor or not np.isfinite(factor):
            continue
        if explains(evidence, gradients, factor * numbers):
            tight = tightness(evidence)
            inner = ("−" if factor < 0 else "") + times(known(abs(factor), tight["blur"]), name)
            return causes.INNER_FACTOR_MISSING(factor=inner, **tight)
    return None


def _ratio(one: Evidence, numbers: Numbers) -> float:
    """Return the c for which one probe is explained."""
    assert one.gradient is not None
    slope = one.slope(one.gradient * np.conj(numbers))
    return one.measured.value / slope if slope else math.nan


def _inner_numbers(scene: Scene) -> Iterator[tuple[str, Numbers]]:
    """Yield what inner functions have for derivatives."""
    a, name = scene.input.values, scene.input.path
    if scene.input.is_complex or a.size < 2:
        return
    yield f"cos({name})", np.cos(a)
    yield f"sin({name})", np.sin(a)
    yield f"{name}³", a**3
    yield f"(1 − tanh({name})²)", 1 - np.tanh(a) ** 2
    if (np.abs(a) > 0).all():
        yield f"1/{name}", 1 / a
        yield f"1/{name}²", 1 / (a * a)
    if (a > 0).all():
        yield f"1/√{name}", 1 / np.sqrt(a)
    if np.abs(a).max(initial=0.0) < STEEP:
        sigmoid = 1 / (1 + np.exp(-a))
        yield f"exp(−{name})", np.exp(-a)
        yield f"sigmoid({name})", sigmoid
        yield f"sigmoid({name})·(1 − sigmoid({name}))", sigmoid * (1 - sigmoid)

"""Functions of single entries: what a claim is, lacks, or has too many, as a formula of the point.

A factor that a claim lacks is made of what the point holds: "claimed × w = measured". A backward
that holds another function's derivative, or the right formula of the wrong variable, is recognised
by saying what it holds: claimed = grad_output·tanh(x) in every entry, where the truth is another
number each time. A chain rule that forgets its inner derivative lacks such a formula.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from .._words import causes
from .._words.reason import Reason
from .._words.spelling import known, times
from .evidence import SLACK, Leaf, LeafPair, Numbers, Probed, tightness

_STEEP = 50.0  # beyond this an exponential is no number to speak of
_FEWEST = 6  # entries that make a formula no accident
_NEARLY_ALIKE = 1e-3  # numbers that differ by less than this share are a constant


def known_factor(evidence: Sequence[Probed], scene: LeafPair) -> Reason | None:
    """Recognise a factor that is made of the input, the output or another input."""
    gradients = [one.gradient for one in evidence]
    for name, numbers in known_numbers(scene):
        if is_constant(numbers):
            continue
        if _explains(evidence, gradients, numbers):
            return causes.FACTOR_MISSING(factor=name, **tightness(evidence))
        if (np.abs(numbers) > 0).all() and _explains(evidence, gradients, 1 / numbers):
            return causes.FACTOR_TOO_MANY(factor=name, **tightness(evidence))
    return None


def _explains(
    evidence: Sequence[Probed], gradients: Sequence[Numbers | None], factor: Numbers
) -> bool:
    return all(
        gradient is not None and one.holds_for(gradient * np.conj(factor))
        for one, gradient in zip(evidence, gradients, strict=True)
    )


def known_numbers(scene: LeafPair) -> Iterator[tuple[str, Numbers]]:
    """Yield numbers of the input's shape that a derivative's formula is likely to hold."""
    for leaf in _leaves(scene):
        for name, numbers in _plain_formulas(leaf):
            yield name, np.broadcast_to(numbers, scene.input.shape)


def _plain_formulas(leaf: Leaf) -> Iterator[tuple[str, Numbers]]:
    """Yield what factors are made of, as functions of one leaf."""
    a, name = leaf.values, leaf.path
    yield name, a
    yield f"{name}²", a * a
    yield f"(1 − {name})", 1 - a
    yield f"(1 + {name})", 1 + a
    yield f"(1 − {name}²)", 1 - a * a
    yield f"(1 + {name}²)", 1 + a * a
    if leaf.is_complex:
        return
    yield f"|{name}|", np.abs(a)
    if np.abs(a).max(initial=0.0) < _STEEP:
        yield f"exp({name})", np.exp(a)
        yield f"(1 + exp({name}))", 1 + np.exp(a)


def _formulas_of(leaf: Leaf) -> Iterator[tuple[str, Numbers]]:
    """Yield what derivatives are made of, as functions of one leaf, the plainest first."""
    yield from _plain_formulas(leaf)
    if leaf.is_complex:
        return
    a, name = leaf.values, leaf.path
    tanh, sigmoid = np.tanh(a), (1 + np.tanh(a / 2)) / 2
    yield f"sin({name})", np.sin(a)
    yield f"cos({name})", np.cos(a)
    yield f"tanh({name})", tanh
    yield f"(1 − tanh({name})²)", 1 - tanh**2
    yield f"{name}·(1 − {name})", a * (1 - a)
    yield f"{name}³", a**3
    yield f"1/(1 + {name}²)", 1 / (1 + a * a)
    yield f"1/(1 + |{name}|)", 1 / (1 + np.abs(a))
    yield f"1/√(1 + {name}²)", 1 / np.sqrt(1 + a * a)
    yield f"arctan({name})", np.arctan(a)
    yield f"sigmoid({name})", sigmoid
    yield f"sigmoid(−{name})", 1 - sigmoid
    yield f"sigmoid({name})·(1 − sigmoid({name}))", sigmoid * (1 - sigmoid)
    if np.abs(a).max(initial=0.0) < _STEEP:
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


def _leaves(scene: LeafPair) -> Iterator[Leaf]:
    """Yield the leaves whose numbers fit the input's entries; a real gradient stays real."""
    candidates = [scene.input, *scene.others]
    if scene.input.shape == scene.output.shape:
        candidates.insert(1, scene.output)
    for leaf in candidates:
        if leaf.is_complex and not scene.input.is_complex:
            continue
        if leaf.values.size > 1 and _fits(leaf.shape, scene.input.shape):
            yield leaf


def _fits(shape: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, whole) == whole
    except ValueError:
        return False


def is_constant(numbers: Numbers) -> bool:
    largest, smallest = np.abs(numbers).max(), np.abs(numbers).min()
    same_sign = np.iscomplexobj(numbers) or (numbers > 0).all() or (numbers < 0).all()
    return bool(same_sign and largest - smallest <= _NEARLY_ALIKE * largest)


def another_function(evidence: Sequence[Probed], scene: LeafPair) -> Reason | None:
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
    if due is None or due == claimed:
        return None  # what is missing may be anything
    count = x.values.size
    return causes.ANOTHER_FUNCTION(claimed=claimed, due=due, count=count, input=x.path)


def _formula(slope: Numbers, scene: LeafPair) -> str | None:
    for name, numbers in _formulas(scene):
        weight = float((numbers * numbers).sum())
        factor = float((slope * numbers).sum()) / weight if weight else 0.0
        if factor and _is_alike(slope, factor * numbers):
            return times(known(factor, 1e-6), name)
    return None


def _is_alike(one: Numbers, other: Numbers) -> bool:
    return bool(np.abs(one - other).max() <= SLACK * np.abs(other).max())


def _formulas(scene: LeafPair) -> Iterator[tuple[str, Numbers]]:
    """Yield formulas of the input and of the output that are no constants."""
    for leaf in (scene.input, scene.output):
        if np.ptp(leaf.values) > _NEARLY_ALIKE * np.abs(leaf.values).max():
            yield from _formulas_of(leaf)


def inner_factor(evidence: Sequence[Probed], scene: LeafPair) -> Reason | None:
    """Recognise claimed × c·h(x) = measured: an inner factor of the chain rule that varies."""
    gradients = [one.gradient for one in evidence]
    for name, numbers in itertools.chain(known_numbers(scene), _formulas_of(scene.input)):
        if is_constant(numbers):
            continue
        shares = [_ratio(one, numbers) for one in evidence]
        factor = float(np.median(shares))
        if not factor or not np.isfinite(factor):
            continue
        if _explains(evidence, gradients, factor * numbers):
            tight = tightness(evidence)
            inner = ("−" if factor < 0 else "") + times(known(abs(factor), tight["blur"]), name)
            return causes.INNER_FACTOR_MISSING(factor=inner, **tight)
    return None


def _ratio(one: Probed, numbers: Numbers) -> float:
    """Return the c for which one probe is explained."""
    assert one.gradient is not None
    slope = one.slope(one.gradient * np.conj(numbers))
    return one.measured.value / slope if slope else math.nan

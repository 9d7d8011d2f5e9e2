"""Numbers for an input that is described by its shape, from one seeded generator."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import InputError
from .specs import DrawnValues, Spec

Numbers = np.ndarray[Any, Any]


def draw(spec: Spec, dtype: str, generator: np.random.Generator) -> Numbers:
    """Return numbers of a spec's shape in double precision, or integers, to be rounded later."""
    shape = spec.shape
    if dtype == "bool":
        return generator.integers(0, 2, shape).astype(bool)
    if "int" in dtype:
        return _integers(spec, dtype, shape, generator)
    values = spec.values or DrawnValues()
    if values.kind == "spd":
        return _positive_definite(spec, dtype, generator)
    numbers = _real(values, shape, generator)
    if dtype.startswith("complex") and values.kind not in ("zeros", "ones"):
        return numbers + 1j * _real(values, shape, generator)
    return numbers


def _real(values: DrawnValues, shape: tuple[int, ...], generator: np.random.Generator) -> Numbers:
    given = values.numbers
    match values.kind:
        case "normal":
            mean, spread = (*given, *(0.0, 1.0)[len(given) :])
            return mean + spread * generator.standard_normal(shape)
        case "uniform" | "range":
            low, high = (0.0, *given)[-2:] if given else (0.0, 1.0)
            return generator.uniform(low, high, shape)
        case "randint":
            low, high = (0.0, *given)[-2:]
            return generator.integers(int(low), int(high), shape).astype(np.float64)
        case kind:
            return np.full(shape, 1.0 if kind == "ones" else 0.0)


def _integers(
    spec: Spec, dtype: str, shape: tuple[int, ...], generator: np.random.Generator
) -> Numbers:
    """Return whole numbers: of a range both ends, of `randint` as NumPy and torch have it."""
    values = spec.values
    if values is None or values.kind not in ("range", "randint", "zeros", "ones"):
        raise InputError(
            f"expected a range for whole numbers, as {spec.text.partition(':')[0]}:{dtype}:0..9; "
            f"got {spec.text!r}"
        )
    if values.kind in ("zeros", "ones"):
        return np.full(shape, int(values.kind == "ones"))
    low, high = (0.0, *values.numbers)[-2:]
    if low != int(low) or high != int(high):
        raise InputError(f"expected a range of whole numbers for {dtype}; got {spec.text!r}")
    return generator.integers(int(low), int(high) + (values.kind == "range"), shape)


def _positive_definite(spec: Spec, dtype: str, generator: np.random.Generator) -> Numbers:
    """Return A Aᴴ / n + I, whose eigenvalues lie between 1 and about 5."""
    shape = spec.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise InputError(f"expected a square matrix for spd, as 4x4:spd; got {spec.text!r}")
    root = generator.standard_normal(shape)
    if dtype.startswith("complex"):
        root = root + 1j * generator.standard_normal(shape)
    size = max(shape[-1], 1)
    product: Numbers = root @ root.conj().swapaxes(-1, -2) / size + np.eye(shape[-1])
    return product

"""Sample inputs for a public function of JAX, made from its signature.

What a parameter's name tells, it gets: `axis` a number, `indices` whole numbers, `func` a function.
Every other required parameter is a floating array, of the first shapes and ranges with which the
function can be traced and differentiated.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Maker = Callable[[np.random.Generator], np.ndarray[Any, Any]]
Table = dict[str, tuple[Any, ...]]
"""A function and the makers of its inputs, by name: what recipes are written down as."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A function of floating arrays alone, and how each of them is drawn."""

    function: Callable[..., Any]
    makers: tuple[Maker, ...]


def unit(*shape: int) -> Maker:
    """Numbers between 0 and 1, no two of them close: inside most domains, away from most kinks."""
    return within(0.15, 0.85, *shape)


def within(low: float, high: float, *shape: int) -> Maker:
    """Numbers between two bounds, no two of them close, in random order."""

    def make(numbers: np.random.Generator) -> np.ndarray[Any, Any]:
        size = int(np.prod(shape))
        places = (np.arange(size) + numbers.uniform(0.3, 0.7, size)) / size
        return numbers.permutation(low + (high - low) * places).reshape(shape)

    return make


def definite(size: int) -> Maker:
    """A symmetric positive definite matrix whose eigenvalues are apart."""

    def make(numbers: np.random.Generator) -> np.ndarray[Any, Any]:
        basis, _ = np.linalg.qr(numbers.standard_normal((size, size)))
        return np.asarray(basis @ np.diag(np.arange(1.0, size + 1)) @ basis.T)

    return make


def square(size: int) -> Maker:
    """A well-conditioned square matrix."""
    return lambda numbers: numbers.standard_normal((size, size)) + 2.0 * np.eye(size)


_WIDE = within(-2.0, 2.0, 3, 4)
_ONE: tuple[Maker, ...] = (
    unit(3, 4),
    _WIDE,
    within(1.2, 3.0, 3, 4),
    definite(3),
    square(3),
    unit(6),
)
_MIXED: tuple[tuple[Maker, ...], ...] = (
    (unit(3, 4), unit(4)),
    (square(3), unit(3)),
    (square(3), unit(3, 2)),
    (unit(3, 4), unit(4, 2)),
    (unit(6), unit(3)),
    (unit(1, 2, 6), unit(3, 2, 3)),
    (unit(2), unit(3, 4)),
)

# what a parameter's name tells about it
_STATIC: dict[str, Any] = {
    **dict.fromkeys(("axis", "dim", "dimension", "order", "ord"), 0),
    **dict.fromkeys(("axes",), (0,)),
    **dict.fromkeys(("axis1", "source", "start_index", "index"), 0),
    **dict.fromkeys(("axis2", "destination", "num", "decimals"), 1),
    **dict.fromkeys(("k", "n", "deg", "repeats", "shift", "num_segments", "reps", "nseg"), 2),
    **dict.fromkeys(("shape", "new_shape", "sizes", "newshape"), (3, 4)),
    **dict.fromkeys(("indices_or_sections",), 2),
    **dict.fromkeys(("dimensions", "permutation"), (1, 0)),
    **dict.fromkeys(("pad_width",), 1),
    **dict.fromkeys(("func", "fun", "f", "func1d", "pyfunc"), jnp.sin),
}
_WHOLE = dict.fromkeys(("indices", "idx", "segment_ids"), (0, 2, 2))
_FLAGS = ("condition", "pred", "which", "mask")
_SEVERAL = ("arrays", "tup", "operands", "seq", "arys", "arrs", "args", "array_list")
# parameters with a default in which distributions are differentiated, too; the support stays inside
_ALSO = {"loc": (-0.2, -0.05), "scale": (1.2, 2.0)}


def recipes(function: Callable[..., Any]) -> Iterator[Recipe]:
    """Yield one recipe after the other; most do not suit the function."""
    places = list(_places(function))
    count = sum(place.count for place in places)
    if not count:
        return

    def call(*inputs: jax.Array) -> Any:
        given = iter(inputs)
        return function(*(value for place in places for value in place.give(given, inputs[0])))

    bounds = [bound for place in places for bound in (place.bounds,) * place.count]
    for maker in _ONE:
        yield Recipe(call, tuple(_bounded(maker, bound) for bound in bounds))
    for makers in _MIXED if count == 2 else ():
        yield Recipe(call, makers)


def _bounded(maker: Maker, bounds: tuple[float, float] | None) -> Maker:
    if bounds is None:
        return maker
    low, high = bounds
    return lambda numbers: np.asarray(numbers.uniform(low, high, maker(numbers).shape))


@dataclass(frozen=True, slots=True)
class _Place:
    """A parameter: how many arrays it takes, and what it is given, from them or from its name."""

    count: int
    give: Callable[[Iterator[Any], Any], Sequence[Any]]
    bounds: tuple[float, float] | None = None


def _places(function: Callable[..., Any]) -> Iterator[_Place]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return
    for parameter in parameters:
        is_required = parameter.default is parameter.empty
        if parameter.kind is parameter.VAR_POSITIONAL:
            yield _several(getattr(function, "nin", 2))  # of a ufunc
        elif parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD):
            continue
        elif is_required and parameter.name in _SEVERAL:
            yield _Place(2, lambda given, _: ([next(given), next(given)],))
        elif is_required and parameter.name in _STATIC:
            yield _fixed(_STATIC[parameter.name])
        elif is_required and parameter.name in _WHOLE:
            yield _fixed(np.array(_WHOLE[parameter.name]))
        elif is_required and parameter.name in _FLAGS:
            yield _Place(0, lambda _, like: (like.real > 0.5,))
        elif is_required or parameter.name in _ALSO:
            yield _Place(1, lambda given, _: (next(given),), _ALSO.get(parameter.name))


def _several(count: int) -> _Place:
    return _Place(count, lambda given, _: tuple(islice(given, count)))


def _fixed(value: Any) -> _Place:
    return _Place(0, lambda _, __: (value,))

"""Shapes of arrays: few axes and short ones first."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from .._errors import expected

Shape = tuple[int, ...]


def shapes(
    min_dims: int = 0, max_dims: int = 3, *, min_side: int = 1, max_side: int = 4
) -> st.SearchStrategy[Shape]:
    """Draw shapes; they shrink towards few axes, then short ones. `min_side=0` draws empty arrays.

    >>> import math
    >>> from hypothesis import find
    >>> find(shapes(), lambda shape: math.prod(shape) >= 3)
    (3,)
    """
    least = (("min_dims", min_dims, 0), ("min_side", min_side, 0))
    for name, value, bound in (*least, ("max_dims", max_dims, min_dims)):
        _refuse(name, value, bound)
    _refuse("max_side", max_side, min_side)
    sides = st.integers(min_side, max_side)
    return st.lists(sides, min_size=min_dims, max_size=max_dims).map(tuple)


def taken_shape(shape: Any) -> st.SearchStrategy[Shape]:
    """Return what a user passes as `shape` as a strategy: a strategy, sides, one side or None."""
    if shape is None:
        return shapes()
    if isinstance(shape, st.SearchStrategy):
        return shape
    sides = (shape,) if isinstance(shape, int) else shape
    if not isinstance(sides, (tuple, list)) or not all(map(_is_side, sides)):
        raise expected("shape", "whole numbers of at least 0, a strategy of them, or None", shape)
    return st.just(tuple(sides))


def _refuse(name: str, value: Any, least: int) -> None:
    if not _is_side(value) or value < least:
        raise expected(name, f"a whole number of at least {least}", value)


def _is_side(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0

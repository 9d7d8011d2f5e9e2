"""Arrays of a framework: shape, dtype, layout and entries are drawn; several may broadcast.

What is drawn shrinks towards few and short axes, the first dtype, contiguous memory and numbers
without a kink or a tie.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import note
from hypothesis import strategies as st

from .._catalogues.makers import LAYOUTS, Maker, has_room, maker_of
from .._entry import check
from .._errors import expected, one_of
from .numbers import apart, numbers
from .shapes import Shape, taken_shape

_MOST_COUNTED = 32  # arrays in one tuple


class _Narrowing(NamedTuple):
    """How a shape that broadcasts to another comes from it: axes left out, and those of length 1.

    It is drawn in as many pieces for any shape, so that the shape can shrink by itself.
    """

    dropped: int
    ones: int  # a bit for each axis, the last axis first

    def of(self, shape: Shape) -> Shape:
        kept = shape[min(self.dropped, len(shape)) :]
        last = len(kept) - 1
        return tuple(1 if self.ones >> (last - k) & 1 else side for k, side in enumerate(kept))


_narrowings = st.builds(_Narrowing, st.integers(0, 3), st.integers(0, 2**3 - 1))


def tensors(
    framework: str,
    *,
    shape: Any = None,
    dtype: Any = None,
    layout: Any = None,
    elements: st.SearchStrategy[Any] | None = None,
) -> st.SearchStrategy[Any]:
    """Draw arrays of `"torch"`, `"jax"` or `"numpy"`.

    `shape` is a tuple or a strategy, by default `shapes()`. `dtype` is a name, several, or a
    strategy of names, by default float64 (in JAX float32 unless its 64 bits are on). `layout` is
    one or several of contiguous, transposed, sliced, expanded, by default all that the framework
    has; a shape without room for one is contiguous. `elements` are drawn by default as `numbers()`.

    >>> from hypothesis import find
    >>> find(tensors("numpy"), lambda x: x.size >= 3 and (x > 0).any())
    array([ 0.75,  0.25, -0.25])
    """
    maker = maker_of(framework)
    return _drawn(
        maker,
        taken_shape(shape),
        _taken_dtype(dtype, maker),
        _taken_layouts(layout, maker),
        _taken_elements(elements),
        is_default=elements is None,
    )


def broadcasts(
    framework: str,
    count: int = 2,
    *,
    shape: Any = None,
    dtype: Any = None,
    layout: Any = None,
    elements: st.SearchStrategy[Any] | None = None,
) -> st.SearchStrategy[tuple[Any, ...]]:
    """Draw tuples of `count` arrays of one dtype that broadcast against each other.

    Each has the drawn shape with leading axes left out and others of length 1; they shrink towards
    equal shapes. The other arguments are those of `tensors`.
    """
    if type(count) is not int or not 1 <= count <= _MOST_COUNTED:
        raise expected("count", f"a whole number from 1 to {_MOST_COUNTED}", count)
    maker = maker_of(framework)
    whole, dtypes = taken_shape(shape), _taken_dtype(dtype, maker)
    layouts, entries = _taken_layouts(layout, maker), _taken_elements(elements)

    @st.composite
    def several(draw: st.DrawFn) -> tuple[Any, ...]:
        common, one = draw(whole), st.just(draw(dtypes))
        narrowed = [draw(_narrowings).of(common) for _ in range(count)]
        return tuple(
            draw(_drawn(maker, st.just(sides), one, layouts, entries, is_default=elements is None))
            for sides in narrowed
        )

    return several()


@st.composite
def _drawn(
    draw: st.DrawFn,
    maker: Maker,
    shape: st.SearchStrategy[Shape],
    dtypes: st.SearchStrategy[str],
    layouts: Sequence[str],
    elements: st.SearchStrategy[Any],
    *,
    is_default: bool,
) -> Any:
    sides, dtype = draw(shape), _named(draw(dtypes), maker)
    maker.refuse(dtype)
    _warm(type(maker))
    # Whatever is drawn first, as much is drawn after it, so that nothing simple is longer to draw.
    layout, size = draw(st.sampled_from(layouts)), math.prod(sides)
    drawn = draw(st.lists(elements, min_size=size, max_size=size)) or [0.0]
    entries = np.array(apart(drawn) if is_default else drawn)[:size]
    if dtype.startswith("complex"):
        imaginary = draw(st.lists(elements, min_size=size, max_size=size))
        entries = entries + 1j * np.array(imaginary or [0.0])[:size]
    if not has_room(sides, layout):
        layout = LAYOUTS[0]
    if layout != LAYOUTS[0]:
        note(f"an array of shape {sides} is {layout}")
    return maker.make(entries.reshape(sides), dtype, layout)


@functools.cache
def _warm(kind: type[Maker]) -> None:
    """Check something once, because a process's first check loads much and takes long.

    Hypothesis has a deadline for each example, which does not include what drawing takes.
    """
    maker = kind()
    point = maker.make(np.ones(2), maker.default(), LAYOUTS[0])
    check(operator.neg, point, pull=None if maker.records else lambda _, v: -v)


def _taken_dtype(dtype: Any, maker: Maker) -> st.SearchStrategy[Any]:
    if isinstance(dtype, st.SearchStrategy):
        return dtype
    if dtype is None:
        return st.builds(maker.default)
    several = dtype if isinstance(dtype, (list, tuple)) else [dtype]
    if not several:
        raise expected("dtype", f"at least one of {', '.join(maker.dtypes)}", dtype)
    return st.sampled_from([_named(one, maker) for one in several])


def _named(dtype: Any, maker: Maker) -> str:
    """Return a dtype's name, whether it is given as such or as the framework's own."""
    name = dtype if isinstance(dtype, str) else str(dtype).rpartition(".")[2]
    if name not in maker.dtypes and isinstance(dtype, type):
        name = dtype.__name__
    if name not in maker.dtypes:
        raise expected("dtype", one_of(maker.dtypes), dtype)
    return name


def _taken_layouts(layout: Any, maker: Maker) -> tuple[str, ...]:
    if layout is None:
        return tuple(maker.layouts)
    several = (layout,) if isinstance(layout, str) else tuple(layout)
    if not several or any(one not in maker.layouts for one in several):
        raise expected("layout", f"names from {', '.join(maker.layouts)}, or None", layout)
    return several


def _taken_elements(elements: Any) -> st.SearchStrategy[Any]:
    if elements is None:
        return numbers()
    if not isinstance(elements, st.SearchStrategy):
        raise expected("elements", "a strategy of numbers, or None", elements)
    return elements

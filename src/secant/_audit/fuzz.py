"""Inputs that look for trouble: a sample of an operator, drawn anew until it is wrong, then shrunk.

A change says what is done to a sample: another size, ties, zeros, borders, a layout, a second
dtype, forward mode, second order. Hypothesis draws changes by the round's seed, and shrinks one
that makes an operator fail towards the sample as it was.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from .._catalogues.catalogues import Sample
from .._catalogues.makers import LAYOUTS, Maker, has_room

EXAMPLES = 8  # changes of one operator in one round
SAMPLES = 24  # of an operator's own, among which a change chooses
Kind = tuple[str, int]
KINDS: tuple[Kind, ...] = (("reverse", 1), ("forward", 1), ("reverse", 2))
"""Modes and orders that are asked, the simplest first."""
_VALUES = ("as drawn", "scaled", "tied", "with zeros", "at a border", "beside a border")
_FAR = 30  # decimal exponents of scales


@dataclass(frozen=True)
class Change:
    """What is done to a sample, the simplest first in every field."""

    sample: int = 0
    values: str = _VALUES[0]
    exponent: int = 0
    layout: str = LAYOUTS[0]
    is_mixed: bool = False  # the last input in single precision
    kind: Kind = KINDS[0]

    def __str__(self) -> str:
        scale = f" 1e{self.exponent}" if self.values in ("scaled", "beside a border") else ""
        said = [f"sample {self.sample}", f"{self.values}{scale}"]
        said += [self.layout] if self.layout != LAYOUTS[0] else []
        said += ["the last input in float32"] if self.is_mixed else []
        return ", ".join([*said, self.kind[0], f"order {self.kind[1]}"])


def changes(samples: int, maker: Maker, kinds: Sequence[Kind]) -> st.SearchStrategy[Change]:
    """Draw changes of one of so many samples, and which of its derivatives is asked."""
    return st.builds(
        Change,
        st.integers(0, samples - 1),
        st.sampled_from(_VALUES),
        st.integers(-_FAR, _FAR),
        st.sampled_from(tuple(maker.layouts) * 2),  # twice, for a choice among one is none
        st.booleans(),
        st.sampled_from(tuple(kinds) * 2),
    )


def searched(
    drawn: st.SearchStrategy[Change], seed: int, is_wrong: Callable[[Change], bool]
) -> Iterator[Change]:
    """Yield the simplest change that is wrong among those of a round, if there is one."""
    terms = settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    try:
        yield find(drawn, is_wrong, settings=terms, random=random.Random(seed))
    except NoSuchExample:
        return


def changed(sample: Sample, change: Change, maker: Maker) -> Sample:
    """Return a sample with its inputs changed; what the maker cannot read stays as it is."""
    read = [maker.read(value) for value in sample.inputs]
    last = max((k for k, found in enumerate(read) if found is not None), default=None)
    inputs = []
    for k, (value, found) in enumerate(zip(sample.inputs, read, strict=True)):
        if found is None:
            inputs.append(value)
            continue
        numbers, dtype = found
        mixed = change.is_mixed and k == last and k > 0 and dtype == "float64"
        inputs.append(_made(_moved(numbers, change), "float32" if mixed else dtype, change, maker))
    return replace(sample, inputs=tuple(inputs))


def _made(numbers: np.ndarray[Any, Any], dtype: str, change: Change, maker: Maker) -> Any:
    layout = change.layout if has_room(numbers.shape, change.layout) else LAYOUTS[0]
    return maker.make(numbers, dtype, layout)


def _moved(numbers: np.ndarray[Any, Any], change: Change) -> np.ndarray[Any, Any]:
    moved = np.array(numbers)
    if change.values == "scaled":
        moved = moved * 10.0**change.exponent
    elif change.values == "tied":
        moved[...] = moved.flat[0] if moved.size else 0
    elif change.values == "with zeros":
        moved.flat[::2] = 0
    elif change.values != _VALUES[0]:
        moved = np.clip(np.round(moved.real), -1, 1).astype(moved.dtype)
        if change.values == "beside a border":
            moved = moved + 10.0 ** -abs(change.exponent)
    return moved

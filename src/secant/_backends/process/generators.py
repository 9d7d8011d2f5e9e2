"""Random generators that belong to the whole process: Python's own and NumPy's global one.

A function of any framework may draw from them. Reading one in full takes as long as several calls
of a small function, so what was read last is kept, and read again only if the words of the
generator, compared where they lie in memory, have changed since.
"""

from __future__ import annotations

import ctypes
import random
import sys
from typing import Any, Protocol

import numpy as np

_numpy: Any = np.random
_LENGTH = 624  # words of a Mersenne Twister
# Of these and of how many are used up: enough to see whether anything has been drawn, since
# drawing uses up words, and makes all of them anew when there are none left.
_Words = ctypes.c_uint32 * 4


class Generator(Protocol):
    """Whoever owns random numbers that a function may draw unasked."""

    def random_state(self) -> Any:
        """Return the state of the generators, of which nobody is handed."""

    def same_random_state(self, one: Any, other: Any) -> bool:
        """Say whether nothing was drawn between the two states."""

    def rewind(self, state: Any) -> None:
        """Put the generators back into a state that `random_state` returned."""


class PythonGenerator:
    """The generator behind `random.random()` and its like."""

    def __init__(self) -> None:
        self._own: Any = random._inst
        self._words = _words_of_python(self._own)
        self._kept: tuple[Any, Any] = (None, None)

    def random_state(self) -> Any:
        seen = None if self._words is None else (self._words.tobytes(), self._own.gauss_next)
        if seen is None or seen != self._kept[0]:
            self._kept = seen, random.getstate()
        return self._kept[1]

    def same_random_state(self, one: Any, other: Any) -> bool:
        return one is other or bool(one == other)

    def rewind(self, state: Any) -> None:
        if self.random_state() is not state:
            random.setstate(state)


class NumpyGenerator:
    """The generator behind `np.random.rand()` and its like."""

    def __init__(self) -> None:
        self._of: Any = None  # whose words these are: a user may put in another one
        self._words: Any = None
        self._kept: tuple[Any, Any] = (None, None)

    def random_state(self) -> Any:
        generator = _numpy.get_bit_generator()
        if generator is not self._of:
            self._of, self._words, self._kept = generator, _words_of_numpy(generator), (None, None)
        seen = None if self._words is None else self._words.tobytes()
        kept = self._kept[1]
        # a normal number that waits to be drawn is not among the words
        if seen is None or seen != self._kept[0] or kept["has_gauss"]:
            kept = np.random.get_state(legacy=False)  # noqa: NPY002 users' functions draw from it
            self._kept = seen, kept
        return kept

    def rewind(self, state: Any) -> None:
        if self.random_state() is not state:
            np.random.set_state(state)  # noqa: NPY002 likewise

    def same_random_state(self, one: Any, other: Any) -> bool:
        if one is other:
            return True
        before, after = one["state"], other["state"]
        return bool(
            one["bit_generator"] == other["bit_generator"]
            and one["has_gauss"] == other["has_gauss"]
            and one["gauss"] == other["gauss"]
            and before.keys() == after.keys()
            and all(np.array_equal(before[key], after[key]) for key in before)
        )


def _words_of_python(generator: random.Random) -> Any:
    """Return where the words of Python's generator lie, None where that is not known."""
    if sys.implementation.name != "cpython":
        return None
    behind = object.__basicsize__  # what every object begins with
    trial = random.Random(1)
    *words, used = trial.getstate()[1]
    if [*_Words.from_address(id(trial) + behind)] != [used, *words[:3]]:
        return None
    return memoryview(_Words.from_address(id(generator) + behind)).cast("B")


def _words_of_numpy(generator: Any) -> Any:
    """Return where the words of NumPy's generator lie, None for a generator of another kind."""
    if type(generator) is not np.random.MT19937:
        return None
    state = generator.state["state"]
    words = _Words.from_address(generator.ctypes.state_address + 4 * (_LENGTH - 3))
    if [*words] != [*state["key"][-3:], state["pos"]]:
        return None
    return memoryview(words).cast("B")

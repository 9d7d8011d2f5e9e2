"""Calls that can be differentiated afterwards: outputs remember the function and where it was.

JAX differentiates functions, not arrays. A `Traced` array is one of the leaves that are to be
differentiated, or an output together with the record of its call. Since functions are pure, the
record is no more than the function and its arguments: the derivative's own pass is made when the
first cotangent is pulled, and an evaluation that nobody differentiates costs nothing more.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...code import Code
from .kept import SMALL, any_traced, pulling, pushing
from .programs import Program, signature_of


class Traced:
    """A leaf that is differentiated, or an output that can be."""

    __slots__ = ("place", "record", "value")

    def __init__(self, value: Any, record: Record | None = None, place: int = 0) -> None:
        self.value = value
        self.record = record
        self.place = place  # among the outputs of the call that can be differentiated


def plain(array: Any) -> Any:
    """Return the array itself."""
    return array.value if isinstance(array, Traced) else array


class Record:
    """One call: how to differentiate its inexact outputs in its traced leaves."""

    def __init__(self, program: Program, values: Sequence[Any], leaves: dict[int, Traced]) -> None:
        self.program = program
        self._values = list(values)
        self._leaves = leaves  # by their places among the values
        self._places: list[int] = []  # of the inexact outputs among all arrays
        self._outputs: list[Any] = []
        self._replayed: list[Any] | None = None
        self._passed: tuple[list[Any], Callable[[list[Any]], Sequence[Any]]] | None = None

    def attached(self, arrays: Sequence[Any]) -> list[Any]:
        """Return the outputs of the call, those that can be differentiated with this record."""
        attached = list(arrays)
        for place, array in enumerate(arrays):
            if _holds_inexact(array.dtype):
                attached[place] = Traced(array, self, len(self._places))
                self._places.append(place)
                self._outputs.append(array)
        return attached

    def place_of(self, leaf: Traced) -> int | None:
        """Return the rank of a leaf among those that were differentiated in."""
        ranks = [rank for rank, one in enumerate(self._leaves.values()) if one is leaf]
        return ranks[0] if ranks else None

    def call(self, *leaves: Any) -> list[Any]:
        """Return the inexact outputs for other values of the traced leaves."""
        values = list(self._values)
        for place, leaf in zip(self._leaves, leaves, strict=True):
            values[place] = leaf
        arrays = self.program.answer(values).arrays
        return [arrays[place] for place in self._places]

    def passed(self) -> tuple[list[Any], Callable[[list[Any]], Sequence[Any]]]:
        """Return the outputs of the derivative's own pass, and the pull through it."""
        if self._passed is not None:
            return self._passed
        outputs, pull = jax.vjp(self.call, *(leaf.value for leaf in self._leaves.values()))
        if not any_traced(outputs):
            self._passed = outputs, pull  # those of a batch would outlive it
        return outputs, pull

    def replayed(self) -> list[Any]:
        """Return the outputs of the derivative's own pass, of the latest pull if there was one."""
        return self.passed()[0] if self._replayed is None else self._replayed

    def rules(self, outputs: Sequence[int], leaf: Traced | None) -> list[Code]:
        """Return the rules on the way to a leaf, or to any, from outputs by their ranks."""
        places = [place for place, one in self._leaves.items() if leaf is None or one is leaf]
        return self.program.rules(places, [self._places[rank] for rank in outputs])

    def pull(self, cotangents: dict[int, Any]) -> Sequence[Any]:
        """Return the gradients of all traced leaves; absent cotangents are zeros."""
        given = [
            cotangents[rank] if rank in cotangents else zeros_like(output)
            for rank, output in enumerate(self._outputs)
        ]
        known = self.program.differentiated(
            pulling, self._values, self._leaves, self._places, given
        )
        if known is not None:
            outputs, gradients = known
            if not any_traced(outputs):
                self._replayed = outputs
            return gradients
        given = list(map(jnp.asarray, given))  # a rule that is not traced sees JAX's own arrays
        try:
            return self.passed()[1](given)
        except Exception:  # perhaps a rule looks at values, which a trace does not have
            if not self.program.forget():
                raise
            self._passed = None
            return self.passed()[1](given)

    def push(self, tangents: dict[int, Any]) -> list[Any]:
        """Return the tangents of the inexact outputs, from those of the leaves by their ranks."""
        given = [tangents[rank] for rank in range(len(self._leaves))]
        known = self.program.differentiated(
            pushing, self._values, self._leaves, self._places, given
        )
        if known is not None:
            return list(known[1])
        point = [leaf.value for leaf in self._leaves.values()]
        return list(jax.jvp(self.call, point, given)[1])


class Prepared:
    """A function of leaves, traced once per shapes and dtypes, that records calls of `Traced`."""

    def __init__(self, call: Callable[[Sequence[Any]], Any]) -> None:
        self._call = call
        self._programs: dict[tuple[Any, ...], Program] = {}

    def __call__(self, given: Sequence[Any]) -> Any:
        leaves = {k: leaf for k, leaf in enumerate(given) if isinstance(leaf, Traced)}
        values = list(given)
        for place, leaf in leaves.items():
            values[place] = leaf.value
        signature = signature_of(values)
        program = self._programs.get(signature)
        if program is None:
            arrays = [
                jnp.asarray(value) if isinstance(value, np.ndarray) and place in leaves else value
                for place, value in enumerate(values)
            ]
            program = self._programs[signature] = Program(self._call, arrays)
        answer = program.answer(values)
        if not leaves:
            return answer.rebuilt(answer.arrays)
        record = Record(program, values, leaves)
        return answer.rebuilt(record.attached(answer.arrays))


def zeros_like(array: Any) -> Any:
    """Return zeros: few are NumPy's, for which no program is compiled."""
    return (np.zeros if array.size <= SMALL else jnp.zeros)(array.shape, array.dtype)


def is_inexact(array: Any) -> bool:
    """Say whether an array is floating or complex."""
    return _holds_inexact(array.dtype)


@functools.cache
def _holds_inexact(dtype: Any) -> bool:
    return bool(jnp.issubdtype(dtype, jnp.inexact))

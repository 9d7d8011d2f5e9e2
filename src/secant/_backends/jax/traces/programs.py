"""A function of arrays, traced once: every evaluation and derivative comes from that one trace.

The trace is a jaxpr. Long ones are compiled, because op by op JAX would compile each operation by
itself; short ones are not, because JAX keeps single operations, and functions the user has
compiled, from check to check. A function that cannot be traced (it looks at values, or leaves
JAX) is called as it is, every time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun, jaxprs_in_params

from ...._errors import InputError, said_by
from ...code import Code
from .kept import (
    KeptProgram,
    Made,
    any_traced,
    every_operation,
    found_again,
    is_traced,
    kept,
    without_idle,
)
from .rules import rules_in
from .tracing import trace_of

_CONSTANT = "TypedNdArray"
_FEW = 3  # operations that are run one by one rather than compiled together
_RULE = "custom_"
_COMPILED = ("jit", "pjit")


@dataclass(frozen=True, slots=True)
class ProgramAnswer:
    """What a call returned: its arrays, and all that is needed to put the answer together."""

    arrays: list[Any]
    places: list[int]  # of the arrays among the leaves
    leaves: list[Any]  # what the other leaves are
    structure: Any

    def rebuilt(self, arrays: Sequence[Any]) -> Any:
        """Return the answer with these arrays in their places."""
        leaves = list(self.leaves)
        for place, array in zip(self.places, arrays, strict=True):
            leaves[place] = array
        return jax.tree_util.tree_unflatten(self.structure, leaves)


def _taken_apart(output: Any) -> ProgramAnswer:
    found, structure = jax.tree_util.tree_flatten(output)
    leaves = [adopted(leaf) for leaf in found]
    places = [k for k, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]
    return ProgramAnswer([leaves[k] for k in places], places, leaves, structure)


class Program:
    """A function of a list of leaves, some of them arrays; the other ones never change."""

    def __init__(self, call: Callable[[Sequence[Any]], Any], leaves: Sequence[Any]) -> None:
        self._call = call
        self._leaves = list(leaves)
        self._places = [k for k, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]
        self._frame: ProgramAnswer | None = None
        self._traced: ClosedJaxpr | None = None  # None where it is called as it is
        self._kept: KeptProgram | None = None
        self.has_own_rules = True  # nobody knows, unless it is traced
        self._trace()

    def _tracing(self) -> tuple[ClosedJaxpr, ProgramAnswer] | None:
        arrays = [self._leaves[place] for place in self._places]
        frames: list[ProgramAnswer] = []

        def flat(*values: Any) -> list[Any]:
            frames.append(self._called(values))
            return frames[-1].arrays

        try:
            known = trace_of(flat, arrays)
        except Exception as error:  # what is wrong shows when it is called as it is
            _refuse_hidden_state(error)
            return None
        return known, frames[-1]

    def rules(self, places: Sequence[int], outputs: Sequence[int]) -> list[Code]:
        """Return the rules between leaves, by their places, and outputs; traced once more."""
        known = self._tracing()
        if known is None:
            return []
        inputs = [k for k, place in enumerate(self._places) if place in places]
        return rules_in(known[0].jaxpr, inputs, outputs)

    def _trace(self) -> None:
        known = self._tracing()
        if known is None:
            return
        trace, frame = without_idle(known[0]), known[1]
        leaves = [None if k in frame.places else leaf for k, leaf in enumerate(frame.leaves)]
        self._frame = ProgramAnswer(
            [], frame.places, leaves, frame.structure
        )  # no tracer stays behind
        self._traced = trace
        self._kept = found_again(trace.jaxpr) or _met_first(trace)
        self.has_own_rules = self._kept.has_own_rules

    def answer(self, leaves: Sequence[Any]) -> ProgramAnswer:
        """Call the function with other arrays of the same shapes and dtypes."""
        arrays = [leaves[place] for place in self._places]
        traced, known, frame = self._traced, self._kept, self._frame
        if traced is None or known is None or frame is None:
            return self._called(arrays)
        try:
            found = (
                jaxpr_as_fun(traced)(*arrays)  # to be differentiated, or batched
                if any_traced(arrays)
                else known.run(traced.consts, arrays)
            )
            answers = [one if isinstance(one, jax.Array) else adopted(one) for one in found]
            return ProgramAnswer(answers, frame.places, frame.leaves, frame.structure)
        except Exception:  # perhaps a rule looks at values, which a trace does not have
            answer = self._called(arrays)
            self.forget()
            return answer

    def differentiated(
        self,
        made: Made,
        leaves: Sequence[Any],
        places: Iterable[int],
        outputs: Sequence[int],
        given: Sequence[Any],
    ) -> tuple[list[Any], Sequence[Any]] | None:
        """Return outputs, and what is pulled or pushed, by a program; None where there is none."""
        arrays = [leaves[place] for place in self._places]
        traced, known = self._traced, self._kept
        if traced is None or known is None:
            return None
        ranks = [self._places.index(place) for place in places]
        try:
            derivative = known.derivative(made, ranks, outputs)
            return derivative(traced.consts, arrays, list(given))
        except Exception:  # what is wrong shows when it is differentiated as it is
            return None

    def forget(self) -> bool:
        """Call the function as it is from now on; say whether that changes anything."""
        was_traced = self._traced is not None
        self._traced = None
        return was_traced

    def _called(self, arrays: Sequence[Any]) -> ProgramAnswer:
        leaves = list(self._leaves)
        for place, array in zip(self._places, arrays, strict=True):
            leaves[place] = copied(array)
        return _taken_apart(self._call(leaves))


def _met_first(trace: ClosedJaxpr) -> KeptProgram:
    """Return what a trace leads to that is not kept yet.

    It is kept, but for rules that JAX itself has not compiled: they may be others the next time.
    """
    has_bare_rules = any(
        eqn.primitive.name.startswith(_RULE) for eqn in every_operation(trace.jaxpr, _COMPILED)
    )
    made = KeptProgram if has_bare_rules else kept
    return made(trace.jaxpr, is_compiled=not _is_short(trace))


def _refuse_hidden_state(error: BaseException) -> None:
    """Say what to do about a module that a function writes into without being given it."""
    if type(error).__name__ == "TraceContextError":
        raise InputError(
            "expected a function that writes into nothing but its arguments; this one changes the "
            f"state of a Flax module behind them ({said_by(error).partition(' (')[0]}). Pass the "
            "module: secant.check(module, x), which gives each call a copy of it"
        ) from error


def copied(array: Any) -> Any:
    """Return an array that the function may delete or give away; nothing else can change it."""
    return array if is_traced(array) else _copy(array)


_copy = jax.jit(jnp.copy)


def adopted(leaf: Any) -> Any:
    """Return NumPy's arrays of numbers as JAX's, everything else as it is.

    A constant of a trace comes out as an array of a kind of its own, which is on no device.
    """
    is_numbers = isinstance(leaf, np.ndarray) and leaf.dtype.kind in "biufc"
    return jnp.asarray(leaf) if is_numbers or type(leaf).__name__ == _CONSTANT else leaf


def signature_of(leaves: Sequence[Any]) -> tuple[Any, ...]:
    """Return what a trace depends on: shapes and dtypes of the arrays."""
    return tuple(
        [
            (leaf.shape, leaf.dtype) if isinstance(leaf, (jax.Array, np.ndarray)) else None
            for leaf in leaves
        ]
    )


def _is_short(traced: ClosedJaxpr) -> bool:
    """Say whether JAX itself keeps all of it compiled: a few operations, or compiled functions.

    Loops, branches and rules written by hand are traced anew each time they are differentiated,
    unless they are compiled. A donated argument would be given away, unless compiled within.
    """
    eqns = traced.jaxpr.eqns
    return len(eqns) <= _FEW and all(
        not list(jaxprs_in_params(eqn.params))
        or (eqn.primitive.name in _COMPILED and not any(eqn.params.get("donated_invars", ())))
        for eqn in eqns
    )

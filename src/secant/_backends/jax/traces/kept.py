"""Programs for traces, kept: a function checked again is neither compiled again nor held on to.

A function may have changed since the last check, so it is traced anew each time; what is kept is
found by comparing traces, operation by operation. Constants are arguments like any other, so that
other ones make no other program. A program that is only run is the same whatever rules were
written for its derivative; what is differentiated must be the same in those too, and what cannot
be compared (a rule written by hand, a callback) is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, jaxpr_as_fun, jaxprs_in_params

_MOST = 64
# Optimising takes about 1 ms an operation, and code without it 5 ns more an entry: in the twenty
# or so runs of a check that is the same at 10 000 entries.
_SMALL = 1 << 13
_HASTY = {"xla_backend_optimization_level": 0}
_RULES = frozenset({"jvp_jaxpr_fun", "jvp_jaxpr_thunk", "fwd_jaxpr_thunk", "bwd", "out_trees"})

Run = Callable[[Sequence[Any], Sequence[Any]], Sequence[Any]]
"""From constants and arrays to answers."""
Derivative = Callable[
    [Sequence[Any], Sequence[Any], Sequence[Any]], tuple[list[Any], Sequence[Any]]
]
"""From constants, arrays and what is pulled or pushed to outputs of a pass of its own, and that."""

Made = Callable[[Jaxpr, Sequence[int], Sequence[int]], Derivative]

_programs: list[tuple[Jaxpr, Run]] = []
_kept: list[KeptProgram] = []


class KeptProgram:
    """What a trace leads to: how it is run and differentiated, compiled when first asked for."""

    def __init__(self, jaxpr: Jaxpr, *, is_compiled: bool) -> None:
        self.jaxpr = jaxpr
        self.run: Run = program(jaxpr) if is_compiled else _interpreted(jaxpr)
        self._derivatives: dict[tuple[Any, ...], Derivative] = {}

    def derivative(self, made: Made, leaves: Sequence[int], outputs: Sequence[int]) -> Derivative:
        """Return the pull or the push between some of the arrays and some outputs, by places."""
        asked = made, tuple(leaves), tuple(outputs)
        known = self._derivatives.get(asked)
        if known is None:
            known = self._derivatives[asked] = _traced_once(made(self.jaxpr, leaves, outputs))
        return known


def kept(jaxpr: Jaxpr, *, is_compiled: bool) -> KeptProgram:
    """Return what a trace leads to, with what was compiled of it earlier if it was the same."""
    for place, earlier in enumerate(_kept):
        if _is_same(earlier.jaxpr, jaxpr, ()):
            _kept.append(_kept.pop(place))
            return earlier
    _kept.append(KeptProgram(jaxpr, is_compiled=is_compiled))
    del _kept[:-_MOST]
    return _kept[-1]


def program(jaxpr: Jaxpr) -> Run:
    """Return a program that runs a trace, compiled for one that computes the same."""
    for place, (earlier, run) in enumerate(_programs):
        if _is_same(earlier, jaxpr, _RULES):
            _programs.append(_programs.pop(place))
            return run
    _programs.append((jaxpr, _compiled(_interpreted(jaxpr), jaxpr)))
    del _programs[:-_MOST]
    return _programs[-1][1]


def _traced_once(function: Derivative) -> Derivative:
    """Return a function that is traced when it is first called, and run by a program for that."""
    known: list[tuple[ClosedJaxpr, Run, Any]] = []

    def ran(*arguments: Any) -> Any:
        if not known:
            traced, shapes = jax.make_jaxpr(function, return_shape=True)(*arguments)
            structure = jax.tree_util.tree_structure(shapes)
            known.append((traced, program(traced.jaxpr), structure))
        traced, run, structure = known[0]
        answers = run(traced.consts, jax.tree_util.tree_leaves(arguments))
        return jax.tree_util.tree_unflatten(structure, answers)

    return ran


def is_traced(array: Any) -> bool:
    """Say whether an array has no numbers yet."""
    return isinstance(array, jax.core.Tracer)


def pulling(jaxpr: Jaxpr, leaves: Sequence[int], outputs: Sequence[int]) -> Derivative:
    """Return the pull from some outputs of a trace to some of its arrays, not compiled."""

    def pull(
        constants: Sequence[Any], arrays: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[list[Any], Sequence[Any]]:
        call, point = _between(jaxpr, constants, arrays, leaves, outputs)
        passed, back = jax.vjp(call, *point)
        return passed, back(list(cotangents))

    return pull


def pushing(jaxpr: Jaxpr, leaves: Sequence[int], outputs: Sequence[int]) -> Derivative:
    """Return the push from some of a trace's arrays to some of its outputs, not compiled."""

    def push(
        constants: Sequence[Any], arrays: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[list[Any], Sequence[Any]]:
        call, point = _between(jaxpr, constants, arrays, leaves, outputs)
        passed, pushed = jax.jvp(call, point, list(tangents))
        return passed, pushed

    return push


def _between(
    jaxpr: Jaxpr,
    constants: Sequence[Any],
    arrays: Sequence[Any],
    leaves: Sequence[int],
    outputs: Sequence[int],
) -> tuple[Callable[..., list[Any]], list[Any]]:
    """Return a trace as a function from some of its arrays to some outputs, and the point."""
    run = _interpreted(jaxpr)

    def call(*values: Any) -> list[Any]:
        given = list(arrays)
        for place, value in zip(leaves, values, strict=True):
            given[place] = value
        answers = run(constants, given)
        return [answers[place] for place in outputs]

    return call, [arrays[place] for place in leaves]


def _interpreted(jaxpr: Jaxpr) -> Run:
    def run(constants: Sequence[Any], arrays: Sequence[Any]) -> Sequence[Any]:
        answers: Sequence[Any] = jaxpr_as_fun(ClosedJaxpr(jaxpr, constants))(*arrays)
        return answers

    return run


def _compiled(function: Callable[..., Any], jaxpr: Jaxpr) -> Any:
    """Return a function that goes through a trace, compiled: in haste where all in it is small."""
    is_hasty = jax.default_backend() == "cpu" and all(
        getattr(variable.aval, "size", 0) <= _SMALL
        for variables in ((*jaxpr.constvars, *jaxpr.invars), *(eqn.outvars for eqn in jaxpr.eqns))
        for variable in variables
    )
    return jax.jit(function, compiler_options=_HASTY if is_hasty else None)


def without_idle(traced: ClosedJaxpr) -> ClosedJaxpr:
    """Return a trace without operations that lead to no output, and so without their rules."""
    needed = set(filter(_is_variable, traced.jaxpr.outvars))
    eqns = []
    for eqn in reversed(traced.jaxpr.eqns):
        if eqn.effects or not needed.isdisjoint(eqn.outvars):
            eqns.append(eqn)
            needed.update(filter(_is_variable, eqn.invars))
    return ClosedJaxpr(traced.jaxpr.replace(eqns=eqns[::-1]), traced.consts)


def _is_variable(atom: Any) -> bool:
    return not isinstance(atom, Literal)


def every_operation(jaxpr: Jaxpr, closed: Sequence[str] = ()) -> Iterator[Any]:
    """Yield every operation, those inside others included, except inside of those named."""
    pending: list[Any] = [jaxpr]
    while pending:
        for eqn in pending.pop().eqns:
            yield eqn
            if eqn.primitive.name not in closed:
                pending += jaxprs_in_params(eqn.params)


# -- comparing traces -----------------------------------------------------------------------------


def _is_same(one: Jaxpr, other: Jaxpr, but: Sequence[str] | frozenset[str]) -> bool:
    """Say whether two traces are the same up to names of variables, and parameters named `but`."""
    if one is other:
        return True
    if len(one.eqns) != len(other.eqns) or one.effects != other.effects:
        return False
    names: dict[Any, Any] = {}
    if not _bound(names, [*one.constvars, *one.invars], [*other.constvars, *other.invars]):
        return False
    for a, b in zip(one.eqns, other.eqns, strict=True):
        if a.primitive is not b.primitive or a.ctx is not b.ctx or a.effects != b.effects:
            return False
        if not _is_read_alike(names, a.invars, b.invars) or not _is_equal(a.params, b.params, but):
            return False
        if not _bound(names, a.outvars, b.outvars):
            return False
    return _is_read_alike(names, one.outvars, other.outvars)


def _bound(names: dict[Any, Any], one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Let the variables of one stand for those of the other; say whether their types are equal."""
    names.update(zip(one, other, strict=False))
    return [v.aval for v in one] == [v.aval for v in other]


def _is_read_alike(names: dict[Any, Any], one: Sequence[Any], other: Sequence[Any]) -> bool:
    if len(one) != len(other):
        return False
    return all(
        isinstance(b, Literal) and a.aval == b.aval and _is_equal(a.val, b.val)
        if isinstance(a, Literal)
        else names.get(a) is b
        for a, b in zip(one, other, strict=True)
    )


def _is_equal(one: Any, other: Any, but: Sequence[str] | frozenset[str] = ()) -> bool:
    """Say whether two parameters are equal for certain."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, ClosedJaxpr):
        constants = _is_equal(list(one.consts), list(other.consts))
        return constants and _is_same(one.jaxpr, other.jaxpr, but)
    if isinstance(one, Jaxpr):
        return _is_same(one, other, but)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(
            key in but or _is_equal(one[key], other[key], but) for key in one
        )
    if isinstance(one, (tuple, list)):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_is_equal(a, b, but) for a, b in pairs)
    if isinstance(one, (np.ndarray, np.generic, jax.Array)):
        return _is_equal_array(one, other)
    if isinstance(one, float):
        return float.hex(one) == float.hex(other)  # NaN is itself here, and −0 is not 0
    try:
        return bool(one == other)
    except Exception:
        return False


def _is_equal_array(one: Any, other: Any) -> bool:
    if isinstance(one, jax.core.Tracer) or one.dtype != other.dtype or one.shape != other.shape:
        return False
    if jnp.issubdtype(one.dtype, jax.dtypes.extended):
        one, other = jax.random.key_data(one), jax.random.key_data(other)
    return np.asarray(one).tobytes() == np.asarray(other).tobytes()

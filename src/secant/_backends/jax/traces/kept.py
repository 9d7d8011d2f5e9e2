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
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, Primitive, jaxpr_as_fun, jaxprs_in_params
from jax.interpreters.partial_eval import DynamicJaxprTracer

from .alike import is_same

_config: Any = jax.config
_MOST = 64
# Optimising takes about 1 ms an operation, and code without it 5 ns more an entry: in the twenty
# or so runs of a check that is the same at 10 000 entries.
SMALL = 1 << 13
_HASTY = {"xla_backend_optimization_level": 0}
_WRITTEN = ("custom_vjp_call", "custom_vjp_call_jaxpr")
_RULES = frozenset({"jvp_jaxpr_fun", "jvp_jaxpr_thunk", "fwd_jaxpr_thunk", "bwd", "out_trees"})

Run = Callable[[Sequence[Any], Sequence[Any]], Sequence[Any]]
"""From constants and arrays to answers."""
Derivative = Callable[
    [Sequence[Any], Sequence[Any], Sequence[Any]], tuple[list[Any], Sequence[Any]]
]
"""From constants, arrays and what is pulled or pushed to outputs of a pass of its own, and that."""

Made = Callable[[Jaxpr, Sequence[int], Sequence[int]], Derivative]

_programs: list[tuple[Jaxpr, Run]] = []
_gradients: list[tuple[Jaxpr, Run]] = []  # made of programs for pulls and pushes
_kept: list[KeptProgram] = []


class KeptProgram:
    """What a trace leads to: how it is run and differentiated, compiled when first asked for."""

    def __init__(self, jaxpr: Jaxpr, *, is_compiled: bool) -> None:
        self.jaxpr = jaxpr
        self.has_own_rules = any(eqn.primitive.name in _WRITTEN for eqn in every_operation(jaxpr))
        compiled = program(jaxpr) if is_compiled else _known_program(jaxpr)
        self.run: Run = compiled or _one_by_one(jaxpr)
        self._derivatives: dict[tuple[Any, ...], Derivative] = {}

    def derivative(self, made: Made, leaves: Sequence[int], outputs: Sequence[int]) -> Derivative:
        """Return the pull or the push between some of the arrays and some outputs, by places."""
        asked = made, tuple(leaves), tuple(outputs)
        known = self._derivatives.get(asked)
        if known is None:
            known = self._derivatives[asked] = _traced_once(made(self.jaxpr, leaves, outputs))
        return known


def found_again(jaxpr: Jaxpr) -> KeptProgram | None:
    """Return what the same trace led to earlier, with what was compiled of it, if that is kept."""
    for place in reversed(range(len(_kept))):
        if is_same(_kept[place].jaxpr, jaxpr, ()):
            _kept.append(_kept.pop(place))
            return _kept[-1]
    return None


def kept(jaxpr: Jaxpr, *, is_compiled: bool) -> KeptProgram:
    """Return what a trace leads to, and keep it for the next trace that is the same."""
    known = found_again(jaxpr)
    if known is None:
        known = KeptProgram(jaxpr, is_compiled=is_compiled)
        _kept.append(known)
        del _kept[:-_MOST]
    return known


def program(jaxpr: Jaxpr) -> Run:
    """Return a program that runs a trace, compiled for one that computes the same."""
    return _known_program(jaxpr) or _keep(_programs, jaxpr, _compiled(jaxpr))


def _known_program(jaxpr: Jaxpr) -> Run | None:
    for known in (_programs, _gradients):
        for place in reversed(range(len(known))):
            if is_same(known[place][0], jaxpr, _RULES):
                known.append(known.pop(place))
                return known[-1][1]
    return None


def _keep(known: list[tuple[Jaxpr, Run]], jaxpr: Jaxpr, run: Run) -> Run:
    known.append((jaxpr, run))
    del known[:-_MOST]
    return run


def _traced_once(function: Derivative) -> Derivative:
    """Return a function that is traced when it is first called, and run by a program for that."""
    known: list[tuple[ClosedJaxpr, Run, Any]] = []

    def ran(*arguments: Any) -> Any:
        if not known:
            traced, shapes = jax.make_jaxpr(function, return_shape=True)(*arguments)
            structure = jax.tree_util.tree_structure(shapes)
            known.append((traced, _run_of_derivative(traced, len(shapes[0])), structure))
        traced, run, structure = known[0]
        given = jax.tree_util.tree_leaves(arguments)
        staged = [one for one in given if isinstance(one, DynamicJaxprTracer)]
        # a gradient that is being traced takes the operations, and not a call of a program
        answers = jaxpr_as_fun(traced)(*given) if staged else run(traced.consts, given)
        return jax.tree_util.tree_unflatten(structure, answers)

    return ran


def _run_of_derivative(traced: ClosedJaxpr, passed: int) -> Run:
    """Return a program for a pull or a push, which serves the gradient as a function of its own.

    That is the same without the outputs of the pass, of which there are so many; to compile it
    once more would take as long as all the rest of a second order.
    """
    run = program(traced.jaxpr)
    alone = traced.jaxpr.replace(outvars=traced.jaxpr.outvars[passed:])
    gradient = without_idle(ClosedJaxpr(alone, traced.consts)).jaxpr
    _keep(_gradients, gradient, lambda constants, arrays: run(constants, arrays)[passed:])
    return run


def is_traced(array: Any) -> bool:
    """Say whether an array has no numbers yet."""
    return isinstance(array, jax.core.Tracer)


def any_traced(arrays: Sequence[Any]) -> bool:
    """Say the same of some of the arrays; asked at every evaluation."""
    return bool([one for one in arrays if isinstance(one, jax.core.Tracer)])


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


def _one_by_one(jaxpr: Jaxpr) -> Run:
    """Return what runs a short trace on arrays with numbers, an operation at a time.

    Each is run by the program that JAX keeps of it. `jaxpr_as_fun` runs the same, after it has
    looked at every value for what may be done with it: that takes longer than a short trace does.
    """
    whole, eqns = _interpreted(jaxpr), jaxpr.eqns
    if any(type(eqn.primitive) is not Primitive for eqn in eqns):
        return whole  # one of them is bound in a way of its own
    read = [one for atoms in (*(eqn.invars for eqn in eqns), jaxpr.outvars) for one in atoms]
    literals = [one for one in read if isinstance(one, Literal)]
    bound = [one for atoms in (jaxpr.constvars, jaxpr.invars) for one in atoms]
    bound += [one for eqn in eqns for one in eqn.outvars]
    places = {id(one): k for k, one in enumerate([*literals, *bound])}
    known = [one.val for one in literals]
    steps = [(eqn, [places[id(one)] for one in eqn.invars]) for eqn in eqns]
    answers = [places[id(one)] for one in jaxpr.outvars]

    def run(constants: Sequence[Any], arrays: Sequence[Any]) -> Sequence[Any]:
        if _config.jax_debug_nans:
            return whole(constants, arrays)  # which knows where NaN is meant to be
        values = [*known, *constants, *arrays]
        for eqn, inputs in steps:
            given = [values[place] for place in inputs]
            with eqn.ctx.manager:
                found: Any = eqn.primitive.impl(*given, **eqn.params)  # type: ignore[no-untyped-call]
            values += found if eqn.primitive.multiple_results else [found]
        return [values[place] for place in answers]

    return run


def _compiled(jaxpr: Jaxpr) -> Run:
    """Return a program that goes through a trace: made in haste where all in it is small."""
    is_hasty = jax.default_backend() == "cpu" and all(
        getattr(variable.aval, "size", 0) <= SMALL
        for variables in ((*jaxpr.constvars, *jaxpr.invars), *(eqn.outvars for eqn in jaxpr.eqns))
        for variable in variables
    )
    first, run = len(jaxpr.constvars), _interpreted(jaxpr)

    def run_all(every: Sequence[Any]) -> Sequence[Any]:
        return run(every[:first], every[first:])

    made = jax.jit(run_all, compiler_options=_HASTY if is_hasty else None)
    # what is a constant in one trace may be an argument in another that computes the same
    return lambda constants, arrays: made([*constants, *arrays])


def without_idle(traced: ClosedJaxpr) -> ClosedJaxpr:
    """Return a trace without operations that lead to no output, and so without their rules."""
    every = traced.jaxpr.eqns
    needed = set(map(id, traced.jaxpr.outvars))
    eqns = []
    for eqn in reversed(every):
        if eqn.effects or not needed.isdisjoint(map(id, eqn.outvars)):
            eqns.append(eqn)
            needed.update(map(id, eqn.invars))
    if len(eqns) == len(every):
        return traced
    return ClosedJaxpr(traced.jaxpr.replace(eqns=eqns[::-1]), traced.consts)


def every_operation(jaxpr: Jaxpr, closed: Sequence[str] = ()) -> Iterator[Any]:
    """Yield every operation, those inside others included, except inside of those named."""
    pending: list[Any] = [jaxpr]
    while pending:
        for eqn in pending.pop().eqns:
            yield eqn
            if eqn.primitive.name not in closed:
                pending += jaxprs_in_params(eqn.params)

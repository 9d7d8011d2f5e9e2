"""Which rules written by hand stand between an output and a leaf: read from its trace."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from jax.extend.core import jaxprs_in_params

from ...code import Code, code_of, defined_at

_PULLED, _PUSHED = "bwd", "jvp_jaxpr_fun"  # under these names an operation keeps its rule
_COMPILED = ("jit", "pjit", "closed_call", "core_call", "remat2", "checkpoint")


def rules_in(jaxpr: Any, inputs: Collection[int], outputs: Collection[int]) -> list[Code]:
    """Return the rules on the way from some inputs of a trace to some of its outputs."""
    return list(dict.fromkeys(_walked(jaxpr, inputs, outputs)))


def _walked(jaxpr: Any, inputs: Collection[int], outputs: Collection[int]) -> Iterator[Code]:
    moved = {jaxpr.invars[k] for k in inputs if k < len(jaxpr.invars)}
    for eqn in jaxpr.eqns:
        if _places(eqn.invars, moved):
            moved.update(eqn.outvars)
    needed = {one for k, one in enumerate(jaxpr.outvars) if k in outputs and _is_variable(one)}
    for eqn in reversed(jaxpr.eqns):
        if not _places(eqn.outvars, needed):
            continue
        needed.update(one for one in eqn.invars if _is_variable(one))
        places = _places(eqn.invars, moved)
        if places:
            yield from _of(eqn, places, _places(eqn.outvars, needed))


def _of(eqn: Any, inputs: list[int], outputs: list[int]) -> Iterator[Code]:
    if _PULLED in eqn.params:
        rule = eqn.params[_PULLED]
        for value in _values(rule, inputs, eqn.params.get("num_consts", 0)):
            yield from _code(rule, value)
    elif _PUSHED in eqn.params:
        yield from _code(eqn.params[_PUSHED], None)
    else:
        is_alike = eqn.primitive.name in _COMPILED
        for inner in jaxprs_in_params(eqn.params):
            if is_alike and len(inner.invars) == len(eqn.invars):
                yield from _walked(inner, inputs, outputs)
            else:  # a loop or a branch: whatever is in it
                yield from _walked(inner, range(len(inner.invars)), range(len(inner.outvars)))


def _values(rule: Any, places: Sequence[int], constants: int) -> list[int | None]:
    """Return which of the values that a vjp rule returns belong to these inputs, from 1 on."""
    trees = [one for _, given in rule.transforms for one in given if hasattr(one, "children")]
    if not trees:
        return [None]
    counts = [child.num_leaves for child in trees[0].children()]
    if len(counts) < 2:
        return [None]
    owners = [k for k, count in enumerate(counts) for _ in range(count)]
    own = [place - constants for place in places if place >= constants]
    return list(dict.fromkeys(owners[k] + 1 for k in own if k < len(owners))) or [None]


def _code(rule: Any, value: int | None) -> Iterator[Code]:
    """Yield where a rule is written: as a function, or else as JAX remembers it."""
    code = code_of(getattr(rule, "f", None), value=value)
    about = getattr(rule, "debug_info", None)
    file, line = getattr(about, "func_filename", None), getattr(about, "func_lineno", None)
    if about is not None and file and line:
        name = str(about.func_src_info).partition(" at ")[0]
        same = code is not None and code.file == file
        yield Code(code.name if same and code else name, file, defined_at(file, line), value)
    elif code is not None:
        yield code


def _places(variables: Sequence[Any], known: Collection[Any]) -> list[int]:
    return [k for k, one in enumerate(variables) if _is_variable(one) and one in known]


def _is_variable(one: Any) -> bool:
    return not hasattr(one, "val")  # a literal has its value with it

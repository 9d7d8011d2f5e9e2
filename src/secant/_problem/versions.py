"""Another version of a function that must agree with it: in float64, without its casts, or both.

Low precision hides errors, and a cast to it inside a function makes stairs of what was smooth.
Short steps see the flats of it, or whatever moves beside them, while the gradient that is meant is
that of the function without the cast. Many such functions can be run at the same point with every
leaf in float64, what they close over widened where that is needed, and with casts to lower
precision left out. That is tried, and trusted only if every output then is of float64 and agrees
with the real one as far as rounding explains.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from .._constants import RESIDUE
from .._errors import SecantError
from .._spaces.base import Space
from .grain import hides_single
from .leaves import SINGLE
from .problem import Problem
from .trace import Trace

_IS_EXACT = operator.attrgetter("is_exact")
_ROUNDOFFS = {"float64": 2.0**-50, "float32": SINGLE}  # the coarsest that is of a dtype

Context = Callable[[], AbstractContextManager[Any]]


@dataclass(frozen=True, slots=True)
class Version:
    """A problem in a wider dtype unless that was forbidden; it is asked within `context`."""

    problem: Problem
    trace: Trace
    context: Context
    used: float  # the coarsest rounding of the function that it is a version of
    left_out: tuple[str, ...] = ()  # dtypes that are not cast to
    dtype: str = "float64"  # of what were inexact leaves; "" where they stay as they are
    missing: str = ""  # why it is not in float64, where it is in less

    @property
    def said(self) -> str:
        """How it differs from the function, in words."""
        if not self.left_out:
            return f"in {self.dtype}"
        return f"without its casts to {' and '.join(self.left_out)} inside"


def has_versions(problem: Problem, trace: Trace, *, is_lifted: bool = True) -> bool:
    """Say whether a leaf may be widened to float64, or a cast inside to less was seen."""
    if not problem.codomain.parts:
        return False  # nothing moves
    if trace.casts or not is_lifted:
        return bool(trace.casts)
    return not all(map(_IS_EXACT, problem.domain.parts))


def version_of(problem: Problem, trace: Trace, *, is_lifted: bool = True) -> Version | str:
    """Return the problem in float64 and without casts, or why that cannot be had.

    One that computes in float32 whatever it is given, or takes no float64, is run in float32 where
    its own leaves are of less: steps that are numbers of float32 are seen without rounding.
    """
    double = _uncast(problem, trace, "float64" if is_lifted else "")
    if not is_lifted:
        return double
    if isinstance(double, Version):
        with double.context():
            vectors, is_suspected = double.trace.vectors, bool(double.left_out)
            if not hides_single(double.problem, vectors, is_suspected=is_suspected):
                return double
        double = "it computes in float32 whatever it is given"
    single = _in_single(problem, trace)
    return double if isinstance(single, str) else replace(single, missing=double)


def _in_single(problem: Problem, trace: Trace) -> Version | str:
    """Return the problem in float32, or why that cannot be had."""
    if all(space.roundoff <= SINGLE for space in problem.domain.parts):
        return "nothing is coarser than float32"
    try:
        wide = problem.widened("float32")
        version = Version(
            wide, wide.trace(), contextlib.nullcontext, _used(problem, {}), dtype="float32"
        )
    except SecantError as error:
        return f"it does not run in float32: {error}"
    if any(roundoff > SINGLE for roundoff in version.trace.casts.values()):
        return "it casts to less"
    return why_not(problem, trace, version) or version


def _uncast(problem: Problem, trace: Trace, dtype: str) -> Version | str:
    """Return the problem in float64 and without casts, or why that cannot be had."""
    reason = ""
    casts = dict(trace.casts)
    for context, leaves_casts in _contexts(problem, casts, bool(dtype)):
        if leaves_casts and not casts:
            continue
        try:
            wide = problem.widened(dtype)
            with context():
                wide_trace = wide.trace()
        except SecantError as error:
            reason = reason or f"it does not run in float64: {error}"
            continue
        if wide_trace.casts and not leaves_casts:
            casts |= wide_trace.casts  # to what it is used in, perhaps
            continue
        left_out = tuple(casts) if leaves_casts else ()
        version = Version(wide, wide_trace, context, _used(problem, casts), left_out, dtype)
        said = why_not(problem, trace, version)
        if not said:
            return version
        reason = reason or said
        if not (problem.is_random or leaves_casts):
            return said
    return reason


def _used(problem: Problem, casts: Mapping[str, float]) -> float:
    spaces = (*problem.domain.parts, *problem.codomain.parts)
    return max([*casts.values(), *(space.roundoff for space in spaces)])


def _contexts(
    problem: Problem, casts: Mapping[str, float], is_lifted: bool
) -> Iterator[tuple[Context, bool]]:
    """Yield what is tried in turn, and whether it leaves casts out.

    Without the casts that were seen, as it is, with the same random numbers, all widened; at last
    without casts that were seen in float64 alone.
    """
    backend = problem.backend

    @contextlib.contextmanager
    def redrawn(context: Context) -> Iterator[None]:
        with backend.versions.redrawing(), context():
            yield

    def uncasting() -> AbstractContextManager[Any]:
        return backend.versions.uncasting(() if is_lifted else tuple(casts))

    were_seen = bool(casts)
    if were_seen:
        yield uncasting, True
        if problem.is_random:
            yield lambda: redrawn(uncasting), True
    if not is_lifted or all(space.is_exact for space in problem.domain.parts):
        return
    yield contextlib.nullcontext, False
    if problem.is_random:
        yield backend.versions.redrawing, False
        yield lambda: redrawn(backend.versions.widening), False
    else:
        yield backend.versions.widening, False
    if not were_seen:
        yield uncasting, True
        if problem.is_random:
            yield lambda: redrawn(uncasting), True


def version_of_gradient(
    problem: Problem, trace: Trace, wide: Problem, below: Version
) -> Version | str:
    """Return the gradient of a version, if it is a version of the gradient."""
    try:
        with below.context():
            version = replace(below, problem=wide, trace=wide.trace())
    except SecantError as error:
        return f"its gradient does not run {below.said}: {error}"
    return why_not(problem, trace, version) or version


def _kind(space: Space) -> tuple[tuple[int, ...], int]:
    """Return a space's shape and its coordinates, twice as many for complex numbers."""
    return tuple(space.signature.shape), space.size


def why_not(problem: Problem, trace: Trace, version: Version) -> str:
    """Return what speaks against trusting a version; nothing if it is the same function."""
    backend, where = problem.backend, f"in {version.dtype}" if version.dtype else version.said
    low, wide = problem.codomain.parts, version.problem.codomain.parts
    if [_kind(space) for space in low] != [_kind(space) for space in wide]:
        return f"its outputs have other shapes {where}"
    if version.trace.is_differentiable != trace.is_differentiable:
        return "it claims a derivative in one of the two precisions only"
    inside = version.used if version.left_out else 0.0
    vectors = version.trace.vectors
    for part, (space, one, other) in enumerate(zip(low, trace.vectors, vectors, strict=True)):
        if version.dtype and wide[part].roundoff > _ROUNDOFFS[version.dtype]:
            return f"{problem.codomain.path(part)} is not of {version.dtype} even if all inputs are"
        roundoff = max([inside, space.roundoff, *(leaf.roundoff for leaf in problem.domain.parts)])
        share = max(RESIDUE * roundoff, roundoff**0.5)
        distance, allowed = backend.distance(one, 1.0, other), share * backend.norm(other)
        if distance <= allowed:
            continue
        # what cancels is what rounding has left of terms as large as those beside it
        largest = max(version.problem.sizes.of_outputs(vectors))
        if not distance <= allowed + RESIDUE * roundoff * largest * wide[part].size ** 0.5:
            return f"{problem.codomain.path(part)} has other values {where}"
    return ""

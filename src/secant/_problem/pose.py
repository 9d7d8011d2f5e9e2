"""From a function and its arguments to a problem, or one clear error about what is wrong."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._backends.base import Backend
from .._backends.registry import backend_of
from .._errors import InputError
from .problem import Problem
from .trees import Arguments, function_name


def gather(
    function: Callable[..., Any], inputs: Sequence[Any], keywords: Mapping[str, Any]
) -> tuple[Arguments, Backend]:
    """Return the arguments as leaves, and the framework they belong to."""
    if not callable(function):
        raise InputError(f"expected a function to check; got {type(function).__name__}")
    arguments = Arguments(inputs, keywords)
    return arguments, backend_of(arguments.leaves, function)


def pose(function: Callable[..., Any], arguments: Arguments, backend: Backend) -> Problem:
    """Make a problem of a function and its arguments, or say what about them cannot be checked."""
    chosen = _differentiated(backend, arguments.leaves)

    def call(leaves: Sequence[Any]) -> Any:
        positional, named = arguments.rebuild(leaves)
        return function(*positional, **named)

    @functools.cache
    def paths() -> list[str]:
        every = arguments.paths(function)
        return [every[place] for place in chosen]

    refuse_bad_points(backend, arguments.leaves, chosen, paths)
    problem = Problem(function_name(function), call, backend, arguments.leaves, chosen, paths)
    refuse_infinite_points(backend, problem)
    return problem


def refuse_infinite_points(backend: Backend, problem: Problem) -> None:
    """Say which leaf is NaN or infinite at the point itself."""
    for part in range(len(problem.points)):
        if not backend.is_finite(problem.coordinates_of_point(part)):
            raise InputError(
                "expected the point itself to be finite; got NaN or inf in "
                f"{problem.domain.path(part)}"
            )


def _differentiated(backend: Backend, leaves: Sequence[Any]) -> list[int]:
    """Choose the leaves the user marked, or every inexact one when none is marked."""
    inexact = [
        k for k, leaf in enumerate(leaves) if backend.is_array(leaf) and backend.is_inexact(leaf)
    ]
    marked = [k for k in inexact if backend.wants_gradient(leaves[k])]
    if not inexact:
        raise InputError(
            "expected at least one floating or complex array among the inputs; got none, "
            "so there is nothing to differentiate"
        )
    return marked or inexact


def refuse_bad_points(
    backend: Backend,
    leaves: Sequence[Any],
    chosen: Sequence[int],
    paths: Callable[[], Sequence[str]],
) -> None:
    """Say which leaf cannot be differentiated: it has no space, or is there twice."""
    for rank, place in enumerate(chosen):
        array = leaves[place]
        for earlier in range(rank):
            if array is leaves[chosen[earlier]]:
                one, other = paths()[earlier], paths()[rank]
                raise InputError(
                    f"expected every differentiated leaf to be an array of its own; {one} and "
                    f"{other} are the same one. Pass a copy, or a function of one argument"
                )
        if not backend.is_dense(array):
            raise InputError(
                f"expected dense arrays; {paths()[rank]} has layout "
                f"{backend.signature(array).layout}, which has no space of its own yet"
            )

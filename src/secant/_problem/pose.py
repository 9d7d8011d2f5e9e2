"""From a function and its arguments to a problem, or one clear error about what is wrong."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .._backends.base import Array, Backend
from .._backends.registry import backend_of
from .._errors import InputError
from .problem import Problem, Recall
from .trees import Arguments, function_name


def gather(
    function: Callable[..., Any], inputs: Sequence[Any], keywords: Mapping[str, Any]
) -> tuple[Arguments, Backend]:
    """Return the arguments as leaves, and the framework they belong to."""
    if not callable(function):
        raise InputError(f"expected a function to check; got {type(function).__name__}")
    arguments = Arguments(inputs, keywords)
    backend = backend_of(arguments.leaves, function)
    arguments.leaves = backend.adopted(arguments.leaves)
    return arguments, backend


def with_numbers(inputs: Sequence[Any]) -> tuple[Any, ...]:
    """Return the arguments with Python's floats as NumPy's, which are floats too.

    Beside arrays a number is a constant; alone it is what the function is differentiated by.
    """
    if any(not isinstance(one, (float, complex, int, str)) for one in inputs):
        for place, one in enumerate(inputs):
            _refuse_list(place, one)
        return tuple(inputs)
    return tuple(
        np.complex128(one) if isinstance(one, complex)
        else np.float64(one) if isinstance(one, float) else one
        for one in inputs
    )  # fmt: skip


def _refuse_list(place: int, value: Any) -> None:
    """Say that numbers in a list are many inputs, where one array is meant."""
    is_list = isinstance(value, list) and bool(value)
    if is_list and all(isinstance(one, (float, int)) for one in value):
        raise InputError(
            f"expected arrays; input {place} is a list of Python numbers. Pass it as an array, "
            "as np.array([...])"
        )


def pose(
    function: Callable[..., Any],
    arguments: Arguments,
    backend: Backend,
    *,
    masked: bool = False,
    is_given: bool = False,
) -> Problem:
    """Make a problem of a function and its arguments, or say what about them cannot be checked.

    `masked` says that of sparse arrays only the stored entries count.
    Derivatives that are given answer for positional arguments: keywords are constants to them.
    """
    own = sum(one.num_leaves for one in arguments.positional()) if is_given else None
    chosen = _differentiated(backend, arguments.leaves[:own])
    call, recall = door(function, arguments, backend)

    @functools.cache
    def paths() -> list[str]:
        every = arguments.paths(function)
        return [backend.spelt(every[place]) for place in chosen]

    name, leaves = function_name(function), arguments.leaves
    refuse_bad_leaves(backend, leaves, chosen, paths, masked=masked)
    problem = Problem(name, call, backend, leaves, chosen, paths, recall, masked=masked)
    refuse_infinite_points(backend, problem)
    return problem


def door(
    function: Callable[..., Any], arguments: Arguments, backend: Backend
) -> tuple[Callable[[Sequence[Any]], Any], Recall | None]:
    """Return the function of its leaves, and what surrounds the pulls through its calls.

    Whatever a call changes in modules behind the function is put back after it.
    """
    keeping = backend.keeping(function)

    def call(leaves: Sequence[Any]) -> Any:
        positional, named = arguments.rebuild(leaves)
        return backend.as_answer(function(*positional, **named))

    def kept_call(leaves: Sequence[Any]) -> Any:
        with keeping():  # type: ignore[misc]
            return call(leaves)

    return (call, None) if keeping is None else (kept_call, lambda _: keeping())


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


def refuse_bad_leaves(
    backend: Backend,
    leaves: Sequence[Any],
    chosen: Sequence[int],
    paths: Callable[[], Sequence[str]],
    *,
    masked: bool,
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
            _refuse_sparse(backend, array, paths()[rank], masked=masked)


def _refuse_sparse(backend: Backend, array: Array, path: str, *, masked: bool) -> None:
    """Say what about a leaf that is not dense cannot be checked."""
    signature = backend.signature(array)
    if not backend.is_sparse(array):
        raise InputError(
            f"expected strided or sparse arrays; {path} has layout {signature.layout}, which has "
            "no space of its own"
        )
    broken = backend.what_is_broken(array)
    if broken is not None:
        raise InputError(f"expected a valid {signature.layout} array; {path} is not: {broken}")
    entries = math.prod(signature.shape)
    if not masked and entries > _MOST_ENTRIES:
        raise InputError(
            f"{path} has {entries:,} entries, stored or not, and masked=False asks about all of "
            "them: check a smaller one, or the stored entries alone with masked=True"
        )


_MOST_ENTRIES = 1 << 28  # of which a check holds a handful of copies in float64

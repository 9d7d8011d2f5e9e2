"""From a function and its arguments to a problem, or one clear error about what is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from .._backends.base import Array, Backend
from .._backends.interface.values import Values
from .._backends.registry import backend_of
from .._errors import InputError, NotFinite
from .._spaces.finite import FiniteSpace
from .problem import Problem, Recall
from .trees import Arguments, function_name
from .usable import refuse_unusable


def gather(
    function: Callable[..., Any], inputs: Sequence[Any], keywords: Mapping[str, Any]
) -> tuple[Arguments, Backend]:
    """Return the arguments as leaves, and the framework they belong to."""
    if not callable(function):
        raise InputError(f"expected a function to check; got {type(function).__name__}")
    arguments = Arguments(inputs, keywords)
    backend = backend_of(arguments.leaves, function)
    if isinstance(function, type):
        _refuse_class(backend, function)
    arguments.leaves = backend.adopted(arguments.leaves)
    around = backend.unusable_here()
    if around:
        raise InputError(
            f"expected secant to be called outside of {around}: within it there are no numbers"
        )
    arguments.candidates = arguments.leaves, candidates(backend, arguments.leaves)
    for place in arguments.candidates[1]:
        path = partial(_path_of, arguments, function, place)
        refuse_unusable(backend, arguments.leaves[place], path)
    return arguments, backend


def _refuse_class(backend: Backend, kind: type) -> None:
    """Say what is called of a class that is not called itself."""
    name = kind.__name__
    if backend.targets.rule(kind) is not None:
        raise InputError(f"expected a function to check; {name} is a rule: pass {name}.apply")
    if backend.targets.is_own(kind):
        raise InputError(f"expected a module to check; {name} is its class: pass {name}(...)")


def _path_of(arguments: Arguments, function: Callable[..., Any], place: int) -> str:
    return arguments.paths(function)[place]


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
    known, chosen = arguments.candidates
    if is_given or known is not arguments.leaves:
        own = sum(one.num_leaves for one in arguments.positional()) if is_given else None
        chosen = candidates(backend, arguments.leaves[:own])
    if not chosen:
        raise InputError(
            "expected at least one floating or complex array among the inputs; got none, "
            "so there is nothing to differentiate"
        )
    are_different = len(set(map(id, arguments.leaves))) == len(arguments.leaves)
    is_joined = backend.joins_same_arrays and not are_different
    first = first_places(arguments.leaves) if is_joined else None
    notes: list[str] = []
    if first is not None and any(first[place] != place for place in chosen):
        notes, chosen = _united(backend, arguments, function, chosen, first)
    else:
        first = None
    if len(chosen) < len(arguments.leaves) and not is_given:
        notes += _held_still(backend, arguments, function, chosen)
    call, recall = door(function, arguments, backend, first)

    def paths() -> list[str]:
        every = arguments.paths(function)
        return list(map(backend.spelt, map(every.__getitem__, chosen)))

    name, leaves = function_name(function), arguments.leaves
    refuse_bad_leaves(backend, leaves, chosen, paths, masked=masked, are_seen=not is_given)
    problem = Problem(
        name, call, backend, leaves, chosen, paths, recall, masked=masked, is_users=True
    )
    held = backend.modules.held_behind(function)
    problem.notes, problem.source = (*notes, held) if held else tuple(notes), function
    refuse_infinite_points(backend, problem)
    return problem


def first_places(leaves: Sequence[Any]) -> list[int]:
    """Return where each leaf stands first: passed twice it is one leaf, as a tied weight is."""
    places: dict[int, int] = {}
    return [places.setdefault(id(leaf), k) for k, leaf in enumerate(leaves)]


def _united(
    backend: Backend,
    arguments: Arguments,
    function: Callable[..., Any],
    chosen: Sequence[int],
    first: Sequence[int],
) -> tuple[list[str], list[int]]:
    """Return what is said about arrays that are passed twice, and the leaves that remain."""
    paths = [backend.spelt(path) for path in arguments.paths(function)]
    notes = [
        f"{paths[first[place]]} and {paths[place]} are the same array: what is checked is the "
        "derivative in both together"
        for place in chosen
        if first[place] != place
    ]
    return notes, [place for place in chosen if first[place] == place]


def _held_still(
    backend: Backend, arguments: Arguments, function: Callable[..., Any], chosen: Sequence[int]
) -> list[str]:
    """Return what is said about arrays that could move, but require no gradient as others do."""
    leaves = arguments.leaves
    asked = {id(leaves[place]) for place in chosen}
    left = [
        place
        for place, leaf in enumerate(leaves)
        if id(leaf) not in asked and backend.is_array(leaf) and backend.is_inexact(leaf)
    ]
    if not left:
        return []
    paths = arguments.paths(function)
    named = _named([backend.spelt(paths[place]) for place in left])
    return [f"not moved: {named}; where some inputs require a gradient, only these are checked"]


def door(
    function: Callable[..., Any],
    arguments: Arguments,
    backend: Backend,
    first: Sequence[int] | None = None,
) -> tuple[Callable[[Sequence[Any]], Any], Recall | None]:
    """Return the function of its leaves, and what surrounds the pulls through its calls.

    Whatever a call changes in modules behind the function is put back after it. `first` says where
    each leaf stands first, where some are passed twice.
    """
    keeping = backend.modules.keeping(function)
    answers_arrays = type(backend).as_answer is Values.as_answer  # what it answers is left so
    if keeping is None and first is None and arguments.is_flat and answers_arrays:
        return lambda leaves: function(*leaves), None

    def call(leaves: Sequence[Any]) -> Any:
        if first is not None:
            leaves = [leaves[place] for place in first]
        positional, named = arguments.rebuild(leaves)
        return backend.as_answer(function(*positional, **named))

    def kept_call(leaves: Sequence[Any]) -> Any:
        with keeping():  # type: ignore[misc]
            return call(leaves)

    return (call, None) if keeping is None else (kept_call, lambda _: keeping())


def refuse_infinite_points(backend: Backend, problem: Problem) -> None:
    """Say which leaf is NaN at the point itself, or note where it is infinite.

    Numbers whose squares are infinite are refused as well.
    """
    for part, space in enumerate(problem.domain.parts):
        if space.has_infinities or not backend.is_dense(problem.points[part]):
            _note_infinities(backend, problem, part)
        vector = problem.coordinates_of_point(part)
        if not math.isfinite(backend.norm(vector)):
            raise InputError(
                f"expected numbers whose squares are finite; the largest of "
                f"{problem.domain.path(part)} is {backend.largest(vector):.3g}. Check the function "
                "in other units"
            )


def _note_infinities(backend: Backend, problem: Problem, part: int) -> None:
    space, path = problem.domain.parts[part], problem.domain.path(part)
    if isinstance(space, FiniteSpace) and not space.has_nan:
        labels = space.labels_of_held()
        named = _named(labels) or "its only entry"
        problem.notes += (f"{path} is infinite at {named}: what is infinite was not moved",)
    elif space.has_infinities or not backend.is_finite(problem.coordinates_of_point(part)):
        raise NotFinite(f"expected the point itself to be finite; got NaN or inf in {path}")


def candidates(backend: Backend, leaves: Sequence[Any], *, only_marked: bool = False) -> list[int]:
    """Choose the leaves the user marked, or every inexact one when none is marked.

    With `only_marked`, none then, where the framework's arrays can be marked.
    """
    inexact: list[int] = []
    wanted: list[int] = []
    for place, leaf in enumerate(leaves):
        if backend.is_array(leaf) and backend.is_inexact(leaf):
            inexact.append(place)
            if backend.wants_gradient(leaf):
                wanted.append(place)
    return wanted if wanted or (only_marked and backend.marks) else inexact


def refuse_bad_leaves(
    backend: Backend,
    leaves: Sequence[Any],
    chosen: Sequence[int],
    paths: Callable[[], Sequence[str]],
    *,
    masked: bool,
    are_seen: bool = False,
) -> None:
    """Say which leaf cannot be differentiated, because it has no space.

    Of leaves that were `gather`ed it has been seen that they can be measured.
    """
    for rank, place in enumerate(chosen):
        array = leaves[place]
        if not are_seen:
            refuse_unusable(backend, array, partial(_nth, paths, rank))
        if not backend.is_dense(array):
            _refuse_sparse(backend, array, paths()[rank], masked=masked)


def _nth(paths: Callable[[], Sequence[str]], rank: int) -> str:
    return paths()[rank]


def _refuse_sparse(backend: Backend, array: Array, path: str, *, masked: bool) -> None:
    """Say what about a leaf that is not dense cannot be checked."""
    signature = backend.signature(array)
    if not backend.sparse.is_sparse(array):
        raise InputError(
            f"expected strided or sparse arrays; {path} has layout {signature.layout}, which has "
            "no space of its own"
        )
    broken = backend.sparse.what_is_broken(array)
    if broken is not None:
        raise InputError(f"expected a valid {signature.layout} array; {path} is not: {broken}")
    entries = math.prod(signature.shape)
    if not masked and entries > _MOST_ENTRIES:
        raise InputError(
            f"{path} has {entries:,} entries, stored or not, and masked=False asks about all of "
            "them: check a smaller one, or the stored entries alone with masked=True"
        )


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


_MOST_NAMED = 4  # infinite entries, or inputs that are not asked about, in a note
_MOST_ENTRIES = 1 << 28  # of which a check holds a handful of copies in float64

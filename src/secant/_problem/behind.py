"""Leaves that a function reads behind its arguments: a closure, a module's own parameters.

Private copies would be moved in vain then. Where the framework's record of a call leads to the
user's own array, or a move of that array shows and one of the copy does not, the function is
called with the user's own arrays, moved in place for the time of a call.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from .._backends.base import Array, Backend
from .._backends.interface.borrowed import Borrowed
from .._errors import EvaluationError, FunctionRaised, InputError

if TYPE_CHECKING:
    from .problem import Problem

_NUDGE = 2.0**-6  # that an entry is moved by, and by that share of itself
_SHOVE = 0.75

Answer = tuple[list[Any], Any]
"""The leaves of what a function returned, and their structure."""


class HiddenInputs:
    """The user's own arrays, by the rank of their leaves among those that are differentiated."""

    def __init__(
        self,
        backend: Backend,
        borrowed: Borrowed,
        own: dict[int, Array],
    ) -> None:
        self._backend = backend
        self._borrowed = borrowed
        self.own = own
        self.put_back = borrowed.put_back

    def in_place(self, values: Sequence[Array]) -> list[Array]:
        """Return the values of the differentiated leaves, the user's own arrays among them."""
        return [self.own.get(part, value) for part, value in enumerate(values)]

    def holding(self, values: Sequence[Array]) -> AbstractContextManager[None]:
        """Let the user's own arrays hold the values of their leaves."""
        return self._borrowed.holding([values[part] for part in self.own])

    @contextlib.contextmanager
    def recalling(
        self,
        values: Sequence[Array],
        recall: Callable[[Sequence[Array]], AbstractContextManager[None]] | None,
    ) -> Iterator[None]:
        """While a call at these values is pulled, hold them again."""
        with self.holding(values):
            if recall is None:
                yield
            else:
                with recall(self.in_place(values)):
                    yield

    def answer(
        self,
        given: Sequence[Any],
        chosen: Sequence[int],
        call: Callable[[Sequence[Any]], Answer],
    ) -> Answer:
        """Call the function with the user's own arrays at the values that are given."""
        backend, arguments = self._backend, list(given)
        for part, array in self.own.items():
            arguments[chosen[part]] = array
        with self.holding([given[place] for place in chosen]):
            leaves, structure = call(arguments)
            kept = [
                self._borrowed.kept(leaf) if backend.is_array(leaf) else leaf for leaf in leaves
            ]
            return kept, structure


def notice_own(problem: Problem, private: Sequence[Array], first: Answer) -> Answer | None:
    """Return an answer for the user's own arrays, where these are read; None: the first will do."""
    own, backend = problem.leaves.own(), problem.backend
    found, has_own_rules = backend.ancestry(_arrays(backend, first), [*private, *own])
    count = len(own)
    if found is None or (all(found[:count]) and True not in found[count:]):
        problem.has_own_rules = has_own_rules
        return None
    behind = [part for part in range(count) if found[count + part]]
    unread = [part for part in range(count) if not found[part] and not found[count + part]]
    if unread and _moves_behind(problem, unread, first):
        behind += unread
    if not behind:
        return None
    borrowed = _borrowed(problem, behind)
    if borrowed is None:
        raise InputError(
            f"expected `{problem.name}` to read {problem.domain.path(behind[0])} from its "
            "arguments; it reads the array itself, which cannot be moved in place (entries of it "
            "share memory, or nothing is written into such arrays)"
        )
    problem.read_behind(borrowed)
    return problem.answer_at({})


def _borrowed(problem: Problem, parts: Sequence[int]) -> HiddenInputs | None:
    every = problem.leaves.own()
    own = {part: every[part] for part in parts}
    borrowed = problem.backend.borrowed(list(own.values()))
    return None if borrowed is None else HiddenInputs(problem.backend, borrowed, own)


def _moves_behind(problem: Problem, parts: Sequence[int], first: Answer) -> bool:
    """Say whether moving the user's arrays shows in the answer, and moving copies does not."""
    backend, borrowed = problem.backend, _borrowed(problem, parts)
    if borrowed is None:
        return False
    values = {part: backend.leaf(_nudged(problem, part)) for part in parts}
    problem.read_behind(borrowed)
    try:
        moved = problem.answer_at(values)
    except FunctionRaised:
        return False
    finally:
        borrowed.put_back()
        problem.read_behind(None)
    found = backend.depended_on(_arrays(backend, moved), list(borrowed.own.values()))
    if not any(found or ()) and _is_same(backend, first, moved):
        return False
    return not _is_same(backend, moved, problem.answer_at(values))


def is_unread(problem: Problem, part: int) -> bool:
    """Say whether no output changes in any bit when a leaf is moved; asked after `trace`."""
    for nudge in (_NUDGE, _SHOVE):  # a staircase stands still nearby
        try:
            moved = problem.evaluate([part], [_nudged(problem, part, nudge)])
        except EvaluationError:
            return False
        if not all(map(problem.backend.is_equal, moved, problem.base_vectors())):
            return False
    return True


def _nudged(problem: Problem, part: int, nudge: float = _NUDGE) -> Array:
    """Return a leaf's value with every entry moved a little, so that it shows in any dtype."""
    space = problem.domain.parts[part]
    return space.value(problem.coordinates_of_point(part) * (1 + nudge) + nudge)


def _arrays(backend: Backend, answer: Answer) -> list[Array]:
    return list(filter(backend.is_array, answer[0]))


def _is_same(backend: Backend, one: Answer, other: Answer) -> bool:
    """Say whether two calls answered alike, to the bit."""
    if one[1] != other[1]:
        return False
    return all(
        not backend.is_array(a) or (backend.is_array(b) and _is_equal(backend, a, b))
        for a, b in zip(one[0], other[0], strict=True)
    )


def _is_equal(backend: Backend, one: Array, other: Array) -> bool:
    if backend.signature(one) != backend.signature(other) or not backend.is_dense(one):
        return backend.signature(one) == backend.signature(other)
    return backend.is_equal(backend.detached(one), backend.detached(other))

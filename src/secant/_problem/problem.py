"""A problem: a function at a point, called through one door that freezes all that is not asked.

It takes the user's function and inputs; it gives outputs as arrays of known spaces, always the
same number, shape and dtype, with the random generators rewound before every call and nothing of
the user's touched: the function only ever sees private copies.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from .._backends.base import Array, Backend
from .._backends.seal import States, drawn_since, random_states, rewind
from .._errors import (
    FunctionRaised,
    NotFinite,
    SecantError,
    interruption_behind,
    spell,
)
from .._spaces.choose import space_of
from .._spaces.product import ProductSpace
from .outputs import Outputs
from .trace import Tally, Trace
from .trees import ONE_LEAF, flatten_output

Recall = Callable[[Sequence[Array]], AbstractContextManager[None]]
_AS_IT_IS = contextlib.nullcontext()


class Problem:
    """A function at a point; see the module's docstring."""

    def __init__(
        self,
        name: str,
        call: Callable[[Sequence[Any]], Any],
        backend: Backend,
        originals: Sequence[Any],
        chosen: Sequence[int],
        paths: Callable[[], Sequence[str]],
        recall: Recall | None = None,
        *,
        masked: bool = False,
    ) -> None:
        self.name = name
        self.masked = masked
        self.backend = backend
        self.tally = Tally()
        self._watcher: Callable[[Tally], None] | None = None
        self._function = call
        self._call = backend.prepared(call)
        self._recall = recall
        self.notes: tuple[str, ...] = ()  # what a reader must know about how it is called
        self._paths = paths
        self._originals = list(originals)
        self._chosen = tuple(chosen)
        self.points = [backend.detached(originals[place]) for place in chosen]
        spaces = [space_of(backend, point, masked=masked) for point in self.points]
        self.domain = ProductSpace(spaces, paths)
        self._given = [backend.copy(leaf) if backend.is_array(leaf) else leaf for leaf in originals]
        for place in chosen:
            self._given[place] = backend.leaf(self._given[place])
        self._arrays = [k for k, leaf in enumerate(originals) if backend.is_array(leaf)]
        self._copied = [  # inputs that each call gets a copy of: random generators
            k for k, leaf in enumerate(originals) if backend.private(leaf) is not leaf
        ]
        self._stamps = {k: backend.stamp(self._given[k]) for k in self._arrays}
        self._expected: Outputs | None = None
        self._vectors: list[Array | None] = [None] * len(self.points)
        self._first_outputs: list[Array] = []
        self._base: list[Array] = []
        self._uses_a_buffer = False
        self._random: States = ()  # generators it draws from, at their start
        self.answered: tuple[list[Array], list[Any], Any] | None = None
        self.mutated: set[int] = set()

    def widened(self) -> Problem:
        """Return the same function at the same point, every inexact leaf in float64."""
        backend = self.backend
        wide = [
            backend.widened(leaf) if backend.is_array(leaf) and backend.is_inexact(leaf) else leaf
            for leaf in self._originals
        ]
        twin = Problem(
            self.name,
            self._function,
            backend,
            wide,
            self._chosen,
            self._paths,
            self._recall,
            masked=self.masked,
        )
        twin._random = self._random  # what is drawn at random is part of the function
        return twin

    @property
    def is_random(self) -> bool:
        """Say whether the function was seen to draw random numbers; known after `trace`."""
        return bool(self._random)

    def recalling(self, leaves: Sequence[Array]) -> AbstractContextManager[None]:
        """While a call at these leaves is pulled: some modules are then called once more."""
        return _AS_IT_IS if self._recall is None else self._recall(leaves)

    # -- calls -----------------------------------------------------------------------------------

    @property
    def codomain(self) -> ProductSpace:
        """The space of the outputs that are checked; known after `trace`."""
        assert self._expected is not None, "trace() comes first"
        return self._expected.codomain

    def watch(self, watcher: Callable[[Tally], None]) -> None:
        """Call `watcher` before every evaluation."""
        self._watcher = watcher

    def trace(self) -> Trace:
        """Call the function once at the point and learn what its outputs are."""
        backend = self.backend
        before = random_states(backend)
        given = [self._given[place] for place in self._chosen]
        leaves, structure = self._answer(self._given)
        self.answered = given, leaves, structure
        self._random = self._random or drawn_since(before)
        remark = next((space.remark for space in self.domain.parts if space.remark), "")
        expected = self._expected = Outputs(
            self.name, backend, leaves, structure, masked=self.masked, remark=remark
        )
        outputs, codomain = expected.first, expected.codomain
        self._first_outputs = [backend.detached(output) for output in outputs]
        vectors = self._base = codomain.coordinates(outputs)
        for part, vector in enumerate(vectors):
            if not backend.is_finite(vector):
                raise NotFinite(
                    f"expected `{self.name}` to be finite at the point itself; "
                    f"got NaN or inf in {codomain.path(part)}"
                )
        attached = any(backend.is_attached(output) for output in outputs)
        return Trace(given, outputs, vectors, attached, expected.ignored)

    def outputs(self, values: Sequence[Array]) -> list[Array]:
        """Call the function with other values of the differentiated leaves; keep the record."""
        given = list(self._given)
        for place, value in zip(self._chosen, values, strict=True):
            given[place] = value
        return self._select(*self._answer(given))

    def evaluate(self, parts: Sequence[int], values: Sequence[Array]) -> list[Array]:
        """Return the coordinates of the outputs with some leaves replaced."""
        backend, given = self.backend, list(self._given)
        for part, value in zip(parts, values, strict=True):
            given[self._chosen[part]] = backend.leaf(value)
        outputs = self._select(*self._answer(given))
        vectors = self.codomain.coordinates(outputs)
        if self._uses_a_buffer or any(map(backend.shares_memory, outputs, self._first_outputs)):
            vectors = [vector + 0 for vector in vectors]
            self._recover_base()
        return vectors

    def _recover_base(self) -> None:
        """The function answers into one buffer each time: ask again for what it held at first."""
        if not self._uses_a_buffer:
            self._uses_a_buffer = True
            values = [self.backend.leaf(value) for value in self.copies()]
            again = self.codomain.coordinates(self.outputs(values))
            self._base[:] = [vector + 0 for vector in again]

    def base_vectors(self) -> list[Array]:
        """Return the coordinates of the outputs at the point itself; known after `trace`."""
        return self._base

    def coordinates_of_point(self, part: int) -> Array:
        """Return the coordinates of the point in one leaf."""
        vector = self._vectors[part]
        if vector is None:
            vector = self._vectors[part] = self.domain.parts[part].coordinates(self.points[part])
        return vector

    def evaluate_batch(self, part: int, batch: Array) -> list[Array]:
        """Return the outputs' coordinates for a batch of values of one leaf, a row for each."""
        backend = self.backend
        backend.ready()
        rewind(self._random)

        def call(value: Array) -> tuple[Array, ...]:
            given = list(self._given)
            for place in self._chosen:
                given[place] = backend.detached(given[place])
            given[self._chosen[part]] = value
            for place in self._copied:
                given[place] = backend.private(given[place])
            return tuple(self._select(*flatten_output(self._call(given))))

        outputs = backend.map_batch(call, batch)
        self.tally.evaluations += int(batch.shape[0])
        self._restore_mutated()
        return [backend.flatten_batch(output) for output in outputs]

    def coordinates(self, gradient: Sequence[Array | None]) -> list[Array | None]:
        """Return the coordinates of one array per differentiated leaf, None where there is none."""
        return [
            None if array is None else space.coordinates(array)
            for space, array in zip(self.domain.parts, gradient, strict=True)
        ]

    def copies(self) -> list[Array]:
        """Return fresh private values of the differentiated leaves."""
        return [self.backend.copy(point) for point in self.points]

    def changed_inputs(self) -> list[int]:
        """Return the places of leaves that a call has written into, seen or by value."""
        changed = set(self.mutated)
        for part, place in enumerate(self._chosen):
            now = self.domain.parts[part].coordinates(self._given[place])
            if not self.backend.is_equal(now, self.coordinates_of_point(part)):
                changed.add(place)
        return sorted(changed)

    def chosen_place(self, part: int) -> int:
        """Return the place of a differentiated leaf among all leaves."""
        return self._chosen[part]

    # -- for derivatives that are functions of their own -----------------------------------------

    def leaves_at(self, values: Sequence[Array] | None = None) -> list[Any]:
        """Return copies of all leaves, and rewind the generators: what a call would begin with.

        The differentiated ones have other values than the point's where some are given.
        """
        backend = self.backend
        rewind(self._random)
        here = self.points if values is None else values
        leaves = dict(zip(self._chosen, here, strict=True))
        every = (leaves.get(k, leaf) for k, leaf in enumerate(self._originals))
        return [
            backend.copy(leaf) if backend.is_array(leaf) else backend.private(leaf)
            for leaf in every
        ]

    def answers(self, values: Sequence[Any]) -> list[Any]:
        """Return the checked outputs as they come, for values that only look like the leaves."""
        assert self._expected is not None, "trace() comes first"
        given = list(self._given)
        for place, value in zip(self._chosen, values, strict=True):
            given[place] = value
        return self._expected.taken_from(self._answer(given)[0])

    @property
    def containers(self) -> Outputs:
        """What the function answers, and in which containers; known after `trace`."""
        assert self._expected is not None, "trace() comes first"
        return self._expected

    # -- inside ----------------------------------------------------------------------------------

    def _answer(self, given: Sequence[Any]) -> tuple[list[Any], Any]:
        """Call the function as it was called first; return its output's leaves and structure."""
        self.backend.ready()
        if self._random:
            rewind(self._random)
        if self._copied:
            given = [
                self.backend.private(leaf) if k in self._copied else leaf
                for k, leaf in enumerate(given)
            ]
        self.tally.evaluations += 1
        if self._watcher is not None:
            self._watcher(self.tally)
        handled = sys.exc_info()[1]
        try:
            output = self._call(given)
        except SecantError:
            raise  # a problem inside this problem has already said what happened
        except Exception as error:
            interruption = interruption_behind(error, handled)
            if interruption is not None:
                raise interruption from error
            raise FunctionRaised(f"`{self.name}` raised {spell(error)}") from error
        self._restore_mutated()
        return ([output], ONE_LEAF) if self.backend.is_array(output) else flatten_output(output)

    def _select(self, leaves: Sequence[Any], structure: Any) -> list[Array]:
        assert self._expected is not None, "trace() comes first"
        return self._expected.select(leaves, structure)

    def _restore_mutated(self) -> None:
        """Give every leaf its value back that a call has written into."""
        for k in self._arrays:
            if self.backend.stamp(self._given[k]) != self._stamps[k]:
                self.mutated.add(k)
                fresh = self.backend.copy(self._originals[k])
                self._given[k] = self.backend.leaf(fresh) if k in self._chosen else fresh
                self._stamps[k] = self.backend.stamp(self._given[k])

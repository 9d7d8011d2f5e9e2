"""A problem: a function at a point, called through one door that freezes all that is not asked.

It takes the user's function and inputs; it gives outputs as arrays of known spaces, always the
same number, shape and dtype, with the random generators rewound before every call and nothing of
the user's touched: the function only ever sees private copies.
"""

from __future__ import annotations

import contextlib
import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any

from .._backends.base import Array, Backend
from .._backends.process.restoration import States, drawn_since, random_states, rewind
from .._errors import FunctionRaised, InputError, SecantError, interruption_behind, spell
from .._spaces.choose import space_of_point
from .._spaces.product import ProductSpace
from .._spaces.reread import are_copies
from .behind import Answer, HiddenInputs, notice_own
from .leaves import Leaves
from .outputs import Outputs
from .sizes import Sizes
from .trace import Tally, Trace, watched
from .trees import ONE_LEAF, flatten_output

Recall = Callable[[Sequence[Array]], AbstractContextManager[None]]
_AS_IT_IS = contextlib.nullcontext()
_SPACE, _VECTOR = map(operator.itemgetter, (0, 1))
_REMARK = operator.attrgetter("remark")


class Problem:
    """A function at a point; `with problem:` puts the user's own arrays back, come what may."""

    is_gradient = False  # its outputs are gradients, which may be zero by cancellation
    containers: Outputs  # what the function answers, and in which containers; known after `trace`
    codomain: ProductSpace  # the space of the outputs that are checked; known after `trace`

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
        is_users: bool = False,
        made: Mapping[int, Callable[[], Array]] | None = None,
    ) -> None:
        self.name, self.backend, self.masked = name, backend, masked
        self.tally, self.sizes = Tally(), Sizes(backend)
        self._watcher: Callable[[Tally], None] | None = None
        self.source = self._function = call  # the first: what the user passed
        self._call = backend.prepared(call)
        self._recall = recall
        self.has_own_rules: bool | None = None  # seen behind the outputs, if that was looked at
        self.notes: tuple[str, ...] = ()  # what a reader must know about how it is called
        self._paths = paths
        self._is_users = is_users  # the originals are the user's own arrays
        self.leaves = Leaves(backend, originals, chosen, made)
        self.points = self.leaves.points
        known = list(map(partial(space_of_point, backend, masked=masked), self.points))
        self._vectors: list[Array | None] = list(map(_VECTOR, known))
        self.domain = ProductSpace(list(map(_SPACE, known)), paths)
        self._kind: type | None = None  # of an answer that is one array
        self.opened: Callable[[Any], Answer] = flatten_output  # one that is several
        self._first_outputs: list[Array] = []
        self._base: list[Array] = []
        self._uses_a_buffer = False
        self._random: States = ()  # generators it draws from, at their start
        self.answered: tuple[list[Array], list[Any], Any] | None = None

    def widened(self, dtype: str = "float64") -> Problem:
        """Return the same function at the same point, inexact leaves in a dtype; "" as they are."""
        behind = self.leaves.behind if dtype else None
        if behind is not None and not all(self.domain.parts[part].is_exact for part in behind.own):
            raise InputError(
                f"`{self.name}` reads {self.domain.path(min(behind.own))} behind its arguments, "
                "where it stays as it is"
            )
        leaves, made = self.leaves.widened(dtype if behind is None else "")
        twin = Problem(
            self.name, self._function, self.backend, leaves, self.leaves.chosen, self._paths,
            self._recall, masked=self.masked, made=made,
        )  # fmt: skip
        twin._random, twin.domain.names = self._random, self.domain.names  # drawn alike
        if self.leaves.behind is not None:
            twin.read_behind(self.leaves.behind)
        return twin

    @property
    def is_random(self) -> bool:
        """Say whether the function was seen to draw random numbers; known after `trace`."""
        return bool(self._random)

    @property
    def recalls(self) -> bool:
        """Say whether something surrounds the pulls through a call."""
        return self._recall is not None or self.leaves.behind is not None

    def recalling(self, leaves: Sequence[Array]) -> AbstractContextManager[None]:
        """While a call at these leaves is pulled: some modules are then called once more."""
        if self.leaves.behind is not None:
            return self.leaves.behind.recalling(leaves, self._recall)
        return _AS_IT_IS if self._recall is None else self._recall(leaves)

    # -- what is read behind the arguments -------------------------------------------------------

    @property
    def behind(self) -> HiddenInputs | None:
        """The user's own arrays, where these are moved; known after `trace`."""
        return self.leaves.behind

    def read_behind(self, behind: HiddenInputs | None) -> None:
        """From now on move these arrays in place; with None, copies of them again."""
        self.leaves.read_behind(behind)
        self._vectors = [None] * len(self.points)

    def in_place(self, values: Sequence[Array]) -> Sequence[Array]:
        """Return what the record of a call at these values leads to."""
        return values if self.behind is None else self.behind.in_place(values)

    def __enter__(self) -> Problem:
        return self

    def __exit__(self, *raised: object) -> None:
        if self.behind is not None:
            self.behind.put_back()

    def watch(self, watcher: Callable[[Tally], None] | None) -> None:
        """Call `watcher` before every evaluation, if there is one."""
        self._watcher = watcher

    def trace(self) -> Trace:
        """Call the function once at the point and learn what its outputs are."""
        backend = self.backend
        before = random_states(backend)
        given = self.leaves.parts()
        answer, seen = watched(backend, partial(self._answer, self.leaves.given))
        self._random = self._random or drawn_since(before)
        if self._is_users and self.leaves.behind is None:
            noticed = notice_own(self, given, answer)
            if noticed is not None:
                given, answer = list(self.in_place(self.leaves.parts())), noticed
        leaves, structure = answer
        self.answered = given, leaves, structure
        remarks = map(_REMARK, self.domain.parts)
        expected = self.containers = Outputs(
            self.name, backend, leaves, structure, masked=self.masked, remarks=remarks
        )
        self.codomain, outputs = expected.codomain, expected.first
        self._first_outputs = expected.values
        vectors = self._base = expected.read(leaves, structure)[1]
        expected.refuse_infinite(vectors)
        attached = any(map(backend.is_attached, outputs))
        return Trace(given, outputs, vectors, attached, expected.ignored, *seen)

    def outputs(self, values: Sequence[Array]) -> list[Array]:
        """Call the function with other values of the differentiated leaves; keep the record."""
        given = list(self.leaves.given)
        for place, value in zip(self.leaves.chosen, values, strict=True):
            given[place] = value
        return self.containers.select(*self._answer(given))

    def answer_at(self, values: Mapping[int, Array]) -> Answer:
        """Return all that the function answers, with other values of some leaves."""
        return self._answer(self.leaves.with_values(values))

    def evaluate(self, parts: Sequence[int], values: Sequence[Array]) -> list[Array]:
        """Return the coordinates of the outputs with some leaves replaced."""
        backend, chosen = self.backend, self.leaves.chosen
        given = list(self.leaves.given)
        for part, value in zip(parts, values, strict=True):
            given[chosen[part]] = backend.leaf(value)
        outputs, vectors = self.containers.read(*self._answer(given), parts)
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

    def reread(self, trace: Trace) -> Trace:
        """Keep no coordinates that are copies: they are read again if anybody asks for them."""
        for part, space in enumerate(self.domain.parts):
            if are_copies(space):
                self._vectors[part] = None
        if any(map(are_copies, self.codomain.parts)):
            outputs = list(map(self.backend.detached, trace.outputs))
            self._base = self.codomain.coordinates_of_some(outputs)
        return replace(trace, vectors=self._base)

    def evaluate_batch(self, part: int, batch: Array) -> list[Array]:
        """Return the outputs' coordinates for a batch of values of one leaf, a row for each."""
        backend, leaves = self.backend, self.leaves
        if leaves.behind is not None:
            raise NotImplementedError("the user's own arrays hold no batch")
        backend.modes.ready()
        rewind(self._random)

        def call(value: Array) -> tuple[Array, ...]:
            given = leaves.detached()
            given[leaves.chosen[part]] = value
            return tuple(
                self.containers.select(*flatten_output(self._call(leaves.prepared(given))))
            )

        outputs = backend.map_batch(call, batch)
        self.tally.evaluations += int(batch.shape[0])
        leaves.restore_mutated()
        return [backend.flatten_batch(output) for output in outputs]

    def coordinates(self, gradient: Sequence[Array | None]) -> list[Array | None]:
        """Return the coordinates of one array per differentiated leaf, None where there is none."""
        return self.domain.coordinates_of_some(gradient)

    def copies(self) -> list[Array]:
        """Return fresh private values of the differentiated leaves."""
        return [self.backend.copy(point) for point in self.points]

    def chosen_place(self, part: int) -> int:
        """Return the place of a differentiated leaf among all leaves."""
        return self.leaves.chosen[part]

    # -- for derivatives that are functions of their own -----------------------------------------

    def leaves_at(self, values: Sequence[Array] | None = None) -> list[Any]:
        """Return copies of all leaves, and rewind the generators: what a call would begin with.

        The differentiated ones have other values than the point's where some are given.
        """
        rewind(self._random)
        return self.leaves.fresh(values)

    def answers(self, values: Sequence[Any]) -> list[Any]:
        """Return the checked outputs as they come, for values that only look like the leaves."""
        return self.containers.taken_from(self.answer_at(dict(enumerate(values)))[0])

    # -- inside ----------------------------------------------------------------------------------

    def _answer(self, given: Sequence[Any], *, is_ready: bool = False) -> Answer:
        """Call the function as it was called first; return its output's leaves and structure."""
        leaves = self.leaves
        if not is_ready:
            self.backend.modes.ready()
            if self._random:
                rewind(self._random)
            self.tally.evaluations += 1
            if self._watcher is not None:
                self._watcher(self.tally)
            if leaves.special:
                given = leaves.prepared(given)
            if leaves.behind is not None:
                again = partial(self._answer, is_ready=True)
                return leaves.behind.answer(given, leaves.chosen, again)
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
        if leaves.restore_mutated():
            self._vectors = [None] * len(self.points)
        if type(output) is not self._kind and not self.backend.is_array(output):
            return self.opened(output)
        self._kind = type(output)
        return [output], ONE_LEAF

"""Arrays without a record of how they came about: derivatives are given, none are asked of them.

NumPy keeps no such record. Frameworks that do are not asked for it where the derivative under test
is written by hand: `unrecorded` returns a backend that takes every output as claimed.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import Any, NoReturn

from .base import Array, Backend


class Unrecorded:
    """The part of a backend that differentiates, for arrays that cannot."""

    records = False
    unites = False  # a derivative by hand answers for every argument

    def leaf(self, array: Array) -> Array:
        detached: Callable[[Array], Array] = self.detached  # type: ignore[attr-defined]
        return detached(array)

    def is_attached(self, array: Array) -> bool:  # noqa: ARG002 every output is claimed
        return True

    def has_own_rules(self, outputs: Sequence[Array]) -> bool:  # noqa: ARG002
        return True

    def depended_on(
        self,
        outputs: Sequence[Array],  # noqa: ARG002 there is nothing to look at
        arrays: Sequence[Array],  # noqa: ARG002
    ) -> None:
        return

    def pull(
        self,
        outputs: Sequence[Array],
        inputs: Sequence[Array],
        cotangents: Sequence[Array],
        *,
        differentiable: bool = False,
    ) -> NoReturn:
        del outputs, inputs, cotangents, differentiable
        raise NotImplementedError(_NOTHING)

    def pull_nothing(
        self, outputs: Sequence[Array], inputs: Sequence[Array], absent: Collection[int]
    ) -> NoReturn:
        del outputs, inputs, absent
        raise NotImplementedError(_NOTHING)

    def pull_batch(self, output: Array, inputs: Sequence[Array], cotangents: Array) -> NoReturn:
        del output, inputs, cotangents
        raise NotImplementedError(_NOTHING)

    def push(
        self,
        call: Callable[[Sequence[Array]], Sequence[Array]],
        values: Sequence[Array],
        tangents: Sequence[Array | None],
    ) -> NoReturn:
        del call, values, tangents
        raise NotImplementedError(_NOTHING)

    def push_batch(
        self,
        call: Callable[[Sequence[Array]], Sequence[Array]],
        values: Sequence[Array],
        part: int,
        tangents: Array,
    ) -> NoReturn:
        del call, values, part, tangents
        raise NotImplementedError(_NOTHING)

    def prepared(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function itself: nothing needs to remember how it was called."""
        return call

    def replayed(self, outputs: Sequence[Array]) -> None:  # noqa: ARG002 there is no other pass
        """Return nothing: no pass of a derivative computes the outputs again."""
        return

    def is_unsupported(self, error: BaseException) -> bool:
        return isinstance(error, NotImplementedError)

    def widening(self) -> AbstractContextManager[Any]:
        return contextlib.nullcontext()


_NOTHING = "these arrays record no derivatives"


@functools.cache
def unrecorded(backend: Backend) -> Backend:
    """Return the same framework with nothing asked of its own derivatives."""
    if not backend.records:
        return backend
    kind: Any = type(backend)
    plain: Any = type(f"Unrecorded{kind.__name__}", (Unrecorded, kind), {})
    made: Backend = plain.__new__(plain)
    made.__dict__.update(vars(backend))
    return made

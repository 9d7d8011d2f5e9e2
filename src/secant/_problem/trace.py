"""What calls leave behind: their number, and the record of the one at the point itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from .._backends.base import Array, Backend
from .._errors import FunctionRaised
from .._records import quickly_made

Answer = TypeVar("Answer")


@dataclass(slots=True)
class Tally:
    """What a check has cost so far."""

    evaluations: int = 0
    pulls: int = 0
    pushes: int = 0

    def add(self, other: Tally) -> None:
        """Add another tally to this one."""
        self.evaluations += other.evaluations
        self.pulls += other.pulls
        self.pushes += other.pushes


@quickly_made
@dataclass(frozen=True, slots=True)
class Trace:
    """One call at the point itself, with the framework's own record of how to differentiate it."""

    leaves: list[Array]
    outputs: list[Array]
    vectors: list[Array]  # coordinates of the outputs
    is_differentiable: bool  # False: no output depends on a leaf, so the claim is 0
    ignored: tuple[str, ...]  # paths of outputs that claim no derivative beside others that do
    casts: Mapping[str, float]  # dtypes of less precision that the call cast to, and round-offs
    has_hooks: bool = False  # the call registered some, wherever


def watched(
    backend: Backend, call: Callable[[], Answer]
) -> tuple[Answer, tuple[dict[str, float], bool]]:
    """Call, and note what is cast to, if that can be watched, and whether hooks are registered."""
    casts: dict[str, float] = {}
    before = backend.hooks_registered()
    try:
        with backend.versions.watching_casts(casts):
            answer = call()
    except FunctionRaised:
        answer, casts = call(), {}
    return answer, (casts, backend.hooks_registered() != before)

"""The keywords of secant's verbs with their types, for editors and type checkers.

Tests hold them against the settings themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, TypedDict

Law = Literal[
    "signature",
    "linearity",
    "determinism",
    "mutation",
    "layout",
    "undefined",
    "adjointness",
    "batching",
    "batched_tangents",
    "subsets",
    "liveness",
    "primal",
]
Convention = Literal["whole", "share", "mean"]
Derivative = Callable[..., Any]


class LocaliseKeywords(TypedDict, total=False):
    """How a check is made: what `localise` takes, and `check` beside more."""

    modes: Literal["reverse", "forward", "all"]
    order: int
    probe: Literal["auto", "fast", "full"]
    laws: Literal["default", "all", "none"] | Law | Collection[Law]
    rtol: float | None
    atol: float | None
    step: float | None
    draws: int
    seed: int
    masked: bool
    kwargs: Mapping[str, Any] | None
    args: Sequence[Any] | None
    names: Sequence[str] | None
    dtype: Any
    lift: Literal["auto", True, False]
    nondeterminism: float | None
    max_evaluations: int | None
    max_seconds: float | None
    memory: int
    explain: bool
    pictures: bool
    progress: bool | None


class CheckKeywords(LocaliseKeywords, total=False):
    """What `check` and `assert_gradient` take: derivatives by hand, and what is about a group."""

    pull: Derivative | None
    push: Derivative | None
    jacobian: Derivative | None
    gradient: Derivative | None
    group: Any
    replicated: str | Collection[str] | Mapping[str, Any] | None
    gradients: Convention | Mapping[str, Convention] | None
    timeout: float


class CompareKeywords(TypedDict, total=False):
    """What `compare` takes."""

    dtype: Any
    limit: float
    draws: int
    seed: int
    kwargs: Mapping[str, Any] | None
    reference_device: Any
    gradients: bool
    reference_framework: str | None
    pull: Derivative | None
    reference_pull: Derivative | None


Inconclusive = Literal["fail", "skip", "pass", "assume"]


class FixtureCheckKeywords(CheckKeywords, total=False):
    """What the fixture's `check` takes: also what becomes of a test whose numbers cannot tell."""

    inconclusive: Inconclusive


class FixtureLocaliseKeywords(LocaliseKeywords, total=False):
    """What the fixture's `localise` takes."""

    inconclusive: Inconclusive


class FixtureCompareKeywords(CompareKeywords, total=False):
    """What the fixture's `compare` takes."""

    inconclusive: Inconclusive

"""Libraries that differentiate functions, beside arrays that record nothing themselves."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

Call = Callable[[Sequence[Any]], list[Any]]
"""The checked outputs as a function of the differentiated leaves."""


class Transforms(abc.ABC):
    """A library that differentiates functions, not records; answers can be differentiated again."""

    name: ClassVar[str]

    @abc.abstractmethod
    def pull(self, call: Call, values: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        """Return Jᵀ v for each value; `NotTraceable` where the function is not of this library."""

    @abc.abstractmethod
    def push(self, call: Call, values: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
        """Return J u for each output."""


class NotTraceable(Exception):
    """The library cannot follow what the function does; the cause is what it raised."""

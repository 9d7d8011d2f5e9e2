"""What a program needs of a framework that makes the inputs itself, as the command line does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..._errors import InputError


class Targets:
    """What a program can be pointed at, and how it begins; what is here holds for plain arrays."""

    def rule(self, target: object) -> Callable[..., Any] | None:
        """Return what is called of a class that is a rule written by hand, None for others."""
        return None

    def is_own(self, target: object) -> bool:
        """Say whether a module, or a class of modules or rules, belongs to this framework."""
        return False

    def own_dtype(self, function: object) -> str:
        """Return the dtype that inputs of this function have unless told otherwise."""
        return "float64"

    def seed(self, seed: int) -> None:
        """Seed the generators that a module's parameters are drawn from."""

    def placed(self, function: Callable[..., Any], device: str) -> Callable[..., Any]:
        """Return a module on another device; a plain function is returned as it is."""
        return function

    def read(self, path: Path) -> Any:
        """Return what a file in the framework's own form holds, and never run what it may hold."""
        raise InputError(f"there are no files of such a framework to read {path.name} from")

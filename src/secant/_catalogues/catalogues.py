"""Catalogues of operators with sample inputs, imported only when somebody audits one.

A framework's own catalogue goes by the framework's name; any other by `module:attribute`.
"""

from __future__ import annotations

import contextlib
import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from .._errors import InputError, expected, spell
from .makers import Maker

# framework -> the module here that holds its `CATALOGUE`
_KNOWN = {
    "torch": "secant._catalogues.torch.operators",
    "jax": "secant._catalogues.jax.operators",
}


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms operators are asked: the dtype, the device, which derivatives."""

    dtype: str
    device: str = "cpu"
    modes: str = "reverse"
    order: int = 1


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator of a catalogue; `skipped` says why it is not asked, where it is not."""

    name: str  # unique in its catalogue
    labels: Mapping[str, str] = field(default_factory=dict)
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """A function of the inputs that it is differentiated in, as `check` takes them."""

    function: Callable[..., Any]
    inputs: tuple[Any, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)


class Skipped(Exception):
    """An operator is not asked after all, for a reason that only drawing its samples tells."""


class Catalogue(ABC):
    """Operators and their samples. Both depend on the arguments alone: not on order or process."""

    @abstractmethod
    def versions(self) -> tuple[str, ...]:
        """Return whose operators these are, with the version."""

    @abstractmethod
    def operators(self, terms: Terms) -> Iterable[Operator]:
        """Return every operator, also those that are skipped on these terms."""

    @abstractmethod
    def samples(self, name: str, terms: Terms, limit: int, seed: int) -> Sequence[Sample]:
        """Draw the first samples of one operator, or raise `Skipped`."""

    def maker(self, terms: Terms) -> Maker:
        """Return what makes the arrays of changed samples, where they are fuzzed."""
        raise InputError(
            f"expected a catalogue whose samples can be changed on {terms.device}; "
            "give it a `maker`, or audit it without --fuzz"
        )

    def script(self, operator: str, number: float, dtype: str, order: int) -> str | None:
        """Return a script that holds an operator's claim at a number to a closed form, if any."""
        del operator, number, dtype, order
        return None

    def preamble(self, dtype: str) -> str:
        """Return what such a script needs before anything else when it is run by itself."""
        del dtype
        return ""

    def conditions(self, terms: Terms, seed: int) -> AbstractContextManager[object]:
        """Return what holds while an operator is asked: modes, generators, threads."""
        del terms, seed
        return contextlib.nullcontext()


def catalogue(target: str) -> Catalogue:
    """Return a framework's catalogue, or the one that `module:attribute` names."""
    module, _, attribute = target.partition(":")
    if not attribute:
        if target not in _KNOWN:
            raise expected("catalogue", f"{' or '.join(_KNOWN)}, or module:attribute", target)
        module, attribute = _KNOWN[target], "CATALOGUE"
        _import(target, f'Try: pip install "secant[{target}]"')
    found = getattr(_import(module, "Is it on the path?"), attribute, None)
    if not isinstance(found, Catalogue):
        raise expected("catalogue", "module:attribute of a secant.extend.Catalogue", target)
    return found


def _import(module: str, advice: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(f"expected {module} to be importable; {spell(error)}. {advice}") from error

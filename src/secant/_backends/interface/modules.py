"""Modules: callables that hold parameters of their own, as functions of these as well.

A backend whose framework has such things unfolds one into an `Unfolded`; everything downstream sees
a function of leaves with paths. One pass through a module may also be recorded, call by call.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from ..arithmetic.algebra import Array
from ..code import Code, code_of


class Unfolded(abc.ABC):
    """A module as a function of its parameters and its inputs.

    Between calls the module is as the user left it, to the last attribute.
    """

    names: Sequence[str]  # of the differentiated parameters: `encoder.0.weight`
    parameters: Sequence[Array]  # one for each name; a tied one is there once
    body: Callable[..., Any]  # what names the inputs
    notes: Sequence[str] = ()  # what is held still that would move by itself

    @abc.abstractmethod
    def holding(self, parameters: Sequence[Array]) -> AbstractContextManager[None]:
        """Let the module hold other parameters, and all that it may write into as copies."""

    @abc.abstractmethod
    def call(
        self, parameters: Sequence[Array], positional: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        """Call the module with other parameters; whatever it writes into is put back."""

    @abc.abstractmethod
    def shielded(self, leaf: Any) -> Any:
        """Return an input leaf such that the module may write into it, its record kept."""

    @abc.abstractmethod
    def wants_shield(self, error: BaseException) -> bool:
        """Say whether a call failed because the module writes into a leaf."""


@dataclass(slots=True)
class Call:
    """One call of a submodule, or of a rule written by hand, with the inputs it really got."""

    path: str  # `encoder.0.norm`, empty for the module itself; for a rule that of its caller
    kind: str  # the name of its class
    function: Callable[..., Any]
    positional: tuple[Any, ...]
    named: dict[str, Any]
    random: Any  # the state of the generators before the call
    number: int  # which call of this submodule or rule, from 1 on
    parent: int  # the call inside which it was made, by its place in the record; -1: none
    is_rule: bool = False  # has a backward of its own, and is no submodule
    writes: bool = False  # it wrote into one of its inputs
    is_overwritten: bool = False  # what it gave was written into later, behind the record's back
    is_cut: bool = False  # what it gave has a record, and no recorded path leads on to the output


Mapped = Callable[[Callable[[Any], Any], Any], Any]
"""Applies a function to every leaf of a tree, whatever its containers are."""


Keeping = Callable[[], AbstractContextManager[None]]
"""Makes a context for one call."""


class Modules:
    """What a framework knows of modules; most have none."""

    def is_module(self, function: object) -> bool:
        """Say whether a callable holds parameters that are differentiated beside its inputs."""
        return False

    def keeping(self, function: Callable[..., Any]) -> Keeping | None:
        """Return contexts for calls of a function, None where no modules stand behind it.

        Whatever a call changes in those modules is put back when its context is left.
        """
        return None

    def held_behind(self, function: Callable[..., Any]) -> str:
        """Say whose arrays a function reads without being differentiated in them, "" if nobody's.

        For frameworks that pass arrays: where a module is asked to keep its own, users know.
        """
        return ""

    def unfolded(self, function: Callable[..., Any]) -> Unfolded | None:
        """Return a module as a function of its parameters as well, None for a plain function."""
        return None

    def code_behind(self, function: Callable[..., Any], paths: Sequence[str]) -> Code | None:
        """Return where a function is written, of a module the part that holds all these leaves."""
        return code_of(function)

    def converted(self, function: Callable[..., Any], dtype: Any) -> Callable[..., Any]:
        """Return a copy of a module in another dtype; a plain function is returned as it is."""
        return function

    def record(
        self,
        function: Callable[..., Any],
        positional: Sequence[Any],
        named: Mapping[str, Any],
        mapped: Mapped,
        states: Callable[[], Any],
    ) -> list[Call]:
        """Return every call that one pass through a module makes, in the order they begin.

        The first is the module's own. The inputs in a call are private copies, marked where the
        pass had a record of how they were computed. `states` reads the random generators.
        """
        return []

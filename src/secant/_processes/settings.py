"""What is settled about a group beside the settings of every check."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from .._errors import InputError, expected
from .._settings import ABOUT_GROUPS, is_among, is_number

CONVENTIONS = ("whole", "share", "mean")
"""What a process's gradient of a leaf is that others hold copies of: all of it, what its own
outputs owe to the leaf, or all of it divided by the number of copies."""

_TIMEOUT = 9.0
_LONGEST = 86_400.0


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """Which leaves and outputs are copies, and what their gradients must be."""

    group: Any
    replicated: Mapping[str, Any] | None = None  # sub-groups by path, True: all; None: marks say
    gradients: str | Mapping[str, str] | None = None  # or by path; None: as a leaf's kind has it
    timeout: float = _TIMEOUT  # seconds that a process may be behind the others

    def convention(self, path: str, usual: str) -> str:
        """Return what a process's gradient of a leaf must be, of which there are copies."""
        if self.gradients is None or isinstance(self.gradients, str):
            return self.gradients or usual
        named = (said for name, said in self.gradients.items() if is_named(path, (name,)))
        return next(named, usual)

    def says(self, path: str) -> Any:
        """Say whether the user calls a leaf or an output a copy: True, False, or of which group.

        None: nothing was said.
        """
        if self.replicated is None:
            return None
        named = (where for name, where in self.replicated.items() if is_named(path, (name,)))
        return next(named, False)

    def said(self) -> list[str]:
        """Return what a command that repeats a check says about the group."""
        words = ["group=group"]
        if self.replicated is not None:
            everywhere = all(where is True for where in self.replicated.values())
            names = f"{tuple(sorted(self.replicated))!r}".replace("'", '"')
            words.append(f"replicated={names if everywhere else 'replicated'}")
        if self.gradients is not None:
            words.append(f"gradients={self.gradients!r}".replace("'", '"'))
        if self.timeout != _TIMEOUT:
            words.append(f"timeout={self.timeout:g}")
        return words

    def refuse_unknown(self, paths: Collection[str]) -> None:
        """Say which name is that of no leaf and of no output."""
        named = set(self.replicated or ())
        if isinstance(self.gradients, Mapping):
            named |= set(self.gradients)
        for name in sorted(named):
            if not any(is_named(path, (name,)) for path in paths):
                known = ", ".join(dict.fromkeys(paths))
                raise InputError(
                    f"expected `replicated` and `gradients` to name leaves or outputs; {name!r} is "
                    f"none of {known}"
                )


def is_named(path: str, names: Collection[str]) -> bool:
    """Say whether a path, or a container around it, is among some names."""
    return any(path == name or path.startswith((f"{name}[", f"{name}.")) for name in names)


def settle_together(group: Any, options: dict[str, Any]) -> GroupSettings:
    """Take what is about the group out of keyword arguments, or refuse it."""
    given = {name: options.pop(name) for name in ABOUT_GROUPS if name in options}
    replicated = given.get("replicated")
    if isinstance(replicated, str):
        replicated = (replicated,)
    if replicated is not None:
        is_known = isinstance(replicated, (list, tuple, set, frozenset, Mapping))
        if not is_known or not all(isinstance(one, str) for one in replicated):
            choices = "names of leaves and outputs, a mapping from names to sub-groups, or None"
            raise expected("replicated", choices, replicated)
        if not isinstance(replicated, Mapping):
            replicated = dict.fromkeys(replicated, True)
    gradients = given.get("gradients")
    said = gradients.values() if isinstance(gradients, Mapping) else (gradients,)
    if gradients is not None and not all(is_among(one, CONVENTIONS) for one in said):
        choices = f"one of {', '.join(CONVENTIONS)}, or a mapping from names to these"
        raise expected("gradients", choices, gradients)
    timeout = given.get("timeout", _TIMEOUT)
    if not is_number(timeout, 0.0, _LONGEST) or not timeout:
        raise expected("timeout", "a positive number of seconds", timeout)
    return GroupSettings(group, replicated, gradients, float(timeout))

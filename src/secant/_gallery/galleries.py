"""The demo's exhibits, one gallery per framework, imported only when somebody asks for it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._errors import InputError

# framework module -> the module here that holds its `EXHIBITS`
_KNOWN = {"torch": "secant._gallery.torch_gallery"}


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One derivative, right or wrong, and the verdict it deserves."""

    title: str
    about: str  # what the function and its derivative are
    expected: str  # a verdict's name
    why: str  # why that is the verdict
    function: Callable[..., Any]
    inputs: tuple[Any, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    kind: str = "derivative"  # of the finding that decides
    says: str = ""  # a code, or the entry, that the report must name


def gallery() -> tuple[Exhibit, ...]:
    """Return the exhibits of the first framework that is installed."""
    for framework, module in _KNOWN.items():
        try:
            importlib.import_module(framework)
        except ImportError:
            continue
        exhibits: tuple[Exhibit, ...] = importlib.import_module(module).EXHIBITS
        return exhibits
    raise InputError(
        f"expected a framework with a gallery to be installed ({', '.join(_KNOWN)}); none is. "
        f'Try: pip install "secant[{next(iter(_KNOWN))}]"'
    )

"""Constants behind the inputs, and names for the inputs: how users of SciPy speak of a function.

`f(x, *args)` is a function of x; its derivatives by hand take the same constants in the same place.
The entries of x have names of their own: a resistance, a capacitance.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._backends.registry import loaded
from .._errors import InputError
from .problem import Problem

Written = Mapping[str, Callable[..., Any]]


def with_args(
    function: Callable[..., Any], written: Written, inputs: int, args: Sequence[Any]
) -> tuple[Callable[..., Any], Written]:
    """Return a function and its derivatives such that constants follow the inputs of each."""
    if any(backend.modules.is_module(function) for backend in loaded()):
        raise InputError("expected all arguments of a module as inputs; got `args`")
    derivatives = {name: _followed(one, inputs, args) for name, one in written.items()}
    return _followed(function, inputs, args), derivatives


def _followed(function: Callable[..., Any], inputs: int, args: Sequence[Any]) -> Callable[..., Any]:
    @functools.wraps(function, updated=())
    def followed(*given: Any, **named: Any) -> Any:
        return function(*given[:inputs], *args, *given[inputs:], **named)

    return followed


def name_leaves(problem: Problem, names: Sequence[str]) -> None:
    """Call the inputs, or the entries of the only one, by these names."""
    if not names:
        return
    parts = problem.domain.parts
    if len(names) == len(parts) and (len(parts) > 1 or parts[0].size != len(names)):
        problem.domain.rename(names)
    elif len(parts) == 1 and parts[0].size == len(names):
        problem.domain.names = tuple(names)
    else:
        entries = f" or {parts[0].size}, one for each entry of it" if len(parts) == 1 else ""
        raise InputError(
            f"expected `names` to be {len(parts)}, one for each input that is differentiated"
            f"{entries}; got {len(names)}"
        )

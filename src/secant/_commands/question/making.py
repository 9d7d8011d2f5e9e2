"""From what a target names to what is called: a rule, a module made of its class, a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..._backends.base import Backend
from ..._errors import InputError
from ..frames import spell_raised, where_raised
from .inputs import Inputs
from .literals import arguments
from .targets import Target


def callable_of(
    target: Target, init: Sequence[str] | None, backend: Backend, seed: int
) -> Callable[..., Any]:
    """Return the function that a target stands for.

    A rule written as a class is its `apply`. Any other class is made, with the arguments of
    `--init`; where these are there, a function is called with them too, and gives what is checked.
    """
    value = target.value
    rule = backend.targets.rule(value)
    if rule is not None:
        if init is not None:
            raise InputError(
                f"expected no `--init` for {target.text}, which is not made but applied"
            )
        return rule
    made = value
    if isinstance(value, type) or init is not None:
        if not callable(value):
            raise InputError(
                f"expected {target.text} to be a class or a function with `--init`; got "
                f"{type(value).__name__}"
            )
        made = _made(target, init or (), backend, seed)
    if not callable(made):
        raise InputError(f"expected {target.text} to be callable; got {type(made).__name__}")
    function: Callable[..., Any] = made
    return function


def _made(target: Target, init: Sequence[str], backend: Backend, seed: int) -> Any:
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for text in init:
        more, keywords = arguments(text, "init")
        positional += more
        named |= keywords
    backend.targets.seed(seed)
    try:
        return target.value(*positional, **named)
    except Exception as error:
        lines = [
            f"making {_spelt(target.text, positional, named)} raised {spell_raised(error)}",
            *where_raised(error),
            f"  it takes {_signature(target.value)}: pass its arguments with --init",
        ]
        raise InputError("\n".join(lines)) from error


def _spelt(text: str, positional: list[Any], named: dict[str, Any]) -> str:
    words = [*map(repr, positional), *(f"{name}={value!r}" for name, value in named.items())]
    return f"{text.rpartition(':')[2]}({', '.join(words)})"


def _signature(value: Any) -> str:
    try:
        return _bare(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return "arguments"


def refuse_misfits(function: Callable[..., Any], inputs: Inputs) -> None:
    """Say which arguments are missing or too many, as far as the function tells."""
    owner: Any = getattr(function, "__self__", None)
    body: Any = function
    if getattr(function, "__name__", "") == "apply" and hasattr(owner, "forward"):
        body = owner.forward
    elif callable(getattr(function, "forward", None)):
        body = function.forward  # type: ignore[attr-defined]
    try:
        signature = inspect.signature(body)
    except (TypeError, ValueError):
        return
    parameters = list(signature.parameters.values())
    if body is not function and parameters and parameters[0].name == "ctx":
        parameters = parameters[1:]
    try:
        inspect.Signature(parameters).bind(*inputs.positional, **inputs.named)
    except TypeError as error:
        if body is function and parameters and parameters[0].name == "self":
            raise InputError(
                f"`{function.__name__}` is a method, and there is no object that it belongs to; "
                "name the class, and make it with --init"
            ) from error
        raise InputError(
            f"expected inputs for {_bare(parameters)}: {error}. Pass one --input for each "
            "parameter, as --input 3x4, and what is no array with --kwarg"
        ) from error


def _bare(parameters: Iterable[inspect.Parameter]) -> str:
    """Spell parameters without their annotations."""
    return str(inspect.Signature([one.replace(annotation=one.empty) for one in parameters]))

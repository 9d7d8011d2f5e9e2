"""From the derivatives that a user passes to rules that can be asked, or one clear error.

Which modes are asked follows from what is given: a pull, a gradient or a Jacobian in reverse, a
push forward. Where nothing is given, a library that differentiates such functions speaks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._backends.base import Array, Backend
from .._backends.interface.autodiff import by_hand
from .._errors import InputError, expected
from .._problem.problem import Problem
from .._problem.trees import Arguments, function_name
from .._settings import Settings, automatic_modes, settle
from .calling import Caller
from .rules import GradientRule, JacobianRule, PullRule, PushRule, Rule
from .transformed import HOW_TO_GIVE, TransformRule

Written = Mapping[str, Callable[..., Any]]

_REVERSE: dict[str, Callable[[Caller], Rule]] = {
    "pull": PullRule,
    "gradient": GradientRule,
    "jacobian": JacobianRule,
}


@dataclass(frozen=True, slots=True)
class Given:
    """The derivatives to be checked, by the mode in which they are asked."""

    reverse: tuple[Rule, ...] = ()
    forward: tuple[Rule, ...] = ()

    def gradient_at(self, problem: Problem, cotangents: Sequence[Array]) -> Problem:
        """Return the gradient's problem; only what a library differentiates has one."""
        rule = next(one for one in self.reverse if isinstance(one, TransformRule))
        return rule.gradient_at(problem, cotangents)


def settle_given(
    passed: Mapping[str, Callable[..., Any] | None],
    options: Mapping[str, Any],
    function: object = None,
) -> tuple[Settings, Written]:
    """Return settings and derivatives that fit each other, or say what does not."""
    written = {}
    for keyword, derivative in passed.items():
        if derivative is None:
            continue
        if not callable(derivative):
            raise expected(keyword, "a function of the same inputs", derivative)
        written[keyword] = derivative
    settings = settle(options, function)
    if not written:
        return settings, written
    if settings.order > 1:
        raise InputError(
            "expected `order` to be 1 with derivatives written by hand; check their own "
            "derivatives as functions: secant.check(gradient, x, jacobian=hessian)"
        )
    if "modes" not in options:
        return replace(settings, modes=automatic_modes(written)), written
    is_reverse = bool(written.keys() & _REVERSE.keys())
    is_forward = bool(written.keys() & {"push", "jacobian"})
    for mode, is_there, wanted in (
        ("reverse", is_reverse, "`pull`, `jacobian` or `gradient`"),
        ("forward", is_forward, "`push` or `jacobian`"),
    ):
        if mode in settings.directions and not is_there:
            raise InputError(
                f"expected {wanted} for modes={settings.modes!r}; got {', '.join(written)}"
            )
    return settings, written


def take(
    function: Callable[..., Any],
    arguments: Arguments,
    backend: Backend,
    written: Written | None,
    settings: Settings,
) -> tuple[Backend, Given]:
    """Return the derivatives as rules, and the backend that is asked for none of its own."""
    modes = settings.directions
    if written is None:
        transforms = backend.transforms()
        if transforms is None:
            raise InputError(
                f"expected a derivative of `{function_name(function)}`: its arrays record none; "
                f"{HOW_TO_GIVE}, or write it with autograd.numpy"
            )
        rules = (TransformRule(transforms),)
        return backend, Given(
            rules if "reverse" in modes or settings.order > 1 else (),
            rules if "forward" in modes else (),
        )
    callers = {
        keyword: Caller(keyword, derivative, function, arguments)
        for keyword, derivative in written.items()
    }
    reverse = {key: make(callers[key]) for key, make in _REVERSE.items() if key in callers}
    forward: list[Rule] = [PushRule(callers["push"])] if "push" in callers else []
    if not forward and "jacobian" in reverse:
        forward = [reverse["jacobian"]]
    return by_hand(backend), Given(
        tuple(reverse.values()) if "reverse" in modes else (),
        tuple(forward) if "forward" in modes else (),
    )


def take_pull(
    keyword: str,
    pull: Callable[..., Any] | None,
    function: Callable[..., Any],
    arguments: Arguments,
    backend: Backend,
    is_needed: bool,
) -> tuple[Backend, Rule | None]:
    """Return one side of a comparison: its framework, and its derivative if that is a function."""
    if pull is not None:
        return by_hand(backend), PullRule(Caller(keyword, pull, function, arguments))
    if backend.records:
        return backend, None
    transforms = backend.transforms()
    if transforms is None and is_needed:
        raise InputError(
            f"expected `{keyword}`, because arrays of {backend.name} record no derivative; "
            "gradients=False compares outputs only"
        )
    return backend, None if transforms is None else TransformRule(transforms)

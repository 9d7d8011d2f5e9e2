"""Drop-in for `jax.test_util.check_grads`, on secant's engine.

Signature, defaults and the class of the exception are JAX's; verdicts come from error bars, and
messages name the wrong entries. Change one import:

Examples:
    >>> import jax.numpy as jnp
    >>> from secant.jax import check_grads
    >>> check_grads(jnp.sin, (jnp.linspace(0.0, 1.0, 5),), order=2)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ._backends.jax.second import (
    as_arrays,
    drawn,
    inputs_of,
    linearised,
    outputs_of,
    pulling,
    pushing,
)
from ._check import conduct
from ._errors import FunctionRaised, GradientMismatch, NotFinite, expected, one_of
from ._findings import Verdict
from ._problem.trees import function_name
from ._report.model import Report
from ._settings import Settings, settle
from ._spaces.directions import generator

__all__ = ["CheckInconclusive", "check_grads"]

_MODES = ("fwd", "rev", "lin")


class CheckInconclusive(UserWarning):
    """The numbers could not tell, so nothing was blamed."""


class _Task(NamedTuple):
    """A function to be checked in one or both modes."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    modes: str


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> None:
    """Check derivatives up to an order, forward, reverse and mixed, as JAX's own does.

    Without `atol` and `rtol` the error bars alone judge; an entry is else also forgiven what is
    within `atol + rtol·|measured|`. `eps` is the step to begin with. Raises an `AssertionError`
    that carries the report. If the numbers cannot tell, warns with `CheckInconclusive`.
    """
    if isinstance(modes, str) or not modes or any(mode not in _MODES for mode in modes):
        raise expected("modes", f"a sequence of {one_of(_MODES)}", modes)
    for task in _tasks(f, as_arrays(args), order, tuple(modes)):
        settings = settle(
            {"modes": task.modes, "atol": atol, "rtol": rtol, "step": eps, "progress": False}
        )
        _judge(task, settings)


def _tasks(
    function: Callable[..., Any], arguments: tuple[Any, ...], order: int, modes: tuple[str, ...]
) -> Iterator[_Task]:
    """Yield what is checked: the function, then its pushes and pulls, up to the order."""
    plain = [mode for mode in modes if mode != "lin"]
    if plain:
        both = "all" if len(set(plain)) == 2 else "forward" if "fwd" in plain else "reverse"
        yield _Task(function, arguments, both)
    if "lin" in modes:
        yield _Task(_named(linearised(function), function, ""), arguments, "forward")
    if order <= 1:
        return
    numbers = generator(order)
    for mode in modes:
        if mode == "rev":
            derived, likes = pulling(function), outputs_of(function, arguments)
            name = "vjp of "
        else:
            through = linearised(function) if mode == "lin" else function
            derived, likes = pushing(through), inputs_of(arguments)
            name = "jvp of "
        _named(derived, function, name)
        yield from _tasks(derived, (arguments, drawn(likes, numbers)), order - 1, modes)


def _named(derived: Callable[..., Any], function: Callable[..., Any], what: str) -> Any:
    derived.__name__ = f"{what}{function_name(function)}"
    return derived


def _judge(task: _Task, settings: Settings) -> None:
    """Check, and turn the report into what JAX's users expect."""
    try:
        report = conduct(task.function, task.arguments, settings)
    except FunctionRaised as raised:
        raise (raised.__cause__ or raised) from None  # the user's own exception, as it was
    except NotFinite as error:
        raise AssertionError(str(error)) from error
    if report.verdict is Verdict.PASS:
        return
    broken = _raised(report)
    if broken is not None:
        raise broken  # a framework without a derivative here, or a rule that breaks
    if report.verdict is Verdict.FAIL:
        raise GradientMismatch(f"\n{report}", report)
    warnings.warn(f"\n{report}", CheckInconclusive, stacklevel=3)


def _raised(report: Report) -> Exception | None:
    return next(
        (one.raised for one in report.findings if one.kind == "derivative" and one.raised), None
    )

"""Drop-in for `jax.test_util.check_grads`, on secant's engine.

Signature, defaults and the class of the exception are JAX's; verdicts come from error bars, and
messages name the wrong entries. Change one import:

Examples:
    >>> import jax.numpy as jnp
    >>> from secant.jax import check_grads
    >>> check_grads(jnp.sin, (jnp.linspace(0.0, 1.0, 5),), order=2)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ._backends.jax.second import (
    as_arrays,
    as_number,
    drawn,
    inputs_of,
    is_primal_kept,
    jax_objects,
    linearised,
    outputs_of,
    pulled_by,
    pulling,
    pushed_by,
    pushing,
    usual_rtol,
    usual_tolerance,
    zero_tangents,
)
from ._backends.process.restoration import Restoration
from ._check import conduct
from ._claims.taken import settle_given
from ._errors import (
    FunctionRaised,
    GradientError,
    GradientMismatch,
    NotFinite,
    Undecided,
    expected,
    one_of,
    warn_caller,
)
from ._findings import Verdict
from ._hearing import told
from ._problem.pose import gather
from ._problem.trees import function_name
from ._report.model import Report
from ._settings import Settings, settle
from ._spaces.directions import generator

__all__ = ["check_grads", "check_jvp", "check_vjp"]

_MODES = ("fwd", "rev", "lin")


_EPS = 1e-4  # JAX's own step, which the error bars choose unless told otherwise


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
    atol: Any = None,
    rtol: Any = None,
    eps: float | None = None,
    *,
    strict: bool = False,
) -> None:
    """Check derivatives up to an order, forward, reverse and mixed, as JAX's own does.

    Without `atol` and `rtol` the error bars alone judge; an entry is else also forgiven what is
    within `atol + rtol·|measured|`; tolerances are numbers, arrays or dicts by dtype. `eps` is the
    step to begin with. Raises an `AssertionError` that carries the report. If the numbers cannot
    tell, warns with `secant.Undecided` and decides as JAX's own checker does with the same
    tolerances, or with its own, if the error bars tell as much; with `strict=True` that is a
    failure.
    """
    chosen = tuple(mode for mode in _MODES if mode in modes) if isinstance(modes, str) else modes
    if not chosen or any(mode not in _MODES for mode in chosen):
        raise expected("modes", f"a sequence of {one_of(_MODES)}", modes)
    tolerances = {"atol": atol, "rtol": rtol, "eps": eps}
    for task in _tasks(f, as_arrays(args), order, tuple(chosen)):
        settings = _settled(task, tolerances)
        asked = task.function, task.arguments, 1, _JAX_MODES[task.modes]
        ask = functools.partial(jax_objects, "check_grads", asked, tolerances)
        _check(task, settings, None, ask, strict=strict)


_JAX_MODES = {"all": ("fwd", "rev"), "forward": ("fwd",), "reverse": ("rev",)}


def check_jvp(
    f: Callable[..., Any],
    f_jvp: Callable[..., Any],
    args: Sequence[Any],
    atol: Any = None,
    rtol: Any = None,
    eps: float = _EPS,
    err_msg: str = "",
) -> None:
    """Check `f_jvp(args, tangents)`, which gives the outputs of `f` and their tangents."""
    task = _Task(f, as_arrays(args), "forward")
    primal = f_jvp(task.arguments, zero_tangents(task.arguments))[0]
    _judge_rule(task, primal, ("check_jvp", f_jvp), atol, rtol, eps, err_msg)


def check_vjp(
    f: Callable[..., Any],
    f_vjp: Callable[..., Any],
    args: Sequence[Any],
    atol: Any = None,
    rtol: Any = None,
    eps: float = _EPS,
    err_msg: str = "",
) -> None:
    """Check `f_vjp(*args)`, which gives the outputs of `f` and a function that pulls back."""
    task = _Task(f, as_arrays(args), "reverse")
    primal = f_vjp(*task.arguments)[0]
    _judge_rule(task, primal, ("check_vjp", f_vjp), atol, rtol, eps, err_msg)


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


def _settled(task: _Task, tolerances: dict[str, Any]) -> Settings:
    atol, rtol = (
        as_number(tolerances[name], task.function, task.arguments) for name in ("atol", "rtol")
    )
    if atol is None and rtol is None:
        rtol = usual_rtol(task.arguments)
    step = tolerances["eps"]
    return settle(
        {"modes": task.modes, "atol": atol, "rtol": rtol, "step": step, "progress": False}
    )


def _judge_rule(
    task: _Task,
    primal: Any,
    rule: tuple[str, Callable[..., Any]],
    atol: Any,
    rtol: Any,
    eps: float,
    err_msg: str,
) -> None:
    """Check a derivative that is a function of its own, and raise with the message asked for."""
    check, derivative = rule
    if not is_primal_kept(primal, task.function(*task.arguments)):
        raise AssertionError(f"{err_msg} primal: the rule computes other outputs than `f`".strip())
    step = None if eps == _EPS else eps
    settings = _settled(task, {"atol": atol, "rtol": rtol, "eps": step})
    by_hand: dict[str, Any] = (
        {"push": pushed_by(derivative, len(task.arguments))}
        if check == "check_jvp"
        else {"pull": pulled_by(derivative)}
    )
    _, written = settle_given(by_hand, {"modes": task.modes})
    asked = task.function, derivative, task.arguments
    tolerances = {"atol": atol, "rtol": rtol, "eps": eps}
    ask = functools.partial(jax_objects, check, asked, tolerances)
    try:
        _check(task, settings, written, ask)
    except GradientError as error:
        raise type(error)(f"{err_msg}{error}", error.report) from None


def _asked(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    settings: Settings,
    written: Any,
) -> Report:
    ask = functools.partial(conduct, function, arguments, settings, written)
    try:
        return told("check_grads", ask, function, arguments, {})
    except FunctionRaised as raised:
        raise (raised.__cause__ or raised) from None  # the user's own exception, as it was


def _check(
    task: _Task, settings: Settings, written: Any, ask: Callable[[], str], *, strict: bool = False
) -> None:
    """Check one function; where it is not finite at the point itself, JAX's own checker decides.

    To that one NaN is equal to NaN.
    """
    try:
        report = _asked(task.function, task.arguments, settings, written)
    except NotFinite as error:
        if strict or _quietly(task, ask):
            raise AssertionError(str(error)) from error
        warn_caller(f"decided as JAX's own checker does: {error}", Undecided)
        return
    as_jax = functools.partial(_as_jax, task, settings, written, ask)
    _judge(report, None if strict else as_jax)


def _quietly(task: _Task, ask: Callable[[], str]) -> str:
    """Return what JAX's own checker objects to, with all that belongs to the process put back."""
    with Restoration(gather(task.function, task.arguments, {})[1]):
        return ask()


def _as_jax(task: _Task, settings: Settings, written: Any, ask: Callable[[], str]) -> str:
    """Return what JAX's own checker would object to, with its tolerances where none were given.

    It is asked only where error bars do not tell as much as it forgives.
    """
    usual = usual_tolerance(task.arguments)
    atol, rtol = (usual if one is None else one for one in (settings.atol, settings.rtol))
    forgiving = replace(settings, atol=atol, rtol=rtol)
    if conduct(task.function, task.arguments, forgiving, written).verdict is Verdict.PASS:
        return ""
    return _quietly(task, ask)


def _judge(report: Report, as_jax: Callable[[], str] | None) -> None:
    """Turn a report into what JAX's users expect; `as_jax` decides what it leaves open."""
    if report.verdict is Verdict.PASS:
        return
    broken = _raised(report)
    if broken is not None:
        raise broken  # a framework without a derivative here, or a rule that breaks
    if report.verdict is Verdict.FAIL:
        raise GradientMismatch(f"\n{report}", report)
    said = "the numbers cannot tell, which counts as wrong here"
    if as_jax is not None:
        warn_caller(f"decided as JAX's own checker does:\n{report}", Undecided)
        said = as_jax()
    if said:
        raise GradientMismatch(f"{said}\n{report}", report)


def _raised(report: Report) -> Exception | None:
    return next(
        (one.raised for one in report.findings if one.kind == "derivative" and one.raised), None
    )

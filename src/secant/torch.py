"""Drop-in for `torch.autograd.gradcheck` and `gradgradcheck`, on secant's engine.

Signatures, defaults, return values and exception class are torch's; verdicts come from error bars,
messages name the wrong entries. Change one import:

Examples:
    >>> import torch
    >>> from secant.torch import gradcheck
    >>> gradcheck(torch.sin, torch.linspace(0, 1, 5, dtype=torch.float64, requires_grad=True))
    True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import torch
from torch.autograd.gradcheck import GradcheckError as _TorchGradcheckError

from ._backends.process.restoration import EarlyRestoration, Restoration
from ._backends.torch.gradcheck.incumbent import (
    as_sparse_gradcheck,
    get_analytical_jacobian,
    numerical_jacobian,
    refuse_inputs,
    torch_objects,
)
from ._backends.torch.gradcheck.second import as_tuple, draw, gradient_of
from ._check import conduct
from ._dropin import examined, outputs_at, settled
from ._errors import (
    EvaluationError,
    FunctionRaised,
    NotFinite,
    NothingReturned,
    Undecided,
    UnsupportedOutput,
    warn_caller,
)
from ._findings import SLOPES, Verdict
from ._hearing import told
from ._problem.pose import gather
from ._problem.trees import function_name
from ._report.model import Report
from ._report.phrases import changed_phrase, decisive, familiar_phrase, without_excuses
from ._settings import Settings, settle
from ._spaces.directions import generator

__all__ = [
    "GradcheckError",
    "as_sparse_gradcheck",
    "get_analytical_jacobian",
    "get_numerical_jacobian",
    "gradcheck",
    "gradgradcheck",
]


class GradcheckError(_TorchGradcheckError):
    """A gradient is wrong; `report` holds the evidence, None where nothing could be measured."""

    def __init__(self, message: str, report: Report | None) -> None:
        super().__init__(message)
        self.report = report


class _Changed(EvaluationError, AssertionError):
    """The function answered with another shape or dtype than before: to torch an assertion."""

    __module__ = "secant"


class _Automatic(float):
    """Torch's default step, told apart from the same number given by a user."""

    __slots__ = ()


_EPS = _Automatic(1e-6)


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = _EPS,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
    strict: bool = False,
) -> bool:
    """Check the gradients that autograd claims for a function, as torch's own does.

    An entry of a Jacobian is wrong when it is off by more than `atol + rtol·|measured|` and by more
    than the measurement's error bar, in both modes. Random directions are asked first; entries, if
    these disagree or, unless `fast_mode=True`, if they promise less than a tenth of `atol`. An
    explicit `eps` is the step to begin with.

    Returns True, or raises `GradcheckError` (returns False with `raise_exception=False`). If the
    numbers cannot tell, warns with `secant.Undecided` and decides as torch's own checker does with
    the same arguments; with `strict=True` that is a failure.
    """
    arguments = locals()
    _refuse(not (check_forward_ad or check_backward_ad), _NEITHER_MODE)
    _refuse(check_batched_grad and not check_backward_ad, _needs("batched_grad", "backward_ad"))
    _refuse(
        check_batched_forward_grad and not check_forward_ad,
        _needs("batched_forward_grad", "forward_ad"),
    )
    tupled = as_tuple(inputs)
    refuse_inputs(tupled, is_forward=check_forward_ad)
    modes = "reverse" if not check_forward_ad else "all" if check_backward_ad else "forward"
    flags = check_undefined_grad, check_batched_grad, check_batched_forward_grad
    step = None if eps is _EPS else float(eps)
    settings = settled(
        modes,
        fast_mode,
        flags,
        float(rtol),
        float(atol),
        step,
        float(nondet_tol),
        raise_exception,
        bool(masked),
    )
    return _judge(func, tupled, settings, arguments)


def _judge(
    func: Callable[..., Any],
    inputs: tuple[Any, ...],
    settings: Settings,
    arguments: dict[str, Any],
) -> bool:
    """Check, and turn the report into what torch's users expect."""
    check_grad_dtypes = arguments["check_grad_dtypes"]
    try:
        report = told("gradcheck", partial(examined, func, inputs, settings), func, inputs, {})
    except FunctionRaised as raised:
        raise (raised.__cause__ or raised) from None  # the user's own exception, as it was
    except EvaluationError as error:
        raise _Changed(f"{changed_phrase(error)}: {error}") from None
    except NothingReturned:
        return True  # nothing to be wrong about
    except NotFinite as error:
        return _not_finite(error, settings.explain)
    except UnsupportedOutput as error:
        if error.layout is not torch._mkldnn:  # type: ignore[attr-defined]
            raise
        raise ValueError("MKLDNN output is not supported: call to_dense() on it") from error
    report = without_excuses(report)
    failed = decisive(report, check_grad_dtypes)
    if failed is None:
        if any(one.verdict is Verdict.INCONCLUSIVE and one.total != 0 for one in report.findings):
            return _undecided(func, inputs, report, arguments)
        return True
    if failed.raised is not None and failed.kind == "derivative":
        raise failed.raised
    if not settings.explain:
        return False
    is_constant = failed.kind in SLOPES and not _differentiable(func, inputs)
    phrase = familiar_phrase(failed, is_constant=is_constant, check_grad_dtypes=check_grad_dtypes)
    raise GradcheckError(f"{phrase}\n\n{report}", report)


def _undecided(
    func: Callable[..., Any], inputs: tuple[Any, ...], report: Report, arguments: dict[str, Any]
) -> bool:
    """Warn, and decide as torch would; if that is too lax, what is not told is a failure."""
    said = "the numbers cannot tell, which strict=True counts as wrong"
    if not arguments["strict"]:
        warn_caller(f"decided as torch's own checker does:\n{report}", Undecided)
        backend = gather(func, inputs, {})[1]
        keeping = backend.modules.keeping(func) or nullcontext
        with Restoration(backend) as restoration, EarlyRestoration(restoration), keeping():
            said = torch_objects(func, inputs, arguments)
    if said and arguments["raise_exception"]:
        raise GradcheckError(f"{said}\n\n{report}", report)
    return not said


def _not_finite(error: NotFinite, raise_exception: bool) -> bool:
    """Fail, as torch does where it compares NaN with something."""
    if raise_exception:
        raise GradcheckError(f"Jacobian mismatch: {error}", None) from error
    return False


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = _EPS,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
    strict: bool = False,
) -> bool:
    """Check the gradients of a function's gradients, in its inputs and in `grad_outputs`.

    The function checked is (inputs, grad_outputs) ↦ gradients of the inputs. Without `grad_outputs`
    they are drawn at random between −1 and 1, apart from torch's generators.
    """
    _refuse(not (check_fwd_over_rev or check_rev_over_rev), _NEITHER_ORDER)
    _refuse(
        check_undefined_grad and not check_rev_over_rev, _needs("undefined_grad", "rev_over_rev")
    )
    _refuse(check_batched_grad and not check_rev_over_rev, _needs("batched_grad", "rev_over_rev"))
    tupled = as_tuple(inputs)
    if grad_outputs is None:
        refuse_inputs(tupled, is_forward=False, is_quiet=True)
        try:
            outputs = _differentiable(func, tupled)
        except NotFinite as error:
            return _not_finite(error, raise_exception)
        cotangents = draw(outputs, generator(0), is_scattered=gen_non_contig_grad_outputs)
    else:
        cotangents = as_tuple(grad_outputs)
    gradient = gradient_of(func, tupled)
    gradient.__name__ = f"gradient of {function_name(func)}"
    return gradcheck(
        gradient,
        tupled + cotangents,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
        strict=strict,
    )


def get_numerical_jacobian(
    fn: Callable[..., Any],
    inputs: Any,
    target: Any = None,
    eps: float = 1e-3,
    grad_out: float = 1.0,
) -> list[torch.Tensor]:
    """Return the measured Jacobians of `fn(inputs)`, its first output, (inputs, outputs) each.

    There is one for each tensor of `target` that requires a gradient, or of the inputs.
    """
    settings = settle(_MEASURING | {"step": float(eps)})

    def measure(function: Callable[..., Any], leaf: torch.Tensor) -> Any:
        return conduct(function, (leaf,), settings).jacobian().measured

    return numerical_jacobian(fn, inputs, target, grad_out, measure)


_ENTRY_BY_ENTRY = {"probe": "full", "pictures": True}
_MEASURING = _ENTRY_BY_ENTRY | {"laws": "none", "explain": False, "progress": False}

_NEITHER_MODE = "Expected at least one of check_forward_ad or check_backward_ad to be True"
_NEITHER_ORDER = "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True"


def _needs(flag: str, other: str) -> str:
    return f"Setting check_{flag}=True requires check_{other} to be True"


def _refuse(is_nonsense: bool, why: str) -> None:
    if is_nonsense:
        raise AssertionError(why)


def _differentiable(func: Callable[..., Any], inputs: Sequence[Any]) -> tuple[torch.Tensor, ...]:
    return tuple(output for output in outputs_at(func, inputs) if output.requires_grad)

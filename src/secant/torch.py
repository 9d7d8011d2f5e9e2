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

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.autograd.gradcheck import GradcheckError as _TorchGradcheckError

from ._backends.seal import Seal, Twice
from ._backends.torch.second import as_tuple, draw, gradient_of, wants_gradient
from ._backends.torch.sparse import stored_everywhere
from ._check import conduct
from ._errors import FunctionRaised, InputError, NotFinite, NothingReturned
from ._findings import SLOPES, Verdict
from ._problem.pose import gather, pose
from ._problem.trees import function_name
from ._report.model import Report
from ._report.phrases import decisive, familiar_phrase, without_excuses
from ._settings import Settings, settle
from ._spaces.directions import generator

__all__ = [
    "GradcheckError",
    "GradcheckInconclusive",
    "as_sparse_gradcheck",
    "gradcheck",
    "gradgradcheck",
]


class GradcheckError(_TorchGradcheckError):
    """A gradient is wrong; `report` holds the evidence, None where nothing could be measured."""

    def __init__(self, message: str, report: Report | None) -> None:
        super().__init__(message)
        self.report = report


class GradcheckInconclusive(UserWarning):
    """The numbers could not tell, so nothing was blamed."""


class _Automatic(float):
    """Torch's default step, told apart from the same number given by a user."""

    __slots__ = ()


_EPS = _Automatic(1e-6)
_MEMORY = 2**24  # bytes for a batch of columns: with the claim itself, a third of what torch takes
_LAWS = frozenset({"signature", "linearity", "determinism", "mutation", "layout", "liveness"})


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
) -> bool:
    """Check the gradients that autograd claims for a function, as torch's own does.

    An entry of a Jacobian is wrong when it is off by more than `atol + rtol·|measured|` and by more
    than the measurement's error bar, in both modes. `fast_mode=True` asks along random directions
    and looks at entries only if those disagree. An explicit `eps` is the step to begin with.

    Returns True, or raises `GradcheckError` (returns False with `raise_exception=False`). If the
    numbers cannot tell, warns with `GradcheckInconclusive` and returns True.
    """
    _refuse(not (check_forward_ad or check_backward_ad), _NEITHER_MODE)
    _refuse(check_batched_grad and not check_backward_ad, _needs("batched_grad", "backward_ad"))
    _refuse(
        check_batched_forward_grad and not check_forward_ad,
        _needs("batched_forward_grad", "forward_ad"),
    )
    tupled = as_tuple(inputs)
    _check_inputs(tupled, is_forward=check_forward_ad)
    modes = "reverse" if not check_forward_ad else "all" if check_backward_ad else "forward"
    flags = check_undefined_grad, check_batched_grad, check_batched_forward_grad
    step = None if eps is _EPS else float(eps)
    settings = _settled(
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
    return _judge(func, tupled, settings, check_grad_dtypes)


@functools.lru_cache(maxsize=64)  # the same few come by the thousand
def _settled(
    modes: str,
    fast_mode: bool,
    flags: tuple[bool, bool, bool],
    rtol: float,
    atol: float,
    step: float | None,
    repeat: float,
    explain: bool,
    masked: bool,
) -> Settings:
    """Return torch's arguments as settings."""
    asked = zip(("undefined", "batching", "batched_tangents"), flags, strict=True)
    return settle(
        {
            "modes": modes,
            "probe": "fast" if fast_mode else "full",
            "laws": _LAWS | {law for law, is_asked in asked if is_asked},
            "rtol": rtol,
            "atol": atol,
            "step": step,
            "repeat": repeat,
            "memory": _MEMORY,
            "explain": explain,
            "masked": masked,
            "progress": False,
        }
    )


def _judge(
    func: Callable[..., Any],
    inputs: tuple[Any, ...],
    settings: Settings,
    check_grad_dtypes: bool,
) -> bool:
    """Check, and turn the report into what torch's users expect."""
    try:
        report = conduct(func, inputs, settings)
    except FunctionRaised as raised:
        raise (raised.__cause__ or raised) from None  # the user's own exception, as it was
    except NothingReturned:
        return True  # nothing to be wrong about
    except NotFinite as error:
        return _not_finite(error, settings.explain)
    except InputError as error:
        if "mkldnn output is not supported" in str(error):
            raise ValueError("MKLDNN output is not supported: call to_dense() on it") from error
        raise
    report = without_excuses(report)
    failed = decisive(report, check_grad_dtypes)
    if failed is None:
        if report.verdict is Verdict.INCONCLUSIVE:
            warnings.warn(f"\n{report}", GradcheckInconclusive, stacklevel=3)
        return True
    if failed.raised is not None and failed.kind == "derivative":
        raise failed.raised
    if not settings.explain:
        return False
    is_constant = failed.kind in SLOPES and not _outputs_at(func, inputs)
    phrase = familiar_phrase(failed, is_constant=is_constant, check_grad_dtypes=check_grad_dtypes)
    raise GradcheckError(f"{phrase}\n\n{report}", report)


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
        _check_inputs(tupled, is_forward=False)
        try:
            outputs = _outputs_at(func, tupled)
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
    )


def as_sparse_gradcheck(gradcheck: Callable[..., bool]) -> Callable[..., bool]:
    """Return a `gradcheck` for functions of sparse tensors that treats `masked` as torch's does.

    `torch.sparse.as_sparse_gradcheck` hands the function sparse inputs with every entry stored,
    zeros too, unless `masked=True`. `gradcheck` itself leaves the pattern as it is.
    """

    @functools.wraps(gradcheck)
    def with_sparse_inputs(func: Callable[..., Any], inputs: Any, **settings: Any) -> bool:
        if not settings.get("masked", False):
            inputs = tuple(map(stored_everywhere, as_tuple(inputs)))
        return gradcheck(func, inputs, **{**settings, "masked": True})

    return with_sparse_inputs


_NEITHER_MODE = "expected at least one of check_forward_ad or check_backward_ad to be True"
_NEITHER_ORDER = "expected at least one of check_fwd_over_rev or check_rev_over_rev to be True"


def _needs(flag: str, other: str) -> str:
    return f"check_{flag}=True requires check_{other} to be True"


def _refuse(is_nonsense: bool, why: str) -> None:
    if is_nonsense:
        raise AssertionError(why)


def _check_inputs(inputs: Sequence[Any], *, is_forward: bool) -> None:
    wanted = [value for value in inputs if wants_gradient(value)]
    if not wanted:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, "
            "but none of them have requires_grad=True."
        )
    if is_forward and any(value.layout is torch._mkldnn for value in wanted):  # type: ignore[attr-defined]
        raise ValueError("MKLDNN inputs have no forward mode: check them in reverse mode only")


def _outputs_at(func: Callable[..., Any], inputs: Sequence[Any]) -> tuple[torch.Tensor, ...]:
    """Return the differentiable outputs, from one call with copies that leaves no trace."""
    arguments, backend = gather(func, inputs, {})
    try:
        with Seal(backend) as seal, Twice(seal):
            outputs = pose(func, arguments, backend).trace().outputs
    except FunctionRaised as raised:
        raise (raised.__cause__ or raised) from None
    return tuple(output for output in outputs if output.requires_grad)

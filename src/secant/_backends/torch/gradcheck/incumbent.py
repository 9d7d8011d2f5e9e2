"""What the drop-in shares with torch's own checker: its warning, its verdict, its two Jacobians."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.autograd.gradcheck import GradcheckError
from torch.autograd.gradcheck import gradcheck as incumbent

from ...._errors import warn_caller
from ..arrays.sparse import stored_everywhere
from ..autodiff.borrowed import BorrowedTensors, can_be_borrowed
from .second import as_tuple, wants_gradient

_ARGUMENTS = tuple(
    name
    for name in inspect.signature(incumbent).parameters
    if name not in ("func", "inputs", "raise_exception")
)
_DOUBLE = (torch.float64, torch.complex128)


def refuse_inputs(inputs: Sequence[Any], *, is_forward: bool, is_quiet: bool = False) -> None:
    """Refuse inputs that torch refuses; warn of those that it warns of, in its words."""
    wanted = {k: value for k, value in enumerate(inputs) if wants_gradient(value)}
    if not wanted:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, "
            "but none of them have requires_grad=True."
        )
    for place, value in wanted.items():
        if value.dtype not in _DOUBLE and not is_quiet:
            warn_caller(
                f"Input #{place} requires gradient and is not a double precision floating point "
                "or complex. It is checked in its own precision, and in double precision as well "
                "where the function runs in it."
            )
        if is_forward and value.layout is torch._mkldnn:  # type: ignore[attr-defined]
            raise ValueError("MKLDNN inputs have no forward mode: check them in reverse mode only")


def torch_objects(
    func: Callable[..., Any], inputs: Sequence[Any], arguments: dict[str, Any]
) -> str:
    """Return what torch's own checker holds against a function; nothing if it passes it.

    It moves the user's own tensors, which are put back to the last bit. What it cannot check it
    does not object to.
    """
    own = [value for value in inputs if wants_gradient(value)]
    if not all(map(can_be_borrowed, own)):
        return ""
    borrowed = BorrowedTensors(own)
    try:
        with borrowed.holding(own), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            incumbent(func, tuple(inputs), **{name: arguments[name] for name in _ARGUMENTS})
    except GradcheckError as error:
        return " ".join(map(str, error.args))
    except Exception:  # it has no answer either
        return ""
    finally:
        borrowed.put_back()
    return ""


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


def _warn_of_private_name(name: str, grad_out: float) -> None:
    """Warn as torch does where one of its two Jacobians is asked for."""
    if grad_out != 1.0:
        raise ValueError(f"Expected grad_out to be 1.0. {name} has no other.")
    warn_caller(
        f"`{name}` was part of PyTorch's private API and not meant to be exposed; "
        "`secant.check(..., probe='full').jacobian()` has both Jacobians, with error bars.",
        FutureWarning,
    )


def get_analytical_jacobian(
    inputs: Any, output: torch.Tensor, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[tuple[torch.Tensor, ...], bool, bool, bool]:
    """Return the Jacobians of an output that autograd claims, one (inputs, outputs) for each input.

    The three flags say whether asking twice gives the same within `nondet_tol`, whether every
    gradient has its input's size, and whether it has its dtype.
    """
    _warn_of_private_name("get_analytical_jacobian", grad_out)
    if output.is_complex():
        raise ValueError("Expected output to be non-complex: its Jacobian has two parts.")
    wanted = [value for value in as_tuple(inputs) if wants_gradient(value)]
    pulled = [[_row(output, wanted, k) for k in range(output.numel())] for _ in range(2)]
    pairs = [(one, leaf) for row in pulled[0] for one, leaf in zip(row, wanted, strict=True)]
    has_sizes = all(one is None or one.shape == leaf.shape for one, leaf in pairs)
    has_dtypes = all(one is None or one.dtype == leaf.dtype for one, leaf in pairs)
    first, second = ([_stacked(rows, k, leaf) for k, leaf in enumerate(wanted)] for rows in pulled)
    is_repeated = all(
        not a.numel() or bool((a - b).abs().max() <= nondet_tol)
        for a, b in zip(first, second, strict=True)
    )
    return tuple(first), is_repeated, has_sizes, has_dtypes


def _row(
    output: torch.Tensor, inputs: Sequence[torch.Tensor], place: int
) -> tuple[torch.Tensor | None, ...]:
    unit = torch.zeros_like(output, memory_format=torch.contiguous_format)
    unit.view(-1)[place] = 1.0
    return torch.autograd.grad(output, inputs, unit, retain_graph=True, allow_unused=True)


def _stacked(
    rows: Sequence[Sequence[torch.Tensor | None]], place: int, leaf: torch.Tensor
) -> torch.Tensor:
    """Return one input's gradients as columns, zero where a gradient is absent or does not fit."""
    jacobian = torch.zeros(leaf.numel(), len(rows), dtype=leaf.dtype)
    for column, row in enumerate(rows):
        gradient = row[place]
        if gradient is not None and gradient.numel() == leaf.numel():
            dense = gradient if gradient.layout is torch.strided else gradient.to_dense()
            jacobian[:, column] = dense.reshape(-1)
    return jacobian


def numerical_jacobian(
    fn: Callable[..., Any],
    inputs: Any,
    target: Any,
    grad_out: float,
    measure: Callable[[Callable[..., Any], torch.Tensor], Any],
) -> list[torch.Tensor]:
    """Return what `measure` finds for each leaf, some outputs at a time, put together."""
    _warn_of_private_name("get_numerical_jacobian", grad_out)
    leaves = as_tuple(inputs if target is None else target)

    def output(place: int, leaf: Any) -> torch.Tensor:
        given = inputs if target is not None else (*leaves[:place], leaf, *leaves[place + 1 :])
        flat: torch.Tensor = as_tuple(fn(given))[0].reshape(-1)
        return flat

    jacobians = []
    for place, leaf in enumerate(leaves):
        if not wants_gradient(leaf):
            continue
        columns, step = [], _TALL * max(1, leaf.numel())
        for start in range(0, output(place, leaf).numel(), step):
            piece = functools.partial(_piece, output, place, slice(start, start + step))
            matrix = torch.from_numpy(measure(piece, leaf).T.copy())  # (inputs, outputs)
            is_complex = leaf.is_complex()
            columns.append(torch.complex(matrix[0::2], matrix[1::2]) if is_complex else matrix)
        jacobians.append(torch.cat(columns, dim=1).to(leaf.dtype))
    return jacobians


_TALL = 8  # more outputs than this for each input are asked about in mixtures


def _piece(output: Callable[..., torch.Tensor], place: int, some: slice, leaf: Any) -> torch.Tensor:
    return output(place, leaf)[some]

"""PyTorch: what a tensor is, how it is copied, and how its users spell things.

Conjugation: torch's gradient of a complex input is ∂L/∂a + i ∂L/∂b, and ⟨v, w⟩ = Re(v̄ w).
Read as pairs (real, imaginary) that is Jᵀ v in real coordinates, so nothing is conjugated here.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import torch

from ..arithmetic import chunked
from ..base import Array, Backend, Signature
from .arrays.algebra import TorchAlgebra
from .arrays.dtypes import TorchDtypes, is_inexact, like_layout
from .arrays.patterns import SPARSE
from .arrays.sparse import TorchSparse, address, uncoalesced
from .arrays.unusable import TorchUnusable
from .autodiff.derivatives import TorchDerivatives
from .modules.unfold import TorchModules
from .processes.backend import TorchProcesses
from .state import TorchGenerator, TorchModes
from .targets import TorchTargets
from .versions.lift import widened
from .versions.versions import TorchVersions

_make: Any = tuple.__new__  # without the call of Python's that a named tuple makes
_Tensor, _STRIDED = torch.Tensor, torch.strided  # asked for at every evaluation
_DENSE = torch.strided, torch._mkldnn  # type: ignore[attr-defined]
_ROUNDOFF = {
    torch.float64: 2.0**-53,
    torch.complex128: 2.0**-53,
    torch.float32: 2.0**-24,
    torch.complex64: 2.0**-24,
    torch.float16: 2.0**-11,
    torch.complex32: 2.0**-11,
    torch.bfloat16: 2.0**-8,
}


class TorchBackend(
    TorchAlgebra,
    TorchDerivatives,
    TorchDtypes,
    TorchUnusable,
    Backend,
):
    """PyTorch, as secant sees it."""

    name = "torch"
    joins_same_arrays = True
    modules = TorchModules()
    sparse = TorchSparse()
    versions = TorchVersions()
    modes = TorchModes()
    generator = TorchGenerator()
    processes = TorchProcesses()
    targets = TorchTargets()

    # -- what a value is -------------------------------------------------------------------------

    is_array: Any = torch.Tensor.__instancecheck__  # `isinstance`, without a call of Python's

    def is_complex(self, array: Array) -> bool:
        return bool(array.dtype.is_complex)

    def is_dense(self, array: Array) -> bool:
        return array.layout in _DENSE and not array.is_nested

    def can_be_output(self, array: Array) -> bool:
        return array.layout is torch.strided or array.layout in SPARSE

    wants_gradient: Any = operator.attrgetter("requires_grad")  # asked often: no call of Python's

    def signature(self, array: Array) -> Signature:
        signature: Signature = _make(
            Signature, (array.shape, array.dtype, array.device, array.layout)
        )
        return signature

    def has_signature(self, array: Array, signature: Signature) -> bool:
        is_like: bool = (
            isinstance(array, _Tensor)
            and array.dtype is signature.dtype
            and array.shape == signature.shape
            and array.device == signature.device
            and array.layout is signature.layout
        )
        return is_like

    def roundoff(self, array: Array) -> float:
        known = _ROUNDOFF.get(array.dtype)
        return torch.finfo(array.dtype).eps / 2 if known is None else known

    stamp: Any = operator.attrgetter("_version")

    def is_equal(self, one: Array, other: Array) -> bool:
        if isinstance(one, np.ndarray):
            return chunked.is_equal(one, other)
        if one.dtype == torch.complex32:  # torch cannot compare these
            one, other = torch.view_as_real(one), torch.view_as_real(other)
        if torch.equal(one, other):
            return True
        if not is_inexact(one) or one.shape != other.shape:
            return False
        return bool(torch.all((one == other) | (one.isnan() & other.isnan())))

    # -- copies ----------------------------------------------------------------------------------

    def copy(self, array: Array) -> Array:
        copied = like_layout(array.detach().clone(), array)
        cast = getattr(array, "grad_dtype", array.dtype) if array.is_leaf else array.dtype
        if cast is not array.dtype:  # what the engine casts its gradients to
            copied.grad_dtype = cast
        return copied

    def as_kind(self, array: Array, reference: Array) -> Array:
        return array.real if array.is_complex() else array.to(reference.dtype)

    def scattered(self, array: Array) -> Array:
        if array.layout is not torch.strided:
            return uncoalesced(array)
        # dimensions in reverse order of storage, a gap after every entry
        if type(array) is torch.Tensor and array.dtype is torch.float64 and array.is_cpu:
            gaps = np.empty((*array.shape[::-1], 2))
            gaps.fill(np.nan)
            numbers = gaps[..., 0].T
            numbers[...] = array.numpy(force=True)
            return torch.from_numpy(numbers)
        gaps = array.new_full((*array.shape[::-1], 2), torch.nan)
        spread = gaps.select(-1, 0)
        if spread.ndim > 1:
            spread = spread.mT if spread.ndim == 2 else spread.permute(_backwards(spread))
        return spread.copy_(array)

    def expanded(self, array: Array) -> Array:
        if array.layout is not torch.strided:
            return array  # what is stored has memory of its own
        return array.reshape(-1)[:1].clone().reshape(()).expand(array.shape)

    def widened(self, array: Array) -> Array:
        wide = widened(array.detach())
        return like_layout(wide, array) if array.layout is wide.layout else wide

    def is_marked(self, array: Array) -> bool:
        return type(array) is not torch.Tensor and isinstance(array, torch.nn.Parameter)

    def marked_like(self, value: Array, array: Array) -> Array:  # noqa: ARG002
        value._is_param = True  # what torch itself goes by: the record of the value stays
        return value

    detached: Any = operator.methodcaller("detach")

    def shares_memory(self, one: Array, other: Array) -> bool:
        is_plain = type(one) is type(other) is _Tensor
        if is_plain and one.layout is other.layout is _STRIDED:
            is_one: bool = one.data_ptr() == other.data_ptr()
            return is_one
        return address(one) == address(other)

    # -- words -----------------------------------------------------------------------------------

    def dtype_name(self, array: Array) -> str:
        return str(array.dtype).removeprefix("torch.")


def _backwards(array: torch.Tensor) -> tuple[int, ...]:
    return tuple(range(array.ndim - 1, -1, -1))

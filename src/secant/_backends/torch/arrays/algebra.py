"""PyTorch's vectors: NumPy in main memory, tensors on a device.

There, and where they are long, they are of float32 where the value is of no more: memory is what is
short, and moves and differences of such numbers are numbers of float32.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import torch

from ...arithmetic import counting as memory_counting
from ...arithmetic.algebra import Algebra, Array
from ...arithmetic.counting import LONG, StreamKey
from ...arithmetic.magnitudes import Magnitudes, magnitudes_of, read_at_once
from ...arithmetic.pieces import VectorInChunks
from .counting import signed_magnitudes
from .dtypes import is_wrapper

_WORK = torch.float64
_Tensor, _STRIDED = torch.Tensor, torch.strided  # asked for at every evaluation
_NUMPYS = {torch.float64: np.float64, torch.float32: np.float32}
_from_numpy: Any = torch.from_numpy
_SMALL = 1 << 10  # entries of arrays of which one of a kind is kept


class TorchAlgebra(Algebra):
    """How tensors become vectors, and where these are."""

    namespace: ClassVar[Any] = torch

    def flatten(self, array: Array) -> Array:
        if type(array) is _Tensor and array.dtype is _WORK and array.layout is _STRIDED:
            if array.is_cpu:
                return array.numpy(force=True).reshape(-1)
        elif array.layout is not _STRIDED:
            array = array.to_dense()
        return _at_work(array).reshape(-1)

    def unflatten(self, vector: Array, reference: Array) -> Array:
        is_usual = type(reference) is torch.Tensor and reference.dtype is _WORK
        if is_usual and type(vector) is np.ndarray and reference.layout is torch.strided:
            wide: torch.Tensor = _from_numpy(vector.astype(np.float64, copy=False))
            return wide.reshape(reference.shape)
        if type(reference) is not torch.Tensor or reference.layout is not torch.strided:
            return _like(self._plain(vector, reference), reference)
        return self._plain(vector, reference)

    def kind(self, array: Array) -> tuple[Any, ...] | None:
        is_plain = type(array) is _Tensor and array.layout is _STRIDED and not array.is_nested
        if is_plain and array.is_cpu and array.numel() <= _SMALL:
            return array.shape, array.stride(), array.dtype
        return None

    def maker(self, reference: Array) -> Callable[[Array], Array]:
        if not _is_usual(reference) or reference.numel() >= LONG:
            return functools.partial(self.unflatten, reference=reference)
        shape = reference.shape
        return lambda vector: _from_numpy(vector.reshape(shape))

    def reader(self, reference: Array) -> Callable[[Any], Array | None] | None:
        shape = reference.shape

        def read(array: Any) -> Array | None:
            if (
                type(array) is _Tensor
                and array.dtype is _WORK
                and array.shape == shape
                and array.layout is _STRIDED
                and array.is_cpu
            ):
                return array.numpy(force=True).reshape(-1)
            return None

        return read

    def _plain(self, vector: Array, reference: Array) -> torch.Tensor:
        dtype = reference.dtype
        if dtype is _WORK and isinstance(vector, np.ndarray):
            wide: torch.Tensor = _from_numpy(vector.astype(np.float64, copy=False))
            return wide.reshape(reference.shape)
        if dtype.is_complex:
            tensor = _as_tensor(vector.reshape(*reference.shape, 2))
            return torch.view_as_complex(tensor.to(dtype.to_real()))
        tensor = _as_tensor(vector.reshape(reference.shape))
        return tensor.to(dtype)

    def as_real(self, array: Array) -> Array:
        if array.layout != torch.strided:
            array = array.to_dense()
        if is_wrapper(array):
            array = unwrapped(array)
        return torch.view_as_real(array.detach().resolve_conj())

    def flatten_batch(self, batch: Array) -> Array:
        batch = batch.detach()
        if batch.dtype.is_complex:
            batch = torch.view_as_real(batch.resolve_conj())
        return _at_work(batch).reshape(batch.shape[0], -1)

    def unflatten_batch(self, rows: Array, reference: Array) -> Array:
        tensor = _as_tensor(rows)
        if reference.dtype.is_complex:
            shape = (tensor.shape[0], *reference.shape, 2)
            return torch.view_as_complex(tensor.reshape(shape).to(reference.dtype.to_real()))
        return tensor.reshape(tensor.shape[0], *reference.shape).to(reference.dtype)

    def is_exact(self, array: Array) -> bool:
        return array.dtype in (torch.float64, torch.complex128)

    def vector(self, numbers: np.ndarray[Any, Any], reference: Array) -> Array:
        if reference.is_cpu:
            return numbers
        return torch.from_numpy(numbers).to(reference.device, _work_of(reference))

    def zeros(self, size: int, reference: Array) -> Array:
        if is_numpys(reference):
            return np.zeros(size, _NUMPYS[_work_of(reference)])
        return torch.zeros(size, dtype=_work_of(reference), device=reference.device)

    def signed_magnitudes(self, key: StreamKey, size: int, grain: float, reference: Array) -> Array:
        if is_numpys(reference):
            return memory_counting.signed_magnitudes(key, size, grain)
        return signed_magnitudes(key, size, grain, reference.device, _work_of(reference))

    def plus(self, vector: Array, factor: float, other: Array) -> Array:
        if isinstance(vector, np.ndarray):
            return Algebra.plus(self, vector, factor, other)
        if not isinstance(other, VectorInChunks):
            return torch.add(vector, other, alpha=factor)
        move = other.whole(torch)
        return torch.add(vector, move, alpha=factor, out=move)

    def add(self, vector: Array, factor: float, other: Array) -> Array:
        if isinstance(vector, np.ndarray):
            vector += other * factor
            return vector
        return vector.add_(other, alpha=factor)

    def magnitudes(self, vector: Array) -> Magnitudes:
        if isinstance(vector, np.ndarray):
            return magnitudes_of(np, vector, self.dot)
        return read_at_once(torch, vector) or magnitudes_of(torch, vector, self.dot)

    def rounding(self, reference: Array) -> Callable[[Array], Array] | None:
        if type(reference) is not torch.Tensor or reference.layout is not torch.strided:
            return None
        dtype = reference.dtype.to_real() if reference.dtype.is_complex else reference.dtype
        return functools.partial(_rounded, dtype)

    def to_numpy(self, vector: Array) -> np.ndarray[Any, Any]:
        if isinstance(vector, np.ndarray):
            return np.asarray(vector, np.float64)
        return np.asarray(vector.detach().to(_WORK).cpu().numpy())


def _is_usual(array: Any) -> bool:
    """Say whether it is a plain tensor of float64 in main memory."""
    is_double = type(array) is torch.Tensor and array.dtype is _WORK
    return is_double and array.is_cpu and array.layout is torch.strided


def _at_work(array: torch.Tensor) -> Any:
    """Return an array's numbers to work with: NumPy's in main memory, torch's own on a device."""
    if type(array) is not torch.Tensor and is_wrapper(array):
        array = unwrapped(array)
    work = array if array.dtype is _WORK else array.detach().to(_work_of(array))
    return work.numpy(force=True) if is_numpys(array) else work.detach()


def _rounded(dtype: torch.dtype, vector: Array) -> Array:
    rounded = _as_tensor(vector).to(dtype)
    if isinstance(vector, np.ndarray):
        return rounded.to(_as_tensor(vector).dtype).numpy()
    return rounded.to(vector.dtype)


def is_numpys(reference: torch.Tensor) -> bool:
    """Say whether vectors of such an array are NumPy's."""
    return reference.is_cpu


def _work_of(reference: torch.Tensor) -> torch.dtype:
    """Return the dtype of vectors: short ones in main memory are of float64, whatever they are."""
    is_wide = reference.dtype in (torch.float64, torch.complex128)
    is_whole = not (reference.is_floating_point() or reference.is_complex())
    is_short = is_numpys(reference) and reference.numel() < LONG
    return _WORK if is_wide or is_whole or is_short else torch.float32


def unwrapped(array: torch.Tensor) -> torch.Tensor:
    """Return the entries of a wrapper, read as any operator reads them, in a plain tensor."""
    plain = torch.empty(array.shape, dtype=array.dtype, device=array.device)
    with torch.no_grad():
        plain.copy_(array.detach())
    return plain


def _like(plain: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
    """Return the same entries as a tensor of the reference's own class and layout."""
    if reference.layout is torch._mkldnn:  # type: ignore[attr-defined]
        return plain.to_mkldnn()
    alike = reference.detach().clone()
    with torch.no_grad():
        alike.copy_(plain)
    return alike


def _as_tensor(numbers: Any) -> torch.Tensor:
    return torch.from_numpy(numbers) if isinstance(numbers, np.ndarray) else numbers

"""PyTorch's vectors: NumPy in main memory, tensors on a device.

There they are of float32 where the value is of no more: memory is what a device is short of, and
moves and differences of such numbers are numbers of float32.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from .. import counting as memory_counting
from .. import vectors as memory
from ..algebra import Algebra, Array, Excess, Magnitudes
from ..counting import Key
from .counting import signed_magnitudes
from .sums import chunks, dot, root_of_squares, total

_WORK = torch.float64
_SHORT = memory._CHUNK


class TorchAlgebra(Algebra):
    """Coordinate arithmetic on tensors."""

    def flatten(self, array: Array) -> Array:
        is_usual = type(array) is torch.Tensor and array.dtype is _WORK and array.is_cpu
        if is_usual and array.layout is torch.strided:
            return array.numpy(force=True).reshape(-1)
        if array.layout is not torch.strided:
            array = array.to_dense()
        return _at_work(array).reshape(-1)

    def unflatten(self, vector: Array, reference: Array) -> Array:
        is_usual = type(reference) is torch.Tensor and reference.dtype is _WORK
        if is_usual and type(vector) is np.ndarray and reference.layout is torch.strided:
            return torch.from_numpy(vector.reshape(reference.shape))
        if type(reference) is not torch.Tensor or reference.layout is not torch.strided:
            return _like(self._plain(vector, reference), reference)
        return self._plain(vector, reference)

    def _plain(self, vector: Array, reference: Array) -> torch.Tensor:
        dtype = reference.dtype
        if dtype is _WORK and isinstance(vector, np.ndarray):
            return torch.from_numpy(vector.reshape(reference.shape))
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

    def stack(self, vectors: Sequence[Array]) -> Array:
        in_memory = isinstance(vectors[0], np.ndarray)
        return np.stack(list(vectors)) if in_memory else torch.stack(list(vectors))

    def join(self, matrices: Sequence[Array]) -> Array:
        in_memory = isinstance(matrices[0], np.ndarray)
        return np.concatenate(list(matrices)) if in_memory else torch.cat(list(matrices))

    def rows_with(self, vector: Array, places: Sequence[int], values: Array | float) -> Array:
        if isinstance(vector, np.ndarray):
            return memory.rows_with(vector, places, values)
        rows = vector.repeat(len(places), 1)
        index = torch.as_tensor(places, device=vector.device)
        rows[torch.arange(len(places), device=vector.device), index] = values
        return rows

    def select(self, vector: Array, places: Sequence[int]) -> Array:
        if isinstance(vector, np.ndarray):
            return vector[places]
        return vector[torch.as_tensor(places, device=vector.device)]

    def vector(self, numbers: np.ndarray[Any, Any], reference: Array) -> Array:
        if reference.is_cpu:
            return numbers
        return torch.from_numpy(numbers).to(reference.device, _work_of(reference))

    def zeros(self, size: int, reference: Array) -> Array:
        if reference.is_cpu:
            return np.zeros(size)
        return torch.zeros(size, dtype=_work_of(reference), device=reference.device)

    def signed_magnitudes(self, key: Key, size: int, grain: float, reference: Array) -> Array:
        if reference.is_cpu:
            return memory_counting.signed_magnitudes(key, size, grain)
        return signed_magnitudes(key, size, grain, reference.device, _work_of(reference))

    def to_numpy(self, vector: Array) -> np.ndarray[Any, Any]:
        if isinstance(vector, np.ndarray):
            return vector
        return np.asarray(vector.detach().to(_WORK).cpu().numpy())

    # -- numbers ---------------------------------------------------------------------------------

    # In main memory short vectors come by the million: what `memory` does with them stands here.

    def dot(self, one: Array, other: Array) -> float:
        if isinstance(one, np.ndarray):
            return float(one.dot(other)) if one.size <= _SHORT else memory.dot(one, other)
        product = float(dot(one, other))
        if math.isfinite(product) or torch.float32 not in (one.dtype, other.dtype):
            return product
        return float(dot(one.to(_WORK), other.to(_WORK)))  # products may be beyond float32

    def total(self, vector: Array) -> float:
        if isinstance(vector, np.ndarray):
            return float(vector.sum(dtype=np.float64))
        return float(total(vector))

    def distance(self, one: Array, factor: float, other: Array) -> float:
        if isinstance(one, np.ndarray):
            return memory.distance(one, factor, other)
        return root_of_squares(lambda c: factor * one[c] - other[c], one)

    def is_multiple(self, one: Array, factor: float, other: Array) -> bool:
        if isinstance(one, np.ndarray):
            if one.size <= _SHORT and (factor * one).tobytes() == other.tobytes():
                return True
            return memory.is_multiple(one, factor, other)
        return one.shape == other.shape and all(
            torch.allclose(factor * one[c], other[c], rtol=0.0, atol=0.0, equal_nan=True)
            for c in chunks(one)
        )

    def norm_of_product(self, one: Array, other: Array) -> float:
        if isinstance(one, np.ndarray):
            if one.size > _SHORT:
                return memory.norm_of_product(one, other)
            product = one * other
            return math.sqrt(product.dot(product))
        return root_of_squares(lambda c: one[c] * other[c], one)

    def norm(self, vector: Array) -> float:
        if isinstance(vector, np.ndarray):
            return math.sqrt(vector.dot(vector)) if vector.size <= _SHORT else memory.norm(vector)
        return root_of_squares(lambda c: vector[c], vector)

    def largest(self, vector: Array) -> float:
        if isinstance(vector, np.ndarray):
            return memory.largest(vector)
        return float(torch.linalg.vector_norm(vector, torch.inf)) if vector.numel() else 0.0

    def magnitudes(self, vector: Array) -> Magnitudes:
        if isinstance(vector, np.ndarray):
            return memory.magnitudes(vector)
        sizes = abs(vector)
        is_counted = (sizes > 0) & torch.isfinite(sizes)
        largest = float(torch.where(is_counted, sizes, 0.0).max()) if sizes.numel() else 0.0
        if not largest:
            return Magnitudes(1.0, 1.0, 1.0)
        smallest = float(torch.where(is_counted, sizes, torch.inf).min())
        square = torch.where(is_counted, sizes / largest, 0.0).square().sum(dtype=_WORK)
        typical = largest * float(torch.sqrt(square / is_counted.sum()))
        return Magnitudes(typical, largest, smallest)

    def is_finite(self, vector: Array) -> bool:
        if isinstance(vector, np.ndarray):
            is_short = vector.size <= _SHORT
            return (is_short and math.isfinite(vector.dot(vector))) or memory.is_finite(vector)
        if math.isfinite(float(total(vector))):  # one pass proves it
            return True
        return bool(torch.isfinite(vector).all())

    def finite_mask(self, vector: Array) -> Array:
        if isinstance(vector, np.ndarray):
            return np.isfinite(vector) * 1.0
        return torch.isfinite(vector).to(vector.dtype)

    def where_finite(self, vector: Array) -> Array:
        if isinstance(vector, np.ndarray):
            return memory.where_finite(vector)
        return torch.nan_to_num(vector, nan=0.0, posinf=0.0, neginf=0.0)

    def absolute(self, vector: Array) -> Array:
        return abs(vector)

    def apart(self, one: Array, other: Array) -> Array:
        in_memory = isinstance(one, np.ndarray)
        apart = abs(one - other)
        apart[~(np.isfinite(one) if in_memory else torch.isfinite(one))] = 0.0
        return apart

    def larger(self, one: Array, other: Array) -> Array:
        return (np.maximum if isinstance(one, np.ndarray) else torch.maximum)(one, other)

    def excess(self, one: Array, other: Array, share: float, free: Array | float) -> Excess:
        if isinstance(one, np.ndarray):
            return memory.excess(one, other, share, free)
        most = [
            _excess(one[c], other[c], share, free[c] if isinstance(free, torch.Tensor) else free)
            for c in chunks(one)
        ]
        return Excess(*torch.stack(most).amax(0).tolist())

    def copysign(self, sizes: Array, signs: Array) -> Array:
        in_memory = isinstance(sizes, np.ndarray)
        return np.copysign(sizes, signs) if in_memory else torch.copysign(sizes, signs)


def _excess(
    one: torch.Tensor, other: torch.Tensor, share: float, free: torch.Tensor | float
) -> torch.Tensor:
    apart, allowed = abs(one - other), share * abs(one) + free
    ratio = torch.where(apart == 0, 0.0, apart / allowed)
    return torch.stack([ratio.max(), apart.max(), allowed.max()])


def _at_work(array: torch.Tensor) -> Any:
    """Return an array's numbers to work with: NumPy's in main memory, torch's own on a device."""
    if type(array) is not torch.Tensor and is_wrapper(array):
        array = unwrapped(array)
    if not array.is_cpu:
        return array.detach().to(_work_of(array))
    wide = array if array.dtype is _WORK else array.detach().to(_WORK)
    return wide.numpy(force=True)


def _work_of(reference: torch.Tensor) -> torch.dtype:
    """Return the dtype of vectors on a device."""
    is_wide = reference.dtype in (torch.float64, torch.complex128)
    is_whole = not (reference.is_floating_point() or reference.is_complex())
    return _WORK if is_wide or is_whole else torch.float32


def is_wrapper(array: torch.Tensor) -> bool:
    """Say whether a tensor is of a class that only knows of its entries by dispatch."""
    kind: Any = type(array)
    return kind is not torch.Tensor and kind.__torch_dispatch__ is not _NOT_DISPATCHED


_NOT_DISPATCHED: Any = torch.Tensor.__torch_dispatch__


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
    kindred = reference.detach().clone()
    with torch.no_grad():
        kindred.copy_(plain)
    return kindred


def _as_tensor(numbers: Any) -> torch.Tensor:
    return torch.from_numpy(numbers) if isinstance(numbers, np.ndarray) else numbers

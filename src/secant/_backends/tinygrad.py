"""tinygrad: lazy tensors whose graph is their record, differentiated by `Tensor.gradient`.

A graph is made of hash-consed nodes, so a leaf is told by its own node. Reading numbers computes
them and leaves the graph as it is. There is no forward mode: pushes are pulls of pulls, which are
graphs like any other. Complex numbers do not exist here.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
from tinygrad import Device, Tensor, dtypes

from .._errors import said_by
from .base import Array, Backend, Numbers, Signature

_KNOWN: dict[Any, np.dtype[Any]] = {
    dtypes.float16: np.dtype(np.float16),
    dtypes.float32: np.dtype(np.float32),
    dtypes.float64: np.dtype(np.float64),
}
_leaves: weakref.WeakSet[Any] = weakref.WeakSet()  # nodes that are to be differentiated


class TinygradGenerator:
    """The seeds and counters from which `Tensor.rand` and its like draw, one for each device."""

    def random_state(self) -> Any:
        counters = Tensor._device_rng_counters
        counts = {device: _count(counter) for device, counter in counters.items()}
        return Tensor._seed, dict(Tensor._device_seeds), counts

    def same_random_state(self, one: Any, other: Any) -> bool:
        return (one[0], one[1].keys(), one[2]) == (other[0], other[1].keys(), other[2])

    def rewind(self, state: Any) -> None:
        if self.same_random_state(self.random_state(), state):
            return
        Tensor._seed, Tensor._device_seeds = state[0], dict(state[1])
        Tensor._device_rng_counters = {
            device: Tensor(count, device=device, dtype=dtypes.uint32)
            for device, count in state[2].items()
        }


def _count(counter: Any) -> list[int]:
    """Return how many numbers were drawn, in two words; read where they lie, if they do.

    Every check asks this, also of other frameworks' functions, and `tolist` walks a graph.
    """
    lying = counter.uop.base.realized
    if lying is None or counter.uop is not counter.uop.base:
        return list(counter.tolist())
    words = np.frombuffer(lying.as_memoryview(allow_zero_copy=True), np.uint32)
    return [int(word) for word in words]


class TinygradBackend(Backend):
    """tinygrad, as secant sees it."""

    name = "tinygrad"
    marks = False
    generator = TinygradGenerator()

    def is_array(self, value: object) -> bool:
        return isinstance(value, Tensor)

    def numbers(self, array: Array) -> Numbers:
        if array.device is None:  # a constant is nowhere: let it be computed where others are
            array = self.from_numbers(np.zeros((), self.dtype(array)), None) + array
        numbers: Numbers = array.numpy()
        return numbers

    def from_numbers(self, numbers: Numbers, reference: Array | None) -> Array:
        device = None if reference is None else reference.device
        flat = Tensor(np.array(numbers).reshape(-1), device=device)  # of no axis: a constant
        return flat.reshape(numbers.shape).realize()

    def leaf(self, array: Array) -> Array:
        made = self.from_numbers(self.numbers(array), array)
        _leaves.add(made.uop)
        return made

    def is_attached(self, array: Array) -> bool:
        return any(node in _leaves for node in array.uop.toposort())

    def pull(
        self,
        outputs: Sequence[Array],
        inputs: Sequence[Array],
        cotangents: Sequence[Array],
        *,
        differentiable: bool = False,
    ) -> list[Array | None]:
        sums: list[Array | None] = [None] * len(inputs)
        for output, cotangent in zip(outputs, cotangents, strict=True):
            behind = output.uop.toposort()
            reached = [k for k, leaf in enumerate(inputs) if leaf.uop in behind]
            if not reached:
                continue
            pulled = output.gradient(*(inputs[k] for k in reached), gradient=cotangent)
            for k, gradient in zip(reached, pulled, strict=True):
                before = sums[k]
                sums[k] = gradient if before is None else before + gradient
        if differentiable:
            return sums
        return [None if one is None else self.detached(one) for one in sums]

    # -- tinygrad's own ways -----------------------------------------------------------------------

    push = Backend.push_by_pulls

    def is_inexact(self, array: Array) -> bool:
        return bool(dtypes.is_float(array.dtype))

    def depended_on(self, outputs: Sequence[Array], arrays: Sequence[Array]) -> list[bool]:
        behind = {node for output in outputs for node in output.uop.toposort()}
        return [array.uop in behind for array in arrays]

    def dtype(self, array: Array) -> np.dtype[Any]:
        known = _KNOWN.get(array.dtype)
        return np.dtype(array.dtype.fmt or "V") if known is None else known

    def signature(self, array: Array) -> Signature:
        return Signature(tuple(array.shape), array.dtype, array.device or Device.DEFAULT, "dense")

    def on_device(self, array: Array, device: Any) -> Array:
        return array.to(device).realize()

    def shares_memory(self, one: Array, other: Array) -> bool:  # noqa: ARG002 nothing is overwritten
        return False

    def unusable(self, array: Array) -> str:
        if dtypes.is_float(array.dtype) and array.dtype not in _KNOWN:
            return f"is of {array.dtype}, which NumPy has not: cast it to float32"
        return ""

    def is_unsupported(self, error: BaseException) -> bool:
        is_ours = isinstance(error, NotImplementedError)
        return is_ours or "failed to compute gradient" in said_by(error)

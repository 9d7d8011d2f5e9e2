"""PyTorch's derivatives: autograd pulls, dual tensors push, vmap batches."""

from __future__ import annotations

import contextlib
import functools
import operator
import warnings
from collections.abc import Callable, Collection, Sequence
from typing import Any, ClassVar

import torch
from torch._vmap_internals import _vmap
from torch.autograd import forward_ad
from torch.utils.hooks import RemovableHandle

from ...._errors import said_by
from ...arithmetic.algebra import Array
from ...interface.borrowed import Borrowed
from ..state import leave_levels_later
from .blame import is_about_layouts, is_about_limits, pull_any_layout, raising_operation
from .borrowed import BorrowedTensors, ancestry, can_be_borrowed
from .rules import rules_behind

_UNSUPPORTED = (
    "not implemented",
    "does not support",
    "not differentiable",
    "vmap",
    "incompatible with .grad()",  # a reentrant checkpoint
)
_engine: Any = getattr(torch.autograd.Variable._execution_engine, "run_backward", None)


class _Silenced(torch.autograd.Function):
    """The identity, whose backward says nothing: what stands before it gets no cotangent."""

    @staticmethod
    def forward(ctx: Any, value: torch.Tensor) -> torch.Tensor:  # noqa: ARG004 torch's signature
        return value.view_as(value) if value.layout is torch.strided else value.clone()

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> None:  # noqa: ARG004 torch's signature
        return None


class TorchDerivatives:
    """What autograd and forward mode say."""

    def leaf(self, array: Array) -> Array:
        if array.requires_grad:
            array = array.detach()
        return array.requires_grad_(True)

    def pull(
        self,
        outputs: Sequence[Array],
        inputs: Sequence[Array],
        cotangents: Sequence[Array],
        *,
        differentiable: bool = False,
    ) -> list[Array | None]:
        is_plain = _engine is not None
        for output, cotangent in zip(outputs, cotangents, strict=True):
            if cotangent.layout is not torch.strided:
                return pull_any_layout(outputs, inputs, cotangents, differentiable=differentiable)
            is_plain = is_plain and type(output) is torch.Tensor  # no class of its own
        answer: Sequence[Array | None]
        if is_plain:
            # what `autograd.grad` calls after checks that hold here: half its time on small ones
            answer = _engine(
                tuple(outputs), tuple(cotangents), True, differentiable, tuple(inputs),
                allow_unreachable=True, accumulate_grad=False,
            )  # fmt: skip
        else:
            answer = torch.autograd.grad(
                outputs,
                inputs,
                cotangents,
                retain_graph=True,
                create_graph=differentiable,
                allow_unused=True,
            )
        return list(map(_dense, answer, inputs)) if differentiable else list(answer)

    def pull_nothing(
        self, outputs: Sequence[Array], inputs: Sequence[Array], absent: Collection[int]
    ) -> list[Array | None]:
        silence: Any = _Silenced.apply
        silenced = [silence(one) if k in absent else one for k, one in enumerate(outputs)]
        return self.pull(silenced, inputs, [torch.zeros_like(output) for output in outputs])

    def has_own_rules(self, outputs: Sequence[Array]) -> bool:
        return bool(ancestry(outputs, ()).has_own_rules)

    def hooks_registered(self) -> int:
        return RemovableHandle.next_id

    def depended_on(self, outputs: Sequence[Array], arrays: Sequence[Array]) -> list[bool] | None:
        return ancestry(outputs, arrays).depends

    ancestry = staticmethod(ancestry)

    def borrowed(self, arrays: Sequence[Array]) -> Borrowed | None:
        return BorrowedTensors(arrays) if all(map(can_be_borrowed, arrays)) else None

    def pull_batch(
        self, output: Array, inputs: Sequence[Array], cotangents: Array
    ) -> list[Array | None]:
        leave_levels_later()
        reached: list[int] = []

        def pull_one(cotangent: Array) -> tuple[Array, ...]:
            gradients = self.pull([output], inputs, [cotangent])
            reached[:] = [k for k, gradient in enumerate(gradients) if gradient is not None]
            return tuple(gradient for gradient in gradients if gradient is not None)

        try:
            answers = dict(zip(reached, self.map_batch(pull_one, cotangents), strict=False))
        except RuntimeError:  # autograd's own batching knows a few operators that vmap does not
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return list(
                    torch.autograd.grad(
                        output,
                        inputs,
                        cotangents,
                        retain_graph=True,
                        allow_unused=True,
                        is_grads_batched=True,
                    )
                )
        return [answers.get(k) for k in range(len(inputs))]

    def push(
        self,
        call: Callable[[Sequence[Array]], Sequence[Array]],
        values: Sequence[Array],
        tangents: Sequence[Array | None],
    ) -> list[Array | None]:
        pushed = _push(call, values, tangents)
        return [None if tangent is None else tangent.detach() for tangent in pushed]

    def push_batch(
        self,
        call: Callable[[Sequence[Array]], Sequence[Array]],
        values: Sequence[Array],
        part: int,
        tangents: Array,
    ) -> list[Array | None]:
        reached: list[int] = []

        def push_one(tangent: Array) -> tuple[Array, ...]:
            given = [tangent if k == part else None for k in range(len(values))]
            pushed = _push(call, values, given)
            reached[:] = [k for k, one in enumerate(pushed) if one is not None]
            return tuple(one for one in pushed if one is not None)

        # the vmap behind `autograd.grad(is_grads_batched=True)`: the public one has no dual tensors
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answers = dict(zip(reached, _vmap(push_one)(tangents), strict=False))
        return [answers.get(k) for k in range(max(answers, default=-1) + 1)]

    def map_batch(
        self, call: Callable[[Array], tuple[Array, ...]], batch: Array
    ) -> tuple[Array, ...]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outputs: tuple[Array, ...] = torch.func.vmap(call, randomness="same")(batch)
        return outputs

    raising_operation = staticmethod(raising_operation)
    rules_behind = staticmethod(rules_behind)

    is_attached: Any = operator.attrgetter("requires_grad")

    misfits: ClassVar[tuple[str, ...]] = ("invalid gradient", "shape", "number of gradients")

    def is_unsupported(self, error: BaseException) -> bool:
        text = said_by(error)
        return (
            isinstance(error, NotImplementedError)
            or any(phrase in text for phrase in _UNSUPPORTED)
            or is_about_layouts(error)
            or is_about_limits(error)
        )


def _dense(gradient: Array | None, leaf: Array) -> Array | None:
    """Return the gradient of a dense leaf as a dense one: what is differentiated next is dense."""
    if gradient is None or gradient.layout is leaf.layout or leaf.layout is not torch.strided:
        return gradient
    return gradient.to_dense()


def _push(
    call: Callable[[Sequence[Array]], Sequence[Array]],
    values: Sequence[Array],
    tangents: Sequence[Array | None],
) -> list[Array | None]:
    _load_forward_mode()
    is_inside = forward_ad._current_level >= 0  # a process of a group that is pushed as a whole
    if not is_inside:
        leave_levels_later()
    make: Any = forward_ad.make_dual
    unpack: Any = forward_ad.unpack_dual
    with contextlib.nullcontext() if is_inside else forward_ad.dual_level():
        duals = [
            value if tangent is None else make(value, tangent)
            for value, tangent in zip(values, tangents, strict=True)
        ]
        return [unpack(output).tangent for output in call(duals)]


@functools.cache
def _load_forward_mode() -> None:
    """Let torch load its forward rules, which warns of its own deprecations, in silence."""
    make: Any = forward_ad.make_dual
    with warnings.catch_warnings(), forward_ad.dual_level():
        warnings.simplefilter("ignore")
        make(torch.zeros(1), torch.zeros(1))

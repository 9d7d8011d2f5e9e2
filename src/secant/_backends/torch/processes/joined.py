"""The function of a whole group as one that autograd knows: its backward asks the group to pull."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import optree
import torch
from torch.autograd import forward_ad

from ...containers import NAMESPACE
from ...interface.modules import Unfolded
from ...interface.processes import Ask, Asked, Stack

_AS_IT_IS = contextlib.nullcontext()


class _Group(torch.autograd.Function):
    """One call of a group's function, or one pull through it that can be pulled again."""

    @staticmethod
    def forward(ctx: Any, ask: Ask, *given: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        asked = _recorded(ask, given)
        ctx.asked = asked
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*given)
        silent = zip(asked.arrays, asked.attached, strict=True)
        ctx.mark_non_differentiable(*(one for one, has in silent if one is not None and not has))
        return tuple(asked.arrays)

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor | None) -> Any:
        asked: Asked = ctx.asked
        for one in cotangents:
            if one is not None and (_is_batched(one) or _is_legacy_batched(one)):
                # before anybody is asked: who gets one that is no batch would pull, and wait
                raise NotImplementedError("collectives cannot be batched")
        if not torch.is_grad_enabled():
            return (None, *_recorded(asked.pull, cotangents, False).arrays)
        present = [k for k, one in enumerate(cotangents) if one is not None]
        given = ctx.saved_tensors

        def pull(values: Sequence[torch.Tensor]) -> Asked:
            every: list[torch.Tensor | None] = [None] * len(cotangents)
            for k, value in zip(present, values[len(given) :], strict=True):
                every[k] = value
            return asked.pull(every, True)

        apply: Any = _Group.apply
        return (None, *apply(pull, *given, *(cotangents[k] for k in present)))


def _recorded(ask: Callable[..., Asked], *given: Any) -> Asked:
    """Ask while torch records: each process makes a record of its own."""
    _set_recording(True)
    try:
        return ask(*given)
    finally:
        _set_recording(False)


_set_recording: Any = torch._C._set_grad_enabled  # `enable_grad` takes a dozen calls of Python's
_is_batched: Any = torch._C._functorch.is_batchedtensor
_is_legacy_batched: Any = torch._C._functorch.is_legacy_batchedtensor


class Joined(Unfolded):
    """A function of the leaves of all processes of a group, which are its parameters."""

    def __init__(
        self,
        name: str,
        names: Sequence[str],
        values: Sequence[torch.Tensor],
        ask: Ask,
        stacks: Callable[[], Sequence[Stack]],
    ) -> None:
        self.__name__ = name
        self.names = names
        self.parameters = values
        self.body = _nothing
        self._ask = ask
        self._stacks = stacks

    def __call__(self) -> Any:
        return self.call(self.parameters, (), {})

    def call(
        self,
        parameters: Sequence[torch.Tensor],
        positional: Sequence[Any],  # noqa: ARG002 all leaves are parameters
        named: Mapping[str, Any],  # noqa: ARG002
    ) -> Any:
        flat = self._answered(parameters)
        stacks = self._stacks()
        arrays = [
            flat[one.places[0]]
            if len(one.places) == 1
            else torch.stack([flat[k] for k in one.places])
            for one in stacks
        ]
        return GroupOutputs(arrays, tuple(one.path for one in stacks))

    def _answered(self, parameters: Sequence[torch.Tensor]) -> Sequence[Any]:
        """Ask the group: for its record in reverse mode, and for tangents in forward mode."""
        unpack: Any = forward_ad.unpack_dual
        make: Any = forward_ad.make_dual
        apply: Any = _Group.apply
        if forward_ad._current_level < 0:  # no tangents anywhere
            answered: Sequence[Any] = apply(self._ask, *parameters)
            return answered
        points, tangents = zip(*map(unpack, parameters), strict=True)
        if all(one is None for one in tangents):
            answered = apply(self._ask, *parameters)
            return answered
        asked = self._ask(points)
        both = zip(asked.arrays, asked.push(tangents), strict=True)
        return [one if tangent is None else make(one, tangent) for one, tangent in both]

    def holding(self, parameters: Sequence[torch.Tensor]) -> AbstractContextManager[None]:  # noqa: ARG002
        return _AS_IT_IS

    def shielded(self, leaf: Any) -> Any:
        return leaf

    def wants_shield(self, error: BaseException) -> bool:  # noqa: ARG002 nobody writes into them
        return False


def _nothing() -> None:
    """Take no inputs: what names them."""


class GroupOutputs:
    """What all processes of a group answer, each output under its path."""

    def __init__(self, arrays: Sequence[Any], paths: tuple[str, ...]) -> None:
        self.arrays = tuple(arrays)
        self.paths = paths


class _PathEntry(optree.PyTreeEntry):
    def codify(self, node: str = "") -> str:  # noqa: ARG002 a path says all there is to say
        return str(self.entry)


def _flattened(outputs: GroupOutputs) -> tuple[tuple[Any, ...], tuple[str, ...], tuple[str, ...]]:
    return outputs.arrays, outputs.paths, outputs.paths


def _rebuilt(paths: tuple[str, ...], arrays: Sequence[Any]) -> GroupOutputs:
    return GroupOutputs(arrays, paths)


@functools.cache
def know_outputs() -> None:
    """Let outputs of a group be a container."""
    register: Any = optree.register_pytree_node
    register(GroupOutputs, _flattened, _rebuilt, path_entry_type=_PathEntry, namespace=NAMESPACE)

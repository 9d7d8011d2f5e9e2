"""Modules whose parameters are gathered for a call and let go after it: FSDP's fully_shard.

They keep their shards to themselves, and leave gradients in `.grad` instead of handing them to
autograd. So the shards are moved in place for the time of a call, and a pull is one more call with
a backward of its own. Both end as FSDP's own training step does, with nothing gathered.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from ...containers import flatten, mapped
from ...interface.modules import Unfolded
from ...process.restoration import put_back_later
from ..modules.keeping import ModuleState


def sharded(function: Any) -> Sharded | None:
    """Return a module that FSDP has sharded as a function of its shards; None for any other."""
    fsdp: Any = sys.modules.get("torch.distributed.fsdp")
    if fsdp is None or not isinstance(function, torch.nn.Module):
        return None
    parts = [one for one in function.modules() if isinstance(one, fsdp.FSDPModule)]
    return Sharded(function, parts) if parts else None


class Sharded(Unfolded):
    """A module, its shards, and what holds them."""

    def __init__(self, module: torch.nn.Module, parts: Sequence[Any]) -> None:
        self._module = module
        self._parts = parts
        self._let_go()
        named = [(name, one) for name, one in module.named_parameters() if one.requires_grad]
        self.names = [name for name, _ in named]
        self.parameters: list[Any] = [one for _, one in named]
        self.body = module.forward
        self._shards = [_local(one) for one in self.parameters]
        self._before = [one.detach().clone() for one in self._shards]
        self._gradients = [one.grad for one in self.parameters]
        self._kept = ModuleState(module.modules(), module.parameters())
        self.notes = self._kept.remarks
        put_back_later(self._put_back)

    # -- one call --------------------------------------------------------------------------------

    def call(
        self, parameters: Sequence[Any], positional: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        shards = [_local(one) for one in parameters]
        leaves, _ = flatten((tuple(positional), dict(named)))
        inputs = [one for one in leaves if isinstance(one, torch.Tensor) and one.requires_grad]
        places = {id(one): k for k, one in enumerate(inputs)}
        answered: list[Any] = []

        def run(values: Sequence[torch.Tensor]) -> tuple[list[Any], Any]:
            given = mapped(
                lambda one: values[places[id(one)]] if id(one) in places else one,
                (tuple(positional), dict(named)),
            )
            answered[:] = [self._module(*given[0], **given[1])]
            return flatten(answered[0])

        apply: Any = _Step.apply
        outputs = iter(apply(self, run, len(inputs), *inputs, *shards))
        return mapped(
            lambda one: next(outputs) if isinstance(one, torch.Tensor) else one, answered[0]
        )

    @contextlib.contextmanager
    def holding(self, parameters: Sequence[Any]) -> Iterator[None]:  # noqa: ARG002 a pull does
        yield

    @contextlib.contextmanager
    def moved(self, shards: Sequence[torch.Tensor]) -> Iterator[None]:
        """Let the module hold other shards, and nothing else of what a step leaves behind."""
        try:
            self._kept.put_in()
            self._fill(shards)
            for parameter in self.parameters:
                parameter.grad = None
            yield
        finally:
            self._put_back()

    def gradients(self) -> list[torch.Tensor | None]:
        """Return what a backward has left in `.grad`."""
        return [None if one.grad is None else _local(one.grad) for one in self.parameters]

    def _fill(self, shards: Sequence[torch.Tensor]) -> None:
        with torch.no_grad():
            for shard, value in zip(self._shards, shards, strict=True):
                shard.detach().copy_(value.detach())

    def _let_go(self) -> None:
        for part in self._parts:
            part.reshard()

    def _put_back(self) -> None:
        self._let_go()
        self._kept.put_back()
        self._fill(self._before)
        for parameter, gradient in zip(self.parameters, self._gradients, strict=True):
            parameter.grad = gradient

    def shielded(self, leaf: Any) -> Any:
        return leaf.clone() if isinstance(leaf, torch.Tensor) and leaf.requires_grad else leaf

    def wants_shield(self, error: BaseException) -> bool:  # noqa: ARG002 it gets copies anyway
        return False


class _Step(torch.autograd.Function):
    """One call of a sharded module; its backward calls it again, and pulls that."""

    @staticmethod
    def forward(
        ctx: Any, sharded: Sharded, run: Callable[..., Any], count: int, *given: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        ctx.sharded, ctx.run, ctx.count = sharded, run, count
        ctx.save_for_backward(*given)
        with sharded.moved(given[count:]), torch.enable_grad():
            leaves, _ = run([one.detach().requires_grad_() for one in given[:count]])
            tensors = [one for one in leaves if isinstance(one, torch.Tensor)]
            silent = [one.detach().clone() for one in tensors]
        ctx.mark_non_differentiable(
            *(one for one, own in zip(silent, tensors, strict=True) if not own.requires_grad)
        )
        return tuple(silent)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *cotangents: torch.Tensor) -> Any:
        given = ctx.saved_tensors
        inputs = [one.detach().requires_grad_() for one in given[: ctx.count]]
        with ctx.sharded.moved(given[ctx.count :]), torch.enable_grad():
            leaves, _ = ctx.run(inputs)
            tensors = [one for one in leaves if isinstance(one, torch.Tensor)]
            asked = [
                (one, cotangent)
                for one, cotangent in zip(tensors, cotangents, strict=True)
                if one.requires_grad
            ]
            torch.autograd.backward(*map(list, zip(*asked, strict=True)))  # type: ignore[arg-type]
            shards = [None if one is None else one.clone() for one in ctx.sharded.gradients()]
        return (None, None, None, *(one.grad for one in inputs), *shards)


def _local(tensor: Any) -> Any:
    return tensor.to_local() if hasattr(tensor, "to_local") else tensor

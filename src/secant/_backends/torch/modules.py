"""PyTorch's modules as functions of their parameters.

Parameters are replaced in the tables that hold them, for the time of a call, so that
parametrisations and hooks run as they always do. Whatever a forward pass may write into, buffers,
tensors kept as attributes, attributes themselves, lists, hooks, is put back after it: every call
begins from the same state, and the user's module ends in it.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch.nn.parameter import is_lazy
from torch.nn.utils.parametrizations import _SpectralNorm
from torch.nn.utils.spectral_norm import SpectralNorm

from ..._errors import InputError
from ..algebra import Array
from ..modules import Call, Mapped, Unfolded
from ..seal import random_states

_LEAF_PHRASES = ("leaf Variable that requires grad", "leaf variable that requires grad")
_CONTAINERS = (list, dict, set, collections.OrderedDict, collections.deque)
_COMPILED = "_orig_mod."  # what compilation puts before a name
_STILL = "the power iteration of spectral norm is held still: its vectors are constants"
_PADDED = "the padding row of an embedding is held fixed: by contract it gets no gradient"


class TorchModules:
    """What the backend says about modules."""

    cast: Any  # the backend's own
    is_inexact: Any

    def is_module(self, function: object) -> bool:
        return isinstance(function, torch.nn.Module)

    def unfolded(self, function: Callable[..., Any]) -> Unfolded | None:
        return unfold(function) if isinstance(function, torch.nn.Module) else None

    def converted(self, function: Callable[..., Any], dtype: Any) -> Callable[..., Any]:
        if not isinstance(function, torch.nn.Module):
            return function
        twin: Callable[..., Any] = converted(
            function, lambda tensor: self.cast(tensor, dtype) if self.is_inexact(tensor) else tensor
        )
        return twin

    def record(
        self,
        function: Callable[..., Any],
        positional: Sequence[Any],
        named: Mapping[str, Any],
        mapped: Mapped,
    ) -> list[Call]:
        from .record import record  # asked for by few

        module: Any = function
        return record(module, unfold(module), positional, named, mapped, partial(random_states, self))  # type: ignore[arg-type]


def unfold(module: torch.nn.Module) -> TorchUnfolded:
    """Return a module as a function of its parameters, or say why that cannot be had."""
    if isinstance(module, torch.jit.ScriptModule):
        raise InputError(
            "expected a module whose parameters can be replaced; a scripted one keeps them to "
            "itself. Check the module before torch.jit.script or torch.jit.trace"
        )
    return TorchUnfolded(module)


class TorchUnfolded(Unfolded):
    """A module, and everything of it that a call may change."""

    def __init__(self, module: torch.nn.Module) -> None:
        self._module = module
        submodules = dict(module.named_modules())
        slots: dict[int, list[tuple[dict[str, Any], str]]] = {}
        found: dict[int, tuple[str, torch.Tensor]] = {}
        for path, submodule in submodules.items():
            for name, parameter in submodule._parameters.items():
                if parameter is None:
                    continue
                full = f"{path}.{name}" if path else name
                _refuse_uninitialised(full, parameter)
                if parameter.requires_grad:
                    found.setdefault(id(parameter), (full, parameter))
                    slots.setdefault(id(parameter), []).append((submodule._parameters, name))
            for name, buffer in submodule._buffers.items():
                if buffer is not None:
                    _refuse_uninitialised(f"{path}.{name}" if path else name, buffer)
        self.names = [name.replace(_COMPILED, "") for name, _ in found.values()]
        self.parameters = [parameter for _, parameter in found.values()]
        self.body = getattr(module, "_orig_mod", module).forward
        self._slots = [slots[key] for key in found]
        self._rows = dict(_padding_rows(submodules.values()))
        self._holders = [_Holder(submodule) for submodule in submodules.values()]
        self._copies = _Copies(submodules.values())
        norms = list(_spectral_norms(submodules.values()))
        self._still = [(norm, norm.n_power_iterations) for norm in norms]
        self.notes = [
            said
            for said, is_said in (
                (_STILL, any(iterations for _, iterations in self._still)),
                (_PADDED, bool(self._rows)),
            )
            if is_said
        ]

    @contextlib.contextmanager
    def holding(self, parameters: Sequence[Array]) -> Iterator[None]:
        try:
            for slots, parameter, own in zip(self._slots, parameters, self.parameters, strict=True):
                for table, name in slots:
                    row = self._rows.get(id(table)) if name == "weight" else None
                    table[name] = parameter if row is None else _padded(parameter, own, row)
            self._copies.put_in()
            for norm, _ in self._still:
                norm.n_power_iterations = 0
            yield
        finally:
            for norm, iterations in self._still:
                norm.n_power_iterations = iterations
            for holder in self._holders:
                holder.restore()
            self._copies.restore()

    def call(
        self, parameters: Sequence[Array], positional: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        with self.holding(parameters):
            return self._module(*positional, **named)

    def shielded(self, leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor) and leaf.requires_grad:
            return leaf.clone()
        return leaf

    def wants_shield(self, error: BaseException) -> bool:
        return any(phrase in str(error) for phrase in _LEAF_PHRASES)


class _Holder:
    """One submodule's attributes and the containers among them, to be put back."""

    def __init__(self, module: torch.nn.Module) -> None:
        self._attributes = module.__dict__
        self._before = dict(module.__dict__)
        containers = [value for value in self._before.values() if type(value) in _CONTAINERS]
        self._empty = [one for one in containers if not one]  # most of them: hooks nobody has set
        self._containers = [(one, copy.copy(one)) for one in containers if one]

    def restore(self) -> None:
        """Put back what a call has changed."""
        if not _is_same(self._attributes, self._before):
            self._attributes.clear()
            self._attributes.update(self._before)
        for container in self._empty:
            if container:
                container.clear()
        for container, before in self._containers:
            if not _is_same(container, before):
                _refill(container, before)


class _Copies:
    """Private copies of buffers and of tensors kept as attributes; and generators, rewound.

    A copy is used again until somebody has written into it.
    """

    def __init__(self, submodules: Any) -> None:
        self._slots: list[tuple[dict[str, Any], str, torch.Tensor]] = []
        self._generators: list[tuple[torch.Generator, torch.Tensor]] = []
        for submodule in submodules:
            for table in (submodule._buffers, submodule.__dict__):
                for name, value in table.items():
                    if isinstance(value, torch.Tensor) and not value.requires_grad:
                        self._slots.append((table, name, value))
                    elif isinstance(value, torch.Generator):
                        self._generators.append((value, value.get_state()))
        self._copied: dict[int, tuple[torch.Tensor, int]] = {}

    def put_in(self) -> None:
        """Put a copy where each tensor is; the same one where the tensor is the same."""
        for table, name, original in self._slots:
            kept, version = self._copied.get(id(original), (None, 0))
            if kept is None or kept._version != version:
                kept = original.detach().clone()
                self._copied[id(original)] = kept, kept._version
            table[name] = kept

    def restore(self) -> None:
        """Rewind the generators; the tensors are put back with the attributes."""
        for generator, state in self._generators:
            generator.set_state(state)


def converted(module: torch.nn.Module, cast: Callable[[Any], Any]) -> Any:
    """Return a deep copy of a module with `cast` applied to every tensor that it holds."""
    kept = {
        id(value): value.detach().clone()  # made by a hook at every call: torch does not copy it
        for submodule in module.modules()
        for value in submodule.__dict__.values()
        if isinstance(value, torch.Tensor) and not value.is_leaf
    }
    compiled = getattr(module, "_orig_mod", None)
    if compiled is not None:
        return torch.compile(converted(compiled, cast), **_how_compiled(module))
    twin: Any = copy.deepcopy(module, kept)
    twin._apply(cast)
    for submodule in twin.modules():
        for name, value in list(submodule.__dict__.items()):
            if isinstance(value, torch.Tensor):
                submodule.__dict__[name] = cast(value)
    return twin


def _how_compiled(module: Any) -> dict[str, Any]:
    backend = getattr(getattr(module, "dynamo_ctx", None), "callback", None)
    inner = getattr(backend, "_torchdynamo_orig_backend", None)
    return {} if inner is None else {"backend": inner}


def _refuse_uninitialised(name: str, tensor: Any) -> None:
    if is_lazy(tensor):
        raise InputError(
            f"expected a module whose parameters have shapes; {name} has none yet. Call the "
            "module once on its inputs: a lazy module takes its shapes from its first call"
        )


def _padding_rows(submodules: Any) -> Iterator[tuple[int, int]]:
    """Yield the tables of embeddings, by identity, and the row that is not to be learned."""
    for submodule in submodules:
        is_embedding = isinstance(submodule, (torch.nn.Embedding, torch.nn.EmbeddingBag))
        if is_embedding and submodule.padding_idx is not None:
            yield id(submodule._parameters), submodule.padding_idx


def _padded(parameter: torch.Tensor, own: torch.Tensor, row: int) -> torch.Tensor:
    """Return a parameter with one row as it was; what is claimed about the row still counts."""
    moved = parameter.detach()[row]
    fixed = own.detach()[row].to(moved.dtype)
    back = torch.zeros_like(parameter.detach()).index_put((torch.tensor(row),), fixed - moved)
    return parameter + back


def _spectral_norms(submodules: Any) -> Iterator[Any]:
    """Yield what iterates towards a largest singular value at every call in training."""
    for submodule in submodules:
        if isinstance(submodule, _SpectralNorm):
            yield submodule
        for hook in submodule._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm):
                yield hook


def _is_same(one: Any, other: Any) -> bool:
    """Say whether two containers hold the very same things in the same order."""
    if len(one) != len(other):
        return False
    if isinstance(one, dict):
        return all(map(operator.is_, one, other)) and all(
            map(operator.is_, one.values(), other.values())
        )
    return one == other if isinstance(one, set) else all(map(operator.is_, one, other))


def _refill(container: Any, before: Any) -> None:
    container.clear()
    (container.update if isinstance(container, (dict, set)) else container.extend)(before)

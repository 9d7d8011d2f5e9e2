"""PyTorch's modules as functions of their parameters.

Parameters are replaced in the tables that hold them, for the time of a call, so that
parametrisations and hooks run as they always do. Whatever else a forward pass may write into is
kept (`keeping.py`) and put back after it: every call begins from the same state, and the user's
module ends in it.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import FunctionType, MethodType
from typing import Any

import torch
from torch.nn.parameter import is_lazy
from torch.nn.utils.parametrizations import _SpectralNorm
from torch.nn.utils.spectral_norm import SpectralNorm

from ...._errors import InputError, said_by
from ...arithmetic.algebra import Array
from ...code import Code, code_of, common_steps
from ...interface.modules import Call, Keeping, Mapped, Modules, Unfolded
from ...process.restoration import put_back_later
from ..arrays.dtypes import cast, is_inexact
from .keeping import ModuleState

_LEAF_PHRASES = ("leaf Variable that requires grad", "leaf variable that requires grad")
_DEPTH = 3  # functions around functions, through which a module is looked for
_COMPILED = "_orig_mod."  # what compilation puts before a name
_STILL = "the power iteration of spectral norm is held still: its vectors are constants"
_PADDED = "the padding row of an embedding is held fixed: by contract it gets no gradient"


class TorchModules(Modules):
    """Modules of torch.nn."""

    def is_module(self, function: object) -> bool:
        return isinstance(function, (torch.nn.Module, Unfolded))

    def keeping(self, function: Callable[..., Any]) -> Keeping | None:
        modules = list(_modules_behind(function, _DEPTH))
        return ModuleState(modules).holding if modules else None

    def unfolded(self, function: Callable[..., Any]) -> Unfolded | None:
        one: Any = function
        if isinstance(one, Unfolded):
            return one
        return unfold(function) if isinstance(function, torch.nn.Module) else None

    def code_behind(self, function: Callable[..., Any], paths: Sequence[str]) -> Code | None:
        module = getattr(function, "__self__", None)
        if not isinstance(module, torch.nn.Module):
            return code_of(function)
        found: list[torch.nn.Module] = [module]
        for name in common_steps([path.split(".")[:-1] for path in paths]):
            inner = getattr(found[-1], name, None)
            if not isinstance(inner, torch.nn.Module):
                break
            found.append(inner)
        own = [one for one in found if not type(one).__module__.startswith("torch.")]
        return code_of(own[-1].forward) if own else None

    def converted(self, function: Callable[..., Any], dtype: Any) -> Callable[..., Any]:
        if not isinstance(function, torch.nn.Module):
            return function
        twin: Callable[..., Any] = converted(
            function, lambda tensor: cast(tensor, dtype) if is_inexact(tensor) else tensor
        )
        return twin

    def record(
        self,
        function: Callable[..., Any],
        positional: Sequence[Any],
        named: Mapping[str, Any],
        mapped: Mapped,
        states: Callable[[], Any],
    ) -> list[Call]:
        from .record import record  # asked for by few

        module: Any = function
        return record(module, unfold(module), positional, named, mapped, states)


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
        self._kept = ModuleState(submodules.values(), self.parameters)
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
        self.notes += self._kept.remarks
        put_back_later(self._let_go)

    @contextlib.contextmanager
    def holding(self, parameters: Sequence[Array]) -> Iterator[None]:
        try:
            self._hold(parameters)
            yield
        finally:
            self._let_go()

    def _hold(self, parameters: Sequence[Array]) -> None:
        for slots, parameter, own in zip(self._slots, parameters, self.parameters, strict=True):
            for table, name in slots:
                row = self._rows.get(id(table)) if name == "weight" else None
                table[name] = parameter if row is None else _padded(parameter, own, row)
        self._kept.put_in()
        for norm, _ in self._still:
            norm.n_power_iterations = 0

    def _let_go(self) -> None:
        for norm, iterations in self._still:
            norm.n_power_iterations = iterations
        self._kept.put_back()

    def call(
        self, parameters: Sequence[Array], positional: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        try:
            self._hold(parameters)
            return self._module(*positional, **named)
        finally:
            self._let_go()

    def shielded(self, leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor) and leaf.requires_grad:
            return leaf.clone()
        return leaf

    def wants_shield(self, error: BaseException) -> bool:
        return any(phrase in said_by(error) for phrase in _LEAF_PHRASES)


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


def _modules_behind(function: Any, depth: int) -> Iterator[torch.nn.Module]:
    """Yield the modules that a function is, is a method of, or has closed over."""
    if isinstance(function, torch.nn.Module):
        yield function
    elif isinstance(function, partial):
        for one in (function.func, *function.args, *function.keywords.values()):
            yield from _modules_behind(one, depth)
    elif isinstance(function, (FunctionType, MethodType)):
        if isinstance(function, MethodType):
            yield from _modules_behind(function.__self__, depth)
        for cell in function.__closure__ or () if depth else ():
            with contextlib.suppress(ValueError):  # nothing in it yet
                yield from _modules_behind(cell.cell_contents, depth - 1)


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

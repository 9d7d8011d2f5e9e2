"""The user's own tensors, moved in place and put back bit for bit.

They are written into through `.data`, as torch's own checker does: the version counters stay, so
that the record of an earlier call can still be pulled once the values are those of that call.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch.autograd import forward_ad

from ...._errors import InputError
from ...arithmetic.algebra import Array
from ...interface.autodiff import Ancestry
from ...interface.borrowed import Borrowed
from ..arrays.dtypes import is_wrapper, set_version

_WRITTEN_BY_HAND: Any = torch.autograd.function.BackwardCFunction
_ACCUMULATE: Any = torch._C._functions.AccumulateGrad  # type: ignore[attr-defined]


def ancestry(outputs: Sequence[torch.Tensor], tensors: Sequence[torch.Tensor]) -> Ancestry:
    """Say of each tensor whether the graph behind the outputs leads to it, and by what rules.

    A path ends at the first of them: what lies behind it is that tensor's own past.
    """
    has_own_rules = False
    ends: dict[Any, torch.Tensor] = {}
    found: set[int] = set()
    seen: set[Any] = set()
    edges: list[Any] = []
    for one in tensors:
        if one.grad_fn is not None:
            ends[one.grad_fn, one.output_nr] = one
    for one in outputs:
        has_own_rules = has_own_rules or bool(one._backward_hooks)
        if one.grad_fn is None:
            found.add(id(one))
        else:
            edges.append((one.grad_fn, one.output_nr))
    while edges:
        edge = edges.pop()
        node = edge[0]
        if ends and edge in ends:
            found.add(id(ends[edge]))
            continue
        if node is None or node in seen:
            continue
        seen.add(node)
        if type(node) is _ACCUMULATE:
            found.add(id(node.variable))
        else:
            has_own_rules = has_own_rules or isinstance(node, _WRITTEN_BY_HAND)
            edges.extend(node.next_functions)
    return Ancestry(list(map(found.__contains__, map(id, tensors))), has_own_rules)


def loose_ends(
    outputs: Sequence[torch.Tensor], inputs: Sequence[torch.Tensor]
) -> list[torch.Tensor]:
    """Return the leaves behind the outputs that are none of the inputs."""
    own = set(map(id, inputs))
    seen: set[Any] = {None}
    nodes = [one.grad_fn for one in outputs]
    ends: dict[int, torch.Tensor] = {}
    while nodes:
        node: Any = nodes.pop()
        if node in seen:
            continue
        seen.add(node)
        if type(node) is _ACCUMULATE:
            if id(node.variable) not in own:
                ends[id(node.variable)] = node.variable
        else:
            nodes.extend([one for one, _ in node.next_functions])
    return list(ends.values())


def can_be_borrowed(tensor: torch.Tensor) -> bool:
    """Say whether a tensor has memory of its own, an entry for each place, that may be written."""
    if tensor.is_inference():
        return False
    if tensor.layout is torch.strided:
        return not torch._debug_has_internal_overlap(tensor)
    return tensor.layout is not torch._mkldnn  # type: ignore[attr-defined]


class BorrowedTensors(Borrowed):
    """Tensors of the user; see the module's docstring."""

    def __init__(self, tensors: Sequence[torch.Tensor]) -> None:
        self._tensors = list(tensors)
        self._borrowed = [_State(one) for one in self._tensors]

    @contextlib.contextmanager
    def holding(self, values: Sequence[Array]) -> Iterator[None]:
        before = [_State(one) for one in self._tensors]
        try:
            for tensor, value in zip(self._tensors, values, strict=True):
                if value is not tensor:
                    _write(tensor, value)
                if not tensor.requires_grad:
                    tensor.requires_grad_(True)
            yield
        finally:
            for state in before:
                state.put_back()

    def kept(self, output: Array) -> Array:
        places = {_place(one) for one in self._tensors}
        return output.clone() if _place(output) in places else output

    def put_back(self) -> None:
        for state in self._borrowed:
            state.put_back()


class _State:
    """What a call may change about a tensor: its entries, its gradient, its mark."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self._tensor = tensor
        self._entries = _entries(tensor).clone()
        self._version = tensor._version
        self._is_marked = tensor.requires_grad
        self._gradient = tensor.grad if tensor.is_leaf else None
        self._slopes = None if self._gradient is None else _entries(self._gradient).clone()

    def put_back(self) -> None:
        tensor = self._tensor
        _entries(tensor).copy_(self._entries)
        if tensor._version != self._version:
            set_version(tensor, self._version)
        if tensor.requires_grad != self._is_marked:
            tensor.requires_grad_(self._is_marked)
        if not tensor.is_leaf:
            return
        if tensor.grad is not self._gradient:
            tensor.grad = self._gradient
        if self._gradient is not None:
            _entries(self._gradient).copy_(self._slopes)


def _entries(tensor: torch.Tensor) -> Any:
    """Return the entries that are stored, such that writing into them leaves no trace."""
    data = tensor.data
    if tensor.layout is torch.strided:
        return data
    return data._values() if tensor.layout is torch.sparse_coo else data.values()


def _place(tensor: torch.Tensor) -> int:
    """Return where the memory behind a tensor begins; a wrapper has its own place."""
    if is_wrapper(tensor):
        return id(tensor)
    entries = _entries(tensor)
    return int(entries.untyped_storage().data_ptr())


def _write(tensor: torch.Tensor, value: torch.Tensor) -> None:
    entries, wanted = _entries(tensor), _entries(value)
    if entries.shape != wanted.shape:
        raise InputError(
            "expected a sparse array that is read behind the arguments to keep its pattern; pass "
            "it through the arguments, or set masked=True"
        )
    unpack: Any = forward_ad.unpack_dual
    if forward_ad._current_level < 0 or unpack(value).tangent is None:
        entries.copy_(wanted)
        return
    version = tensor._version
    is_enabled = torch.is_grad_enabled()
    torch._C._set_grad_enabled(False)  # not torch.no_grad(): an interrupt may stop its way out
    try:
        tensor.copy_(value)  # which brings its tangent along
    finally:
        torch._C._set_grad_enabled(is_enabled)
        set_version(tensor, version)

"""The same operations on strided tensors, where autograd is known to be right.

A twin takes the strided tensor of all entries and gives the strided tensor of all outputs, partners
held fixed. Its gradient is the truth at every entry, stored or not, that does not change what is
stored elsewhere: what depends on the pattern itself (a softmax over stored entries) keeps it.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from sparse.operations import OPERATIONS, Case, Tensor
from sparse.tensors import make

__all__ = ["Twin", "pattern_of", "sparse_place", "twin"]

Twin = Callable[[torch.Tensor], torch.Tensor]
Maker = Callable[[Tensor, torch.Tensor, tuple[torch.Tensor, ...]], Twin]


def pattern_of(x: torch.Tensor) -> torch.Tensor:
    """Return which entries of the whole shape are stored."""
    if x.layout is torch.sparse_coo:
        whole = x.detach().coalesce()
        ones = torch.ones_like(whole.values(), dtype=torch.float64)
        stored = torch.sparse_coo_tensor(whole.indices(), ones, x.shape, check_invariants=True)
        return stored.to_dense() != 0
    whole = x.detach().clone()
    whole.values().fill_(1)
    return whole.to_dense() != 0


def sparse_place(inputs: tuple[torch.Tensor, ...]) -> int | None:
    """Return which of the leaves is sparse, None where the operation begins with strided ones."""
    places = [k for k, leaf in enumerate(inputs) if leaf.layout is not torch.strided]
    return places[0] if places else None


def twin(operation: str, tensor: Tensor, case: Case) -> Twin:
    """Return the strided twin of an operation of one sparse leaf."""
    partners = tuple(
        leaf.to_dense() for k, leaf in enumerate(case.inputs) if k != sparse_place(case.inputs)
    )
    return TWINS[operation](tensor, pattern_of(tensor.x), partners)


def _same(function: Twin) -> Maker:
    return lambda tensor, pattern, partners: function


def _with(function: Callable[..., torch.Tensor]) -> Maker:
    """A function of the tensor and its partners, whichever layout they have."""
    return lambda tensor, pattern, partners: lambda x: function(x, *partners)


def _mean(tensor: Tensor, pattern: torch.Tensor, partners: tuple[torch.Tensor, ...]) -> Twin:
    counts = pattern.sum(1, keepdim=True).clamp_min(1)
    return lambda x: x @ partners[0] / counts


def _amax(tensor: Tensor, pattern: torch.Tensor, partners: tuple[torch.Tensor, ...]) -> Twin:
    def function(x: torch.Tensor) -> torch.Tensor:
        products = x[:, :, None] * partners[0]
        return products.masked_fill(~pattern[:, :, None], -torch.inf).amax(1)

    return function


def _masked_along(function: Callable[..., torch.Tensor]) -> Maker:
    """Return a softmax over stored entries, zero at others."""

    def make_twin(
        tensor: Tensor, pattern: torch.Tensor, partners: tuple[torch.Tensor, ...]
    ) -> Twin:
        def along(x: torch.Tensor) -> torch.Tensor:
            answer = function(x.masked_fill(~pattern, -torch.inf), tensor.rows + 1)
            return torch.where(pattern, answer, 0)

        return along

    return make_twin


def _sampled(tensor: Tensor, pattern: torch.Tensor, partners: tuple[torch.Tensor, ...]) -> Twin:
    product = 2.0 * (partners[0] @ partners[1])
    return lambda x: torch.where(pattern, 0.5 * x + product, 0.5 * x)


def _tile(tensor: Tensor, pattern: torch.Tensor, partners: tuple[torch.Tensor, ...]) -> Twin:
    masked = OPERATIONS["sparse.sparse_mask"](tensor)
    kept = pattern_of(masked.function(*masked.inputs))
    return lambda x: torch.where(kept, x, 0)


def _transposed(tensor: Tensor, pattern: torch.Tensor, partners: tuple[torch.Tensor, ...]) -> Twin:
    return lambda x: x.transpose(tensor.rows, tensor.rows + 1)


def _summed(tensor: Tensor, pattern: torch.Tensor, partners: tuple[torch.Tensor, ...]) -> Twin:
    return lambda x: x.sum(tensor.rows + 1)


def _values(tensor: Tensor, pattern: torch.Tensor, partners: tuple[torch.Tensor, ...]) -> Twin:
    """Take the entries in the order of storage, which a tensor of their own places tells."""
    places = torch.arange(1.0, pattern.numel() + 1, dtype=torch.float64).reshape(pattern.shape)
    numbered = make(tensor.layout, tensor.kind, "float64").to_dense() * 0 + places
    ordered = OPERATIONS["values"](
        Tensor(_like(tensor.x, numbered), tensor.layout, tensor.kind, "float64")
    )
    order = ordered.function(*ordered.inputs).long() - 1
    return lambda x: x.reshape(-1)[order]


def _like(x: torch.Tensor, strided: torch.Tensor) -> torch.Tensor:
    """Return the entries of a strided tensor that the pattern of x stores."""
    return strided.sparse_mask(x.coalesce() if x.layout is torch.sparse_coo else x)


def identity(x: torch.Tensor) -> torch.Tensor:
    """Return the tensor: only its layout would change."""
    return x.clone()


TWINS: dict[str, Maker] = {
    **{name: _same(identity) for name in OPERATIONS if name.startswith(("to_dense", "to_sparse"))},
    "sparse.sparse_mask": _tile,
    "sparse @ strided": _with(lambda x, d: x @ d),
    "strided @ sparse": _with(lambda x, d: d @ x),
    "sparse @ vector": _with(lambda x, d: x @ d),
    "sparse.mm": _with(lambda x, d: x @ d),
    "sparse.mm(sum)": _with(lambda x, d: x @ d),
    "sparse.mm(mean)": _mean,
    "sparse.mm(amax)": _amax,
    "sampled_addmm": _sampled,
    "sparse.sum": _same(lambda x: x.sum()),
    "sparse.sum(dim)": _summed,
    "sum": _same(lambda x: x.sum()),
    "softmax": _masked_along(torch.softmax),
    "log_softmax": _masked_along(torch.log_softmax),
    "mul scalar": _same(lambda x: x * 1.25),
    "mul itself": _same(lambda x: x * x),
    "mul sparse": _with(lambda x, y: x * y),
    "mul strided": _with(lambda x, y: x * y),
    "add sparse": _with(lambda x, y: x + y),
    "add strided": _with(lambda x, y: x + y),
    "sin": _same(torch.sin),
    "neg": _same(torch.neg),
    "transpose": _transposed,
    "values": _values,
}

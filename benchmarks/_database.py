"""Torch's operator database as plain functions of the tensors they are differentiated in.

Takes a dtype, and gives one `Case` per sample: a function, its differentiated inputs, a name that
is the same in every run. Values depend on the seed and the operator's name alone, so that a run
over a few operators sees the same numbers as a run over all of them.
"""

from __future__ import annotations

import random
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeGuard

import numpy
import torch
from torch.utils import _pytree as pytree

with warnings.catch_warnings():  # importing the database is noisy, and none of it is about us
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_methods_invocations import op_db

__all__ = ["Case", "draw", "name_of", "operators", "recomposed", "samples"]

Tensors = torch.Tensor | tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class Case:
    """One sample of one operator: `function(*inputs)` gives its floating and complex outputs."""

    name: str  # "linalg.svd[0]", "std.unbiased[2]"
    operator: str  # the name without the sample's number
    function: Callable[..., Tensors]
    inputs: tuple[torch.Tensor, ...]  # all of them require a gradient
    size: int  # elements in all inputs together


def operators(dtype: torch.dtype, *, only: str = "", stride: int = 1) -> list[Any]:
    """The database's operators that claim a gradient in `dtype`, in the database's order.

    `only` keeps the names that contain it; `stride` then keeps every so many.
    """
    differentiable = [
        operator
        for operator in op_db
        if operator.supports_autograd
        and dtype in operator.supported_dtypes("cpu")
        and dtype in operator.supported_backward_dtypes("cpu")
        and only in name_of(operator)
    ]
    return differentiable[::stride]


def samples(
    dtype: torch.dtype = torch.float64,
    limit_per_operator: int = 3,
    *,
    only: str = "",
    stride: int = 1,
    seed: int = 1729,
) -> Iterator[Case]:
    """The first samples of every operator; a sample without differentiated inputs is left out."""
    for operator in operators(dtype, only=only, stride=stride):
        name = name_of(operator)
        for number, sample in enumerate(draw(operator, dtype, limit_per_operator, seed)):
            inputs, function = as_function(operator, sample)
            if inputs:
                size = sum(tensor.numel() for tensor in inputs)
                yield Case(f"{name}[{number}]", name, function, inputs, size)


def name_of(operator: Any) -> str:
    """The operator's name and, where the database has several entries of that name, its variant."""
    variant: str = operator.variant_test_name
    return f"{operator.name}.{variant}" if variant else str(operator.name)


def draw(operator: Any, dtype: torch.dtype, limit: int, seed: int) -> list[Any]:
    """The first `limit` samples of an operator, drawn at once.

    The database draws from the global generators while it is iterated, so whatever a caller did
    between two samples would change the second one; and the caller's generators are given back.
    """
    own_seed = (seed + zlib.crc32(name_of(operator).encode())) % 2**32
    python_state, numpy_state = random.getstate(), numpy.random.get_state()
    try:
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.manual_seed(own_seed)
            random.seed(own_seed)
            numpy.random.seed(own_seed)
            return list(islice(operator.sample_inputs("cpu", dtype, requires_grad=True), limit))
    finally:
        random.setstate(python_state)
        numpy.random.set_state(numpy_state)


def as_function(
    operator: Any, sample: Any
) -> tuple[tuple[torch.Tensor, ...], Callable[..., Tensors]]:
    """The tensors of a sample that require a gradient, and the operator as a function of them.

    Its outputs are the floating and complex ones, wherever they stood.
    """
    inputs, call = recomposed(operator, sample)

    def function(*inputs: torch.Tensor) -> Tensors:
        output = call(*inputs)
        if is_inexact(output):
            return output
        return tuple(leaf for leaf in pytree.tree_leaves(output) if is_inexact(leaf))

    function.__name__ = function.__qualname__ = name_of(operator)
    return inputs, function


def recomposed(operator: Any, sample: Any) -> tuple[tuple[torch.Tensor, ...], Callable[..., Any]]:
    """The tensors of a sample that require a gradient, and the operator called with them replaced.

    As in torch's own gradient tests: the wrapper keeps an input in the operator's domain
    (symmetric, triangular, masked), and the sample's post-processing takes away what is defined
    only up to a sign or an order, such as eigenvectors.
    """
    leaves, tree = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
    places = [place for place, leaf in enumerate(leaves) if is_differentiated(leaf)]

    def function(*inputs: torch.Tensor) -> Any:
        replaced = list(leaves)
        for place, tensor in zip(places, inputs, strict=True):
            replaced[place] = tensor
        first, others, keywords = pytree.tree_unflatten(replaced, tree)
        output = operator.gradcheck_wrapper(operator.op, first, *others, **keywords)
        if sample.output_process_fn_grad is not None:
            output = sample.output_process_fn_grad(output)
        return output

    function.__name__ = function.__qualname__ = name_of(operator)
    return tuple(leaves[place] for place in places), function


def is_inexact(leaf: object) -> TypeGuard[torch.Tensor]:
    """Whether a leaf is a floating or complex tensor."""
    return isinstance(leaf, torch.Tensor) and (leaf.is_floating_point() or leaf.is_complex())


def is_differentiated(leaf: object) -> bool:
    """Whether a leaf is a tensor that the sample asks a gradient of."""
    return isinstance(leaf, torch.Tensor) and leaf.requires_grad

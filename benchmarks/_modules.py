"""Torch's module database as questions: one module, built and fed, in training or in evaluation.

Takes nothing, and gives one `Question` per entry, mode and input, in the database's order. Values
depend on the seed and the entry's name alone. A lazy module has been called once.
"""

from __future__ import annotations

import copy
import random
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy
import torch
from torch.utils import _pytree as pytree

__all__ = ["Question", "entries", "name_of", "questions"]


@dataclass(frozen=True)
class Question:
    """A module and what it is called with; `order` 2 asks for the second derivative as well."""

    entry: str  # "nn.Linear"
    mode: str  # "training" or "evaluation"
    number: int  # of the input, as the database lists them
    order: int
    module: torch.nn.Module
    inputs: tuple[Any, ...]
    keywords: dict[str, Any]

    @property
    def name(self) -> str:
        """What it goes by: `nn.Linear training[3] order 2`."""
        return f"{self.entry} {self.mode}[{self.number}] order {self.order}"

    def as_function(self) -> tuple[Callable[..., Any], tuple[torch.Tensor, ...]]:
        """The module as torch's checker wants it: a function of tensors, parameters among them."""
        leaves, tree = pytree.tree_flatten((self.inputs, self.keywords))
        places = [k for k, leaf in enumerate(leaves) if is_differentiated(leaf)]
        names = [name for name, one in self.module.named_parameters() if one.requires_grad]
        tensors = [leaves[place].detach().requires_grad_() for place in places]
        tensors += [self.module.get_parameter(name).detach().requires_grad_() for name in names]

        with torch.random.fork_rng(devices=[]):
            before = torch.get_rng_state()
            with torch.no_grad():
                copy.deepcopy(self.module)(*self.inputs, **self.keywords)
            draws = not torch.equal(before, torch.get_rng_state())

        def function(*given: torch.Tensor) -> Any:
            replaced = list(leaves)
            for place, tensor in zip(places, given, strict=False):
                replaced[place] = tensor
            inputs, keywords = pytree.tree_unflatten(replaced, tree)
            state = dict(zip(names, given[len(places) :], strict=True))
            buffers = {name: one.clone() for name, one in self.module.named_buffers()}
            call: Any = torch.func.functional_call
            if not draws:
                output = call(self.module, {**state, **buffers}, inputs, keywords)
            else:  # a dropout that drops the same at every call
                with torch.random.fork_rng(devices=[]):
                    torch.manual_seed(0)
                    output = call(self.module, {**state, **buffers}, inputs, keywords)
            kept = [one for one in pytree.tree_leaves(output) if is_differentiated(one)]
            return tuple(kept)

        return function, tuple(tensors)


def is_differentiated(leaf: object) -> bool:
    """Whether a leaf is a tensor with a gradient."""
    return isinstance(leaf, torch.Tensor) and leaf.requires_grad


def entries() -> list[Any]:
    """The database's entries in float64; importing it takes seconds, so it is done here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_modules import module_db
    return [entry for entry in module_db if torch.float64 in entry.dtypes]


def name_of(entry: Any) -> str:
    """The entry's name."""
    return str(entry.name)


def questions(entry: Any, *, seed: int = 1729, stride: int = 1) -> Iterator[Question]:
    """Every input of an entry in both modes, to first order, and to second where it claims that."""
    for training in (True, False):
        mode = "training" if training else "evaluation"
        for number, (module, inputs, keywords) in enumerate(drawn(entry, training, seed)):
            if number % stride:
                continue
            for order in (1, 2) if entry.supports_gradgrad else (1,):
                yield Question(name_of(entry), mode, number, order, module, inputs, keywords)


def drawn(entry: Any, training: bool, seed: int) -> Iterator[tuple[Any, Any, Any]]:
    """Modules of an entry and what they are called with; the caller's generators are given back."""
    own_seed = (seed + zlib.crc32(name_of(entry).encode()) + training) % 2**32
    python_state, numpy_state = random.getstate(), numpy.random.get_state()
    try:
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.manual_seed(own_seed)
            random.seed(own_seed)
            numpy.random.seed(own_seed)
            made = list(
                entry.module_inputs_func(
                    entry, device="cpu", dtype=torch.float64, requires_grad=True, training=training
                )
            )
            built = [built_from(entry, one, training) for one in made if one.forward_input]
    finally:
        random.setstate(python_state)
        numpy.random.set_state(numpy_state)
    yield from built


def built_from(entry: Any, made: Any, training: bool) -> tuple[Any, Any, Any]:
    """One module in float64, in its mode, and its inputs."""
    constructor, given = made.constructor_input, made.forward_input
    module = entry.module_cls(*constructor.args, **constructor.kwargs).to(torch.float64)
    module.train(training)
    inputs, keywords = tuple(given.args), dict(given.kwargs)
    if any(torch.nn.parameter.is_lazy(one) for one in module.parameters()):
        module(*inputs, **keywords)
    return module, inputs, keywords

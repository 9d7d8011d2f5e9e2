"""A toy framework: NumPy arrays with reverse mode, differentiable as often as you like.

It exists to check the core without a real framework. A rule is a function of NumPy arrays together
with, for each argument, its pull: a function of variables, so that pulls can themselves be pulled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__version__ = "0"


class Variable:
    """An array, and how it was made."""

    def __init__(self, numbers: Any, parents: Sequence[tuple[Variable, Callable]] = ()):
        self.numbers = np.asarray(numbers)
        if self.numbers.dtype.kind != "f":
            self.numbers = self.numbers.astype(np.float64)
        self.parents = tuple(parents)  # (argument, its pull), only arguments that are traced
        self.is_leaf = False

    @property
    def is_traced(self) -> bool:
        return self.is_leaf or bool(self.parents)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.numbers.shape

    def __add__(self, other):
        return add(self, like(self, other))

    def __sub__(self, other):
        return add(self, like(self, other) * -1.0)

    def __mul__(self, other):
        return multiply(self, like(self, other))

    __radd__, __rmul__ = __add__, __mul__


def like(variable: Variable, other: Any) -> Variable:
    """Return `other` as a variable of the same shape and dtype."""
    if isinstance(other, Variable):
        return other
    return Variable(np.full_like(variable.numbers, other))


def leaf(numbers: Any) -> Variable:
    """Return a variable that is traced."""
    variable = Variable(numbers)
    variable.is_leaf = True
    return variable


def rule(forward: Callable, *pulls: Callable) -> Callable:
    """Make a function of variables from one of arrays and pulls (v, *arguments) -> gradient."""

    def apply(*arguments: Variable) -> Variable:
        parents = [
            (argument, lambda v, pull=pull: pull(v, *arguments))
            for argument, pull in zip(arguments, pulls, strict=True)
            if argument.is_traced
        ]
        return Variable(forward(*(argument.numbers for argument in arguments)), parents)

    return apply


add = rule(np.add, lambda v, x, y: v, lambda v, x, y: v)
multiply = rule(np.multiply, lambda v, x, y: v * y, lambda v, x, y: v * x)
sin = rule(np.sin, lambda v, x: v * cos(x))
cos = rule(np.cos, lambda v, x: v * sin(x) * -1.0)


def total(x: Variable) -> Variable:
    """Return the sum of all entries."""
    return rule(np.sum, lambda v, x: spread(v, x.shape))(x)


def spread(x: Variable, shape: tuple[int, ...]) -> Variable:
    """Return an array of this shape whose entries all equal the one of x."""
    return rule(lambda numbers: np.full(shape, numbers), lambda v, x: total(v))(x)


def pull(
    outputs: Sequence[Variable],
    inputs: Sequence[Variable],
    cotangents: Sequence[Variable],
    *,
    differentiable: bool = False,
) -> list[Variable | None]:
    """Return Jᵀ v for each input, None where no path leads to it."""
    gradients: dict[int, Variable] = {}
    for output, cotangent in zip(outputs, cotangents, strict=True):
        _collect(gradients, output, cotangent)
    for variable in _latest_first(outputs):
        if id(variable) in gradients:
            for parent, rule_pull in variable.parents:
                _collect(gradients, parent, rule_pull(gradients[id(variable)]))
    found = [gradients.get(id(variable)) for variable in inputs]
    if differentiable:
        return found
    return [None if one is None else Variable(one.numbers) for one in found]


def _collect(gradients: dict[int, Variable], variable: Variable, more: Variable) -> None:
    before = gradients.get(id(variable))
    gradients[id(variable)] = more if before is None else before + more


def _latest_first(outputs: Sequence[Variable]) -> list[Variable]:
    order: dict[int, Variable] = {}

    def visit(variable: Variable) -> None:
        if id(variable) not in order:
            for parent, _ in variable.parents:
                visit(parent)
            order[id(variable)] = variable

    for output in outputs:
        visit(output)
    return list(reversed(order.values()))

"""A torch program that is a few lines of Python: printed, run, and run in float64 without casts.

A `Program` holds the lines that make its leaves and constants and the lines of its function, all as
text; its function is that text, compiled. `planted` gives it one line with a backward of its own,
right or wrong.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 the name that programs use

from _program_steps import without_casts
from _wrong_rules import ruled

__all__ = ["DTYPES", "NAMES", "Line", "Program", "direction", "numbers", "planted", "widened"]

DTYPES = {
    "float64": torch.float64,
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
    "complex128": torch.complex128,
}


def numbers(
    seed: int, shape: Sequence[int], scale: float = 1.0, dtype: torch.dtype = torch.float64
) -> torch.Tensor:
    """Normal numbers that are the same on every machine."""
    draw = np.random.default_rng(seed)
    values = draw.standard_normal(tuple(shape))
    if dtype.is_complex:
        values = values + 1j * draw.standard_normal(tuple(shape))
    return torch.as_tensor(scale * values).to(dtype)


NAMES: dict[str, Any] = {"torch": torch, "F": F, "numbers": numbers, "ruled": ruled}
"""What a program's text may use."""


@dataclass(frozen=True)
class Line:
    """One line of a program: `name = expression`, which reads earlier names."""

    name: str
    expression: str
    rule: str = ""  # the mistake of its own backward, "" if it has none
    salt: int = 0

    def reads(self) -> list[str]:
        """The values it takes, in the order in which they stand."""
        return list(dict.fromkeys(re.findall(r"\b[ax]\d+\b", self.expression)))

    def __str__(self) -> str:
        if not self.rule:
            return f"{self.name} = {self.expression}"
        arguments = ", ".join(self.reads())
        wrapped = f"lambda {arguments}: {self.expression}"
        return f'{self.name} = ruled("{self.rule}", {self.salt}, {wrapped}, {arguments})'


@dataclass(frozen=True)
class Program:
    """Leaves, constants and lines; callable as the text that it prints."""

    name: str
    dtype: str
    leaves: tuple[tuple[str, str], ...]  # names, and the lines that make them
    constants: tuple[tuple[str, str], ...]
    lines: tuple[Line, ...]
    outputs: tuple[str, ...]

    @cached_property
    def namespace(self) -> dict[str, Any]:
        """What the text may use."""
        names = dict(NAMES)
        for _, made in (*self.leaves, *self.constants):
            exec(made, names)
        return names

    @property
    def inputs(self) -> tuple[torch.Tensor, ...]:
        """The point, as fresh leaves that require gradients."""
        return tuple(
            self.namespace[name].detach().clone().requires_grad_() for name, _ in self.leaves
        )

    @property
    def wide_inputs(self) -> tuple[torch.Tensor, ...]:
        """The same numbers in float64."""
        return tuple(one.detach().to(widened(one.dtype)).requires_grad_() for one in self.inputs)

    def body(self) -> str:
        """The function as text."""
        head = f"def program({', '.join(name for name, _ in self.leaves)}):"
        lines = [f"    {line}" for line in self.lines]
        return "\n".join([head, *lines, f"    return {', '.join(self.outputs)}"])

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function as it is."""
        return compiled(self.body(), dict(self.namespace))

    @cached_property
    def wide_function(self) -> Callable[..., Any]:
        """The function without its casts, its constants in float64: where the truth is read."""
        names = dict(self.namespace)
        for name, _ in self.constants:
            names[name] = names[name].to(widened(names[name].dtype))
        return compiled(without_casts(self.body()), names)

    def text(self) -> str:
        """All of it, ready to be run beside this module."""
        made = [line for _, line in (*self.leaves, *self.constants)]
        return "\n".join([*made, "", self.body()])

    @property
    def precision(self) -> float:
        """The coarsest round-off that it computes with, its casts inside included."""
        named = re.findall(r"torch\.(float32|float16|bfloat16)\)", self.body())
        dtypes = [DTYPES[self.dtype], *(DTYPES[name] for name in named)]
        return max(torch.finfo(dtype).eps for dtype in dtypes)


def widened(dtype: torch.dtype) -> torch.dtype:
    """The dtype of double precision that holds this one's numbers."""
    return torch.complex128 if dtype.is_complex else torch.float64


def compiled(text: str, names: dict[str, Any]) -> Callable[..., Any]:
    """The function that a program's text defines."""
    exec(text, names)
    function: Callable[..., Any] = names["program"]
    return function


def direction(seed: int, like: torch.Tensor) -> torch.Tensor:
    """A signed direction, magnitudes from a half to three halves, in the shape and dtype given."""
    return signed(seed, tuple(like.shape)).to(like.dtype)


@functools.lru_cache(maxsize=4096)
def signed(seed: int, shape: tuple[int, ...]) -> torch.Tensor:
    """A direction in float64, kept: nobody may write to it."""
    draw = np.random.default_rng([seed, *shape])
    return torch.as_tensor(draw.choice([-1.0, 1.0], shape) * draw.uniform(0.5, 1.5, shape))


def planted(program: Program, mistake: str, attempt: int = 0) -> Program:
    """The program with one line's backward replaced; its name and the attempt decide which."""
    told = f"{program.name} {mistake} {attempt}"
    salt = int.from_bytes(hashlib.sha256(told.encode()).digest()[:4], "big")
    place = salt % len(program.lines)
    line = replace(program.lines[place], rule=mistake, salt=salt % 1000)
    lines = (*program.lines[:place], line, *program.lines[place + 1 :])
    return replace(program, lines=lines)

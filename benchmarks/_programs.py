"""Random torch programs, each reproducible from a seed and an index.

Takes (seed, index) and gives a `Program` of one to ten lines whose gradient is right because every
line's is, finite at its point and nearby. What its gradient is, and whether it can be told at all,
is decided in `_program_truth`, without secant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from _program_steps import Held, draw_binary, draw_cast, draw_unary
from _program_text import DTYPES, NAMES, Line, Program, direction, widened

__all__ = ["draw_program"]

SHARES = (0.4, 0.2, 0.15, 0.1, 0.15)  # of the dtypes
DEEPEST = 10
LARGEST_VALUE = {"float16": 2e3, "bfloat16": 1e7}  # elsewhere 1e8
MOST_ENTRIES = 1500


def draw_program(seed: int, index: int) -> Program:
    """The program of this seed and index: drawn anew until one computes."""
    draw = np.random.default_rng([seed, index])
    dtype = str(draw.choice(list(DTYPES), p=SHARES))
    for _ in range(200):
        program = attempt(draw, dtype, f"{seed}:{index}")
        if program is not None:
            return program
    raise RuntimeError(f"no program could be drawn for seed {seed}, index {index}")


def attempt(draw: np.random.Generator, dtype: str, name: str) -> Program | None:
    """One attempt: None where nothing is left of it, or where it is not finite nearby."""
    draft = Draft.begin(draw, dtype)
    depth = int(draw.integers(1, DEEPEST + 1))
    for _ in range(20 * depth):
        if len(draft.lines) >= depth:
            break
        draft.add_line()
    draft.join_leaves()
    if dtype != "float16" and draw.random() < 0.1:
        draft.extend(f"{draft.pool[-1].name} * {draw.choice([1e-9, 1e-5, 1e3]):g}")
    if not draft.lines:
        return None
    program = pruned(draft.program(name))
    return program if program is not None and is_finite_nearby(program) else None


@dataclass
class Draft:
    """A program while it is drawn: its lines so far, and the values that a next one may read."""

    draw: np.random.Generator
    dtype: str
    kinks: float  # the share of elementwise lines with a corner
    casts: float
    leaves: list[tuple[str, str]]
    pool: list[Held]
    names: dict[str, Any]
    lines: list[Line] = field(default_factory=list)
    constants: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def begin(cls, draw: np.random.Generator, dtype: str) -> Draft:
        """Leaves, and for most of those that are not of size one a line that knows their units."""
        kinks, casts = float(draw.choice([0.0, 0.1, 0.5])), float(draw.choice([0.0, 0.0, 0.5]))
        count = int(draw.choice([1, 2, 3], p=[0.5, 0.3, 0.2]))
        zeros = 0.6 if kinks else 0.15
        widest = 40 if draw.random() < 0.2 else 5
        drawn = [
            draw_leaf(draw, f"x{number}", dtype, zeros=zeros, widest=widest)
            for number in range(count)
        ]
        names = dict(NAMES)
        for _, made, _ in drawn:
            exec(made, names)
        pool = [Held(name, names[name]) for name, _, _ in drawn]
        leaves = [(name, made) for name, made, _ in drawn]
        draft = cls(draw, dtype, kinks, casts, leaves, pool, names)
        for name, _, scale in drawn:
            if scale != 1 and draw.random() < 0.75:
                draft.extend(f"{name} * {1 / scale:g}")
        return draft

    def add_line(self) -> None:
        """Draw one more line, if what is drawn fits; the newest value is read most often."""
        draw, pool = self.draw, self.pool
        held = pool[-1] if draw.random() < 0.85 else pool[int(draw.integers(len(pool)))]
        luck = draw.random()
        expression: str | None
        if luck < 0.2 * self.casts:
            expression = draw_cast(draw, held)
        elif luck < 0.3 and len(pool) > 1:
            fresh = [one for one in pool if not self.is_read(one)]
            others = fresh if fresh and draw.random() < 0.7 else pool
            other = others[int(draw.integers(len(others)))]
            expression = draw_binary(draw, held, other, kinks=self.kinks)
        elif luck < 0.37:
            expression = self.draw_constant(held)
        else:
            expression = draw_unary(draw, held, kinks=self.kinks)
        if expression is not None:
            self.extend(expression)

    def join_leaves(self) -> None:
        """Let the last value depend on the leaves that nothing reads yet."""
        for leaf in self.pool[: len(self.leaves)]:
            for _ in range(3):
                expression = draw_binary(self.draw, self.pool[-1], leaf, kinks=self.kinks)
                if self.is_read(leaf) or expression is None:
                    break
                self.extend(expression)

    def is_read(self, held: Held) -> bool:
        """Whether some line reads a value."""
        return any(held.name in line.reads() for line in self.lines)

    def draw_constant(self, held: Held) -> str | None:
        """A product with a matrix that the program holds in its own dtype, as a module would."""
        is_alike = held.is_complex == DTYPES[self.dtype].is_complex
        if not (held.shape and is_alike and held.largest < 1e3):
            return None
        name, shape = f"w{len(self.constants)}", (held.shape[-1], int(self.draw.integers(1, 5)))
        made = f"{name} = numbers({self.salt()}, {shape}, 0.6, torch.{self.dtype})"
        exec(made, self.names)
        self.constants.append((name, made))
        return f"{held.name} @ {name}"

    def salt(self) -> int:
        """A seed for numbers."""
        return int(self.draw.integers(1 << 20))

    def extend(self, expression: str) -> None:
        """Add a line if it computes numbers of a bearable size."""
        name = f"a{len(self.lines)}"
        try:
            with torch.no_grad():
                value = eval(expression, self.names)
        except (RuntimeError, IndexError, TypeError, ValueError):
            return  # what was drawn does not exist for this shape or dtype
        if not 0 < value.numel() <= MOST_ENTRIES or not is_finite(value):
            return
        if float(value.abs().max()) > LARGEST_VALUE.get(self.dtype, 1e8):
            return
        self.names[name] = value
        self.lines.append(Line(name, expression))
        self.pool.append(Held(name, value))

    def program(self, name: str) -> Program:
        """What was drawn, with the last value as its output, and at times an earlier one."""
        outputs = [self.lines[-1].name]
        if len(self.lines) > 2 and self.draw.random() < 0.25:
            outputs.append(self.lines[int(self.draw.integers(len(self.lines) - 1))].name)
        return Program(
            name,
            self.dtype,
            tuple(self.leaves),
            tuple(self.constants),
            tuple(self.lines),
            tuple(outputs),
        )


def draw_leaf(
    draw: np.random.Generator, name: str, dtype: str, *, zeros: float, widest: int
) -> tuple[str, str, float]:
    """A leaf's name, the line that makes it, and its scale; exact zeros and ties in some."""
    axes = int(draw.choice([0, 1, 2, 3], p=[0.05, 0.35, 0.5, 0.1]))
    shape = tuple(int(one) for one in draw.integers(1, 6, size=axes))
    if shape:
        shape = (*shape[:-1], int(draw.integers(1, widest + 1)))
    least, most = (-2, 1) if dtype == "float16" else (-12, 6)
    scale = 1.0 if draw.random() < 0.5 else float(f"1e{int(draw.integers(least, most + 1))}")
    seed = int(draw.integers(1 << 20))
    made = f"{name} = numbers({seed}, {shape}, {scale:g}, torch.{dtype})"
    entries = int(np.prod(shape))
    if draw.random() < zeros:
        made += f"; {name}.view(-1)[{int(draw.integers(entries))}] = 0"
    if draw.random() < zeros / 2 and entries > 1:
        one, other = draw.choice(entries, 2, replace=False)
        made += f"; {name}.view(-1)[{one}] = {name}.view(-1)[{other}]"
    if axes > 1 and draw.random() < 0.1:
        made += f"; {name} = {name}.mT"
    return name, made, scale


def pruned(program: Program) -> Program | None:
    """Without lines, constants and leaves that no output reads; None where no leaf is left."""
    needed = set(program.outputs)
    kept = []
    for line in reversed(program.lines):
        if line.name in needed:
            kept.append(line)
            needed |= set(re.findall(r"\b[axw]\d+\b", line.expression))
    leaves = tuple(one for one in program.leaves if one[0] in needed)
    constants = tuple(one for one in program.constants if one[0] in needed)
    if not leaves:
        return None
    return replace(program, leaves=leaves, constants=constants, lines=tuple(reversed(kept)))


def is_finite_nearby(program: Program) -> bool:
    """Whether it computes finite numbers at the point and at moves of up to a hundredth."""
    for step in (0.0, 1e-2, -1e-2, 1e-4, -1e-4):
        moved = [
            (one + step * one.abs().max() * direction(place, one)).detach()
            for place, one in enumerate(program.inputs)
        ]
        wide = [one.to(widened(one.dtype)) for one in moved]
        with torch.no_grad():
            own, truth = program.function(*moved), program.wide_function(*wide)
        for values in (own, truth):
            outputs = values if isinstance(values, tuple) else (values,)
            if not all(is_finite(one) for one in outputs):
                return False
    return True


def is_finite(value: torch.Tensor) -> bool:
    """Whether all entries are."""
    return bool(torch.isfinite(value).all())

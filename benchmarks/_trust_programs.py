"""The trust benchmark's questions about random programs: right, wrong, and off by the resolution.

Takes a name, `part:seed:index`, makes the program again, and asks secant about it. Low precision is
asked with lifting and without.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

import _museum  # noqa: F401 for what follows
from _answers import Answer, ask
from _program_pulls import natural_sizes, pair_sizes
from _program_text import Program, planted
from _program_truth import ROUNDED, Truth, changed, least_change, truth_of
from _programs import draw_program
from _wrong_rules import MISTAKES
from wrong.spoiling import Entry, with_error

__all__ = ["ask_programs", "ask_resolution", "ask_wrong", "show_program"]


PLAIN = 0.3  # of the gradient's size: what may not pass in half precision alone


def least_told(program: Program, settings: Mapping[str, object]) -> float:
    """The change that may not pass: any that counts, a plain one in half precision alone."""
    return PLAIN if settings and program.precision > torch.finfo(torch.float32).eps else 0.0


def settings_of(dtype: str) -> dict[tuple[str, ...], dict[str, object]]:
    """The rows a dtype is asked in, with their settings: low precision with lifting and without."""
    if dtype in ("float64", "complex128"):
        return {(dtype,): {}}
    return {(dtype,): {}, (dtype, "lift=False"): {"lift": False}}


EXPECTED = {"right": "pass", "kink": "pass", "faint": "pass", "tie": "any", "rounded": "any"}


@functools.lru_cache(maxsize=64)
def drawn(seed: int, index: int) -> tuple[Program, Truth]:
    """A right program and its truth; several parts ask about the same one."""
    program = draw_program(seed, index)
    return program, truth_of(program)


def place_of(name: str) -> tuple[int, int]:
    """The seed and the index in a name."""
    _, seed, index, *_ = name.split(":")
    return int(seed), int(index)


def right_of(name: str) -> Program:
    """The right program of a name; a third of them have a line with a right backward of its own."""
    seed, index = place_of(name)
    program, _ = drawn(seed, index)
    return program if index % 3 else planted(program, "none")


def ask_programs(name: str) -> list[Answer]:
    """A right program, as its dtype is asked."""
    program, (seed, index) = right_of(name), place_of(name)
    _, truth = drawn(seed, index)
    natural = natural_sizes(program)
    sizes = {
        (output, leaf): size if size > ROUNDED * natural[leaf] else 0.0  # zero but for rounding
        for (output, leaf), size in pair_sizes(program.wide_function, program.wide_inputs).items()
    }
    return [
        ask(
            name,
            (truth.label, *row),
            EXPECTED[truth.label],
            program.function,
            program.inputs,
            sizes=sizes,
            seed=index,
            **settings,
        )
        for row, settings in settings_of(program.dtype).items()
    ]


RARE = ("term dropped", "transposed", "cotangent transposed", "mask forgotten")


@dataclass(frozen=True)
class Wrong:
    """A program with one wrong rule, and by what share of its size the gradient is changed."""

    program: Program
    mistake: str
    change: float


def wrong_of(name: str) -> Wrong | None:
    """The program with a wrong rule; None where none can be planted.

    Mistakes that few programs can make come first in every second one.
    """
    seed, index = place_of(name)
    right, truth = drawn(seed, index)
    if truth.label != "right":
        return None
    mistakes = [one for one in MISTAKES if one != "none"]
    turn = index % len(mistakes)
    mistakes = [*(RARE if index % 2 else ()), *mistakes[turn:], *mistakes[:turn]]
    for mistake in mistakes:
        for attempt in range(6 if mistake in RARE else 2):
            wrong = planted(right, mistake, attempt)
            change = changed(right, wrong)
            if change >= least_change(right, truth):
                return Wrong(wrong, mistake, change)
    return None


def ask_wrong(name: str) -> list[Answer]:
    """A program with one wrong rule inside; one in five is explained, which may not raise."""
    found = wrong_of(name)
    if found is None:
        return []
    wrong, (_, index) = found.program, place_of(name)
    return [
        ask(
            name,
            ("wrong", *row),
            "fail" if found.change >= least_told(wrong, settings) else "any",
            wrong.function,
            wrong.inputs,
            seed=index,
            explain=index % 5 == 0,
            **settings,
        )
        for row, settings in settings_of(wrong.dtype).items()
    ]


def entry_of(name: str, program: Program) -> Entry:
    """An entry of a program's Jacobian, drawn without looking."""
    draw = np.random.default_rng(place_of(name))
    values = program.function(*program.inputs)
    outputs = values if isinstance(values, tuple) else (values,)
    output, leaf = int(draw.integers(len(outputs))), int(draw.integers(len(program.leaves)))
    row = int(draw.integers(outputs[output].numel()))
    return Entry(output, leaf, row, int(draw.integers(program.inputs[leaf].numel())))


TIMES = (2.0, 20.0)  # the resolution


def ask_resolution(name: str) -> list[Answer]:
    """A program that passes, then with errors of multiples of its resolution in one entry."""
    program, (seed, index) = right_of(name), place_of(name)
    _, truth = drawn(seed, index)
    if truth.label != "right":
        return []
    entry = entry_of(name, program)
    answers = []
    for row, settings in settings_of(program.dtype).items():
        right = with_error(program.function, entry, 0.0)
        first = ask(name, row, "pass", right, program.inputs, seed=index, **settings)
        if first.verdict != "pass" or not first.resolution:
            continue
        for times in TIMES:
            wrong = with_error(program.function, entry, times * first.resolution)
            answers.append(
                ask(
                    f"{name}:{times:g}",
                    (f"{times:g} R", *row),
                    "fail",
                    wrong,
                    program.inputs,
                    seed=index,
                    explain=False,
                    **settings,
                )
            )
    return answers


def show_program(name: str) -> str:
    """A question about a program as Python."""
    part, *_ = name.split(":")
    if part == "wrong":
        found = wrong_of(name)
        if found is None:
            return "nothing could be planted"
        told = f"{found.mistake}: changes the gradient by {found.change:.2g} of its size"
        return f"# {told}\n{found.program.text()}"
    program = right_of(name)
    if part == "programs":
        return f"# {drawn(*place_of(name))[1]}\n{program.text()}"
    return f"# the error is planted at {entry_of(name, program)}\n{program.text()}"

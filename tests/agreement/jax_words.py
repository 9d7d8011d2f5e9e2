"""Both checkers of JAX's derivatives behind one call, their verdict in one word, and the record.

`QUESTIONS` are asked about every function of `_jax_functions`, in float32 with x64 off and in
float64 with x64 on. A word is "pass", "fail" for an AssertionError, "inconclusive" where secant
warns that it cannot tell, or "raises" and the class of the exception.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.test_util

from _jax_functions import FUNCTIONS, Case, arguments

__all__ = [
    "DTYPES",
    "QUESTIONS",
    "RECORD",
    "Asked",
    "asked",
    "read",
    "word_of_jax",
    "word_of_secant",
]

DTYPES = ("float32", "float64")
QUESTIONS: dict[str, tuple[int, tuple[str, ...]]] = {  # order and modes
    "reverse": (1, ("rev",)),
    "forward": (1, ("fwd",)),
    "second order": (2, ("rev",)),
}
RECORD = Path(__file__).with_name("jax_verdicts.json")


@dataclass(frozen=True)
class Asked:
    """One question about one function, in one dtype."""

    name: str
    dtype: str
    question: str

    @property
    def case(self) -> Case:
        """The function and its inputs."""
        return FUNCTIONS[self.name]

    def __str__(self) -> str:
        return f"{self.name} {self.dtype} {self.question}"


def asked(*, only: str = "", stride: int = 1) -> Iterator[Asked]:
    """Yield every question about every so many functions; the dear one about two in three."""
    twice = {name for place, name in enumerate(FUNCTIONS) if place % 3 != 2}
    names = [name for name in FUNCTIONS if only in name][::stride]
    for question in QUESTIONS:
        for dtype in DTYPES:
            for name in names:
                if question != "second order" or name in twice:
                    yield Asked(name, dtype, question)


def word_of_jax(one: Asked) -> tuple[str, str]:
    """Ask `jax.test_util.check_grads`, with its default tolerances.

    About the compiled function: op by op, second order alone would take an hour.
    """

    def check(function: Callable[..., Any], *rest: Any) -> None:
        jax.test_util.check_grads(jax.jit(function), *rest)

    return _word(one, check)


def word_of_secant(one: Asked) -> tuple[str, str]:
    """Ask the drop-in."""
    from secant.jax import check_grads

    return _word(one, check_grads)


def _word(one: Asked, check: Callable[..., None]) -> tuple[str, str]:
    """Return the word, and the first line of the message behind it."""
    order, modes = QUESTIONS[one.question]
    with jax.enable_x64(one.dtype == "float64"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            check(one.case.function, arguments(one.case, one.dtype), order, modes)
        except AssertionError as error:
            return "fail", _first_lines(error)
        except Exception as error:
            return f"raises {type(error).__name__}", _first_lines(error)
    told = [str(each.message) for each in caught if each.category.__name__ == "Undecided"]
    return ("inconclusive", _first_lines(told[0])) if told else ("pass", "")


def _first_lines(message: Any) -> str:
    lines = [line.strip() for line in str(message).splitlines() if line.strip()]
    return " | ".join(lines[:4])


def read() -> dict[str, Any]:
    """Return what JAX's checker said, and the version of JAX that it belongs to."""
    told: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return told

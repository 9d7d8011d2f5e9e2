"""The whole agreement with JAX: the drop-in's words beside those of `jax.test_util.check_grads`.

Asks secant every question that is on record, and gives a table of counts, every difference that
`jax_differences.toml` does not list, and every entry of it that nothing needed. The exit status is
1 if there is either.

    PYTHONPATH=tests:benchmarks python -m agreement.jax_run
    PYTHONPATH=tests:benchmarks python -m agreement.jax_run --only scipy --stride 3
    PYTHONPATH=tests:benchmarks python -m agreement.jax_run --record  # ask JAX again first
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax

from _running import Progress, positive
from agreement.jax_words import (
    DTYPES,
    QUESTIONS,
    RECORD,
    Asked,
    asked,
    read,
    word_of_jax,
    word_of_secant,
)

KNOWN = Path(__file__).with_name("jax_differences.toml")
REASONS = ("ours right: ", "theirs right: ", "definition: ")
KEYS = {"function", "dtype", "question", "jax", "secant", "why"}


def listed() -> dict[tuple[str, str, str], tuple[str, str]]:
    """Return both words of every listed difference, by function, dtype and question."""
    found: dict[tuple[str, str, str], tuple[str, str]] = {}
    for entry in tomllib.loads(KNOWN.read_text(encoding="utf-8")).get("difference", []):
        if set(entry) != KEYS or not entry["why"].startswith(REASONS):
            raise ValueError(f"expected the keys {sorted(KEYS)} and a reason; got {entry}")
        for name in _several(entry["function"]):
            for dtype in _several(entry["dtype"]):
                for question in _several(entry["question"]):
                    found[name, dtype, question] = entry["jax"], entry["secant"]
    return found


def _several(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


@dataclass
class Comparison:
    """What came out so far."""

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)  # not listed
    unused: list[str] = field(default_factory=list)  # listed and not met


def compare(questions: Iterable[Asked], progress: Progress | None = None) -> Comparison:
    """Ask secant, and lay its words beside those on record."""
    told, known, result = read()["words"], listed(), Comparison()
    for number, one in enumerate(questions):
        if progress is not None:
            progress.show(number, str(one))
        theirs = told[one.dtype][one.question][one.name]
        ours, why = word_of_secant(one)
        place = (one.name, one.dtype, one.question)
        if ours == theirs:
            outcome = "agree"
            if place in known:
                result.unused.append(str(one))
        elif known.get(place) == (theirs, ours):
            outcome = "known"
        else:
            outcome = "differ"
            result.differences.append(f"{one}: jax {theirs}, secant {ours} {why}")
        result.counts[one.dtype, one.question, outcome] += 1
    return result


def record(questions: Iterable[Asked], progress: Progress) -> None:
    """Ask JAX, and write its words down; those on functions not asked about stay."""
    told: dict[str, Any] = read() if RECORD.exists() else {"words": {}}
    told["jax"] = jax.__version__
    for number, one in enumerate(questions):
        progress.show(number, f"jax: {one}")
        words = told["words"].setdefault(one.dtype, {}).setdefault(one.question, {})
        words[one.name] = word_of_jax(one)[0]
        if number % 100 == 99:
            jax.clear_caches()  # compiled operations of many shapes pile up
            write(told)
    write(told)


def write(told: dict[str, Any]) -> None:
    """Write the record."""
    RECORD.write_text(json.dumps(told, indent=0, sort_keys=True) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Record where asked to, compare, print; 1 where something is left to explain."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--record", action="store_true", help="ask JAX's checker again first")
    parser.add_argument("--only", default="", help="functions whose name contains this")
    parser.add_argument("--stride", type=positive, default=1, help="every so many functions (1)")
    options = parser.parse_args(arguments)
    questions = list(asked(only=options.only, stride=options.stride))
    if options.record:
        record(questions, Progress(len(questions)))
    result = compare(questions, Progress(len(questions)))
    print(f"verdicts beside those of jax {read()['jax']}: agree, known, differ")
    for dtype in DTYPES:
        for question in QUESTIONS:
            row = [result.counts[dtype, question, what] for what in ("agree", "known", "differ")]
            print(f"  {dtype:8} {question:13}", *(f"{count:5}" for count in row))
    for line in result.differences:
        print(line)
    for line in result.unused:
        print(f"listed and not met: {line}")
    return 1 if result.differences or result.unused else 0


if __name__ == "__main__":
    sys.exit(main())

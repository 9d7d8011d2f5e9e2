"""The plateau that every chosen constant stands on: false verdicts with half, all and twice of it.

Takes the constants of `src/secant/_constants.py` that are chosen, not derived, and asks about a
panel of random programs, right and wrong, with each of them halved and doubled: once on seeds that
constants may be chosen on, once on others. A constant in the middle of a plateau has as few false
verdicts as its neighbours have; where one of them has fewer on both, it stands in the wrong place.

    python benchmarks/calibrate.py                                # all, about ten minutes
    python benchmarks/calibrate.py --only KAPPA RESIDUE --programs 200
"""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

import _trust_programs
from _answers import Answer, ask
from _running import Progress, positive
from _sections import markdown_table, rewrite_section
from secant import _constants
from secant._judge import yardstick

CALIBRATION_SEED, OTHER_SEED = 1, 4_099
FACTORS = (0.5, 1.0, 2.0)
PARTS = ("programs", "wrong")
QUICK = 2  # programs


@dataclass(frozen=True)
class Counted:
    """How a panel came out."""

    false: int
    unclear: int
    asked: int

    def __str__(self) -> str:
        return f"{self.false} / {self.unclear}"


@dataclass(frozen=True)
class Question:
    """One call of `ask`, kept, so that a program and its truth are made once."""

    arguments: tuple[object, ...]
    settings: dict[str, object]


def main() -> None:
    """Ask, count, print."""
    options = parse()
    torch.set_num_threads(1)
    panels = {
        seed: list(questions(seed, options.programs)) for seed in (CALIBRATION_SEED, OTHER_SEED)
    }
    as_it_is = {seed: counted(panel) for seed, panel in panels.items()}
    rows = []
    progress = Progress(len(options.only))
    for number, name in enumerate(options.only):
        progress.show(number, name)
        value = getattr(_constants, name)
        row = [f"`{name}`", f"{value:g}"]
        for seed, panel in panels.items():
            for factor in FACTORS:
                is_same = factor == 1.0
                row.append(str(as_it_is[seed] if is_same else counted(panel, name, factor)))
        rows.append(row)
    progress.show(len(options.only), "done")
    text = told(options.programs, as_it_is, rows)
    print(text)
    if options.readme:
        rewrite_section("calibrate", text)


def told(programs: int, as_it_is: dict[int, Counted], rows: Sequence[Sequence[str]]) -> str:
    """The table as Markdown, under what was asked."""
    columns = [f"{seed}: {factor:g} ×" for seed in as_it_is for factor in FACTORS]
    asked = " and ".join(f"{one.asked} of seed {seed}" for seed, one in as_it_is.items())
    head = (
        f"`python benchmarks/calibrate.py --programs {programs}`, torch "
        f"{torch.__version__}; false verdicts / no verdicts, of {asked}. Constants are chosen on "
        f"seed {CALIBRATION_SEED} alone."
    )
    return f"{head}\n\n{markdown_table(['constant', '', *columns], rows)}"


def parse() -> argparse.Namespace:
    """The command's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=positive, default=40, help="of each seed")
    parser.add_argument("--only", choices=chosen(), nargs="+", default=chosen(), metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="two programs and two constants")
    parser.add_argument("--readme", action="store_true", help="rewrite the table in README.md")
    options = parser.parse_args()
    if options.quick:
        options.programs, options.only = min(options.programs, QUICK), options.only[:2]
    return options


def chosen() -> list[str]:
    """The constants that are chosen: all that their line does not derive from anything."""
    text = Path(_constants.__file__).read_text()
    lines = re.findall(r"^([A-Z_]+) = .*# (\w+)", text, flags=re.MULTILINE)
    return [name for name, origin in lines if origin == "chosen"]


def questions(seed: int, programs: int) -> Iterator[Question]:
    """Every question about programs of a seed, made but not asked."""
    kept: list[Question] = []

    def keep(*arguments: object, **settings: object) -> Answer:
        kept.append(Question(arguments, settings))
        return Answer(str(arguments[0]), (), "any", "any")

    asker, _trust_programs.ask = _trust_programs.ask, keep
    try:
        for index in range(programs):
            for part in PARTS:
                getattr(_trust_programs, f"ask_{part}")(f"{part}:{seed}:{index}")
                yield from kept
                kept.clear()
    finally:
        _trust_programs.ask = asker


def counted(panel: Sequence[Question], name: str = "", factor: float = 1.0) -> Counted:
    """The verdicts on a panel, with a constant so many times as large."""
    counts: Counter[str] = Counter()
    with replaced(name, factor) if name else contextlib.nullcontext():
        for question in panel:
            call: Callable[..., Answer] = ask
            answer = call(*question.arguments, **{**question.settings, "explain": False})
            counts["false"] += answer.is_false
            counts["unclear"] += answer.verdict == "inconclusive" and answer.expected != "any"
    return Counted(counts["false"], counts["unclear"], len(panel))


@contextlib.contextmanager
def replaced(name: str, factor: float) -> Iterator[None]:
    """Give a constant another value, wherever it was imported to, for a while."""
    value = getattr(_constants, name)
    other = max(round(value * factor), 1) if isinstance(value, int) else value * factor
    try:
        _give(name, value, other)
        yield
    finally:
        _give(name, other, value)


def _give(name: str, before: float, after: float) -> None:
    """Let all that has one value have another, and forget what was made of it."""
    for module in list(sys.modules.values()):
        is_ours = getattr(module, "__name__", "").startswith("secant.")
        if is_ours and getattr(module, name, None) is before:
            setattr(module, name, after)
    for kept in vars(yardstick).values():
        if hasattr(kept, "cache_clear"):
            kept.cache_clear()


if __name__ == "__main__":
    main()

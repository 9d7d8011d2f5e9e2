"""Torch's module database: `secant.check` beside gradcheck and gradgradcheck in fast mode.

Takes every entry in float64, in training and in evaluation, all inputs; asks torch's two checkers
and secant to first and to second order on one thread, in turns; and gives verdicts and seconds, the
totals over the questions that torch passes.

    python benchmarks/modules.py --stride 10
    python benchmarks/modules.py --only Transformer
    python benchmarks/modules.py --readme
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

import secant
from _modules import Question, entries, name_of, questions
from _running import Progress, geometric_mean, positive, spread
from _sections import markdown_table, rewrite_section

NAMES = {1: "first order: gradcheck", 2: "second order: gradgradcheck"}


@dataclass(frozen=True)
class Asked:
    """Both checkers on one question."""

    name: str
    order: int
    torch: str
    secant: str
    torch_seconds: float
    secant_seconds: float
    evaluations: int | None = None
    pulls: int | None = None


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, print, and write what was asked for."""
    options = parse(arguments)
    torch.set_num_threads(1)
    attention: Any = torch.nn.attention.sdpa_kernel
    with warnings.catch_warnings(), attention(torch.nn.attention.SDPBackend.MATH):
        warnings.simplefilter("ignore")
        answers = run(options)
    table = summary(answers)
    print(table)
    if options.json:
        rows = [vars(one) for one in answers]
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    if options.readme:
        rewrite_section("modules", as_markdown(table, options))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="modules whose name contains this")
    parser.add_argument("--stride", type=positive, default=1, help="every so many inputs (1)")
    parser.add_argument("--seed", type=int, default=1729)
    parser.add_argument("--json", type=Path, help="write every answer to this file")
    parser.add_argument("--readme", action="store_true", help="rewrite the section in README.md")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> list[Asked]:
    """Ask both; they take turns in going first."""
    chosen = [entry for entry in entries() if options.only in name_of(entry)]
    warm = torch.nn.Linear(2, 2).double()
    for order in (1, 2):
        both(Question("warm", "training", 0, order, warm, (torch.ones(2).double(),), {}), True)
    gc.collect()
    gc.freeze()  # a collection would otherwise walk the whole database, in somebody's time
    answers: list[Asked] = []
    progress = Progress(len(chosen))
    for number, entry in enumerate(chosen):
        progress.show(number, name_of(entry))
        for question in questions(entry, seed=options.seed, stride=options.stride):
            answers.append(both(question, len(answers) % 2 == 0))
    progress.show(len(chosen), "done")
    return answers


def both(question: Question, torch_first: bool) -> Asked:
    """Ask torch and secant the same question."""
    try:
        function, tensors = question.as_function()
        function(*tensors)  # what a first call loads or allocates is nobody's cost
    except Exception:  # a point at which the module itself raises
        function, tensors = None, ()
    calls = {
        "torch": lambda: ask_torch(function, tensors, question.order),
        "secant": lambda: ask_secant(question),
    }
    order = ("torch", "secant") if torch_first else ("secant", "torch")
    told = {name: timed(calls[name]) for name in order}
    (one, mine), (other, theirs) = told["secant"], told["torch"]
    if isinstance(one, secant.Report):
        cost = one.cost.evaluations, one.cost.pulls
        word = one.verdict.name.lower()
        return Asked(question.name, question.order, str(other), word, theirs, mine, *cost)
    return Asked(question.name, question.order, str(other), str(one), theirs, mine)


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """An answer, and the processor's seconds it took."""
    started = time.process_time()
    try:
        word = call()
    except Exception as error:
        word = f"raises {type(error).__name__}"
    return word, time.process_time() - started


def ask_torch(function: Any, tensors: tuple[torch.Tensor, ...], order: int) -> str:
    """Torch's checker in fast mode, with its defaults."""
    check = torch.autograd.gradcheck if order == 1 else torch.autograd.gradgradcheck
    return "pass" if check(function, tensors, fast_mode=True, raise_exception=False) else "fail"


def ask_secant(question: Question) -> secant.Report:
    """Secant to first order, or to both; why something failed is nobody's question here."""
    settings = {"kwargs": question.keywords, "order": question.order, "explain": False}
    return secant.check(question.module, *question.inputs, **settings)


def place(one: Asked) -> str:
    """The question without its order."""
    return one.name.rpartition(" order ")[0]


def summary(answers: Sequence[Asked]) -> str:
    """Counts and seconds by order, and in all.

    `order=2` asks both orders in one call: in all, it stands for the first one too.
    """
    twice = {place(one) for one in answers if one.order == 2 and one.torch == "pass"}
    rows = []
    for name, part in (
        *((NAMES[order], [one for one in answers if one.order == order]) for order in (1, 2)),
        ("in all", list(answers)),
    ):
        passed = [one for one in part if one.torch == "pass"]
        theirs = sum(one.torch_seconds for one in passed)
        is_all = name == "in all"
        mine = sum(
            one.secant_seconds
            for one in passed
            if not (is_all and one.order == 1 and place(one) in twice)
        )
        words = Counter(one.secant for one in passed)
        ratios = [] if is_all else [one.secant_seconds / one.torch_seconds for one in passed]
        told = [one for one in passed if one.secant == "pass" and not is_all]
        rows.append(
            (
                name,
                str(len(part)),
                str(len(passed)),
                str(words["pass"]),
                f"{theirs:.1f}",
                f"{mine:.1f}",
                f"{mine / theirs:.2f}" if theirs else "",
                f"{geometric_mean(ratios):.2f}" if ratios else "",
                spread([one.evaluations for one in told if one.evaluations is not None]),
                spread([one.pulls for one in told if one.pulls is not None]),
            )
        )
    header = ("question", "asked", "torch passes", "secant too", "torch, s", "secant, s", "ratio")
    header += ("geometric mean", "evaluations, median and 99 %", "pulls")
    return markdown_table(header, rows)


def as_markdown(table: str, options: argparse.Namespace) -> str:
    """The section of README.md."""
    part = f" --only {options.only}" if options.only else ""
    part += f" --stride {options.stride}" if options.stride > 1 else ""
    return (
        f"`python benchmarks/modules.py{part} --readme`, Python {platform.python_version()}, "
        f"torch {torch.__version__}, seed {options.seed}. Seconds are the processor's, totals over "
        "the questions that torch passes. The second row holds secant's both orders, asked in one "
        "call, against gradgradcheck alone; the last one holds that call against both of torch's."
        "\n\n" + table
    )


if __name__ == "__main__":
    main()

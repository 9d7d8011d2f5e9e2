"""Every module of torch's database: PASS, or listed in `known_modules.toml` with its reason.

Takes the questions of `benchmarks/_modules.py`, to first and to second order, and gives counts, the
answers that are not PASS and not listed, and the listed ones that were not met; the exit status is
1 if there is either. `make agreement` runs it so:

    PYTHONPATH=tests:benchmarks python -m agreement.modules
    PYTHONPATH=tests:benchmarks python -m agreement.modules --only Transformer --stride 5
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
import tomllib
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

import secant
from agreement.checkers import caught_as, first_line

__all__ = ["Answers", "ask", "judge", "read"]

KNOWN = Path(__file__).with_name("known_modules.toml")
Listed = tuple[str, int, str]  # the entry, the order, the word


@dataclass
class Answers:
    """What came out so far."""

    known: dict[Listed, str]
    met: set[Listed] = field(default_factory=set)
    seen: set[tuple[str, int]] = field(default_factory=set)
    counts: Counter[tuple[int, str]] = field(default_factory=Counter)
    unlisted: list[str] = field(default_factory=list)

    def unused(self) -> list[Listed]:
        """What is listed for an entry that was asked about, and not met."""
        return [one for one in self.known if one[:2] in self.seen and one not in self.met]


def read(path: Path = KNOWN) -> dict[Listed, str]:
    """The listed answers, each with its reason."""
    known: dict[Listed, str] = {}
    for entry in tomllib.loads(path.read_text(encoding="utf-8"))["known"]:
        if set(entry) != {"entry", "order", "secant", "why"} or not entry["why"]:
            raise ValueError(f"expected the keys entry, order, secant and why; got {entry}")
        for name in _several(entry["entry"]):
            for order in _several(entry["order"]):
                if (name, order, entry["secant"]) in known:
                    raise ValueError(f"{path.name} lists {name}, order {order} twice")
                known[name, order, entry["secant"]] = entry["why"]
    return known


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def judge(question: Any) -> tuple[str, str]:
    """Ask secant; its word, and the first line of the message behind it.

    Attention is computed by its formula: torch's fused kernels have no second derivative.
    """
    attention: Any = torch.nn.attention.sdpa_kernel
    formula = torch.nn.attention.SDPBackend.MATH
    settings = {"kwargs": question.keywords, "order": question.order, "explain": False}
    with warnings.catch_warnings(), attention(formula):
        warnings.simplefilter("ignore")
        try:
            report = secant.check(question.module, *question.inputs, **settings)
        except Exception as error:
            return f"raises {caught_as(error)}", first_line(str(error))
    worst = report.worst
    return report.verdict.name.lower(), "" if worst is None else worst.message


def ask(questions: Iterable[Any], answers: Answers) -> None:
    """Ask every question, and add the answers."""
    for question in questions:
        word, message = judge(question)
        listed = question.entry, question.order, word
        answers.seen.add(listed[:2])
        answers.counts[question.order, word] += 1
        if word != "pass" and listed not in answers.known:
            answers.unlisted.append(f"{question.name}: {word} {message}")
        answers.met.add(listed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask about all modules, print; 1 where something is left to explain."""
    from _modules import entries, name_of, questions

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="modules whose name contains this")
    parser.add_argument("--stride", type=int, default=1, help="every so many inputs (1)")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    answers, started = Answers(read()), time.monotonic()
    chosen = [entry for entry in entries() if options.only in name_of(entry)]
    gc.collect()
    gc.freeze()
    for entry in chosen:
        print(f"{time.monotonic() - started:6.0f} s  {name_of(entry)}", file=sys.stderr, flush=True)
        ask(questions(entry, stride=options.stride), answers)
    for (order, word), count in sorted(answers.counts.items()):
        print(f"order {order}  {word:<20} {count:>6}")
    for line in answers.unlisted:
        print(f"not listed: {line}")
    unused = answers.unused() if options.stride == 1 else []
    for listed in unused:
        print(f"listed and not met: {listed}")
    return 1 if answers.unlisted or unused else 0


if __name__ == "__main__":
    sys.exit(main())

"""The whole agreement: the drop-in's verdicts beside those of torch's slow mode.

Takes the record of torch's words, asks secant the same questions in both modes, and gives a table
of counts, every difference that `known_differences.toml` does not list, and every entry of it that
nothing needed. The exit status is 1 if there is either. `make agreement` runs it so:

    PYTHONPATH=tests:benchmarks python -m agreement.run
    PYTHONPATH=tests:benchmarks python -m agreement.run --only linalg --modes fast
    PYTHONPATH=tests:benchmarks python -m agreement.run --record  # ask torch again first
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections import Counter
from collections.abc import Sequence

import torch
from rich.console import Console
from rich.table import Table

from agreement.checkers import MODES
from agreement.compare import Comparison, compare
from agreement.differences import Known
from agreement.draws import asked
from agreement.questions import DTYPES, QUESTIONS
from agreement.record import Record, StaleRecord

COUNTED = ("agree", "known", "differ", "skipped")


def main(arguments: Sequence[str] | None = None) -> int:
    """Record where asked to, compare, print; 1 where something is left to explain."""
    options = parse(arguments)
    torch.set_num_threads(1)
    if options.record:
        record(options)
    comparison = Comparison(Record.read(), Known.read())
    progress = Progress()
    gc.collect()
    gc.freeze()  # the database is large, and a collection would walk it again and again
    for dtype in options.dtypes:
        for question in asked(dtype, only=options.only, stride=options.stride):
            progress.show(str(question.place))
            compare(question, options.modes, comparison)

    console = Console(soft_wrap=True)
    console.print(table(comparison.counts))
    for difference in comparison.differences:
        console.print(str(difference), markup=False, highlight=False)
    unused = comparison.unused()
    for listed in unused:
        console.print(f"listed and not met: {listed}", markup=False, highlight=False)
    return 1 if comparison.differences or unused else 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--record", action="store_true", help="ask torch's slow mode again first")
    parser.add_argument("--only", default="", help="operators whose name contains this")
    parser.add_argument("--stride", type=int, default=1, help="every so many operators (1)")
    parser.add_argument("--modes", nargs="+", choices=MODES, default=list(MODES))
    parser.add_argument("--dtypes", nargs="+", choices=DTYPES, default=list(DTYPES))
    return parser.parse_args(arguments)


def record(options: argparse.Namespace) -> None:
    """Ask torch, and write its words down; those on operators not asked about stay."""
    partial = options.only or options.stride > 1 or options.dtypes != list(DTYPES)
    told = Record.read() if partial else Record()
    progress = Progress()
    for dtype in options.dtypes:
        for question in asked(dtype, only=options.only, stride=options.stride):
            progress.show(f"torch: {question.place}")
            told.ask(question)
    told.write()


class Progress:
    """A line on stderr every ten seconds."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.next = 0.0

    def show(self, doing: str) -> None:
        """Say where the run is, unless that was said a moment ago."""
        elapsed = time.monotonic() - self.start
        if elapsed >= self.next:
            print(f"{elapsed:6.0f} s  {doing}", file=sys.stderr, flush=True)
            self.next = elapsed + 10


def table(counts: Counter[tuple[str, str, str, str]]) -> Table:
    """Counts by dtype, question and mode."""
    result = Table(title=f"verdicts beside those of torch {torch.__version__}, slow mode")
    for name in ("dtype", "question", "mode"):
        result.add_column(name)
    for name in ("asked", *COUNTED):
        result.add_column(name, justify="right")
    for dtype in DTYPES:
        for question in QUESTIONS:
            for mode in MODES:
                own = [counts[dtype, question, mode, what] for what in COUNTED]
                if any(own):
                    result.add_row(dtype, question, mode, *map(str, (sum(own), *own)))
    return result


if __name__ == "__main__":
    try:
        sys.exit(main())
    except StaleRecord as stale:
        sys.exit(str(stale))

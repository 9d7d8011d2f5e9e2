"""Every differentiable operator of torch's database: gradcheck and secant side by side, in one run.

Takes the first samples of each operator in float64, asks torch's gradcheck, `secant.check` and the
drop-in `secant.torch.gradcheck` on one thread, and gives a table of verdicts and of seconds on the
checks that torch passes, and a list of the gradients that torch's slow mode accepts and secant does
not.

    python benchmarks/operators.py --stride 20
    python benchmarks/operators.py --only linalg --modes full
    python benchmarks/operators.py --readme
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch
from rich.console import Console

from _database import Case, samples
from _judges import JUDGES
from _running import Progress, positive
from _sections import FRONT, rewrite_section
from _tables import LISTED, Row, Summary, disputed, listing, summarise, terminal_tables, told

MODES = ("fast", "full")
LARGEST_FULL = 1000  # input elements; torch's slow mode takes two evaluations for each


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, print, and write what was asked for."""
    options = parse(arguments)
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = list(
            samples(
                torch.float64,
                options.samples,
                only=options.only,
                stride=options.stride,
                seed=options.seed,
            )
        )[: options.limit]
        checkers = ["torch"] if options.no_secant else list(JUDGES)
        rows = run(cases, options.modes, checkers, options.seed)
    summaries = [summarise(rows, mode, checker) for mode in options.modes for checker in checkers]
    disagreements = disputed(rows)

    console = Console()
    for table in terminal_tables(summaries):
        console.print(table)
    for row, checker in disagreements:
        outcome = row.outcomes[checker]
        console.print(
            f"{row.mode}  {checker}  {row.name}  {outcome.verdict}  {outcome.reason}",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
    if options.json:
        options.json.write_text(as_json(rows, options) + "\n", encoding="utf-8")
    if options.readme:
        markdown = as_markdown(summaries, disagreements, options)
        rewrite_section("operators", markdown)
        front, _, listed = markdown.partition(LISTED)
        summary = front + (LISTED + listed.partition("\n")[0] if listed else "")
        rewrite_section("operators", summary, file=FRONT)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line; `modes` comes back as a list of names from MODES."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--limit", type=positive, help="stop after so many samples in all")
    parser.add_argument("--samples", type=positive, default=3, help="samples an operator (3)")
    parser.add_argument("--only", default="", help="operators whose name contains this")
    parser.add_argument("--stride", type=positive, default=1, help="every so many operators (1)")
    parser.add_argument("--modes", type=modes, default=list(MODES), help="fast, full, or both")
    parser.add_argument("--seed", type=int, default=1729)
    parser.add_argument("--no-secant", action="store_true", help="torch alone")
    parser.add_argument("--json", type=Path, help="write every outcome to this file")
    parser.add_argument("--readme", action="store_true", help="rewrite the section in README.md")
    return parser.parse_args(arguments)


def modes(text: str) -> list[str]:
    """Names from MODES, separated by commas, in the order of MODES."""
    names = text.split(",")
    unknown = [name for name in names if name not in MODES]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"expected names from {', '.join(MODES)}; got {unknown[0]!r}"
        )
    return [mode for mode in MODES if mode in names]


def run(
    cases: Sequence[Case], modes: Sequence[str], checkers: Sequence[str], seed: int
) -> list[Row]:
    """Judge every case in every mode; the checkers take turns in going first.

    The function itself is called once, untimed, before: what its first call loads or allocates is
    nobody's cost. All checkers are warmed up on a sine for the same reason.
    """
    sine = Case("sine", "sine", torch.sin, (torch.ones(2, dtype=torch.double).requires_grad_(),), 2)
    for mode in modes:
        for checker in checkers:
            JUDGES[checker](sine, mode, seed)
    gc.collect()
    gc.freeze()  # a collection would otherwise walk the whole database, in somebody's time

    rows = []
    questions = [
        (case, mode)
        for case in cases
        for mode in modes
        if mode == "fast" or case.size <= LARGEST_FULL
    ]
    progress = Progress(len(questions))
    asked: Counter[str] = Counter()  # by mode: counted over all, a mode would always see one order
    for number, (case, mode) in enumerate(questions):
        progress.show(number, f"{mode} {case.name}")
        with torch.random.fork_rng(devices=[]):
            case.function(*case.inputs)
        first = asked[mode] % len(checkers)
        asked[mode] += 1
        order = [*checkers[first:], *checkers[:first]]
        outcomes = {checker: JUDGES[checker](case, mode, seed) for checker in order}
        ordered = {checker: outcomes[checker] for checker in checkers}
        rows.append(Row(case.name, case.size, mode, ordered))
    progress.show(len(questions), "done")
    return rows


def as_markdown(
    summaries: Sequence[Summary],
    disagreements: Sequence[tuple[Row, str]],
    options: argparse.Namespace,
) -> str:
    """The section of README.md: how it was made, the counts, every disagreement."""
    part = "".join(
        f" --{name} {value}"
        for name, value in (
            ("limit", options.limit),
            ("only", options.only),
            ("stride", options.stride if options.stride > 1 else None),
            ("samples", options.samples if options.samples != 3 else None),
        )
        if value
    )
    lines = [
        f"`python benchmarks/operators.py{part} --readme`, "
        f"Python {platform.python_version()}, torch {torch.__version__}, seed {options.seed}. "
        "Seconds are the processor's, totals over the checks that torch passes in that mode; the "
        "ratio is a checker's over torch's, of the totals and as the geometric mean of the single "
        "checks. Evaluations and pulls are those of a check that passes.",
        "",
        told(summaries),
        "",
    ]
    if options.no_secant:
        lines.append("Torch alone.")
    elif not disagreements:
        lines.append("Every gradient that torch's slow mode accepts passes.")
    else:
        lines += listing(disagreements)
    return "\n".join(lines)


def as_json(rows: Sequence[Row], options: argparse.Namespace) -> str:
    """Every outcome, with the versions and the seed that made it."""
    document = {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "seed": options.seed,
        "samples": options.samples,
        "stride": options.stride,
        "only": options.only,
        "limit": options.limit,
        "rows": [asdict(row) for row in rows],
    }
    return json.dumps(document, indent=1)


if __name__ == "__main__":
    main()

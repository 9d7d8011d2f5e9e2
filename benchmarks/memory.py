"""How much memory one full check takes at its peak, torch's slow mode beside the drop-in.

Takes functions with as many outputs as inputs, one with a full and one with a diagonal Jacobian,
checks each in a process of its own, and gives a table of extra bytes at the peak and of seconds.

    python benchmarks/memory.py
    python benchmarks/memory.py --size 300
    python benchmarks/memory.py --readme
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import torch
from rich.console import Console
from rich.table import Table

from _database import Case
from _judges import JUDGES
from _memory import RESET, peak
from _sections import markdown_table, rewrite_section

SIZE = 3_000
SEED = 1729
CHECKERS = ("torch", "secant.torch")
MOST = 1 / 3  # of torch's extra memory
WARM = 10  # elements of the check before: what is loaded once is nobody's cost


@dataclass(frozen=True)
class Cost:
    """One check in a process of its own."""

    verdict: str
    memory: int  # extra bytes at the peak
    seconds: float


def matmul(size: int, generator: torch.Generator) -> Callable[[torch.Tensor], torch.Tensor]:
    """`W @ x`: every entry of the Jacobian is there."""
    weights = torch.randn(size, size, dtype=torch.float64, generator=generator)
    return lambda x: weights @ x


def sine(size: int, generator: torch.Generator) -> Callable[[torch.Tensor], torch.Tensor]:
    """`w * sin(x)`: the Jacobian is diagonal."""
    weights = torch.randn(size, dtype=torch.float64, generator=generator)
    return lambda x: weights * torch.sin(x)


FUNCTIONS = {"W @ x": matmul, "w * sin(x)": sine}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, print, and write what was asked for; with --alone, one check in this process."""
    options = parse(arguments)
    if options.alone:
        checker, function = options.alone
        print(json.dumps(asdict(cost_in_this_process(checker, function, options.size))))
        return
    lines = [row(function, options.size) for function in FUNCTIONS]
    table = Table(title=f"one full check, {options.size:,} inputs and outputs, float64")
    table.add_column(HEADER[0])
    for line in lines:
        table.add_column(line[0].strip("`"), justify="right")
    for place, label in enumerate(HEADER[1:], start=1):
        table.add_row(label, *(line[place] for line in lines))
    Console().print(table)
    if options.readme:
        rewrite_section("memory", as_markdown(lines, options.size))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=int, default=SIZE, help=f"inputs and outputs ({SIZE})")
    parser.add_argument("--readme", action="store_true", help="rewrite the section in README.md")
    parser.add_argument("--alone", nargs=2, metavar=("CHECKER", "FUNCTION"), help="one check")
    return parser.parse_args(arguments)


def cost(checker: str, function: str, size: int) -> Cost:
    """What one check takes, in a process of its own: a peak is never forgotten."""
    print(f"{checker} on {function}", file=sys.stderr, flush=True)
    command = [sys.executable, __file__, "--alone", checker, function, "--size", str(size)]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Cost(**json.loads(answer.stdout))


def cost_in_this_process(checker: str, function: str, size: int) -> Cost:
    """What one check takes, in this process."""
    torch.set_num_threads(1)
    JUDGES[checker](posed(function, WARM), "full", SEED)
    case = posed(function, size)
    case.function(*case.inputs)
    if RESET.exists():
        RESET.write_text("5")  # forget the peak so far
    before = peak()
    outcome = JUDGES[checker](case, "full", SEED)
    return Cost(outcome.verdict, peak() - before, outcome.seconds)


def posed(function: str, size: int) -> Case:
    """The function at a point; what it holds itself is made before anything is measured."""
    generator = torch.Generator().manual_seed(SEED)
    call = FUNCTIONS[function](size, generator)
    x = torch.rand(size, dtype=torch.float64, generator=generator).requires_grad_()
    return Case(function, function, call, (x,), size)


HEADER = (
    "function",
    "torch, MB",
    "secant.torch, MB",
    f"ratio (limit {MOST:.2f})",
    "torch, s",
    "secant.torch, s",
)


def row(function: str, size: int) -> list[str]:
    """Both checkers on one function; a check that does not pass is no measurement."""
    theirs, ours = (cost(checker, function, size) for checker in CHECKERS)
    for checker, one in zip(CHECKERS, (theirs, ours), strict=True):
        if one.verdict != "pass":
            raise SystemExit(f"expected {checker} to pass {function}; got {one.verdict}")
    ratio = ours.memory / theirs.memory
    return [
        f"`{function}`",
        f"{theirs.memory / 1e6:.0f}",
        f"{ours.memory / 1e6:.0f}",
        f"{ratio:.2f}" + (" (above)" if ratio > MOST else ""),
        f"{theirs.seconds:.1f}",
        f"{ours.seconds:.1f}",
    ]


def as_markdown(lines: Sequence[Sequence[str]], size: int) -> str:
    """The section of README.md: how it was made, then the table."""
    part = "" if size == SIZE else f" --size {size}"
    made = (
        f"`python benchmarks/memory.py{part} --readme`, Python {platform.python_version()}, "
        f"torch {torch.__version__}, seed {SEED}, float64, one thread. A Jacobian takes "
        f"{size * size * 8 / 1e6:.0f} MB:"
    )
    return "\n".join([made, "", markdown_table(HEADER, lines)])


if __name__ == "__main__":
    main()

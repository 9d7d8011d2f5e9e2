"""What a masked check of a large sparse matrix costs, in units of one forward and backward.

Takes a matrix of 100 000 × 100 000 with 1 000 000 stored entries times a vector, in CSR through
torch's own product and in COO through one written by hand, whose gradient is sparse too. Gives a
table of time and extra memory, and of what it takes to name one wrong entry. Dense, the matrix
would take 80 GB.

    python benchmarks/sparse.py
    python benchmarks/sparse.py --size 10000 --stored 50000
    python benchmarks/sparse.py --readme
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

import secant
from _memory import RESET, peak
from _running import in_turns, positive
from _sections import markdown_table, rewrite_section

SIZE = 100_000
STORED = 1_000_000
REPEATS = 5
MOST = 20.0  # times one forward and backward
FACTOR = 1.01
HEADER = (
    "layout",
    "check",
    "forward and backward, s",
    "check, s",
    "times",
    "extra memory, times the stored entries",
    "evaluations",
    "one entry 1 % off",
    "named as",
    "after evaluations",
)


class Product(torch.autograd.Function):
    """A COO matrix times a vector, whose gradient is a COO matrix of the same pattern."""

    @staticmethod
    def forward(ctx: Any, matrix: torch.Tensor, vector: torch.Tensor, place: int) -> torch.Tensor:
        ctx.save_for_backward(matrix, vector)
        ctx.place = place
        rows, columns = matrix._indices()
        product = vector.new_zeros(matrix.shape[0])
        return product.index_add_(0, rows, matrix._values() * vector[columns])

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> Any:
        matrix, vector = ctx.saved_tensors
        (v,) = cotangents
        rows, columns = matrix._indices()
        values = v[rows] * vector[columns]
        if ctx.place >= 0:
            values[ctx.place] *= FACTOR
        gradient = torch.sparse_coo_tensor(
            matrix._indices(), values, matrix.shape, is_coalesced=True, check_invariants=False
        )
        back = torch.zeros_like(vector).index_add_(0, columns, matrix._values() * v[rows])
        return gradient, back, None


class WrongRow(torch.autograd.Function):
    """The identity of a CSR matrix, whose gradient is 1 % too large in one stored entry."""

    @staticmethod
    def forward(ctx: Any, matrix: torch.Tensor, place: int) -> torch.Tensor:
        ctx.place = place
        return matrix.clone()

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> Any:
        (v,) = cotangents
        values = v.values().clone()
        values[ctx.place] *= FACTOR
        gradient = torch.sparse_csr_tensor(
            v.crow_indices(), v.col_indices(), values, v.shape, check_invariants=False
        )
        return gradient, None


@dataclass(frozen=True)
class Subject:
    """A product to check, right and with one wrong entry, and the matrix it takes."""

    layout: str
    matrix: torch.Tensor
    right: Callable[..., Any]
    wrong: Callable[..., Any]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, print, and write what was asked for."""
    options = parse(arguments)
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        subjects, vector = subjects_of(options.size, options.stored, options.seed)
        rows = [measured(subject, vector, options.seed) for subject in subjects]
    table = Table(title=f"{options.size:,} × {options.size:,}, {options.stored:,} stored, masked")
    for label in HEADER:
        table.add_column(label)
    for row in rows:
        table.add_row(*row)
    Console(width=160).print(table)
    if options.readme:
        made = (
            f"`python benchmarks/sparse.py --readme`, torch {torch.__version__}, Python "
            f"{platform.python_version()}, one thread, float64, seed {options.seed}. A matrix of "
            f"{options.size:,} × {options.size:,} with {options.stored:,} stored entries, "
            f"`masked=True`, times a vector; at most {MOST:g} times is what it should take:"
        )
        rewrite_section("sparse", f"{made}\n\n{markdown_table(HEADER, rows)}")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=positive, default=SIZE, help=f"rows and columns ({SIZE})")
    parser.add_argument("--stored", type=positive, default=STORED, help=f"entries ({STORED})")
    parser.add_argument("--seed", type=int, default=1729)
    parser.add_argument("--readme", action="store_true", help="rewrite the section in README.md")
    return parser.parse_args(arguments)


def subjects_of(size: int, stored: int, seed: int) -> tuple[list[Subject], torch.Tensor]:
    """The matrix in both layouts, and the vector it is multiplied by."""
    generator = torch.Generator().manual_seed(seed)
    indices = torch.randint(0, size, (2, stored), generator=generator)
    values = torch.rand(stored, dtype=torch.float64, generator=generator) + 0.5
    matrix = torch.sparse_coo_tensor(indices, values, (size, size)).coalesce()
    vector = torch.rand(size, dtype=torch.float64, generator=generator) + 0.5
    place = matrix._nnz() // 3
    apply: Any = Product.apply
    spoil: Any = WrongRow.apply

    def by_torch(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.sparse.mm(x, y[:, None])

    subjects = [
        Subject(
            "CSR, torch.sparse.mm",
            matrix.to_sparse_csr(),
            by_torch,
            lambda x, y: by_torch(spoil(x, place), y),
        ),
        Subject(
            "COO, by hand",
            matrix,
            lambda x, y: apply(x, y, -1),
            lambda x, y: apply(x, y, place),
        ),
    ]
    return subjects, vector


def measured(subject: Subject, vector: torch.Tensor, seed: int) -> list[str]:
    """One row of the table."""
    x, y = subject.matrix.detach().requires_grad_(), vector.detach().requires_grad_()
    cotangent = torch.ones_like(subject.right(x, y)).detach()
    reports = []

    def one_pass() -> float:
        started = time.perf_counter()
        torch.autograd.grad(subject.right(x, y), (x, y), cotangent)
        return time.perf_counter() - started

    def one_check() -> float:
        started = time.perf_counter()
        reports.append(secant.check(subject.right, x, y, masked=True, seed=seed))
        return time.perf_counter() - started

    passes, checks = in_turns(one_pass, one_check, REPEATS)
    if RESET.exists():
        RESET.write_text("5")  # forget the peak so far
    before = peak()
    report = secant.check(subject.right, x, y, masked=True, seed=seed)
    extra = (peak() - before) / (8 * x._nnz())
    wrong = secant.check(subject.wrong, x, y, masked=True, seed=seed)
    entry = wrong.worst.entries[0].input if wrong.worst is not None and wrong.worst.entries else ""
    pass_seconds, seconds = statistics.median(passes), statistics.median(checks)
    return [
        subject.layout,
        report.verdict.name,
        f"{pass_seconds:.3f}",
        f"{seconds:.2f}",
        f"{seconds / pass_seconds:.1f}",
        f"{extra:.1f}",
        str(report.cost.evaluations),
        wrong.verdict.name,
        entry or "not named",
        f"{wrong.cost.evaluations:,}",
    ]


if __name__ == "__main__":
    main()

"""The README's table of what torch's checker misses: every cell asked again, of torch and of us."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch

import secant
from secant import Verdict
from wrong.exhibit import normals, rule
from wrong.places import one_wrong_entry

README = Path(__file__).parents[2] / "README.md"
HEADER = "| derivative | gradcheck, fast | gradcheck, slow | secant |"


class Row(NamedTuple):
    function: Callable[..., Any]
    point: Callable[[], torch.Tensor]
    is_right: bool = False


def doubled(backward: Callable[..., Any]) -> Callable[..., Any]:
    return rule("doubled", lambda x: 2 * x, backward)


def contiguous_only(x: torch.Tensor, g: torch.Tensor) -> torch.Tensor:
    """Read memory as if it lay in order; beyond an expanded cotangent's there are zeros here."""
    flat = torch.zeros(g.numel(), dtype=g.dtype)
    held = torch.as_strided(g, (min(g.numel(), g.untyped_storage().nbytes() // 8),), (1,))
    flat[: held.numel()] = held
    return 2 * flat.reshape(g.shape)


ROWS = {
    "one wrong entry of 10 000, 1 % off": Row(
        one_wrong_entry(4_321, 1.01), lambda: normals(10_000)
    ),
    "one wrong entry of 10 000, 100 times too large": Row(
        one_wrong_entry(4_321, 100.0), lambda: normals(10_000)
    ),
    "gradient transposed, 64 × 64": Row(doubled(lambda x, g: 2 * g.t()), lambda: normals(64, 64)),
    "gradient permuted at random, 3 000 entries": Row(
        doubled(
            lambda x, g: 2 * g[torch.randperm(3_000, generator=torch.Generator().manual_seed(0))]
        ),
        lambda: normals(3_000),
    ),
    "backward returns `2 * grad_output.abs()`": Row(
        doubled(lambda x, g: 2 * g.abs()), lambda: normals(20)
    ),
    "backward reads `grad_output` as if it were contiguous": Row(
        doubled(contiguous_only), lambda: normals(20)
    ),
    "backward is `grad_output.mul_(2)`": Row(doubled(lambda x, g: g.mul_(2)), lambda: normals(20)),
    "correct `torch.sin` in float32": Row(
        torch.sin, lambda: normals(20, dtype=torch.float32), is_right=True
    ),
    "correct `torch.relu` at exactly 0": Row(
        torch.relu, lambda: torch.zeros(5, dtype=torch.float64), is_right=True
    ),
    "correct `x.float().sin().double()`": Row(
        lambda x: x.float().sin().double(), lambda: normals(20), is_right=True
    ),
}
HEAVY = (  # for torch's slow mode
    "one wrong entry of 10 000, 1 % off",
    "one wrong entry of 10 000, 100 times too large",
    "gradient transposed, 64 × 64",
    "gradient permuted at random, 3 000 entries",
)


@functools.cache
def table() -> dict[str, list[str]]:
    """Return the README's rows: what the derivative is, then three answers."""
    lines = README.read_text(encoding="utf-8").split(HEADER)[1].split("\n\n")[0].splitlines()[2:]
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    return {cells[0].strip(): [cell.strip() for cell in cells[1:]] for cells in rows}


def torchs_answer(row: Row, *, fast: bool) -> str:
    x = row.point().requires_grad_()
    try:
        torch.autograd.gradcheck(row.function, (x,), fast_mode=fast)
    except RuntimeError as error:
        if row.is_right:
            return "false alarm"
        return '"not reentrant"' if "not reentrant" in str(error) else "caught"
    return "right" if row.is_right else "missed"


def test_the_table_has_these_rows_and_no_others() -> None:
    assert list(table()) == list(ROWS)


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.filterwarnings("ignore:Input #0 requires gradient and is not a double precision")
def test_torch_in_fast_mode_answers_as_the_table_says(name: str) -> None:
    assert torchs_answer(ROWS[name], fast=True) == table()[name][0]


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow if n in HEAVY else ()) for n in ROWS]
)
@pytest.mark.filterwarnings("ignore:Input #0 requires gradient and is not a double precision")
def test_torch_in_slow_mode_answers_as_the_table_says(name: str) -> None:
    assert torchs_answer(ROWS[name], fast=False) == table()[name][1]


@pytest.mark.parametrize("name", ROWS)
def test_secant_answers_as_the_table_says(name: str) -> None:
    row, words = ROWS[name], table()[name][2]
    report = secant.check(row.function, row.point())
    assert report.verdict is (Verdict.PASS if row.is_right else Verdict.FAIL), str(report)
    law = re.search("caught: `([a-z]+)`", words)
    if law is not None:
        assert law[1] in {one.kind for one in report.findings if one.verdict is Verdict.FAIL}
    if "named" in words and "cause" not in words:
        assert report.worst.entries
    if "cause named" in words:
        assert report.worst.cause
    if "kink noted" in words:
        assert "kink" in str(report)

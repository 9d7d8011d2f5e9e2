"""The page about parallel layers prints what it shows, and what it puts in its place is right."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

from docs.blocks import blocks_of, difference
from processes.crew import pair

PAGE = Path(__file__).parents[2] / "docs" / "parallel.md"


def run_page(group: Any) -> tuple[str, str]:
    """Run the wrong layer of the page, then the same with the right one in its place."""
    wrong, right, *_ = blocks_of(PAGE.read_text(encoding="utf-8"))
    printed = []
    for shown in (wrong.code, _replaced(wrong.code, right.code)):
        code = shown.replace('dist.init_process_group("gloo")\n', "")
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(code, "page", "exec"), {"__name__": "page"})
        printed.append(said.getvalue().rstrip("\n"))
    return printed[0], printed[1]


def _replaced(program: str, layer: str) -> str:
    before, _, after = program.partition("def column_parallel")
    return f"{before}{layer}\n{after[after.index('x = torch.randn') :]}"


def test_the_page_prints_what_it_shows():
    (wrong, right), others = pair().ask(run_page, size=2)
    assert others == ("", "")
    assert right.startswith("PASS")
    first = next(blocks_of(PAGE.read_text(encoding="utf-8")))
    apart = difference(first.expected, wrong)
    assert apart is None, f"{apart}\n\n{wrong}"

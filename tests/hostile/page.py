"""What the whole runs count, written into the documentation's page on reliability.

Each run owns what stands between two markers there, ``<!-- cases:begin -->`` and so on. The table
of cases has a row for each family, and a run of some families renews theirs alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from .harness import FOLDER, FRAMEWORKS, families

PAGE = FOLDER.parents[1] / "docs" / "reliability.md"
_ROW = re.compile(r"^\| `(\w+)` \| .* \| (\d+) \| (\d+) \|$", re.MULTILINE)


def write_counts(found: Mapping[str, tuple[int, int]]) -> None:
    """Renew the rows of these families: how many cases, how many of them clean."""
    rows = {**counts(), **found}
    known = [family for framework in FRAMEWORKS for family in families(framework)]
    lines = ["| family | what misbehaves | cases | clean |", "| --- | --- | ---: | ---: |"]
    lines += [
        f"| `{family}` | {_subject(family)} | {rows[family][0]} | {rows[family][1]} |"
        for family in known
        if family in rows
    ]
    cases, clean = (sum(rows[family][k] for family in known if family in rows) for k in (0, 1))
    lines.append(f"| in all | | {cases} | {clean} |")
    write("cases", "\n".join(lines))


def counts() -> dict[str, tuple[int, int]]:
    """Return the counts that the page shows, by family."""
    rows = _ROW.findall(PAGE.read_text(encoding="utf-8"))
    return {family: (int(cases), int(clean)) for family, cases, clean in rows}


def write(section: str, words: str) -> None:
    """Replace what stands between a section's markers."""
    begin, end = f"<!-- {section}:begin -->", f"<!-- {section}:end -->"
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(begin)
    _, marker, after = rest.partition(end)
    assert marker, f"{PAGE.name} lacks {begin} and {end}, in this order"
    PAGE.write_text(f"{before}{begin}\n{words}\n{end}{after}", encoding="utf-8")


def _subject(family: str) -> str:
    """Return the first sentence of a family's file."""
    tree = ast.parse((FOLDER / f"{family}.py").read_text(encoding="utf-8"))
    words = " ".join((ast.get_docstring(tree) or "").split("\n\n")[0].split())
    return words.rstrip(".").replace("|", "\\|")

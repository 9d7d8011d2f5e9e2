"""A table of planted mistakes with the cause that each is given: `python benchmarks/causes.py`.

The mistakes are those that the tests ask, `tests/wrong/everyday.py`; each holds words of which a
right cause has at least one. A cause that has none is misleading, and ends the command with 1.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import secant
from wrong.everyday import MISTAKES, cause_of, sort_of

NAMED, SILENT, MISLEADING, MISSED = "named", "silent", "misleading", "missed"


def main() -> int:
    """Print the table, then how many of each sort there are."""
    counted: Counter[str] = Counter()
    print("| mistake | | cause that is named |\n|---|---|---|")
    for mistake in MISTAKES:
        report = secant.check(mistake.function, *mistake.inputs())
        sort = sort_of(mistake, report)
        counted[sort] += 1
        print(f"| {_cell(mistake.what)} | {sort} | {_cell(cause_of(report) or '–')} |")
    said = ", ".join(f"{counted[sort]} {sort}" for sort in (NAMED, SILENT, MISLEADING, MISSED))
    print(f"\n{len(MISTAKES)} mistakes: {said}")
    return int(counted[MISLEADING] + counted[MISSED] > 0)


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


if __name__ == "__main__":
    raise SystemExit(main())

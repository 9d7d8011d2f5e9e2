"""Writes docs/limits.md: every shortfall that the tests expect, with what is seen instead.

    python tests/docs/limits.py

`test_pages.py` holds the page against the lists, so that none is left out.
"""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "limits.md"
LISTS = (ROOT / "tests" / "shortfalls.toml", ROOT / "tests" / "hard" / "shortfalls.toml")

HEAD = """# Where it falls short

The README promises three verdicts that can be trusted. The
[benchmark of trust](../benchmarks/README.md) counts how often they were false on random programs,
growing errors, units, casts and solvers, and lists every false one under a name that
`benchmarks/trust.py --show NAME` prints as a few lines of Python.

Below is what the tests expect and do not get. Each is a test that is run and expected to fail; when
one passes it is taken off.

| seen instead | tests |
|---|---:|
"""


def page():
    """The page as the lists make it."""
    rows = []
    for path in LISTS:
        for one in tomllib.loads(path.read_text(encoding="utf-8"))["shortfall"]:
            rows.append(f"| {one['reason'].replace('|', chr(92) + '|')} | {len(one['tests'])} |")
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

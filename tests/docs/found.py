"""The scripts of the page *Found by secant*: read, run, and made into the page.

A script opens with what it shows and why, then `severity:`, `order:`, `secant:` (the verdict) and
`tracker:`; `modes:` if they are not reverse. It leaves `function` and `point`, the derivative as
`claimed`, and the truth as `exact`.

`python tests/docs/found.py` runs all of them and writes `docs/found-by-secant.md` anew;
`python tests/docs/found.py FRAMEWORK` runs a framework's and prints what each one shows, as JSON.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import math
import runpy
import subprocess
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDER, PAGE = ROOT / "docs" / "found", ROOT / "docs" / "found-by-secant.md"
FRAMEWORKS = {"torch": "torch 2.13", "jax": "JAX 0.10", "autograd": "HIPS autograd 1.9"}
SEVERITIES = ("wrong value", "NaN where finite", "raises", "loses digits", "breaks a law")
BEGIN, END = "<!-- made by tests/docs/found.py -->", "<!-- up to here -->"
LEAST_ERROR = 1e-6  # of the exact value: what is less wrong than this is no mistake here


@dataclass(frozen=True)
class Exhibit:
    """One confirmed mistake, as its script tells it."""

    path: Path
    title: str
    why: str
    severity: str
    is_at_border: bool
    order: int
    secant: str
    tracker: str
    modes: str

    @property
    def framework(self) -> str:
        return self.path.stem.partition("_")[0]


def exhibits(framework: str = "") -> list[Exhibit]:
    """Return the scripts, those of one framework or all."""
    return [_read(path) for path in sorted(FOLDER.glob(f"{framework}*.py"))]


def _read(path: Path) -> Exhibit:
    words = ast.get_docstring(ast.parse(path.read_text())) or ""
    title, why, fields = words.split("\n\n")
    told = dict(line.split(": ", 1) for line in fields.splitlines())
    severity, _, border = told["severity"].partition(", ")
    return Exhibit(
        path,
        title.removesuffix("."),
        " ".join(why.split()),
        severity,
        bool(border),
        int(told["order"]),
        told["secant"],
        told["tracker"],
        told.get("modes", "reverse"),
    )


def run(exhibit: Exhibit) -> tuple[dict[str, Any], str]:
    """Run a script; return what it leaves and what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        left = runpy.run_path(str(exhibit.path))
    return left, printed.getvalue().strip()


def is_confirmed(severity: str, claimed: Any, exact: Any) -> bool:
    """Say whether what a script left is a mistake of the kind that it says."""
    if isinstance(claimed, Exception):
        return severity == "raises"
    if not math.isfinite(claimed):
        return severity == "NaN where finite"
    off = abs(claimed - exact) > LEAST_ERROR * abs(exact)
    return bool(off) and severity in ("wrong value", "loses digits", "breaks a law")


def shown_by(framework: str) -> dict[str, dict[str, Any]]:
    """Run a framework's scripts in a process of their own; return what each shows."""
    command = [sys.executable, __file__, framework]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    found: dict[str, dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


def _show(framework: str) -> dict[str, dict[str, Any]]:
    shown = {}
    for exhibit in exhibits(framework):
        left, printed = run(exhibit)
        confirmed = is_confirmed(exhibit.severity, left["claimed"], left["exact"])
        shown[exhibit.path.stem] = {"printed": printed, "is_confirmed": confirmed}
    return shown


def tables(printed: dict[str, str]) -> str:
    """Return the part of the page that is made of the scripts."""
    parts = []
    for framework, name in FRAMEWORKS.items():
        several = exhibits(framework)
        parts.append(f"## {name}: {len(several)}\n\n| what | severity | script says | tracker |")
        parts[-1] += "\n|---|---|---|---|\n"
        order = sorted(several, key=lambda one: SEVERITIES.index(one.severity))
        parts[-1] += "\n".join(_row(one, printed[one.path.stem]) for one in order)
    return "\n\n".join(parts)


def _row(one: Exhibit, printed: str) -> str:
    severity = one.severity + (", at a border" if one.is_at_border else "")
    doubted = "" if one.secant == "FAIL" else f" *({one.secant} by secant)*"
    number = one.tracker.rpartition("/")[2]
    tracker = f"[#{number}]({one.tracker})" if one.tracker.startswith("http") else one.tracker
    what = f"[{one.title}](found/{one.path.name}). {one.why}{doubted}"
    said = printed.replace("|", "\\|")
    return f"| {what.replace('|', chr(92) + '|')} | {severity} | {said} | {tracker} |"


def main() -> None:
    if sys.argv[1:]:
        sys.stdout.write(json.dumps(_show(sys.argv[1])) + "\n")
        return
    shown = {key: value for name in FRAMEWORKS for key, value in shown_by(name).items()}
    printed = {name: value["printed"] for name, value in shown.items()}
    head, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(f"{head}{BEGIN}\n{tables(printed)}\n{END}{rest.partition(END)[2]}")


if __name__ == "__main__":
    main()

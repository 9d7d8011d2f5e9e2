"""Other projects' tests, with `--secant-gradcheck=compare`: who says what about the same calls.

Fetches sources into a scratch folder, runs those of their tests that lead to torch's gradcheck or
gradgradcheck or to JAX's check_grads, with every claim made 5 % too large as well, and
gives for each project how many calls there were, how many were agreed upon, the disagreements, and
the seconds of each. Secant's seconds come from a second run with `=replace`, where nobody has
loaded or compiled anything for it before; the original's from the first, where it goes first.

    python benchmarks/suites.py --only entmax
    python benchmarks/suites.py --folder scratch           # sources are found there again
    python benchmarks/suites.py --folder scratch --kept --readme    # and answers too
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from _running import Progress, positive
from _sections import escape, markdown_table, rewrite_section
from _suite_projects import PROJECTS, Project
from _suite_reasons import reason_for
from _suite_sources import fetch, install

FACTOR = 1.05
CASES = 2  # of each test that JAX's own tests draw
HERE = Path(__file__).parent


@dataclass
class Answers:
    """What a project's runs came to."""

    project: Project
    tests: int = 0
    calls: list[dict[str, Any]] = field(default_factory=list)  # each with its test
    replaced: float = 0.0  # seconds of secant's, by itself
    trouble: str = ""

    @property
    def disagreements(self) -> list[dict[str, Any]]:
        """The calls about which the two differ."""
        return [call for call in self.calls if not is_agreed(call)]

    def caught(self, who: str) -> list[dict[str, Any]]:
        """The calls whose claims, made too large, were noticed by `who`."""
        return [call for call in self.calls if catcher(call) == who]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, print, and write what was asked for."""
    options = parse(arguments)
    chosen = [one for one in PROJECTS if not options.only or one.name in options.only.split(",")]
    progress = Progress(len(chosen))
    every = []
    with scratch(options.folder) as folder:
        for number, project in enumerate(chosen):
            progress.show(number, project.name)
            every.append(run(project, folder, options))
        progress.show(len(chosen), "done")
    print(as_table(every))
    print("\n".join(listing(every)))
    if options.json:
        rows = [{**vars(one), "project": vars(one.project)} for one in every]
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    if options.readme and all(one.trouble for one in every):
        raise SystemExit("no project could be run, so the table is left as it is")
    if options.readme:
        rewrite_section("suites", as_markdown(every, options))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="projects with these names: entmax,roma")
    parser.add_argument("--folder", type=Path, help="where sources go (a temporary folder)")
    parser.add_argument(
        "--kept", action="store_true", help="take what earlier runs have left in the folder"
    )
    parser.add_argument("--python", default=sys.executable, help="interpreter that runs the tests")
    parser.add_argument("--timeout", type=positive, default=3600, help="seconds for a run (3600)")
    parser.add_argument("--json", type=Path, help="write every call to this file")
    parser.add_argument("--readme", action="store_true", help="rewrite the section in README.md")
    return parser.parse_args(arguments)


@contextlib.contextmanager
def scratch(folder: Path | None) -> Iterator[Path]:
    """The folder given, or one that is gone afterwards."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder.resolve()
        return
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


# -- running -----------------------------------------------------------------------------------


def run(project: Project, folder: Path, options: argparse.Namespace) -> Answers:
    """Fetch a project and run its checks, compared and replaced."""
    answers = Answers(project)
    try:
        source = fetch(project, folder, options.python)
        needs = install(project, folder, options.python)
        compared = lines_of(project, source, needs, options, "compare")
        replaced = lines_of(project, source, needs, options, "replace")
    except (subprocess.SubprocessError, OSError) as error:
        answers.trouble = f"{type(error).__name__}: {str(error)[-300:]}"
        return answers
    answers.tests = compared[-1]["tests"]
    answers.calls = [call for line in compared for call in line.get("calls", ())]
    if not answers.calls:
        answers.trouble = "no check was called: see what pytest printed"
    secant = [call["secant"] for line in replaced for call in line.get("calls", ())]
    answers.replaced = sum(word["seconds"] for word in secant)
    return answers


def lines_of(
    project: Project, source: Path, needs: Path, options: argparse.Namespace, mode: str
) -> list[dict[str, Any]]:
    """Run the tests with the option, and return the lines that the plugin wrote."""
    lines = source.parent / f"{project.name}-{mode}.jsonl"
    if options.kept and lines.exists() and "tests" in (known := read(lines))[-1]:
        return known  # of a run that came to its end
    lines.unlink(missing_ok=True)
    paths = [source / "src", source, needs, HERE, HERE.parent / "src"]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "OMP_NUM_THREADS": "1",
        "JAX_PLATFORMS": "cpu",
        "JAX_NUM_GENERATED_CASES": str(CASES),
    }
    plugins = ["-p", "_suite_plugin", "-p", "no:cacheprovider", "-p", "no:randomly"]
    top = source / project.top
    own = ["-c", os.devnull, f"--rootdir={top}", f"--confcutdir={top}"]
    own += ["-q", "--tb=short", "-W", "ignore"]
    asked = [f"--secant-gradcheck={mode}", f"--suite-lines={lines}"]
    if mode == "compare":
        asked.append(f"--secant-sabotage={FACTOR}")
    if project.only:
        asked += ["-k", project.only]
    done = subprocess.run(
        [options.python, "-m", "pytest", *plugins, *own, *asked, *project.tests],
        cwd=source,
        env=environment,
        capture_output=True,
        text=True,
        timeout=options.timeout,
    )
    (source.parent / f"{project.name}-{mode}.txt").write_text(done.stdout + done.stderr, "utf-8")
    if done.returncode not in (0, 1) or not lines.exists():  # passed, or some failed
        errors = [line for line in done.stdout.splitlines() if line.startswith("E ")]
        raise OSError(f"pytest did not run: {' '.join(errors) or done.stderr.strip()}")
    return read(lines)


def read(lines: Path) -> list[dict[str, Any]]:
    """Return what a run's plugin wrote, one object a line."""
    return [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]


# -- reading what was said ------------------------------------------------------------------------


def is_agreed(call: dict[str, Any]) -> bool:
    """Whether both said the same, by the plugin's own rule."""
    from _secant_pytest.calls import call_of

    return call_of(call).is_agreed


def catcher(call: dict[str, Any]) -> str:
    """Who noticed that a claim was too large; empty where none was made so."""
    from _secant_pytest.calls import call_of

    sabotage = call_of(call).sabotage
    return "" if sabotage is None else sabotage.caught


HEADER = (
    "project",
    "framework",
    "tests",
    "calls",
    "agreed",
    "differ",
    "undecided",
    "5 % caught by both",
    "original alone",
    "secant alone",
    "neither",
    "original, s",
    "secant, s",
    "ratio",
)


def as_table(every: Sequence[Answers]) -> str:
    """One line a project, then all together."""
    rows = [
        cells(one.project.requirement, one.project.framework, [one])
        for one in every
        if not one.trouble
    ]
    whole = [one for one in every if not one.trouble]
    if len(whole) > 1:
        rows.append(cells("in all", "", whole))
    return markdown_table(HEADER, rows)


def cells(name: str, framework: str, several: Sequence[Answers]) -> list[str]:
    """The cells under HEADER."""
    calls = [call for one in several for call in one.calls]
    caught = Counter(map(catcher, calls))
    theirs = sum(call["original"]["seconds"] for call in calls)
    ours = sum(one.replaced for one in several)
    differ = sum(len(one.disagreements) for one in several)
    return [
        name,
        framework,
        str(sum(one.tests for one in several)),
        str(len(calls)),
        str(len(calls) - differ),
        str(differ),
        str(sum(bool(call["secant"]["undecided"]) for call in calls)),
        *(str(caught[who]) for who in ("both", "original alone", "secant alone", "neither")),
        f"{theirs:.1f}",
        f"{ours:.1f}",
        f"{ours / theirs:.2f}" if theirs else "",
    ]


def listing(every: Sequence[Answers]) -> list[str]:
    """Every place of disagreement, and of a sabotage that only one noticed, with its reason."""
    lines = [
        "",
        "| project | place | calls | original | secant | in secant's words | reason |",
        "|---|---|---:|---|---|---|---|",
    ]
    for one in every:
        if one.trouble:
            lines.append(f"| {one.project.name} | | | | | {escape(one.trouble)} | not run |")
        for call, count in places(one.disagreements):
            lines.append(row(one, call, count, call["original"], call["secant"]))
        for who in ("original alone", "secant alone"):
            for call, count in places(one.caught(who)):
                words = call["sabotage"]
                lines.append(row(one, call, count, words["original"], words["secant"], "× 1.05"))
    return lines


def places(calls: Sequence[dict[str, Any]]) -> list[tuple[dict[str, Any], int]]:
    """The first call at each place, and how many there are."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for call in calls:
        found.setdefault((call["place"], call["check"]), []).append(call)
    return [(several[0], len(several)) for several in found.values()]


def row(
    one: Answers,
    call: dict[str, Any],
    count: int,
    original: dict[str, Any],
    secant: dict[str, Any],
    remark: str = "",
) -> str:
    """A line of the listing."""
    said = secant["said"] or secant["undecided"] or original["said"]
    reason = reason_for(one.project.name, call["place"], is_sabotage=bool(remark))
    shown = (
        one.project.name,
        f"`{call['place']}` {call['check']} {remark}".rstrip(),
        str(count),
        original["outcome"],
        secant["outcome"],
        said[:200],
        reason,
    )
    return "| " + " | ".join(map(escape, shown)) + " |"


def as_markdown(every: Sequence[Answers], options: argparse.Namespace) -> str:
    """The section of README.md."""
    part = f" --only {options.only}" if options.only else ""
    named = ", ".join(f"{name} {version(name)}" for name in ("torch", "jax"))
    return (
        f"`python benchmarks/suites.py{part} --readme`, Python {platform.python_version()}, "
        f"{named}. The original's seconds are those of the first run, in which it goes first; "
        "secant's those of a second run in which it answers alone.\n\n"
        + as_table(every)
        + "\n"
        + "\n".join(listing(every))
    )


if __name__ == "__main__":
    main()

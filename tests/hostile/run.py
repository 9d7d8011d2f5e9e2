"""`python -m hostile.run`: every hostile case, or some of them, and how many were clean.

PYTHONPATH=tests python -m hostile.run [torch|jax|numpy|mixed|plain|FAMILY ...] [--thin N]
                                       [--only WORDS] [--slowest N] [--page]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

from .harness import FOLDER, FRAMEWORKS, Result, families
from .page import write_counts


def results(framework: str, thin: int = 1, only: str = "") -> Iterator[Result]:
    """Run a framework's cases, in a process that has imported no other framework."""
    if not families(framework):
        return
    command = [sys.executable, "-m", "hostile.harness", framework, str(thin), only]
    here = os.pathsep.join([str(FOLDER.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": here, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        for line in server.stdout:
            family, name, outcome, wrong, seconds = json.loads(line)
            yield Result(family, name, outcome, tuple(wrong), seconds)
    if server.returncode:
        raise SystemExit(f"the process for {framework} ended with {server.returncode}")


def main() -> None:
    """Run, print what is wrong as it comes up, then the counts."""
    known = [family for framework in FRAMEWORKS for family in families(framework)]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", choices=[*FRAMEWORKS, *known, []], default=[])
    parser.add_argument("--thin", type=int, default=1, help="every N-th case of each family")
    parser.add_argument("--only", default="", help="cases whose family or name has these words")
    parser.add_argument("--slowest", type=int, default=0, help="name the slowest cases")
    parser.add_argument("--page", action="store_true", help="write the counts into the docs")
    asked = parser.parse_args()
    if asked.page and (asked.thin > 1 or asked.only):
        parser.error("--page is for whole families")
    every: list[Result] = []
    for what in asked.what or FRAMEWORKS:
        only = f"{what}: " if what in known else asked.only
        for one in results(what.partition("_")[0], asked.thin, only):
            every.append(one)
            if one.wrong:
                print(one, flush=True)
    count = Counter(one.family for one in every)
    clean = Counter(one.family for one in every if not one.wrong)
    for family in sorted(count):
        print(f"{family:32} {clean[family]:4} of {count[family]:4} clean")
    print(f"{'all':32} {clean.total():4} of {count.total():4} clean")
    for one in sorted(every, key=lambda one: -one.seconds)[: asked.slowest]:
        print(f"{one.seconds:6.1f} s  {one.family}: {one.name}")
    if asked.page:
        write_counts({family: (count[family], clean[family]) for family in count})
    raise SystemExit(clean.total() < count.total())


if __name__ == "__main__":
    main()

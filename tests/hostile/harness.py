"""Hostile cases: each runs in a process of its own, with all state compared before and after.

A file `torch_<family>.py`, `jax_…`, `numpy_…`, `mixed_…` or `plain_…` in this folder holds one
family as `CASES`, a list of `Case`. The first word of its name says which frameworks are imported
before the cases are; a case runs in a fork of that process, so that nothing is imported twice and
nothing that a case does outlives it.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
FRAMEWORKS = {
    "torch": ("torch",),
    "jax": ("jax",),
    "numpy": ("numpy",),
    "mixed": ("torch", "jax"),
    "plain": (),
}
_PATIENCE = 90.0  # seconds for one case


@dataclass(frozen=True, slots=True)
class Scene:
    """What a case does, what it must leave alone, and which outcomes are right.

    An outcome is the name of a verdict, of what was returned ("True"), or of what was raised. Of
    an exception any class that it is of counts: "SecantError" takes everything of ours.
    """

    act: Callable[[], Any]
    watched: Any = ()
    outcomes: tuple[str, ...] = ("PASS",)
    says: str = ""  # words that the report, or the exception, must have
    may_change: tuple[str, ...] = ()  # beginnings of paths that the case itself changes


@dataclass(frozen=True, slots=True)
class Case:
    """A name that is a sentence, and what makes the scene, in the process of the case."""

    name: str
    make: Callable[[], Scene]


@dataclass(frozen=True, slots=True)
class Result:
    """How a case went; clean if nothing is wrong."""

    family: str
    name: str
    outcome: str
    wrong: tuple[str, ...]
    seconds: float

    def __str__(self) -> str:
        said = "".join(f"\n      {one}" for one in self.wrong) if self.wrong else ""
        return f"{self.family}: {self.name}: {self.outcome}{said}"


def families(framework: str) -> list[str]:
    """Return the names of the files that need this framework."""
    return sorted(path.stem for path in FOLDER.glob(f"{framework}_*.py"))


def load(framework: str) -> Iterator[tuple[str, Case]]:
    """Import the framework, then yield its cases with their families."""
    for name in FRAMEWORKS[framework]:
        importlib.import_module(name)
    seen = set()
    for family in families(framework):
        for case in importlib.import_module(f"hostile.{family}").CASES:
            assert (family, case.name) not in seen, f"{family} has two cases named {case.name}"
            seen.add((family, case.name))
            yield family, case


def run_all(framework: str, thin: int = 1, only: str = "") -> Iterator[Result]:
    """Run the cases of a framework, every `thin`-th of each family; `only` is a part of a name."""
    _warm(framework)
    number: dict[str, int] = {}
    for family, case in load(framework):
        number[family] = number.get(family, -1) + 1
        if number[family] % thin == 0 and only in f"{family}: {case.name}":
            yield run(family, case)


def run(family: str, case: Case) -> Result:
    """Run one case in a fork."""
    started = time.monotonic()
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        code = 70
        try:
            os.close(reading)
            found = json.dumps(_perform(case)).encode()
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(found)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    content, is_late = _read(reading, started + _PATIENCE)
    os.close(reading)
    if is_late:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    seconds = time.monotonic() - started
    if is_late:
        return Result(family, case.name, "hangs", (f"no end after {_PATIENCE:g} s",), seconds)
    if not content:
        code = os.waitstatus_to_exitcode(status)
        return Result(family, case.name, "died", (f"its process ended with {code}",), seconds)
    outcome, wrong = json.loads(content)
    return Result(family, case.name, outcome, tuple(wrong), seconds)


def _read(pipe: int, deadline: float) -> tuple[bytes, bool]:
    """Return all that comes through a pipe, and whether it took too long."""
    content = b""
    while True:
        ready, _, _ = select.select([pipe], [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            return b"", True
        chunk = os.read(pipe, 1 << 16)
        if not chunk:
            return content, False
        content += chunk


def _warm(framework: str) -> None:
    """Import what every check imports, so that a fork need not."""
    import secant._check
    import secant._compare.conduct
    import secant._localise.conduct

    for name in ("numpy.ma", "hostile.state"):
        importlib.import_module(name)
    for name in FRAMEWORKS[framework]:
        importlib.import_module(name)
    for name in FRAMEWORKS[framework]:
        if name != "jax":  # threads of its own, which no fork may inherit
            importlib.import_module(
                f"secant._backends.{'arrays.numpy' if name == 'numpy' else f'{name}.backend'}"
            )
    if "torch" in FRAMEWORKS[framework]:
        import torch
        import torch._dynamo  # a mode's first call would

        import secant._backends.torch.modules.record
        import secant.torch  # noqa: F401

        torch.set_num_threads(1)


def _perform(case: Case) -> tuple[str, list[str]]:
    """Make the scene, act, and say what was wrong about it."""
    from .state import differences, state

    scene = case.make()
    before = state(scene.watched)
    text = ""
    try:
        answer = scene.act()
    except BaseException as error:
        names = [kind.__name__ for kind in type(error).__mro__]
        outcome, text = names[0], str(error)
        trail = "".join(traceback.format_exception(error)[-6:])
    else:
        verdict = getattr(answer, "verdict", None)
        names = [str(answer) if verdict is None else verdict.name]
        outcome, text, trail = names[0], str(answer), ""
    after = state(scene.watched)
    wrong = [
        one for one in differences(before, after) if not one.startswith(scene.may_change or ("\0",))
    ]
    if not set(names) & set(scene.outcomes):
        wrong.append(f"expected {' or '.join(scene.outcomes)}; got {outcome}: {text[:600]}{trail}")
    elif scene.says not in text:
        wrong.append(f"expected it to say {scene.says!r}; got {text[:600]}")
    return outcome, wrong


def serve(arguments: Sequence[str]) -> None:
    """Run the cases of one framework and print a line of JSON for each."""
    framework, thin, only = arguments
    for one in run_all(framework, int(thin), only):
        print(json.dumps([one.family, one.name, one.outcome, one.wrong, one.seconds]), flush=True)


if __name__ == "__main__":
    from hostile import harness  # under its own name, so that cases and runner share one `Case`

    harness.serve(sys.argv[1:])

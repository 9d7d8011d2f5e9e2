"""The code in the documentation, run: the Python blocks of a page share one namespace.

    ```python          is run, unless `<!-- not run: reason -->` stands on the line before it;
    ```                right after a block that prints is what it must print;
    <!-- before: -->   holds code that is run and not shown, for a page of fragments.

Words must be printed as they are written. Numbers may differ by 1 %, numbers of evaluations and
pulls by a factor of two, and what a machine decides (error bars, seconds, roundings, resolutions)
by a factor of a thousand. A line `…` stands for any lines.

`python tests/docs/blocks.py PAGE...` runs pages and writes down what their blocks print.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ELISION = "…"
_FENCE = re.compile(r"^```(\S*)\s*$")
_NOT_RUN = re.compile(r"^<!-- not run: (.+) -->$")
_BEFORE = "<!-- before:"
_DURATIONS = re.compile(r", seconds \S+ → \S+")  # left out where a busy machine makes them the same
_PLACE = re.compile(r"^(  code +.*, )\S+:\d+$")
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
# How far a number may be off: by a factor, where this is before it or that is after it.
_MACHINE = 1e3  # its own: how fast it is, and how it rounds
_COUNT = 2.0  # of questions: a rounding decides whether one more is asked
_BEFORE_NUMBER = (
    (re.compile(r"(± |above |seconds |seconds \S+ → )$"), _MACHINE),
    (re.compile(r"(evaluations|pulls|pushes) (\S+ → )?$"), _COUNT),
)
_AFTER_NUMBER = (
    (re.compile(r" (error bars|s|roundings)\b"), _MACHINE),
    (re.compile(r" (evaluations?|pulls?|push(es)?)\b"), _COUNT),
)
_CLOSE = 1.01


@dataclass(frozen=True)
class Block:
    """A piece of code on a page, and what it is to print."""

    line: int  # of the opening fence, counted from 1
    code: str
    reason: str = ""  # why it is not run, if it is not
    expected: str | None = None
    expected_lines: tuple[int, int] = (0, 0)  # of the expected text, from 0, the end excluded


def blocks_of(text: str) -> Iterator[Block]:
    """Yield the Python blocks of a page, in their order."""
    lines = text.splitlines()
    place = 0
    while place < len(lines):
        if lines[place].startswith(_BEFORE):
            end = lines.index("-->", place)
            yield Block(place + 1, "\n".join(lines[place + 1 : end]))
            place = end
        elif fence := _FENCE.match(lines[place]):
            end = lines.index("```", place + 1)
            if fence.group(1) == "python":
                reason = _NOT_RUN.match(_before(lines, place))
                expected, span = _expected(lines, end + 1)
                code = "\n".join(lines[place + 1 : end])
                why = reason.group(1) if reason else ""
                yield Block(place + 1, code, why, expected, span)
            place = end
        place += 1


def _before(lines: Sequence[str], place: int) -> str:
    above = [line for line in lines[:place] if line.strip()]
    return above[-1].strip() if above else ""


def _expected(lines: Sequence[str], start: int) -> tuple[str | None, tuple[int, int]]:
    """Return the block without a language that follows at once, if there is one."""
    while start < len(lines) and not lines[start].strip():
        start += 1
    if start == len(lines) or lines[start] != "```":
        return None, (0, 0)
    end = lines.index("```", start + 1)
    return "\n".join(lines[start + 1 : end]), (start + 1, end)


def run(page: Path, root: Path) -> list[tuple[Block, str]]:
    """Run a page; return what every block printed, those that are not run left out."""
    namespace: dict[str, Any] = {"__name__": "page"}
    done = []
    for block in blocks_of(page.read_text(encoding="utf-8")):
        if block.reason:
            continue
        # as many empty lines before it as the page has, so that a traceback names the page's line
        source = "\n" * block.line + block.code
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(source, str(page.relative_to(root)), "exec"), namespace)
        done.append((block, printed.getvalue().rstrip("\n")))
    return done


def difference(expected: str, printed: str) -> str | None:
    """Say where a print differs from what the page shows, None where it does not."""
    wanted, got = expected.splitlines(), printed.splitlines()
    place = 0
    for number, line in enumerate(wanted):
        if line.strip() == ELISION:
            rest = len([one for one in wanted[number + 1 :] if one.strip() != ELISION])
            following = wanted[number + 1] if number + 1 < len(wanted) else None
            last = len(got) - rest
            while place < last and (following is None or not _is_alike(following, got[place])):
                place += 1
            continue
        if place == len(got):
            return f"nothing more is printed; the page has {line!r}"
        if not _is_alike(line, got[place]):
            return f"printed  {got[place]!r}\nthe page {line!r}"
        place += 1
    return None if place == len(got) else f"the page leaves out {got[place]!r}"


def _is_alike(wanted: str, got: str) -> bool:
    wanted, got = (_DURATIONS.sub("", line) for line in (wanted, got))
    wanted, got = (line.replace("a rounding", "1 roundings") for line in (wanted, got))
    if _words(wanted) != _words(got):
        return False
    return all(
        _is_close(one, other) for one, other in zip(_numbers(wanted), _numbers(got), strict=True)
    )


def _words(line: str) -> list[str]:
    line = _PLACE.sub(r"\1somewhere", line)  # a page stands for a file of the reader's
    return _NUMBER.sub("#", line).split()


def _numbers(line: str) -> list[tuple[float, float]]:
    """Return the numbers of a line, each with the factor that it may be off by."""
    line = _PLACE.sub(r"\1", line)
    numbers = []
    for match in _NUMBER.finditer(line):
        before, after = line[: match.start()], line[match.end() :]
        factors = [
            *(factor for words, factor in _BEFORE_NUMBER if words.search(before)),
            *(factor for words, factor in _AFTER_NUMBER if words.match(after)),
        ]
        numbers.append((float(match.group().replace(",", "")), max(factors, default=_CLOSE)))
    return numbers


def _is_close(one: tuple[float, float], other: tuple[float, float]) -> bool:
    (a, factor), (b, _) = one, other
    if a * b > 0:
        return abs(math.log(a / b)) <= math.log(factor)
    return math.isclose(a, b, abs_tol=1e-12)


def write(page: Path, root: Path) -> None:
    """Write down what the blocks of a page print, where the page shows something else."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for block, printed in reversed(run(page, root)):
        if block.expected is not None and difference(block.expected, printed) is not None:
            start, end = block.expected_lines
            lines[start:end] = printed.splitlines()
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    here = Path.cwd()
    for name in sys.argv[1:]:
        write(here / name, here)

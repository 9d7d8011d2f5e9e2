"""What all commands that ask do with the answer: write files, print it, leave with its code."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .._errors import InputError, expected
from .exits import leave
from .printing import show, write

if TYPE_CHECKING:
    from .._report.comparison import Comparison
    from .._report.localisation import Localisation
    from .._report.model import Report

_ENDINGS = (".html", ".json", ".txt")


def report_files(names: Sequence[str | Path] | None) -> list[Path]:
    """Return the files for a report, or say before the check why one could not be written."""
    files = [Path(name) for name in names or ()]
    for file in files:
        if file.suffix not in _ENDINGS:
            raise expected("report", "a file name that ends in .html, .json or .txt", str(file))
        if not file.parent.is_dir():
            raise InputError(
                f"expected a folder for the report {str(file)!r}; there is no {file.parent}"
            )
    return files


@contextlib.contextmanager
def printing_elsewhere(is_wanted: bool) -> Iterator[None]:
    """Let what the user's code prints go to standard error, so that the output is one document."""
    if not is_wanted:
        yield
        return
    with contextlib.redirect_stdout(sys.stderr):
        yield


def deliver(
    made: Report | Comparison | Localisation,
    files: Sequence[Path],
    *,
    is_json: bool,
    is_quiet: bool,
    remarks: Sequence[str] = (),
) -> None:
    """Write and print an answer, and leave with the exit code of its verdict."""
    for file in files:
        made.save(file)
    if is_json:
        write(made.to_json())
    elif not is_quiet:
        show(made)
        for line in remarks:
            write(line)
    leave(made.verdict.name)

"""What has been asked so far, in a file of JSON lines: a header, then every item with its cases.

Lines are written whole and at once, so that an interruption costs the last one at most.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from .._errors import InputError, spell
from .._report.json.format import FORMAT
from .._report.json.reading import Misfit, taken
from .._report.suite import Case
from .ask import ItemAnswer
from .plan import Item, Plan

_KIND = "audit"
_ANSWER = {one.name for one in fields(ItemAnswer)}


class State:
    """A file that remembers answers; without a path, it remembers nothing."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: Any = None

    def open(self, plan: Plan, versions: tuple[str, ...]) -> dict[Item, ItemAnswer]:
        """Return what is known already; begin the file if there is none."""
        if self._path is None:
            return {}
        header = {
            "format": FORMAT,
            "kind": _KIND,
            "settings": plan.decisive,
            "versions": list(versions),
        }
        try:
            whole = self._path.read_bytes() if self._path.exists() else b""
            kept = whole[: whole.rfind(b"\n") + 1]  # what an interruption cut short is asked again
            if not kept:
                _refuse_foreign(self._path, whole, header)
            known = _read(self._path, kept, header)
            self._file = self._path.open("r+b" if whole else "wb")
            self._file.truncate(len(kept))
            self._file.seek(len(kept))
        except OSError as error:
            raise InputError(
                f"expected `state` to be a file that can be written; {spell(error)}"
            ) from error
        if not kept:
            self._write(header)
        return known

    def add(self, answer: ItemAnswer) -> None:
        """Write an answer down."""
        if self._file is not None:
            self._write(asdict(answer))

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(_spelt(line))
        self._file.flush()

    def __enter__(self) -> State:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._file is not None:
            self._file.close()


def _spelt(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _refuse_foreign(path: Path, whole: bytes, header: Mapping[str, Any]) -> None:
    """Say that a file is somebody else's, unless it is a header that was cut short."""
    if not _spelt(header).startswith(whole):
        raise InputError(
            f"expected {path.name} to be the state of an audit, or not to exist; it holds "
            "something else, which would be lost. Give another file"
        )


def _read(path: Path, content: bytes, header: Mapping[str, Any]) -> dict[Item, ItemAnswer]:
    lines = content.splitlines()
    if not lines:
        return {}
    try:
        found = json.loads(lines[0])
        if found["kind"] != _KIND or found["format"] != FORMAT:
            raise Misfit(f"its kind is {found['kind']!r}, its format {found['format']!r}")
        told, asked = _differences(found, header)
        answers = [] if told else [_answer_of(json.loads(line)) for line in lines[1:]]
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        said = str(error) if isinstance(error, (Misfit, InputError)) else spell(error)
        raise InputError(f"expected {path.name} to be the state of an audit; {said}") from error
    if told:
        raise InputError(
            f"expected {path.name} to be of this audit; it is of one with {told}, and now "
            f"{asked} is asked for. Give another file, or delete this one"
        )
    return {answer.item: answer for answer in answers}


def _answer_of(record: Any) -> ItemAnswer:
    """Return an answer that was written down; every case of it must be one."""
    if not isinstance(record, dict) or not record.keys() <= _ANSWER:
        raise Misfit("a line holds no answer")
    cases = record.get("cases", [])
    if not isinstance(cases, list):
        raise Misfit("cases are no list")
    for case in cases:
        taken(Case, case)
    return ItemAnswer(
        taken(Item, record["item"], "item"),
        tuple(cases),
        taken(str, record.get("skipped", ""), "skipped"),
        taken(int, record.get("samples", 0), "samples"),
    )


def _differences(found: Mapping[str, Any], header: Mapping[str, Any]) -> tuple[str, str]:
    """Return in words what a file was made with, and what is asked now, where they differ."""
    pairs = [
        (f"{key} {found['settings'].get(key)}", f"{key} {value}")
        for key, value in header["settings"].items()
        if found["settings"].get(key) != value
    ]
    if found["versions"] != header["versions"]:
        pairs += [
            (theirs, ours)
            for theirs, ours in zip(found["versions"], header["versions"], strict=False)
            if theirs != ours
        ]
    return ", ".join(told for told, _ in pairs), ", ".join(asked for _, asked in pairs)

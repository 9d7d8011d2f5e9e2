"""Files from elsewhere, read without any framework: refused in one sentence, left as they are."""

from __future__ import annotations

import functools
import json
import os
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from secant import Comparison, Localisation, Report
from secant._commands.question.files import read
from secant._commands.reports import reading
from secant._report.json.format import FORMAT
from secant._report.suite import Suite

from .harness import Case, Scene

COST = {"evaluations": 1, "pulls": 1, "pushes": 0, "seconds": 0.1, "peak_bytes": 0}
REPORT: dict[str, Any] = {
    "format": FORMAT,
    "kind": "report",
    "name": "f",
    "seed": 1,
    "versions": ["secant 0.1.0"],
    "rerun": "",
    "cost": COST,
    "findings": [
        {"verdict": "PASS", "kind": "derivative", "subject": "s", "where": "w", "message": "m"}
    ],
    "jacobians": [],
}
CHANGES: dict[str, Any] = {
    "a name that is a number": {"name": 3},
    "findings that are no list": {"findings": "x"},
    "a finding that is none": {"findings": [None]},
    "a verdict that is none": {"findings": [{**REPORT["findings"][0], "verdict": "MAYBE"}]},
    "a bar that is a word": {
        "findings": [{**REPORT["findings"][0], "measured": {"value": 1, "error": "x"}}]
    },
    "a cost of words": {"cost": {**COST, "seconds": "long"}},
    "a cost that lacks something": {"cost": {}},
    "a seed that is true": {"seed": True},
    "versions that are a number": {"versions": 3},
    "a Jacobian of no shape": {
        "jacobians": [
            {"output": "o", "input": "i", "claimed": [[1]], "measured": [1], "error": [[1, 2]]}
        ]
    },
    "half of a character": {"name": "\ud800"},
    "another format": {"format": FORMAT + 1},
    "a kind that is a list": {"kind": []},
}
TEXTS: dict[str, str] = {
    "nothing": "",
    "a list": "[]",
    "half a document": json.dumps(REPORT)[:80],
    "brackets without end": "[" * 100_000,
    "a number without end": f'{{"seed": {"9" * 5000}}}',
    "NULs": "\x00" * 100,
    "a byte-order mark": "\ufeff" + json.dumps(REPORT),
}


def _file(name: str, content: bytes) -> Path:
    path = Path(tempfile.mkdtemp()) / name
    path.write_bytes(content)
    return path


def _left_alone(path: Path, act: Callable[[], Any]) -> Any:
    """Act, and insist that the file is as it was."""
    before, stamp = path.read_bytes(), path.stat().st_mtime_ns
    try:
        return act()
    finally:
        assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, stamp), "it was written to"
        os.remove(path)
        path.parent.rmdir()


def _document(text: str) -> Scene:
    path = _file("report.json", text.encode("utf-8", "surrogatepass"))
    return Scene(
        lambda: _left_alone(path, lambda: reading.load(str(path))), (), ("InputError",), "expected"
    )


def _other(kind: Any, text: str) -> Scene:
    return Scene(lambda: kind.from_json(text), (), ("InputError",), "expected")


def _array(name: str, content: bytes) -> Scene:
    path = _file(name, content)
    backend: Any = None
    return Scene(
        lambda: _left_alone(path, lambda: read(path, "", backend)), (), ("InputError",), path.name
    )


def _bomb(entries: int) -> Scene:
    path = Path(tempfile.mkdtemp()) / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for k in range(entries):
            archive.writestr(f"{k}.npy", bytes(2**28))
    backend: Any = None
    return Scene(
        lambda: _left_alone(path, lambda: read(path, "0", backend)),
        (),
        ("InputError",),
        "unpack to",
    )


CASES = [
    *(
        Case(
            f"a report with {name}", functools.partial(_document, json.dumps({**REPORT, **change}))
        )
        for name, change in CHANGES.items()
    ),
    *(
        Case(
            f"a report without {name}",
            functools.partial(
                _document, json.dumps({key: one for key, one in REPORT.items() if key != name})
            ),
        )
        for name in REPORT
    ),
    *(
        Case(f"a file of {name}", functools.partial(_document, text))
        for name, text in TEXTS.items()
    ),
    *(
        Case(f"{kind.__name__} of {name}", functools.partial(_other, kind, text))
        for kind in (Report, Comparison, Localisation, Suite)
        for name, text in TEXTS.items()
    ),
    *(
        Case(f"an archive of {what} that is {name}", functools.partial(_array, name, content))
        for what, content in {
            "nothing": b"",
            "junk": b"PK\x03\x04 junk",
            "a pickle": b"\x80\x04\x95\x00.",
            "a header": b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'shape': (9**99,)}",
        }.items()
        for name in ("x.npz", "x.npy")
    ),
    Case("an archive that unpacks to more than a gigabyte", functools.partial(_bomb, 5)),
]

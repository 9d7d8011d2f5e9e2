"""The documents a newcomer reads first are short, and name only what exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "secant"
NEW = {"src/secant/_laws/finite.py", "src/secant/_spaces/upper.py"}  # made by the reader


@pytest.mark.parametrize(("name", "most"), [("README.md", 150), ("ARCHITECTURE.md", 200)])
def test_a_document_stays_short(name, most):
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= most


@pytest.mark.parametrize("name", ["ARCHITECTURE.md", "docs/inside.md", "docs/first-change.md"])
def test_every_file_and_room_that_is_named_exists(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/]+(?:\.py|/))`", text)) - NEW
    every = {file.relative_to(ROOT).as_posix() for file in SOURCE.rglob("*")} | {
        "src/_secant_pytest"
    }
    folders = {path.parent.relative_to(ROOT).as_posix() for path in SOURCE.rglob("*.py")}
    known = [*every, *folders, *(path.name for path in ROOT.iterdir())]
    known += [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*")]
    missing = [
        one
        for one in named
        if not any(f"/{path}".endswith(f"/{one.rstrip('/')}") for path in known)
    ]
    assert named
    assert missing == []


def test_the_flow_in_the_architecture_is_the_one_that_is_checked():
    from test_architecture import FLOW

    (line,) = re.findall(r"^_records  .*$", (ROOT / "ARCHITECTURE.md").read_text("utf-8"), re.M)
    written = [set(rooms.split(" | ")) for rooms in re.split(r"  +", line.strip())]
    assert written == [set(rooms) for rooms in FLOW]

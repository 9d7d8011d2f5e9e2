"""The verbs spell their keywords out: a type checker accepts right calls and refuses wrong ones."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import secant
from secant import _keywords as keywords
from secant._compare.settings import CompareSettings
from secant._processes.settings import CONVENTIONS
from secant._settings import ABOUT_GROUPS, GIVEN, LIFTS, MODES, PROBES, Settings

HERE = Path(__file__).parent
ROOT = Path(secant.__file__).parent
# what the calls are held against; all else is taken for granted, which takes seconds, not minutes
READ = [ROOT / "__init__.py", ROOT / "_entry.py", ROOT / "_keywords.py"]
READ += [ROOT.parent / "_secant_pytest" / "gradient.py"]


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    """Return (file, line, code) of everything that mypy refuses in the calls."""
    calls = [HERE / "calls.py", HERE / "fixture.py"]
    command = [sys.executable, "-m", "mypy", "--config-file=", "--follow-imports=skip"]
    command += ["--cache-dir", str(tmp_path_factory.mktemp("mypy")), *map(str, calls + READ)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return set(re.findall(r"(calls|fixture)\.py:(\d+): error: .*\[([a-z-]+)\]", said))


@pytest.mark.parametrize("name", ["calls", "fixture"])
def test_a_type_checker_refuses_what_is_marked_and_nothing_else(name, errors):
    lines = (HERE / f"{name}.py").read_text(encoding="utf-8").splitlines()
    marked = {
        (name, str(number), line.partition("# refused: ")[2])
        for number, line in enumerate(lines, 1)
        if "# refused: " in line
    }
    assert marked
    assert {one for one in errors if one[0] == name} == marked


def test_the_keywords_are_those_that_settings_have():
    own = {field.name for field in fields(Settings)}
    assert set(get_type_hints(keywords.LocaliseKeywords)) == own
    assert set(get_type_hints(keywords.CheckKeywords)) == own | {*GIVEN, *ABOUT_GROUPS}
    compared = {field.name for field in fields(CompareSettings)}
    assert set(get_type_hints(keywords.CompareKeywords)) == compared


def test_the_choices_are_those_that_are_validated():
    hints = get_type_hints(keywords.LocaliseKeywords)
    assert get_args(hints["modes"]) == MODES
    assert get_args(hints["probe"]) == PROBES
    assert get_args(hints["lift"]) == LIFTS
    assert get_args(keywords.Convention) == CONVENTIONS

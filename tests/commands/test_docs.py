"""The page about the command line: its commands are run, and what it shows is what they print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from docs.blocks import difference

PAGE = Path(__file__).parent.parent.parent / "docs" / "command-line.md"
TEXT = PAGE.read_text(encoding="utf-8")
FILES = dict(re.findall(r'```python title="(\w+\.py)"\n(.*?)```', TEXT, re.DOTALL))
BLOCKS = re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)


def sessions(block):
    """Return each command of a block with what is shown below it."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [tuple(part.partition("\n")[::2]) for part in parts]


def test_the_page_shows_something():
    assert len(BLOCKS) >= 5
    assert set(FILES) == {"kernels.py", "fit.py"}


@pytest.mark.parametrize("block", BLOCKS, ids=[sessions(block)[0][0] for block in BLOCKS])
def test_a_command_prints_what_the_page_shows(run, folder, block):
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    for command, shown in sessions(block):
        program, *arguments = shlex.split(command)
        if program == "sed":
            edit_with_sed(folder, *arguments)
        else:
            _, out, err = run(*arguments)
            apart = difference(shown, out + err)
            assert apart is None, f"{command}\n{apart}\n\n{out}{err}"


def edit_with_sed(folder, flag, script, name):
    """Do what the one form of sed on the page does."""
    assert flag == "-i"
    _, before, after, _ = script.split("/")
    text = (folder / name).read_text(encoding="utf-8")
    assert before in text
    (folder / name).write_text(text.replace(before, after, 1), encoding="utf-8")
    import importlib
    import sys

    sys.modules.pop(name.removesuffix(".py"), None)
    importlib.invalidate_caches()

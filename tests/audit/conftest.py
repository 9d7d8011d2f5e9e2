"""The command line, with a planted catalogue within reach of every process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from secant.cli import main

HERE = str(Path(__file__).parent)
PLANTED = "planted_catalogue:CATALOGUE"


@pytest.fixture(autouse=True)
def planted(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(HERE)
    inherited = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (HERE, inherited))))
    monkeypatch.setenv("PLANTED_DEATHS", str(tmp_path))


@pytest.fixture
def run(monkeypatch, capsys):
    """Audit here; return the exit code, what was printed, and the complaints."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["secant", "audit", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return left.value.code, printed.out, printed.err

    return call


@pytest.fixture
def start():
    """Audit in a process of its own; it is ended with the test."""
    begun = []

    def call(*arguments, **environment):
        process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "secant", "audit", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, **environment},
        )
        begun.append(process)
        return process

    yield call
    for process in begun:
        process.kill()
        process.communicate()

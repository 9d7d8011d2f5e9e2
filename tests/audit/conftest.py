"""The command line, with a planted catalogue within reach of every process."""

from __future__ import annotations

import math
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
def gate(monkeypatch, tmp_path):
    """Where workers wait, so that what happens midway happens midway however fast they are."""
    monkeypatch.setenv("PLANTED_GATE", str(tmp_path / "gate"))
    return Gate(tmp_path / "gate")


class Gate:
    """Is shut, until it is opened once and for all."""

    def __init__(self, folder):
        self._folder = folder
        folder.mkdir()

    def is_reached_by(self, pid):
        return (self._folder / str(pid)).exists()

    def is_reached(self):
        return any(self._folder.iterdir())

    def open(self):
        (self._folder / "open").touch()


@pytest.fixture
def run(monkeypatch, capsys):
    """Audit here; return the exit code, what was printed, and the complaints."""
    monkeypatch.setattr("secant._audit.progress._PAUSE", math.inf)  # a slow machine says no more

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

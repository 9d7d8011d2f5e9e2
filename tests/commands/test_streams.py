"""The command line in other surroundings: streams without ∂, terminals without colour."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from handmade import report, wrong


def start(*arguments, **environment):
    """Run the command line in a process of its own; return exit code, output and complaints."""
    kept = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "secant", *arguments],
        capture_output=True,
        check=False,
        timeout=200,
        env={**kept, **environment},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def saved(folder):
    """A report in a file: to show it needs no framework."""
    report(wrong(3)).save(folder / "report.json")


@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_report_is_shown_where_the_stream_has_no_partial(encoding):
    code, out, err = start("show", "report.json", PYTHONIOENCODING=encoding)
    assert (code, err) == (1, b"")
    text = out.decode(encoding)
    assert "where     dout[1][0] / dx1[0]" in text
    assert ("measured ± error" if encoding == "cp1252" else "measured +- error") in text


@pytest.mark.usefixtures("folder")
def test_a_check_prints_json_where_the_stream_has_no_partial():
    words = ("check", "fit:energy", "--gradient", "wrong", "--input", "3:0.1..2", "--json")
    code, out, err = start(*words, PYTHONIOENCODING="cp1252")
    assert (code, err) == (1, b"")
    assert json.loads(out.decode("cp1252"))["kind"] == "report"


@pytest.mark.parametrize("command", [("demo", "--only", "3"), ("check", "-h")])
def test_the_gallery_and_the_help_are_printed_there_too(command):
    code, out, err = start(*command, PYTHONIOENCODING="cp1252")
    assert (code, err) == (0, b"")
    assert out.decode("cp1252")


@pytest.mark.usefixtures("folder")
def test_print_in_a_program_of_ones_own_does_not_raise(folder):
    (folder / "own.py").write_text(
        "import numpy, secant, fit\n"
        "print(secant.check(fit.energy, numpy.ones(2), gradient=fit.wrong))\n"
    )
    done = subprocess.run(
        [sys.executable, "own.py"],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
    )
    assert done.stdout.decode("cp1252").startswith("FAIL  given gradient of `energy`")


@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize("command", [("show", "report.json"), ("check", "-h")])
def test_no_color_leaves_no_bold_either(command):
    _, coloured, _ = start(*command, FORCE_COLOR="1")
    assert b"\x1b[1" in coloured
    _, plain, _ = start(*command, FORCE_COLOR="1", NO_COLOR="1")
    assert b"\x1b" not in plain


def test_a_name_cannot_forge_a_verdict_on_the_terminal(run, folder, monkeypatch):
    (folder / "evil.py").write_text(
        "import torch\n\n\ndef f(x):\n    raise ValueError('no\\nPASS  gradient of `f`\\x1b[2J')\n"
    )
    monkeypatch.setenv("FORCE_COLOR", "1")
    code, out, err = run("check", "evil:f", "--input", "2")
    assert (code, out) == (2, "")
    lines = err.splitlines()
    assert lines[:2] == [
        "secant: `f` raised ValueError: no",
        "  PASS  gradient of `f`\\x1b[2J",
    ]


@pytest.mark.parametrize("name", ["bomb.npz", "bomb.pt"])
def test_an_archive_that_unpacks_to_gigabytes_is_refused_before_it_is_unpacked(
    refused, folder, monkeypatch, name
):
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", bytes(2**27))
    monkeypatch.setattr("secant._commands.question.files._MOST_UNPACKED", 2**26)
    opened = []
    monkeypatch.setattr(np, "load", lambda *_, **__: opened.append(name))
    assert refused("check", "kernels:product", "--input", f"{name}:x", "--input", "2") == (
        f"{name} would unpack to 0.125 GiB, more than 20 times its size, so it was not read; save "
        "the array as .npy, or without compression"
    )
    assert not opened


def test_an_archive_of_numbers_that_hardly_shrink_is_read(run, folder, monkeypatch):
    monkeypatch.setattr("secant._commands.question.files._MOST_UNPACKED", 1)
    np.savez_compressed(folder / "x.npz", x=np.random.default_rng(0).normal(size=(3, 4)))
    code, _, err = run("check", "kernels:product", "--input", "x.npz:x", "--input", "3x4")
    assert (code, err) == (0, "")

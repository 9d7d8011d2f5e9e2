"""The command line: what it prints, and how it exits."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

import secant
from secant._gallery import torch_gallery
from secant.cli import main


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command line here; return its exit code, what it printed, and its complaints."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["secant", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return left.value.code, printed.out, printed.err

    return call


def run_elsewhere(*arguments, before=""):
    """Run the command line in a process of its own, after some other code."""
    script = f"import sys; {before}\nfrom secant.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", script, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def test_the_demo_passes_through_python_dash_m():
    done = subprocess.run(
        [sys.executable, "-m", "secant", "demo"], capture_output=True, text=True, encoding="utf-8"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "verdicts are the expected ones" in done.stdout


def test_only_shows_the_exhibits_asked_for(run):
    code, out, err = run("demo", "--only", "10", "--only", "2")
    assert (code, err) == (0, "")
    assert "2 of 2 verdicts are the expected ones" in out
    assert "The wrong sign" in out
    assert "A sine" not in out


def test_list_shows_titles_and_checks_nothing(run):
    code, out, err = run("demo", "--list")
    assert (code, err) == (0, "")
    assert "A sine" in out
    assert "evaluations" not in out


def test_an_unexpected_verdict_exits_with_1(run, monkeypatch):
    changed = replace(torch_gallery.EXHIBITS[0], expected="FAIL")
    monkeypatch.setattr(torch_gallery, "EXHIBITS", (changed,))
    code, out, err = run("demo")
    assert (code, err) == (1, "")
    assert "SURPRISE  expected FAIL, found PASS" in out


def test_a_missing_framework_is_one_line_and_exit_code_2():
    done = run_elsewhere("demo", before="sys.modules['torch'] = None")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "secant: expected a framework with a gallery to be installed (torch); none is. "
        'Try: pip install "secant[torch]"\n'
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["demo", "--only", "99"], "secant: expected `--only` to be a number from 1 to "),
        (["demo", "--only", "0"], "got 0"),
        (["demo", "--only", "x"], "--only"),
        (["demo", "--nope"], "--nope"),
        (["nope"], "nope"),
    ],
)
def test_what_cannot_be_asked_exits_with_2_and_no_traceback(run, arguments, words):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def test_no_arguments_print_the_commands(run):
    code, out, err = run()
    assert code == 2
    assert "demo" in out + err
    assert "version" in out + err


def test_version_imports_no_framework():
    last = "import atexit; atexit.register(lambda: print('torch' in sys.modules))"
    done = run_elsewhere("version", before=last)
    assert (done.returncode, done.stdout) == (0, f"secant {secant.__version__}\nFalse\n")

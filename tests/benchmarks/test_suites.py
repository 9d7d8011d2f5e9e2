"""`benchmarks/suites.py`: other projects' tests are picked, run and counted."""

from __future__ import annotations

import subprocess
from textwrap import dedent

import pytest

pytest.importorskip("torch")
import _suite_plugin
import _suite_sources
import suites
from _suite_projects import PROJECTS, Project

TESTS = """
    import torch
    from torch.autograd import gradcheck

    t = torch.linspace(0.1, 1, 3, dtype=torch.float64, requires_grad=True)

    def helped(function):
        assert gradcheck(function, (t,))

    class TestIt:
        def test_method(self):
            helped(torch.sin)

    def test_flat():
        helped(torch.round)

    def test_other():
        raise KeyError
    """


@pytest.fixture
def toy(tmp_path):
    """Lay a project where its source distribution would be unpacked."""
    folder = tmp_path / "toy-1.0"
    folder.mkdir()
    (folder / "test_toy.py").write_text(dedent(TESTS), encoding="utf-8")
    return Project("toy", "1.0", "torch", ("test_toy.py",))


def test_tests_are_kept_that_lead_to_a_check(toy, tmp_path):
    leading = _suite_plugin._leading(tmp_path / "toy-1.0" / "test_toy.py")
    assert leading == {"helped", "test_method", "test_flat"}


@pytest.mark.slow
def test_a_project_is_run_and_counted(toy, tmp_path):
    answers = suites.run(toy, tmp_path, suites.parse([]))
    assert answers.trouble == ""
    assert [call["place"].rpartition(":")[0] for call in answers.calls] == ["test_toy.py"] * 2
    row = suites.cells("toy", "torch", [answers])
    assert row[:11] == ["toy", "torch", "2", "2", "2", "0", "0", "1", "0", "0", "1"]
    assert answers.replaced > 0


def test_a_project_that_cannot_be_run_is_listed(toy, tmp_path):
    (tmp_path / "toy-1.0" / "test_toy.py").write_text("import nothing_of_this_name\n")
    answers = suites.run(toy, tmp_path, suites.parse([]))
    assert "nothing_of_this_name" in answers.trouble
    assert suites.listing([answers])[-1].endswith("| not run |")


def test_a_disagreement_without_a_known_reason_is_called_unexplained(toy):
    word = {"said": "", "seconds": 1.0, "undecided": "", "classes": []}
    call = {
        "check": "gradcheck",
        "place": "test_toy.py:7",
        "test": "test_toy.py::test_flat",
        "original": {**word, "outcome": "passes"},
        "secant": {**word, "outcome": "fails", "said": "wrong | by far"},
        "sabotage": None,
    }
    answers = suites.Answers(toy, 1, [call, call])
    assert suites.listing([answers])[-1] == (
        "| toy | `test_toy.py:7` gradcheck | 2 | passes | fails | wrong \\| by far | "
        "**unexplained** |"
    )


def test_sources_come_from_a_repository_at_a_commit(tmp_path):
    there = tmp_path / "there"
    git = ["git", "-C", str(there), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "init", "-q", str(there)], check=True)
    (there / "test_toy.py").write_text("first = True", encoding="utf-8")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "First"], check=True)
    asked = [*git, "rev-parse", "HEAD"]
    commit = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    (there / "test_toy.py").write_text("first = False", encoding="utf-8")
    subprocess.run([*git, "commit", "-q", "-a", "-m", "Second"], check=True)
    project = Project("toy", "1.0", "torch", (), repository=str(there), commit=commit)
    source = _suite_sources.fetch(project, tmp_path / "here", "python")
    assert source.name == "toy-1.0"
    assert (source / "test_toy.py").read_text(encoding="utf-8") == "first = True"
    assert _suite_sources.fetch(project, tmp_path / "here", "python") == source  # as it is


def test_answers_of_a_run_that_was_cut_off_are_not_kept(toy, tmp_path):
    (tmp_path / "toy-1.0" / "test_toy.py").write_text("import nothing_of_this_name\n")
    (tmp_path / "toy-compare.jsonl").write_text('{"test": "a", "calls": []}\n')
    options = suites.parse(["--folder", str(tmp_path), "--kept"])
    assert "nothing_of_this_name" in suites.run(toy, tmp_path, options).trouble


def test_projects_are_named_once():
    assert len({project.name for project in PROJECTS}) == len(PROJECTS) >= 6

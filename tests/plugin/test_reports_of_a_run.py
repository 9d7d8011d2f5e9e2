"""The summary line and the report: every check of a run, named by its test."""

from __future__ import annotations

import importlib.util
import json
import sys

import pytest

from secant._report.suite import Suite

pytest_plugins = ["pytester"]

SEVERAL = """
    def test_right(gradient):
        gradient.check(np.sin, x, pull=right)

    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_two(gradient, dtype):
        gradient.check(np.sin, x.astype(dtype), pull=right)
        gradient.check(np.sin, x.astype(dtype), pull=wrong)

    def test_refused(gradient):
        gradient.check(np.sin, x, pull=right, probe="slow")
    """


def test_a_run_without_checks_says_nothing(run):
    result = run("def test_it(gradient): assert np.sin(0) == 0")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("secant: *")


def test_the_summary_counts_verdicts_and_what_they_cost(run):
    result = run(SEVERAL)
    result.assert_outcomes(passed=1, failed=3)
    line = next(line for line in result.stdout.lines if line.startswith("secant: "))
    words, evaluations, _, seconds, unit = line.rsplit(" ", 4)
    assert words == "secant: 6 checks: 2 FAIL, 1 REFUSED, 3 PASS;"
    assert int(evaluations.replace(",", "")) > 20
    assert float(seconds) > 0
    assert unit == "s"


def test_a_json_report_holds_every_check_with_its_test_and_labels(run, pytester):
    result = run(SEVERAL, "--secant-report=out.json")
    result.stdout.fnmatch_lines(["secant: report written to out.json"])
    suite = Suite.from_json((pytester.path / "out.json").read_text(encoding="utf-8"))
    assert [(case.name, case.outcome) for case in suite.cases] == [
        ("test_it.py::test_right", "PASS"),
        ("test_it.py::test_two[float32] (1)", "PASS"),
        ("test_it.py::test_two[float32] (2)", "FAIL"),
        ("test_it.py::test_two[float64] (1)", "PASS"),
        ("test_it.py::test_two[float64] (2)", "FAIL"),
        ("test_it.py::test_refused", "REFUSED"),
    ]
    assert [case.labels["dtype"] for case in suite.cases[1:4]] == ["float32", "float32", "float64"]
    assert {case.labels["file"] for case in suite.cases} == {"test_it.py"}
    assert suite.cases[-1].refusal.endswith("one of auto, fast, full; got 'slow'")
    assert suite.cases[2].report.jacobians
    assert suite.evaluations > 20
    assert suite.seconds > 0
    assert any(version.startswith("secant ") for version in suite.versions)


def test_a_text_report_says_what_did_not_pass(run, pytester):
    run(SEVERAL, "--secant-report=out.txt")
    text = (pytester.path / "out.txt").read_text(encoding="utf-8")
    assert text.startswith("FAIL  pytest: 2 FAIL, 1 REFUSED, 3 PASS; ")
    assert "FAIL  test_it.py::test_two[float32] (2)  ∂out[" in text


@pytest.mark.skipif(
    importlib.util.find_spec("secant._report.pages") is None, reason="pages are not there yet"
)
def test_a_page_shows_every_check(run, pytester):
    run(SEVERAL, "--secant-report=out.html")
    page = (pytester.path / "out.html").read_text(encoding="utf-8")
    assert "test_it.py::test_two[float32] (2)" in page


def test_for_a_page_checks_keep_pictures_unless_told_otherwise(run, monkeypatch):
    monkeypatch.setattr(Suite, "save", lambda suite, path: path)
    result = run(
        """
        def test_it(gradient):
            assert gradient.check(np.sin, x, pull=right).curve is not None
            assert gradient.check(np.sin, x, pull=right, pictures=False).curve is None
            x32 = x.astype("float32")
            gradient.compare(np.sin, np.sin, x32, pull=right, reference_pull=right)
        """,
        "--secant-report=out.html",
    )
    result.assert_outcomes(passed=1)


def test_comparisons_are_cases_too(run, pytester):
    body = """
        def off(x):
            return np.sin(x) * np.float32(1.001)

        def pull(x, v):
            return np.cos(x) * v

        def test_kernel(gradient):
            gradient.compare(off, np.sin, x.astype("float32"), pull=pull, reference_pull=pull)
        """
    run(body, "--secant-report=out.json").assert_outcomes(failed=1)
    (case,) = Suite.from_json((pytester.path / "out.json").read_text(encoding="utf-8")).cases
    assert case.outcome == "FAIL"
    assert case.labels == {"file": "test_it.py", "verb": "compare", "dtype": "float32"}
    text = str(case.report)
    assert "FAIL  comparison with `sin` of `off`" in text
    assert "likely    kernel = 1.001 × truth: a constant factor is wrong" in text


def test_modules_are_cases_spoken_for_by_the_call_to_blame(run, pytester):
    pytest.importorskip("torch")
    body = """
        import torch
        from planted import scaled_sine

        class Layer(torch.nn.Module):
            def forward(self, x):
                return scaled_sine(1.05)(x)

        def test_network(gradient):
            network = torch.nn.Sequential(torch.nn.Linear(3, 2), Layer()).double()
            gradient.localise(network, torch.ones(3, dtype=torch.float64))
        """
    run(body, "--secant-report=out.json").assert_outcomes(failed=1)
    (case,) = Suite.from_json((pytester.path / "out.json").read_text(encoding="utf-8")).cases
    assert (case.outcome, case.labels["call"]) == ("FAIL", "1")
    assert "1.05 × measured" in str(case.report)


def test_a_property_is_one_check_and_the_smallest_wrong_example_speaks_for_it(run, pytester):
    body = """
        from hypothesis import given, settings
        from secant.strategies import tensors

        def sometimes_wrong(x, v):
            return (1.05 if x.size > 2 else 1) * np.cos(x) * v

        @settings(max_examples=30, derandomize=True, database=None)
        @given(x=tensors("numpy"))
        def test_sine(gradient, x):
            gradient.check(np.sin, x, pull=sometimes_wrong)

        def test_other(gradient):
            gradient.check(np.sin, x, pull=right)
        """
    result = run(body, "--secant-report=out.json")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["secant: 2 checks: 1 FAIL, 1 PASS; *"])
    suite = Suite.from_json((pytester.path / "out.json").read_text(encoding="utf-8"))
    failed, passed = suite.cases
    assert failed.name == "test_it.py::test_sine"
    assert int(failed.labels["examples"]) > 5
    assert failed.report.worst.total == 9  # three entries: the smallest that is wrong
    assert "examples" not in passed.labels


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (
            "out.pdf",
            "expected --secant-report to be a file name that ends in .html, .json or .txt;",
        ),
        ("none/out.json", "--secant-report: the folder of 'none/out.json' does not exist"),
        ("folder.txt", "--secant-report: 'folder.txt' is a folder"),
    ],
)
def test_a_report_that_cannot_be_written_is_refused_before_any_test(run, pytester, path, words):
    pytester.mkdir("folder.txt")
    result = run("def test_it(): raise KeyError", f"--secant-report={path}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert any(line.startswith(f"ERROR: {words}") for line in result.stderr.lines)


def test_a_page_without_its_libraries_is_refused_before_any_test(run, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "plotly" else found(name)
    )
    result = run("def test_it(): raise KeyError", "--secant-report=out.html")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --secant-report: a page needs plotly; run: pip install 'secant[[]html[]]'"]
    )


def test_a_report_that_fails_in_the_end_is_said_and_fails_the_run(run):
    body = """
        import os, pathlib

        def test_it(gradient):
            gradient.check(np.sin, x, pull=right)
            pathlib.Path("out.json").mkdir()
        """
    result = run(body, "--secant-report=out.json")
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["secant: out.json could not be written: *"])
    result.stdout.no_fnmatch_line("*report written*")


def test_nothing_is_written_where_nothing_runs(run, pytester):
    result = run(SEVERAL, "--secant-report=out.json", "--collect-only")
    assert result.ret == 0
    assert not (pytester.path / "out.json").exists()
    result.stdout.no_fnmatch_line("*report written*")


def test_a_run_without_checks_writes_an_empty_report(run, pytester):
    run("def test_it(): pass", "--secant-report=out.json").assert_outcomes(passed=1)
    assert json.loads((pytester.path / "out.json").read_text(encoding="utf-8"))["cases"] == []


def test_the_report_lies_where_pytest_was_called(run, pytester, monkeypatch):
    body = "import os\ndef test_it(gradient): os.chdir('/'); gradient.check(np.sin, x, pull=right)"
    folder = pytester.mkdir("elsewhere")
    monkeypatch.chdir(folder)
    pytester.makepyfile(test_it="")
    result = run(body, str(pytester.path / "test_it.py"), "--secant-report=out.txt")
    assert result.ret == 0
    assert (folder / "out.txt").exists()
    assert "secant" in sys.modules

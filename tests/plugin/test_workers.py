"""Under xdist: checks made by workers are summed up and written by the controller."""

from __future__ import annotations

import pytest

from secant._report.suite import Suite

pytest_plugins = ["pytester"]

WORKERS = ("-n", "2", "-p", "xdist")


def suite_of(pytester):
    return Suite.from_json((pytester.path / "out.json").read_text(encoding="utf-8"))


def test_checks_of_all_workers_are_counted_and_written_once(run, pytester):
    body = """
        @pytest.mark.parametrize("number", range(6))
        def test_many(gradient, number):
            gradient.check(np.sin, x, pull=right)
            gradient.check(np.sin, x, pull=right if number else wrong)
        """
    result = run(body, *WORKERS, "--secant-report=out.json", "--secant-seed=3", apart=True)
    result.assert_outcomes(passed=5, failed=1)
    assert (
        sum(line.startswith("secant: 12 checks: 1 FAIL, 11 PASS; ") for line in result.outlines)
        == 1
    )
    suite = suite_of(pytester)
    names = {f"test_it.py::test_many[{k}] ({check})" for k in range(6) for check in (1, 2)}
    assert {case.name for case in suite.cases} == names
    assert len(suite.cases) == 12
    assert {case.report.seed for case in suite.cases} == {3}
    failed = [case for case in suite.cases if case.outcome == "FAIL"]
    assert [case.name for case in failed] == ["test_it.py::test_many[0] (2)"]
    assert "1.05 × measured" in str(failed[0].report)
    result.stdout.fnmatch_lines(["*test_it.py:*: GradientMismatch"])


def test_a_worker_that_crashes_loses_the_test_it_was_running_alone(run, pytester):
    body = """
        import os

        @pytest.mark.parametrize("number", range(6))
        def test_many(gradient, number):
            gradient.check(np.sin, x, pull=right)
            if number == 3:
                os._exit(1)
        """
    result = run(body, *WORKERS, "--secant-report=out.json", apart=True)
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(["secant: 5 checks: 5 PASS; *"])
    assert {case.name for case in suite_of(pytester).cases} == {
        f"test_it.py::test_many[{number}]" for number in (0, 1, 2, 4, 5)
    }


def test_a_bad_mark_is_said_once_and_stops_no_worker(run):
    body = """
        @pytest.mark.secant(prob="full")
        def test_bad(gradient): pass

        def test_good(gradient): gradient.check(np.sin, x, pull=right)
        """
    result = run(body, *WORKERS, apart=True)
    result.assert_outcomes(errors=1, passed=1)
    words = "test_it.py::test_bad: @pytest.mark.secant: expected a setting to be one of modes, "
    assert sum(line.startswith(words) for line in result.outlines) == 1


def test_a_missing_folder_is_refused_before_workers_start(run):
    result = run("def test_it(): pass", *WORKERS, "--secant-report=no/out.json", apart=True)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --secant-report: the folder of 'no/out.json' *"])

"""Under xdist: checks made by workers are summed up and written by the controller."""

from __future__ import annotations

import pytest

from secant._report.suite import Suite

pytest_plugins = ["pytester"]

WORKERS = ("-n", "2", "-p", "xdist")


def suite_of(pytester):
    return Suite.from_json((pytester.path / "out.json").read_text(encoding="utf-8"))


BODY = """
    import os

    @pytest.mark.parametrize("number", range(6))
    def test_many(gradient, number):
        gradient.check(np.sin, x, pull=right)
        gradient.check(np.sin, x, pull=right if number else wrong)

    def test_crash(gradient):
        gradient.check(np.sin, x, pull=right)
        os._exit(1)

    @pytest.mark.secant(prob="full")
    def test_bad(gradient): pass

    @pytest.mark.secant(probe="full")
    def test_marked(): pass
    """


def test_workers_send_their_checks_and_one_of_them_may_crash(run, pytester):
    """One run for all of it, since workers take seconds to start."""
    result = run(BODY, *WORKERS, "--secant-report=out.json", "--secant-seed=3", apart=True)
    result.assert_outcomes(passed=6, failed=2, errors=1)

    # checks of all workers are counted, and written once
    head = "secant: 12 checks: 1 FAIL, 11 PASS; "
    assert sum(line.startswith(head) for line in result.outlines) == 1
    suite = suite_of(pytester)
    names = {f"test_it.py::test_many[{k}] ({check})" for k in range(6) for check in (1, 2)}
    assert {case.name for case in suite.cases} == names  # of the test that crashed, nothing
    assert len(suite.cases) == 12
    assert {case.report.seed for case in suite.cases} == {3}
    failed = [case for case in suite.cases if case.outcome == "FAIL"]
    assert [case.name for case in failed] == ["test_it.py::test_many[0] (2)"]
    assert "1.05 × measured" in str(failed[0].report)
    result.stdout.fnmatch_lines(["*test_it.py:*: GradientMismatch"])

    # a bad mark is said once, and stops no worker; so is one that nothing reads
    words = "test_it.py::test_bad: @pytest.mark.secant: expected a setting to be one of modes, "
    assert sum(line.startswith(words) for line in result.outlines) == 1
    unread = "secant: the `secant` mark does nothing in a test that does not use the `gradient` "
    (line,) = (line for line in result.outlines if line.startswith(unread))
    assert line.endswith("fixture: test_it.py::test_marked")


def test_a_missing_folder_is_refused_before_workers_start(run):
    result = run("def test_it(): pass", *WORKERS, "--secant-report=no/out.json", apart=True)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --secant-report: the folder of 'no/out.json' *"])

"""Where settings come from: the call, then marks, then the command line, then the ini-file."""

from __future__ import annotations

import pytest

from _secant_pytest import options
from _secant_pytest.tally import ORDER
from secant._report.suite import OUTCOMES
from secant._settings import PROBES

pytest_plugins = ["pytester"]

SEED = """
pytestmark = pytest.mark.secant({mark})

def test_it(gradient):
    assert gradient.check(np.sin, x, pull=right{own}).seed == {seed}
"""


@pytest.mark.parametrize(
    ("ini", "arguments", "mark", "own", "seed"),
    [
        ("", [], "", "", "1729"),
        ("secant_seed = 2", [], "", "", "2"),
        ("secant_seed = 2", ["--secant-seed=3"], "", "", "3"),
        ("secant_seed = 2", ["--secant-seed=3"], "seed=4", "", "4"),
        ("secant_seed = 2", ["--secant-seed=3"], "seed=4", ", seed=5", "5"),
    ],
)
def test_the_call_wins_over_marks_over_the_command_line_over_the_ini_file(
    run, pytester, ini, arguments, mark, own, seed
):
    pytester.makeini(f"[pytest]\n{ini}\n")
    body = SEED.format(mark=mark, own=own, seed=seed)
    run(body, *arguments).assert_outcomes(passed=1)


def test_the_closest_mark_wins_setting_by_setting(run):
    result = run(
        """
        pytestmark = pytest.mark.secant(seed=1, probe="full", limit=3)

        @pytest.mark.secant(seed=2)
        class TestIt:
            @pytest.mark.secant(seed=3)
            def test_inner(self, gradient):
                report = gradient.check(np.sin, x, pull=right)
                assert (report.seed, bool(report.jacobians)) == (3, True)

            def test_outer(self, gradient):
                assert gradient.check(np.sin, x, pull=right).seed == 2

        def test_module(gradient):
            assert gradient.check(np.sin, x, pull=right).seed == 1
            assert not gradient.check(np.sin, x, pull=right, probe="fast").jacobians
            x32 = x.astype("float32")
            compared = gradient.compare(np.sin, np.sin, x32, pull=right, reference_pull=right)
            assert compared.limit == 3
        """
    )
    result.assert_outcomes(passed=3)


def test_a_mark_decides_what_becomes_of_what_cannot_be_told(run):
    body = """
        @pytest.mark.secant(inconclusive="pass")
        def test_it(gradient):
            assert not gradient.check(unclear, x, pull=unclear_pull)
        """
    run(body, "--secant-inconclusive=skip").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        ("prob='full'", "expected a setting to be one of modes, *, inconclusive; got 'prob'"),
        ("probe='slow'", "expected `probe` to be one of auto, fast, full; got 'slow'"),
        ("limit=0", "expected `limit` to be a finite number of at least 1; got 0"),
        ("inconclusive=1", "expected `inconclusive` to be one of fail, skip, pass, assume; got 1"),
        ("'full'", "expected settings by name, such as probe=?full?; got 'full'"),
    ],
)
def test_a_bad_mark_is_a_usage_error_that_names_the_test(run, mark, words):
    result = run(
        f"@pytest.mark.secant({mark})\ndef test_it(gradient): pass", "--secant-report=r.txt"
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: test_it.py::test_it: @pytest.mark.secant: {words}"])
    result.stdout.no_fnmatch_line("*report written*")


def test_a_bad_mark_of_a_test_that_does_not_run_is_let_be(run):
    body = "@pytest.mark.secant(prob=1)\ndef test_one(gradient): pass\ndef test_two(): pass"
    run(body, "-k", "two").assert_outcomes(passed=1, deselected=1)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("seed", "-1", "a whole number of at least 0; got '-1'"),
        ("seed", "one", "a whole number of at least 0; got 'one'"),
        ("probe", "slow", "one of auto, fast, full; got 'slow'"),
        ("max_evaluations", "much", "a whole number of at least 0; got 'much'"),
        ("max_seconds", "-2.5", "a number of seconds, as 2.5; got '-2.5'"),
        ("max_seconds", "inf", "a number of seconds, as 2.5; got 'inf'"),
        ("inconclusive", "xfail", "one of fail, skip, pass, assume; got 'xfail'"),
    ],
)
def test_a_bad_default_is_refused_before_any_test(run, pytester, name, value, words):
    option = f"--secant-{name.replace('_', '-')}"
    result = run("def test_it(): raise KeyError", f"{option}={value}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: expected {option} to be {words}" in result.stderr.lines
    pytester.makeini(f"[pytest]\nsecant_{name} = {value}\n")
    result = run("def test_it(): raise KeyError")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: expected secant_{name} to be {words}" in result.stderr.lines


def test_a_limit_reaches_the_check(run):
    body = """
        def spent(gradient, **own):
            with pytest.raises(secant.GradientMismatch) as caught:
                gradient.check(np.sin, np.linspace(0, 1, 64), pull=wrong, **own)
            return caught.value.report.cost.evaluations

        def test_it(gradient):
            assert spent(gradient) == spent(gradient, max_evaluations=30) < spent(
                gradient, max_evaluations=None
            )
        """
    run(body, "--secant-max-evaluations=30").assert_outcomes(passed=1)


def test_the_header_names_what_is_not_as_usual_and_nothing_else(run):
    result = run("def test_it(): pass", "--secant-seed=3", "--secant-probe=full")
    result.stdout.fnmatch_lines(["secant: seed 3, probe full"])
    run("def test_it(): pass").stdout.no_fnmatch_line("secant: *")


def test_help_and_markers_describe_what_there_is(run):
    result = run("", "--help")
    for name in ("seed", "probe", "max_evaluations", "max_seconds", "inconclusive"):
        result.stdout.fnmatch_lines([f"*--secant-{name.replace('_', '-')}=*"])
        result.stdout.fnmatch_lines([f"*secant_{name} (string):*"])
    result.stdout.fnmatch_lines(["*--secant-report=FILE*"])
    run("", "--markers").stdout.fnmatch_lines(["@pytest.mark.secant(**settings): *"])


def test_what_the_plugin_knows_without_importing_secant_is_what_secant_says():
    assert options.PROBES == PROBES
    assert ORDER == OUTCOMES

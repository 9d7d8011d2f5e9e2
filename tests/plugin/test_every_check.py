"""Checks of a run that do not come through the fixture, and those that are meant to go wrong."""

from __future__ import annotations

import contextlib

import pytest

from secant._report.suite import Suite

with contextlib.suppress(ImportError):
    import jax  # noqa: F401 here, so that no inner run loads it: it cannot be loaded twice
    import torch  # noqa: F401 likewise

pytest_plugins = ["pytester"]


def outcomes(pytester, name="out.json"):
    suite = Suite.from_json((pytester.path / name).read_text(encoding="utf-8"))
    return [(case.name.removeprefix("test_it.py::"), case.outcome) for case in suite.cases]


EXPECTED = """
    def test_raises(gradient):
        with pytest.raises(secant.GradientMismatch):
            gradient.check(np.sin, x, pull=wrong)
        with pytest.raises(secant.InputError):
            gradient.check(np.sin, x, pull=right, probe="slow")

    @pytest.mark.xfail
    def test_known(gradient):
        gradient.check(np.sin, x, pull=wrong)

    def test_looked_at():
        assert not secant.check(np.sin, x, pull=wrong)

    @pytest.mark.secant(inconclusive="pass")
    def test_beyond_the_numbers(gradient):
        gradient.check(unclear, x, pull=unclear_pull)
    """


def test_what_is_meant_to_go_wrong_is_expected(run, pytester):
    result = run(EXPECTED, "--secant-report=out.json", "--secant-report=out.txt")
    result.assert_outcomes(passed=3, xfailed=1)
    result.stdout.fnmatch_lines(["secant: 5 checks: 1 INCONCLUSIVE, 4 EXPECTED; *"])
    assert outcomes(pytester) == [
        ("test_raises (1)", "EXPECTED"),
        ("test_raises (2)", "EXPECTED"),
        ("test_known", "EXPECTED"),
        ("test_looked_at", "EXPECTED"),
        ("test_beyond_the_numbers", "INCONCLUSIVE"),
    ]
    text = (pytester.path / "out.txt").read_text(encoding="utf-8")
    assert text.startswith("INCONCLUSIVE  pytest: 1 INCONCLUSIVE, 4 EXPECTED; ")
    assert "test_raises" not in text


def test_a_failing_test_fails_by_the_check_that_raised(run, pytester):
    body = """
        def test_both(gradient):
            with pytest.raises(secant.GradientMismatch):
                gradient.check(np.sin, x, pull=wrong)
            gradient.check(np.sin, x, pull=right)
            gradient.check(np.sin, 2 * x, pull=wrong)
        """
    run(body, "--secant-report=out.json").assert_outcomes(failed=1)
    assert [outcome for _, outcome in outcomes(pytester)] == ["EXPECTED", "PASS", "FAIL"]


def test_a_suite_of_right_and_expected_checks_is_right(run, pytester):
    body = """
        def test_it(gradient):
            gradient.check(np.sin, x, pull=right)
            assert not secant.check(np.sin, x, pull=wrong)
        """
    run(body, "--secant-report=out.json").assert_outcomes(passed=1)
    suite = Suite.from_json((pytester.path / "out.json").read_text(encoding="utf-8"))
    assert suite
    assert suite.outcome == "PASS"
    assert suite.counts == {"FAIL": 0, "INCONCLUSIVE": 0, "REFUSED": 0, "EXPECTED": 1, "PASS": 1}


def test_checks_without_the_fixture_are_in_the_report(run, pytester):
    body = """
        def test_asserted():
            secant.assert_gradient(np.sin, x, pull=right)

        def test_wrong():
            secant.assert_gradient(np.sin, x, pull=wrong)

        def test_refused():
            secant.check(np.sin, x, pull=right, probe="slow")
        """
    result = run(body, "--secant-report=out.json")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["secant: 3 checks: 1 FAIL, 1 REFUSED, 1 PASS; *"])
    assert outcomes(pytester) == [
        ("test_asserted", "PASS"),
        ("test_wrong", "FAIL"),
        ("test_refused", "REFUSED"),
    ]


def test_drop_ins_are_in_the_report(run, pytester):
    pytest.importorskip("torch")
    pytest.importorskip("jax")
    body = """
        import torch
        import jax.numpy as jnp
        from planted import scaled_sine
        from secant.jax import check_grads
        from secant.torch import gradcheck

        point = torch.linspace(0.1, 1, 3, dtype=torch.float64, requires_grad=True)

        def test_torch():
            assert gradcheck(torch.sin, point)

        def test_wrong():
            gradcheck(scaled_sine(1.05), point)

        def test_jax():
            check_grads(jnp.sin, (jnp.ones(3),), 1)
        """
    run(body, "--secant-report=out.json").assert_outcomes(passed=2, failed=1)
    assert outcomes(pytester) == [
        ("test_torch", "PASS"),
        ("test_wrong", "FAIL"),
        ("test_jax", "PASS"),
    ]


def test_secant_loaded_in_the_middle_of_a_test_is_heard(pytester):
    pytester.makepyfile(
        test_late="""
        import sys

        def test_late():
            assert "secant" not in sys.modules
            import numpy as np
            import secant

            x = np.ones(3)
            secant.assert_gradient(np.sin, x, pull=lambda x, v: v * np.cos(x))
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(["secant: 1 check: 1 PASS; *"])


def test_every_report_that_is_asked_for_is_written(run, pytester):
    body = "def test_it(gradient): gradient.check(np.sin, x, pull=right)"
    result = run(body, "--secant-report=a.json", "--secant-report=b.txt", "--secant-report=a.json")
    result.stdout.fnmatch_lines(
        ["secant: report written to a.json", "secant: report written to b.txt"]
    )
    assert (pytester.path / "b.txt").read_text(encoding="utf-8").startswith("PASS  pytest: 1 PASS")
    assert outcomes(pytester, "a.json") == [("test_it", "PASS")]


def test_subtests_and_parameters_name_their_cases(run, pytester):
    pytest.importorskip("_pytest.subtests")
    body = """
        @pytest.mark.parametrize("size", [2, 3])
        def test_sizes(gradient, size):
            gradient.check(np.sin, np.ones(size), pull=right)

        def test_many(subtests):
            for rule in (right, wrong):
                with subtests.test("sine", rule=rule.__name__):
                    secant.assert_gradient(np.sin, x, pull=rule)
            with subtests.test(size=2):
                secant.assert_gradient(np.sin, np.ones(2), pull=right)
        """
    run(body, "--secant-report=out.json")
    assert outcomes(pytester) == [
        ("test_sizes[2]", "PASS"),
        ("test_sizes[3]", "PASS"),
        ("test_many [sine] (rule='right')", "PASS"),
        ("test_many [sine] (rule='wrong')", "FAIL"),
        ("test_many (size=2)", "PASS"),
    ]


def test_a_mark_without_the_fixture_is_said(run):
    body = """
        @pytest.mark.secant(probe="full")
        def test_marked():
            secant.assert_gradient(np.sin, x, pull=right)

        @pytest.mark.secant(probe="full")
        def test_heeded(gradient):
            gradient.check(np.sin, x, pull=right)
        """
    result = run(body)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            "secant: the `secant` mark does nothing in a test that does not use the `gradient` "
            "fixture: test_it.py::test_marked"
        ]
    )


def test_the_rerun_line_of_a_test_is_a_command_for_pytest(run, pytester):
    body = """
        @pytest.mark.parametrize("size", [3])
        def test_focal(gradient, size):
            gradient.check(np.sin, x, pull=wrong, seed=7)

        def test_kernel(gradient):
            x32 = x.astype("float32")
            gradient.compare(np.cos, np.sin, x32, pull=right, reference_pull=right)
        """
    result = run(body, "--secant-report=out.json")
    command = "pytest 'test_it.py::test_focal[3]' --secant-probe=full --secant-seed=7"
    result.stdout.fnmatch_lines([f"E *rerun *{command.replace('[', '[[]')}"])
    result.stdout.fnmatch_lines(["E *rerun *pytest test_it.py::test_kernel --secant-seed=1729"])
    suite = Suite.from_json((pytester.path / "out.json").read_text(encoding="utf-8"))
    assert suite.cases[0].report.rerun == command
    again = run(body, "test_it.py::test_focal[3]", "--secant-probe=full", "--secant-seed=7")
    again.assert_outcomes(failed=1)


def test_the_rerun_line_leads_from_where_pytest_was_called(run, pytester, monkeypatch):
    body = "def test_it(gradient): gradient.check(np.sin, x, pull=wrong)"
    folder = pytester.mkdir("elsewhere")
    pytester.makeini("[pytest]")
    monkeypatch.chdir(folder)
    result = run(body, str(pytester.path / "test_it.py"))
    result.stdout.fnmatch_lines(["E *rerun *pytest ../test_it.py::test_it --secant-probe=full *"])

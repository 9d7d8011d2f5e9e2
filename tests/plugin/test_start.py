"""pytest starts as before: the plugin imports neither secant nor what secant needs."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

HEAVY = ("secant", "torch", "jax", "numpy", "rich", "optree", "hypothesis")
SHOW = """
    import sys

    def pytest_unconfigure():
        print("plugin", "_secant_pytest" in sys.modules)
        print("heavy", [name for name in {heavy!r} if name in sys.modules])
    """


@pytest.mark.parametrize(
    "argument", ["--collect-only", "--secant-seed=3", "--secant-gradcheck=compare"]
)
def test_a_run_without_checks_imports_nothing_heavy(pytester, monkeypatch, argument):
    pytester.makeconftest(SHOW.format(heavy=HEAVY))
    pytester.makepyfile(test_it="def test_it(): pass")
    # other plugins of this environment import NumPy and more, whoever is to be measured here
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    result = pytester.runpytest_subprocess("-p", "_secant_pytest", "-s", argument)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["plugin True", "heavy []"])


def test_the_plugin_is_found_by_itself_and_can_be_left_out(pytester):
    pytester.makepyfile(test_it="def test_it(gradient): pass")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
    result = pytester.runpytest_inprocess("-p", "no:secant")
    result.stdout.fnmatch_lines(["*fixture 'gradient' not found"])

"""Tracebacks: the user's line, and none of secant's unless something is broken inside it."""

from __future__ import annotations

import sys

import pytest

from _secant_pytest.notes import trim_notes

pytest_plugins = ["pytester"]


def locations(result):
    """Return where the frames lie that a failure shows, in pytest's short style."""
    shown = [line.partition(":") for line in result.stdout.lines]
    return [file for file, _, rest in shown if file.endswith(".py") and ": in " in rest]


@pytest.mark.parametrize(
    "call",
    [
        "gradient.check(np.sin, x, pull=wrong)",
        "secant.assert_gradient(np.sin, x, pull=wrong)",
        "secant.check(np.sin, x, pull=wrong).raise_for_verdict()",
        "gradient.check(np.sin, x, pull=right, probe='slow')",
        "secant.assert_gradient(np.sin, 'no array')",
    ],
)
def test_what_secant_says_on_purpose_shows_the_users_line_alone(run, call):
    result = run(f"def test_it(gradient):\n    {call}", "--tb=short")
    result.assert_outcomes(failed=1)
    assert locations(result) == ["test_it.py"]


def test_the_drop_ins_hide_their_frames_too(run):
    pytest.importorskip("torch")
    body = """
        def test_it():
            import torch
            from planted import scaled_sine
            from secant.torch import gradcheck
            gradcheck(scaled_sine(1.05), torch.ones(3, dtype=torch.float64, requires_grad=True))
        """
    result = run(body, "--tb=short")
    result.assert_outcomes(failed=1)
    assert locations(result) == ["test_it.py"]
    result.stdout.fnmatch_lines(
        ["FAILED * - reverse-mode gradient of `ScaledSine`: claimed = 1.05*"]
    )


def test_an_error_of_the_users_function_shows_where_it_was_raised(run):
    body = """
        def broken(x):
            raise KeyError("mine")

        def test_it(gradient):
            gradient.check(broken, x, pull=right)
        """
    result = run(body, "--tb=short")
    result.stdout.fnmatch_lines(
        [
            "test_it.py:*: in broken",
            "E   KeyError: 'mine'",
            "The above exception was the direct cause of the following exception:",
            "test_it.py:*: in test_it",
            "E   *FunctionRaised: `broken` raised KeyError: 'mine'",
        ]
    )


def test_a_bug_in_secant_keeps_its_frames(run, monkeypatch):
    from secant._report import document

    def broken(*arguments):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(document, "GradientMismatch", broken)
    result = run("def test_it(gradient): gradient.check(np.sin, x, pull=wrong)", "--tb=short")
    assert locations(result)[0] == "test_it.py"
    assert any(file.endswith("_report/document.py") for file in locations(result))


def test_all_frames_are_shown_on_request(run):
    body = "def test_it(): secant.assert_gradient(np.sin, x, pull=wrong)"
    result = run(body, "--tb=short", "--full-trace")
    result.stdout.fnmatch_lines(["*_entry.py:*"])


def test_secants_modules_are_left_as_they_were(run):
    run("def test_it(gradient): gradient.check(np.sin, x, pull=wrong)").assert_outcomes(failed=1)
    modules = [
        module for name, module in sys.modules.copy().items() if name.split(".")[0] == "secant"
    ]
    assert not any("__tracebackhide__" in vars(module) for module in modules)


def test_pytests_own_summary_says_what_is_wrong(run):
    result = run("def test_it(): secant.assert_gradient(np.sin, x, pull=wrong)")
    result.stdout.fnmatch_lines(
        ["FAILED test_it.py::test_it - given pull of `sin`: claimed = 1.05 × measured in every *"]
    )


def test_a_failure_without_a_cause_is_summed_up_by_where_and_what(run):
    body = """
        def one_off(x, v):
            pulled = np.cos(x) * v
            pulled[7] *= 1.02
            return pulled

        def test_it(): secant.assert_gradient(np.sin, np.linspace(0, 1, 40), pull=one_off)
        """
    run(body).stdout.fnmatch_lines(["FAILED test_it.py::test_it - given pull of `sin`: ∂out*"])


def noted(*notes):
    error = AssertionError("wrong")
    for note in notes:
        error.add_note(note)
    trim_notes(error)
    return getattr(error, "__notes__", [])


HEADING = ["Explanation:", "    These lines were always and only run by failing test cases:"]


def test_explanations_keep_the_users_lines_and_lose_those_of_secant():
    import secant

    own, mine = f"        {secant.__file__}:12", "        /home/me/operator.py:7"
    more = "        (and 130 more with settings.verbosity >= verbose)"
    example = ["Failing test case: test_it(", "    x=tensor([0.]),", ")"]
    assert noted(*example, *HEADING, mine, own, more) == [*example, *HEADING, mine]
    assert noted(*example, *HEADING, own, more) == example
    assert noted("\n".join([*example, *HEADING, own]), "after") == [*example, "after"]
    assert noted(*example) == example
    assert noted() == []

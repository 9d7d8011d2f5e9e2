"""`secant check`: settings, what is printed and written, exit codes, and what can be run again."""

from __future__ import annotations

import json
import shlex
import sys

import pytest

import secant

WRONG = ("check", "kernels:Square", "-i", "3x4")
RIGHT = ("check", "kernels:product", "-i", "3", "-i", "3")
NOBODY_KNOWS = ("check", "kernels:stairs", "-i", "[1.0]")


def test_the_exit_code_is_the_verdicts(run):
    codes = {run(*question)[1].split()[0]: run(*question)[0] for question in
             (RIGHT, WRONG, NOBODY_KNOWS)}  # fmt: skip
    assert codes == {"PASS": 0, "FAIL": 1, "INCONCLUSIVE": 3}


def test_a_failure_ends_with_the_command_that_repeats_it(run):
    _, out, _ = run(*WRONG, "--modes", "all", "--masked", "--rtol", "0.001", "--quiet", "--json")
    rerun = json.loads(out)["rerun"]
    assert rerun == (
        "secant check kernels:Square --input 3x4 --mode all --rtol 0.001 --masked --probe full "
        "--seed 1729"
    )


def test_what_was_quoted_is_quoted_again(run):
    arguments = ("check", "kernels:Net", "--init", "4, bias=False", "-i", "[[1.0, 2, 3, 4]]",
                 "--atol", "0", "--laws", "none", "--seed", "5")  # fmt: skip
    line = "secant check kernels:stairs --input '[1.0]' --probe full --seed 1729"
    assert json.loads(run(*NOBODY_KNOWS, "--json")[1])["rerun"] == line
    assert run(*arguments)[0] == 0


def test_the_command_that_repeats_a_failure_fails_alike(run):
    _, first, _ = run(*WRONG, "--seed", "11", "--json")
    repeated = shlex.split(json.loads(first)["rerun"])
    code, again, _ = run(*repeated[1:], "--json")
    assert code == 1
    entries = [secant.Report.from_json(text).worst.entries[0] for text in (first, again)]
    assert (entries[0].output, entries[0].claimed) == (entries[1].output, entries[1].claimed)


def test_json_is_the_only_thing_printed(run):
    code, out, err = run("check", "kernels:printing", "-i", "3", "--json")
    assert code == 0
    assert json.loads(out)["verdict"] == "PASS"
    assert "a word of mine" in err


def test_quiet_prints_nothing(run):
    assert run(*WRONG, "--quiet") == (1, "", "")


def test_reports_are_written_in_every_form(run, folder):
    names = ("report.json", "report.txt", "report.html")
    options = [word for name in names for word in ("--report", name)]
    code, out, _ = run(*WRONG, *options)
    assert code == 1
    saved = secant.Report.from_json((folder / "report.json").read_text(encoding="utf-8"))
    assert str(saved) == (folder / "report.txt").read_text(encoding="utf-8").rstrip("\n")
    assert str(saved) == out.rstrip("\n")
    assert "<html" in (folder / "report.html").read_text(encoding="utf-8")


def test_a_page_has_pictures_of_a_right_derivative_too(run, folder):
    assert run(*RIGHT, "--report", "page.html", "--report", "page.json")[0] == 0
    saved = secant.Report.from_json((folder / "page.json").read_text(encoding="utf-8"))
    assert saved.curve is not None
    assert saved.jacobians


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--probe", "slow"], "expected `probe` to be one of auto, fast, full; got 'slow'"),
        (["--mode", "both"], "expected `modes` to be one of reverse, forward, all; got 'both'"),
        (["--order", "0"], "expected `order` to be a whole number of at least 1; got 0"),
        (["--max-evaluations", "-1"], "expected `max_evaluations` to be a whole number of at "
                                      "least 0, or None; got -1"),
        (["--max-seconds", "-1"], "expected `max_seconds` to be a number that is finite and not "
                                  "negative, or None; got -1.0"),
        (["--lift", "maybe"], "expected `lift` to be one of auto, True, False; got 'maybe'"),
        (["--report", "x.pdf"], "expected `report` to be a file name that ends in .html, .json or "
                                ".txt; got 'x.pdf'"),
        (["--report", "no/x.json"], "expected a folder for the report 'no/x.json'; there is no no"),
        (["--dtype", "float1"], "expected `dtype` to be a floating dtype such as float32, float16 "
                                "or bfloat16, or None; got 'float1'"),
    ],
)  # fmt: skip
def test_secants_own_errors_speak(refused, options, words):
    assert refused(*RIGHT, *options) == words


def test_unknown_laws_are_refused_with_the_list(refused):
    assert refused(*RIGHT, "--laws", "linearity,layuot").startswith("expected `laws` to be default")


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        (["--laws", "none"], {"derivative"}),
        (["--laws", "layout"], {"derivative", "layout"}),
        (["--laws", "layout, linearity"], {"derivative", "layout", "linearity"}),
    ],
)
def test_laws_are_chosen_by_name(run, options, kinds):
    _, out, _ = run(*RIGHT, *options, "--json")
    assert {one.kind for one in secant.Report.from_json(out).findings} == kinds


def test_settings_arrive(run):
    _, out, _ = run(*RIGHT, "--order", "2", "--mode", "all", "--probe", "full",
                    "--max-evaluations", "500",
                    "--lift", "false", "--memory", "100000", "--draws", "2", "--step", "1e-4",
                    "--nondeterminism", "1e-9", "--no-explain", "--dtype", "float64",
                    "--json")  # fmt: skip
    report = secant.Report.from_json(out)
    subjects = {one.subject for one in report.findings if one.kind == "derivative"}
    assert len(subjects) == 4  # two modes, two orders
    assert report.cost.pushes > 0


def test_a_function_that_raises_shows_the_users_own_lines(refused):
    assert refused("check", "kernels:raising", "-i", "3") == (
        "`raising` raised ValueError: too many rows\n"
        "  at kernels.py:64 in raising: return deeper(x)\n"
        '  at kernels.py:68 in deeper: raise ValueError("too many rows")'
    )


def test_a_backward_that_raises_fails_and_shows_its_lines(run):
    code, out, err = run("check", "kernels:Crash", "-i", "3")
    assert (code, err) == (1, "")
    assert "the backward pass raised KeyError: 'no such row'" in out
    assert out.endswith(
        "  at kernels.py:24 in backward: return helper(grad)\n"
        '  at kernels.py:28 in helper: raise KeyError("no such row")\n'
    )


def test_numpy_without_a_derivative_is_told_how_to_give_one(refused, monkeypatch):
    # Where it is loaded, HIPS autograd would differentiate the function.
    monkeypatch.delitem(sys.modules, "autograd.numpy", raising=False)
    said = refused("check", "fit:energy", "-i", "3:0.1..2")
    assert said.startswith("expected a derivative of `energy`: its arrays record none; pass one of")


def test_an_interrupted_check_exits_with_130(run, folder):
    (folder / "impatient.py").write_text(
        "import torch\n\n\ndef f(x):\n    raise KeyboardInterrupt\n"
    )
    assert run("check", "impatient:f", "-i", "3") == (130, "", "secant: interrupted\n")


def test_a_function_that_ends_the_program_is_no_pass(refused, folder):
    (folder / "leaving.py").write_text("import torch\n\n\ndef f(x):\n    raise SystemExit(0)\n")
    assert refused("check", "leaving:f", "-i", "3") == (
        "the code under test ended the program (SystemExit: 0)\n"
        "  at leaving.py:5 in f: raise SystemExit(0)"
    )


def test_a_report_that_cannot_be_written_is_said(run, folder):
    (folder / "report.json").mkdir()
    code, _, err = run(*RIGHT, "--report", "report.json")
    assert (code, err.startswith("secant: IsADirectoryError: ")) == (2, True)


def test_a_mistake_of_ours_is_no_verdict(run, monkeypatch):
    def broken(thing):
        raise AssertionError("never to be seen")

    monkeypatch.setattr("secant._commands.delivery.show", broken)
    code, _, err = run(*WRONG)
    assert code == 2
    assert "AssertionError: never to be seen" in err


def test_the_help_explains_the_language_of_inputs(run):
    _, out, _ = run("check", "--help")
    for words in ("3x4:float32", "data.npz:name", "0.1..2", ":constant", "--init", "Exit codes: 0"):
        assert words in out

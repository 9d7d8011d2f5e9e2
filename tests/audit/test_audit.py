"""`secant audit` over a planted catalogue: outcomes, exit codes, workers that die."""

from __future__ import annotations

import json
import re
import signal

import pytest

from secant._audit import ask
from secant._audit.conduct import audit
from secant._audit.plan import Plan
from secant._report.suite import Suite

PLANTED = "planted_catalogue:CATALOGUE"


def outcomes(suite):
    return {case.name: case.outcome for case in suite.cases}


def test_right_operators_pass_and_exit_with_0(run):
    code, out, err = run(PLANTED, "--only", "sine?", "--workers", "0")
    assert (code, err) == (0, "")
    assert "PASS  audit of planted_catalogue:CATALOGUE on cpu: 30 PASS; " in out
    assert re.search(r"^30 inputs were asked; each took \S+ s of a worker$", out, re.MULTILINE)


def test_a_wrong_operator_fails_by_its_name_and_exits_with_1(run):
    code, out, _ = run(PLANTED, "--only", "sine0", "--only", "wrong", "--workers", "0")
    assert code == 1
    assert "FAIL  wrong[0] float64  ∂out[" in out
    assert "1.05 × measured" in out


def test_refusals_alone_exit_with_3_and_beside_a_pass_with_0(run):
    code, out, _ = run(PLANTED, "--only", "infinite", "--workers", "0")
    assert code == 3
    assert "REFUSED  infinite[0] float64" in out
    code, out, _ = run(PLANTED, "--only", "infinite", "--only", "sine0", "--workers", "0")
    assert code == 0
    assert "3 REFUSED, 3 PASS" in out


def test_samples_that_cannot_be_drawn_are_a_refusal(run):
    code, out, _ = run(PLANTED, "--only", "undrawn", "--workers", "0")
    assert code == 3
    assert "undrawn float64  its samples could not be drawn: RuntimeError: no numbers today" in out


def test_list_says_what_is_asked_and_why_the_rest_is_not(run):
    code, out, err = run(PLANTED, "--only", "[drw]*", "--list", "--workers", "0", "--samples", "2")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "wrong float64  2 samples",
        "rounded float64  skipped: claims no derivative",
        "declined float64  skipped: has no derivative after all",
        "1 operators are asked, 2 are not",
    ]


def test_what_is_skipped_is_counted(run):
    _, out, _ = run(PLANTED, "--only", "sine0", "--only", "declined", "--workers", "0")
    assert "1 operators are not asked; --list says which, and why" in out


def test_several_dtypes_make_several_cases_with_labels():
    plan = Plan(PLANTED, ("float64", "float32"), only=("sine0",), samples=1)
    suite = audit(plan, workers=0).suite
    assert list(outcomes(suite)) == ["sine0[0] float64", "sine0[0] float32"]
    assert suite.cases[1].labels == {"operator": "sine0", "dtype": "float32", "device": "cpu"}
    assert suite.versions[1] == "planted 1"


def test_reports_hold_every_case(run, tmp_path):
    files = [tmp_path / "audit.json", tmp_path / "audit.txt"]
    asked = [part for file in files for part in ("--report", file)]
    code, _, _ = run(PLANTED, "--only", "sine1", "--only", "wrong", "--workers", "0", *asked)
    suite = Suite.from_json(files[0].read_text(encoding="utf-8"))
    assert code == 1
    assert outcomes(suite)["wrong[2] float64"] == "FAIL"
    assert files[1].read_text(encoding="utf-8").startswith("FAIL  audit of planted")


def test_verdicts_are_the_same_with_any_number_of_workers():
    plan = Plan(PLANTED, only=("sine*", "wrong", "twice", "infinite", "undrawn"))
    told = [
        [(case.name, case.outcome, case.refusal, _numbers(case)) for case in found.cases]
        for found in (audit(plan, workers=workers).suite for workers in (0, 1, 3))
    ]
    assert told[0] == told[1] == told[2]
    assert len(told[0]) == 3 * 15 + 1


def _numbers(case):
    if case.report is None:
        return None
    return [(one.claimed, one.measured, one.cause) for one in case.report.findings]


def test_an_operator_that_kills_its_worker_is_reported_and_the_others_are_not_lost(run):
    code, out, _ = run(PLANTED, "--only", "sine*", "--only", "falls", "--workers", "2")
    assert code == 0
    assert "1 REFUSED, 36 PASS" in out
    assert "REFUSED  falls float64  its worker died" in out


def test_a_worker_that_dies_once_loses_nothing(run, tmp_path):
    code, out, _ = run(PLANTED, "--only", "sine*", "--only", "falls.once", "--workers", "2")
    assert (tmp_path / "died").exists()
    assert code == 0
    assert "39 PASS" in out


def test_an_operator_that_never_returns_ends_its_worker_and_the_others_are_not_lost(run):
    asked = ("--only", "sine?", "--only", "holds", "--workers", "1", "--patience", "5")
    code, out, _ = run(PLANTED, *asked)
    assert code == 0
    assert "1 REFUSED, 30 PASS" in out
    assert "REFUSED  holds float64  did not return within 5 s" in out


def test_without_workers_an_operator_that_takes_too_long_is_interrupted(run):
    asked = ("--only", "sleeps", "--only", "sine?", "--workers", "0", "--patience", "2")
    code, out, _ = run(PLANTED, *asked)
    assert code == 0
    assert "1 REFUSED, 30 PASS" in out
    assert "REFUSED  sleeps float64  did not return within 2 s" in out
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_a_worker_raises_outside_a_check_is_the_operators_and_the_others_go_on(
    run, monkeypatch
):
    judge = ask._judge

    def lose_the_device(name, *rest):
        if name.startswith("sine1["):
            raise RuntimeError("the device is lost")
        return judge(name, *rest)

    monkeypatch.setattr(ask, "_judge", lose_the_device)
    code, out, _ = run(PLANTED, "--only", "sine[012]", "--workers", "0")
    assert code == 0
    assert "1 REFUSED, 6 PASS" in out
    assert "REFUSED  sine1 float64  cannot be asked: RuntimeError: the device is lost" in out


def test_an_audit_runs_as_a_process_and_tells_its_progress_nowhere_else(start):
    process = start(PLANTED, "--only", "sine*", "--only", "wrong", "--workers", "1")
    out, err = process.communicate()
    progress = re.compile(r"secant: \d+ of 13 operators: .*")  # said where it takes long
    assert [line for line in err.splitlines() if not progress.fullmatch(line)] == []
    assert process.returncode == 1
    assert "3 FAIL, 36 PASS" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["numpy"], "expected `catalogue` to be torch or jax, or module:attribute; got 'numpy'"),
        (
            ["nowhere.to_be_found:X"],
            "expected nowhere.to_be_found to be importable; ModuleNotFoundError: "
            "No module named 'nowhere'. Is it on the path?",
        ),
        (
            ["planted_catalogue:NOT_ONE"],
            "expected `catalogue` to be module:attribute of a secant.extend.Catalogue; "
            "got 'planted_catalogue:NOT_ONE'",
        ),
        ([PLANTED, "--only", "nope*"], f"expected `only` to match an operator of {PLANTED}; got"),
        (
            [PLANTED, "--only", "rounded"],
            "expected an operator that can be asked; got one that claims no derivative",
        ),
        ([PLANTED, "--samples", "0"], "expected `samples` to be a whole number of at least 1; got"),
        (
            [PLANTED, "--patience", "0"],
            "expected `patience` to be a number of seconds above 0; got",
        ),
        ([PLANTED, "--probe", "slow"], "expected `probe` to be one of auto, fast, full; got"),
        ([PLANTED, "--mode", "sideways"], "expected `modes` to be one of reverse, forward, all"),
        ([PLANTED, "--order", "0"], "expected `order` to be a whole number of at least 1; got 0"),
        (
            [PLANTED, "--dtype", "float32", "--dtype", "float32"],
            "expected `dtype` to be given once for each dtype; got 'float32 float32'",
        ),
        ([PLANTED, "--workers", "-1"], "expected `workers` to be a whole number of at least 0"),
        (
            [PLANTED, "--executor", "tcp://here:1"],
            "expected `executor` to be dask:// and the address of a Dask scheduler; got",
        ),
        (
            [PLANTED, "--executor", "dask://here:1", "--workers", "2"],
            "expected `workers` or `executor`, not both: a cluster has its own",
        ),
        (
            [PLANTED, "--report", "audit.pdf"],
            "expected `report` to be a file name that ends in .html, .json or .txt; got",
        ),
        (
            [PLANTED, "--report", "nowhere/audit.txt"],
            "expected a folder for the report 'nowhere/audit.txt'; there is no nowhere",
        ),
    ],
)
def test_what_cannot_be_asked_exits_with_2_and_one_line(run, arguments, words):
    here = [] if "--workers" in arguments or "--executor" in arguments else ["--workers", "0"]
    code, out, err = run(*arguments, *here)
    assert (code, out) == (2, "")
    assert err.startswith(f"secant: {words}")
    assert err.count("\n") == 1


def test_a_catalogue_that_kills_its_reader_ends_the_audit_with_one_line(run, monkeypatch):
    code, _, err = run("planted_deadly:CATALOGUE", "--workers", "1")
    assert code == 2
    assert err == (
        "secant: the worker that reads the catalogue 'planted_deadly:CATALOGUE' died, 3 times\n"
    )


def test_json_lines_hold_what_the_suite_holds(run, tmp_path):
    state = tmp_path / "audit.jsonl"
    run(PLANTED, "--only", "sine0", "--only", "declined", "--workers", "0", "--state", state)
    header, first, second = map(json.loads, state.read_text(encoding="utf-8").splitlines())
    assert header["kind"] == "audit"
    assert [case["outcome"] for case in first["cases"]] == ["PASS"] * 3
    assert second["skipped"] == "has no derivative after all"

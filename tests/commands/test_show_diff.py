"""`secant show` and `secant diff`: reports of every kind, read back and held side by side."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch

import secant
from secant._report.suite import Case, Suite
from secant._settings import Settings

X = torch.linspace(0.2, 1.2, 3, dtype=torch.float64)


class Doubled(torch.autograd.Function):
    """A double whose gradient is 5 % too large."""

    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad):
        return 2.1 * grad


def stairs(x):
    return torch.where(x > 0.2, x + 1, x)


RIGHT = secant.check(torch.sin, X)
WRONG = secant.check(Doubled.apply, X)
UNTOLD = secant.check(stairs, X)
COMPARED = secant.compare(torch.sigmoid, lambda x: 1 / (1 + (-x).exp()), X, dtype="float32")
TAKEN_APART = secant.localise(torch.nn.Sequential(torch.nn.Linear(3, 2)).double(), X)


def suite(**cases):
    """A suite of reports, and of refusals, by name."""
    made = [
        Case(name, refusal=one) if isinstance(one, str) else Case(name, one)
        for name, one in cases.items()
    ]
    return Suite("a suite", tuple(made), 1.0, ("secant 0",))


@pytest.fixture
def saved(folder):
    """Write something's JSON to a file; return the file's name."""

    def save(thing, name="report.json"):
        (folder / name).write_text(thing.to_json(), encoding="utf-8")
        return name

    return save


@pytest.mark.parametrize(
    ("thing", "code"),
    [
        (RIGHT, 0),
        (WRONG, 1),
        (UNTOLD, 3),
        (COMPARED, 0),
        (TAKEN_APART, 0),
        (suite(a=RIGHT, b=WRONG), 1),
        (suite(a=RIGHT, b=UNTOLD, c="no"), 3),
        (suite(a=RIGHT, b="sparse inputs"), 2),
        (suite(a=RIGHT), 0),
    ],
)
def test_a_report_of_any_kind_is_shown_with_its_exit_code(run, saved, thing, code):
    assert run("show", saved(thing)) == (code, f"{thing}\n", "")


def test_a_report_is_read_from_standard_input(run):
    assert run("show", "-", stdin=RIGHT.to_json()) == (0, f"{RIGHT}\n", "")


@pytest.mark.parametrize("thing", [RIGHT, COMPARED, TAKEN_APART, suite(a=RIGHT, b=WRONG)])
def test_a_report_of_any_kind_becomes_a_page(run, saved, folder, thing):
    _, out, err = run("show", saved(thing), "--html", "page.html")
    assert (out, err) == ("wrote page.html\n", "")
    assert "<html" in (folder / "page.html").read_text(encoding="utf-8")


KINDS = "(a report, a comparison, a localisation, a suite)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "there is no file report.json"),
        ("garbage", f"expected report.json to be JSON that secant wrote {KINDS}; it is not"),
        ("[]", f"expected report.json to be JSON that secant wrote {KINDS}; it is not"),
        ('{"kind": "poem"}', f"expected report.json to be JSON that secant wrote {KINDS}; it is "
                             "not"),
        ('{"kind": "report", "format": 1}', "report.json: expected a report of format 3; got 1"),
        ('{"kind": "suite", "format": 3}', "report.json: expected the JSON of a secant suite; "
                                           "it has no 'title'"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", [["show"], ["diff", "report.json"]])
def test_what_is_no_report_is_one_sentence(refused, folder, command, text, words):
    if text is not None:
        (folder / "report.json").write_text(text)
    assert refused(*command, "report.json") == words


def test_a_page_has_the_ending_of_one(refused, saved):
    said = refused("show", saved(RIGHT), "--html", "page.pdf")
    assert said == "expected `html` to be a file name that ends in .html; got 'page.pdf'"


def test_a_file_that_is_no_text_is_said_to_be_none(refused, folder):
    (folder / "report.json").write_bytes(b"\xff\xfe\x00")
    said = refused("show", "report.json")
    assert said.startswith("expected report.json to be JSON that secant wrote; ")


def compared(run, saved, old, new):
    return run("diff", saved(old, "old.json"), saved(new, "new.json"))


def test_nothing_changed(run, saved):
    code, out, _ = compared(run, saved, WRONG, WRONG)
    assert (code, out) == (0, "SAME  `Doubled`, FAIL: 7 as before\n")


def test_a_report_that_got_worse_exits_with_1(run, saved):
    right = secant.check(lambda x: 2 * x, X)
    code, out, _ = compared(run, saved, replace(right, name="Doubled"), WRONG)
    lines = out.splitlines()
    assert code == 1
    assert lines[0] == "WORSE  `Doubled`, PASS → FAIL: 1 worse, 6 as before"
    assert lines[1] == (
        "  worse     reverse-mode gradient ∂out / ∂x  PASS → FAIL: claimed = 1.05 × measured in "
        "every probe: a constant factor is wrong"
    )
    claimed = [line for line in lines if "claimed " in line and line.startswith("  numbers")]
    assert len(claimed) == 1
    code, out, _ = compared(run, saved, WRONG, replace(right, name="Doubled"))
    assert code == 0
    assert out.startswith("BETTER  `Doubled`, FAIL → PASS: 1 better, 6 as before\n")


def test_other_numbers_are_a_change_and_never_worse(run, saved):
    other = secant.check(torch.sin, X, seed=Settings().seed + 1)
    code, out, _ = compared(run, saved, RIGHT, other)
    assert code == 0
    assert out.startswith("CHANGED  `sin`, PASS: 7 as before\n")
    assert "  note      the seeds differ, 1729 and 1730: other directions, other numbers\n" in out


def test_what_else_differs_is_noted(run, saved):
    other = replace(RIGHT, name="cos", versions=("secant 1",))
    _, out, _ = compared(run, saved, RIGHT, other)
    assert "  note      the old one is about `sin`\n" in out
    assert "→ secant 1\n" in out


def test_cost_is_told_and_changes_nothing(run, saved):
    dearer = replace(RIGHT, cost=replace(RIGHT.cost, evaluations=12_345))
    code, out, _ = compared(run, saved, RIGHT, dearer)
    lines = out.splitlines()
    assert (code, lines[0]) == (0, "SAME  `sin`, PASS: 7 as before")
    assert lines[1] == f"  cost      evaluations {RIGHT.cost.evaluations} → 12,345"


def test_suites_are_compared_check_by_check(run, saved):
    old = suite(a=RIGHT, b=WRONG, c=RIGHT, d=UNTOLD, gone=RIGHT)
    new = suite(a=RIGHT, b=RIGHT, c=WRONG, d="no longer asked", fresh=RIGHT, bad=WRONG)
    code, out, _ = compared(run, saved, old, new)
    cause = "∂out[0] / ∂x[0]: claimed = 1.05 × measured in every probe: a constant factor is wrong"
    assert code == 1
    lines = [line.replace("out[2] / ∂x[2]", "out[0] / ∂x[0]") for line in out.splitlines()]
    lines = [line.replace("out[1] / ∂x[1]", "out[0] / ∂x[0]") for line in lines]
    assert lines[:7] == [
        "WORSE  a suite, FAIL: 1 worse, 2 better, 2 appeared, 1 vanished, 1 as before",
        f"  worse     c  PASS → FAIL: {cause}",
        "  better    b  FAIL → PASS",
        "  better    d  INCONCLUSIVE → REFUSED: no longer asked",
        "  appeared  fresh  PASS",
        f"  appeared  bad  FAIL: {cause}",
        "  vanished  gone  PASS",
    ]


def test_a_new_failure_is_worse_and_a_new_pass_is_not(run, saved):
    assert compared(run, saved, suite(a=RIGHT), suite(a=RIGHT, b=WRONG))[0] == 1
    assert compared(run, saved, suite(a=RIGHT), suite(a=RIGHT, b=RIGHT))[0] == 0
    assert compared(run, saved, suite(a=RIGHT, b=RIGHT), suite(a=RIGHT))[0] == 0


def test_a_long_list_is_cut(run, saved):
    many = {f"case{k}": RIGHT for k in range(50)}
    _, out, _ = compared(run, saved, suite(**many), suite())
    assert out.splitlines()[-1] == "  cost      evaluations 250 → 0"
    assert "  more      20 more" in out


def test_comparisons_and_localisations_are_compared_too(run, saved):
    assert compared(run, saved, COMPARED, COMPARED)[:2] == (
        0, "SAME  `sigmoid`, PASS: 2 as before\n"
    )  # fmt: skip
    assert compared(run, saved, TAKEN_APART, TAKEN_APART)[1].startswith("SAME  `Sequential`, PASS")


def test_reports_of_two_kinds_are_not_compared(refused, saved):
    files = saved(RIGHT, "old.json"), saved(suite(a=RIGHT), "new.json")
    said = refused("diff", *files)
    assert said == "expected two reports of one kind; got a report and a suite"


def test_what_is_shown_is_what_was_checked(run, folder):
    _, first, _ = run("check", "kernels:Square", "-i", "2", "--report", "report.json")
    assert run("show", "report.json")[1] == first
    assert json.loads((folder / "report.json").read_text(encoding="utf-8"))["kind"] == "report"

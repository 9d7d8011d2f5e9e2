"""JSON: a report survives the journey, NaN and infinities included, and strangers are refused."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
import torch

import secant
from handmade import broken, doubtful, kept, report, right, wrong
from planted import planted, points, scaled_sine
from secant import Entry, Estimate, Report
from secant._words.slopes import KINK, WRONG_SLOPE

NAN, INF = float("nan"), float("inf")


def same(one, other):
    """Compare values, NaN equal to NaN."""
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (math.isnan(one) and math.isnan(other))
    return one == other


def journey(one):
    return Report.from_json(one.to_json())


@pytest.mark.parametrize(
    "findings",
    [
        (),
        (right(), kept("layout")),
        (wrong(12), broken(), doubtful()),
        (right(resolution=None, notes=(KINK(),)),),
        (wrong(3, wrong_is_estimate=True, reasons=(WRONG_SLOPE(),)),),
    ],
    ids=["empty", "pass", "all", "without a promise", "estimated"],
)
def test_a_report_comes_back_equal(findings):
    one = report(*findings)
    assert journey(one) == one
    assert str(journey(one)) == str(one)


@pytest.mark.parametrize("number", [NAN, INF, -INF])
def test_numbers_that_are_not_finite_come_back(number):
    entry = Entry("out", "x", number, Estimate(number, number))
    one = report(
        wrong(entries=(entry,), claimed=number, measured=Estimate(number, INF), resolution=number)
    )
    (finding,) = journey(one).findings
    assert same(finding.claimed, number)
    assert same(finding.measured.value, number)
    assert same(finding.measured.error, INF)
    assert same(finding.resolution, number)
    assert same(finding.entries[0].claimed, number)
    assert same(finding.entries[0].measured.error, number)


@pytest.mark.parametrize("number", [NAN, INF])
def test_the_json_is_valid_for_strict_readers(number):
    one = report(wrong(claimed=number, resolution=number))

    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    json.loads(one.to_json(), parse_constant=refuse)


@pytest.mark.parametrize(
    "check",
    [
        lambda: secant.check(torch.sin, points(3)),
        lambda: secant.check(scaled_sine(1.1), points(3)),
        lambda: secant.check(scaled_sine(1.1), points(3), modes="all", order=2, laws="all"),
        lambda: secant.check(planted("Nan", torch.sin, lambda s, v: v * NAN), points(3)),
    ],
    ids=["pass", "fail", "everything", "nan"],
)
def test_real_reports_come_back_equal_but_for_their_jacobians(check):
    one = check()
    again = journey(one)
    assert again.to_json() == one.to_json()
    assert again.verdict is one.verdict
    assert str(again) == str(one)
    if "nan" not in one.to_json():
        assert again == replace(one, jacobians={})


def test_a_resolution_that_is_not_finite_is_written():
    one = report(right(resolution=INF))
    assert journey(one).resolution == INF


def test_the_json_says_what_a_machine_asks_first():
    data = json.loads(report(wrong()).to_json())
    assert data["format"] == 3
    assert data["verdict"] == "FAIL"
    assert data["name"] == "two2three"
    assert data["seed"] == 1729
    assert data["findings"][0]["entries"][0]["measured"] == {"value": -3.84, "error": 2e-12}


def test_symbols_are_written_as_they_are():
    assert "∂out[1] / ∂x1" in report(wrong()).to_json()


@pytest.mark.parametrize(
    "text",
    ["", "word", "[]", "{}", "3", '{"format": 3, "kind": "report"}', '{"name": 2}', "null"],
)
def test_something_else_is_refused(text):
    with pytest.raises(secant.InputError, match="expected the JSON of a secant report"):
        Report.from_json(text)


def test_a_report_of_another_format_is_refused():
    text = report(right()).to_json().replace('"format": 3', '"format": 99')
    with pytest.raises(secant.InputError, match="expected a report of format 3; got 99"):
        Report.from_json(text)


def test_a_finding_with_an_unknown_verdict_is_refused():
    text = report(right()).to_json().replace('"PASS"', '"MAYBE"')
    with pytest.raises(secant.InputError):
        Report.from_json(text)


def test_save_writes_json_or_text(tmp_path):
    one = report(wrong())
    path = one.save(tmp_path / "report.json")
    assert Report.from_json(path.read_text(encoding="utf-8")) == one
    path = one.save(str(tmp_path / "report.txt"))
    assert path.read_text(encoding="utf-8") == f"{one}\n"


@pytest.mark.parametrize("name", ["report", "report.xml", "report.JSON5"])
def test_save_refuses_other_endings_and_writes_nothing(tmp_path, name):
    with pytest.raises(secant.InputError, match=r"ends in \.json, \.txt or \.html"):
        report(right()).save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []

"""`secant audit --fuzz`: finds what samples hide, shrinks it, goes on, and survives its workers."""

from __future__ import annotations

import re

import pytest

from secant._audit.conduct import audit
from secant._audit.plan import Plan

FUZZED = "planted_fuzz:CATALOGUE"
ROUND = ("--fuzz", "--rounds", "1", "--workers", "0")


def fuzzed(*only, rounds, **how):
    plan = Plan(FUZZED, only=only, fuzz=True)
    return audit(plan, rounds=rounds, **{"workers": 0, **how}).suite


def test_what_the_samples_hide_is_found_and_shrunk(run):
    assert audit(Plan(FUZZED, only=("small", "zero")), workers=0).suite
    code, out, _ = run(FUZZED, *ROUND, "--rounds", "8", "--only", "small", "--only", "zero")
    assert code == 1
    found = re.search(r"news: wrong value  small  .* \(sample 0, scaled 1e(-\d+), reverse", out)
    assert found, out
    assert int(found[1]) in (-4, -5)  # the first that is wrong: the samples lie between 1 and 2
    assert "news: NaN where finite  zero  " in out
    assert "(sample 0, with zeros, reverse, order 1)" in out


def test_right_operators_stay_right(run):
    code, out, _ = run(FUZZED, *ROUND, "--only", "right")
    assert code == 0
    assert re.search(r"PASS  fuzz of planted_fuzz:CATALOGUE on cpu, \d+ inputs: no checks; ", out)


def test_rounds_differ_and_the_same_seed_repeats_them():
    cases = [fuzzed("zero", rounds=6).cases for _ in range(2)]
    assert [case.labels for case in cases[0]] == [case.labels for case in cases[1]]
    assert len({case.name for case in cases[0]}) == len(cases[0]) > 1


def test_a_fuzz_goes_on_from_its_state(tmp_path):
    state = tmp_path / "fuzz.jsonl"
    first = fuzzed("small", "zero", rounds=2, state=state)
    written = state.read_bytes()
    again = fuzzed("small", "zero", rounds=2, state=state)
    assert [case.name for case in again.cases] == [case.name for case in first.cases]
    assert state.read_bytes() == written  # nothing was asked again
    more = fuzzed("small", "zero", rounds=3, state=state)
    assert state.read_bytes().startswith(written)
    assert len(more.cases) >= len(first.cases)


def test_a_fuzz_survives_a_killed_worker_and_loses_nothing(tmp_path):
    state = tmp_path / "fuzz.jsonl"
    suite = fuzzed("falls", "zero", "right", rounds=2, workers=1, state=state)
    assert (tmp_path / "fell").exists()
    asked = re.findall(r'"operator": "(\w+)", "dtype": "float64", "round": (\d)', state.read_text())
    wanted = {(name, number) for name in ("falls", "zero", "right") for number in "12"}
    assert set(asked) == wanted
    assert all(case.outcome == "FAIL" for case in suite.cases)


def test_what_never_returns_is_named_and_a_fuzz_goes_on(run):
    code, out, _ = run(FUZZED, *ROUND, "--only", "stands", "--only", "right", "--patience", "2")
    assert code == 0
    assert re.search(r"REFUSED  fuzz of planted_fuzz:CATALOGUE on cpu, \d+ inputs: 1 REFUSED", out)
    assert "REFUSED  stands float64 round 1  did not return within 2 s" in out


def test_a_fuzz_ends_when_its_time_is_over():
    plan = Plan(FUZZED, only=("right",), fuzz=True)
    suite = audit(plan, workers=0, minutes=1e-9).suite
    assert suite.title == "fuzz of planted_fuzz:CATALOGUE on cpu, 0 inputs"


@pytest.mark.parametrize("option", ["--minutes", "--rounds"])
def test_a_budget_needs_a_fuzz(run, option):
    code, _, err = run(FUZZED, option, "1")
    assert code == 2
    assert f"expected `{option[2:]}` to be a number above 0, beside --fuzz; got 1" in err


def test_a_catalogue_that_makes_no_arrays_cannot_be_fuzzed(run):
    code, _, err = run("planted_catalogue:CATALOGUE", *ROUND, "--only", "wrong")
    assert code == 2
    assert "expected a catalogue whose samples can be changed on cpu; give it a `maker`" in err

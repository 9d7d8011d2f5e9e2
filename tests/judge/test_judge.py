"""The rules by which evidence becomes a verdict, and reports that are judged again."""

from __future__ import annotations

import itertools
import json

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import secant
from secant._findings import Evidence, Verdict
from secant._judge import judge as rules
from secant._judge.judge import BROKEN, KEPT, UNKNOWN, judge
from secant._report.again import changes, judged_again

PASS, FAIL, UNCLEAR = Verdict.PASS, Verdict.FAIL, Verdict.INCONCLUSIVE
KNOWN = {PASS: KEPT, FAIL: BROKEN, UNCLEAR: UNKNOWN}
VERDICTS = st.sampled_from(list(Verdict))


def verdict(rule, facts=None, *parts):
    """Return the verdict by a rule on parts that have these verdicts."""
    return judge(Evidence(rule, facts or {}, tuple(KNOWN[part] for part in parts)))


def test_absence_of_evidence_is_no_pass():
    assert judge(UNKNOWN) is UNCLEAR
    assert verdict("independent", {}, FAIL) is UNCLEAR
    assert verdict("agreement", {"is_telling": 0}) is UNCLEAR


def test_only_what_fails_along_two_directions_is_wrong():
    assert verdict("independent", {}, FAIL, FAIL) is FAIL
    assert verdict("independent", {}, FAIL, PASS, FAIL) is FAIL
    assert verdict("independent", {}, FAIL, PASS, PASS) is PASS
    assert verdict("independent", {}, FAIL, PASS, UNCLEAR) is UNCLEAR


def test_what_could_not_have_seen_an_error_does_not_acquit_of_it():
    assert verdict("independent", {"could_tell": 1}, FAIL, PASS, PASS) is PASS
    assert verdict("independent", {"could_tell": 0}, FAIL, PASS, PASS) is UNCLEAR
    assert verdict("independent", {"could_tell": 0}, FAIL, PASS, FAIL) is FAIL


@given(VERDICTS, VERDICTS, st.none() | VERDICTS)
def test_a_kink_excuses_nothing_that_fails_beside_it(excused, smooth, entries):
    facts = {"has_smooth": 1, "has_entries": entries is not None}
    parts = (excused, smooth) if entries is None else (excused, smooth, entries)
    found = verdict("beside", facts, *parts)
    if smooth is FAIL and entries is not PASS:
        assert found is not PASS
    if found is PASS:
        assert excused is PASS


@given(VERDICTS, VERDICTS)
def test_a_path_never_blames_and_never_doubts_what_a_line_has_seen(line, path):
    found = verdict("path", {}, line, path)
    assert found is line or found is path is not FAIL


@given(VERDICTS, st.booleans(), st.booleans())
def test_a_kink_excuses_only_a_claim_between_its_slopes(line, is_kink, is_between):
    facts = {"is_kink": is_kink, "is_between": is_between, "is_jump": 0}
    excused = line is FAIL and is_kink and is_between
    assert verdict("corner", facts, line) is (PASS if excused else line)


@given(VERDICTS)
def test_at_a_jump_nothing_is_known(line):
    facts = {"is_kink": 0, "is_between": 0, "is_jump": 1}
    assert verdict("corner", facts, line) is UNCLEAR


@given(st.lists(VERDICTS, max_size=4), st.booleans(), st.integers(0, 2), st.floats(0, 1))
def test_one_wrong_entry_is_enough_and_all_must_promise_something(
    columns, has_ties, unlooked, coarseness
):
    facts = {
        "has_ties": has_ties,
        "unlooked": unlooked,
        "coarseness": coarseness,
        "is_forgiven": 0,
    }
    found = verdict("entries", facts, *columns)
    assert (found is FAIL) is (FAIL in columns or has_ties)
    if found is PASS:
        assert coarseness <= 0.1
        assert not unlooked


@pytest.mark.parametrize("facts", list(itertools.product([0, 1], repeat=3)))
def test_a_claim_that_is_not_finite_is_right_only_where_slopes_have_no_limit(facts):
    has_slope, has_no_limit, is_nan = facts
    found = verdict(
        "hole", {"has_slope": has_slope, "has_no_limit": has_no_limit, "is_nan": is_nan}
    )
    assert (found is FAIL) is bool(has_slope)
    assert (found is PASS) is bool(has_no_limit and not is_nan and not has_slope)


@given(VERDICTS, st.floats(0, 4), st.booleans())
def test_versions_that_differ_only_ever_cast_doubt(line, loosely, could_tell):
    found = verdict("versions", {"loosely": loosely, "could_tell": could_tell}, line)
    assert found in (line, UNCLEAR)
    assert found is not FAIL or loosely > 1
    assert found is not PASS or loosely <= 1 or could_tell


@given(VERDICTS, st.booleans())
def test_bends_only_ever_cast_doubt(line, is_another):
    assert verdict("blame_only", {"is_another": is_another}, line) in (FAIL, UNCLEAR)
    assert verdict("blame_only", {"is_another": is_another}, line) is not FAIL or line is FAIL


def test_every_rule_says_what_it_is_for():
    assert len(rules._RULES) > 10
    for rule in rules._RULES.values():
        assert rule.__doc__


def wrong(factor):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return torch.sin(x)

        @staticmethod
        def backward(ctx, v):
            (x,) = ctx.saved_tensors
            return factor * v * torch.cos(x)

    return Wrong.apply


POINT = torch.linspace(0.2, 1.3, 5, dtype=torch.float64)
CASES = {
    "right": (torch.sin, POINT, {}),
    "wrong": (wrong(1.05), POINT, {}),
    "wrong, full": (wrong(1.05), POINT, {"probe": "full"}),
    "kink": (torch.relu, POINT - POINT[2], {}),
    "forgiven": (wrong(1.05), POINT, {"rtol": 0.1}),
    "single": (torch.sin, POINT.float(), {}),
    "half": (torch.sin, POINT.half(), {"lift": False}),
    "not finite": (lambda x: torch.sqrt(x - POINT[0]), POINT, {}),
    "all modes": (torch.sin, POINT, {"modes": "all", "order": 2}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_report_that_is_saved_and_judged_again_says_the_same(name):
    function, point, settings = CASES[name]
    saved = secant.Report.from_json(secant.check(function, point, **settings).to_json())
    again = judged_again(saved)
    assert [one.verdict for one in again.findings] == [one.verdict for one in saved.findings]
    assert changes(saved, again) == [f"judged again: {saved.verdict.name}, as before"]


def test_evidence_that_says_otherwise_is_another_verdict():
    data = json.loads(secant.check(wrong(1.05), POINT).to_json())
    (finding,) = (one for one in data["findings"] if one["kind"] == "derivative")
    for part in finding["evidence"]["parts"]:
        part["facts"]["residual"] = 0.0
    saved = secant.Report.from_json(json.dumps(data))
    again = judged_again(saved)
    assert saved.verdict is FAIL
    assert again.verdict is PASS
    assert changes(saved, again)[-1] == "judged again: FAIL, today PASS"


@pytest.mark.parametrize(
    ("evidence", "why"),
    [
        (None, "has no evidence"),
        ({"rule": "mercy", "facts": {}, "parts": []}, "rests on rules that are unknown here"),
        ({"rule": "reading", "facts": {}, "parts": []}, "evidence is incomplete"),
        ({"rule": "path", "facts": {}, "parts": []}, "evidence is incomplete"),
    ],
)
def test_what_cannot_be_judged_again_is_said(evidence, why):
    data = json.loads(secant.check(torch.sin, POINT).to_json())
    data["findings"][0]["evidence"] = evidence
    with pytest.raises(secant.InputError, match=why):
        judged_again(secant.Report.from_json(json.dumps(data)))

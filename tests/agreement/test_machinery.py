"""The agreement can fail: what nobody listed is reported, and so is what is listed for nothing."""

from __future__ import annotations

import json

import pytest
import torch

from agreement.checkers import Verdict, judge_with_torch
from agreement.compare import Comparison, compare
from agreement.differences import KNOWN, Known
from agreement.questions import Asked, Place
from agreement.record import Record, StaleRecord, at_most

ENTRY = {
    "operator": "sine",
    "dtype": "float64",
    "question": "reverse",
    "mode": ["fast", "slow"],
    "torch": "pass",
    "secant": "fail",
    "why": "ours right: it was made so",
}


class WrongSine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, cotangent):
        return 1.1 * ctx.saved_tensors[0].cos() * cotangent


def posed(function=torch.sin, sample=0):
    x = torch.tensor([0.25, 0.5], dtype=torch.float64, requires_grad=True)
    return Asked(Place("sine", sample, "float64", "reverse"), function, (x,), False, {})


def comparison(tmp_path, *entries):
    record = Record(tmp_path / "verdicts.json")
    assert record.ask(posed()) == "pass"
    return Comparison(record, Known(list(entries)))


def fails(question, mode):
    return Verdict("fail", "made to")


def test_equal_words_agree(tmp_path):
    found = comparison(tmp_path)
    compare(posed(), ["fast", "slow"], found, judge_with_torch)
    assert set(found.counts) == {
        ("float64", "reverse", "fast", "agree"),
        ("float64", "reverse", "slow", "agree"),
    }


def test_a_difference_nobody_listed_is_reported(tmp_path):
    found = comparison(tmp_path)
    compare(posed(), ["fast"], found, fails)
    assert [str(one) for one in found.differences] == [
        "sine[0] float64 reverse fast: torch pass, secant fail made to"
    ]


def test_a_listed_difference_is_counted_as_known(tmp_path):
    found = comparison(tmp_path, ENTRY)
    compare(posed(), ["fast", "slow"], found, fails)
    assert not found.differences
    assert not found.unused()
    assert found.counts["float64", "reverse", "slow", "known"] == 1


def test_an_entry_that_nothing_needed_is_reported(tmp_path):
    found = comparison(tmp_path, ENTRY)
    compare(posed(), ["fast"], found, judge_with_torch)
    assert [listed.mode for listed in found.unused()] == ["fast"]  # slow was not asked


def test_an_entry_for_one_sample_does_not_cover_another(tmp_path):
    found = comparison(tmp_path, {**ENTRY, "operator": "sine[1]", "mode": "fast"})
    compare(posed(), ["fast"], found, fails)
    assert len(found.differences) == 1
    assert len(found.unused()) == 1


def test_a_question_that_was_not_recorded_is_an_error(tmp_path):
    with pytest.raises(LookupError, match="no verdict on sine\\[2\\] float64 reverse"):
        compare(posed(sample=2), ["fast"], comparison(tmp_path), judge_with_torch)


def test_a_record_reads_back_as_it_was_written(tmp_path):
    record = comparison(tmp_path).record
    record.write()
    assert Record.read(record.path).words == record.words
    assert record.operators() == {"float64": ["sine"]}


def test_a_record_of_another_torch_is_refused(tmp_path):
    record = comparison(tmp_path).record
    record.torch = "1.0"
    record.write()
    with pytest.raises(StaleRecord, match="recorded with torch"):
        Record.read(record.path)


def test_verdicts_have_one_word_each():
    def refuses(x):
        raise torch.linalg.LinAlgError("singular")

    assert judge_with_torch(posed(WrongSine.apply), "slow").word == "fail"
    assert judge_with_torch(posed(refuses), "slow").word == "raises RuntimeError"


def test_impatience_interrupts():
    def waits():
        with at_most(0.01):
            while True:
                pass

    with pytest.raises(TimeoutError):
        waits()


@pytest.mark.parametrize(
    "change", [{"why": "because"}, {"mode": "quick"}, {"dtype": "float16"}, {"note": "more"}]
)
def test_an_entry_that_says_too_little_or_too_much_is_refused(change):
    with pytest.raises(ValueError, match="expected"):
        Known([{**ENTRY, **change}])


def test_no_listed_difference_is_a_bug_of_ours():
    assert "theirs right" not in json.dumps(
        [line for line in KNOWN.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    )

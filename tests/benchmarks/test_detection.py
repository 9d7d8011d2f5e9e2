"""The planted errors are errors, of the size they claim; what changes nothing is not counted."""

from __future__ import annotations

import random
import sys

import pytest
import torch

from _database import Case
from _detectors import CHECKERS, SECANT, Answer, ask
from _shares import Finding, missed, share
from _spoils import KINDS, pairs, spoil_at
from _truth import breaks_a_law, changes_rows, draw_site, plant, truth_of
from wrong.spoiling import spoiled

WEIGHT = torch.randn(4, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(7))


def case(function, *shapes, name="case"):
    generator = torch.Generator().manual_seed(3)
    inputs = tuple(
        torch.randn(shape, dtype=torch.float64, generator=generator).requires_grad_()
        for shape in shapes
    )
    return Case(name, name, function, inputs, sum(one.numel() for one in inputs))


def product(x, y):
    return (WEIGHT @ x).sin() * y, torch.complex(x, x * x)


DENSE = case(product, (6, 5), (4, 5))


def jacobian(function, inputs, output, leaf):
    def one(*tensors):
        answer = function(*tensors)
        return answer[output] if isinstance(answer, tuple) else answer

    return torch.autograd.functional.jacobian(one, tuple(inputs))[leaf].flatten(-2).flatten(0, -2)


def made(kind, size, of=DENSE):
    return plant(truth_of(of, random.Random(0)), kind, size, random.Random(1))


def test_a_plant_of_the_truth_changes_nothing():
    same = spoiled(product, lambda pull: pull.gradients, 1.0)
    for answer, true in zip(same(*DENSE.inputs), product(*DENSE.inputs), strict=True):
        assert torch.equal(answer, true)
    for leaf in range(2):
        assert torch.equal(
            jacobian(same, DENSE.inputs, 0, leaf), jacobian(product, DENSE.inputs, 0, leaf)
        )


@pytest.mark.parametrize(("kind", "size"), pairs(list(KINDS), [1.0, 1e-6]))
def test_every_kind_can_be_planted_whole_and_almost_not(kind, size):
    assert made(kind, size) is not None


@pytest.mark.parametrize(("kind", "wrong"), [("one entry", 1), ("one row", 30), ("one column", 20)])
def test_an_error_is_as_large_as_it_says_and_where_it_says(kind, wrong):
    site = draw_site(truth_of(DENSE, random.Random(0)), 0, 0, random.Random(1))
    claimed = jacobian(spoiled(product, spoil_at(kind, site), 1e-3), DENSE.inputs, 0, 0)
    true = jacobian(product, DENSE.inputs, 0, 0)
    change = (claimed - true).abs()
    assert int((change > 1e-9).sum()) == wrong
    assert float(change.max()) == pytest.approx(1e-3 * float(true.abs().max()), rel=1e-9)


@pytest.mark.parametrize(
    ("kind", "function", "shape"),
    [
        ("reversed", torch.sum, (5,)),  # the same from either end
        ("transposed", lambda x: x.trace(), (3, 3)),  # symmetric
        ("two swapped", torch.mean, (5,)),  # all equal
        ("v read as contiguous", torch.sum, (5,)),  # one number is always contiguous
        ("v expanded", torch.sum, (5,)),
        ("border", lambda x: x[1:-1], (4,)),  # the border is zero anyway
        ("all scaled", lambda x: x * 0, (4,)),
        ("all scaled", lambda x: x.softmax(0).sum(), (4,)),  # zero but for rounding
        ("writes into input", lambda x: x + 1, (0,)),
    ],
)
def test_what_changes_nothing_is_not_counted(kind, function, shape):
    assert made(kind, 1.0, case(function, shape)) is None


@pytest.mark.parametrize("kind", ["writes into v", "writes into input"])
def test_a_plant_leaves_the_inputs_of_its_case_alone(kind):
    wrong = made(kind, 1.0)
    assert wrong is not None
    before = [one.detach().clone() for one in wrong.case.inputs]
    for checker in CHECKERS:
        ask(checker, wrong.case, 0, explain=False)
    assert all(map(torch.equal, before, wrong.case.inputs))


def test_the_right_function_is_neither_changed_nor_lawless():
    truth = truth_of(DENSE, random.Random(0))
    wrong = made("all scaled", 1e-6)
    assert wrong is not None
    same = Case("same", "same", spoiled(product, lambda pull: pull.gradients, 1.0), DENSE.inputs, 0)
    as_if = type(wrong)(wrong.kind, wrong.size, wrong.site, same)
    assert changes_rows(truth, wrong)
    assert not changes_rows(truth, as_if)
    assert not breaks_a_law(truth, as_if, random.Random(0))


def test_torch_explains_again_after_it_was_asked_for_a_verdict_only():
    module = sys.modules["torch.autograd.gradcheck"]
    before = module._run_slow_mode_and_get_error
    wrong = made("sign", 1.0)
    assert wrong is not None
    brief = ask("torch fast", wrong.case, 0, explain=False)
    assert module._run_slow_mode_and_get_error is before
    assert brief.verdict == ask("torch fast", wrong.case, 0, explain=True).verdict == "fail"


def test_what_cannot_be_told_is_not_caught():
    def found(verdict):
        answers = {SECANT: Answer(verdict, 0.0)}
        return Finding("f", "operators", "sign", 1.0, 0, 1.0, answers)

    findings = [found(verdict) for verdict in ("fail", "inconclusive", "pass", "refused")]
    assert share(findings, SECANT) == "1/4 (25.0 %)"
    assert share(findings, SECANT, 1.0) == "1/4 (25.0 %, below 100)"
    assert share(findings, "torch slow") == "–"
    assert len(missed(findings, 1e-5)) == 3

"""check_many(): a name, a report or a refusal for every function, and one answer for all."""

from __future__ import annotations

import pytest
import torch

import secant
from planted import points, scaled_sine
from secant import Verdict
from secant._hearing import listeners


def raising(x):
    raise RuntimeError("no such kernel")


def test_what_fails_and_what_is_refused_stops_none_of_the_others():
    x = points(3)
    suite = secant.check_many([(raising, x), (scaled_sine(1.05), x), (torch.mul, x, x + 1)])
    assert [case.outcome for case in suite.cases] == ["REFUSED", "FAIL", "PASS"]
    assert "no such kernel" in suite.cases[0].refusal
    assert not suite
    first, *lines = str(suite).splitlines()
    assert "3 checks: 1 FAIL, 1 REFUSED, 1 PASS" in first
    assert any("1.05" in line for line in lines)
    assert not any("mul" in line for line in lines)


def test_every_report_is_that_of_a_check_by_itself():
    x = points(5)
    for function in (torch.sin, scaled_sine(1.05)):
        (case,) = secant.check_many([(function, x)], seed=7, modes="all").cases
        alone = secant.check(function, x, seed=7, modes="all")
        assert case.report is not None
        assert case.report.findings == alone.findings
        assert case.report.cost.evaluations == alone.cost.evaluations


def test_names_are_the_keys_or_the_functions_own_and_differ():
    x = points(3)
    named = secant.check_many({"plain": (torch.sin, x), "halved": (torch.sin, x / 2)})
    assert [case.name for case in named.cases] == ["plain", "halved"]
    own = secant.check_many([(torch.sin, x), (torch.cos, x), [torch.sin, x]])
    assert [case.name for case in own.cases] == ["sin[0]", "cos", "sin[1]"]
    assert own


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ([], "at least one check"),
        ({}, "at least one check"),
        ([torch.sin], "tuple of a function and its inputs"),
        ([("sin", 1.0)], "tuple of a function and its inputs"),
        ({"sine": ()}, "tuple of a function and its inputs"),
    ],
)
def test_what_is_no_check_is_refused_before_any_is_made(checks, said):
    with pytest.raises(secant.InputError, match=said):
        secant.check_many(checks)


def test_a_wrong_setting_is_an_error_and_not_a_row_of_refusals():
    with pytest.raises(secant.InputError, match="probe"):
        secant.check_many([(torch.sin, points(3))], probe="slow")


def test_whoever_listens_hears_every_check(monkeypatch):
    heard = []
    monkeypatch.setattr(
        "secant._hearing.listeners", [*listeners, lambda *told: heard.append(told[:3])]
    )
    secant.check_many([(torch.sin, points(3)), (raising, points(3))])
    assert [(verb, function) for verb, _, function in heard] == [
        ("check", torch.sin),
        ("check", raising),
    ]
    assert heard[0][1].verdict is Verdict.PASS


def test_a_function_leaves_nothing_for_the_next_one():
    def leaving(x):
        answer = x.sin() * torch.rand(3, dtype=torch.float64)
        torch.set_grad_enabled(False)
        return answer

    before = torch.get_rng_state()
    assert secant.check_many([(leaving, points(3)), (torch.sin, points(3))])
    assert torch.is_grad_enabled()
    assert torch.equal(torch.get_rng_state(), before)

"""The index of many checks in Chromium: search, filters, order, details, and an address to keep."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

import secant
from handmade import report, right
from planted import planted, points, scaled_sine
from secant._report.suite import Case, Suite

OPERATORS = ("sin", "cos", "tanh", "exp", "sigmoid", "sqrt", "square", "atan")
EVIL = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


def doubled(operator):
    """Return an operator whose gradient is twice as large as it should be."""

    def backward(saved, v):
        x = saved[0].detach().requires_grad_()
        with torch.enable_grad():
            (gradient,) = torch.autograd.grad(operator(x), x, v)
        return 2 * gradient

    return planted(operator.__name__, operator, backward)


@pytest.fixture(scope="module")
def suite():
    """Return 200 checks: some wrong, some that could not be asked."""
    known = {}
    cases = []
    for k in range(200):
        name, dtype = OPERATORS[k % 8], ("float64", "float32")[k // 8 % 2]
        labels = {"dtype": dtype, "device": ("cpu", "cuda")[k % 3 == 0], "file": f"test_{k % 5}.py"}
        if k % 31 == 7:
            cases.append(Case(f"{name}-{k}", None, "the point itself is not finite", labels))
            continue
        key = name, dtype, k % 23 == 3
        if key not in known:
            operator = getattr(torch, name)
            function = doubled(operator) if key[2] else operator
            known[key] = secant.check(function, points(4, dtype=getattr(torch, dtype)))
        cases.append(Case(f"{name}-{k}", known[key], labels=labels))
    return Suite("operators of torch", tuple(cases), 12.5, ("secant 0.1.0", "torch 2.13.0"))


def names(page):
    return page.locator("tr.case .unfold").all_text_contents()


def shown(page):
    return page.locator("#shown").text_content()


def wait_for(page, words):
    page.wait_for_function(
        "(words) => document.getElementById('shown').textContent === words", arg=words
    )


def count(suite, **wanted):
    return sum(
        all(
            (case.outcome if key == "outcome" else case.labels[key]) == value
            for key, value in wanted.items()
        )
        for case in suite.cases
    )


def test_the_index_lists_the_gravest_first(visit, suite, photograph):
    page = visit(suite)
    assert shown(page) == "200 checks"
    assert len(names(page)) == 200
    outcomes = [text.split()[1] for text in page.locator("tr.case .badge").all_text_contents()]
    order = ["FAIL", "INCONCLUSIVE", "REFUSED", "EXPECTED", "PASS"]
    assert outcomes == sorted(outcomes, key=order.index)
    assert page.get_by_role("button", name=f"FAIL {count(suite, outcome='FAIL')}").is_visible()
    page.locator("tr.case .unfold").first.click()
    page.locator('figure[data-kind="residual"] .heatmaplayer image').wait_for(state="attached")
    photograph(page, "index.png", clip={"x": 0, "y": 0, "width": 1280, "height": 1000})


def test_outcomes_and_labels_filter_together(visit, suite):
    page = visit(suite)
    page.locator("[data-outcome=FAIL]").click()
    wait_for(page, f"{count(suite, outcome='FAIL')} of 200 checks")
    page.get_by_label("dtype").select_option("float32")
    wanted = count(suite, outcome="FAIL", dtype="float32")
    assert 0 < wanted < count(suite, outcome="FAIL")
    wait_for(page, f"{wanted} of 200 checks")
    page.locator("[data-outcome=REFUSED]").click()
    both = wanted + count(suite, outcome="REFUSED", dtype="float32")
    wait_for(page, f"{both} of 200 checks")
    page.get_by_role("button", name="clear").click()
    wait_for(page, "200 checks")


def test_the_search_finds_names_and_causes(visit, suite):
    page = visit(suite)
    page.keyboard.press("/")
    page.keyboard.type("SIGMOID")
    wait_for(page, f"{sum('sigmoid' in case.name for case in suite.cases)} of 200 checks")
    assert all("sigmoid" in name for name in names(page))
    page.get_by_label("search").fill("constant factor")
    wait_for(page, f"{count(suite, outcome='FAIL')} of 200 checks")
    page.get_by_label("search").fill("nothing is called so")
    wait_for(page, "0 of 200 checks")
    assert page.get_by_text("No check is like this.").is_visible()


def test_checks_are_sorted_by_a_click_on_the_header(visit, suite):
    page = visit(suite)
    page.get_by_role("button", name="check", exact=True).click()
    assert names(page)[:2] == ["atan-7", "atan-15"]
    page.get_by_role("button", name="evaluations").click()
    numbers = page.locator("tr.case td.c-number:nth-last-child(2)").all_text_contents()
    values = [int(text.replace(",", "") or 0) for text in numbers]
    assert values == sorted(values, reverse=True)
    header = page.locator("th", has=page.get_by_role("button", name="evaluations"))
    assert header.get_attribute("aria-sort") == "descending"


def test_a_check_unfolds_with_its_evidence_and_folds_again(visit, suite):
    page = visit(suite)
    page.locator("[data-outcome=FAIL]").click()
    first = page.locator("tr.case .unfold").first
    assert page.locator("figure").count() == 0
    first.focus()
    page.keyboard.press("Enter")
    assert first.get_attribute("aria-expanded") == "true"
    told = page.locator("td.told")
    assert "claimed = 2 × measured" in told.text_content()
    assert "secant.check(" in told.locator(".command").text_content()
    told.locator('figure[data-kind="claimed"] .heatmaplayer image').wait_for(state="attached")
    assert told.locator('figure[data-kind="steps"] path.point').count() > 5
    page.keyboard.press("Enter")
    assert page.locator("td.told").count() == 0


def test_a_pass_and_a_refusal_unfold_without_pictures(visit, suite):
    page = visit(suite, "#outcome=REFUSED")
    page.locator("tr.case .unfold").first.click()
    assert "the point itself is not finite" in page.locator("td.told").text_content()
    page.locator("[data-outcome=REFUSED]").click()
    page.locator("[data-outcome=PASS]").click()
    page.locator("tr.case .unfold").first.click()
    told = page.locator("td.told").last
    assert "any single wrong entry above" in told.text_content()
    assert told.locator("figure").count() == 0


def test_the_address_keeps_filter_order_and_what_is_unfolded(visit, suite):
    page = visit(suite)
    page.locator("[data-outcome=FAIL]").click()
    page.get_by_label("dtype").select_option("float64")
    page.get_by_label("search").fill("constant")
    page.get_by_role("button", name="seconds").click()
    page.locator("tr.case .unfold").first.click()
    wait_for(page, f"{count(suite, outcome='FAIL', dtype='float64')} of 200 checks")
    before, address = names(page), page.url
    assert "outcome=FAIL" in address
    page.goto("about:blank")
    page.goto(address)
    assert names(page) == before
    assert page.get_by_label("search").input_value() == "constant"
    assert page.locator("td.told").count() == 1


def test_an_index_of_two_thousand_checks_makes_two_hundred_rows_at_once(visit):
    cases = tuple(
        Case(f"case {k}", report(right()), labels={"dtype": f"d{k % 7}"}) for k in range(2000)
    )
    page = visit(Suite("many", cases, 60.0))
    assert shown(page) == "2,000 checks"
    assert len(names(page)) == 200
    page.locator("select[data-label]").select_option("d3")
    wait_for(page, f"{count(Suite('', cases, 0.0), dtype='d3')} of 2,000 checks")
    assert len(names(page)) == 200
    page.get_by_role("button", name="clear").click()
    page.get_by_role("button", name="show 200 more of 1,800").click()
    assert len(names(page)) == 400


def test_names_labels_and_refusals_with_tags_are_text(visit):
    failing = secant.check(scaled_sine(1.1), points(2))
    cases = (
        Case(f"{EVIL} wrong", failing, labels={EVIL: EVIL}),
        Case(f"{EVIL} refused", None, EVIL, {EVIL: "other"}),
    )
    page = visit(Suite(EVIL, cases, 1.0, (EVIL,)))
    assert page.locator("h1 code").text_content() == EVIL
    for button in page.locator("tr.case .unfold").all():
        button.click()
    buttons = page.locator("tr.case .unfold").all()
    assert [one.get_attribute("title") for one in buttons] == [case.name for case in cases]
    assert all("…" in one for one in names(page))
    assert EVIL in page.locator("td.told").last.text_content()
    assert page.locator("select[data-label] option").all_text_contents() == ["any", EVIL, "other"]
    assert page.locator("img").count() == 0
    assert page.evaluate("window.hacked") is None


def test_the_index_fits_a_phone(visit, suite):
    page = visit(suite, viewport={"width": 390, "height": 800}, color_scheme="dark")
    page.locator("tr.case .unfold").first.click()
    page.locator('figure[data-kind="steps"] path.point').first.wait_for(state="attached")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_two_hundred_checks_are_one_line_each_with_their_labels_as_columns(visit, suite):
    long = "tests/ops/test_fused.py::TestFused::test_gradient_of_every_kernel"
    cases = tuple(
        replace(one, name=f"{long}[{one.name}-contiguous]") if k % 2 else one
        for k, one in enumerate(suite.cases)
    )
    page = visit(replace(suite, cases=cases))
    heights = page.locator("tr.case").evaluate_all("rows => rows.map((row) => row.offsetHeight)")
    assert max(heights) < 40
    assert page.evaluate("document.documentElement.scrollHeight") < 8_000
    assert page.locator("thead th").all_text_contents() == [
        *("outcome", "check", "dtype", "device", "file", "evaluations", "seconds")
    ]
    shortened = next(one for one in names(page) if "…" in one)
    assert shortened.startswith("tests/ops/")
    assert shortened.endswith("-contiguous]")
    assert page.locator("tr.case td.c-label").first.text_content() in ("float64", "float32")


def test_what_was_expected_to_go_wrong_is_not_red(visit):
    failing = secant.check(scaled_sine(1.1), points(2))
    cases = (Case("right", report(right())), Case("meant so", failing, is_expected=True))
    page = visit(Suite("mine", cases, 1.0))
    assert page.locator("h1 .badge").text_content().split()[-1] == "PASS"
    assert [text.split()[-1] for text in page.locator("tr.case .badge").all_text_contents()] == [
        "EXPECTED",
        "PASS",
    ]
    page.locator("tr.case .unfold").first.click()
    assert "1.1 × measured" in page.locator("td.told").text_content()
    assert page.locator(".bad:visible").count() == page.locator(".chip.bad:visible").count()
    link = page.locator(".row-code a")
    assert link.get_attribute("href").startswith("file:")

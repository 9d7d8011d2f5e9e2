"""What is known is no news: baselines, reasons, what is mended, and one row for one mistake."""

from __future__ import annotations

import json
import re

import pytest

from secant._audit.conduct import audit
from secant._audit.known import read, shipped
from secant._audit.plan import Plan
from secant._report.mistakes import mistakes
from secant._report.suite import Case

PLANTED = "planted_catalogue:CATALOGUE"
WRONG = ("--only", "sine0", "--only", "wrong", "--workers", "0")


@pytest.fixture
def known(run, tmp_path):
    """A file that knows what `wrong` does."""
    file = tmp_path / "known.json"
    code, out, _ = run(PLANTED, *WRONG, "--known", file, "--update-known")
    assert code == 0
    assert f"{file} knows what was seen: give each entry its reason" in out
    return file


def test_what_is_known_is_expected_and_exits_with_0(run, known):
    code, out, _ = run(PLANTED, *WRONG, "--known", known)
    assert code == 0
    assert "PASS  audit of planted_catalogue:CATALOGUE on cpu: 3 EXPECTED, 3 PASS; " in out
    assert "1 mistakes are known; known.json says why" in out
    assert "news" not in out


def test_news_exit_with_1_and_one_line_for_each(run, known):
    code, out, _ = run(PLANTED, *WRONG, "--only", "twice", "--known", known)
    assert code == 1
    news = [line for line in out.splitlines() if line.startswith("news: ")]
    assert len(news) == 1
    assert news[0].startswith("news: wrong value  twice  3 cases since twice[0] float64, off by 1 ")


def test_another_place_of_a_known_operator_is_news(run, known):
    data = json.loads(known.read_text())
    data["known"][0]["where"] = ["forward-mode gradient, ∂out / ∂x"]
    known.write_text(json.dumps(data))
    code, out, _ = run(PLANTED, *WRONG, "--known", known)
    assert code == 1
    assert "news: wrong value  wrong  3 cases since wrong[0] float64" in out


def test_a_mended_mistake_is_said_with_its_reason(run, known):
    data = json.loads(known.read_text())
    entry = {**data["known"][0], "operator": "sine0", "reason": "an old compiler"}
    known.write_text(json.dumps({**data, "known": [*data["known"], entry]}))
    code, out, _ = run(PLANTED, *WRONG, "--known", known)
    assert code == 0
    assert "mended: sine0, wrong value; known because an old compiler" in out
    code, out, _ = run(PLANTED, *WRONG, "--known", known, "--samples", "1")
    assert code == 0
    assert "mended" not in out  # it was not asked what was asked then


def test_an_update_keeps_reasons_and_what_was_not_asked(run, known):
    data = json.loads(known.read_text())
    data["known"][0]["reason"] = "meant to be"
    entry = {**data["known"][0], "operator": "elsewhere"}
    known.write_text(json.dumps({**data, "known": [*data["known"], entry]}))
    run(PLANTED, *WRONG, "--only", "twice", "--known", known, "--update-known")
    told = {entry.operator: entry.reason for entry in read(known).entries}
    assert told["wrong"] == told["elsewhere"] == "meant to be"
    assert told["twice"] == "seen when this file was made; nobody has said why yet"


@pytest.mark.parametrize("content", ["", "[]", '{"kind": "suite", "format": 1}', '{"kind": 3}'])
def test_a_file_that_knows_nothing_is_refused_before_the_work(run, tmp_path, content):
    file = tmp_path / "other.json"
    file.write_text(content)
    code, out, err = run(PLANTED, *WRONG, "--known", file)
    assert (code, out) == (2, "")
    assert "expected other.json to hold known mistakes; " in err


def test_an_update_needs_a_file(run):
    code, _, err = run(PLANTED, *WRONG, "--update-known")
    assert code == 2
    assert "expected `known` to be a file to write to, beside --update-known" in err


def test_the_page_has_one_row_for_each_mistake(run, known, tmp_path):
    page = tmp_path / "audit.html"
    run(PLANTED, *WRONG, "--only", "twice", "--known", known, "--report", page)
    text = page.read_text(encoding="utf-8")
    for row in (
        "<td>wrong value, known</td><td>wrong</td><td>wrong[0] float64</td>",
        "<td>wrong value, news</td><td>twice</td><td>twice[0] float64</td>",
    ):
        assert text.count(row) == 1


def test_none_knows_nothing(run):
    code, out, _ = run(PLANTED, *WRONG, "--known", "none")
    assert code == 1
    assert "news: wrong value  wrong" in out


def test_a_baseline_comes_along_for_the_pinned_torch_only():
    plan = Plan("torch")
    baseline = shipped(plan, ("secant 0.1.0", "torch 2.13.0+cpu"))
    assert baseline.name == "torch-2.13.0.json"
    assert all(entry.reason for entry in baseline.entries)
    assert not shipped(plan, ("torch 2.99.0",)).entries
    assert not shipped(Plan(PLANTED), ("torch 2.13.0",)).entries


def test_many_cases_of_one_mistake_are_one_row():
    suite = audit(Plan(PLANTED, only=("wrong", "twice"), samples=4), workers=0).suite
    rows = mistakes(suite.cases)
    assert [(row.operator, len(row.cases)) for row in rows] == [("twice", 4), ("wrong", 4)]
    assert rows[1].error == pytest.approx(0.05, rel=0.01)
    assert not mistakes([Case("refused", refusal="not asked")])


def test_a_sabotaged_operator_of_torch_is_the_only_news(run, monkeypatch):
    torch = pytest.importorskip("torch")
    from secant._catalogues.torch.operators import database

    class Sabotaged(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return torch.sin(x)

        @staticmethod
        def backward(ctx, grad):
            return 1.05 * grad * torch.cos(*ctx.saved_tensors)

    asked = ("--only", "sin", "--only", "cos", "--only", "native_group_norm", "--workers", "0")
    code, out, _ = run("torch", *asked)
    assert code == 0
    assert "1 mistakes are known; torch-2.13.0.json says why" in out
    entry = next(entry for entry in database() if entry.name == "sin")
    monkeypatch.setattr(entry, "op", Sabotaged.apply)
    code, out, _ = run("torch", *asked)
    news = [line for line in out.splitlines() if line.startswith("news: ")]
    assert code == 1
    assert len(news) == 1
    assert re.match(
        r"news: wrong value  sin  \d cases? since sin\[0\] float64, off by 0.05 ", news[0]
    )


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_pinned_torch_has_no_news(run):
    code, out, _ = run("torch")
    assert code == 0
    assert "news" not in out

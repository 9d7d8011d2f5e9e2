"""On a terminal: the same words as in the text, in colour, cut nowhere."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from handmade import broken, doubtful, kept, report, right, wrong

REPORTS = {
    "pass": report(right(), kept("linearity")),
    "fail": report(wrong(3)),
    "law": report(broken()),
    "inconclusive": report(doubtful()),
    "several": report(wrong(), broken(), wrong(12), wrong()),
}


def rendered(one, width=200, **options):
    console = Console(record=True, width=width, file=io.StringIO(), **options)
    console.print(one)
    return console


def words(text):
    return re.findall(r"\S+", text)


@pytest.mark.parametrize("name", REPORTS)
def test_the_terminal_says_what_the_text_says(name):
    one = REPORTS[name]
    assert words(rendered(one).export_text()) == words(str(one))


@pytest.mark.parametrize(
    ("name", "colour"), [("pass", "32"), ("fail", "31"), ("inconclusive", "33")]
)
def test_verdicts_have_their_colours(name, colour):
    text = rendered(REPORTS[name], force_terminal=True, color_system="standard").export_text(
        styles=True
    )
    assert re.search(rf"\x1b\[1;{colour}m", text)


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("name", REPORTS)
def test_nothing_is_cut_off_on_a_narrow_terminal(name, width):
    text = rendered(REPORTS[name], width=width).export_text()
    assert "…" not in text
    joined = "".join(words(text))
    for word in ("two2three", REPORTS[name].verdict.name):
        assert word in joined


def test_square_brackets_are_not_taken_for_markup():
    text = rendered(REPORTS["fail"]).export_text()
    assert "∂out[1][0] / ∂x1[0]" in text

"""The gallery holds what it promises, and says so when it does not."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

import secant
from secant._demo import ShownExhibit, list_exhibits, show_exhibits
from secant._errors import InputError
from secant._gallery import galleries
from secant._gallery.galleries import gallery

EXHIBITS = gallery()
NUMBERS = range(1, len(EXHIBITS) + 1)
WIDTH = 100


def console():
    return Console(file=io.StringIO(), width=WIDTH, highlight=False)


def numbered(title):
    return next(n for n in NUMBERS if EXHIBITS[n - 1].title == title)


def shown(number):
    exhibit = EXHIBITS[number - 1]
    return ShownExhibit(
        number, exhibit, secant.check(exhibit.function, *exhibit.inputs, **exhibit.settings)
    )


@pytest.mark.parametrize("number", NUMBERS, ids=[exhibit.title for exhibit in EXHIBITS])
def test_every_exhibit_gets_the_verdict_it_deserves(number):
    one = shown(number)
    assert one.surprise is None, f"{one.surprise}\n{one.report}"


def test_the_gallery_holds_right_and_wrong_and_undecidable_derivatives():
    assert len(EXHIBITS) >= 14
    assert {exhibit.expected for exhibit in EXHIBITS} == {"PASS", "FAIL", "INCONCLUSIVE"}
    assert len({exhibit.title for exhibit in EXHIBITS}) == len(EXHIBITS)


def test_every_wrong_exhibit_names_words_its_report_must_contain():
    assert all(exhibit.says for exhibit in EXHIBITS if exhibit.expected != "PASS")


def test_the_exhibit_wrong_at_the_second_order_is_right_at_the_first():
    exhibit = EXHIBITS[numbered("Wrong at the second order only") - 1]
    assert secant.check(exhibit.function, *exhibit.inputs)


def test_the_whole_gallery_fits_the_terminal_and_ends_with_a_summary():
    out = console()
    assert show_exhibits(out, EXHIBITS, list(NUMBERS))
    lines = out.file.getvalue().splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert re.fullmatch(
        rf"{len(EXHIBITS)} of {len(EXHIBITS)} verdicts are the expected ones, in [\d.]+ s",
        lines[-1].rstrip(),
    )
    for exhibit in EXHIBITS:
        assert sum(exhibit.title in line for line in lines) == 2  # its rule and its summary


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"expected": "PASS"}, "expected PASS, found FAIL"),
        ({"kind": "layout"}, "expected a finding of layout, found derivative"),
        ({"says": "the moon"}, "expected the report to say the moon"),
    ],
)
def test_an_unexpected_verdict_kind_or_cause_is_a_surprise(change, words):
    number = numbered("The wrong sign")
    changed = replace(EXHIBITS[number - 1], **change)
    out = console()
    assert not show_exhibits(out, [changed], [1])
    assert f"SURPRISE  {words}" in out.file.getvalue()
    assert "0 of 1 verdicts are the expected ones" in out.file.getvalue()


def test_one_exhibit_reads_as_what_expected_report_why():
    out = console()
    show_exhibits(out, EXHIBITS, [numbered("At a jump")])
    text = out.file.getvalue()
    order = ["At a jump ─", "what  ", "expected  INCONCLUSIVE", "`staircase`", "why  ", "Summary ─"]
    places = [text.index(words) for words in order]
    assert places == sorted(places)


def test_the_list_numbers_every_exhibit():
    out = console()
    list_exhibits(out, EXHIBITS)
    rows = out.file.getvalue().splitlines()[1:]
    assert [int(row.split()[0]) for row in rows] == list(NUMBERS)


def test_without_any_framework_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setattr(galleries, "_KNOWN", {"no_such_framework": "secant._backends.none"})
    with pytest.raises(InputError, match=r'pip install "secant\[no_such_framework\]"'):
        gallery()

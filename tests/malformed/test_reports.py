"""Reports from elsewhere, edited or cut: shown, or refused in one sentence; never a traceback."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from malformed.documents import documents, edited, mangled
from secant import InputError
from secant._commands.reports import reading
from secant._commands.reports.differences import compare
from secant._report.pages import comparison, index, localisation, report
from secant._report.suite import Suite

PAGES = {
    "Report": report.render,
    "Comparison": comparison.render,
    "Localisation": localisation.render,
    "Suite": index.render,
}


def use(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read a document and do with it whatever can be done."""
    monkeypatch.setattr(reading, "_text", lambda name: text)
    thing = reading.load("report.json")
    assert "\x1b" not in str(thing)
    Console(file=io.StringIO()).print(thing)
    thing._repr_html_()
    PAGES[type(thing).__name__](thing)
    assert type(thing).from_json(thing.to_json()).to_json() == thing.to_json()
    compare(thing, thing)
    if not isinstance(thing, Suite):
        _ = thing.verdict, bool(thing)


@pytest.mark.parametrize("name", sorted(documents()))
def test_what_secant_wrote_can_be_used(name, monkeypatch):
    use(documents()[name], monkeypatch)


@settings(max_examples=150)
@given(text=st.one_of(edited(), mangled()))
def test_anything_else_is_used_or_refused_in_one_sentence(text):
    with pytest.MonkeyPatch.context() as patch:
        try:
            use(text, patch)
        except InputError as error:
            said = str(error)
            assert said.startswith(("report.json: expected", "expected report.json to be JSON"))
            assert len(said) < 1000
            assert "\n" not in said

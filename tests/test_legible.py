"""What is printed hides nothing: no name can move the cursor, or say PASS in a line of its own."""

from __future__ import annotations

import io
import re
import sys
import unicodedata
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import secant
from handmade import placed, reasons, report, right, wrong
from planted import points
from secant import Case, Suite
from secant._commands.reports.differences import compare
from secant._legible import encodable, legible

EVIL = "f`\nPASS  gradient of `f\x1b[2J\u202e\r\u2028\x85\x9b1m"
SAID = reasons(EVIL, EVIL, EVIL, EVIL)
SPELT = "f`\\nPASS  gradient of `f\\x1b[2J\\u202e\\r\\u2028\\x85\\x9b1m"
HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def shown(thing) -> list[str]:
    """Return everything that a reader may see, as text and in the terminal."""
    stream = io.StringIO()
    Console(file=stream, width=400, color_system=None).print(thing)
    return [str(thing), stream.getvalue()]


def is_legible(text: str) -> bool:
    return not any(unicodedata.category(one) in HIDDEN for one in text if one != "\n")


@given(st.text())
def test_every_text_becomes_one_line_that_can_be_seen(text):
    assert is_legible(legible(text))
    assert "\n" not in legible(text)


@given(st.text(st.characters(categories=("L", "N", "P", "S"))))
def test_what_can_be_seen_stays_as_it_is(text):
    assert legible(text) == text


@pytest.mark.parametrize(
    "thing",
    [
        report(right(where=EVIL, notes=reasons(note=EVIL)), name=EVIL),
        report(wrong(3, reasons=SAID, place=placed(EVIL)), name=EVIL, rerun=EVIL),
        Suite(EVIL, (Case(EVIL, refusal=EVIL), Case("b", report(wrong(), name=EVIL))), 1.0),
        compare(report(right(), name=EVIL), report(wrong(reasons=SAID), name=EVIL, seed=1)),
    ],
    ids=["right", "wrong", "suite", "difference"],
)
def test_no_name_forges_a_line(thing):
    for text in shown(thing):
        assert is_legible(text)
        _, *others = text.splitlines()
        assert "\\x1b[2J" in text
        assert not any(re.match(r"(PASS|FAIL|INCONCLUSIVE)\b", line) for line in others)


def test_a_functions_own_name_and_its_exception_are_spelt_out():
    def raises(x):
        raise ValueError(EVIL)

    with pytest.raises(secant.EvaluationError) as caught:
        secant.check(raises, points(2))
    assert is_legible(str(caught.value))

    def named(x):
        return x.sin() + x.detach()

    named.__name__ = EVIL
    first, *_ = str(secant.check(named, points(2))).splitlines()
    assert first == f"FAIL  reverse-mode gradient of `{SPELT}`"
    key = "a\x1b[31m"
    keyed = secant.check(lambda d: d[key] + d[key].detach(), {key: points(2)})
    assert is_legible(str(keyed))


def test_an_exception_of_several_lines_stays_beside_its_label():
    class Raises(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.sin()

        @staticmethod
        def backward(ctx, v):
            raise RuntimeError("one\nPASS  gradient of `f`")

    lines = str(secant.check(Raises.apply, points(2))).splitlines()
    assert lines[1:3] == [
        "  what    the backward pass raised RuntimeError: one",
        "          PASS  gradient of `f`",
    ]


class Mute(Exception):
    """An exception that cannot say what it says."""

    def __str__(self):
        raise ZeroDivisionError

    __repr__ = __str__


def test_an_exception_whose_words_cannot_be_had_is_named():
    def raises(x):
        raise Mute

    said = "Mute: (its own words cannot be had: str() of it raises ZeroDivisionError)"
    with pytest.raises(secant.EvaluationError) as caught:
        secant.check(raises, points(2))
    assert str(caught.value) == f"`raises` raised {said}"

    class Raises(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.sin()

        @staticmethod
        def backward(ctx, v):
            raise Mute

    for settings in ({}, {"probe": "full"}, {"order": 2}, {"laws": "all"}):
        assert f"the backward pass raised {said}" in str(
            secant.check(Raises.apply, points(2), **settings)
        )


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1", "utf-8", "utf-16"])
def test_a_report_can_be_printed_to_any_stream(encoding, monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    print(report(wrong(3)))
    sys.stdout.flush()
    text = raw.getvalue().decode(encoding)
    assert text.startswith("FAIL  reverse-mode gradient of `two2three`")
    assert ("∂out[1][0] / ∂x1[0]" if encoding.startswith("utf") else "dout[1][0] / dx1[0]") in text
    assert ("measured ± error" if encoding != "ascii" else "measured +- error") in text


def test_a_file_is_written_whole_whatever_the_stream_can(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    written = report(wrong(3)).save(tmp_path / "report.txt").read_text(encoding="utf-8")
    assert "∂out[1][0] / ∂x1[0]" in written


def test_a_stream_without_an_encoding_or_with_an_unknown_one_gets_the_text(monkeypatch):
    assert encodable("∂", io.StringIO()) == "∂"
    assert encodable("∂", None) == "∂"
    assert encodable("∂", SimpleNamespace(encoding="no such thing")) == "∂"
    monkeypatch.setattr(sys, "stdout", None)
    assert str(report(right())).startswith("PASS")

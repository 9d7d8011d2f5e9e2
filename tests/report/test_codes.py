"""Codes of findings: all are said in every dialect, published, and kept apart from their words."""

from __future__ import annotations

import ast
import json
import re
import string
import sys
from pathlib import Path

import pytest

import secant
from secant._words.dialects import BY_HAND
from secant._words.reason import ASPECTS, said, topics

ROOT = Path(secant.__file__).parent
DOCS = ROOT.parents[1] / "docs"
TOPICS = topics()
sys.path.insert(0, str(DOCS))
import _codes  # noqa: E402


def sentences(topic, dialect="torch", **changes):
    reason = topic(**{**topic.example, **changes})
    return [text for aspect in ASPECTS if (text := said(reason, aspect, dialect))]


def test_every_code_is_said_in_every_dialect_and_explained():
    meanings = _codes.meanings(_codes.PAGE.read_text(encoding="utf-8"))
    for code, topic in TOPICS.items():
        for dialect in ("torch", "jax", *BY_HAND):
            words = sentences(topic, dialect)
            assert words, code
            assert all("{" not in one and "}" not in one for one in words), words
        assert meanings[code].endswith("."), code
        assert not meanings[code].startswith("TO DO"), code


def test_a_reader_of_jax_or_of_a_derivative_by_hand_is_not_told_about_grad_output():
    for dialect in ("jax", *BY_HAND):
        for code, topic in TOPICS.items():
            if code not in ("ASSUMES_ORDER", "ASSUMES_MEMORY", "WRITES_INTO_COTANGENT"):
                assert "grad_output" not in " ".join(sentences(topic, dialect)), code


@pytest.mark.parametrize("name", ["page", "schema"])
def test_the_reference_and_the_schema_list_every_code_as_it_is(name):
    written = {"page": _codes.PAGE, "schema": _codes.SCHEMA}[name].read_text(encoding="utf-8")
    assert written == getattr(_codes, name)(), "run: python docs/_codes.py"
    assert set(re.findall(r"^### ([A-Z_]+)$", _codes.page(), re.MULTILINE)) == set(TOPICS)


def test_every_code_is_found_somewhere():
    """No code outlives what finds it."""
    words = {
        word
        for folder in (ROOT, ROOT.parent / "_secant_pytest")
        for file in folder.rglob("*.py")
        if file.parent.name != "_words"
        for word in re.findall(r"[A-Z_]+", file.read_text(encoding="utf-8"))
    }
    assert set(TOPICS) <= words


def test_a_reason_is_made_with_the_fields_of_its_code():
    """Wherever a code is used, it is given the fields that its example has."""
    wrong = []
    for file in [*ROOT.rglob("*.py"), *(ROOT.parent / "_secant_pytest").rglob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            name = getattr(node, "func", None)
            code = getattr(name, "attr", getattr(name, "id", None))
            if not isinstance(node, ast.Call) or code not in TOPICS:
                continue
            given = {one.arg for one in node.keywords}
            due = set(TOPICS[code].example)
            if given != due and not (None in given and given - {None} <= due):
                wrong.append(f"{file.name}:{node.lineno} {code} {given ^ due}")
    assert wrong == []


def test_no_decision_reads_a_sentence():
    """Neither findings nor secant's own exceptions are searched for words, nor reworded."""
    words = r"(message|cause|advice|note|subject)"
    forbidden = [
        rf"\bin \w+(\.\w+)*\.{words}\b(?!s)",
        rf"\.{words}\.(startswith|endswith|replace|partition|split)\(",
        r"\bin str\(",
    ]
    found = [
        f"{file.relative_to(ROOT)}:{number} {line.strip()}"
        for file in ROOT.rglob("*.py")
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if any(re.search(one, line) for one in forbidden)
        and "for " not in line
        and file.name != "files.py"  # reads what NumPy says of a file
    ]
    assert found == []


def test_a_code_that_nobody_knows_is_refused_when_a_report_is_read():
    report = json.loads(secant.check(abs_of, 1.5, gradient=one).to_json())
    for broken in ({"code": "NO_SUCH"}, {"fields": {"more": 1}}):
        (first, *_), *_ = (finding["reasons"] for finding in report["findings"])
        before = dict(first)
        first.update(broken)
        with pytest.raises(secant.InputError, match="no reason that is known"):
            secant.Report.from_json(json.dumps(report))
        first.clear()
        first.update(before)
    assert secant.Report.from_json(json.dumps(report))


def test_templates_name_only_fields_and_words_of_a_dialect():
    from secant._words.dialects import vocabulary

    known = set(vocabulary("torch"))
    for topic in TOPICS.values():
        for aspect in ASPECTS:
            template = getattr(topic, aspect)
            if isinstance(template, str):
                names = {name for _, name, _, _ in string.Formatter().parse(template) if name}
                assert names <= known | set(topic.example), topic.code


def abs_of(x):
    return abs(x)


def one(x):
    return 1.0

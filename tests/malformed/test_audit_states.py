"""States of audits that were edited or cut: continued, or refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from malformed.documents import HOSTILE, documents
from secant import InputError
from secant._audit.ask import ItemAnswer
from secant._audit.plan import Item, Plan
from secant._audit.state import State

PLAN = Plan("planted:CATALOGUE")
VERSIONS = ("secant 0.1.0", "torch 2.13.0")


def written(folder: str) -> Path:
    """Return the file of an audit with two answers."""
    path = Path(folder) / "state.jsonl"
    cases = tuple(json.loads(documents()["suite"])["cases"])
    with State(path) as state:
        assert state.open(PLAN, VERSIONS) == {}
        state.add(ItemAnswer(Item("sine", "float64"), cases, samples=3))
        state.add(ItemAnswer(Item("sort", "float64"), skipped="not differentiable"))
    return path


def reopened(path: Path) -> dict[Item, ItemAnswer]:
    with State(path) as state:
        return state.open(PLAN, VERSIONS)


def test_what_was_written_is_known(tmp_path):
    known = reopened(written(str(tmp_path)))
    assert [str(item) for item in known] == ["sine float64", "sort float64"]
    assert len(known[Item("sine", "float64")].cases) == 3


@st.composite
def tampered(draw: st.DrawFn) -> Any:
    """Return a change of the lines of a state."""
    place = draw(st.integers(0, 2))
    how = draw(st.sampled_from(["value", "key", "line", "cut", "bytes"]))
    value = draw(st.sampled_from(HOSTILE))
    key = draw(
        st.sampled_from(["kind", "format", "settings", "versions", "item", "cases", "samples"])
    )
    inside = draw(st.sampled_from(["", "operator", "dtype", "probe"]))

    def change(lines: list[bytes]) -> bytes:
        if how == "line":
            lines[place] = json.dumps(value).encode()
        elif how == "bytes":
            lines[place] = b"\xff\x00" + lines[place]
        elif how == "cut":
            lines[place] = lines[place][:40]
        else:
            data = json.loads(lines[place])
            holder = data[key] if inside and isinstance(data.get(key), dict) else data
            if how == "key":
                holder.pop(inside if holder is not data else key, None)
            else:
                holder[inside if holder is not data else key] = value
            lines[place] = json.dumps(data).encode()
        return b"\n".join(lines) + b"\n"

    return change


@settings(max_examples=100)
@given(change=tampered())
def test_a_state_that_was_tampered_with_is_continued_or_refused_in_one_sentence(change):
    with TemporaryDirectory() as folder:
        path = written(folder)
        content = change(path.read_bytes().splitlines())
        path.write_bytes(content)
        try:
            known = reopened(path)
        except InputError as error:
            known, said = {}, str(error)
        else:
            said = ""
        assert all(isinstance(item, Item) for item in known)
        assert not said or said.startswith("expected state.jsonl to be ")
        assert "\n" not in said
        assert not said or path.read_bytes() == content


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"[]", "TypeError: list indices must be integers or slices, not str"),
        (b'{"kind": "audit"}', "KeyError: 'format'"),
        (b'{"kind": "poem", "format": 3}', "its kind is 'poem', its format 3"),
        (b'{"kind": "audit", "format": 3, "settings": 3, "versions": []}', "AttributeError"),
    ],
)
def test_a_header_that_is_none_is_said(tmp_path, line, said):
    path = tmp_path / "state.jsonl"
    path.write_bytes(line + b"\n")
    with pytest.raises(InputError) as caught:
        reopened(path)
    assert str(caught.value).startswith(f"expected state.jsonl to be the state of an audit; {said}")


def test_an_answer_with_a_case_that_is_none_is_refused_before_anything_is_asked(tmp_path):
    path = written(str(tmp_path))
    path.write_bytes(path.read_bytes().replace(b'"refusal": "no such operator"', b'"refusal": 3'))
    with pytest.raises(InputError) as caught:
        reopened(path)
    assert str(caught.value) == (
        "expected state.jsonl to be the state of an audit; refusal is 3, which is no str"
    )

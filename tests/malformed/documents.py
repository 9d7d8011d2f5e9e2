"""Documents that secant wrote, and what may become of them on the way back: strategies."""

from __future__ import annotations

import copy
import functools
import json
from typing import Any

import torch
from hypothesis import strategies as st

import secant
from planted import scaled_sine

HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 3, 10**30, 0.5, -1e308, float("nan"), float("inf")),
    *("", "x", "nan", "FAIL", "PASS", "\x1b[2J", "\u202ePASS", "line\nPASS  of `f`", "\ud800"),
    *([], {}, [[]], [1], [None], {"x": 1}, ["a", 2], [[1, 2], [3]], {"value": 1, "error": None}),
)


@functools.cache
def documents() -> dict[str, str]:
    """Return the JSON of one document of each kind, made of real checks."""
    x = torch.linspace(0.1, 1, 3, dtype=torch.float64)
    wrong = secant.check(scaled_sine(1.05), x, probe="full")
    right = secant.check(torch.sin, x, probe="full", pictures=True)
    compared = secant.compare(scaled_sine(1.05), torch.sin, x.float())
    network = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh()).double()
    suite = secant.Suite(
        "two checks",
        (
            secant.Case("wrong", wrong, labels={"dtype": "float64"}),
            secant.Case("right", right),
            secant.Case("refused", refusal="no such operator"),
        ),
        0.5,
        ("secant 0.1.0",),
    )
    made = {"wrong": wrong, "right": right, "comparison": compared, "suite": suite}
    made["localisation"] = secant.localise(network, x)
    return {name: one.to_json() for name, one in made.items()}


@st.composite
def edited(draw: st.DrawFn) -> str:
    """Return a document with a value or two replaced, left out, or put where none belongs."""
    document = json.loads(documents()[draw(st.sampled_from(sorted(documents())))])
    for _ in range(draw(st.integers(1, 2))):
        _edit(draw, document)
    return json.dumps(document)


def _edit(draw: st.DrawFn, document: Any) -> None:
    places = list(_places(document))
    holder, key = places[draw(st.integers(0, len(places) - 1))] if places else (document, "kind")
    act = draw(st.sampled_from(["replace", "replace", "delete", "swap", "add"]))
    if act == "delete":
        del holder[key]
    elif act == "add" and isinstance(holder, dict):
        holder[draw(st.sampled_from(["extra", "raised", "ratio"]))] = _hostile(draw)
    elif act == "swap":
        other, place = places[draw(st.integers(0, len(places) - 1))]
        holder[key] = json.loads(json.dumps(other.get(place) if isinstance(other, dict) else None))
    else:
        holder[key] = _hostile(draw)


def _hostile(draw: st.DrawFn) -> Any:
    """Return a value of its own: what a second edit puts into it must not come up again."""
    return copy.deepcopy(draw(st.sampled_from(HOSTILE)))


def _places(data: Any) -> Any:
    """Yield every holder and key in a document."""
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        yield data, key
        if isinstance(value, (dict, list)):
            yield from _places(value)


@st.composite
def mangled(draw: st.DrawFn) -> str:
    """Return the text of a document that was cut, spliced or is none."""
    text = documents()[draw(st.sampled_from(sorted(documents())))]
    place = draw(st.integers(0, len(text)))
    inserted = draw(st.sampled_from(["", "{", "]", "\x00", '"', "1e999", "\ufeff", "9" * 5000]))
    rest = draw(st.sampled_from([text[place:], text[place + 9 :], ""]))
    return draw(st.sampled_from([text[:place] + inserted + rest, inserted + rest, "[" * 10**5]))

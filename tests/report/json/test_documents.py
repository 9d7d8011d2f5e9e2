"""JSON of comparisons and localisations: they come back equal, and strangers are refused."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
import torch
from torch import nn

import secant
from handmade import COST, reasons, report, right, wrong
from planted import points, scaled_sine
from secant import (
    ComparedEntry,
    ComparedError,
    Comparison,
    ComparisonRow,
    InputError,
    Localisation,
    LocalisedCall,
    Report,
    Verdict,
)
from secant._words.comparisons import KERNEL_FACTOR
from secant._words.indices import Indices
from secant._words.places import ALL_AT

COMPARISON = Comparison(
    "fused",
    "softmax",
    "bfloat16",
    2.0,
    (
        ComparisonRow(
            "∂out / ∂x",
            Verdict.FAIL,
            "bfloat16",
            1024,
            ComparedError(0.21, 2.3e-3, 2.0),
            ComparedError(math.inf, 4.1, 3.1),
            (ComparedEntry("[0, 4]", -0.5, 0.007, None, math.inf),),
            wrong=32,
            place=ALL_AT(where=(Indices("one", (2,), (1,)),)),
            reasons=(KERNEL_FACTOR(factor=2.0),),
        ),
        ComparisonRow("out", Verdict.INCONCLUSIVE, reasons=reasons("nothing was measured")),
    ),
    ("a note",),
    COST,
    1729,
    ("secant 0.1.0",),
    "secant.compare(fused, softmax, x, seed=1729)",
)
CALLS = (
    LocalisedCall("", "Sequential", 1, 0, False, report(wrong())),
    LocalisedCall("0", "Linear", 1, 1, False, report(right())),
    LocalisedCall("1", "Gate", 2, 1, False, None, "its inputs are integers"),
    LocalisedCall("1", "Rule", 1, 2, True, report(wrong(3))),
)
LOCALISATION = Localisation(
    "Sequential",
    CALLS,
    (CALLS[3],),
    "Rule is to blame",
    "look at its backward",
    COST,
    7,
    ("secant 0.1.0",),
    "secant.localise(network, x, seed=7)",
)


@pytest.mark.parametrize("one", [COMPARISON, LOCALISATION], ids=["comparison", "localisation"])
def test_it_comes_back_equal(one):
    again = type(one).from_json(one.to_json())
    assert again == one
    assert str(again) == str(one)
    assert again.to_json() == one.to_json()


def test_entries_that_are_not_finite_come_back():
    entry = ComparedEntry("[5]", math.nan, -math.inf, 1.5, math.nan)
    row = replace(COMPARISON.rows[0], entries=(entry,), norm=ComparedError(math.nan, 0.0, 2.0))
    (again, *_) = Comparison.from_json(replace(COMPARISON, rows=(row,)).to_json()).rows
    assert math.isnan(again.entries[0].kernel)
    assert again.entries[0].truth == -math.inf
    assert math.isnan(again.norm.error)


def test_the_blamed_are_the_very_calls_of_the_list():
    again = Localisation.from_json(LOCALISATION.to_json())
    assert again.blamed[0] is again.calls[3]
    assert again.whole is again.calls[0].report


def test_a_real_comparison_comes_back():
    one = secant.compare(torch.sigmoid, lambda x: 1.1 / (1 + (-x).exp()), points(8).float())
    assert Comparison.from_json(one.to_json()).to_json() == one.to_json()
    assert not Comparison.from_json(one.to_json())


def test_a_real_localisation_comes_back():
    class Sine(nn.Module):
        def forward(self, x):
            return scaled_sine(1.1)(x)

    network = nn.Sequential(nn.Linear(3, 3), Sine()).double()
    one = secant.localise(network, points(2, 3))
    again = Localisation.from_json(one.to_json())
    assert again.to_json() == one.to_json()
    assert str(again) == str(one)
    assert [call.name for call in again.blamed] == [call.name for call in one.blamed]


@pytest.mark.parametrize("kind", [Comparison, Localisation])
def test_the_json_of_another_kind_is_refused(kind):
    with pytest.raises(InputError) as caught:
        kind.from_json(report(right()).to_json())
    assert str(caught.value) == f"expected the JSON of a {kind.__name__.lower()}; got 'report'"
    other = LOCALISATION if kind is Comparison else COMPARISON
    with pytest.raises(InputError):
        Report.from_json(other.to_json())


@pytest.mark.parametrize("one", [COMPARISON, LOCALISATION], ids=["comparison", "localisation"])
def test_json_that_lacks_something_is_refused(one):
    data = json.loads(one.to_json())
    del data["cost"]
    with pytest.raises(InputError) as caught:
        type(one).from_json(json.dumps(data))
    word = type(one).__name__.lower()
    assert str(caught.value) == f"expected the JSON of a secant {word}; it has no 'cost'"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"calls": []}, "the first call, which is the module's own, has no report"),
        ({"blamed": [9]}, "one is blamed that is no call"),
    ],
)
def test_a_localisation_that_contradicts_itself_is_refused(change, message):
    data = {**json.loads(LOCALISATION.to_json()), **change}
    with pytest.raises(InputError, match=message):
        Localisation.from_json(json.dumps(data))

"""The published JSON Schema: everything secant writes obeys it, and it refuses what is not that."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import torch
from torch import nn

import secant
from handmade import broken, doubtful, kept, report, right, wrong
from planted import planted, points, scaled_sine
from secant import Entry, Estimate
from secant._report.suite import Case, Suite

NAN, INF = float("nan"), float("inf")
SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "schema" / "report-3.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


class Sine(nn.Module):
    def forward(self, x):
        return scaled_sine(1.1)(x)


def two(x, y):
    return {"product": scaled_sine(1.1)(x) * y.sum(), "sum": x.sum() + (y * y).sum()}


def not_finite():
    entry = Entry("out", "x", NAN, Estimate(-INF, INF))
    return report(wrong(entries=(entry,), claimed=INF, measured=Estimate(NAN, INF), resolution=INF))


def kernel():
    return secant.compare(torch.sigmoid, lambda x: 1.1 / (1 + (-x).exp()), points(8).float())


WRITTEN = {
    "empty": report,
    "made by hand": lambda: report(right(), kept("layout"), wrong(12), broken(), doubtful()),
    "not finite": not_finite,
    "pass": lambda: secant.check(torch.sin, points(3)),
    "pictures": lambda: secant.check(torch.sin, points(3), pictures=True),
    "fail": lambda: secant.check(scaled_sine(1.1), points(3)),
    "full": lambda: secant.check(two, points(3), points(2), probe="full", modes="all"),
    "everything": lambda: secant.check(scaled_sine(1.1), points(3), order=2, laws="all"),
    "complex": lambda: secant.check(scaled_sine(1.1), points(2, dtype=torch.complex128)),
    "single": lambda: secant.check(scaled_sine(1.1), points(3, dtype=torch.float32)),
    "nan": lambda: secant.check(planted("Nan", torch.sin, lambda s, v: v * NAN), points(3)),
    "too large to write": lambda: secant.check(torch.sin, points(70), probe="full"),
    "comparison": kernel,
    "localisation": lambda: secant.localise(
        nn.Sequential(nn.Linear(3, 2), Sine()).double(), points(2, 3)
    ),
    "suite": lambda: Suite(
        "all",
        (
            Case("a", report(right()), labels={"dtype": "float64"}),
            Case("b", secant.check(scaled_sine(1.1), points(3))),
            Case("c", None, "the point itself is not finite"),
        ),
        1.5,
        ("secant 0.1.0",),
    ),
}


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_written_obeys_the_schema(name):
    one = WRITTEN[name]()
    document = json.loads(one.to_json())
    VALIDATOR.validate(document)
    again = type(one).from_json(one.to_json())
    assert json.loads(again.to_json()) == document


def test_a_jacobian_is_written_with_the_names_of_its_coordinates():
    document = json.loads(WRITTEN["complex"]().to_json())
    (jacobian,) = document["jacobians"]
    assert jacobian["rows"] == ["out[0].real", "out[0].imag", "out[1].real", "out[1].imag"]
    assert jacobian["columns"][3] == "input0[1].imag"
    assert 0 < jacobian["rtol"] < 1e-6


def test_a_jacobian_too_large_to_write_is_null():
    (jacobian,) = json.loads(WRITTEN["too large to write"]().to_json())["jacobians"]
    assert jacobian["claimed"] is None
    assert jacobian["rows"] is None


@pytest.mark.parametrize(
    "change",
    [
        {"format": 1},
        {"kind": "page"},
        {"verdict": "MAYBE"},
        {"seed": "1729"},
        {"resolution": "small"},
        {"more": 1},
        {"findings": [{}]},
        {"cost": None},
    ],
    ids=str,
)
def test_something_else_does_not_obey(change):
    document = {**json.loads(report(right()).to_json()), **change}
    assert not VALIDATOR.is_valid(document)


@pytest.mark.parametrize("field", ["format", "kind", "verdict", "findings", "versions", "rerun"])
def test_something_that_lacks_a_field_does_not_obey(field):
    document = json.loads(report(right()).to_json())
    del document[field]
    assert not VALIDATOR.is_valid(document)

"""Every backend does what a backend must do; and the suite that says so can fail."""

from __future__ import annotations

import array_api_strict
import numpy as np
import pytest

import tinyad
from secant._backends import registry
from secant._backends.arrays.array_api import ArrayApiBackend
from secant._backends.arrays.numpy import NumpyBackend
from secant._backends.jax.backend import JaxBackend
from secant._backends.torch.backend import TorchBackend
from secant.extend import conformance
from tinyad_backend import TinyBackend

CASES = [
    *conformance(TinyBackend()),
    *conformance(TorchBackend(), dtypes=["float64", "float32", "float16"]),
    *conformance(JaxBackend(), dtypes=["float32"]),
    *conformance(NumpyBackend(), dtypes=["float64", "float32", "float16"]),
    *conformance(ArrayApiBackend(), like=array_api_strict.asarray([1.0])),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.subject.backend.name}: {case}")
def test_backends_conform(case):
    case()


def broken_by(name: str, **methods) -> set[str]:
    """Return the cases that a toy backend with other methods does not pass."""
    backend = type(name, (TinyBackend,), methods)()
    found = set()
    for case in conformance(backend, dtypes=["float64"]):
        try:
            case()
        except AssertionError:
            found.add(str(case).partition(",")[0])
    return found


def test_the_suite_fails_where_a_backend_is_wrong():
    pulls = "pulls are right as often as they are asked"
    halved = broken_by(
        "Halved",
        pull=lambda self, outputs, inputs, cotangents, **options: [
            None if one is None else one * 0.5
            for one in tinyad.pull(outputs, inputs, cotangents, **options)
        ],
    )
    assert {pulls, "a right function passes and its inputs stay"} <= halved
    rounded = broken_by("Rounded", numbers=lambda self, array: array.numbers.astype(np.float32))
    assert "numbers become an array and come back" in rounded
    attached = broken_by("Attached", is_attached=lambda self, array: True)
    assert attached == {"what depends on a leaf is attached"}
    greedy = broken_by("Greedy", is_array=lambda self, value: True)
    assert "only arrays are arrays" in greedy
    assert broken_by("Right") == set()


def test_nobody_speaks_for_a_framework_after_its_suite():
    before = dict(registry._made)
    for case in conformance(TinyBackend(), dtypes=["float64"]):
        case()
    assert registry._made == before

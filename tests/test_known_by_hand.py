"""Right derivatives of NumPy's and SciPy's functions pass, wrong ones do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import secant
from known_arrays_by_hand import ARRAYS
from known_by_hand import ELEMENTWISE, Known
from secant import Verdict

KNOWN = [*ELEMENTWISE, *ARRAYS]
SINGLE = [one for one in KNOWN if one.runs_in_float32]
CONSTANT = ("floor", "sign")  # nothing to scale


def single(array: np.ndarray) -> np.ndarray:
    return array.astype(np.complex64 if np.iscomplexobj(array) else np.float32)


def scaled(known: Known, factor: float) -> Any:
    def pull(*arguments: Any) -> Any:
        answer = known.pull(*arguments)
        if not isinstance(answer, tuple):
            return answer * np.asarray(answer).dtype.type(factor)
        return tuple(one * np.asarray(one).dtype.type(factor) for one in answer)

    return pull


@pytest.mark.thinned(keep=141)
@pytest.mark.parametrize("known", KNOWN, ids=lambda one: one.name)
@pytest.mark.parametrize("probe", ["fast", "full"])
def test_a_right_pull_passes_in_float64(known, probe):
    report = secant.check(known.function, *known.inputs, pull=known.pull, probe=probe)
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.thinned(keep=70)
@pytest.mark.parametrize("known", SINGLE, ids=lambda one: one.name)
@pytest.mark.parametrize("probe", ["fast", "full"])
def test_a_right_pull_passes_in_float32(known, probe):
    inputs = [single(array) for array in known.inputs]
    report = secant.check(known.function, *inputs, pull=known.pull, probe=probe)
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.thinned(keep=50)
@pytest.mark.parametrize(
    "known", [k for k in KNOWN if k.name not in CONSTANT], ids=lambda k: k.name
)
def test_a_pull_that_is_off_by_a_hundred_thousandth_fails(known):
    report = secant.check(known.function, *known.inputs, pull=scaled(known, 1 + 1e-5))
    assert report.verdict is Verdict.FAIL, str(report)


@pytest.mark.thinned(keep=50)
@pytest.mark.parametrize(
    "known", [k for k in SINGLE if k.name not in CONSTANT], ids=lambda k: k.name
)
def test_a_pull_that_is_off_by_a_hundredth_fails_in_float32(known):
    inputs = [single(array) for array in known.inputs]
    report = secant.check(known.function, *inputs, pull=scaled(known, 1.01))
    assert report.verdict is Verdict.FAIL, str(report)


@pytest.mark.thinned(keep=24)
@pytest.mark.parametrize("known", ELEMENTWISE, ids=lambda one: one.name)
def test_the_same_slopes_pass_as_push_and_as_sparse_jacobian(known):
    sparse = pytest.importorskip("scipy.sparse")
    ones = np.ones(known.inputs[0].shape)

    def jacobian(x: np.ndarray) -> Any:
        return sparse.diags_array(known.pull(x, ones).reshape(-1))

    report = secant.check(known.function, *known.inputs, push=known.pull, jacobian=jacobian)
    assert report.verdict is Verdict.PASS, str(report)


def test_there_are_many():
    assert len({one.name for one in KNOWN}) == len(KNOWN) >= 140

"""Lines: what one has been asked about it knows, and tells without asking the function."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from secant._backends.torch.backend import TorchBackend
from secant._measure.line import Line, MovingLeaf
from secant._spaces.choose import space_of

BACKEND = TorchBackend()


@pytest.fixture
def calls():
    return []


@pytest.fixture
def line(calls):
    """The sine along a line, with its calls counted."""
    point = torch.linspace(0.1, 1.0, 5, dtype=torch.float64)
    space = space_of(BACKEND, point)

    def evaluate(values):
        calls.append(1)
        return [space.coordinates(values[0].sin())]

    mover = MovingLeaf(space, space.coordinates(point), np.ones(5))
    return Line(evaluate, [mover], [space.coordinates(point.sin())])


def test_a_rung_that_is_known_takes_no_call(line, calls):
    assert not line.knows(2.0**-9)
    rung = line.rung(2.0**-9)
    assert line.knows(2.0**-9)
    assert line.rung(2.0**-9) is rung
    assert len(calls) == 2


def test_a_line_reduced_to_one_rung_knows_no_other(line, calls):
    rungs = [line.rung(step) for step in (2.0**-9, 2.0**-11)]
    told = line.only_at(2.0**-9)
    assert told.rung(2.0**-9) is rungs[0]
    assert not told.knows(2.0**-11)
    assert len(calls) == 4
    assert told.rung(2.0**-11).differences[0] == pytest.approx(rungs[1].differences[0])
    assert len(calls) == 6

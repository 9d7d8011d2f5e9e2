"""An interrupt that something hides on its way is an interrupt still."""

from __future__ import annotations

import pytest
import torch

import secant
from planted import points


def test_an_interrupt_that_cleaning_up_hides_is_raised():
    def function(x):
        try:
            raise KeyboardInterrupt
        finally:
            raise RuntimeError("cannot clean up")

    with pytest.raises(KeyboardInterrupt):
        secant.check(function, points(3))


def test_what_was_being_handled_before_is_no_interrupt_of_the_function():
    def function(x):
        raise ValueError("not here")

    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        with pytest.raises(secant.FunctionRaised, match="not here"):
            secant.check(function, points(3))
    assert secant.check(torch.sin, points(3))

"""Hypothesis strategies: arrays to check a derivative at, which shrink to the smallest wrong one.

>>> from hypothesis import given
>>> import secant, torch
>>> @given(tensors("torch"))
... def test_sine(x):
...     secant.assert_gradient(torch.sin, x)

`import secant` does not load this module; Hypothesis must be installed to import it.
"""

from __future__ import annotations

from ._strategies.arrays import broadcasts, tensors
from ._strategies.numbers import numbers
from ._strategies.shapes import shapes

__all__ = ["broadcasts", "numbers", "shapes", "tensors"]

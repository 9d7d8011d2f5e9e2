"""How much of a difference is round-off: the model that holds before anything is measured.

A function computed backward-stably in a dtype of unit round-off ε returns F(x(1 + δ))(1 + δ'),
|δ|, |δ'| ≤ ε, independent from entry to entry. Contracted with weights v, the noise of one value is
about ε·√(‖v∘F‖² + ‖g∘x‖²), with g = Jᵀ v; along a direction whose entries are about as large as
x/X, ‖g∘x‖ is about X times the measured slope. The five-point stencil divides it by h and gains a
factor 0.95. Rounding errors are uniform, standard deviation ε/√3, so 2ε covers 99.9 % of them.
"""

from __future__ import annotations

import math

_COVERAGE = 2.0


def modelled(roundoff: float, size: float, step: float, slope: float = 0.0) -> float:
    """Return the noise of a slope at this step, for values of the given size.

    Where the values themselves are near 0, what remains is the rounding of the difference: ε·slope.
    """
    return _COVERAGE * roundoff * (size / step + 2 * slope)


def size_of(outputs: float, slope: float, reach: float) -> float:
    """Combine ‖v∘F‖ and what rounding of inputs of this size does, in quadrature."""
    return math.hypot(outputs, slope * reach)

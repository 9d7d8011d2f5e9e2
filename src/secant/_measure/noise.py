"""How much of a difference is round-off: the model that holds before anything is measured.

A function computed backward-stably in a dtype of unit round-off ε returns F(x(1 + δ))(1 + δ'),
|δ|, |δ'| ≤ ε, independent from entry to entry. Contracted with weights v, the noise of one value is
about ε·√(‖v∘F‖² + ‖g∘x‖²), with g = Jᵀ v; along a direction whose entries are about as large as
x/X, ‖g∘x‖ is about X times the measured slope. The five-point stencil divides it by h and gains a
factor 0.95. Rounding errors are uniform, standard deviation ε/√3, so 2ε covers 99.9 % of them.
"""

from __future__ import annotations

from .._constants import COVERAGE, RESIDUE, SPREADS
from .._problem.problem import Problem


def modelled(roundoff: float, size: float, step: float, slope: float = 0.0) -> float:
    """Return the noise of a slope at this step, for values of the given size.

    Where the values themselves are near 0, what remains is the rounding of the difference: ε·slope.
    """
    return COVERAGE * roundoff * (size / step + 2 * slope)


def expected_bar(roundoff: float) -> float:
    """Return the bar of a slope at the first step, as a share of F/X; noise and truncation."""
    bar: float = SPREADS * roundoff ** (2 / 3)
    return bar


def residue(problem: Problem, part: int, output: int, size: float) -> float:
    """Return a rounding of a slope that cancels to zero: ε·F/X·‖v‖, with ‖v‖ the given size.

    F and X are the largest output and the size of the inputs. A derivative below it is none.
    """
    space, other = problem.domain.parts[part], problem.codomain.parts[output]
    largest = problem.sizes.of_outputs(problem.base_vectors())[output]
    moved = max(largest, company(problem, output)) * size
    scale = problem.sizes.of_leaf(part, problem.coordinates_of_point(part)).typical
    return max(space.roundoff, other.roundoff) * moved / scale


def company(problem: Problem, output: int) -> float:
    """Return the size that a gradient's noise is relative to where it is nothing else; 0 for none.

    A gradient that is zero by cancellation, such as that of a bias before a normalisation, is what
    rounding has left of terms as large as those of the gradients beside it.
    """
    if not problem.is_gradient:
        return 0.0
    sizes = problem.sizes.of_outputs(problem.base_vectors())
    largest = max(sizes)
    noise = RESIDUE * problem.codomain.parts[output].roundoff * largest
    return largest if sizes[output] <= noise else 0.0

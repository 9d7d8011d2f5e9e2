"""Why secant and an original differ about a call of another project's tests, found out by hand.

A place without an entry is listed as unexplained, so that nothing new hides among the known.
"""

from __future__ import annotations

__all__ = ["reason_for"]

_SINGULAR = (
    "secant is right: at a point to which torch steps, a solver in the function's own backward "
    "meets a matrix that is exactly singular, and raises"
)

# By project, place, and whether claims were made too large.
REASONS: dict[tuple[str, str, bool], str] = {
    ("numpyro", "test/test_distributions_util.py:93", False): (
        "secant is right to the letter: the second derivative is -1e-35, and what JAX computes for "
        "it underflows to zero; JAX forgives 0.002"
    ),
    ("numpyro", "test/test_distributions_util.py:93", True): (
        "secant is right: the gradients are 1e-9 and 3e-4, and JAX forgives 0.002"
    ),
    **{
        ("xitorch", f"xitorch/_tests/test_linop_fcns.py:{line}", False): _SINGULAR
        for line in (83, 127, 379)
    },
    ("xitorch", "xitorch/_tests/test_linop_fcns.py:234", False): (
        "both object: for torch a solver raises at a point to which it steps; secant calls the "
        "gradient wrong, at eigenvalues that coincide; whether it is has not been found out"
    ),
}


def reason_for(project: str, place: str, *, is_sabotage: bool) -> str:
    """Return why the two differ there."""
    return REASONS.get((project, place, is_sabotage), "**unexplained**")

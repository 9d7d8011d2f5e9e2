"""Why secant and an original differ about a call of another project's tests, found out by hand.

A place without an entry is listed as unexplained, so that nothing new hides among the known.
"""

from __future__ import annotations

__all__ = ["reason_for"]

_SINGULAR = (
    "secant is right: at a point to which torch steps, a solver in the function's own backward "
    "meets a matrix that is exactly singular, and raises"
)

_NEARLY_SINGULAR = (
    "secant warns that it cannot tell: at eigenvalues that coincide, a solver in the function's "
    "own backward meets a matrix that is singular but for rounding, and raises at some points: at "
    "one of torch's here, and at one of secant's as well for the same ones in another place"
)

_FAST = (
    "secant is right, and torch's slow mode says so too: its fast mode weighs all entries in one "
    "sum, in which 5 % of it are less than it forgives"
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
    ("xitorch", "xitorch/_tests/test_linop_fcns.py:234", False): _NEARLY_SINGULAR,
    **{
        ("kornia", place, True): _FAST
        for place in (
            "testing/base.py:201",
            "tests/color/test_lab.py:268",
            "tests/color/test_luv.py:244",
            "tests/color/test_rgb.py:472",
            "tests/color/test_rgb.py:474",
        )
    },
    ("jaxoplanet", "tests/core/kepler_test.py:74", False): (
        "secant is right: the gradient is; in single precision JAX's own difference is noise, for "
        "which the test is expected to fail"
    ),
    ("jaxopt", "tests/anderson_test.py:147", False): (
        "secant is right to the letter: iterates that stop within 1e-6 of zero still move by 2e-6 "
        "a unit, where 1e-7 is claimed; JAX forgives 0.002"
    ),
}


def reason_for(project: str, place: str, *, is_sabotage: bool) -> str:
    """Return why the two differ there."""
    return REASONS.get((project, place, is_sabotage), "**unexplained**")

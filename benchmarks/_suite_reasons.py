"""Why secant and an original differ about a call of another project's tests, found out by hand.

A place without an entry is listed as unexplained, so that nothing new hides among the known.
"""

from __future__ import annotations

__all__ = ["reason_for"]

# (project, place without its line or with it, whether claims were made too large): reason
REASONS: dict[tuple[str, str, bool], str] = {}


def reason_for(project: str, place: str, *, is_sabotage: bool) -> str:
    """Return why the two differ there."""
    file = place.rpartition(":")[0]
    keys = [(project, one, is_sabotage) for one in (place, file)]
    return next((REASONS[key] for key in keys if key in REASONS), "**unexplained**")

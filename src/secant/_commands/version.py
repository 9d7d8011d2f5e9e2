"""`secant version`: nothing is imported for it."""

from __future__ import annotations

from .._version import __version__
from .printing import write


def version() -> None:
    """Print the version."""
    write(f"secant {__version__}")

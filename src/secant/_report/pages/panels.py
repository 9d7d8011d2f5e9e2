"""A panel: one plot as plain data, its traces and its two axes, before anybody draws it."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Panel:
    """One plot. Colours are names, words are escaped for plotly."""

    kind: str
    title: str
    says: str  # what a reader who cannot see it is told
    traces: list[dict[str, Any]]
    xaxis: dict[str, Any]
    yaxis: dict[str, Any]


def words(text: str) -> str:
    """Return a text that plotly shows letter by letter: it would read tags otherwise.

    >>> words("<b>x")
    '&lt;b&gt;x'
    """
    return html.escape(text, quote=False)


def number(value: float) -> str:
    """Spell a number for a reader."""
    return f"{value:.6g}"


def estimate(value: float, error: float) -> str:
    """Spell a measurement for a reader."""
    return f"{value:.6g} ± {error:.0e}" if math.isfinite(error) else f"{value:.6g} ± unknown"


def finite(value: float) -> float | None:
    """Return a number that JSON has a word for, rounded to what a picture can show."""
    return float(f"{value:.7g}") if math.isfinite(value) else None

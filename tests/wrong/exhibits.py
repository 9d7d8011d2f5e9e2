"""The museum's catalogue: every exhibit of every room."""

from __future__ import annotations

from wrong import (
    complexes,
    formulas,
    kinks,
    laws,
    missing,
    modes,
    places,
    precision,
    rows,
    scaling,
)

EXHIBITS = [
    *scaling.EXHIBITS,
    *places.EXHIBITS,
    *missing.EXHIBITS,
    *laws.EXHIBITS,
    *complexes.EXHIBITS,
    *precision.EXHIBITS,
    *kinks.EXHIBITS,
    *modes.EXHIBITS,
    *rows.EXHIBITS,
    *formulas.EXHIBITS,
]

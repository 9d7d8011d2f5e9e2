"""The museum's catalogue: every exhibit of every room."""

from __future__ import annotations

from wrong import (
    complexes,
    elementwise,
    formulas,
    indices,
    kinks,
    laws,
    linear,
    missing,
    modes,
    places,
    precision,
    reductions,
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

# Of which nothing is asked but that they are found, by secant and by its peers.
WRITTEN = (
    *elementwise.EXHIBITS,
    *reductions.EXHIBITS,
    *indices.EXHIBITS,
    *linear.EXHIBITS,
)

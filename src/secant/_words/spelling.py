"""How fields are spelt in a sentence: numbers, shares, lists of dimensions, what a claim is."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from .indices import dimensions, listed, spell

_MOST_DENOMINATOR = 64


def known(number: float, blur: float) -> float:
    """Return a number with the digits that are known of it: a fraction if it is a simple one.

    >>> known(1.05000000001, 1e-9), known(0.33333333, 1e-8) == 1 / 3, known(1.23456, 0.01)
    (1.05, True, 1.2)
    >>> known(1.00000123456, 1e-12)
    1.0000012
    """
    short = Fraction(number).limit_denominator(_MOST_DENOMINATOR)
    if short.denominator > 1 and abs(float(short) - number) <= 1e-6 * abs(number):
        return float(short)
    digits = min(_digits(number), max(2, int(-math.log10(max(blur, 1e-15)))))
    return float(f"{number:.{digits}g}")


def spelt(number: float) -> str:
    """Spell a number as a short decimal, or as a fraction where that is shorter.

    >>> spelt(1.05), spelt(1 / 3), spelt(-1.0), spelt(0.5)
    ('1.05', '1/3', '−1', '0.5')
    >>> spelt(1.0000012)
    '1.0000012'
    """
    if number == -1:
        return "−1"
    decimal = f"{number:.{_digits(number)}g}"
    short = Fraction(number).limit_denominator(_MOST_DENOMINATOR)
    is_fraction = short.denominator > 1 and math.isclose(float(short), number, rel_tol=1e-12)
    return str(short) if is_fraction and len(str(short)) < len(decimal) - 2 else decimal


def _digits(number: float) -> int:
    """Return how many digits tell a number from 1, two of them beyond it, or six."""
    beyond = abs(abs(number) - 1)
    return max(6, math.ceil(-math.log10(beyond)) + 2) if 1e-15 < beyond < 1 else 6


def times(factor: float, name: str) -> str:
    """Spell a multiple of something that has a name.

    >>> times(2.0, "x"), times(1.0, "x")
    ('2·x', 'x')
    """
    return name if factor == 1 else f"{spelt(factor)}·{name}"


def about(share: float) -> str:
    """Spell a small share as a power of ten, rounded up.

    >>> about(3e-10), about(0.02)
    ('1e-09', '1e-01')
    """
    return f"1e{math.ceil(math.log10(max(share, 1e-15))):03d}"


def share_of(share: float, whose: str = "its") -> str:
    """Spell by how much two answers differ.

    >>> share_of(0.4), share_of(2e-7, "their")
    ('40.0% of its size', '2e-07 of their size')
    """
    if not math.isfinite(share):
        return "numbers that are not finite"
    return f"{share:.1%} of {whose} size" if share >= 1e-3 else f"{share:.1g} of {whose} size"


def is_solved_for(share: float) -> bool:
    """Say whether answers differ by as little as those of a solve that stops at a tolerance."""
    return 0 < share < 1e-3


def culprits(share: float) -> str:
    """Spell what makes an answer not linear: by little, it is one that is solved for.

    >>> culprits(2e-5), culprits(0.4)[:14]
    ('(a solve to a tolerance: an approximate adjoint)', '(an abs, relu,')
    """
    if is_solved_for(share):
        return "(a solve to a tolerance: an approximate adjoint)"
    return "(an abs, relu, clamp, sign, square or constant)"


def roundings(count: float) -> str:
    """Spell how many roundings apart two numbers are; of very many, that they are.

    >>> roundings(0.3), roundings(26.2), roundings(9e15)
    ('a rounding', '26 roundings', 'more than a million roundings')
    """
    if count <= 1:
        return "a rounding"
    return f"{count:.2g} roundings" if count < 1e6 else "more than a million roundings"


def along(axes: Sequence[int] | str) -> str:
    """Say along which dimensions; nothing where there is one only.

    >>> along((0, 2)), along("all entries"), along(())
    (' along dimensions 0 and 2', ' over all entries', '')
    """
    if isinstance(axes, str):
        return f" {'over' if axes == 'all entries' else 'along'} {axes}"
    return f" along {dimensions(axes)}" if axes else ""


def relation(there: float | str | None) -> str:
    """Say what the claim is in the wrong entries: a multiple, nothing, a slope of what is still."""
    if there is None:
        return "wrong"
    if isinstance(there, str):
        return "claimed = 0" if there == NOTHING else "the function does not move"
    return f"claimed = {spelt(there)} × measured"


def columns(found: Sequence[tuple[float, str, str]]) -> str:
    """Say by what some entries are off, and which power of themselves that is."""
    return ", ".join(
        f"{spelt(factor)} × measured for {name}" + (f" (which is {power})" if power else "")
        for factor, name, power in found
    )


NOTHING, STILL = "nothing", "still"
"""What a claim may be in the wrong entries, beside a multiple of the truth."""


class _Formatter(string.Formatter):
    """`str.format` with the ways above as formats: `{factor:spelt}`."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec in _WAYS:
            return str(_WAYS[format_spec](value))
        return str(super().format_field(value, format_spec))


_WAYS: dict[str, Any] = {
    "spelt": spelt,
    "about": about,
    "share": share_of,
    "roundings": roundings,
    "culprits": culprits,
    "theirs": lambda share: share_of(share, "their"),
    "listed": listed,
    "dimensions": dimensions,
    "along": along,
    "relation": relation,
    "columns": columns,
    "indices": spell,
    "shape": lambda shape: str(list(shape)),
}
FORMATTER = _Formatter()

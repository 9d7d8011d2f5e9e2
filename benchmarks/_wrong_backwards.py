"""Backwards written by hand and wrong in the ways people really get them wrong, all together."""

from __future__ import annotations

from _hand_written import WrongBackward
from _wrong_elementwise import ELEMENTWISE
from _wrong_linear import LINEAR
from _wrong_places import PLACES
from _wrong_reductions import REDUCTIONS

__all__ = ["WRONG_BACKWARDS"]

WRONG_BACKWARDS: tuple[WrongBackward, ...] = (*ELEMENTWISE, *REDUCTIONS, *PLACES, *LINEAR)

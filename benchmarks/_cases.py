"""Small corpora where absence of evidence has acquitted, put together by name."""

from __future__ import annotations

from _cancelling import cancelling
from _casts import mixtures
from _small_leaves import beside, own_scales, small

__all__ = ["CASES"]

CASES = {
    case.name: case for case in (*mixtures(), *small(), *beside(), *own_scales(), *cancelling())
}

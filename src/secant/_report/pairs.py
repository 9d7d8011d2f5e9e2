"""Pairs of leaves as a reader sees them: the rank first, where they belong to one of a group."""

from __future__ import annotations

import re

_SAME_RANK = re.compile(r"∂(ranks? [\d, ]+): (\S.*?) / ∂\1: ")
_OF_RANK = re.compile(r"∂((?:(?!∂|: ).)+?) / ∂(ranks? [\d, ]+): ")


def spell_pair(output: str, input_: str) -> str:
    """Name the derivative of an output by an input.

    >>> spell_pair("out[1]", "w[2]"), spell_pair("out", "rank 1: w"), spell_pair("rank 1: out", "x")
    ('∂out[1] / ∂w[2]', 'rank 1: ∂out / ∂w', '∂rank 1: out / ∂x')
    """
    return rank_first(f"∂{output} / ∂{input_}")


def rank_first(text: str) -> str:
    """Let pairs in a text that belong to one rank begin with it.

    >>> rank_first("∂rank 1: out[0] / ∂rank 1: w[2]"), rank_first("∂rank 0: out / ∂rank 1: w")
    ('rank 1: ∂out[0] / ∂w[2]', '∂rank 0: out / ∂rank 1: w')
    """
    if "∂rank" not in text:
        return text
    return _OF_RANK.sub(r"\2: ∂\1 / ∂", _SAME_RANK.sub(r"\1: ∂\2 / ∂", text))

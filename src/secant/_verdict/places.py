"""Mistakes that are made in some places: from an index on, at a border, where x is negative.

It takes a whole Jacobian and gives a reason that says where the claim is wrong, what it is there,
and that it is right elsewhere.
"""

from __future__ import annotations

import numpy as np

from .._words import places
from .._words.reason import Reason
from .._words.spelling import NOTHING, STILL, known
from .conditions import Threshold, is_sorted, real_leaves, threshold
from .evidence import SLACK, Comparison, Leaf, Numbers
from .picture import Flags, Picture, PlaceKind, plainest_picture

_FEWEST = 3
Relation = float | str  # a multiple of the truth, or NOTHING, or STILL


def wrong_places(comparison: Comparison) -> Reason | None:
    """Name the place where the claim is wrong, if it is right everywhere else."""
    flags, right = comparison.wrong_inputs, comparison.right_inputs
    if not flags.any() or not right.any():
        return None
    there = relation(comparison)
    picture = picture_of_inputs(comparison)
    condition = _condition(comparison)
    in_order = condition is not None and is_sorted(comparison.scene.input)
    is_named = picture is not None and picture.is_named
    if condition is not None and is_named and not condition.is_likely:
        condition = None  # of a diagonal's values most are larger than others
    if picture is not None and picture.dimension is not None and not in_order:
        condition = None  # a column that holds other things than its neighbours parts values too
    if picture is not None and picture.lie is not PlaceKind.OTHER and flags.size >= _FEWEST:
        return at_an_index(picture, there, condition=condition if in_order else None)
    if condition is not None:
        return places.WRONG_WHERE(
            there=there,
            where=f"where {condition.words}",
            which=picture.pieces if picture is not None and (in_order or is_named) else (),
            counts=(_count(comparison, flags), _count(comparison, right)),
            path=comparison.scene.input.path,
        )
    count = int(comparison.wrong.sum())
    if there in (None, STILL, NOTHING) or count < _FEWEST:
        return None  # there are other sentences for that
    others = int((comparison.moves & comparison.right).sum())
    right_ones = others if others >= _FEWEST else 0
    return places.WRONG_ENTRIES_ALIKE(there=there, count=count, right=right_ones)


def _count(comparison: Comparison, flags: Flags) -> int:
    entries = flags.any(axis=-1) if comparison.scene.input.is_complex else flags
    return int(entries.sum())


def picture_of_inputs(comparison: Comparison) -> Picture | None:
    """Return the picture of the wrong columns, in the input's own shape."""
    scene = comparison.scene
    return _picture_in(comparison.wrong_inputs, comparison.right_inputs, scene.input)


def picture_of_outputs(comparison: Comparison) -> Picture | None:
    """Return the picture of the wrong rows, in the output's own shape."""
    scene = comparison.scene
    return _picture_in(comparison.wrong_outputs, comparison.right_outputs, scene.output)


def _picture_in(wrong: Flags, right: Flags, leaf: Leaf) -> Picture | None:
    return plainest_picture(wrong, right, has_parts=leaf.is_complex)


def at_an_index(
    picture: Picture,
    there: Relation | None,
    path: str = "",
    condition: Threshold | None = None,
) -> Reason:
    """Say what is wrong from an index on, or at a border; `there` is what is claimed there.

    `path` is the leaf that is meant, where it is not the input; `condition` is what holds there as
    well, where values are sorted and one cannot be told from the other.
    """
    place = {
        "there": there,
        "axis": picture.dimension,
        "path": path,
        "condition": "" if condition is None else condition.words,
    }
    if picture.lie is not PlaceKind.TAIL:
        return places.WRONG_AT_BORDER(**place)
    return places.WRONG_FROM_INDEX(
        **place, last=picture.start - 1, first=picture.start, is_flat=picture.is_flat
    )


def relation(comparison: Comparison) -> Relation | None:
    """Say what the claim is in the wrong entries, if it is one thing in all of them."""
    wrong = comparison.wrong
    return relation_between(
        comparison.claimed[wrong], comparison.measured[wrong], comparison.bar[wrong]
    )


def relation_between(claimed: Numbers, measured: Numbers, limit: Numbers) -> Relation | None:
    """Say what some claimed numbers are of the measured ones, None where it differs."""
    if (np.abs(claimed - measured) <= limit).any():
        return None  # too little is wrong to say what it is
    if (np.abs(claimed) <= limit).all():
        return NOTHING
    if (np.abs(measured) <= limit).all():
        return STILL
    if (np.abs(measured) <= limit).any():
        return None
    factor = float(np.median(claimed / measured))
    blur = float(np.median(limit / np.abs(measured)))
    if not factor or (np.abs(claimed - factor * measured) > limit * max(1.0, abs(factor))).any():
        return None
    return -1.0 if abs(factor + 1) < SLACK else known(factor, blur)


def _condition(comparison: Comparison) -> Threshold | None:
    """Return what exactly the wrong entries have in common, among those that matter at all."""
    scene = comparison.scene
    flags, right = comparison.wrong_inputs, comparison.right_inputs
    if scene.input.is_complex:
        flags, right = np.asarray(flags.any(axis=-1)), np.asarray(right.any(axis=-1))
    asked = flags | right
    alike = [leaf for leaf in (scene.input, *scene.others) if leaf.shape == scene.input.shape]
    if scene.is_square and np.ptp(np.abs(scene.output.values[flags])) > 0:
        alike.append(scene.output)  # else it is one number there because of what is asked about
    for leaf in alike:
        for real in real_leaves(leaf):
            found = threshold(flags[asked], real.values[asked], real.path)
            if found is not None:
                return found
    return None

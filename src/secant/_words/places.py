"""Why a claim is wrong in some places: from an index on, where a condition holds, a pattern."""

from __future__ import annotations

from .indices import Indices, Pieces
from .reason import Topic

_LAST_COLUMN = (Indices("one", (5,), (1,), "the last column"),)
WRONG_AT = Topic(
    "WRONG_AT",
    place="{count:,} of {total:,} entries of {path}: {where:indices}",
    example={"count": 4, "total": 24, "path": "x", "where": _LAST_COLUMN},
)
WRONG_REGION = Topic(
    "WRONG_REGION",
    place=lambda condition, **_: (
        ("where {condition}" if condition else "{where:indices} of {path}")
        + " ({seen} of {seen} looked at there are wrong, nothing elsewhere in 2 probes)"
    ),
    example={"where": _LAST_COLUMN, "path": "x", "condition": "", "seen": 6},
)
WRONG_SHARE = Topic(
    "WRONG_SHARE",
    place="{low:,} to {high:,} columns (95 %): {hits} of {asked} looked at are wrong",
    example={"low": 210, "high": 790, "hits": 8, "asked": 16},
)
ALL_AT = Topic("ALL_AT", place="all at {where:indices}", example={"where": _LAST_COLUMN})


def _condition(which: Pieces, counts: tuple[int, int] | None, **_: object) -> str:
    picture = " (which is {which:indices})" if which else ""
    counted = "" if counts is None else " ({counts[0]:,} and {counts[1]:,} entries of {path})"
    return (
        f"{{there:relation}} {{where}}{picture}, right elsewhere{counted}: the branch taken there "
        "is wrong, or a mask is missing"
    )


WRONG_WHERE = Topic(
    "WRONG_WHERE",
    why=_condition,
    example={
        "there": 0.1,
        "where": "where x < 0",
        "which": (),
        "counts": (5, 7),
        "path": "x",
    },
)


def _index(condition: str, there: object, path: str, axis: int | None, **_: object) -> str:
    of = ("" if axis is None else " of dimension {axis}") + (" of {path}" if path else "")
    beside = "" if there is None else " ({there:relation} there)"
    beside = (", which is where {condition}" if condition else "") + beside
    cause = "a branch, or a loop's bound" if condition else "a loop's bound, or the tail of a block"
    return f"{of}|{beside}|{cause}"


def _from_index(is_flat: bool, **fields: object) -> str:
    of, beside, cause = _index(**fields).split("|")  # type: ignore[arg-type]
    flat = "flat " if is_flat else ""
    return f"right up to {flat}index {{last}}{of}, wrong from index {{first}} on{beside}: {cause}"


def _at_border(**fields: object) -> str:
    of, beside, _ = _index(**fields).split("|")  # type: ignore[arg-type]
    return f"wrong at the border{of} only{beside}: the first or last index is treated wrongly"


_PLACE = {"there": "nothing", "axis": 0, "path": "", "condition": ""}
WRONG_FROM_INDEX = Topic(
    "WRONG_FROM_INDEX",
    why=_from_index,
    example={**_PLACE, "last": 31, "first": 32, "is_flat": False},
)
WRONG_AT_BORDER = Topic("WRONG_AT_BORDER", why=_at_border, example=_PLACE)
WRONG_ENTRIES_ALIKE = Topic(
    "WRONG_ENTRIES_ALIKE",
    why=lambda right, **_: (
        "{there:relation} in the {count:,} wrong entries"
        + (", right in {right:,} others" if right else "")
    ),
    example={"there": 1.2, "count": 4, "right": 20},
)
SHOWN_ENTRIES_ALIKE = Topic(
    "SHOWN_ENTRIES_ALIKE",
    why="{there:relation} in the {count} wrong entries that are shown, right elsewhere",
    example={"there": 1.2, "count": 4},
)
MASK_MISSING_THERE = Topic(
    "MASK_MISSING_THERE",
    why="the function does not move there, yet a slope is claimed, right elsewhere: a mask is "
    "missing",
)


def _pattern(
    missing: int, idle: int, are_same: bool, is_part: bool, is_explained: bool, **_: object
) -> str:
    known = "of the entries shown " if is_part else ""
    if idle and are_same:
        why = "" if is_explained else "; row and column indices are off"
        return (
            f"the sparsity pattern is wrong: {known}{{idle}} are stored where the function does "
            "not move, and the same values belong where nothing is stored, such as {place}" + why
        )
    if idle:
        return (
            f"the sparsity pattern is wrong: {known}{{missing}} are missing from it, such as "
            "{place}, and {idle} are stored where the function does not move"
        )
    whole = "every wrong entry is" if missing > 1 else "the wrong entry is"
    example = ", such as {place}" if missing > 1 else ""
    return (
        f"the sparsity pattern is wrong: {whole} missing from it, so that 0 is claimed where the "
        f"function moves{example}"
    )


SPARSITY_PATTERN = Topic(
    "SPARSITY_PATTERN",
    why=_pattern,
    advice="compare the matrix's indices (coo: row, col) with what the function reads",
    example={
        "missing": 2,
        "idle": 0,
        "are_same": False,
        "is_part": False,
        "is_explained": False,
        "place": "∂out[1] / ∂x[2]",
    },
)

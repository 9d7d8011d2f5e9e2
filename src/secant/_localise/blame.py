"""Who is to blame: the innermost calls that fail, and what is known about those around them.

A call that fails while nothing inside it fails is to blame. If calls inside it were checked and
pass, the mistake lies in what it does between them, and the record may tell what that is: an output
that leads nowhere was detached, one that changed afterwards was written into.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._backends.interface.modules import Call
from .._findings import Verdict
from .._report.localisation import LocalisedCall
from .._report.screen.blocks import plural

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Blame:
    """The places of the calls to blame, and what is said about them."""

    blamed: tuple[int, ...]
    sentence: str
    advice: str


def blame(calls: Sequence[Call], rows: Sequence[LocalisedCall]) -> Blame:
    """Name the innermost calls that fail."""
    failing = [place for place, row in enumerate(rows) if row.verdict is Verdict.FAIL]
    guilty = [
        place
        for place in failing
        if not any(_is_inside(calls, other, place) for other in failing if other != place)
    ]
    if not guilty:
        return Blame((), _nobody(rows), "")
    alike = _alike(calls, rows, guilty)
    once = list(alike)
    said = "; ".join(
        _about(calls, rows, place) + _likewise(calls, rows, alike[place])
        for place in once[:_MOST_NAMED]
    )
    if len(once) > _MOST_NAMED:
        said += f"; and {len(once) - _MOST_NAMED} more"
    if rows[0].verdict is not Verdict.FAIL:
        said += "; the whole does not show it at this point"
    return Blame(tuple(guilty), said, "print(result.blamed[0].report) shows the evidence")


def _alike(
    calls: Sequence[Call], rows: Sequence[LocalisedCall], guilty: Sequence[int]
) -> dict[int, list[int]]:
    """Return the first of each kind that is to blame, with the others of that kind.

    One mistake in a rule, or in a class, shows wherever it is called.
    """
    first: dict[object, int] = {}
    others: dict[int, list[int]] = {}
    for place in guilty:
        call, row = calls[place], rows[place]
        key = (call.kind, call.is_rule, None if row.worst is None else row.worst.kind)
        known = first.setdefault(key, place)
        others.setdefault(known, [])
        if known != place:
            others[known].append(place)
    return others


def _likewise(calls: Sequence[Call], rows: Sequence[LocalisedCall], others: Sequence[int]) -> str:
    names = [calls[k].path if calls[k].is_rule else rows[k].name for k in others]
    if not names:
        return ""
    shown = ", ".join(f"`{name}`" for name in list(dict.fromkeys(names))[:_MOST_NAMED])
    where = "in " if calls[others[0]].is_rule else ""
    more = len(set(names)) - _MOST_NAMED
    return f" (likewise {where}{shown}{f' and {more} more' if more > 0 else ''})"


def _nobody(rows: Sequence[LocalisedCall]) -> str:
    unclear = [row.name for row in rows if row.verdict is Verdict.INCONCLUSIVE]
    count = len(rows)
    if not unclear:
        return f"nobody: {count} {plural(count, 'call')} and the whole among them, all right"
    named = ", ".join(f"`{name}`" for name in dict.fromkeys(unclear[-_MOST_NAMED:]))
    many = f"{len(unclear)} {plural(len(unclear), 'call')}"
    return f"nobody: no call fails, but {many} cannot be judged ({named})"


def _about(calls: Sequence[Call], rows: Sequence[LocalisedCall], place: int) -> str:
    call, row = calls[place], rows[place]
    inside = [k for k in range(len(calls)) if _is_inside(calls, k, place)]
    if call.is_rule:
        caller = _spelt(calls, rows, call.parent)
        return f"the rule `{row.name}`, called in {caller}: its backward is wrong by itself"
    who = _spelt(calls, rows, place)
    passing = [k for k in inside if rows[k].verdict is Verdict.PASS]
    if not passing:
        return f"{who}: it fails by itself"
    all_pass = "the call inside it passes" if len(passing) == 1 else "the calls inside it pass"
    between = _between(calls, rows, [k for k in inside if calls[k].parent == place])
    own = f"{who}: it fails while {all_pass} alone, so the mistake is in its own forward"
    return f"{own}; {between}" if between else own


def _between(
    calls: Sequence[Call], rows: Sequence[LocalisedCall], children: Sequence[int]
) -> str | None:
    """Say what the record knows about how outputs went from call to call."""
    for flag, what in (
        ("is_overwritten", "what `{}` gave is written into afterwards, unseen by autograd"),
        ("is_cut", "no recorded path leads from what `{}` gave to the output: a detach after it"),
        ("writes", "`{}` writes into its input, which is still needed elsewhere"),
    ):
        names = [rows[k].name for k in children if getattr(calls[k], flag)]
        if names:
            return what.format(names[0])
    return None


def _spelt(calls: Sequence[Call], rows: Sequence[LocalisedCall], place: int) -> str:
    if place < 0 or not calls[place].path:
        return f"`{calls[0].kind}` itself"
    return f"`{rows[place].name}` ({calls[place].kind})"


def _is_inside(calls: Sequence[Call], place: int, outer: int) -> bool:
    above = calls[place].parent
    while above > outer:
        above = calls[above].parent
    return above == outer

"""Where a claim is wrong: the worst entries, their count and picture; after a failure only.

A small pair of leaves is compared whole. Of a large one a few random columns are looked at. If
several are wrong, errors are many: the region they fill is found by asking about slabs of it, and
their number is estimated. Otherwise errors are few, and each is found by bisection, O(log n)
questions along masked directions, until nothing more is wrong or they are seen to fill a region.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..._constants import FINE
from ..._findings import Entry, Evidence, Verdict
from ..._verdict.evidence import SLACK, Comparison
from ..._verdict.picture import PlaceKind
from ..._verdict.places import Relation, at_an_index, relation_between
from ..._verdict.regions import Region, interval
from ..._words import matrices, places
from ..._words.reason import Reason
from ..._words.slopes import FORGIVEN, ON_KINK
from ..._words.spelling import NOTHING, STILL
from ..asking.question import Mode, Question
from ..full.pair import compare_pair
from ..full.suspects import FullPair, by_size
from .columns import ColumnReader
from .conditions import ValueRegion
from .gather import sampled_comparison
from .grouped import compare_in_groups
from .search import Search
from .slight import SAMPLE, off_everywhere

_WHOLE_COLUMNS = 512
_FEW_COLUMNS = 12  # that are compared whole at any price
_WHOLE_ENTRIES = 1 << 18
_MOST_SHOWN = 5  # of many
_FEWEST = 3  # entries that one relation between claim and measurement is no accident in


@dataclass(frozen=True, slots=True)
class Located:
    """The wrong entries of one pair of leaves."""

    entries: tuple[Entry, ...]
    wrong: int | None
    is_estimate: bool
    total: int  # entries where the pair was compared whole, else columns
    excuse: Reason | None = None  # why the claim is right after all: kinks, or within tolerance
    pair: FullPair | None = None  # the whole Jacobian, where it was small
    comparison: Comparison | None = None  # some columns of it, where it was not so small
    place: Reason | None = None  # where they lie
    cause: Reason | None = None  # what such places speak of
    places: tuple[int, ...] = ()  # of many, the coordinates seen to be wrong
    is_few: bool = False  # all that is wrong was found one by one
    reader: ColumnReader | None = None  # of the columns that were looked at
    is_unclear: bool = False  # the user forgives so much that its entries cannot be told


def locate(
    mode: Mode, failed: Question, evidence: Evidence | None = None, *, is_slight: bool = False
) -> Located:
    """Find the entries that make a question fail; given its evidence, nothing depends on them.

    A sum that is off by little mostly is so everywhere: then a few columns say by how much.
    """
    examination = mode.examination
    columns = examination.problem.domain.parts[failed.part].size
    total = columns * examination.problem.codomain.parts[failed.output].size
    is_small = columns <= _WHOLE_COLUMNS and total <= _WHOLE_ENTRIES
    is_plain = examination.roundoff(failed.part, failed.output) <= FINE
    if is_small and (evidence is None or not is_plain):
        return _whole(mode, compare_pair(mode, failed.part, failed.output))
    claimed = mode.claimed(failed.output)[failed.part] if is_small else None
    if claimed is not None and evidence is not None:
        place = failed.part, failed.output
        pair = compare_in_groups(mode, place, claimed, evidence, is_slight=is_slight)
        if pair is None and columns <= _FEW_COLUMNS:
            pair = compare_pair(mode, failed.part, failed.output)
        if pair is not None:
            return _whole(mode, pair)
    search = Search(mode, failed)
    if claimed is not None and is_slight:
        search.drawn = examination.directions.positions(columns, SAMPLE)
        sample = off_everywhere(search.reader, claimed, search.drawn)
        if sample is not None:
            return _everywhere(search.reader, sample, columns)
    search.run()
    found = _few(search, columns) if search.is_few else _many(search, columns)
    if claimed is None or found.is_few:
        return found
    return replace(found, comparison=sampled_comparison(search.reader, claimed))


def _whole(mode: Mode, pair: FullPair) -> Located:
    mode.examination.compared.append(pair)
    excuse = None
    if pair.verdict is Verdict.PASS and (pair.notes or mode.examination.forgives):
        excuse = ON_KINK() if pair.notes else FORGIVEN()
    is_unclear = mode.examination.forgives and pair.verdict is Verdict.INCONCLUSIVE
    return replace(located_in(pair), excuse=excuse, is_unclear=is_unclear)


def located_in(pair: FullPair) -> Located:
    """Return the wrong entries of a Jacobian that was compared whole."""
    return Located(tuple(pair.entries), pair.wrong or None, False, pair.total, pair=pair)


def _everywhere(reader: ColumnReader, sample: Comparison, columns: int) -> Located:
    """Report a claim that is off by little, and how many columns are, as far as a sample tells."""
    wrong = sample.wrong.any(axis=0)
    places = sample.columns[wrong].tolist()
    entries = _entries(reader, places[:_MOST_SHOWN])
    count = max(round(columns * len(places) / len(sample.columns)), len(places))
    return Located(entries, count, True, columns, comparison=sample, places=tuple(places))


def _few(search: Search, columns: int) -> Located:
    """Report what was found one by one."""
    examination = search.mode.examination
    found = search.found
    entries = _entries(search.reader, found)
    is_excused = search.is_complete and not search.unclear  # what cannot be told excuses nothing
    if not found and (is_excused or examination.forgives):
        excuse = FORGIVEN() if examination.forgives else ON_KINK()
        return Located(entries, 0 if search.is_complete else None, False, columns, excuse)
    is_few = columns > _WHOLE_COLUMNS  # of a leaf with hardly any entries few may be all
    if not search.is_complete or not found or search.is_lenient:
        is_few = is_few and search.is_complete and bool(found) and search.explains_all()
        return Located(entries, None, False, columns, is_few=is_few)
    flags = np.zeros(columns, dtype=bool)
    flags[found] = True
    region = Region(flags.reshape(search.grid), search.grid, search.is_complex)
    whole = region.flags.any(axis=-1) if search.is_complex else region.flags
    count, place, picture = int(whole.sum()), None, region.picture
    if picture is not None and count > 1:
        total, where = whole.size, picture.pieces
        place = places.WRONG_AT(count=count, total=total, path=search.path, where=where)
    cause = _cause(search, region, entries)
    return Located(entries, len(found), False, columns, place=place, cause=cause, is_few=is_few)


def _many(search: Search, columns: int) -> Located:
    """Report a region, or how many columns are wrong as far as a sample can tell."""
    found = search.wrong_places()
    entries = _entries(search.reader, found[:_MOST_SHOWN])
    region, cause = search.region, _cause(search, search.region, entries)
    if region is None and not search.can_count:
        return Located(entries, None, False, columns, places=tuple(found), reader=search.reader)
    if region is not None:
        seen = search.count_in(region)
        place = _place(region, search.path, seen)
        count, is_estimate = region.count, region.count > seen
    else:
        hits, asked = sum(search.sampled.values()), len(search.sampled)
        low, high = (round(share * columns) for share in interval(hits, asked))
        low = max(low, len(found), 1)
        count, is_estimate = min(max(round(columns * hits / max(asked, 1)), low), high), True
        place = places.WRONG_SHARE(low=low, high=high, hits=hits, asked=asked)
    if search.outputs is not None:
        place = _place(search.outputs, search.path_of_output, 6) or place
        cause = cause or _cause(search, search.outputs, entries, search.path_of_output)
    return Located(
        entries,
        count,
        is_estimate,
        columns,
        place=place,
        cause=cause,
        places=tuple(found),
        reader=search.reader,
    )


def _place(region: Region | ValueRegion, path: str, seen: int) -> Reason | None:
    """Say that nothing but a region was seen to be wrong, and all of it that was looked at."""
    told = {"path": path, "seen": seen}
    if region.condition is not None:
        return places.WRONG_REGION(where=(), condition=region.condition.words, **told)
    picture = region.picture
    if picture is None:
        return None
    return places.WRONG_REGION(where=picture.pieces, condition="", **told)


def _cause(
    search: Search, region: Region | ValueRegion | None, entries: Sequence[Entry], path: str = ""
) -> Reason | None:
    """Say what is claimed where it is wrong, and what such a place speaks of.

    `path` is the leaf that the region is of, where it is not the input.
    """
    there = _relation(entries)
    if region is None or region.is_all or not search.is_live_elsewhere:
        return None
    if region.condition is not None:
        where = f"where {region.condition.words}"
        return places.WRONG_WHERE(there=there, where=where, which=(), counts=None, path=path)
    picture = region.picture
    if picture is not None and picture.lie is not PlaceKind.OTHER:
        return at_an_index(picture, there, path)
    if there is None:
        return None
    if there == NOTHING and region.is_one_part:
        part = "real" if region.holds([0])[0] else "imaginary"
        return matrices.PART_LOST(part=part, suffix=part[:4], of="")
    if there == STILL:
        return places.MASK_MISSING_THERE()
    return places.SHOWN_ENTRIES_ALIKE(there=there, count=len(entries))


def _relation(entries: Sequence[Entry]) -> Relation | None:
    if len(entries) < _FEWEST:
        return None
    claimed, measured = (
        np.array(numbers)
        for numbers in zip(*((one.claimed, one.measured.value) for one in entries), strict=True)
    )
    error = np.array([one.measured.error for one in entries])
    return relation_between(claimed, measured, 3 * error + SLACK * np.abs(measured).max())


def _entries(reader: ColumnReader, places: list[int]) -> tuple[Entry, ...]:
    found = [reader.worst(place) for place in places]
    entries = [one for one in found if one is not None]
    return tuple(sorted(entries, key=lambda one: by_size(abs(one.claimed - one.measured.value))))

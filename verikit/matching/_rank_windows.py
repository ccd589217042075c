"""Which values people may have had before they moved by no more places than was told."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit.errors import InfeasibleError
from verikit.matching._candidates import spell_people
from verikit.ranks import expand_ranges
from verikit.release import TableRelease
from verikit.words import count

MOST_PAIRS = 20_000_000


def refuse_too_many(pairs: int, size: int) -> None:
    """Refuse to list too many pairs of people and rows or values."""
    if pairs > MOST_PAIRS:
        raise InfeasibleError(
            f"A release in another order leaves {pairs:,} pairs of rows or values and "
            f"{count(size, 'person', 'people')}, which are too many to list (at most "
            f"{MOST_PAIRS:,}); leave it out, or give fewer people."
        )


def find_places_told(release: TableRelease) -> dict[str, int]:
    """How far the values of columns with an order moved at most; empty where nothing is told."""
    told = release.parameters.get("places")
    if not (release.permutation and isinstance(told, Mapping)):
        return {}
    return {
        column.name: int(told[column.name])
        for column in release.schema
        if (column.kind == "numeric" or column.order is not None)
        and isinstance(told.get(column.name), (int, float))
        and 0 <= told[column.name] < np.inf
        and not release.frame[column.name].isna().any()
    }


def find_values_within(
    release: TableRelease, name: str, people: pd.DataFrame, rows: Rows | None
) -> tuple[Ints, Rows] | None:
    """Find the values within the told places of any row that may be a person's.

    A row may be hers if none of its values lies farther from her own than told; the value that she
    had lies no farther from that of her row.

    Parameters
    ----------
    release
        What was published: its values in another order.
    name
        The sensitive column.
    people
        What is known of each person, as it was.
    rows
        The row of each person, where it is known.

    Returns
    -------
    tuple or None
        Pairs of a person and a row that shows a value that may have been hers, each value once;
        None where nothing is told of how far values of the column moved.

    Notes
    -----
    Equal values lie together, as near to others as any breaking of ties puts them. Who else takes a
    row, and who had a value, is not reckoned with. O(p r log n) for p people with r rows within the
    narrowest bound.
    """
    bounds = find_places_told(release)
    if name not in bounds:
        return None
    if rows is None:
        known = spell_people(people, release.frame, release.schema)
        owner, rows = _find_rows_within(release, known, bounds)
    else:
        owner = np.arange(len(rows))
    ordered, scores = release.ordered(name), release.scores(name)
    order = np.argsort(scores, kind="stable")
    values, first = np.unique(ordered, return_index=True)
    ends = _find_ends(ordered, scores[rows], bounds[name])
    begin, last = (np.searchsorted(values, end) for end in ends)
    width = len(values)
    windows = np.unique((owner * width + begin) * width + last)  # each of a person once
    owner, begin, last = windows // width**2, windows // width % width, windows % width
    refuse_too_many(int((last + 1 - begin).sum()), len(people))
    at, window = expand_ranges(begin, last + 1)
    pairs = np.unique(owner[window] * width + at)
    return pairs // width, order[first[pairs % width]]


def _find_ends(ordered: Floats, values: Floats, places: int) -> tuple[Floats, Floats]:
    """The lowest and the highest value that so many places may bring to others."""
    low = np.searchsorted(ordered, values, "left") - places
    high = np.searchsorted(ordered, values, "right") - 1 + places
    return ordered[np.maximum(low, 0)], ordered[np.minimum(high, len(ordered) - 1)]


def _find_rows_within(
    release: TableRelease, people: pd.DataFrame, bounds: Mapping[str, int]
) -> tuple[Ints, Rows]:
    """Each person with each row none of whose values lies farther from hers than told."""
    names = sorted((n for n in people.columns if n in bounds), key=bounds.__getitem__)
    size, owner = len(people), np.arange(len(people))
    if not names:
        refuse_too_many(size * len(release), size)
        return owner.repeat(len(release)), np.tile(np.arange(len(release)), size)
    first, ordered = names[0], release.ordered(names[0])
    low, high = _find_windows(release, first, people)
    begin, end = np.searchsorted(ordered, low, "left"), np.searchsorted(ordered, high, "right")
    end = np.maximum(begin, end)
    refuse_too_many(int((end - begin).sum()), size)
    at, owner = expand_ranges(begin, end)
    rows = np.argsort(release.scores(first), kind="stable")[at]
    for name in names[1:]:
        low, high = _find_windows(release, name, people)
        shown = release.scores(name)[rows]
        kept: Flags = (low[owner] <= shown) & (shown <= high[owner])
        owner, rows = owner[kept], rows[kept]
    return owner, rows


def _find_windows(release: TableRelease, name: str, people: pd.DataFrame) -> tuple[Floats, Floats]:
    """The values that hers may have become: none where it is in no row, all where it is unknown."""
    ordered, hers = release.ordered(name), release.schema[name].scores(people[name])
    low, high = _find_ends(ordered, hers, find_places_told(release)[name])
    there = np.searchsorted(ordered, hers, "left") < np.searchsorted(ordered, hers, "right")
    low, high = np.where(there, low, np.inf), np.where(there, high, -np.inf)
    unknown = people[name].isna().to_numpy()
    return np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high)

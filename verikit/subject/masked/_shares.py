"""How often others match as closely as she does, in bounded time at every size of table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Floats, Ints, Rows
from verikit._support.seed import generator
from verikit.ranks import Reach, closest_others, luck

__all__ = ["MadeUp", "Strangers", "made_up", "strangers"]


EXACT_RECORDS, EXACT_ATTRIBUTES = 40, 3
PLAIN, CLOSER = 2_000, 4_000
SMALL, CELLS = 0.15, 200_000
EVERYBODY, SAMPLE = 4_000, 2_000


class MadeUp(NamedTuple):
    """The share of made-up records that match as closely, and its error, 0 where it is exact."""

    made_up: float
    error: float


class Strangers(NamedTuple):
    """How the published records match each other, each looked at as she is.

    ``others`` is the share of them, she counted in, that match as closely as she or closer, with
    its standard error, 0 where all were asked; ``least`` the share that even a match at 0 places
    would have had; ``asked`` how many records were looked at.
    """

    others: float
    others_error: float
    least: float
    asked: int


def made_up(
    reach: Reach, first: Ints, last: Ints, places: int, known: Rows | None = None
) -> MadeUp:
    """The share of made-up records, each value drawn from its column, that match as closely.

    Notes
    -----
    Exact up to 40 records of 3 attributes. Else 2,000 draws; where few of them match, no values
    tie and the table has at most 200,000 cells, 4,000 draws of `luck.karp_luby`, whose error is
    small beside a small share. What is done depends on the table only, not on what is installed.
    Where some records miss a value, the others are ``known``, and values are drawn from these.
    """
    n, m = first.shape
    if known is not None:
        rows = known[generator(0).integers(0, len(known), (PLAIN, m))]
        asked = np.take_along_axis(first, rows, axis=0), np.take_along_axis(last, rows, axis=0)
        share = float(reach.has_near_record(*asked, places).mean())
        return MadeUp(share, _error(share, PLAIN))
    if n <= EXACT_RECORDS and m <= EXACT_ATTRIBUTES:
        return MadeUp(min(float(luck.exact(first, last, [places])[0]), 1.0), 0.0)
    rows = reach.order[generator(0).integers(0, n, (PLAIN, m))]
    asked = np.take_along_axis(first, rows, axis=0), np.take_along_axis(last, rows, axis=0)
    share = float(reach.has_near_record(*asked, places).mean())
    if share > SMALL or n * m > CELLS or (first != last).any():
        return MadeUp(share, _error(share, PLAIN))
    shares, errors = luck.karp_luby(first, last, [places], draws=CLOSER, seed=0)
    return MadeUp(float(shares[0]), float(errors[0]))


def strangers(
    reach: Reach,
    ordered: Sequence[Floats],
    blocks: tuple[Ints, Ints],
    places: int,
    limit: float,
    known: Rows | None = None,
) -> Strangers:
    """Take each published record out, and check it against the rest exactly as she is checked.

    If she has nothing to do with the table, she is one of n + 1 people drawn alike, and her match
    is among the closest k of theirs in k of n + 1 cases, however the attributes hang together.

    Parameters
    ----------
    reach
        The published records.
    ordered
        The published columns, sorted.
    blocks
        First and last ranks of the published records.
    places
        The places to her closest record.
    limit
        The share at which a warning is given; the sample is large enough to get below it.
    known
        The records that miss no value, where some do: as she does not, these alone are asked.

    Notes
    -----
    Every record is asked up to 4,000 of them, beyond that 2,000 drawn with a fixed seed (more
    where the limit is below 1 of 1,000). About 10 ms for 1,000 records of 8 attributes, 30 ms for
    20,000; the tree of all records comes on top.
    """
    n = len(blocks[0]) if known is None else len(known)
    rows = _asked(reach.order if known is None else known, limit)
    ends = [closest_others(o, *(b[rows, j] for b in blocks)) for j, o in enumerate(ordered)]
    first, last = (np.column_stack(part) for part in zip(*ends, strict=True))
    least, others = (
        (1 + np.count_nonzero(reach.has_near_record(first, last, d, own=rows))) / (len(rows) + 1)
        for d in (0, places)
    )
    error = 0.0 if len(rows) == n else _error(others, len(rows))
    return Strangers(others, error, least, len(rows))


def _asked(order: Rows, limit: float) -> Rows:
    n = len(order)
    if n <= EVERYBODY:
        return np.sort(order)
    sample = min(n, max(SAMPLE, int(np.ceil(2 / limit))))
    chosen: Rows = order[generator(1).choice(n, sample, replace=False)]
    return chosen


def _error(share: float, draws: int) -> float:
    """The standard error of a share of some draws; never 0, as all of them may be a case alike."""
    return float(max(np.sqrt(share * (1 - share) / draws), 1 / draws))

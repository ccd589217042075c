"""The distances at which others match: made-up records, or other people's."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from verikit._support.arrays import Floats, Ints
from verikit.intruder._compared import Compared
from verikit.ranks import luck, nearest

__all__ = ["Null", "NullDistances", "null_distances"]

Null: TypeAlias = Literal[
    "exact", "karp_luby", "closed_form", "monte_carlo", "leave_one_out", "conformal"
]

ALMOST_ALL = 0.9995
FINE, COARSE = 256, 44
LARGE, SMALL = 5_000, 1_000


class NullDistances(NamedTuple):
    """At which distances others match, and where the records do.

    Parameters
    ----------
    observed
        The distance of each record to the closest released one.
    points
        The distances looked at.
    share, error
        The share of others that match within each, and its standard error.
    sample
        How many others the shares rest on; 0 where they are no sample.
    """

    observed: Ints
    points: Ints
    share: Floats
    error: Floats
    sample: int


def null_distances(
    tables: Compared, null: Null, draws: int, seed: int, *, alone: bool = False
) -> NullDistances:
    """Measure the records against a release, and what would be found without them.

    Of a release ``alone`` each record is measured against the others.
    """
    drawn = luck.by_rank(tables.first, tables.last)
    released = tables.released_first, tables.released_last
    if null == "monte_carlo" and not alone:
        made_up = luck.made_up(drawn, draws, seed)
        first, last = (np.vstack(p) for p in zip(tables[1:3], made_up, strict=True))
        found = nearest(first, last, *released)[0]
        return _sampled(found[: len(tables)], found[len(tables) :])
    if alone:
        observed = luck.leave_one_out(*released)
    else:
        observed = nearest(tables.first, tables.last, *released)[0]
    if null == "monte_carlo":
        return _sampled(observed, nearest(*luck.made_up(drawn, draws, seed), *released)[0])
    if null in ("leave_one_out", "conformal"):
        return _sampled(observed, luck.leave_one_out(*released))
    points = _points(tables, observed, drawn, null)
    if null == "karp_luby":
        order = np.lexsort(np.hstack(released).T)  # the same draws for the same rows in any order
        released = released[0][order], released[1][order]
        share, error = luck.karp_luby(*released, points, drawn, seed=seed)
    else:
        share = (luck.exact if null == "exact" else luck.closed_form)(*released, points, drawn)
        error = np.zeros(len(points))
    needed = (points <= observed.max()) | (np.r_[0, share[:-1]] < 1)
    return NullDistances(observed, points[needed], share[needed], error[needed], 0)


def _sampled(observed: Ints, others: Ints) -> NullDistances:
    points = np.union1d(np.flatnonzero(np.bincount(observed)), np.flatnonzero(np.bincount(others)))
    points = np.union1d(0, points)
    share = np.searchsorted(np.sort(others), points, "right") / len(others)
    error = np.sqrt(share * (1 - share) / len(others))
    return NullDistances(observed, points, share, error, len(others))


def _points(tables: Compared, observed: Ints, drawn: luck.Blocks, null: Null) -> Ints:
    """The distances to look at: all up to where nearly all others match, or a choice of them."""
    released = tables.released_first, tables.released_last
    top = max(1, int(observed.max()))
    while top < len(tables) and luck.closed_form(*released, [top], drawn)[0] < ALMOST_ALL:
        top = min(2 * top, len(tables))
    most = FINE if len(tables) <= LARGE else COARSE
    if null == "karp_luby" or (null == "exact" and len(tables) > SMALL):
        most = COARSE
    if top < most:
        return np.arange(top + 1)
    seen = np.flatnonzero(np.bincount(observed))
    seen = seen[np.linspace(0, len(seen) - 1, min(len(seen), most)).astype(np.intp)]
    return np.unique(np.r_[0, seen, np.linspace(0, top, most // 4).astype(np.int64)])

"""Datafly: generalize the column with most values until few records stand out, suppress those."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Rows
from verikit._support.requests import flag
from verikit.lattice._lattice import Node
from verikit.lattice._search import Search, Step, found
from verikit.lattice._tally import Tally
from verikit.table import Microdata, Missing, most_records

__all__ = ["datafly"]


def datafly(
    data: Microdata,
    *,
    k: int,
    suppression: float | None = None,
    complementary: bool = True,
    missing: Missing = "refuse",
) -> Search:
    """Climb from the bottom of the lattice, one greedy step at a time, until k is nearly met.

    Each step generalizes the column with the most distinct values. It is fast and simple, and
    often generalizes more than necessary.

    Parameters
    ----------
    data
        The records; each quasi-identifier needs a hierarchy.
    k
        The size that every class must reach.
    suppression
        The share of records that may be suppressed. By default as many as k, as in the paper.
    complementary
        Whether to suppress the smallest further classes when fewer than k records, but at least
        one, are suppressed, so that the suppressed records also form a class of k.
    missing
        ``"refuse"``, or ``"own value"``: missing counts as a value that the root covers too.

    Returns
    -------
    Search
        The levels reached, the suppressed records, and the climb as trail.

    Raises
    ------
    SchemaError
        If there is no record or quasi-identifier, or a hierarchy or value is missing.
    RecordError
        If k or the share is no sensible number.
    InfeasibleError
        If k is more than there are records.

    Notes
    -----
    The rule to stop reads: at most k records stand in classes of fewer than k. Columns with
    equally many values are generalized in their order in the table. Complementary suppression
    takes whole classes, the smallest first, so that it does not matter which records come first.

    References
    ----------
    [KS]_ section 2.1

    Examples
    --------
    One record stands out; two more are suppressed to hide it.

    >>> import verikit as vk
    >>> search = datafly(vk.load("ks_table2_unmasked"), k=2)
    >>> search.levels, len(search.suppressed)
    ({'Race': 1, 'Zip': 0}, 3)
    """
    flag(complementary, "complementary")
    tally = Tally(data, k, missing)
    allowed = tally.k if suppression is None else most_records(suppression, len(data))
    node, trail = tally.lattice.bottom, []
    while (short := tally.short(node)) > allowed:
        place = _widest(tally, node)
        reason = f"{tally.lattice.names[place]} has the most values"
        trail.append(Step(node, "unsafe", short, reason))
        node = (*node[:place], node[place] + 1, *node[place + 1 :])
    trail.append(Step(node, "safe", short))
    suppressed = _suppressed(tally.labels(node), tally.k, complementary)
    return found("datafly", tally, allowed, node, trail, suppressed=suppressed)


def _widest(tally: Tally, node: Node) -> int:
    """The place of the column with the most distinct values that can still be generalized."""
    heights = tally.lattice.heights
    sizes = [
        tally.column(place, level).size if level < heights[place] else 0
        for place, level in enumerate(node)
    ]
    return sizes.index(max(sizes))


def _suppressed(labels: Rows, k: int, complementary: bool) -> Rows:
    sizes = np.bincount(labels)
    by_size = np.argsort(sizes, kind="stable")
    last = int((sizes < k).sum())
    if complementary and last:
        totals = np.cumsum(sizes[by_size])
        last = max(last, int(np.searchsorted(totals, k)) + 1)
    hidden = np.zeros(len(sizes), np.bool_)
    hidden[by_size[:last]] = True
    return np.flatnonzero(hidden[labels])

"""Groups filled one record after another, in random order: the plain baseline."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit._support.seed import generator
from verikit.partition._apart import Line, line_of
from verikit.partition._partition import Partition
from verikit.table import Microdata

__all__ = ["sequential"]


def sequential(
    data: Microdata, *, k: int, e: float, sensitive: str | None = None, seed: int
) -> Partition:
    """Fill a group with records in random order until it meets ``k`` and ``e``, then the next.

    Parameters
    ----------
    data
        The records.
    k
        How many different values a group must hold at least.
    e
        How far apart its largest and its smallest value must lie at least, in the column's unit.
    sensitive
        The numeric column; needed only if several columns are sensitive.
    seed
        The randomness.

    Returns
    -------
    Partition
        Small groups of records that have nothing to do with each other; the records left over at
        the end, its ``residue``, are in the last group.

    Raises
    ------
    InfeasibleError
        If not even all records together reach ``k`` or ``e``; the message names the largest.
    SchemaError
        If there is no record, no one numeric sensitive column, or a missing value in it.
    RecordError
        If ``k`` is no whole number from 1 up, ``e`` no number from 0 up, or the seed none.

    References
    ----------
    [QZ]_ section 2.7.1

    Notes
    -----
    The text does not say what becomes of the records left over; here they join the last group.
    O(n) after one sort.

    Examples
    --------
    >>> import pandas as pd
    >>> import verikit as vk
    >>> frame = pd.DataFrame({"age": range(8), "pay": [1, 2, 3, 5, 5, 6, 6, 8]})
    >>> data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    >>> bool(sequential(data, k=2, e=1, seed=1).sizes.min() >= 2)
    True
    """
    line = line_of(data, k, e, sensitive, "sequential")
    order = data.canonical_order()[generator(seed).permutation(len(data))]
    ends = _ends(data.scores(line.name)[order], line)
    left = len(order) - ends[-1]
    ends[-1] += left
    labels = np.empty(len(order), np.intp)
    labels[order] = np.searchsorted(ends, np.arange(len(order)), "right")
    return Partition(labels, "sequential", line.parameters(), int(left))


def _ends(scores: Floats, line: Line) -> Rows:
    """After how many records in the drawn order each group is complete."""
    ends: list[int] = []
    held: set[float] = set()
    low, high = np.inf, -np.inf
    for place, score in enumerate(scores.tolist(), start=1):
        held.add(score)
        low, high = min(low, score), max(high, score)
        if len(held) >= line.k and high - low >= line.e:
            ends.append(place)
            held, low, high = set(), np.inf, -np.inf
    return np.array(ends, np.intp)

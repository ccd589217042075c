"""What every partitioner of a number needs: its values in order, and where a group may begin."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from verikit.errors import InfeasibleError, RecordError, SchemaError
from verikit.partition._ell import sensitive_name
from verikit.partition._partition import Partition
from verikit.table import Microdata, number
from verikit.table._requests import checked_table, refuse_missing
from verikit.words import text

__all__ = ["Line", "consecutive", "line_of"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


class Line(NamedTuple):
    """The different values of a column in ascending order, and what a group of them must reach.

    Parameters
    ----------
    name
        The column.
    k, e
        How many different values a group needs, and how far apart its ends.
    values, counts
        The different values, and how many records have each.
    latest
        For a group that ends in a value the last value that it may begin with; -1 for none.
    scores
        The value of each record.
    """

    name: str
    k: int
    e: float
    values: Floats
    counts: Places
    latest: Places
    scores: Floats

    def parameters(self) -> dict[str, object]:
        """What is published of the request."""
        return {"k": self.k, "e": self.e, "sensitive": self.name}


def line_of(data: Microdata, k: object, e: object, sensitive: str | None, who: str) -> Line:
    """Check a request for (k,e)-anonymous groups of one numeric column; O(n log n).

    Raises
    ------
    InfeasibleError
        If not even one group of all records meets it; the message names the largest k or e.

    References
    ----------
    [QZ]_ Definition 2.4.2, with different values for k and "no less than" for e
    """
    checked_table(data, who)
    name = sensitive_name(data.schema, sensitive)
    if data.schema[name].kind != "numeric":
        raise SchemaError(
            f"{who} keeps numbers apart, but column {name!r} is {data.schema[name].kind}; name a "
            "numeric one, or use partition.diverse for categories."
        )
    refuse_missing(data, [data.schema[name]], "refuse")
    if isinstance(k, (bool, np.bool_)) or not isinstance(k, (int, np.integer)) or k < 1:
        raise RecordError(f"k was given as {k!r}; expected a whole number from 1 up.")
    apart = number(e, "e")
    if not 0 <= apart < np.inf:
        raise RecordError(f"e was given as {text(apart)}; expected a number from 0 up.")
    scores = np.asarray(data.scores(name), np.float64)
    values, counts = _different(scores)
    if len(values) < k:
        raise InfeasibleError(
            f"k was given as {k}, but {name!r} has {len(values):,} different values; the largest "
            f"k that can be reached is {len(values)}."
        )
    widest = float(values[-1] - values[0])
    if widest < apart:
        raise InfeasibleError(
            f"e was given as {text(apart)}, but the values of {name!r} lie {text(widest)} apart "
            f"at most; the largest e that can be reached is {text(widest)}."
        )
    return Line(name, int(k), apart, values, counts, _latest(values, int(k), apart), scores)


def _different(scores: Floats) -> tuple[Floats, Places]:
    ordered = np.sort(scores)
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return ordered[starts], np.diff(np.append(starts, len(ordered)))


def _latest(values: Floats, k: int, e: float) -> Places:
    """The last value to begin with, judged by the stored numbers: their difference is at least e.

    The search for ``value - e`` may round the other way by one value, so it is corrected.
    """
    places = np.arange(len(values))
    found = np.searchsorted(values, values - e, "right") - 1
    beyond = np.minimum(found + 1, places)
    found = np.where(values - values[beyond] >= e, beyond, found)
    short = (found >= 0) & (values - values[np.maximum(found, 0)] < e)
    return np.minimum(found - short, places - k + 1).clip(-1)


def consecutive(data: Microdata, line: Line, ends: Places, method: str) -> Partition:
    """Groups of neighbouring values; ``ends`` says after how many records in order each ends.

    Records with equal values that fall to two groups are dealt out in their canonical order, so
    that nothing depends on the order they were given in.
    """
    upto = np.cumsum(line.counts)
    first = np.searchsorted(ends, upto - line.counts, "right")
    last = np.searchsorted(ends, upto - 1, "right")
    place = np.searchsorted(line.values, line.scores)
    labels = first[place]
    for value in np.flatnonzero(first != last):
        rows = np.flatnonzero(place == value)
        rows = rows[data.take(rows).canonical_order()]
        start = upto[value] - line.counts[value]
        labels[rows] = np.searchsorted(ends, start + np.arange(len(rows)), "right")
    return Partition(labels, method, line.parameters())

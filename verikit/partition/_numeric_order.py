"""What every partitioner of a number needs: its values in order, and where a group may begin."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints, Rows, SmallInts
from verikit._support.compiled import compiled
from verikit._support.requests import whole
from verikit._support.seed import generator
from verikit._support.skip_validation import make_unchecked
from verikit.errors import InfeasibleError, RecordError, SchemaError
from verikit.partition._partition import Partition
from verikit.table import Microdata, number, refuse_missing, require_table
from verikit.words import text

COMPILED_FROM = 200_000
TIE_STREAM = 1  # draws of their own, so that a mask with the same seed tells nothing of them


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
    order
        The places of the records from the smallest value up, equal ones in no special order.
    """

    name: str
    k: int
    e: float
    values: Floats
    counts: SmallInts
    order: Rows

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
    require_table(data, who)
    name = data.schema.find_sensitive(sensitive)
    if data.schema[name].kind != "numeric":
        raise SchemaError(
            f"{who} keeps numbers apart, but column {name!r} is {data.schema[name].kind}; name a "
            "numeric one, or use partition.diverse for categories."
        )
    refuse_missing(data, [data.schema[name]], "refuse")
    k = whole(k, "k")
    apart = number(e, "e")
    if not 0 <= apart < np.inf:
        raise RecordError(
            f"e was given as {text(apart)}; expected a number from 0 up.", field="e", value=apart
        )
    scores = np.asarray(data.scores(name), np.float64)
    order, ordered = sort_numbers(scores)
    differ = ordered[1:] != ordered[:-1]
    if differ.all():
        values, counts = ordered, np.broadcast_to(np.int32(1), len(ordered))  # without memory
    else:
        starts = np.flatnonzero(np.concatenate([[True], differ]))
        values = ordered[starts]
        counts = np.diff(np.append(starts, len(ordered))).astype(np.int32)
    if len(values) < k:
        raise InfeasibleError(
            f"k was given as {k}, but {name!r} has {len(values):,} different values; the largest "
            f"k that can be reached is {len(values)}.",
            field="k",
            value=k,
        )
    widest = float(values[-1] - values[0])
    if widest < apart:
        raise InfeasibleError(
            f"e was given as {text(apart)}, but the values of {name!r} lie {text(widest)} apart "
            f"at most; the largest e that can be reached is {text(widest)}.",
            field="e",
            value=apart,
        )
    return Line(name, int(k), apart, values, counts, order)


@compiled(large=COMPILED_FROM)
def last_starts(values: Floats, k: int, e: float) -> SmallInts:
    """Give the last value that a group up to each value may begin with; -1 where none may.

    It never moves back, so all are found in one pass, O(n).
    """
    last = np.empty(len(values), np.int32)
    seen = 0
    for at in range(len(values)):
        value = values[at]
        while seen <= at - k + 1 and value - values[seen] >= e:
            seen += 1
        last[at] = seen - 1
    return last


def group_neighbours(
    data: Microdata, line: Line, ends: Rows, method: str, seed: object
) -> Partition:
    """Group neighbouring values; ``ends`` says after how many records in order each ends.

    Which of the records with an equal value fall to which of two groups is drawn. Any rule that
    looks at what is known of them would tell who has which of the values of a group.
    """
    apart: npt.NDArray[Any] = np.empty(len(line.order), np.int32)  # half as far in memory
    of_place = np.repeat(np.arange(len(ends), dtype=np.int32), np.diff(ends, prepend=0))
    shared = np.zeros(len(line.values), bool)  # the values that fall to two groups or more
    if len(line.values) < len(line.order):
        upto = np.cumsum(line.counts)
        value = np.searchsorted(upto, ends[:-1], "left")
        shared[value[ends[:-1] < upto[value]]] = True
    apart[order_records(data, line, shared, seed)] = of_place
    labels = apart.astype(np.intp)
    labels.setflags(write=False)
    return make_unchecked(Partition, labels=labels, method=method, parameters=line.parameters())


def order_records(data: Microdata, line: Line, shared: Flags, seed: object) -> Rows:
    """Order the records from the smallest value up; those of shared ones at random."""
    rng = generator(seed, TIE_STREAM)
    if not shared.any():
        return line.order
    places = np.flatnonzero(np.repeat(shared, line.counts))
    few = np.min_scalar_type(len(shared))  # which numpy sorts by counting
    of_value = np.repeat(np.arange(np.count_nonzero(shared), dtype=few), line.counts[shared])
    order = line.order.copy()
    rows = order[places]
    rows = rows[_sort_by_columns(data, line.name, rows, of_value)]
    drawn = rng.permutation(len(rows))
    order[places] = rows[drawn[np.argsort(of_value[drawn], kind="stable")]]
    return order


def _sort_by_columns(data: Microdata, name: str, rows: Rows, first: Rows) -> Rows:
    """Sort some records by codes of theirs, then by all columns but one."""
    keys, span = first.astype(np.int64), int(first[-1]) + 1
    for other in data.schema.names:
        if other == name:
            continue
        codes = _code_in_order(data.frame[other].iloc[rows])
        size = int(codes.max()) + 2
        if span * size > 2**62:
            found, keys = np.unique(keys, return_inverse=True)
            span = len(found)
        keys = keys * size + (codes + 1)
        span *= size
    low = (1 << (len(keys) - 1).bit_length()) - 1
    if span > 2**62 // (low + 1):
        return np.argsort(keys)
    keys = keys * (low + 1) + np.arange(len(keys))  # so one sort moves both
    keys.sort()
    return keys & low


def _code_in_order(values: pd.Series[Any]) -> Rows:
    """Code some values as whole numbers in their order; -1 where one is missing."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return values.cat.codes.to_numpy().astype(np.intp)
    if values.dtype.kind == "i" and len(values):
        whole = values.to_numpy()
        if float(whole.max()) - float(whole.min()) < 4 * len(whole):
            return np.asarray(whole - whole.min(), np.intp)
    return np.asarray(pd.factorize(values, sort=True)[0], np.intp)


PACKED_FROM = 100_000
MAX_REPAIRS = 64  # pairs put right one by one


def sort_numbers(scores: Floats) -> tuple[Rows, Floats]:
    """Sort numbers, equal ones in no special order: their places, and the numbers so.

    The bits of floats sort as whole numbers do. The last bits, which hardly ever decide, give way
    to the place of each number, so that one sort moves both; where they would have decided,
    numbers change places afterwards. O(n log n).

    Parameters
    ----------
    scores
        Numbers, none of them missing.

    Examples
    --------
    >>> sort_numbers(np.array([2.5, -1.0, 0.0]))[0].tolist()
    [1, 2, 0]
    """
    n = len(scores)
    if n < PACKED_FROM:
        order = np.argsort(scores)
        return order, scores[order]
    low = (1 << (n - 1).bit_length()) - 1
    keys = _order_bits(scores, low)
    keys |= np.arange(n, dtype=np.int32)
    keys.sort()
    keys &= low
    ordered = scores[keys]
    if not _repair_order(keys, ordered):
        # sort those again that are alike but for their last bits
        cells = _order_bits(ordered, low)
        alike = np.concatenate([[False], cells[1:] == cells[:-1], [False]])
        places = np.flatnonzero(alike[1:] | alike[:-1])
        turned = places[np.lexsort((ordered[places], cells[places]))]
        keys[places], ordered[places] = keys[turned], ordered[turned]
    return keys, ordered


def _order_bits(scores: Floats, low: int) -> Ints:
    """Read numbers as whole ones of the same order, without their last bits."""
    found = (scores + 0.0).view(np.int64)  # no -0.0, whose bits are other ones
    if scores.min() < 0:
        found ^= (found >> 63) & np.int64(2**63 - 1)
    found &= ~low
    return found


def _repair_order(order: Ints, ordered: Floats) -> bool:
    """Let neighbours change places until all ascend; False where that is too much."""
    for _ in range(MAX_REPAIRS):
        wrong = np.flatnonzero(ordered[1:] < ordered[:-1])
        if not len(wrong):
            return True
        if len(wrong) > MAX_REPAIRS:
            return False
        for place in wrong.tolist():
            if ordered[place] > ordered[place + 1]:
                pair, turned = slice(place, place + 2), [place + 1, place]
                order[pair], ordered[pair] = order[turned], ordered[turned]
    return False

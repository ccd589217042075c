"""Null models: how closely records that belong to nobody in the table match a release.

Exactly, nearly, or from other people's records. Arrays come in, arrays go out. A release is given
as the blocks of ranks of its records, one row a record and one column an attribute; ``drawn`` are
the blocks that the ranks 1 to n stand for in the columns which made-up records are drawn from, by
default the release's own. ``unordered`` relates what is drawn to the release on the other
attributes, which have groups instead of ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit._support.seed import generator
from verikit.errors import InfeasibleError
from verikit.ranks._blocks import blocks
from verikit.ranks._kinship import Kinship, expand_ranges
from verikit.ranks._mixed import MixedTables
from verikit.ranks._nearest import Matches, find_all_matches
from verikit.ranks._union_volume import union_volumes

__all__ = [
    "Blocks", "by_rank", "closed_form", "conformal", "correlated", "estimated_success", "exact",
    "karp_luby", "leave_one_out", "made_up",
]  # fmt: skip

BOXES = 1 << 16
PATIENCE = 1e8  # looks at a box: some 20 seconds


def exact(
    first: Ints,
    last: Ints,
    distances: Sequence[int] | Ints,
    drawn: Blocks | None = None,
    unordered: Sequence[Kinship] = (),
) -> Floats:
    """The share of all made-up records that match within each distance, without sampling.

    Made-up records draw each value from its column, independently. Each released record is
    matched by a box of them; the share is the volume of the union of these boxes. On an attribute
    without an order, values from which the same rows are near are one side of a box, and a row has
    a box for each of them.

    Parameters
    ----------
    first, last
        The blocks of the released records.
    distances
        The distances asked for.
    drawn, unordered
        What made-up records are drawn from.

    Returns
    -------
    numpy.ndarray
        One share a distance.

    Raises
    ------
    InfeasibleError
        If there are too many records and attributes for an exact answer.

    References
    ----------
    [DM]_ section 5.2, Table 5

    Examples
    --------
    Of the 8000 records that can be put together from the running example, 20 match exactly and
    489 within one place.

    >>> import verikit as vk
    >>> masked = vk.load("dm_table1_masked")
    >>> names = ("X1", "X2", "X3")
    >>> ranks = np.column_stack([vk.ranks.blocks(masked.scores(name))[0] for name in names])
    >>> (8000 * exact(ranks, ranks, [0, 1, 8])).tolist()
    [20.0, 489.0, 8000.0]
    """
    n, m = len(first), first.shape[1] + len(unordered)
    of = by_rank(first, last) if drawn is None else drawn
    cells = float(np.prod([len(of[0])] * m, dtype=float))
    at_once = max(1, BOXES // max(n, 1))
    shares = []
    for start in range(0, len(distances), at_once):
        asked = distances[start : start + at_once]
        each = [np.hstack(match_boxes(first, last, int(d), of, unordered)[:2]) for d in asked]
        # ties make copies of boxes; those of untied records are few, if any, and stay
        each = [
            boxes if len(np.unique(boxes[:, 0])) > n / 2 else np.unique(boxes, axis=0)
            for boxes in each
        ]
        low, high = np.hsplit(np.concatenate(each), 2)
        union = np.repeat(np.arange(len(each)), [len(boxes) for boxes in each])
        # an attribute by which nothing is ruled out is no side of a box
        sides: Flags = np.logical_or((low > 0).any(axis=0), (high < len(of[0])).any(axis=0))
        sides[:1] |= not sides.any()
        low, high = (np.ascontiguousarray(part[:, sides]) for part in (low, high))
        wide = float(len(of[0])) ** np.count_nonzero(~sides)
        volumes = union_volumes(low, high, union, PATIENCE * len(each)) * wide
        if np.isnan(volumes).any():
            raise InfeasibleError(
                f"{n:,} records of {m} attributes are too many for an exact share of matches; "
                "use the null 'karp_luby', which shows its error, or 'closed_form'."
            )
        shares.append(volumes / cells)
    return np.concatenate(shares) if shares else np.zeros(0)


Blocks: TypeAlias = tuple[Ints, Ints]


def by_rank(first: Ints, last: Ints) -> Blocks:
    """The block that each rank from 1 to n stands for, column by column.

    Examples
    --------
    >>> first, last = by_rank(np.array([[2], [1], [2]]), np.array([[3], [1], [3]]))
    >>> first.ravel().tolist(), last.ravel().tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    return np.sort(first, axis=0), np.sort(last, axis=0)


def made_up(
    drawn: Blocks, draws: int, seed: int, unordered: Sequence[Kinship] = ()
) -> tuple[Ints, Ints, list[Kinship]]:
    """Random made-up records: each value drawn from its column, independently ([DM]_ section 5.2).

    Examples
    --------
    >>> first, last, _ = made_up((np.array([[1], [2]]), np.array([[1], [2]])), 5, seed=1)
    >>> first.ravel().tolist()
    [1, 2, 2, 2, 1]
    """
    n, m = drawn[0].shape
    ranks = generator(seed).integers(0, n, (draws, m + len(unordered)))
    first, last = (np.take_along_axis(part, ranks[:, :m], axis=0) for part in drawn)
    orders = [np.argsort(part.number_groups()[0][:, -1]) for part in unordered]
    pairs = zip(unordered, orders, ranks[:, m:].T, strict=True)
    return first, last, [part.take(order[rank]) for part, order, rank in pairs]


class Boxes(NamedTuple):
    """The made-up records that match: above ``low``, up to ``high`` on each attribute.

    ``row`` is the released record of each box. On an attribute without an order records stand by
    what they reach, and ``like`` is one of those that reach what the box does.
    """

    low: Floats
    high: Floats
    row: Rows
    like: Rows


def match_boxes(
    first: Ints, last: Ints, distance: int, drawn: Blocks, unordered: Sequence[Kinship] = ()
) -> Boxes:
    """For each released record the ranks that match it, with a box for each group that reaches it.

    Examples
    --------
    >>> from verikit.ranks import relate_values
    >>> ranks, town = np.array([[1], [2]]), relate_values([*"ab"], [*"ab"])
    >>> found = match_boxes(ranks, ranks, 0, by_rank(ranks, ranks), [town])
    >>> found.low.tolist(), found.high.tolist()
    ([[0.0, 0.0], [1.0, 1.0]], [[1.0, 1.0], [2.0, 2.0]])
    """
    columns = range(first.shape[1])
    low = [np.searchsorted(drawn[1][:, j], first[:, j] - distance, "left") for j in columns]
    high = [np.searchsorted(drawn[0][:, j], last[:, j] + distance, "right") for j in columns]
    row, like = np.arange(len(first)), np.zeros((len(first), 0), np.intp)
    for part in unordered:
        reached = part.list_reached(distance)
        ends = np.searchsorted(reached.row, np.arange(len(first) + 1))
        held, box = expand_ranges(ends[row], ends[row + 1])
        low, high = ([ends[box] for ends in side] for side in (low, high))
        low.append(reached.begin[held])
        high.append(reached.end[held])
        row, like = row[box], np.column_stack([like[box], reached.like[held]])
    empty = np.zeros((len(row), 0))
    return Boxes(np.column_stack([empty, *low]), np.column_stack([empty, *high]), row, like)


def karp_luby(
    first: Ints,
    last: Ints,
    distances: Sequence[int] | Ints,
    drawn: Blocks | None = None,
    unordered: Sequence[Kinship] = (),
    *,
    draws: int = 20_000,
    seed: int = 0,
) -> tuple[Floats, Floats]:
    """The same share as `exact`, estimated for any number of records and attributes.

    A box is drawn by its volume and a point in it; one over the number of boxes that cover the
    point averages to the covered share of the boxes' total volume.

    Returns
    -------
    tuple
        One share and its standard error a distance.

    Examples
    --------
    >>> from verikit.ranks.null_models import exact
    >>> import verikit as vk
    >>> data = vk.simulate("dm", 200, seed=5)
    >>> ranks = np.column_stack([vk.ranks.blocks(data.scores(n))[0] for n in data.schema.names])
    >>> share, error = karp_luby(ranks, ranks, [4])
    >>> bool(abs(share - exact(ranks, ranks, [4])) < 4 * error), bool(error < share / 100)
    (True, True)
    """
    of = by_rank(first, last) if drawn is None else drawn
    tables = MixedTables(first, last, first, last, unordered)
    found = [_estimate_union_share(tables, int(d), of, draws, seed) for d in distances]
    shares, errors = np.asarray(found, float).reshape(-1, 2).T
    return shares, errors


def _estimate_union_share(
    tables: MixedTables, distance: int, drawn: Blocks, draws: int, seed: int
) -> tuple[float, float]:
    rng = generator(seed)
    boxes = match_boxes(tables.first, tables.last, distance, drawn, tables.unordered)
    low, high, ranked = boxes.low, boxes.high, tables.first.shape[1]
    volumes = np.prod((high - low) / len(drawn[0]), axis=1)
    total = volumes.sum()
    if not total:
        return 0.0, 0.0
    box = np.searchsorted(np.cumsum(volumes), rng.random(draws) * total).clip(max=len(low) - 1)
    inside = rng.random((draws, low.shape[1])) * (high - low)[box]
    rank = np.minimum(low[box] + np.floor(inside), high[box] - 1).astype(np.intp)[:, :ranked]
    begins, ends = (np.take_along_axis(part, rank, 0) for part in drawn)
    like = [part.take(boxes.like[box, j]) for j, part in enumerate(tables.unordered)]
    found = tables._replace(first=begins, last=ends, unordered=like).count_within(distance)
    share = min(float(total * (1 / found).mean()), 1.0)
    return share, float(total * (1 / found).std() / np.sqrt(draws))


POSITIONS = 4096


def closed_form(
    first: Ints,
    last: Ints,
    distances: Sequence[int] | Ints,
    drawn: Blocks | None = None,
    unordered: Sequence[Kinship] = (),
) -> Floats:
    """The same share as `exact`, at once, for columns that are nearly independent of each other.

    Were the columns shuffled at random, the records within a made-up record's window would be
    nearly as many as in a Poisson process, but that no two records share a rank: with windows of
    w places, ``lam`` records are expected and each makes a second one ``rho`` times as likely.

    Returns
    -------
    numpy.ndarray
        One share a distance, averaged over an even spread of made-up records.

    Notes
    -----
    Far closer than the binomial share of records in the window, which ignores that ranks are
    used once. Correlated columns need `exact`.

    Examples
    --------
    >>> from verikit.ranks.null_models import exact
    >>> import verikit as vk
    >>> data = vk.simulate("dm", 1000, seed=5)
    >>> ranks = np.column_stack([vk.ranks.blocks(data.scores(n))[0] for n in data.schema.names])
    >>> close, true = closed_form(ranks, ranks, [8]), exact(ranks, ranks, [8])
    >>> bool(abs(close / true - 1) < 0.03)
    True
    """
    of = by_rank(first, last) if drawn is None else drawn
    n, m = len(first), first.shape[1] + len(unordered)
    positions = _spread_ranks_evenly(len(of[0]), m)
    points = [np.take_along_axis(ends, positions[:, : first.shape[1]], 0) for ends in of]
    # for each column, how many ranks are at most 0, 1, 2 and so on
    begun, ended = ([np.cumsum(np.bincount(column)) for column in ends.T] for ends in (first, last))
    shares = []
    for distance in map(int, distances):
        width = np.empty(positions.shape)  # the share of the ranks within the distance
        for j, (starts, ends) in enumerate(zip(begun, ended, strict=True)):
            upto = np.minimum(points[1][:, j] + distance, len(starts) - 1)
            before = np.clip(points[0][:, j] - distance - 1, 0, len(ends) - 1)
            width[:, j] = (starts[upto] - ends[before]) / n
        for j, part in enumerate(unordered, first.shape[1]):
            width[:, j] = np.sort(part.count_near(distance))[positions[:, j]] / n
        lam = n * np.prod(width, axis=1)
        rho = np.prod(np.maximum(1 - 1 / np.maximum(n * width, 1), 0), axis=1)
        rho = np.minimum(rho / (1 - 1 / n) ** (m - 1) if n > 1 else rho, 1 - 1e-12)
        none = np.clip(1 - lam * (1 - rho), 0, 1) ** (1 / (1 - rho))
        shares.append(1 - none.mean())
    return np.asarray(shares, float)


def _spread_ranks_evenly(n: int, m: int) -> Rows:
    """Ranks spread evenly over all made-up records: an additive recurrence, without randomness."""
    root = 2.0
    for _ in range(64):
        root = (1 + root) ** (1 / (m + 1))
    steps = root ** -np.arange(1.0, m + 1)
    places = (0.5 + np.outer(np.arange(1, POSITIONS + 1), steps)) % 1
    return np.minimum((places * n).astype(np.intp), n - 1)


def correlated(columns: npt.NDArray[np.number[Any]]) -> bool:
    """Whether some two columns correlate more than chance and a little would explain.

    Made-up records, which mix the columns, then look like nobody.

    Examples
    --------
    >>> line = np.arange(100)
    >>> correlated(np.column_stack([line, line])), correlated(np.column_stack([line, line % 10]))
    (True, False)
    """
    varied = columns[:, columns.std(axis=0) > 0].astype(float)
    if varied.shape[1] < 2:
        return False
    between = np.abs(np.corrcoef(varied, rowvar=False) - np.eye(varied.shape[1]))
    return bool(between.max() > max(0.1, 3 / np.sqrt(len(columns))))


def leave_one_out(first: Ints, last: Ints, unordered: Sequence[Kinship] = ()) -> Ints:
    """For each released record the places to the closest other one: what "other people" look like.

    Examples
    --------
    >>> ranks = np.array([[1, 1], [2, 2], [4, 4], [3, 3]])
    >>> leave_one_out(ranks, ranks).tolist()
    [1, 1, 1, 1]
    """
    others = [part.without_own() for part in unordered]
    tables = MixedTables(first, last, first, last, others)
    return tables.measure_distances(own=np.arange(len(first)))


def estimated_success(observed: Floats, made_up: Floats) -> Floats:
    """The share of links that are right, as the intruder can estimate it without knowing one.

    A match lies at the distance of the true record or of a chance one, whichever is smaller. So
    the share of matches beyond a distance is the product of both shares, and the distribution of
    true distances can be solved for; a true record wins where no chance one is closer, and half
    the time where one is as close.

    Parameters
    ----------
    observed, made_up
        The shares of the records, and of made-up records, that match within 0, 1, 2 ... places,
        or within any increasing distances; the former also one line a sample.

    Returns
    -------
    numpy.ndarray
        An estimate of the share. Chance may bring it below 0 or above 1; what keeps it from that
        would make it too high on average.

    Examples
    --------
    >>> float(estimated_success(np.array([0.5, 1.0]), np.array([0.0, 1.0])))
    0.5
    """
    told = made_up < 1  # beyond the last chance match nothing more can be told
    beyond = (1 - observed[..., told]) / (1 - made_up[told])
    weight = (1 - made_up + np.diff(made_up, prepend=0) / 2)[told]
    return (np.diff(1 - beyond, prepend=0, axis=-1) * weight).sum(axis=-1)


PAIRS = 1 << 24


def conformal(values: Floats, queries: Floats) -> Floats:
    """How unusually close each query is to a release, valid if it comes from the same population.

    The query joins the release, all are ranked anew, and p is the share of records, the query
    included, whose closest other record is at most as far as the query's.

    Parameters
    ----------
    values, queries
        Released values, and the values of each query, one column an attribute.

    Returns
    -------
    numpy.ndarray
        One p a query.

    Notes
    -----
    The query stretches by one place what lies on both sides of it, so only records whose closest
    other record is exactly as far as the query's need a second look.

    Examples
    --------
    >>> values = np.array([[1.0, 1.0], [2.0, 5.0], [3.0, 9.0], [4.0, 2.0]])
    >>> conformal(values, np.array([[1.0, 1.0], [9.0, 4.0]]))
    array([0.4, 0.8])
    """
    ends = [blocks(column) for column in values.T]
    first, last = (np.column_stack(part) for part in zip(*ends, strict=True))
    asked = [blocks(q, np.sort(v)) for q, v in zip(queries.T, values.T, strict=True)]
    query_first, query_last = (np.column_stack(part) for part in zip(*asked, strict=True))
    others = find_all_matches(first, last, first, last, own=np.arange(len(values)))
    own = find_all_matches(query_first, query_last, first, last)
    closer = np.searchsorted(np.sort(others.distance), own.distance, "left")
    query, row = np.repeat(np.arange(len(queries)), own.counts), own.rows
    joined = np.bincount(query, others.distance[row] > own.distance[query], len(queries))
    as_close = np.zeros(len(queries))
    for distance in np.unique(own.distance):
        rows = np.flatnonzero(others.distance == distance)
        asking = np.flatnonzero(own.distance == distance)
        spans = _find_stretchable_spans(int(distance), rows, others, first, last, values)
        parts = np.array_split(asking, 1 + len(asking) * len(spans[0]) // PAIRS)
        for part in parts if len(rows) else []:
            as_close[part] = _count_as_close(
                queries[part], *spans, *_find_matched_pairs(part, own, rows)
            )
    return (1 + closer + joined + as_close) / (len(values) + 1)


def _count_as_close(
    queries: Floats, low: Floats, high: Floats, starts: Rows, at: Rows, match: Rows
) -> Rows:
    """How many records stay as close to another one, or to the query itself, when it joins."""
    apart = np.zeros((len(queries), len(low)), bool)
    for j in range(queries.shape[1]):
        x = queries[:, j, None]
        apart |= (low[:, j] < x) & (x < high[:, j])
    kept = ~np.logical_and.reduceat(apart, starts, axis=1)
    kept[at, match] = True
    return np.count_nonzero(kept, axis=1)


def _find_stretchable_spans(
    distance: int, rows: Rows, others: Matches, first: Ints, last: Ints, values: Floats
) -> tuple[Floats, Floats, Rows]:
    """The spans of values that hold some records and their closest others at a distance apart."""
    counts = others.counts[rows]
    starts = np.r_[0, np.cumsum(counts)[:-1]]
    row = np.repeat(rows, counts)
    other = others.rows[np.repeat(others.starts[rows] - starts, counts) + np.arange(len(row))]
    gaps = np.maximum(first[row] - last[other], first[other] - last[row])
    spans = np.maximum(gaps, 0) == distance
    low = np.where(spans, np.minimum(values[row], values[other]), np.inf)
    return low, np.where(spans, np.maximum(values[row], values[other]), -np.inf), starts


def _find_matched_pairs(part: Rows, own: Matches, rows: Rows) -> tuple[Rows, Rows]:
    """Which of some records are matches of which of some queries."""
    counts = own.counts[part]
    at = np.repeat(np.arange(len(part)), counts)
    ends = np.cumsum(counts)
    found = own.rows[np.repeat(own.starts[part] - ends + counts, counts) + np.arange(len(at))]
    place = np.minimum(np.searchsorted(rows, found), len(rows) - 1)
    held = rows[place] == found
    return at[held], place[held]

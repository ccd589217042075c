"""Whether some released record lies within some places of each of many queries, ties included."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verikit._support.arrays import Flags, Ints, Rows
from verikit.ranks._kinship import Kinship
from verikit.ranks._mixed import MixedTables
from verikit.ranks._nearest import BlockTree

MORE = 16
PART = 256
HEAVY = 16  # a block of one in so many records is wide
LARGE = 64  # one in so many records that share their wide blocks have a tree of their own
PAIRS = 1 << 22
FEW = 64  # so many rows are looked through before the library of the trees is loaded


class Reach:
    """The released records in trees, ready to be asked what lies within some places.

    Parameters
    ----------
    first, last
        The blocks of ranks of the released records, one row a record and one column an attribute.
    unordered
        How they are related to themselves on the attributes without an order.

    Notes
    -----
    Building costs about a sort of the columns. A question looks no further than it must: for the
    one closest record inside the places asked for, so that 2,000 queries take some milliseconds
    among 20,000 records of 8 attributes. Records that share a wide block on some attributes, as
    those do that miss a value there, are equally near to any query on these, and have a tree of
    their own over the others.

    Examples
    --------
    >>> ranks = np.array([[1, 4], [2, 2], [3, 1], [4, 3]])
    >>> Reach(ranks, ranks).has_near_record(ranks, ranks, 1, own=np.arange(4)).tolist()
    [False, True, True, False]
    """

    def __init__(self, first: Ints, last: Ints, unordered: Sequence[Kinship] = ()) -> None:
        self.rows, self.unordered = (first, last), unordered
        groups = [part.number_groups()[0][:, -1:] + 1 for part in unordered]
        columns = np.hstack([first, *groups])
        # an order of the rows in which copies stand together, and where a record begins in it
        n, free = len(first), np.flatnonzero((first == last).all(axis=0))
        if len(free):  # no values tie on this attribute, so that nobody has a copy
            self.order, new = np.argsort(first[:, free[0]]), np.ones(n, bool)
        else:
            code, size = np.zeros(n, np.int64), 1
            for column in columns.T:
                if size > np.iinfo(np.int64).max // (n + 1):
                    code, size = np.unique(code, return_inverse=True)[1].ravel(), n
                code, size = code * (n + 1) + column, size * (n + 1)
            self.order = np.argsort(code, kind="stable")
            code = code[self.order]
            new = np.r_[True, code[1:] != code[:-1]]
        if unordered:
            return
        # for each row the distinct record that is nothing but this row; -1 if it has a copy
        record = np.cumsum(new) - 1
        self.alone = np.empty(len(new), np.intp)
        self.alone[self.order] = np.where(np.bincount(record)[record] == 1, record, -1)
        distinct = self.order[new]
        first, last = first[distinct], last[distinct]
        self.parts = [
            _Part(first, last, rows) for rows in _group_by_wide_blocks(first, last, len(self.order))
        ]

    def has_near_record(
        self,
        first: Ints,
        last: Ints,
        places: int,
        own: Rows | None = None,
        related: Sequence[Kinship] = (),
    ) -> Flags:
        """For each query whether a record lies within some places; its ``own`` does not count.

        Without an order queries are ``related`` to the released records.
        """
        if related:
            tables = MixedTables(first, last, *self.rows, related)
            return tables.measure_distances(own) <= places
        found = np.zeros(len(first), bool)
        alone = np.full(len(first), -1) if own is None else self.alone[own]
        for part in self.parts:
            asked = np.flatnonzero(~found)
            if len(asked):
                found[asked] = part.is_near_some(first[asked], last[asked], places, alone[asked])
        return found


class _Part:
    """Records that share their blocks on some attributes; the others are in a tree.

    Where blocks differ much in width, the middles of the blocks leave a few queries open: these
    look at all rows near them on one attribute, or go down a tree of blocks.
    """

    def __init__(self, first: Ints, last: Ints, rows: Rows) -> None:
        self.rows = rows
        first, last = first[rows], last[rows]
        self.low, self.high = first[0], last[0]
        self.shared = (first == self.low).all(axis=0) & (last == self.high).all(axis=0)
        if self.shared.all() and len(rows) == 1:
            self.shared[:] = False
        self.first, self.last = (np.ascontiguousarray(p[:, ~self.shared]) for p in (first, last))
        self.has_tree = len(rows) > FEW
        if self.has_tree:
            from scipy.spatial import cKDTree

            self.middle = cKDTree(self.first + self.last, balanced_tree=False)
            self.widest = int((self.last - self.first).max())
        self.sorted: tuple[Rows, Ints] | None = None
        self.blocks: BlockTree | None = None

    def is_near_some(self, first: Ints, last: Ints, places: int, alone: Rows) -> Flags:
        """For each query whether one of these records is near, other than the one it is itself."""
        gaps = np.maximum(self.low - last, first - self.high)[:, self.shared]
        found, kept = np.zeros(len(first), bool), ~self.shared
        asked = np.flatnonzero((gaps <= places).all(axis=1))
        first, last = first[:, kept], last[:, kept]
        at = np.minimum(np.searchsorted(self.rows, alone), len(self.rows) - 1)
        alone = np.where(self.rows[at] == alone, at, -1)
        # the closest middles of blocks first
        hopes = (2 if (alone[asked] >= 0).any() else 1, MORE) if self.has_tree else ()
        for hoped in hopes:
            if not len(asked):
                return found
            begins, ends, count = first[asked], last[asked], min(hoped, len(self.first))
            most = 2 * places + self.widest + (ends - begins).max(axis=1)
            apart, rows = self.middle.query(
                begins + ends,
                np.arange(1, count + 1),
                p=np.inf,
                distance_upper_bound=most.max() + 0.5,
            )
            query, at = np.nonzero((rows < len(self.first)) & (rows != alone[asked, None]))
            row = rows[query, at]
            gaps = np.maximum(self.first[row] - ends[query], begins[query] - self.last[row])
            found[asked[query[gaps.max(axis=1) <= places]]] = True
            is_open = ~found[asked] & (apart[:, -1] <= most) & (count < len(self.first))
            asked = asked[is_open]
        if len(asked):
            query, row = self._find_near_pairs(first[asked], last[asked], places)
            found[asked[query[row != alone[asked][query]]]] = True
        return found

    def _find_near_pairs(self, first: Ints, last: Ints, places: int) -> tuple[Rows, Rows]:
        """All pairs of a query and a row near it."""
        windows = self._find_narrowest_windows(first, last, places)
        if windows is not None:
            query, row = windows
            gaps = np.maximum(self.first[row] - last[query], first[query] - self.last[row])
            near = gaps.max(axis=1) <= places
            return query[near], row[near]
        if self.blocks is None:
            self.blocks = BlockTree(self.first, self.last)
        found = []
        for start in range(0, len(first), PART):
            part = slice(start, start + PART)
            radius = np.full(len(first[part]), places)
            query, row, _ = self.blocks.find_close_pairs(first[part], last[part], radius)
            found.append((query + start, row))
        queries, rows = zip(*found, strict=True)
        return np.concatenate(queries), np.concatenate(rows)

    def _find_narrowest_windows(
        self, first: Ints, last: Ints, places: int
    ) -> tuple[Rows, Rows] | None:
        """The rows near each query on the attribute that leaves fewest; None if these are many."""
        if self.sorted is None:
            order = np.argsort(self.first, axis=0)
            self.sorted = order, np.take_along_axis(self.first, order, axis=0)
        order, begun = self.sorted
        width = (self.last - self.first).max(axis=0)
        ends = [
            (
                np.searchsorted(begun[:, j], first[:, j] - places - width[j]),
                np.searchsorted(begun[:, j], last[:, j] + places, "right"),
            )
            for j in range(begun.shape[1])
        ]
        start, stop = (np.column_stack(part) for part in zip(*ends, strict=True))
        best = (stop - start).argmin(axis=1)
        at = np.arange(len(first))
        sizes = (stop - start)[at, best]
        if sizes.sum() > PAIRS:
            return None
        query = np.repeat(at, sizes)
        place = np.arange(len(query)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return query, order[start[query, best[query]] + place, best[query]]


def _group_by_wide_blocks(first: Ints, last: Ints, records: int) -> list[Rows]:
    """The rows in groups that share their wide blocks; most often one group.

    Rows of small groups stay together, and share nothing.
    """
    key = np.zeros(len(first), np.int64)
    for j in range(first.shape[1]):
        wide = last[:, j] - first[:, j] >= max(records // HEAVY, 1)
        if wide.any():
            block = np.unique(np.where(wide, first[:, j], -1), return_inverse=True)[1].ravel()
            key = np.unique(key * (int(block.max()) + 1) + block, return_inverse=True)[1].ravel()
    large = np.bincount(key) * LARGE >= len(first)
    group = np.where(large[key], key, len(large))
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group)
    return np.split(order, np.cumsum(sizes[sizes > 0])[:-1])

"""Which rows of two tables may be one person, without comparing every row with every other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np

from verikit._support.arrays import Ints
from verikit.cells import Related
from verikit.errors import InfeasibleError

__all__ = ["Meetings", "meetings"]

Pairs: TypeAlias = tuple[Ints, Ints]
PIECE = 1 << 18
MOST_COMPARED = 4_000_000_000
MOST_KEPT = 100_000_000


class Level(NamedTuple):
    """The kinds of rows that agree in the columns so far, sorted within the kinds above them.

    ``starts`` tells where those below each kind above begin; ``codes`` is the cell that each adds;
    ``low`` and ``high`` are its ends, behind the number of the kind above, for a search.
    """

    starts: Ints
    codes: Ints
    low: Ints
    high: Ints


class Meetings:
    """The kinds of rows of two tables, and which of them meet.

    Parameters
    ----------
    related
        How the cells of each column that both tables have meet, at least one.
    """

    def __init__(self, related: Sequence[Related]) -> None:
        self._related = sorted(related, key=Related.share)
        self.first, self._left = _kinds(self._related, 0)
        self.second, self._right = _kinds(self._related, 1)
        self.shape = len(self._left[-1].codes), len(self._right[-1].codes)

    def __iter__(self) -> Iterator[Pairs]:
        """The pairs of kinds that meet, piece by piece, each pair once."""
        root = np.zeros(1, np.int64)
        waiting, compared = [(0, (root, root))], 0
        while waiting:
            depth, pairs = waiting.pop()
            if depth == len(self._related):
                yield pairs
                continue
            below, tried, rest = self._below(depth, pairs)
            if rest is not None:
                waiting.append((depth, rest))
            waiting.append((depth + 1, below))
            compared += tried
            if compared > MOST_COMPARED:
                self._refuse()

    def pairs(self) -> Pairs:
        """All pairs of kinds that meet."""
        found: list[Pairs] = []
        for pair in self:
            found.append(pair)
            if sum(len(one) for one, _ in found) > MOST_KEPT:
                self._refuse()
        return _joined(found, 0), _joined(found, 1)

    def rows(self) -> Pairs:
        """All pairs of rows that meet, sorted."""
        kinds = self.pairs()
        ways = []
        for side, labels in ((0, self.first), (1, self.second)):
            order = np.argsort(labels, kind="stable")
            starts = np.searchsorted(labels[order], np.arange(self.shape[side] + 1))
            ways.append((order, starts))
        for (order, starts), side in zip(ways, (0, 1), strict=True):
            places, at = spread(starts[kinds[side]], starts[kinds[side] + 1])
            new, old = order[places], kinds[1 - side][at]
            kinds = (new, old) if side == 0 else (old, new)
        keys = np.sort(kinds[0] * max(len(self.second), 1) + kinds[1])
        return np.divmod(keys, max(len(self.second), 1))

    def _refuse(self) -> NoReturn:
        raise InfeasibleError(
            f"The tables have {self.shape[0]:,} and {self.shape[1]:,} different records, and too "
            "many pairs of them could be one person; take a sample of one of them, or fewer "
            "columns."
        )

    def _below(self, depth: int, pairs: Pairs) -> tuple[Pairs, int, Pairs | None]:
        """The pairs below some pairs of kinds that meet; how many were tried, and what is left."""
        column, (one, two) = self._related[depth], (self._left[depth], self._right[depth])
        here, rest = _split(pairs, np.diff(one.starts)[pairs[0]])
        left, owner = spread(one.starts[here[0]], one.starts[here[0] + 1])
        base = here[1][owner] * column.span
        ends = column.first.low[one.codes[left]], column.first.high[one.codes[left]]
        begin = np.searchsorted(two.high, base + ends[0])
        end = np.maximum(np.searchsorted(two.low, base + ends[1], "right"), begin)
        found: list[Pairs] = []
        for part in _pieces(end - begin):
            right, at = spread(begin[part], end[part])
            kinds = left[part][at]
            meet = column.meet(one.codes[kinds], two.codes[right])
            found.append((kinds[meet], right[meet]))
        tried = len(left) + int((end - begin).sum())
        return (_joined(found, 0), _joined(found, 1)), tried, rest


def meetings(related: Sequence[Related]) -> Meetings:
    """Find which rows of two tables may be one person: those whose cells meet in every column.

    Rows that agree are one kind. Kinds are compared column by column, the most telling first, and
    only below kinds that met so far; within a column numbers are searched for, not compared.

    Notes
    -----
    O(m n log n) and the pairs that meet in the first columns, for n rows and m columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from verikit.cells import cells_of, relate_cells
    >>> from verikit.table import Column
    >>> ages = [cells_of(pd.Series(v), Column("age")) for v in ([20, 30, 20], [30, 40])]
    >>> found = meetings([relate_cells(*ages)])
    >>> found.first.tolist(), [(a.tolist(), b.tolist()) for a, b in found]
    ([0, 1, 0], [([1], [0])])
    """
    return Meetings(related)


def spread(begin: Ints, end: Ints) -> Pairs:
    """Every number from each begin to before its end, and whose it is.

    Examples
    --------
    >>> [part.tolist() for part in spread(np.array([5, 9]), np.array([7, 10]))]
    [[5, 6, 9], [0, 0, 1]]
    """
    sizes = end - begin
    owner = np.repeat(np.arange(len(sizes)), sizes)
    return np.arange(len(owner)) + (begin - np.cumsum(sizes) + sizes)[owner], owner


def _kinds(related: Sequence[Related], side: int) -> tuple[Ints, list[Level]]:
    """The kind of each row of one table, and the kinds of the first columns, level by level."""
    parts = [column.parts[side] for column in related]
    order = np.lexsort([part.codes for part in parts[::-1]])
    above, new = np.zeros(len(order), np.int64), np.arange(len(order)) == 0
    levels = []
    for part, column in zip(parts, related, strict=True):
        codes = part.codes[order]
        new[1:] |= codes[1:] != codes[:-1]
        firsts = np.flatnonzero(new)
        owner, own = above[firsts], codes[firsts]
        starts = np.searchsorted(owner, np.arange((owner[-1] if len(owner) else 0) + 2))
        low, high = (owner * column.span + ends[own] for ends in (part.low, part.high))
        levels.append(Level(starts, own, low, np.maximum.accumulate(high)))
        above = np.cumsum(new) - 1
    kinds = np.empty(len(order), np.int64)
    kinds[order] = above
    return kinds, levels


def _split(pairs: Pairs, sizes: Ints) -> tuple[Pairs, Pairs | None]:
    """As many of the first pairs as make up a piece, and the others."""
    piece = next(_pieces(sizes), slice(0, 0))
    if piece.stop >= len(sizes):
        return pairs, None
    return (pairs[0][piece], pairs[1][piece]), (pairs[0][piece.stop :], pairs[1][piece.stop :])


def _pieces(sizes: Ints) -> Iterator[slice]:
    """Cut a list of jobs so that each part is about one piece of work, or a single job."""
    done, start = np.cumsum(sizes), 0
    while start < len(sizes):
        before = int(done[start - 1]) if start else 0
        stop = max(int(np.searchsorted(done, before + PIECE, "right")), start + 1)
        yield slice(start, stop)
        start = stop


def _joined(found: list[tuple[Any, Any]], side: int) -> Ints:
    parts = [pair[side] for pair in found]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)

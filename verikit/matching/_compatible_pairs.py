"""Find pairs of rows that may be one person, and classes that tell something for certain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np

from verikit._support.arrays import Flags, Ints
from verikit.cells import Related, cells_are_disjoint, cells_of, relate_rows
from verikit.errors import InfeasibleError
from verikit.matching._classes import Classes
from verikit.ranks import expand_ranges
from verikit.release import TableRelease
from verikit.table import Microdata

PairsOfKinds: TypeAlias = tuple[Ints, Ints]
PIECE_SIZE = 1 << 18
FEW_PAIRS, GAIN = 1 << 14, 0.9  # compared one by one; what halving must leave at most
MAX_COMPARED = 4_000_000_000
MAX_KEPT = 100_000_000


class Level(NamedTuple):
    """The kinds of rows that agree in the columns so far, sorted within the kinds above them.

    ``starts`` tells where those below each kind above begin; ``codes`` is the cell that each adds;
    ``low`` and ``high`` are its ends, behind the number of the kind above, for a search.
    """

    starts: Ints
    codes: Ints
    low: Ints
    high: Ints


class CompatiblePairs:
    """The kinds of rows of two tables, and which of them meet.

    Parameters
    ----------
    related
        How the cells of each column that both tables have meet, at least one.
    """

    def __init__(self, related: Sequence[Related]) -> None:
        self._related = sorted(related, key=Related.share)
        self.first, self._left = _sort_kinds(self._related, 0)
        self.second, self._right = _sort_kinds(self._related, 1)
        self.shape = len(self._left[-1].codes), len(self._right[-1].codes)

    def __iter__(self) -> Iterator[PairsOfKinds]:
        """Find the pairs of kinds that meet, piece by piece, each pair once."""
        root = np.zeros(1, np.int64)
        waiting, compared = [(0, (root, root))], 0
        while waiting:
            depth, pairs = waiting.pop()
            if depth == len(self._related):
                yield pairs
                continue
            below, tried, rest = self._descend_level(depth, pairs)
            if rest is not None:
                waiting.append((depth, rest))
            waiting.append((depth + 1, below))
            compared += tried
            if compared > MAX_COMPARED:
                _refuse_size(self.shape)

    def pairs(self) -> PairsOfKinds:
        """List all pairs of kinds that meet."""
        found: list[PairsOfKinds] = []
        for pair in self:
            found.append(pair)
            if sum(len(one) for one, _ in found) > MAX_KEPT:
                _refuse_size(self.shape)
        return _join_pairs(found, 0), _join_pairs(found, 1)

    def rows(self) -> PairsOfKinds:
        """List all pairs of rows that meet, sorted."""
        kinds = self.pairs()
        ways = []
        for side, labels in ((0, self.first), (1, self.second)):
            order = np.argsort(labels, kind="stable")
            starts = np.searchsorted(labels[order], np.arange(self.shape[side] + 1))
            ways.append((order, starts))
        for (order, starts), side in zip(ways, (0, 1), strict=True):
            places, at = expand_ranges(starts[kinds[side]], starts[kinds[side] + 1])
            new, old = order[places], kinds[1 - side][at]
            kinds = (new, old) if side == 0 else (old, new)
        keys = np.sort(kinds[0] * max(len(self.second), 1) + kinds[1])
        return np.divmod(keys, max(len(self.second), 1))

    def _descend_level(
        self, depth: int, pairs: PairsOfKinds
    ) -> tuple[PairsOfKinds, int, PairsOfKinds | None]:
        """The pairs below some pairs of kinds that meet; how many were tried, and what is left."""
        column, (one, two) = self._related[depth], (self._left[depth], self._right[depth])
        piece = next(_cut_pieces(np.diff(one.starts)[pairs[0]]), slice(0, 0)).stop
        here = pairs[0][:piece], pairs[1][:piece]
        rest = (pairs[0][piece:], pairs[1][piece:]) if piece < len(pairs[0]) else None
        left, owner = expand_ranges(one.starts[here[0]], one.starts[here[0] + 1])
        base = here[1][owner] * column.span
        ends = column.first.low[one.codes[left]], column.first.high[one.codes[left]]
        begin = np.searchsorted(two.high, base + ends[0])
        end = np.maximum(np.searchsorted(two.low, base + ends[1], "right"), begin)
        found: list[PairsOfKinds] = []
        for part in _cut_pieces(end - begin):
            right, at = expand_ranges(begin[part], end[part])
            kinds = left[part][at]
            meet = column.meet(one.codes[kinds], two.codes[right])
            found.append((kinds[meet], right[meet]))
        tried = len(left) + int((end - begin).sum())
        return (_join_pairs(found, 0), _join_pairs(found, 1)), tried, rest


def find_compatible_pairs(related: Sequence[Related]) -> CompatiblePairs:
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
    >>> found = find_compatible_pairs([relate_cells(*ages)])
    >>> found.first.tolist(), [(a.tolist(), b.tolist()) for a, b in found]
    ([0, 1, 0], [([1], [0])])
    """
    return CompatiblePairs(related)


def _refuse_size(shape: tuple[int, int]) -> NoReturn:
    raise InfeasibleError(
        f"The tables have {shape[0]:,} and {shape[1]:,} different records, and too many pairs of "
        "them could be one person; take a sample of one of them, or fewer columns."
    )


def find_compatible_rows(related: Sequence[Related]) -> PairsOfKinds:
    """List all pairs of rows of two tables that may be one person, sorted.

    The rows of the first table are halved by their cells of one column, each half with the rows of
    the second that its cells may meet, by the column that leaves the fewest pairs; and again, until
    few are left to compare.

    Notes
    -----
    Mostly O(m n log n) for n rows and m columns: groups that were cut from alike people lie on one
    side of most halvings.

    Examples
    --------
    >>> import pandas as pd
    >>> from verikit.cells import cells_of, relate_cells
    >>> from verikit.table import Column
    >>> ages = [cells_of(pd.Series(v), Column("age")) for v in ([20, 30, 20], [30, 40])]
    >>> [part.tolist() for part in find_compatible_rows([relate_cells(*ages)])]
    [[1], [0]]
    """
    shape = len(related[0].first.codes), len(related[0].second.codes)
    waiting, found = [(np.arange(shape[0]), np.arange(shape[1]))], []
    compared = kept = 0
    while waiting:
        rows = waiting.pop()
        if _count_pairs([rows]) > FEW_PAIRS:
            halves = min((_halve(column, *rows) for column in related), key=_count_pairs)
            if _count_pairs(halves) < GAIN * _count_pairs([rows]):
                waiting += halves
                continue
        compared += _count_pairs([rows])
        step = max(PIECE_SIZE // max(len(rows[1]), 1), 1)
        for start in range(0, len(rows[0]), step):
            found.append(_compare_all(related, rows[0][start : start + step], rows[1]))
            kept += len(found[-1])
            if max(compared / MAX_COMPARED, kept / MAX_KEPT) > 1:
                _refuse_size(shape)
    keys = np.sort(np.concatenate(found)) if found else np.zeros(0, np.int64)
    return np.divmod(keys, max(shape[1], 1))


def _count_pairs(parts: Sequence[PairsOfKinds]) -> int:
    return sum(len(one) * len(two) for one, two in parts)


def _halve(column: Related, first: Ints, second: Ints) -> list[PairsOfKinds]:
    """Halve rows of the first table by a column; each half with those that it may meet."""
    own, cells = column.first.codes[first], column.second.codes[second]
    middle = int(np.partition(own, len(own) // 2)[len(own) // 2])
    upper = own >= middle if int(own.min()) < middle else own > middle
    if not upper.any():
        return [(first, second)]
    halves = []
    for chosen in (~upper, upper):
        kinds = own[chosen]
        if column.table is not None:
            near = np.asarray(column.table[np.unique(kinds)].any(axis=0))[cells]
        else:
            near = column.second.low[cells] <= column.first.high[kinds].max()
            near &= column.second.high[cells] >= column.first.low[kinds].min()
        halves.append((first[chosen], second[near]))
    return halves


def _compare_all(related: Sequence[Related], first: Ints, second: Ints) -> Ints:
    """Compare each row with each; give the pairs that meet, each in one number."""
    one, two = np.repeat(first, len(second)), np.tile(second, len(first))
    for column in related:
        meet = column.meet(column.first.codes[one], column.second.codes[two])
        one, two = one[meet], two[meet]
    return one * len(related[0].second.codes) + two


def _sort_kinds(related: Sequence[Related], side: int) -> tuple[Ints, list[Level]]:
    """The kind of each row of one table, and the kinds of the first columns, level by level."""
    parts = [(column.first, column.second)[side] for column in related]
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


def _cut_pieces(sizes: Ints) -> Iterator[slice]:
    """Cut a list of jobs so that each part is about one piece of work, or a single job."""
    done, start = np.cumsum(sizes), 0
    while start < len(sizes):
        before = int(done[start - 1]) if start else 0
        stop = max(int(np.searchsorted(done, before + PIECE_SIZE, "right")), start + 1)
        yield slice(start, stop)
        start = stop


def _join_pairs(found: list[tuple[Any, Any]], side: int) -> Ints:
    parts = [pair[side] for pair in found]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def find_certain_classes(
    table: Microdata | TableRelease, classes: Classes, told: Sequence[Ints], seen: Flags
) -> list[Flags]:
    """Find the classes that tell one thing, as all others do that their people may fit.

    Parameters
    ----------
    table
        The table.
    classes
        Its classes.
    told
        In several respects, what each class tells as a number; -1 where it tells nothing.
    seen
        Which classes count; suppressed ones fit almost anyone.

    Returns
    -------
    list of array of bool
        In each respect, of which classes it is true whatever the values of their people are. Where
        there are too many classes to compare, of none.

    Examples
    --------
    >>> import pandas as pd
    >>> import verikit as vk
    >>> from verikit.matching import classes_of
    >>> ages = pd.DataFrame({"age": ["40-49", "45", "50-59"]})
    >>> table = vk.TableRelease.of(ages, vk.Schema((vk.Column("age", kind="nominal"),)))
    >>> found = find_certain_classes(
    ...     table, classes_of(table), [np.array([0, 1, 2])], np.ones(3, bool)
    ... )
    >>> found[0].tolist()
    [False, False, True]
    """
    told = [np.where(seen, part, -1) for part in told]
    asked, counted = np.flatnonzero(np.max(told, axis=0) >= 0), np.flatnonzero(seen)
    try:
        found = _pair_classes(table, classes, asked, counted) if len(asked) else None
        if found is None:
            return [part >= 0 for part in told]
        return _keep_agreeing(found, told, asked, counted)
    except InfeasibleError:  # too many to compare: nothing is certain
        return [np.zeros(len(classes), bool) for _ in told]


def _pair_classes(
    table: Microdata | TableRelease, classes: Classes, asked: Ints, seen: Ints
) -> CompatiblePairs | None:
    """Find the classes that meet; None where those with different cells never do."""
    frame, first = table.frame, classes.first()
    columns = [
        cells_of(frame[column.name].take(first), column, sets=table.holds_sets)
        for column in table.schema.quasi
    ]
    columns = [replace(cells, codes=cells.codes[seen]) for cells in columns]
    if all(map(cells_are_disjoint, columns)):
        return None
    rows, places = np.searchsorted(seen, asked), np.arange(len(seen))
    return find_compatible_pairs([relate_rows(cells, rows, places) for cells in columns])


def _keep_agreeing(
    found: CompatiblePairs, told: Sequence[Ints], asked: Ints, seen: Ints
) -> list[Flags]:
    """Of the asked classes those that meet none which tells something else."""
    ours = [part[asked] for part in told]
    theirs = [_merge_kinds(found.second, part[seen], found.shape[1]) for part in told]
    own = [_merge_kinds(found.first, part, found.shape[0]) for part in ours]
    for rows, places in found:
        for mine, other in zip(own, theirs, strict=True):
            mine[rows[mine[rows] != other[places]]] = -1
    flags = [np.zeros(len(part), bool) for part in told]
    for flag, part, mine in zip(flags, ours, own, strict=True):
        flag[asked] = (part >= 0) & (mine[found.first] >= 0)
    return flags


def _merge_kinds(kinds: Ints, told: Ints, count: int) -> Ints:
    """Find what the classes of each kind tell; -1 where they tell nothing, or different things."""
    found = np.full(count, -1, np.int64)
    found[kinds] = told
    found[kinds[found[kinds] != told]] = -1
    return found

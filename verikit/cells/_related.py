"""How the cells of one column of two tables meet: by their ends on a scale, or one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import AnyInts, Flags, Floats, Ints, Rows
from verikit.cells._cells import Cells
from verikit.cells._meaning import ANYTHING, Meaning, meet_as_text
from verikit.cells._ranges import plain_number
from verikit.cells._spans import Spans
from verikit.errors import InfeasibleError
from verikit.words import text

Ends: TypeAlias = tuple[npt.NDArray[Any], npt.NDArray[Any]]
MAX_PAIRS = 400_000_000


class Part(NamedTuple):
    """One table's cells in the order of their lower ends, and the cell of each row."""

    codes: Ints
    low: Ints
    high: Ints


class Related(NamedTuple):
    """The cells of a column of two tables on one scale of ``span`` places.

    Cells meet where their ends overlap and, if there is a table, where it says so.
    """

    first: Part
    second: Part
    span: int
    table: Flags | None = None

    @property
    def parts(self) -> tuple[Part, Part]:
        """The cells of the first table, and those of the second."""
        return self.first, self.second

    def meet(self, first: Ints, second: Ints) -> Flags:
        """Whether pairs of cells meet."""
        if self.table is not None:
            return np.asarray(self.table[first, second])
        above = self.first.low[first] <= self.second.high[second]
        return above & (self.second.low[second] <= self.first.high[first])

    def share(self) -> float:
        """The share of all pairs of rows that meet."""
        one, two = (
            np.bincount(part.codes, minlength=len(part.low)).astype(float) for part in self.parts
        )
        if self.table is not None:
            return float(one @ (self.table @ two)) / max(one.sum() * two.sum(), 1.0)
        # A cell meets all that begin before its end, but for those that end before it begins.
        upper = np.argsort(self.second.high)
        begun, over = (np.append(0.0, np.cumsum(weights)) for weights in (two, two[upper]))
        places = np.searchsorted(self.second.low, self.first.high, "right")
        gone = np.searchsorted(self.second.high[upper], self.first.low)
        return float(one @ (begun[places] - over[gone])) / max(one.sum() * two.sum(), 1.0)


def relate_cells(first: Cells, second: Cells) -> Related:
    """Lay the cells of one column of two tables on one scale.

    Examples
    --------
    >>> import pandas as pd
    >>> from verikit.cells import cells_of
    >>> from verikit.table import Column
    >>> zips = [
    ...     cells_of(pd.Series(v, dtype="category"), Column("zip", kind="nominal"))
    ...     for v in (["476**"], ["47602", "4"])
    ... ]
    >>> found = relate_cells(*zips)
    >>> found.meet(np.array([0, 0]), found.second.codes).tolist()
    [True, False]
    """
    if isinstance(first, Spans) and isinstance(second, Spans):
        ends = (first.low, first.high), (second.low, second.high)
        return _relate_by_ends(*ends, first.codes, second.codes)
    rows, places = first.meanings(), second.meanings()
    if all(part.single or part.anything for part in (*rows, *places)):
        return _relate_by_names(rows, places, first.codes, second.codes)
    return _relate_by_table(_make_table(rows, places), first.codes, second.codes)


def relate_values(values: Sequence[object], codes: AnyInts, cells: Cells) -> Related:
    """Lay single values of people, and the cells that may be them, on one scale.

    ``codes`` tells the value of each person; one past the last where nothing is known of her.

    Examples
    --------
    >>> import pandas as pd
    >>> from verikit.cells import cells_of
    >>> from verikit.table import Column
    >>> ages = cells_of(pd.Series(["20-29", "30+"], dtype="category"), Column("age"))
    >>> found = relate_values([25, 31], np.array([0, 1, 2]), ages)
    >>> [[bool(found.meet(a, b)) for b in found.second.codes] for a in found.first.codes]
    [[True, False], [False, True], [True, True]]
    """
    numeric, labels = cells.column.kind == "numeric", cells.meanings()[:-1]
    own = [cells.column.number(value) if numeric else 0.0 for value in values]
    if isinstance(cells, Spans) and not cells.labels:
        ends = np.array([*own, -np.inf]), np.array([*own, np.inf])
        return _relate_by_ends(ends, (cells.low, cells.high), codes, cells.codes)
    if cells.column.hierarchy is None and all(part.single or part.anything for part in labels):
        said = [*(Meaning((text(value),)) for value in values), ANYTHING]
        return _relate_by_names(said, cells.meanings(), codes, cells.codes)
    _refuse_too_many(len(values), len(cells))
    found = [cells.may_be(value) for value in values]
    table = np.array([*found, np.ones(len(cells) + 1, bool)])
    return _relate_by_table(table, codes, cells.codes)


def _relate_by_names(
    rows: Sequence[Meaning], places: Sequence[Meaning], first: AnyInts, second: AnyInts
) -> Related:
    """Cells that are one name each, or anything: names as places on a scale."""
    names = dict.fromkeys(part.names[0] for part in (*rows, *places) if not part.anything)
    numbers = {name: at for at, name in enumerate(names, 1)}
    return _relate_by_ends(
        _names_as_ends(rows, numbers), _names_as_ends(places, numbers), first, second
    )


def _relate_by_table(table: Flags, first: AnyInts, second: AnyInts) -> Related:
    """Cells whose ends say nothing: each meets the others as a table tells."""
    parts = [
        Part(codes.astype(np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64))
        for codes, size in zip((first, second), table.shape, strict=True)
    ]
    return Related(parts[0], parts[1], 1, table)


def _relate_by_ends(one: Ends, two: Ends, first: AnyInts, second: AnyInts) -> Related:
    """Cells from one end to another, the ends as places on one scale."""
    scale = np.unique(np.concatenate([*one, *two]))
    parts = []
    for ends, codes in ((one, first), (two, second)):
        low, high = (np.searchsorted(scale, end) for end in ends)
        order = np.argsort(low, kind="stable")
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        parts.append(Part(place[codes], low[order], high[order]))
    return Related(parts[0], parts[1], len(scale))


def _names_as_ends(read: Sequence[Meaning], numbers: dict[str, int]) -> Ends:
    """Names as places on a scale, and what may be anything as the whole of it."""
    low = [0 if part.anything else numbers[part.names[0]] for part in read]
    high = [len(numbers) if part.anything else at for part, at in zip(read, low, strict=True)]
    return np.array(low), np.array(high)


def _make_table(rows: Sequence[Meaning], places: Sequence[Meaning]) -> Flags:
    """Which meanings meet: names and codes by what they show at once, ranges one by one."""
    _refuse_too_many(len(rows), len(places))
    table = np.zeros((len(rows), len(places)), bool)
    table[[part.anything for part in rows]] = True
    table[:, [part.anything for part in places]] = True
    holders: dict[str, list[int]] = {}
    for at, part in enumerate(places):
        for name in part.names:
            holders.setdefault(name, []).append(at)
    for at, part in enumerate(rows):
        table[at, list(chain.from_iterable(holders.get(name, ()) for name in part.names))] = True
    if any(part.codes for part in (*rows, *places)):
        for at, held in meet_as_text(rows, places):
            table[at, held] = True
    for at in (at for at, part in enumerate(rows) if part.ranges):
        table[at] |= [rows[at].meets(part) for part in places]
    for at in (at for at, part in enumerate(places) if part.ranges):
        table[:, at] |= [part.meets(places[at]) for part in rows]
    return table


def _refuse_too_many(first: int, second: int) -> None:
    if first * second > MAX_PAIRS:
        raise InfeasibleError(
            f"A column has {first:,} and {second:,} different cells, too many to compare one by "
            "one; take a sample of the records, or leave the column out."
        )


def cells_are_disjoint(cells: Cells) -> bool:
    """Whether no two different cells that a column shows may be the same value.

    Where this is hard to tell the answer is no.

    Examples
    --------
    >>> import pandas as pd
    >>> from verikit.cells import cells_of
    >>> from verikit.table import Column
    >>> ages = [["40-49", "50-59"], ["40-49", "45"], ["40-49", "*"]]
    >>> [
    ...     cells_are_disjoint(cells_of(pd.Series(part, dtype="category"), Column("age")))
    ...     for part in ages
    ... ]
    [True, False, False]
    """
    used = np.flatnonzero(np.bincount(cells.codes, minlength=len(cells) + 1))
    if len(used) < 2:
        return True
    if isinstance(cells, Spans):
        return _are_disjoint(cells.low[used], cells.high[used])
    read = cells.meanings()
    return _share_nothing([read[at] for at in used])


def relate_rows(cells: Cells, first: Rows, second: Rows) -> Related:
    """How the cells of some rows of a column meet those of others; by equality where it is apart.

    Examples
    --------
    >>> import pandas as pd
    >>> from verikit.cells import cells_of
    >>> from verikit.table import Column
    >>> ages = cells_of(pd.Series(["20-29", "25", "30+"], dtype="category"), Column("age"))
    >>> found = relate_rows(ages, np.array([1]), np.array([0, 1, 2]))
    >>> [found.meet(found.first.codes, code).item() for code in found.second.codes]
    [True, True, False]
    """
    codes = [cells.codes[rows] for rows in (first, second)]
    if not cells_are_disjoint(cells):
        return relate_cells(*(replace(cells, codes=part) for part in codes))
    ends = np.arange(len(cells) + 1)
    one, two = (Part(part.astype(np.int64), ends, ends) for part in codes)
    return Related(one, two, len(ends))


def _share_nothing(read: Sequence[Meaning]) -> bool:
    """Whether labels share no name, code or number, and none may be anything."""
    if any(part.anything for part in read):
        return False
    names = [name for part in read for name in part.names]
    if len(set(names)) < len(names):
        return False
    if any(part.codes for part in read):
        pairs = meet_as_text(read, read)
        if any(held != [at] for at, held in pairs):
            return False
    return not any(part.ranges for part in read) or _are_disjoint(*_label_ends(read))


def _label_ends(read: Sequence[Meaning]) -> tuple[Floats, Floats]:
    """The least and the greatest number that each label may be; none for other labels."""
    found = []
    for part in read:
        numbers = [number for name in part.names if (number := plain_number(name)) is not None]
        ends = [*numbers, *(end for span in part.spans for end in span.ends)]
        if ends:
            found.append((min(ends), max(ends)))
    low, high = np.array(found, np.float64).T
    return low, high


def _are_disjoint(low: Floats, high: Floats) -> bool:
    order = np.argsort(low)
    return bool((high[order][:-1] < low[order][1:]).all())

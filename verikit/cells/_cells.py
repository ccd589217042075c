"""A published column as codes of its cells, each read once, and how cells are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import AnyInts, Flags, Floats, Ints, Rows, count_codes
from verikit.cells._coded_columns import Groups, Spans
from verikit.cells._conditions import narrow_codes
from verikit.errors import InfeasibleError
from verikit.table import Column
from verikit.values.meanings import ANYTHING, Meaning, meanings, meet_as_text
from verikit.values.numbers import filter_numbers, plain_number
from verikit.values.ranges import read_range
from verikit.words import text

Cells: TypeAlias = Spans | Groups


def cells_of(values: pd.Series[Any], column: Column, *, sets: bool = True) -> Cells:
    """Code a published column by its distinct cells, numbers in ascending order.

    Parameters
    ----------
    values
        What was published.
    column
        Its description.
    sets
        Whether `*` and `{a, b}` stand for other values (see `meanings`).

    Returns
    -------
    Spans or Groups
        The cells: ``may_be(value)`` and ``match_names`` answer for each of them, ``codes``
        tells the cell of each row, and ``unread`` names the labels that could not be read.

    Examples
    --------
    >>> ages = cells_of(
    ...     pd.Series(["20-29", "30+", "*"], dtype="category"), Column("age", "quasi", "nominal")
    ... )
    >>> ages.labels, ages.may_be(34).tolist()
    (('*', '20-29', '30+'), [True, False, True, True])
    """
    if isinstance(values.dtype, pd.IntervalDtype):
        return _code_intervals(values, column)
    array = values if isinstance(values.dtype, pd.CategoricalDtype) else values.to_numpy()
    if array.dtype != object and isinstance(array, np.ndarray):
        codes, found = pd.factorize(array, sort=True)
        ends = np.append(np.asarray(found, np.float64), np.nan)
        low, high = ends.copy(), ends
        low[-1], high[-1] = -np.inf, np.inf
        return Spans(column, *narrow_codes(codes, len(found)), low, high)
    values = values.astype("category").cat.remove_unused_categories()
    labels = tuple(map(str, values.cat.categories))
    read = meanings(labels, column, sets=sets)
    shown = narrow_codes(values.cat.codes.to_numpy(), len(labels))
    if column.categories is None and (numbers := _find_number_ends(labels, read)) is not None:
        return Spans(column, *shown, *numbers, labels, read)
    below = [part.names or (label,) for label, part in zip(labels, read, strict=True)]
    names = dict.fromkeys((*(column.categories or ()), *(name for part in below for name in part)))
    places = {name: place for place, name in enumerate(names)}
    sizes = np.array([*map(len, below), 1], np.intp)
    given = {} if column.hierarchy is None else column.hierarchy.weights
    weights = np.array([*(float(given.get(name, 1)) for part in below for name in part), 1.0])
    starts = np.cumsum(sizes) - sizes
    totals = np.repeat(np.add.reduceat(weights, starts), sizes)
    held = np.array([*(places[name] for part in below for name in part), len(places)], np.intp)
    shares = np.where(totals, weights, 1.0) / np.where(totals, totals, np.repeat(sizes, sizes))
    return Groups(column, *shown, labels, read, places, starts, held, shares)


def _code_intervals(values: pd.Series[Any], column: Column) -> Spans:
    ends = np.empty(len(values), np.complex128)  # pairs, which sort by the first
    ends.real, ends.imag = values.array.left, values.array.right
    codes, found = pd.factorize(ends, sort=True)
    low, high = np.append(found.real, -np.inf), np.append(found.imag, np.inf)
    if values.dtype.closed not in ("left", "both"):
        low = np.nextafter(low, np.inf)
    if values.dtype.closed not in ("right", "both"):
        high = np.nextafter(high, -np.inf)
    low[-1], high[-1] = -np.inf, np.inf
    return Spans(column, *narrow_codes(codes, len(found)), low, high)


def _find_number_ends(
    labels: Sequence[str], read: Sequence[Meaning]
) -> tuple[Floats, Floats] | None:
    """The ends of labels that are numbers and ranges of them; None where some is anything else."""
    if not any(part.ranges for part in read):
        return None
    ends = []
    for label, part in zip(labels, read, strict=True):
        number = plain_number(label) if len(part.names) == 1 and not part.ranges else None
        if part.anything:
            ends.append((-np.inf, np.inf))
        elif number is not None:
            ends.append((number, number))
        elif len(part.spans) == 1 and not part.names:
            ends.append(part.spans[0].ends)
        else:
            return None
    low, high = np.array([*ends, (-np.inf, np.inf)], np.float64).T
    return np.ascontiguousarray(low), np.ascontiguousarray(high)


def rows_that_may_be(
    values: pd.Series[Any], column: Column, value: object, *, sets: bool = True
) -> Flags:
    """Find the rows of a published column that may be a value, without coding its numbers.

    Examples
    --------
    >>> rows_that_may_be(pd.Series([25.0, None, 26.0]), Column("age"), 25).tolist()
    [True, True, False]
    """
    if values.dtype.kind in "if":
        own, numbers = column.number(value), values.to_numpy(dtype=np.float64)
        return (numbers == own) | np.isnan(numbers)
    cells = cells_of(values, column, sets=sets)
    return cells.may_be(value)[cells.codes]


def cell_text(value: Any) -> str:
    """Write one cell as a person reads it; a missing one says so.

    Examples
    --------
    >>> cell_text(pd.Interval(20, 29, closed="both")), cell_text(None)
    ('[20, 29]', 'missing')
    """
    if isinstance(value, pd.Interval):
        left, right = "[" if value.closed_left else "(", "]" if value.closed_right else ")"
        return f"{left}{text(value.left)}, {text(value.right)}{right}"
    return "missing" if pd.isna(value) else text(value)


def parse_intervals(labels: Iterable[Any]) -> pd.arrays.IntervalArray | None:
    """Read written ranges as intervals, a missing one as missing; None where some is no range.

    Ends that are left out of one range and not of another are taken for closed ones, at the next
    number that a computer knows.

    Examples
    --------
    >>> parse_intervals(["[20, 29]", "[50-90]"])
    <IntervalArray>
    [[20.0, 29.0], [50.0, 90.0]]
    Length: 2, dtype: interval[float64, both]
    >>> parse_intervals(["[20, 29]", "old"]) is None
    True
    """
    given = [None if pd.isna(label) else str(label) for label in labels]
    found = [None if label is None else read_range(label) for label in given]
    if any(span is None and label is not None for span, label in zip(found, given, strict=True)):
        return None
    ends = [(np.nan, np.nan) if span is None else span.ends for span in found]
    kinds = {(span.left, span.right) for span in found if span is not None}
    closed = "both"
    if len(kinds) == 1:
        ((left, right),) = kinds
        closed = {(1, 1): "both", (1, 0): "left", (0, 1): "right", (0, 0): "neither"}[left, right]
        ends = [(np.nan, np.nan) if span is None else span[:2] for span in found]
    low, high = np.array(ends, np.float64).reshape(-1, 2).T
    return pd.arrays.IntervalArray.from_arrays(low, high, closed=closed)


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

    def meet(self, first: Ints, second: Ints) -> Flags:
        """Whether pairs of cells meet."""
        if self.table is not None:
            return np.asarray(self.table[first, second])
        above = self.first.low[first] <= self.second.high[second]
        return above & (self.second.low[second] <= self.first.high[first])

    def share(self) -> float:
        """The share of all pairs of rows that meet."""
        parts = self.first, self.second
        one, two = (count_codes(part.codes, len(part.low)) * 1.0 for part in parts)
        pairs = max(one.sum() * two.sum(), 1.0)
        if self.table is not None:
            return float(one @ (self.table @ two)) / pairs
        # A cell meets all that begin before its end, but for those that end before it begins.
        upper = np.argsort(self.second.high)
        begun, over = (np.append(0.0, np.cumsum(weights)) for weights in (two, two[upper]))
        places = np.searchsorted(self.second.low, self.first.high, "right")
        gone = np.searchsorted(self.second.high[upper], self.first.low)
        return float(one @ (begun[places] - over[gone])) / pairs


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
    ends = []
    for read in (rows, places):  # what may be anything is the whole of the scale
        known = [numbers[part.names[0]] if not part.anything else None for part in read]
        low, high = [at or 0 for at in known], [at or len(numbers) for at in known]
        ends.append((np.array(low), np.array(high)))
    return _relate_by_ends(ends[0], ends[1], first, second)


def _relate_by_table(table: Flags, first: AnyInts, second: AnyInts) -> Related:
    """Cells whose ends say nothing: each meets the others as a table tells."""
    one, two = (np.zeros(size, np.int64) for size in table.shape)
    sides = Part(first.astype(np.int64), one, one), Part(second.astype(np.int64), two, two)
    return Related(*sides, 1, table)


def _relate_by_ends(one: Ends, two: Ends, first: AnyInts, second: AnyInts) -> Related:
    """Cells from one end to another, the ends as places on one scale."""
    scale = np.unique(np.concatenate([*one, *two]))
    parts = []
    for ends, codes in ((one, first), (two, second)):
        low, high = (np.searchsorted(scale, end) for end in ends)
        order = np.argsort(low, kind="stable")
        parts.append(Part(np.argsort(order)[codes], low[order], high[order]))
    return Related(parts[0], parts[1], len(scale))


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
    if isinstance(cells, Spans):
        low, high = cells.low[used], cells.high[used]
    else:
        shown = cells.meanings()
        read = [shown[at] for at in used]
        names = [name for part in read for name in part.names]
        if len(used) > 1 and (any(p.anything for p in read) or len(set(names)) < len(names)):
            return False
        coded = any(part.codes for part in read)
        if coded and any(held != [at] for at, held in meet_as_text(read, read)):
            return False
        if not any(part.ranges for part in read):
            return True
        spans = ((*filter_numbers(p.names), *(e for r in p.spans for e in r.ends)) for p in read)
        low, high = np.array([(min(ends), max(ends)) for ends in spans if ends], np.float64).T
    order = np.argsort(low)
    return bool((high[order][:-1] < low[order][1:]).all())


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

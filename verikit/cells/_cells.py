"""A published column as codes of its cells, each read once, and how cells are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.arrays import AnyInts, Flags, Floats
from verikit.cells._conditions import narrow_codes
from verikit.cells._groups import Groups
from verikit.cells._meaning import Meaning, labels_that_may_be, meanings
from verikit.cells._ranges import plain_number, read_range
from verikit.cells._spans import Spans
from verikit.table import Column
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
        The cells: ``may_be(value)`` and ``match_conditions`` answer for each of them, ``codes``
        tells the cell of each row, and ``unread`` names the labels that could not be read.

    Examples
    --------
    >>> ages = cells_of(
    ...     pd.Series(["20-29", "30+", "*"], dtype="category"), Column("age", "quasi", "nominal")
    ... )
    >>> ages.labels, ages.may_be(34).tolist()
    (('*', '20-29', '30+'), [True, False, True, True])
    """
    if isinstance(values.dtype, pd.CategoricalDtype):
        return _code_labels(values, column, sets=sets)
    if isinstance(values.dtype, pd.IntervalDtype):
        return _code_intervals(values, column)
    array = values.to_numpy()
    if array.dtype == object:
        return _code_labels(values.astype("category"), column, sets=sets)
    codes, found = pd.factorize(array, sort=True)
    ends = np.append(np.asarray(found, np.float64), np.nan)
    low, high = ends.copy(), ends
    low[-1], high[-1] = -np.inf, np.inf
    return Spans(column, narrow_codes(codes, len(found)), low, high, _has_gaps(codes))


def _has_gaps(codes: AnyInts) -> bool:
    return bool(len(codes)) and bool(codes.min() < 0)


def _code_intervals(values: pd.Series[Any], column: Column) -> Spans:
    left, lows = pd.factorize(values.array.left, sort=True)
    right, highs = pd.factorize(values.array.right, sort=True)
    there = left >= 0
    keys = left[there].astype(np.int64) * len(highs) + right[there]
    found, places = np.unique(keys, return_inverse=True)
    codes = np.full(len(values), -1, np.intp)
    codes[there] = places
    low, high = np.asarray(lows, np.float64), np.asarray(highs, np.float64)
    low = np.append(low[found // max(len(high), 1)], -np.inf)
    high = np.append(high[found % max(len(high), 1)], np.inf)
    low, high = _close_ends(low, high, values.dtype.closed)
    low[-1], high[-1] = -np.inf, np.inf
    return Spans(column, narrow_codes(codes, len(found)), low, high, _has_gaps(codes))


def _close_ends(low: Any, high: Any, closed: str) -> tuple[Floats, Floats]:
    """The least and the greatest number of intervals."""
    low, high = np.asarray(low, np.float64), np.asarray(high, np.float64)
    return (
        low if closed in ("left", "both") else np.nextafter(low, np.inf),
        high if closed in ("right", "both") else np.nextafter(high, -np.inf),
    )


def _code_labels(values: pd.Series[Any], column: Column, *, sets: bool) -> Cells:
    values = values.cat.remove_unused_categories()
    codes = values.cat.codes.to_numpy()
    labels = tuple(map(str, values.cat.categories))
    read = meanings(labels, column, sets=sets)
    if column.categories is None and (numbers := _find_number_ends(labels, read)) is not None:
        return Spans(
            column, narrow_codes(codes, len(labels)), *numbers, _has_gaps(codes), labels, read
        )
    return _make_groups(labels, read, codes, column)


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


def _make_groups(
    labels: tuple[str, ...], read: Sequence[Meaning], codes: AnyInts, column: Column
) -> Groups:
    below = [part.names or (label,) for label, part in zip(labels, read, strict=True)]
    names = dict.fromkeys((*(column.categories or ()), *(name for part in below for name in part)))
    numbers = {name: number for number, name in enumerate(names)}
    sizes = np.array([*map(len, below), 1], np.intp)
    given = {} if column.hierarchy is None else column.hierarchy.weights
    weights = np.array([*(float(given.get(name, 1)) for part in below for name in part), 1.0])
    starts = np.cumsum(sizes) - sizes
    totals = np.repeat(np.add.reduceat(weights, starts), sizes)
    members = [*(numbers[name] for part in below for name in part), len(numbers)]
    return Groups(
        column,
        narrow_codes(codes, len(labels)),
        labels,
        tuple(read),
        numbers,
        starts,
        np.array(members, np.intp),
        np.where(totals, weights, 1.0) / np.where(totals, totals, np.repeat(sizes, sizes)),
        _has_gaps(codes),
    )


def rows_that_may_be(values: pd.Series[Any], column: Column, value: object) -> Flags:
    """Find the rows of a published column that may be a value, without coding its numbers.

    Examples
    --------
    >>> rows_that_may_be(pd.Series([25.0, None, 26.0]), Column("age"), 25).tolist()
    [True, True, False]
    """
    if isinstance(values.dtype, pd.CategoricalDtype):
        codes, categories = values.cat.codes.to_numpy(), values.cat.categories
        there = np.zeros(len(categories) + 1, bool)
        there[codes] = True
        used = np.flatnonzero(there[:-1])
        labels = tuple(map(str, categories[used]))
        found = there.copy()
        found[[*used, -1]] = labels_that_may_be(labels, meanings(labels, column), column, value)
        return found[codes]
    own = column.number(value)
    if isinstance(values.dtype, pd.IntervalDtype):
        low, high = _close_ends(values.array.left, values.array.right, values.dtype.closed)
        return np.isnan(low) | ((low <= own) & (own <= high))
    numbers = values.to_numpy(dtype=np.float64)
    return (numbers == own) | np.isnan(numbers)


def find_meeting_rows(first: Cells, second: Cells) -> Flags:
    """Tell for each pair of rows of two columns whether some value may be both.

    Examples
    --------
    >>> zips = Column("zip", kind="nominal")
    >>> coded = [
    ...     cells_of(pd.Series(v, dtype="category"), zips) for v in (["476**"], ["47602", "4"])
    ... ]
    >>> find_meeting_rows(*coded).tolist()
    [[True, False]]
    """
    if isinstance(first, Spans) and isinstance(second, Spans):
        low, high = first.low[first.codes], first.high[first.codes]
        return (low[:, None] <= second.high[second.codes]) & (
            second.low[second.codes] <= high[:, None]
        )
    rows, places = first.meanings(), second.meanings()
    table = np.array([[a.meets(b) for b in places] for a in rows], dtype=bool)
    return np.asarray(table[np.ix_(first.codes, second.codes)])


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

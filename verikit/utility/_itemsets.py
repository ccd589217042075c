"""Sets of values that many records hold, counted or to be expected, and what columns share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit._support.requests import flag
from verikit.cells import Spans, cell_text, cells_of
from verikit.errors import FormatError, SchemaError
from verikit.ranks import expand_ranges
from verikit.release import Release, by_groups, whole_records
from verikit.table import Column, Microdata, single_codes
from verikit.words import text

Items: TypeAlias = frozenset[tuple[str, str]]
FREQUENT = 0.05  # few sets are so frequent, and Apriori finds few sets sooner


def itemsets(
    table: Microdata | Release, support: float, *, spread: bool = True
) -> dict[Items, float]:
    """Find the support of each set of values, one a column, that so many records hold.

    Only quasi-identifiers and sensitive columns count. A generalized cell of a table whose cells
    cover the truth is spread over its values, each column by itself; else it is a value of its own.

    Examples
    --------
    >>> import verikit as vk
    >>> found = itemsets(vk.load("yq_figure1"), 0.4)
    >>> found[frozenset({("Job", "Clerk")})]
    0.4
    """
    people, parts = list_parts(table)
    least = support * people.sum() * (1 - 1e-12)
    spread = flag(spread, "spread") and getattr(table, "promise", None) == "covers"
    # of each set that one part shows, by group the share of its rows; parts are put together
    found: dict[Items, Floats] = {frozenset(): np.ones(len(people))}
    for part in parts:
        shares = _mine_spread(part, least) if spread else None
        shares = _mine(part, least) if shares is None else shares
        every = np.array(list(shares.values())).reshape(len(shares), len(people))
        more: dict[Items, Floats] = {}
        for items, held in found.items() if shares else ():
            often = (held * people) @ every.T
            more |= {
                items | new: held * shares[new]
                for new, number in zip(shares, often.tolist(), strict=True)
                if number >= least
            }
        found |= more
    del found[frozenset()]
    return {items: float(held @ people / people.sum()) for items, held in found.items()}


class Part(NamedTuple):
    """Columns that are published together: rows in groups, inside which other parts are shuffled.

    Parameters
    ----------
    frame, schema
        The rows, and the columns that count.
    groups
        The group of each row.
    sizes
        How many rows each group has.
    """

    frame: pd.DataFrame
    schema: list[Column]
    groups: Rows
    sizes: Rows

    def share(self, rows: Flags) -> Floats:
        """Of each group the share of its rows that are among some."""
        found = np.bincount(self.groups[rows], minlength=len(self.sizes))
        return np.asarray(found / np.maximum(self.sizes, 1))


def list_parts(table: Microdata | Release) -> tuple[Rows, list[Part]]:
    """The people in each group, and the parts; a table that has no groups is one of both."""
    if not (isinstance(table, Microdata) or whole_records(table) or by_groups(table)):
        raise SchemaError(
            f"Associations were asked of {type(table).__name__}; expected Microdata or a release "
            "of records."
        )
    if not len(table):
        raise SchemaError("Associations were asked of a table without a record; give some.")
    columns = [c for c in table.schema if c.role in ("quasi", "sensitive")]
    if isinstance(table, Microdata) or whole_records(table):
        whole = np.zeros(len(table), np.intp)
        return np.bincount(whole), [Part(table.frame, columns, whole, np.bincount(whole))]
    split: Any = table
    sides = [(split.quasi, "quasi", split.labels.quasi)]
    sides.append((split.sensitive, "sensitive", split.labels.sensitive))
    number, parts = len(split.labels.names), []
    for frame, role, groups in sides:
        some = [c for c in columns if c.role == role]
        apart = split.list_parts(sensitive=role == "sensitive")
        sizes = np.bincount(groups, minlength=number)
        kept = ([column for column in some if column.name in part] for part in apart)
        parts += [Part(frame, columns, groups, sizes) for columns in kept if columns]
    return np.bincount(split.labels.quasi, minlength=number), parts


def _mine(part: Part, least: float) -> dict[Items, Floats]:
    """By group the share of rows that hold each set of values which at least so many rows hold."""
    try:
        from mlxtend.frequent_patterns import apriori, fpgrowth
    except ImportError:
        raise FormatError(
            "Finding associations needs mlxtend, which is not installed; install verikit[rules]."
        ) from None
    held, names = _one_hot(part, least)
    if not names:
        return {}
    support = least / len(part.frame)
    mine = apriori if support >= FREQUENT else fpgrowth
    found = mine(pd.DataFrame(held), min_support=support)
    if len(part.sizes) == 1:
        shares = found["support"].to_numpy()[:, None]
    else:
        shares = [part.share(held[:, list(items)].all(axis=1)) for items in found["itemsets"]]
    sets = (frozenset(names[item] for item in items) for items in found["itemsets"])
    return dict(zip(sets, shares, strict=True))


def _mine_spread(part: Part, least: float) -> dict[Items, Floats] | None:
    """By group the share of rows to expect of each set, if cells are spread; None if none is wide.

    Rows with equal cells are counted once: O(sets x values x different rows).
    """
    columns = [_spread_cells(part, column, least) for column in part.schema]
    if not any(wide for *_, wide in columns):
        return None
    cells = np.column_stack([*(codes for codes, *_ in columns), part.groups])
    kinds, counts = np.unique(cells, axis=0, return_counts=True)
    tables = zip(columns, kinds.T, strict=False)
    held = np.column_stack([shares[codes] for (_, _, shares, _), codes in tables])
    pairs = zip(part.schema, columns, strict=True)
    names = [(column.name, value) for column, (_, values, *_) in pairs for value in values]
    after = np.cumsum([len(values) for _, values, *_ in columns])
    found: dict[Items, Floats] = {}
    todo = [(frozenset[tuple[str, str]](), counts / 1, at) for at in range(len(names))]
    while todo:
        items, often, at = todo.pop()
        items, often = items | {names[at]}, often * held[:, at]
        sums = np.bincount(kinds[:, -1], often, len(part.sizes))
        found[items] = np.round(sums / np.maximum(part.sizes, 1), 12)  # whatever the order of rows
        first = int(after[np.searchsorted(after, at, "right")])
        more = first + np.flatnonzero(often @ held[:, first:] >= least)
        todo += [(items, often, place) for place in more.tolist()]
    return found


def _spread_cells(part: Part, column: Column, least: float) -> tuple[Rows, list[str], Floats, bool]:
    """The cell of each row, values, of each cell the share of each value, and if some is wide.

    Whole numbers are counted in ranges, and categories below a group have the weights of its tree;
    a cell that may be anything is expected to be like the others.
    """
    shown = part.frame[column.name]
    cells = cells_of(shown, column)
    wide = bool(cells.several) or isinstance(shown.dtype, pd.IntervalDtype)
    if cells.gaps or not wide or (isinstance(cells, Spans) and column.kind != "numeric"):
        codes, labels = read_values(part, column)
        often = np.flatnonzero(np.bincount(codes, minlength=len(labels)) >= least)
        table = (np.arange(len(labels))[:, None] == often) * 1.0
        return codes, [labels[at] for at in often], table, False
    free, counts = cells.anything, np.bincount(cells.codes, minlength=len(cells) + 1)
    if isinstance(cells, Spans):
        values = _frequent_numbers(cells, np.where(free, 0, counts), least)
    else:
        values = [name for name in cells.values if name not in np.array(cells.names)[free]]
    shares = [cells.match_names([v]).share for v in values]
    table = np.column_stack([np.zeros((len(free), 0)), *shares])
    kept = np.flatnonzero(counts @ table >= least)
    return np.asarray(cells.codes), [values[at] for at in kept], table[:, kept], True


def expect_values(part: Part, column: Column, *, spread: bool) -> Any:
    """By row the share of each value; numbers that the same cells cover are one value.

    So what two columns have to do with each other stays as it is.
    """
    from scipy.sparse import csr_array, diags_array

    cells = cells_of(part.frame[column.name], column)
    ranges = isinstance(cells, Spans)
    if cells.gaps or not (spread and cells.several) or (ranges and column.kind != "numeric"):
        codes = read_values(part, column)[0]
        return csr_array((np.ones(len(codes)), (np.arange(len(codes)), codes)))
    if not isinstance(cells, Spans):
        codes, _, shares, _ = _spread_cells(part, column, 0.0)
        return csr_array(shares)[codes]
    low, high = cells.cut_off()
    whole = (low == np.rint(low)) & (high == np.rint(high))
    end = np.where(whole, high + 1, np.where(low == high, np.nextafter(high, np.inf), high))
    cuts = np.unique([low, end])
    at, owner = expand_ranges(np.searchsorted(cuts, low), np.searchsorted(cuts, end))
    share = np.diff(cuts)[at] / (end - low)[owner]
    table = csr_array((share, (owner, at)), (len(low), len(cuts)))
    free, counts = cells.anything, np.bincount(cells.codes, minlength=len(low))
    others = np.where(free, 0, counts)  # a cell that may be anything is expected to be like these
    if others.any() and counts[free].any():
        mean = (others / others.sum()) @ table
        alike = csr_array(free[:, None] * 1.0) @ csr_array(mean[None, :])
        table = diags_array(~free * 1.0) @ table + alike
    return csr_array(table)[cells.codes]


def _frequent_numbers(cells: Spans, counts: Floats, least: float) -> list[str]:
    """The numbers that so many rows are expected to hold: no more than rows to so many."""
    low, high = cells.cut_off()
    used = counts > 0
    low, high, counts = low[used], high[used], counts[used]
    least *= counts.sum() / cells.codes.size * (1 - 1e-9)  # the others are expected to be alike
    first, last = np.ceil(low), np.floor(high) + 1
    whole = first < last
    ends, places = np.unique([first[whole], last[whole]], return_inverse=True)
    each = counts[whole] / (last - first)[whole]
    begun, over = (np.bincount(at, each, len(ends)) for at in places.reshape(2, -1))
    often = np.flatnonzero(np.cumsum(begun - over) >= least)
    found = [n for at in often for n in range(int(ends[at]), int(ends[at + 1]))]
    return list(map(text, [*found, *low[~whole & (low == high) & (counts >= least)].tolist()]))


def _one_hot(part: Part, least: float) -> tuple[Any, list[tuple[str, str]]]:
    """Find which rows hold which values, of values that at least so many hold."""
    columns, names = [], []
    for column in part.schema:
        codes, labels = read_values(part, column)
        for place in np.flatnonzero(np.bincount(codes, minlength=len(labels)) >= least):
            columns.append(codes == place)
            names.append((column.name, labels[place]))
    return (np.column_stack(columns) if columns else None), names


def read_values(part: Part, column: Column) -> tuple[Ints, list[str]]:
    values = part.frame[column.name]
    if isinstance(values.dtype, pd.IntervalDtype):
        values = pd.Series([cell_text(span) for span in values], dtype="category")
    codes, found = single_codes(values, column.name, "the table")
    return codes, [text(value) for value in found]


def quasi_sensitive(
    found: Mapping[Items, float], sensitive: frozenset[str], confidence: float
) -> dict[tuple[Items, Items], tuple[float, float]]:
    """Rules from quasi-identifying to sensitive values: support and confidence of each."""
    rules = {}
    for items, held in found.items():
        right = frozenset(item for item in items if item[0] in sensitive)
        left = items - right
        if left and right and held / found[left] >= confidence - 1e-12:
            rules[left, right] = (held, held / found[left])
    return rules

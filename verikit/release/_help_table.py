"""Help tables: by group and number of hits the bounds of sum, minimum and maximum."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Flags, Rows
from verikit.errors import SchemaError, quoted
from verikit.words import listed, text

BOUNDS = ("sum_lower", "sum_upper", "min_lower", "min_upper", "max_lower", "max_upper")
EXACT = 2.0**53
NEAR = 1e-9


def make_help_table(values: npt.ArrayLike, labels: Rows, names: pd.Index[Any]) -> pd.DataFrame:
    """Make the help table of numbers in groups: a line for each group and number of hits from 1.

    Parameters
    ----------
    values
        A number of each record.
    labels
        The place of each record's group among the names.
    names
        The groups.

    Examples
    --------
    >>> found = make_help_table([54, 55, 56], np.zeros(3, int), pd.Index(["a"]))
    >>> list(map(str, found.iloc[1]))
    ['a', '2', '109', '111', '54', '55', '55', '56']
    """
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iu":
        numbers = numbers.astype(np.float64)
    order = np.lexsort((numbers, labels))
    ordered, group = numbers[order], labels[order]
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    sizes = np.diff(np.append(starts, len(group)))
    first, last = np.repeat(starts, sizes), np.repeat(starts + sizes - 1, sizes)
    hits = np.arange(len(group)) - first + 1
    back = first + last - np.arange(len(group))  # the same place counted from above
    return pd.DataFrame(
        {
            "group": names.take(group),
            "hits": hits,
            "sum_lower": _running_sums(ordered, starts, sizes),
            "sum_upper": _running_sums(ordered[back], starts, sizes),
            "min_lower": ordered[first],
            "min_upper": ordered[back],
            "max_lower": ordered,
            "max_upper": ordered[last],
        }
    )


def _running_sums(values: npt.NDArray[Any], starts: Rows, sizes: Rows) -> npt.NDArray[Any]:
    """Sum up each group from its first value on.

    Whole numbers are summed at once, as long as floats keep them; fractions group by group, so that
    small ones suffer from no large sum of the groups before.
    """
    whole = values.dtype.kind in "iu" and float(np.abs(values.astype(np.float64)).sum()) < EXACT
    if whole:
        total = np.cumsum(values)
        return np.asarray(total - np.repeat(total[starts] - values[starts], sizes))
    parts = [values[a : a + n].astype(np.float64).cumsum() for a, n in zip(starts, sizes)]  # noqa: B905
    return np.concatenate(parts)


def check_help(table: pd.DataFrame, values: Any, labels: Rows, names: pd.Index[Any]) -> None:
    """Refuse a help table that says anything but what the published values say.

    Bounds of some aggregates may be left out, as [QZ]_ Table 2.4 leaves out the maximum.

    Raises
    ------
    SchemaError
        If lines are missing, unknown or twice there, or a bound is another one.
    """
    held = [name for name in BOUNDS if name in table.columns]
    unknown = [name for name in map(text, table.columns) if name not in ("group", "hits", *BOUNDS)]
    if unknown or not held or not {"group", "hits"} <= set(table.columns):
        raise SchemaError(
            f"The help table has the columns {listed(table.columns, 8)}; expected group, hits and "
            f"some of {', '.join(BOUNDS)}."
        )
    truth = _by_group_and_hits(make_help_table(values, labels, names))
    given = _by_group_and_hits(table)
    if not given.index.is_unique or len(given) != len(truth):
        raise SchemaError(
            f"The help table has {len(given):,} lines, {given.index.nunique():,} of them different;"
            f" expected one for each group and number of hits, {len(truth):,} in all."
        )
    found = given.reindex(truth.index)
    absent = ~truth.index.isin(given.index)
    if absent.any():
        raise SchemaError(f"The help table lacks the line for {_name_line(truth, absent)}.")
    for name in held:
        _compare_bound(name, found, truth)


def _by_group_and_hits(table: pd.DataFrame) -> pd.DataFrame:
    hits = pd.to_numeric(table["hits"], errors="coerce")
    return table.set_index([table["group"].map(text).astype(object), hits.astype(np.float64)])


def _compare_bound(name: str, found: pd.DataFrame, truth: pd.DataFrame) -> None:
    told = pd.to_numeric(found[name], errors="coerce").to_numpy(np.float64)
    true = truth[name].to_numpy(np.float64)
    scale = np.maximum(np.abs(truth["max_upper"]), np.abs(truth["min_lower"])) * truth["hits"]
    wrong = ~(np.abs(told - true) <= NEAR * scale.to_numpy(np.float64))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise SchemaError(
            f"The help table gives {name} for {_name_line(truth, wrong)} as "
            f"{quoted(text(found[name].iloc[at]))}, but the published values give "
            f"{text(true[at])}; do not rely on either table."
        )


def _name_line(table: pd.DataFrame, chosen: Flags) -> str:
    group, hits = table.index[int(np.argmax(chosen))]
    return f"group {quoted(group)} and {text(hits)} hits"

"""A help table: statistics of each group, published so that questions need not count."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit.errors import SchemaError, quoted
from verikit.table import Schema
from verikit.words import listed, text

__all__ = ["checked_help"]

STATISTICS = ("count", "sum", "avg", "min", "max")
HITS = "hits"


class Grouped(NamedTuple):
    """The sensitive table by groups: its rows, the group of each, and the names of the groups."""

    table: pd.DataFrame
    labels: Any
    names: pd.Index[Any]
    schema: Schema


def checked_help(table: object, group: str, sensitive: Grouped) -> pd.DataFrame:
    """The help table, if it speaks of these groups and tells of them what their rows say.

    One line a group, or one a group and number of ``hits``. Statistics under the names count,
    sum, avg, min and max are compared with the rows, where one column of numbers is sensitive.
    """
    if not isinstance(table, pd.DataFrame):
        raise SchemaError(
            f"A help table was given as {type(table).__name__}; expected a pandas DataFrame."
        )
    found = table.rename(columns=text).reset_index(drop=True)
    if group not in found.columns or found.shape[1] < 2:
        raise SchemaError(
            f"A help table has the columns {listed(found.columns, 8) or 'none'}; expected "
            f"{quoted(group)}, which names the group, and statistics of the groups."
        )
    places = _places(found[group], sensitive.names)
    _refuse_repeated(found, group)
    for name in found.columns.drop(group):
        _check_numbers(found[name], name)
    if HITS not in found.columns:
        _compare(found, places, sensitive)
    return found


def _places(groups: pd.Series[Any], names: pd.Index[Any]) -> Any:
    """The place of each line's group among those of the release."""
    known = {text(name): place for place, name in enumerate(names)}
    unknown = [name for name in dict.fromkeys(map(text, groups)) if name not in known]
    if unknown:
        raise SchemaError(
            f"A help table speaks of the groups {listed(unknown)}, which the release does not "
            f"hold; it has {listed(map(text, names), 8)}."
        )
    return np.array([known[text(name)] for name in groups], np.intp)


def _refuse_repeated(found: pd.DataFrame, group: str) -> None:
    by = [name for name in (group, HITS) if name in found.columns]
    again = found[by].duplicated()
    if again.any():
        raise SchemaError(
            f"A help table has several lines for group {quoted(text(found[group][again].iloc[0]))}"
            "; expected one line a group, or one a group and number of hits."
        )


def _check_numbers(values: pd.Series[Any], name: str) -> None:
    if not pd.api.types.is_numeric_dtype(values) or values.isna().any():
        raise SchemaError(
            f"Column {quoted(name)} of a help table does not hold a number in each line; expected "
            "a statistic of each group."
        )


def _compare(found: pd.DataFrame, places: Any, sensitive: Grouped) -> None:
    numbers = [c.name for c in sensitive.schema.sensitive if c.kind == "numeric"]
    sizes = pd.DataFrame({"count": np.bincount(sensitive.labels, minlength=len(sensitive.names))})
    if len(numbers) == 1 and pd.api.types.is_numeric_dtype(sensitive.table[numbers[0]]):
        values = sensitive.table[numbers[0]].groupby(sensitive.labels)
        sizes = sizes.assign(
            sum=values.sum(), avg=values.mean(), min=values.min(), max=values.max()
        )
    for name in (part for part in STATISTICS if part in found.columns and part in sizes.columns):
        told, true = found[name].to_numpy(float), sizes[name].to_numpy(float)[places]
        wrong = np.flatnonzero(~(np.isclose(told, true, rtol=1e-6, atol=1e-9) | np.isnan(true)))
        if len(wrong):
            at = int(wrong[0])
            raise SchemaError(
                f"A help table gives the {name} of group "
                f"{quoted(text(sensitive.names[places[at]]))} as {told[at]:g}, but its rows give "
                f"{true[at]:g}; correct the help table or leave it out."
            )

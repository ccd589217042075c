"""Sets of values that many records hold together, found by mlxtend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.requests import share
from verikit.cells import written
from verikit.errors import FormatError, SchemaError
from verikit.release import TableRelease, whole_records
from verikit.table import Microdata, single_codes
from verikit.words import text

__all__ = ["Items", "itemsets", "quasi_sensitive", "threshold"]

Items: TypeAlias = frozenset[tuple[str, str]]
FREQUENT = 0.05  # few sets are so frequent, and Apriori finds few sets sooner


def threshold(value: object, name: str) -> float:
    """A share of the records above 0.

    Examples
    --------
    >>> threshold(0.08, "support")
    0.08
    """
    return share(value, name, above=True)


def itemsets(table: Microdata | TableRelease, support: float) -> dict[Items, float]:
    """The support of each set of values, one a column, that so many records hold.

    Only quasi-identifiers and sensitive columns count. A generalized cell is a value of its own.

    Examples
    --------
    >>> import verikit as vk
    >>> found = itemsets(vk.load("yq_figure1"), 0.4)
    >>> found[frozenset({("Job", "Clerk")})]
    0.4
    """
    if not (isinstance(table, Microdata) or whole_records(table)) or not len(table):
        raise SchemaError(
            f"Associations were asked of {type(table).__name__}; expected Microdata or a release "
            "of one table, with at least one record."
        )
    try:
        from mlxtend.frequent_patterns import apriori, fpgrowth
    except ImportError:
        raise FormatError(
            "Finding associations needs mlxtend, which is not installed; install verikit[rules]."
        ) from None
    held, names = _one_hot(table, support)
    if not names:
        return {}
    mine = apriori if support >= FREQUENT else fpgrowth
    found = mine(pd.DataFrame(held), min_support=support)
    return {
        frozenset(names[item] for item in items): float(held)
        for items, held in zip(found["itemsets"], found["support"], strict=True)
    }


def _one_hot(table: Any, support: float) -> tuple[Any, list[tuple[str, str]]]:
    """Which records hold which values, of values frequent enough to matter."""
    columns, names = [], []
    for column in table.schema:
        if column.role not in ("quasi", "sensitive"):
            continue
        values = table.frame[column.name]
        if isinstance(values.dtype, pd.IntervalDtype):
            values = pd.Series([written(span) for span in values], dtype="category")
        codes, found = single_codes(values, column.name, "the table")
        labels = [text(value) for value in found]
        counts = np.bincount(codes, minlength=len(labels))
        for place in np.flatnonzero(counts >= support * len(table) * (1 - 1e-12)):
            columns.append(codes == place)
            names.append((column.name, labels[place]))
    return (np.column_stack(columns) if columns else None), names


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

"""What goes with what in a release: rules, and pairs of columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.guard import guard
from verikit._support.requests import flag, share
from verikit.errors import RecordError
from verikit.release import Release
from verikit.table import Schema
from verikit.utility import expect_values, itemsets, list_parts, quasi_sensitive


@guard("The release or a threshold", RecordError)
def associations(
    release: Release, *, support: float = 0.08, confidence: float = 0.15, spread: bool = True
) -> pd.DataFrame:
    """Find the rules from quasi-identifying to sensitive values, as the release shows them.

    Parameters
    ----------
    release
        What was published; a table itself is taken too.
    support
        The share of the records that must hold all values of a rule.
    confidence
        Of the records that hold its quasi-identifying values, the share that must hold the
        sensitive ones.
    spread
        Whether a generalized cell is spread evenly over the values that it covers, each column by
        itself; else it is a value of its own.

    Returns
    -------
    pandas.DataFrame
        One line a rule, the surest first: ``left`` and ``right`` as text, ``length`` (the number of
        values on the left), ``support``, ``confidence``, and ``lift``, the confidence over the
        share of the right side.

    Raises
    ------
    RecordError
        If a threshold is no share above 0.
    SchemaError
        If these are no records, there is none, or values are missing.
    FormatError
        If mlxtend is not installed.

    Notes
    -----
    Frequent sets are found by mlxtend among the values that are frequent themselves.
    Where values were changed, supports and confidences are those of the changed table. Of tables
    joined by groups the supports are those to expect if every link inside a group is equally
    likely, and of generalized cells if every value of a cell is; a confidence is that of the
    expected supports, and a rule need not hold for any row.

    References
    ----------
    [YQ]_ Definition 11, formulas (12) and (13), sections 5.1 and 7.3

    Examples
    --------
    Three of four clerks have hypertension.

    >>> import verikit as vk
    >>> found = associations(vk.load("yq_figure1"), support=0.3, confidence=0.6)
    >>> found[["left", "right"]].iloc[0].tolist(), round(found["confidence"].iloc[0], 2)
    (['Job Clerk', 'Disease Hypertension'], np.float64(0.75))
    """
    least = share(support, "support", above=True)
    sure = share(confidence, "confidence", above=True)
    sets = itemsets(release, least, spread=spread)
    schema = release.schema
    sensitive = frozenset(column.name for column in release.schema.sensitive)
    lines = [
        (
            _describe_items(left, schema),
            _describe_items(right, schema),
            len(left),
            held,
            trust,
            trust / sets[right],
        )
        for (left, right), (held, trust) in quasi_sensitive(sets, sensitive, sure).items()
    ]
    names = ["left", "right", "length", "support", "confidence", "lift"]
    frame = pd.DataFrame(lines, columns=names)
    order = ["confidence", "support", "left", "right"]
    return frame.sort_values(order, ascending=[False, False, True, True], ignore_index=True)


def _describe_items(items: frozenset[tuple[str, str]], schema: Schema) -> str:
    return ", ".join(f"{name} {schema[name].shown(value)}" for name, value in sorted(items))


def chi_square(table: Release, *, spread: bool = True) -> pd.DataFrame:
    """Tell how far each two columns are from having nothing to do with each other.

    The statistic of the Chi-square test, for each person: 0 if the values of one column say nothing
    about the other, and at most one less than the fewer values of the two.

    Parameters
    ----------
    table
        What was published; a table itself is taken too.
    spread
        Whether generalized cells are spread evenly over what they cover, as for `associations`;
        else each is a value of its own.

    Returns
    -------
    pandas.DataFrame
        One line a pair of quasi-identifiers and sensitive columns, the strongest first: ``first``,
        ``second`` and ``chi-square``.

    Raises
    ------
    SchemaError
        If this is no table of records, it has none, or values are missing.

    References
    ----------
    [YQ]_ section 7.3, formulas (12) and (13)

    Notes
    -----
    Columns of different parts of tables joined by groups are counted as is to be expected if every
    link inside a group is equally likely; by formula (13) all the rest is lost. So is by formula
    (12) what a generalized cell hides: each value that it covers is as likely as the others, in
    each column by itself.

    Examples
    --------
    >>> import verikit as vk
    >>> print(chi_square(vk.load("yq_figure1")).head(1).to_string(index=False))
    first  second  chi-square
      Job Disease    1.895833
    """
    people, parts = list_parts(table)
    spread = flag(spread, "spread") and getattr(table, "promise", None) == "covers"
    every = [(c.name, p, expect_values(p, c, spread=spread)) for p in parts for c in p.schema]
    lines = [
        (first, second, _relate(people, one, other))
        for (first, *one), (second, *other) in combinations(every, 2)
    ]
    frame = pd.DataFrame(lines, columns=["first", "second", "chi-square"])
    order = ["chi-square", "first", "second"]
    return frame.sort_values(order, ascending=[False, True, True], ignore_index=True)


def _relate(people: Rows, *sides: Sequence[Any]) -> float:
    """Find the statistic of two columns, for each person: of each its part, and values by row."""
    from scipy.sparse import csr_array, diags_array

    (one, left), (other, right) = sides
    weights = (people / np.maximum(one.sizes, 1))[one.groups]
    if one is not other:  # else rows are as they were
        weights = people.astype(np.float64)
        left, right = (
            csr_array((1 / part.sizes[part.groups], (part.groups, np.arange(len(part.groups)))),
                      (len(people), len(part.groups))) @ values
            for part, values in sides
        )  # fmt: skip
    held: Any = (left.T @ diags_array(weights) @ right).tocoo()
    rows, columns = (np.asarray(held.sum(axis=axis)).ravel() for axis in (1, 0))
    found = float((held.data**2 / (rows[held.row] * columns[held.col])).sum()) - 1
    return max(round(found, 12), 0.0)  # equal whatever the order of the rows

"""A table of single values as the page keeps it: each column by the ranks of its values."""

from __future__ import annotations

import numpy as np
import pandas as pd

from verikit.errors import SchemaError
from verikit.page._kept import Kept, KeptColumn, column_facts
from verikit.release import TableRelease
from verikit.subject import names_rows
from verikit.subject.masked import titles_left_out, undone_pairs
from verikit.table import Column
from verikit.words import listed


def ranked_columns(release: TableRelease) -> list[str]:
    """The columns that the page can ask for.

    Examples
    --------
    >>> import verikit as vk
    >>> ranked_columns(vk.published("dm_table1_masked"))
    ['X1', 'X2', 'X3']
    """
    return [column.name for column in release.schema if _can_rank(release, column)]


def _can_rank(release: TableRelease, column: Column) -> bool:
    """Whether a column has ranks; of a blank category a person could not say that it is hers.

    What names the rows is not asked for.
    """
    if names_rows(release, column):
        return False
    spans = isinstance(release.frame[column.name].dtype, pd.IntervalDtype)
    blank = any(not name.strip() for name in column.categories or ())
    return (
        column.ranked
        and not spans
        and not blank
        and not np.isnan(release.scores(column.name)).all()
    )


def keep_single_values(release: TableRelease) -> Kept:
    """Its ranked columns, and what the publisher says that a check reckons with."""
    columns = [release.schema[name] for name in ranked_columns(release)]
    if not columns:
        raise SchemaError(
            f"No column of {listed(release.schema.names)} can be ranked; a page needs at least one "
            "of numbers, or of categories with an order."
        )
    facts = {
        "permutation": release.permutation,
        "luck": None if release.reported_luck is None else f"{release.reported_luck:.1f}",
        "without": titles_left_out(release),
        "undone": undone_pairs(release),
    }
    return Kept([_keep_column(release, column) for column in columns], tuple(release.schema), facts)


def _keep_column(release: TableRelease, column: Column) -> KeptColumn:
    """The values in order, each once, and which each record has; one past the last is missing."""
    values, codes = np.unique(release.scores(column.name) + 0.0, return_inverse=True)
    return KeptColumn(column_facts(column), (values[~np.isnan(values)], codes))

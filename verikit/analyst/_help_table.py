"""Bounds by group and number of hits, from what was published alone."""

from __future__ import annotations

import pandas as pd

from verikit.errors import SchemaError
from verikit.release import SplitRelease, by_groups, make_help_table

__all__ = ["help_table"]


def help_table(release: SplitRelease, sensitive: str | None = None) -> pd.DataFrame:
    """List for each group and number of hits the bounds of sum, minimum and maximum.

    Whatever a question asks of the people, it selects some number of each group; the least and the
    greatest answers of the group follow from that number alone. The table is made from the release,
    so it tells nothing that was not published.

    Parameters
    ----------
    release
        Two tables joined by groups, with a sensitive column of numbers.
    sensitive
        The sensitive column; needed only if there are several of numbers.

    Returns
    -------
    DataFrame
        The columns ``group``, ``hits`` and six bounds; one line for each record of the release.

    Raises
    ------
    SchemaError
        If it is no such release, or a value is missing or no single number.

    References
    ----------
    [QZ]_ section 2.5.2, Table 2.4

    Notes
    -----
    The bounds of an average are those of the sum, divided by the hits. The printed table holds sum
    and minimum only. O(n log n).

    Examples
    --------
    >>> import verikit as vk
    >>> help_table(vk.published("qz_table2_3")).iloc[:2, :6].to_numpy().tolist()
    [['1', 1, 54000, 56000, 54000, 56000], ['1', 2, 109000, 111000, 54000, 55000]]
    """
    if not by_groups(release):
        raise SchemaError(
            f"A help table was asked of {type(release).__name__}; expected a release in two tables "
            "joined by groups, as mask.permute_sensitive and mask.anatomize make."
        )
    column = release.number(sensitive)
    values = release.sensitive[column.name]
    if values.isna().any() or not pd.api.types.is_numeric_dtype(values.dtype):
        raise SchemaError(
            f"Column {column.name!r} has missing values or ranges, so the bounds of a number of "
            "hits are not known; ask verikit.answer instead."
        )
    return make_help_table(values, release.labels.sensitive, release.labels.names)

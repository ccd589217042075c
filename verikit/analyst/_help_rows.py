"""The lines of the help table that answer one question."""

from __future__ import annotations

import numpy as np
import pandas as pd

from verikit.analyst._help_table import help_table
from verikit.analyst._rewrite import rewrite
from verikit.query import Query, blocks, bound, known
from verikit.release import SplitRelease

__all__ = ["help_rows"]

USED = {"count": (), "sum": ("sum",), "avg": ("sum",), "min": ("min",), "max": ("max",)}


def help_rows(query: Query | str, release: SplitRelease) -> pd.DataFrame:
    """Look up which lines of the help table a question uses: one for each group it selects from.

    Parameters
    ----------
    query
        A `Query`, or a text in SQL, which is taken apart and never run.
    release
        What `mask.permute_sensitive` or `mask.anatomize` published.

    Returns
    -------
    DataFrame
        The columns ``group``, ``hits`` and the bounds that are put together: sums and averages add
        those of the sum, extremes take the least or the greatest of theirs, a count the hits.

    Raises
    ------
    SchemaError, RecordError
        As `rewrite` raises them.

    References
    ----------
    [QZ]_ section 2.5.2, Table 2.4

    Notes
    -----
    These are the lines that the rewritten question joins, found without a database. O(n log n).

    Examples
    --------
    >>> import verikit as vk
    >>> query = "select sum(salary) from t where age between 35 and 55"
    >>> help_rows(query, vk.published("qz_table2_3")).to_numpy().tolist()
    [['1', 3, 165000, 165000], ['2', 3, 210000, 210000], ['3', 2, 155000, 165000]]
    """
    rewritten = rewrite(query, release)
    asked = rewritten.query
    met = known(blocks(release), bound(asked.where, release.schema)).low
    table = help_table(release, rewritten.sensitive)
    sizes = np.bincount(release.labels.sensitive, minlength=len(met))
    lines = table[table["hits"].to_numpy() == np.repeat(met, sizes)]
    names = [f"{part}_{end}" for part in USED[asked.aggregate] for end in ("lower", "upper")]
    return lines[["group", "hits", *names]].reset_index(drop=True)

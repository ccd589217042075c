"""The records closest to one in a table that is not loaded."""

from __future__ import annotations

from collections.abc import Mapping

from verikit.large._stream import Stream
from verikit.ranks import Near, find_near_records


def search(
    stream: Stream, scores: Mapping[str, float], least: Mapping[str, int] | None = None
) -> Near:
    """Find the records closest to some scores without loading the table.

    One pass keeps, of each column, the values in a window around hers, and the rows that lie in all
    windows, with a certificate that none is closer; else the windows are widened, and the table is
    read again. A missing value lies in every window, and no places away.

    Parameters
    ----------
    stream
        What was published.
    scores
        Her values as numbers, by attribute.
    least
        Places that the windows have to reach in any case.

    Returns
    -------
    Near
        What is known of the columns, and the rows in all windows, the closest among them.

    Raises
    ------
    SchemaError
        If a column has no value at all or infinite ones, or there is no record.
    FormatError
        If the table cannot be read, or too many values or rows would have to be held.

    References
    ----------
    [DM]_ Algorithm 2

    Notes
    -----
    A sample of 50,000 rows says where the windows begin; that it may mislead costs another pass
    and nothing else. Nearly always one pass is enough. What is held grows as n^(1-1/m).

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from verikit.large import located
    >>> with tempfile.TemporaryDirectory() as home:
    ...     path = f"{home}/table.parquet"
    ...     pd.DataFrame({"a": [1, 2, 3, 4, 5], "b": [5, 1, 2, 3, 4]}).to_parquet(path)
    ...     near = search(located(path, ["a", "b"]), {"a": 3, "b": 4})
    >>> near.distance, near.rows[near.gaps.max(axis=1) == 1].tolist(), near.passes
    (1, [3], 1)
    """
    return find_near_records(stream, scores, least)

"""How much of the order of each attribute a release keeps."""

from __future__ import annotations

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats
from verikit.ranks import mid_ranks
from verikit.table import Microdata
from verikit.utility._paired import paired

__all__ = ["rank_correlation"]


def rank_correlation(data: Microdata, masked: Microdata) -> pd.Series:
    """Spearman's rank correlation of original and masked values, by attribute.

    It is a measure of utility kept and of risk at once: 1 means that nobody was moved.

    Parameters
    ----------
    data, masked
        The original and the masked records, in the same order (see `Key.undo`).

    Returns
    -------
    pandas.Series
        One number an attribute; missing for a constant column, which has no order.

    Raises
    ------
    SchemaError
        If the tables share no attribute that can be ranked, or the rows do not correspond.

    References
    ----------
    [DM]_ section 2

    Examples
    --------
    >>> import verikit as vk
    >>> rank_correlation(vk.load("dm_table1"), vk.load("dm_table1_masked")).round(3).tolist()
    [0.722, 0.844, 0.776]
    """
    found = {
        pair.name: _correlation(mid_ranks(pair.original), mid_ranks(pair.masked))
        for pair in paired(data, masked)
    }
    return pd.Series(found, name="rank correlation")


def _correlation(x: Floats, y: Floats) -> float:
    x, y = x - x.mean(), y - y.mean()
    size = np.sqrt((x @ x) * (y @ y))
    return float(x @ y / size) if size else np.nan

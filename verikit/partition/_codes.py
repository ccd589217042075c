"""A column as codes of the values that occur, in their order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from verikit._support.arrays import Rows
from verikit.table import Microdata

__all__ = ["Values", "value_codes"]


class Values(NamedTuple):
    """The value of each record as its place among the values that occur; None, if any, is last."""

    codes: Rows
    values: tuple[Any, ...]


def value_codes(data: Microdata, name: str) -> Values:
    """Code a column: numbers ascending, categories as declared, a missing value after all others.

    Examples
    --------
    >>> import verikit as vk
    >>> codes, values = value_codes(vk.load("ks_table2_unmasked"), "Race")
    >>> codes.tolist(), values
    ([0, 1, 2, 0, 2], ('White', 'Black', 'Asian'))
    """
    codes, found = data.codes(name)
    here = np.flatnonzero(np.bincount(codes + 1, minlength=len(found) + 1)[1:])
    values = found[here].tolist()
    places = np.full(len(found) + 1, len(values), np.intp)
    places[here] = np.arange(len(values))
    return Values(places[codes], (*values, None) if (codes < 0).any() else tuple(values))

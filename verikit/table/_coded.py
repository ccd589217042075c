"""Columns as codes: which values there are, how frequent each is, and how many they amount to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Ints
from verikit.errors import SchemaError, quoted
from verikit.table._column import Column
from verikit.table._requests import single_value
from verikit.words import text

__all__ = ["codes_like", "diversity", "place_of", "shares_of", "single_codes"]


def single_codes(values: pd.Series[Any], name: str, where: str) -> tuple[Ints, pd.Index[Any]]:
    """Code a column of single values by their place in a sorted list; refuse a missing one.

    Examples
    --------
    >>> codes, found = single_codes(pd.Series([5, 3, 5]), "age", "the table")
    >>> codes.tolist(), found.tolist()
    ([1, 0, 1], [3, 5])
    """
    if isinstance(values.dtype, pd.CategoricalDtype):
        codes, found = values.cat.codes.to_numpy(), values.cat.categories
    elif isinstance(values.dtype, pd.IntervalDtype):
        raise SchemaError(f"Column {quoted(name)} of {where} holds ranges; expected single values.")
    else:
        codes, found = pd.factorize(values.to_numpy(), sort=True)
    missing = int(np.count_nonzero(codes < 0))
    if missing:
        raise SchemaError(
            f"Column {quoted(name)} of {where} has {missing} missing values; fill or remove them "
            "first."
        )
    return codes.astype(np.int64), pd.Index(found)


def codes_like(
    values: pd.Series[Any], found: pd.Index[Any], name: str, where: str
) -> tuple[Ints, pd.Index[Any]]:
    """Code a column by a list of values, which grows by those that it lacks.

    Examples
    --------
    >>> codes, known = codes_like(pd.Series([5, 9]), pd.Index([3, 5]), "age", "the release")
    >>> codes.tolist(), known.tolist()
    ([1, 2], [3, 5, 9])
    """
    codes, own = single_codes(values, name, where)
    places = found.get_indexer(own.astype(found.dtype) if own.dtype != found.dtype else own)
    new = np.flatnonzero(places < 0)
    places[new] = len(found) + np.arange(len(new))
    known = found.append(own[new]) if len(new) else found
    return places[codes].astype(np.int64), known


def place_of(value: object, found: pd.Index[Any], column: Column) -> int:
    """The place of one value in the list; -1 where it is not there.

    Examples
    --------
    >>> job = Column("job", kind="nominal")
    >>> place_of("5", pd.Index([3, 5]), Column("age")), place_of("cook", pd.Index(["clerk"]), job)
    (1, -1)
    """
    single_value(column.name, value)
    numeric = pd.api.types.is_numeric_dtype(found)
    given = column.number(value) if numeric else text(value)
    return int(found.get_indexer(pd.Index([given], dtype=float if numeric else object))[0])


def shares_of(codes: Ints, size: int) -> Floats:
    """The share of each value.

    Examples
    --------
    >>> shares_of(np.array([1, 0, 1, 1]), 3).tolist()
    [0.25, 0.75, 0.0]
    """
    return np.bincount(codes, minlength=size) / len(codes)


def diversity(shares: Floats) -> float:
    """As how many equally frequent values they amount to: the exponential of their entropy.

    Examples
    --------
    >>> diversity(np.array([0.25, 0.25, 0.25, 0.25, 0.0]))
    4.0
    """
    held = shares[shares > 0]
    return float(np.exp(-(held * np.log(held)).sum()))

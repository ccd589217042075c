"""Requests that need a table to be judged, and columns as codes of their values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pandas as pd

from verikit._support import requests
from verikit._support.arrays import Floats, Ints, count_codes
from verikit.errors import InfeasibleError, RecordError, SchemaError, quoted
from verikit.languages import tell
from verikit.table._microdata import Microdata
from verikit.table.reading import holds_table
from verikit.values.columns import Column
from verikit.words import count, text

SURROGATES = re.compile("[\ud800-\udfff]")
MICRODATA = "Microdata (verikit.read makes it from a file or a frame)"
Missing: TypeAlias = Literal["refuse", "own value"]


def require_table(data: object, who: str) -> Microdata:
    """The table that a function was given, if it is one and holds a record.

    Examples
    --------
    >>> require_table([1, 2], "mondrian")
    Traceback (most recent call last):
    verikit.errors.SchemaError: mondrian was given list; expected Microdata (verikit.read makes it
    from a file or a frame).
    """
    table = require_microdata(data, who)
    if not len(table):
        raise SchemaError("The table has no records, so nothing can be grouped; give at least one.")
    return table


def require_microdata(data: object, who: str) -> Microdata:
    """The table that a function was given, if it is Microdata."""
    return requests.instance(data, Microdata, who, MICRODATA)


def as_microdata(data: object, who: str) -> Microdata:
    """Microdata from any table: of pandas, polars, pyarrow or DuckDB, columns, or records.

    Examples
    --------
    >>> as_microdata({"age": [31, 45]}, "link")
    Microdata(2 records of age)
    """
    return Microdata(data) if holds_table(data) else require_microdata(data, who)


def group_size(k: object, records: int) -> int:
    """The size ``k`` that groups must reach, as a whole number that the records can reach.

    Examples
    --------
    >>> group_size(3, records=10)
    3
    >>> group_size(11, records=10)
    Traceback (most recent call last):
    verikit.errors.InfeasibleError: k was given as 11, but the table has 10 records; the largest k
    that can be reached is 10.
    """
    size = requests.whole(k, "k")
    if size > records:
        raise InfeasibleError(
            f"k was given as {quoted(size)}, but the table has {count(records, 'record')}; the "
            f"largest k that can be reached is {records}.",
            field="k",
            value=size,
        )
    return size


def most_records(share: object, records: int, name: str = "suppression") -> int:
    """How many records a share of them is at most, computed exactly.

    Examples
    --------
    >>> most_records(0.29, records=100), most_records(0.05, records=30162)
    (29, 1508)
    """
    requests.share(share, name)
    return int(Fraction(str(share)) * records)


def require_single_value(name: str, value: object) -> None:
    """Refuse a value of a record that is no single one, or cannot be written out.

    Examples
    --------
    >>> require_single_value("age", 41)
    >>> require_single_value("age", [41])
    Traceback (most recent call last):
    verikit.errors.RecordError: 'age' was given as [41]; expected a number or a text.
    """
    if not pd.api.types.is_scalar(value):
        raise RecordError(tell("not-single", name=quoted(name), given=quoted(value)))
    if isinstance(value, str) and not value.isascii() and SURROGATES.search(value):
        raise RecordError(
            f"{quoted(name)} was given as {quoted(value)}, which holds half a character; correct "
            "it.",
            field=name,
            value=value,
        )


def refuse_missing(data: Microdata, columns: Iterable[Column], missing: Missing) -> None:
    """Stop at missing values, unless they were declared to count as a value of their own."""
    requests.one_of(missing, "missing", get_args(Missing))
    if missing == "own value":
        return
    for column in columns:
        values = data.frame[column.name]
        if values.dtype.kind == "f":  # quicker than isna, which most tables need not
            found = int(np.count_nonzero(np.isnan(values.to_numpy())))
        else:
            found = 0 if values.dtype.kind == "i" else int(values.isna().sum())
        if found:
            raise SchemaError(
                f"Column {quoted(column.name)} has {count(found, 'missing value')}; fill the gaps, "
                "remove their records, or say missing='own value'."
            )


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


def code_of_value(value: object, found: pd.Index[Any], column: Column) -> int:
    """The place of one value in the list; -1 where it is not there.

    Examples
    --------
    >>> job = Column("job", kind="nominal")
    >>> (
    ...     code_of_value("5", pd.Index([3, 5]), Column("age")),
    ...     code_of_value("cook", pd.Index(["clerk"]), job),
    ... )
    (1, -1)
    """
    require_single_value(column.name, value)
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
    return count_codes(codes, size) / len(codes)


def effective_number(shares: Floats) -> float:
    """As how many equally frequent values they amount to: the exponential of their entropy.

    Examples
    --------
    >>> effective_number(np.array([0.25, 0.25, 0.25, 0.25, 0.0]))
    4.0
    """
    held = shares[shares > 0]
    return float(np.exp(-(held * np.log(held)).sum()))

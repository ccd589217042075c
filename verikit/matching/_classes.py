"""Group the records that look alike to someone who knows their quasi-identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any, TypeAlias, get_args

import numpy as np
import pandas as pd

from verikit._support.arrays import AnyInts, Ints
from verikit._support.requests import one_of
from verikit.cells import cell_text
from verikit.errors import SchemaError
from verikit.release import SplitRelease, TableRelease
from verikit.table import Microdata, Missing, Schema
from verikit.words import count, listed

__all__ = [
    "Classes",
    "Table",
    "cell_text",
    "classes_of",
    "code_values",
    "group_rows",
    "renumber",
    "row_text",
]

Table: TypeAlias = Microdata | TableRelease | SplitRelease


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Classes:
    """Which class each record is in; classes are numbered from 0 in the order of their cells.

    Parameters
    ----------
    labels
        The class of each record.
    sizes
        The number of records in each class.
    frame
        What is seen of each record; the same for all records of a class.
    schema
        Its columns, which say what is a date; None where they are not known.

    Examples
    --------
    >>> import verikit as vk
    >>> classes = classes_of(vk.load("ks_table4"))
    >>> classes.sizes.tolist(), classes.name(2)
    ([3, 4, 4], 'Marital Status Single, DOB 20**, Zip 19552')
    """

    labels: Ints
    sizes: Ints
    frame: pd.DataFrame
    schema: Schema | None = None

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        classes = count(len(self), "class", "classes")
        return f"Classes({count(len(self.labels), 'record')} in {classes})"

    def first(self) -> Ints:
        """Find the place of the first record of each class."""
        places = np.empty(len(self), np.int64)
        places[self.labels[::-1]] = np.arange(len(self.labels))[::-1]
        return places

    def cells(self) -> pd.DataFrame:
        """Find what is seen of each class, one line a class."""
        return self.frame.take(self.first()).reset_index(drop=True)

    def name(self, number: int) -> str:
        """Find the cells of one class in words."""
        row = int(np.argmax(self.labels == number))
        return row_text(self.frame, row, self.schema)


def row_text(frame: pd.DataFrame, row: int, schema: Schema | None = None) -> str:
    """Find the cells of one row in words; dates as such, where a schema says which they are.

    Examples
    --------
    >>> row_text(pd.DataFrame({"Zip": ["19552"], "DOB": ["20**"]}), 0)
    'Zip 19552, DOB 20**'
    """
    cells = {name: cell_text(frame[name].iloc[row]) for name in map(str, frame.columns)}
    if schema is not None:
        dated = {column.name: column for column in schema if column.dated}
        cells = {n: dated[n].shown(cell) if n in dated else cell for n, cell in cells.items()}
    return ", ".join(f"{name} {cell}" for name, cell in cells.items())


@singledispatch
def classes_of(table: object, _missing: Missing = "refuse") -> Classes:
    """Group the records that agree in every quasi-identifier; O(n) for codes, O(c log c) to sort.

    A kind of release that has classes of its own registers them (``@classes_of.register``).

    Raises
    ------
    SchemaError
        If there is no record or no quasi-identifier, or values are missing and ``missing`` is
        ``"refuse"``.
    """
    raise SchemaError(
        f"A table was given as {type(table).__name__}; expected Microdata or a release "
        "(verikit.read makes microdata from a file or a frame)."
    )


@classes_of.register
def _by_groups(table: SplitRelease, _missing: Missing = "refuse") -> Classes:
    _refuse_empty(table)
    return Classes(table.labels.quasi, table.sizes, table.quasi[[table.group]])


@classes_of.register
def _by_values(table: Microdata | TableRelease, missing: Missing = "refuse") -> Classes:
    _refuse_empty(table)
    names = [column.name for column in table.schema.quasi]
    if not names:
        raise SchemaError(
            f"No column of {listed(table.schema.names, 12)} is a quasi-identifier, so there are no "
            "classes; give the columns that others may know the role 'quasi'."
        )
    return replace(group_rows(table.frame[names], missing), schema=table.schema)


def _refuse_empty(table: Table) -> None:
    if not len(table):
        raise SchemaError("The table has no records, so there is nothing to measure.")


def group_rows(frame: pd.DataFrame, missing: Missing = "own value") -> Classes:
    """Group the rows of a frame that agree in all its columns.

    Examples
    --------
    >>> group_rows(pd.DataFrame({"a": [1, 2, 1], "b": [5, 5, 5]})).labels.tolist()
    [0, 1, 0]
    """
    labels, found = _number_rows(
        [_code_sized(frame[name], name, missing) for name in frame.columns]
    )
    return Classes(labels, np.bincount(labels, minlength=found), frame)


def find_sensitive(schema: Schema, name: str | None) -> str:
    """The column that must not be learned: the one asked for, or the only one with that role."""
    if name is None:
        found = [column.name for column in schema.sensitive]
        if len(found) == 1:
            return found[0]
        raise SchemaError(
            f"The table has {len(found)} sensitive columns ({listed(found) or 'none'}); name one: "
            "sensitive='...'."
        )
    role = schema[name].role
    if role in ("quasi", "identifier"):
        raise SchemaError(
            f"Column {name!r} cannot be sensitive, because its role is {role!r}: whoever knows it "
            "has nothing to learn; give it the role 'sensitive'."
        )
    return name


def code_values(
    values: pd.Series[Any], name: str, missing: Missing
) -> tuple[AnyInts, pd.Index[Any]]:
    """One column as places in the sorted list of what it holds, and that list.

    A missing value is the last of the list, if it may be a value at all; it may be the only one.
    """
    codes, found = _find_codes(values)
    one_of(missing, "missing", get_args(Missing))
    gaps = int(np.count_nonzero(codes < 0)) if len(codes) and codes.min() < 0 else 0
    if gaps == len(codes) and missing == "refuse":
        raise SchemaError(f"Every value of column {name!r} is missing; leave the column out.")
    if not gaps:
        return codes, found
    if missing == "refuse":
        raise SchemaError(
            f"Column {name!r} has {count(gaps, 'missing value')} of {len(codes):,}; fill the gaps, "
            "or count them as a value of their own: missing='own value'."
        )
    return np.where(codes < 0, len(found), codes), pd.Index([*found, None], dtype=object)


def _code_sized(values: pd.Series[Any], name: str, missing: Missing) -> tuple[AnyInts, int]:
    codes, found = code_values(values, name, missing)
    return codes, len(found)


def _find_codes(values: pd.Series[Any]) -> tuple[AnyInts, pd.Index[Any]]:
    if isinstance(values.dtype, pd.CategoricalDtype):
        return values.cat.codes.to_numpy(), values.cat.categories
    if isinstance(values.dtype, pd.IntervalDtype):
        return _code_spans(values)
    array = values.to_numpy()
    if array.dtype.kind == "i" and len(array):
        low, high = int(array.min()), int(array.max())
        if high - low < 4 * len(array):
            return array - low, pd.RangeIndex(low, high + 1)
    codes, found = pd.factorize(array, sort=True)
    return codes, pd.Index(found)


def _code_spans(values: pd.Series[Any]) -> tuple[AnyInts, pd.Index[Any]]:
    left, lows = pd.factorize(values.array.left, sort=True)
    right, highs = pd.factorize(values.array.right, sort=True)
    there = np.flatnonzero(left >= 0)
    keys = left[there].astype(np.int64) * len(highs) + right[there]
    places, found = renumber(keys, len(lows) * len(highs))
    codes = np.full(len(left), -1, np.int64)
    codes[there] = places
    spans = pd.arrays.IntervalArray.from_arrays(
        lows[found // len(highs)], highs[found % len(highs)], closed=values.dtype.closed
    )
    return codes, pd.Index(spans)


def _number_rows(columns: Sequence[tuple[AnyInts, int]]) -> tuple[Ints, int]:
    """Number the rows by their codes, in the order of the codes: mixed radix, then dense."""
    keys, span = np.zeros(len(columns[0][0]), np.int64), 1
    for codes, size in columns:
        if span * size > 2**62:
            keys, found = renumber(keys, span)
            span = len(found)
        keys *= size
        keys += codes
        span *= size
    labels, found = renumber(keys, span)
    return labels, len(found)


def renumber(keys: Ints, span: int) -> tuple[Ints, Ints]:
    """Renumber keys below ``span`` without gaps and in order; also give the keys found.

    Examples
    --------
    >>> [part.tolist() for part in renumber(np.array([7, 2, 7]), 10)]
    [[1, 0, 1], [2, 7]]
    """
    if span <= max(4 * len(keys), 1024):
        there = np.bincount(keys, minlength=span) > 0
        return (np.cumsum(there) - 1)[keys], np.flatnonzero(there)
    codes, found = pd.factorize(keys)
    order = np.argsort(found)
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    return places[codes], found[order]

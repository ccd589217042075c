"""Group the records that look alike to someone who knows their quasi-identifiers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import AnyInts, Flags, Floats, Ints, Rows, count_codes
from verikit._support.requests import one_of
from verikit.cells import cell_text
from verikit.errors import RecordError, SchemaError, quoted
from verikit.partition import Counted, count_pairs
from verikit.release import SplitRelease, TableRelease
from verikit.table import Column, Microdata, Missing, Schema
from verikit.values.dates import possible_days
from verikit.values.names import fold_word, sort_by_likeness
from verikit.words import count, listed, text

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
    names = [column.name for column in require_quasi(table)]
    return replace(group_rows(table.frame[names], missing), schema=table.schema)


def _refuse_empty(table: Table) -> None:
    if not len(table):
        raise SchemaError("The table has no records, so there is nothing to measure.")


def require_quasi(table: Any) -> list[Column]:
    """Find what others may know of the records; refused where there is nothing to measure."""
    _refuse_empty(table)
    if not table.schema.quasi:
        raise SchemaError(
            f"No column of {listed(table.schema.names, 12)} is a quasi-identifier, so there are no "
            "classes; give the columns that others may know the role 'quasi'."
        )
    return list(table.schema.quasi)


def group_rows(frame: pd.DataFrame, missing: Missing = "own value") -> Classes:
    """Group the rows of a frame that agree in all its columns.

    Examples
    --------
    >>> group_rows(pd.DataFrame({"a": [1, 2, 1], "b": [5, 5, 5]})).labels.tolist()
    [0, 1, 0]
    """
    coded = [code_values(frame[name], name, missing) for name in frame.columns]
    labels, found = number_rows([(codes, len(values)) for codes, values in coded])
    return Classes(labels, np.bincount(labels, minlength=found), frame)


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


def number_rows(columns: Sequence[tuple[AnyInts, int]]) -> tuple[Ints, int]:
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
        there = count_codes(keys, span) > 0
        return (np.cumsum(there) - 1)[keys], np.flatnonzero(there)
    codes, found = pd.factorize(keys)
    order = np.argsort(found)
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    return places[codes], found[order]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Holdings(Counted):
    """The sensitive values of each class as pairs of class and value, sorted, with their counts.

    Parameters
    ----------
    column
        The sensitive column.
    values
        The values that places stand for, in their order.
    owner, place, count
        For each pair its class, its value and how often the class holds it.
    overall
        How often the whole table holds each value.
    classes
        The classes.

    Examples
    --------
    >>> import verikit as vk
    >>> holdings = holdings_of(vk.load("ks_table4"))
    >>> holdings.told(2), holdings.told(0)
    ('4 Theft', '1 Indecency, 1 Murder, 1 Piracy')
    """

    classes: Classes

    def __repr__(self) -> str:
        return f"Holdings({self.column.name} in {len(self.classes)} classes)"

    def to_frame(self) -> pd.DataFrame:
        """One line a class and value it holds: the cells, the value, how often, and its share."""
        cells = self.classes.cells().take(self.owner).reset_index(drop=True)
        found = {
            "value": np.array(self.shown(self.place), dtype=object),
            "records": self.count,
            "share": self.count / self.classes.sizes[self.owner],
        }
        return cells.rename(columns={name: f"{name}_" for name in found}).assign(**found)

    def share_of(self, value: object) -> Floats:
        """Find the share of one value in each class.

        Examples
        --------
        >>> import verikit as vk
        >>> holdings_of(vk.load("ks_table4")).share_of("Theft").tolist()
        [0.0, 0.25, 1.0]
        """
        held = self.place == self.places([value], "value")[0]
        counts = np.bincount(self.owner[held], self.count[held], len(self.classes))
        return np.asarray(counts / self.classes.sizes)

    @property
    def sizes(self) -> Ints:
        """The number of records in each class."""
        return self.classes.sizes

    @property
    def known(self) -> Flags:
        """Whether the value of each pair is one; a missing value tells nothing."""
        return np.asarray(self.values.notna())[self.place]

    def places(self, names: Iterable[object], what: str) -> Rows:
        """Find the places of some values, given by name."""
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise RecordError(f"{what} was given as {quoted(names)}; expected a list of values.")
        known = {name: at for at, name in enumerate(self.shown(range(len(self.values))))}
        plain = {name: at for at, name in enumerate(self.named(range(len(self.values))))}
        folded: dict[str, list[str]] = {}
        for name in known:
            folded.setdefault(fold_word(name), []).append(name)
        found, unknown = [], []
        for name in map(self._as_written, names):
            alike = [name] if name in known or name in plain else folded.get(fold_word(name), [])
            found += [known.get(alike[0], plain.get(alike[0], -1))] if len(alike) == 1 else []
            unknown += [name] if len(alike) != 1 else []
        if unknown:
            raise RecordError(
                f"{what} names {listed(unknown)}, which column {self.column.name!r} does not hold; "
                f"it has {listed(sort_by_likeness(unknown[0], known), 8)}."
            )
        return np.array(found, np.intp)

    def _as_written(self, value: object) -> str:
        """The words of a value: of a date those that its column shows."""
        days = possible_days(value) if self.column.dated and isinstance(value, str) else {}
        if len(set(days.values())) == 1 or (self.column.dated and isinstance(value, dt.date)):
            return self.column.shown(self.column.number(value))
        return text(value)

    def top(self) -> Rows:
        """Find the pair of the most frequent value of each class; of equals the first."""
        order = np.lexsort((self.place, -self.count, self.owner))
        return order[self.starts]

    def told(self, number: int, most: int = 3) -> str:
        """Find what one class holds in words, the most frequent first."""
        pairs = np.flatnonzero(self.owner == number)
        pairs = pairs[np.lexsort((self.place[pairs], -self.count[pairs]))]
        names = self.shown(self.place[pairs[:most]])
        parts = [f"{n} {name}" for n, name in zip(self.count[pairs], names, strict=False)]
        rest = len(pairs) - most
        return ", ".join(parts) + (f" and {count(rest, 'more value')}" if rest > 0 else "")

    def merged(self, groups: npt.NDArray[Any], names: pd.Index[Any]) -> Holdings:
        """The same with groups in place of values: ``groups`` gives the group of each value."""
        keys = self.owner * len(names) + groups[self.place]
        places, found = renumber(keys, len(self.classes) * len(names))
        return replace(
            self,
            column=replace(self.column, unit=""),  # what is merged is no date
            values=names,
            owner=found // len(names),
            place=found % len(names),
            count=np.bincount(places, self.count).astype(np.int64),
            overall=np.bincount(groups, self.overall, minlength=len(names)).astype(np.int64),
        )


@singledispatch
def holdings_of(table: Any, sensitive: str | None = None, missing: Missing = "refuse") -> Holdings:
    """Find the holdings of the classes of a table; holdings that are at hand pass through.

    The classes of a release in two tables are its groups: all that joins them. A kind of table
    that counts by itself registers how (``@holdings_of.register``).
    """
    classes = classes_of(table, missing)
    return held_by(table, classes, sensitive, missing)


@holdings_of.register
def _pass_holdings(table: Holdings, _: str | None = None, __: Missing = "refuse") -> Holdings:
    return table


def held_by(
    table: Table,
    classes: Classes,
    sensitive: str | None = None,
    missing: Missing = "refuse",
    rows: Rows | None = None,
) -> Holdings:
    """Find the holdings of given classes of the records of a table, or of some of its rows."""
    name = table.schema.find_sensitive(sensitive)
    column, labels = held_in(table, name, classes)
    codes, values = code_values(column, name, missing)
    if isinstance(values, pd.RangeIndex):
        codes, there = renumber(codes.astype(np.int64), len(values))
        values = values[there]
    overall = np.bincount(codes, minlength=len(values))
    chosen = codes if rows is None else codes[rows]
    pairs = count_pairs(labels, len(classes), chosen, len(values))
    return Holdings(table.schema[name], values, *pairs, overall, classes)


@singledispatch
def held_in(table: Any, name: str, classes: Classes) -> tuple[pd.Series[Any], Ints]:
    """A sensitive column and the class of each of its values; kinds that hold it apart register."""
    return table.frame[name], classes.labels


@held_in.register(SplitRelease)
def _find_split_column(
    table: SplitRelease, name: str, _classes: Classes
) -> tuple[pd.Series[Any], Ints]:
    return table.sensitive[name], table.labels.sensitive

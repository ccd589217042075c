"""Which of a release's columns she gave a value of, for every kind that compares her values."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Rows
from verikit._support.rules import CELLS
from verikit.cells import Cells, cells_of
from verikit.errors import quoted
from verikit.languages import localize_number, spoken_language
from verikit.matching import find_known_values
from verikit.table import Column, Schema, number
from verikit.values.columns import refuse_value
from verikit.values.dates import days_of, possible_years
from verikit.values.numbers import plain_digits
from verikit.values.spellings import Spellings, shows
from verikit.values.typed import Typed, refuse_far, typed_number
from verikit.words import text


class Given:
    """What was found of a person by values of hers: the columns they are in, and the others.

    Parameters
    ----------
    release
        What was published, with a schema.
    known
        Her values by column, as they were understood.
    """

    __slots__ = ()
    release: Any
    known: Mapping[str, Any]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns she gave a value of."""
        return tuple(self.release.schema[name] for name in self.known)

    @property
    def left_out(self) -> tuple[Column, ...]:
        """The quasi-identifiers she gave no value of."""
        asked = (c for c in self.release.schema.quasi if c.name not in self.known)
        return tuple(column for column in asked if not names_rows(self.release, column))


FEW = 6
WORDS = {"id", "identifier", "index", "key", "nr", "record", "recordid", "row", "rowid", "uuid"}
TABLES = {"table": "frame", "split": "quasi"}  # what others may know of a person stands there


def names_rows(release: Any, column: Column) -> bool:
    """Whether a column is an identifier, or is called one and has another value in each row.

    Examples
    --------
    >>> import pandas as pd, verikit as vk
    >>> release = vk.TableRelease.of(pd.DataFrame({"row id": range(9), "age": range(30, 39)}))
    >>> [names_rows(release, column) for column in release.schema]
    [True, False]
    """
    table = getattr(release, TABLES.get(release.kind, ""), None)
    if table is None or column.name not in table:
        return False
    if column.role == "identifier":
        return True
    words = re.split(r"[\W_]+", column.name.casefold())
    called = bool(WORDS.intersection((words[0], words[-1])))
    return called and len(release) >= FEW and bool(table[column.name].is_unique)


def usable_values(record: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The quasi-identifiers that a record gives; refused where one is no value of its column."""
    known = find_known_values(record, schema)
    for name, value in known.items():
        if schema[name].kind == "numeric" or schema[name].categories is not None:
            schema[name].score(value)
    return known


def find_rows_showing(frame: pd.DataFrame, known: Mapping[str, Any], rows: Rows) -> Flags:
    """For each of some rows whether it shows all her values.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": [41.0, None, 41.0], "sex": pd.Categorical(["f", "f", "*"])})
    >>> find_rows_showing(frame, {"age": "41", "sex": "f"}, np.arange(3)).tolist()
    [True, False, False]
    """
    found = np.ones(len(rows), bool)
    for name, value in known.items():
        found &= _equals_value(frame[name].take(rows), name, value)
    return found


def _equals_value(cells: pd.Series[Any], name: str, value: Any) -> Flags:
    if isinstance(cells.dtype, pd.CategoricalDtype):
        same = [str(label) == text(value) for label in cells.cat.categories]
        return np.array([*same, False], bool)[cells.cat.codes.to_numpy()]
    if pd.api.types.is_numeric_dtype(cells.dtype):
        return cells.to_numpy(np.float64, na_value=np.nan) == number(value, name)
    return np.zeros(len(cells), bool)


PARTS = ("frame", "quasi", "sensitive")  # where a release of any kind has its columns


def is_unnamed(value: object, cells: Cells) -> bool:
    """Whether a category stands on no label, so that only a cell that may be anything could be it.

    Examples
    --------
    >>> sex = Column("sex", kind="nominal")
    >>> cells = cells_of(pd.Series(["Female", "*"], dtype="category"), sex)
    >>> is_unnamed("woman", cells), is_unnamed("Female", cells)
    (True, False)
    """
    name, column = text(value), cells.column
    if column.kind == "numeric" or name in (column.categories or cells.labels):
        return False
    unread = any(part.unread for part in cells.read)
    return bool(cells.withheld[cells.codes].any()) and not (unread or shows(name, cells.read))


def published_cells(release: Any, name: str) -> pd.Series[Any] | None:
    """The cells of a column as they were published; None where they are not loaded."""
    for part in PARTS:
        frame = getattr(release, part, None)
        if isinstance(frame, pd.DataFrame) and name in frame:
            return frame[name]
    return None


def spellings_of(release: Any, column: Column) -> Spellings:
    """Find the words that a column of a release is known to hold, by what its cells may stand for.

    Examples
    --------
    >>> import verikit as vk
    >>> crimes = vk.published("ks_table4")
    >>> spellings_of(crimes, crimes.schema["Marital Status"]).offered
    ('Married', 'Separated', 'Single')
    """
    sets = getattr(release, "holds_sets", True)
    return Spellings.of(column, published_cells(release, column.name), sets=sets)


def refuse_date(given: str, column: Column, release: Any) -> None:
    """Ask for the year of a date where a column shows this year, and no dates.

    Examples
    --------
    >>> import verikit as vk
    >>> years = vk.TableRelease.of(pd.DataFrame({"DOB": [2001, 2003]}))
    >>> refuse_date("2003-05-14", Column("DOB"), years)
    Traceback (most recent call last):
    verikit.errors.RecordError: 'DOB' was given as '2003-05-14', but it holds years; give 2003.
    """
    years, cells = possible_years(given), published_cells(release, column.name)
    if cells is None or column.dated or not years:
        return
    found = cells_of(cells, column, sets=getattr(release, "holds_sets", True))
    shown = shows(given, spellings_of(release, column).read)
    if shown or not (found.may_be(years[0]) & ~found.anything).any():
        return
    if given.isdecimal() and (found.may_be(given) & ~found.anything).any():
        return
    refuse_value(column, given, "only-year", year=years[0])


def published_numbers(release: Any, name: str) -> Any:
    """The numbers of a column as they were published, or the ends of its ranges; None if none were.

    Of a table that is not loaded, what finds its lowest and its highest number.
    """
    ends = getattr(release, "ends", None)
    if ends is not None:
        return partial(ends, name) if hasattr(release, "source") else np.array(ends(name))
    cells = published_cells(release, name)
    if cells is not None and isinstance(cells.dtype, pd.IntervalDtype):
        return np.r_[cells.array.left, cells.array.right]
    return cells.to_numpy() if cells is not None and cells.dtype.kind in "if" else None


def read_typed(given: str, column: Column, release: Any) -> Typed:
    """Read what a person typed: a number, a date or a category, in the spelling of the table.

    What no cell may be, and a number far from all that were published, is perhaps a slip: it is
    asked back, unless it stands in quotes.

    Parameters
    ----------
    given
        What she wrote, which is not empty.
    column, release
        What it is a value of.

    Raises
    ------
    RecordError
        If it is no value of the column, or may be two.
    """
    plain = " ".join(given.split())
    in_quotes = CELLS.in_quotes.fullmatch(plain)
    if not in_quotes:
        refuse_date(plain, column, release)
    if column.kind != "numeric":
        return Typed(spellings_of(release, column).find(given, typed=True), False)
    published = published_numbers(release, column.name)
    read = typed_number(in_quotes[1] if in_quotes else plain, column, published)
    if not in_quotes:
        refuse_far(plain_digits(plain), read.value, column, published)
    return read._replace(value=int(read.value)) if read.value.is_integer() else read


def understand_record(record: Any, release: Any) -> tuple[Any, list[str]]:
    """A record with numbers for what was written as text, and how each was read.

    Categories are given in the spelling of the table; what is no text stays as it is.
    """
    if not isinstance(record, (Mapping, pd.Series)):
        return record, []
    found, notes = dict(record.items()), []
    for column in (one for one in release.schema if one.name in found):
        name, value = column.name, found[column.name]
        if column.dated and isinstance(value, dt.date):
            found[name] = days_of(value)
        if not isinstance(value, str) or not value.strip():
            continue
        read = read_typed(value, column, release)
        found[name] = read.value
        if column.domain is not None and not column.domain[0] <= read.value <= column.domain[1]:
            low, high = (localize_number(column.shown(end)) for end in column.domain)
            told = {"title": column.title, "given": quoted(" ".join(value.split()))}
            notes.append(spoken_language().words["beyond"].format(**told, low=low, high=high))
        if read.read:
            told = {"title": column.title, "given": quoted(" ".join(value.split()))}
            number = localize_number(column.shown(read.value))
            notes.append(spoken_language().words["read"].format(**told, value=number))
    return found, notes

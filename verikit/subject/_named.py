"""What a release shows of a column, and whether a word or a date that was typed can be of it."""

from __future__ import annotations

from typing import Any

import pandas as pd

from verikit._support.told import Told
from verikit.cells import Cells, Spellings, cells_of, shows
from verikit.errors import RecordError, quoted
from verikit.table import Column, possible_years
from verikit.words import text

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


def refuse_date(given: str, column: Column, cells: pd.Series[Any] | None) -> None:
    """Ask for the year of a date where a column shows this year, and no dates.

    Examples
    --------
    >>> years = pd.Series([2001, 2003])
    >>> refuse_date("2003-05-14", Column("DOB"), years)
    Traceback (most recent call last):
    verikit.errors.RecordError: 'DOB' was given as '2003-05-14', but it holds years; give 2003.
    """
    years = possible_years(given)
    if cells is None or column.dated or not years:
        return
    found = cells_of(cells, column)
    shown = shows(given, Spellings.of(column, cells).read)
    if shown or not (found.may_be(years[0]) & ~found.anything).any():
        return
    if given.isdecimal() and (found.may_be(given) & ~found.anything).any():
        return
    raise RecordError(
        Told(
            f"{quoted(column.name)} was given as {quoted(given)}, but it holds years; give "
            f"{years[0]}.",
            "only-year",
            name=quoted(column.name),
            given=quoted(given),
            year=years[0],
        ),
        field=column.name,
        value=given,
    )

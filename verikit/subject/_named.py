"""Words as a person types them: in whatever case and with whatever blanks, but of the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.told import Told
from verikit.cells import Cells, Meaning, cells_of, has_closed_categories, meanings
from verikit.errors import RecordError, quoted
from verikit.table import Column, possible_years
from verikit.words import joined, listed, text

PARTS = ("frame", "quasi", "sensitive")  # where a release of any kind has its columns
NEAR = 0.81  # Femal is near to Female, male is not


def spell_category(given: str, column: Column, cells: pd.Series[Any] | None = None) -> str:
    """The category that a person means, in the spelling of the table.

    Parameters
    ----------
    given
        What she wrote.
    column
        What it is a value of.
    cells
        The cells that were published; None where they are not at hand.

    Raises
    ------
    RecordError
        If it is none of the declared categories; or, where none were declared, none that a cell
        shows, but nearly one.

    Examples
    --------
    >>> cells = pd.Series(["Female", "Male", "*"], dtype="category")
    >>> spell_category(" FEMALE ", Column("sex", kind="nominal"), cells)
    'Female'
    >>> spell_category("Femal", Column("sex", kind="nominal"), cells)
    Traceback (most recent call last):
    verikit.errors.RecordError: 'Femal' stands nowhere in 'sex', but 'Female' does; write it so, or
    leave it out if another is meant.
    """
    labels, read, declared = _distinct_labels(cells), _read_labels(cells, column), column.categories
    known = tuple(dict.fromkeys((*(declared or ()), *_single_categories(labels, read))))
    if given in known or _may_show(given, read):
        return given
    plain = " ".join(given.split())
    if plain in known or _may_show(plain, read):
        return plain
    alike = [name for name in known if _fold_case(name) == _fold_case(given)]
    if len(alike) == 1:
        return alike[0]
    if has_closed_categories(column):
        _refuse_category(given, column)
    elif near := [name for name in _sort_by_likeness(given, known) if _is_near(given, name)]:
        raise RecordError(
            Told(
                f"{quoted(given)} stands nowhere in {quoted(column.name)}, but "
                f"{joined(map(quoted, near))} {'do' if len(near) > 1 else 'does'}; write it so, or "
                "leave it out if another is meant.",
                "near-word",
                given=quoted(given),
                name=quoted(column.name),
                known=[quoted(name) for name in near],
            )
        )
    return plain


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
    return bool(cells.withheld[cells.codes].any()) and not (unread or _may_show(name, cells.read))


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
    if not (found.may_be(years[0]) & ~found.anything).any() or _may_show(
        given, _read_labels(cells, column)
    ):
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


def _read_labels(cells: pd.Series[Any] | None, column: Column) -> tuple[Meaning, ...]:
    """What the labels of a column may stand for; none where it shows numbers."""
    labels = _distinct_labels(cells)
    return meanings(labels, column) if labels else ()


def _distinct_labels(cells: pd.Series[Any] | None) -> tuple[str, ...]:
    """The different labels of a column; none where it shows numbers."""
    if cells is None or not isinstance(cells.dtype, pd.CategoricalDtype):
        return ()
    codes = np.unique(cells.cat.codes.to_numpy())
    return tuple(map(str, cells.cat.categories[codes[codes >= 0]]))


def _single_categories(labels: Sequence[str], read: Sequence[Meaning]) -> list[str]:
    """The categories that labels show by themselves or in sets."""
    pairs = zip(labels, read, strict=True)
    return [name for label, part in pairs if not part.anything for name in part.names or (label,)]


def _may_show(name: str, read: Iterable[Meaning]) -> bool:
    """Whether some label that may not be anything may be a value."""
    return any(not part.anything and part.holds(name) for part in read)


def _fold_case(name: str) -> str:
    return " ".join(name.split()).casefold()


def _refuse_category(given: str, column: Column) -> None:
    """Refuse what is no declared category, with those first that are spelled nearly so."""
    tree, declared = column.hierarchy, column.categories or ()
    inside = tree.leaves(given) if tree is not None and given in tree.nodes else ()
    known = list(dict.fromkeys((*inside, *_sort_by_likeness(given, declared))))
    raise RecordError(
        Told(
            f"{quoted(given)} is not a category of {quoted(column.name)}; it has "
            f"{listed(known, 12)}.",
            "no-category",
            name=quoted(column.name),
            given=quoted(given),
            known=[quoted(category) for category in known],
        )
    )


def _sort_by_likeness(given: str, known: Iterable[str]) -> list[str]:
    """Names by how nearly they are spelled so, the nearest first; equals in their own order."""
    return sorted(known, key=lambda name: -_measure_likeness(given, name))


def _is_near(given: str, name: str) -> bool:
    """Whether a word is perhaps another one with a slip; digits are never taken for a slip."""
    return not any(map(str.isdigit, given + name)) and _measure_likeness(given, name) >= NEAR


def _measure_likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, _fold_case(one), _fold_case(other), autojunk=False).ratio()

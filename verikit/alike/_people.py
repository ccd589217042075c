"""People whom someone knows, and what the records that they fit hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Ints
from verikit.alike._candidates import absent, candidates, known_values
from verikit.alike._classes import Classes, Table
from verikit.alike._holdings import Holdings, held_by
from verikit.alike._meetings import meetings
from verikit.alike._suppressed import hidden_rows, in_sight
from verikit.cells import cells_of, relate_values
from verikit.errors import RecordError, SchemaError
from verikit.release import TableRelease, whole_records
from verikit.table import Microdata, require_single_value
from verikit.words import text

__all__ = ["People", "held_by_people", "people_frame", "rows_of_people"]

People: TypeAlias = Mapping[str, Any] | pd.DataFrame | Microdata


def held_by_people(people: People, release: Table, sensitive: str | None = None) -> Holdings:
    """What the records that people fit hold: one class a person who fits any.

    Suppressed records fit almost anyone, so they count only for a person who fits no other.
    The table's own shares stay those of all its records, and a missing value is one of its own.

    Examples
    --------
    >>> import verikit as vk
    >>> held = held_by_people({"Zip": "19552"}, vk.published("ks_table4"))
    >>> held.told(0), held.total
    ('4 Theft', 11)
    """
    owner, rows = rows_of_people(people, release)
    fits, labels = np.unique(owner, return_inverse=True)
    cells = people_frame(people).take(owner).reset_index(drop=True)
    persons = Classes(labels, np.bincount(labels, minlength=len(fits)), cells)
    return held_by(release, persons, sensitive, "own value", rows)


def rows_of_people(people: People, release: Table) -> tuple[Ints, Ints]:
    """Each person with each record that she fits: their places, hers in order.

    Suppressed records are left out where she fits others.

    Examples
    --------
    >>> import verikit as vk
    >>> people = pd.DataFrame({"Name": ["Jill", "Jim"], "Zip": ["19552", "36363"]})
    >>> [part.tolist() for part in rows_of_people(people, vk.published("ks_table4"))]
    [[0, 0, 0, 0, 1, 1, 1], [7, 8, 9, 10, 4, 5, 6]]
    """
    if not isinstance(release, Microdata) and not whole_records(release):
        raise SchemaError(
            f"People were to be found in {type(release).__name__}; expected Microdata or a "
            "TableRelease."
        )
    known = people_frame(people)
    one = isinstance(people, (Mapping, pd.Series))
    names = [name for name in known.columns if one or name in release.schema.names]
    hidden = hidden_rows(release)
    if not one:
        return _fitting(known[names], release, hidden)
    rows = in_sight(candidates(known.iloc[0].to_dict(), release), hidden)
    return np.zeros(len(rows), np.int64), rows


def _fitting(
    known: pd.DataFrame, release: Microdata | TableRelease, hidden: Flags
) -> tuple[Ints, Ints]:
    """Each person with each record that she fits, found for all of them together.

    Suppressed records are left out where she fits others: as ``candidates`` one by one.
    """
    columns = {name: _numbered(name, known[name].tolist()) for name in known.columns}
    quasi = [column.name for column in release.schema.quasi if column.name in columns]
    told = np.zeros(len(known), bool)
    for name in quasi:
        values, codes = columns[name]
        told |= codes < len(values)
    if not told.all():  # somebody of whom nothing is known is refused
        known_values(known.iloc[int(np.argmin(told))].to_dict(), release.schema)
    coded = [cells_of(release.frame[name], release.schema[name]) for name in quasi]
    found = meetings(
        [relate_values(*columns[n], cells) for n, cells in zip(quasi, coded, strict=True)]
    )
    owner, rows = found.rows()
    seen = ~hidden[rows]
    kept = seen | ~(np.bincount(owner, seen, minlength=len(known)) > 0)[owner]
    return owner[kept], rows[kept]


def _numbered(name: str, values: list[Any]) -> tuple[list[Any], Ints]:
    """The different values of a column, and the number of each row's; the last says nothing."""
    numbers: dict[tuple[type, Any], int] = {}
    codes = np.full(len(values), -1, np.int64)
    for at, value in enumerate(values):
        require_single_value(name, value)
        if not absent(value):
            codes[at] = numbers.setdefault((type(value), value), len(numbers))
    return [value for _, value in numbers], np.where(codes < 0, len(numbers), codes)


def people_frame(people: People) -> pd.DataFrame:
    """The people whom someone knows, one line each: a table of them, or one record."""
    if isinstance(people, Microdata):
        found = people.frame
    elif isinstance(people, pd.DataFrame):
        found = people.rename(columns=text).reset_index(drop=True)
    elif isinstance(people, (Mapping, pd.Series)):
        found = pd.DataFrame([dict(people)]).rename(columns=text)
    else:
        raise RecordError(
            f"People were given as {type(people).__name__}; expected a table of them, or one "
            "record such as {'age': 41, 'job': 'nurse'}."
        )
    if not len(found):
        raise RecordError("The table of people is empty; give at least one person.")
    return found

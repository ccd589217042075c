"""Find the records that people fit: those whose cells may hold all of their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Ints, Rows
from verikit._support.told import Told
from verikit.cells import cells_of, relate_values, rows_that_may_be
from verikit.errors import RecordError, SchemaError, quoted
from verikit.matching._classes import Classes, Holdings, Table, held_by
from verikit.matching._compatible_pairs import find_compatible_rows
from verikit.release import TableRelease, whole_records
from verikit.table import Microdata, Schema, require_single_value
from verikit.values.spellings import Spellings
from verikit.words import listed, text


def candidates(record: Mapping[str, Any], release: Microdata | TableRelease) -> Rows:
    """Find the places of the records that someone with these quasi-identifiers fits.

    A cell fits if it may be her value: it is the value, a group of the hierarchy above it, a range
    around it, a set such as ``{a, b}`` that names it, a starred form such as ``476**``; or it was
    withheld, is missing, or cannot be read.

    Parameters
    ----------
    record
        Her values by column; a quasi-identifier left out, or None, is not used.
    release
        The table.

    Raises
    ------
    RecordError
        If the record names no quasi-identifier, or a column that the table lacks.

    Examples
    --------
    >>> import verikit as vk
    >>> candidates({"DOB": "1985", "Zip": "36363"}, vk.published("ks_table1")).tolist()
    [3, 6, 9]
    """
    fits = np.ones(len(release), bool)
    for name, value in find_known_values(record, release.schema).items():
        cells, column = release.frame[name], release.schema[name]
        fits &= rows_that_may_be(cells, column, value, sets=release.holds_sets)
    return np.flatnonzero(fits)


def find_known_values(record: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Find the quasi-identifiers that a record gives, in the order of the schema."""
    if isinstance(record, pd.Series):
        record = {str(name): value for name, value in record.items()}
    if not isinstance(record, Mapping):
        raise RecordError(
            f"The record was given as {type(record).__name__}; expected a dictionary such as "
            "{'age': 41, 'job': 'nurse'}."
        )
    unknown = [name for name in record if name not in schema.names]
    if unknown:
        raise RecordError(
            Told(
                f"The record has {listed(unknown)}, which the table lacks; it has "
                f"{listed(schema.names, 12)}.",
                "lacks",
                unknown=[quoted(name) for name in unknown],
                known=[quoted(name) for name in schema.names],
            )
        )
    for name, value in record.items():
        require_single_value(name, value)
    names = [column.name for column in schema.quasi]
    given = {name: record[name] for name in names if not is_absent(record.get(name))}
    if not given:
        raise RecordError(
            Told(
                "The record holds no quasi-identifier; give at least one of "
                f"{listed(names, 12) or 'none that the table has'}.",
                "no-known-value" if names else "",
                known=[quoted(name) for name in names],
            )
        )
    return given


def is_absent(value: Any) -> bool:
    """Tell whether a record says nothing here: None, or a missing value of a table."""
    missing = value is None or value is pd.NA or value is pd.NaT
    return missing or (isinstance(value, (float, np.floating)) and bool(np.isnan(value)))


def drop_hidden(rows: Rows, hidden: Flags) -> Rows:
    """Find the rows that are not hidden; all of them where every one is.

    Examples
    --------
    >>> hidden = np.array([False, True, True])
    >>> (
    ...     drop_hidden(np.array([0, 1]), hidden).tolist(),
    ...     drop_hidden(np.array([1, 2]), hidden).tolist(),
    ... )
    ([0], [1, 2])
    """
    seen = rows[~hidden[rows]]
    return seen if len(seen) else rows


def find_hidden_rows(release: Microdata | TableRelease) -> Flags:
    """Find the suppressed records: as many as the release tells, or those that tell nothing at all.

    A release that says how many it suppressed is believed: these show the widest cell in every
    quasi-identifier. Where more records do, some are there by their own values, and none can be
    told from them. Where nothing is said, a record was suppressed if all its cells are withheld.
    Where all records are, the columns were generalized to the top and nothing was suppressed.
    """
    said = None if isinstance(release, Microdata) else release.parameters.get("suppressed")
    told = said if isinstance(said, int) and not isinstance(said, bool) else None
    none = np.zeros(len(release), bool)
    if told == 0 or not len(release) or not release.schema.quasi:
        return none
    hidden = ~none
    for column in release.schema.quasi:
        cells = cells_of(release.frame[column.name], column, sets=release.holds_sets)
        hidden &= (cells.withheld if told is None else cells.widest)[cells.codes]
    return none if hidden.all() or (told is not None and hidden.sum() > told) else hidden


def suppresses_classes(release: Any) -> bool:
    """Whether it was published that records who look alike are suppressed all or none.

    Then nobody who fits a record that is shown can be one that was suppressed.
    """
    told = release.parameters
    return release.promise == "covers" and bool(told.get("levels") or "search" in told)


People: TypeAlias = Mapping[str, Any] | pd.DataFrame | Microdata


def held_by_people(people: People, release: Table, sensitive: str | None = None) -> Holdings:
    """Find what the records that people fit hold: one class a person who fits any.

    Suppressed records fit almost anyone, so they count only for a person who fits no other.
    The table's own shares stay those of all its records, and a missing value is one of its own.

    Examples
    --------
    >>> import verikit as vk
    >>> held = held_by_people({"Zip": "19552"}, vk.published("ks_table4"))
    >>> held.told(0), held.total
    ('4 Theft', 11)
    """
    owner, rows = find_people_rows(people, release)
    fits, labels = np.unique(owner, return_inverse=True)
    cells = as_people_frame(people).take(owner).reset_index(drop=True)
    persons = Classes(labels, np.bincount(labels, minlength=len(fits)), cells, release.schema)
    return held_by(release, persons, sensitive, "own value", rows)


def find_people_rows(people: People, release: Table) -> tuple[Ints, Ints]:
    """Each person with each record that she fits: their places, hers in order.

    Suppressed records are left out where she fits others.

    Examples
    --------
    >>> import verikit as vk
    >>> people = pd.DataFrame({"Name": ["Jill", "Jim"], "Zip": ["19552", "36363"]})
    >>> [part.tolist() for part in find_people_rows(people, vk.published("ks_table4"))]
    [[0, 0, 0, 0, 1, 1, 1], [7, 8, 9, 10, 4, 5, 6]]
    """
    if not isinstance(release, Microdata) and not whole_records(release):
        raise SchemaError(
            f"People were to be found in {type(release).__name__}; expected Microdata or a "
            "TableRelease."
        )
    known = spell_people(as_people_frame(people), release.frame, release.schema)
    one = isinstance(people, (Mapping, pd.Series))
    names = [name for name in known.columns if one or name in release.schema.names]
    hidden = find_hidden_rows(release)
    if not one:
        return match_people(known[names], release, hidden)
    rows = drop_hidden(candidates(known.iloc[0].to_dict(), release), hidden)
    return np.zeros(len(rows), np.int64), rows


def match_people(
    known: pd.DataFrame,
    release: Microdata | TableRelease,
    hidden: Flags,
    kept: Rows | slice = slice(None),
) -> tuple[Ints, Ints]:
    """Each person with each record that she fits, found for all of them together.

    Suppressed records are left out where she fits others: as ``candidates`` one by one. Where only
    some records are ``kept``, records are counted among these.
    """
    columns = {name: _number_values(name, known[name]) for name in known.columns}
    quasi = [column.name for column in release.schema.quasi if column.name in columns]
    told = np.zeros(len(known), bool)
    for name in quasi:
        values, codes = columns[name]
        told |= codes < len(values)
    if not told.all():  # somebody of whom nothing is known is refused
        find_known_values(known.iloc[int(np.argmin(told))].to_dict(), release.schema)
    coded = [
        cells_of(release.frame[name], release.schema[name], sets=release.holds_sets)
        for name in quasi
    ]
    related = [
        relate_values(*columns[n], replace(cells, codes=cells.codes[kept]))
        for n, cells in zip(quasi, coded, strict=True)
    ]
    owner, rows = find_compatible_rows(related)
    seen = ~hidden[kept][rows]
    shown = seen | ~(np.bincount(owner, seen, minlength=len(known)) > 0)[owner]
    return owner[shown], rows[shown]


def _number_values(name: str, column: pd.Series[Any]) -> tuple[list[Any], Ints]:
    """The different values of a column, and the number of each row's; the last says nothing."""
    if column.dtype != object:  # values of one type, of which equal ones are the same
        found, kinds = pd.factorize(column)
        for value in kinds:
            require_single_value(name, value)
        return kinds.tolist(), np.where(found < 0, len(kinds), found).astype(np.int64)
    values = column.tolist()
    numbers: dict[tuple[type, Any], int] = {}
    codes = np.full(len(values), -1, np.int64)
    for at, value in enumerate(values):
        require_single_value(name, value)
        if not is_absent(value):
            codes[at] = numbers.setdefault((type(value), value), len(numbers))
    return [value for _, value in numbers], np.where(codes < 0, len(numbers), codes)


def spell_people(people: pd.DataFrame, cells: pd.DataFrame, schema: Schema) -> pd.DataFrame:
    """The people with their words in the spelling of a release, whose ``cells`` show them.

    Case and blanks do not matter where they leave one word; what is no value, or nearly one, is
    refused, so that nobody is missed in silence.

    Examples
    --------
    >>> import verikit as vk
    >>> cells = pd.DataFrame({"sex": pd.Categorical(["Female", "Male"])})
    >>> people = pd.DataFrame({"sex": ["female", "Male "]})
    >>> spell_people(people, cells, vk.Schema((vk.Column("sex", kind="nominal"),)))["sex"].tolist()
    ['Female', 'Male']
    """
    changed: dict[str, pd.Series[Any]] = {}
    for column in schema.quasi:
        if column.name not in people or column.kind == "numeric":
            continue
        known, values = Spellings.of(column, cells[column.name]), people[column.name]
        once = values if values.dtype == object else values.drop_duplicates()
        words = dict.fromkeys(one for one in once if isinstance(one, str) and one.strip())
        meant = {word: known.find(word) for word in words}
        if any(word != other for word, other in meant.items()):
            changed[column.name] = values.astype(object).replace(meant)
    return people.assign(**changed) if changed else people


def as_people_frame(people: People) -> pd.DataFrame:
    """Find the people whom someone knows, one line each: a table of them, or one record."""
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

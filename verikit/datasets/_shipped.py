"""The tables of the papers, as the protector and as the public hold them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from verikit._support.resources import data_path
from verikit.cells import intervals
from verikit.errors import FormatError, SchemaError, quoted
from verikit.hierarchy import Hierarchy
from verikit.release import Release, SplitRelease, TableRelease, open_release
from verikit.table import Column, Microdata, Schema
from verikit.table._read import read_frame
from verikit.words import listed

__all__ = ["available", "describe", "find_release", "load", "published", "schema_of"]


def available() -> tuple[str, ...]:
    """The names of all tables that ship with verikit.

    Examples
    --------
    >>> "dm_table1" in available()
    True
    """
    return tuple(sorted(path.stem for path in data_path("").glob("*.toml")))


def describe(name: str) -> Mapping[str, Any]:
    """What is known about a shipped table: title, paper, item, columns, corrections.

    Examples
    --------
    >>> describe("dm_table1")["item"]
    'Table 1'
    """
    if name not in available():
        raise FormatError(
            f"There is no table {quoted(name)}; verikit has {listed(available(), 40)}."
        )
    with data_path(f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


def load(name: str, *, printed: bool = False) -> Microdata:
    """A table of one of the papers.

    Parameters
    ----------
    name
        The name of the table, one of `available`.
    printed
        Whether single values that are misprinted stay as printed; else they are corrected.

    Returns
    -------
    Microdata
        Its records in the order of the paper.

    Raises
    ------
    FormatError
        If there is no such table, or it holds groups of values, as `published` opens them.

    Examples
    --------
    >>> load("dm_table1").record(2)
    {'X1': 100.87, 'X2': 902.21, 'X3': 5108.54}
    >>> (
    ...     load("lhcc_table1").record(3)["Disease"],
    ...     load("lhcc_table1", printed=True).record(3)["Disease"],
    ... )
    ('Gastritis', 'Gastritic')
    """
    description = describe(name)
    try:
        return Microdata(_frame(name, printed), schema_of(description))
    except SchemaError as error:
        if "release" not in description:
            raise
        raise FormatError(
            f"{quoted(name)} holds groups of values, not values; published({quoted(name)}) opens "
            "it."
        ) from error


def published(name: str) -> Release:
    """A table that a paper prints as a release, with its method and parameters.

    Identifiers, which a paper may print starred out, are left away.

    Parameters
    ----------
    name
        The name of the table; of a release in two tables the common part of their names.

    Returns
    -------
    TableRelease or SplitRelease
        The release as printed.

    Raises
    ------
    FormatError
        If there is no such table, or it is no release.

    Examples
    --------
    >>> published("dm_table1_masked").parameters["scale"]
    {'X1': 5, 'X2': 25, 'X3': 100}
    >>> published("lhcc_table3")
    SplitRelease(9 records in 2 groups, of Age, Sex | Disease; method anatomize)
    """
    found = name if name in available() else _first_part(name)
    facts = describe(found).get("release")
    if facts is None:
        raise FormatError(
            f"{quoted(name)} is no release but an original or a result; load({quoted(name)}) gives "
            "it."
        )
    return _split(found, facts) if facts["kind"] == "split" else _table(found, facts)


def find_release(source: str, folder: str | Path = ".") -> Release:
    """A release by where it lies, seen from a folder; or by the name of a printed one.

    Examples
    --------
    >>> find_release("dm_table1_masked")
    TableRelease(20 records of X1, X2, X3; method noise)
    """
    place = Path(folder) / Path(source).expanduser()
    named = any(name == source or name.startswith(f"{source}_") for name in available())
    return published(source) if named and not place.exists() else open_release(place)


def _first_part(name: str) -> str:
    """The first table of a release in two tables."""
    parts = [part for part in available() if part.startswith(f"{name}_")]
    return next((part for part in parts if "release" in describe(part)), name)


def _table(name: str, facts: Mapping[str, Any]) -> TableRelease:
    schema, frame = schema_of(describe(name)).released, _frame(name)
    for column in facts.get("spans", ()):
        schema = schema.with_column(column, kind="numeric", order=None)
        frame = frame.assign(**{column: intervals(frame[column])})
    return TableRelease(
        frame[list(schema.names)],
        schema,
        facts["method"],
        facts.get("parameters", {}),
        facts["promise"],
        facts.get("reported_links"),
    )


def _split(name: str, facts: Mapping[str, Any]) -> SplitRelease:
    """A release printed in two tables, or in one whose sensitive column was permuted."""
    quasi, sensitive = (schema_of(describe(part)) for part in (name, facts["sensitive"]))
    group = facts.get("group") or next(c.name for c in quasi if c.name in sensitive.names)
    schema = Schema(tuple({c.name: c for c in (*quasi, *sensitive) if c.name != group}.values()))
    schema = schema.released
    known = [column.name for column in schema if column.role != "sensitive"]
    return SplitRelease(
        _frame(name)[[*known, group]],
        _frame(facts["sensitive"])[[group, *(column.name for column in schema.sensitive)]],
        schema,
        facts["method"],
        facts.get("parameters", {}),
        facts["permuted"],
        _frame(facts["help"]) if "help" in facts else None,
        group,
        facts["promise"],
    )


def _frame(name: str, printed: bool = False) -> pd.DataFrame:
    """A shipped table, its misprinted values corrected."""
    textual = [part["name"] for part in describe(name)["columns"] if part["kind"] != "numeric"]
    frame = read_frame(data_path(f"{name}.csv"), textual)
    for fix in describe(name).get("corrections", ()) if not printed else ():
        column = fix.get("column")
        if column in textual:
            frame[column] = frame[column].replace(fix["printed"], fix["reading"])
    return frame


def schema_of(description: Mapping[str, Any]) -> Schema:
    """The schema that a description, such as a shipped table's, holds under ``columns``."""
    return Schema(
        tuple(
            Column(
                part["name"],
                part["role"],
                part["kind"],
                Hierarchy.of(part["hierarchy"]) if "hierarchy" in part else None,
                tuple(part["order"]) if "order" in part else None,
                part.get("unit", ""),
                part.get("label", ""),
            )
            for part in description["columns"]
        )
    )

"""The tables that ship with verikit, as the protector and as the public hold them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from verikit._support.resources import data_path
from verikit.cells import parse_intervals
from verikit.errors import FormatError, SchemaError, quoted
from verikit.hierarchy import Hierarchy
from verikit.release import Release, SplitRelease, TableRelease, open_release
from verikit.table import Column, Microdata, Schema, read_frame
from verikit.words import listed


def available() -> tuple[str, ...]:
    """List the tables and releases that ship with verikit, under the names they are opened by.

    A release in two tables stands here once, under the common part of their names. The facts that
    were checked in the papers are no tables of people; `verikit.papers` has them.

    Examples
    --------
    >>> {"dm_table1", "lhcc_table3"} <= set(available()), "dm_facts" in available()
    (True, False)
    """
    parts = {part for name in releases() for part in tables_of(name) if part != name}
    tables = {name for name in _list_names() if not name.endswith("_facts")}
    return tuple(sorted((tables - parts) | set(releases())))


@cache
def releases() -> tuple[str, ...]:
    """List what the papers print as a release: what `published` opens.

    Examples
    --------
    >>> releases()[:3], releases()[-2:]
    (('dm_table1_mapped', 'dm_table1_masked', 'ks_table1'), ('yq_figure4', 'yq_figure5'))
    """
    found = {name: _read_description(name).get("release") for name in _list_names()}
    return tuple(
        name.rpartition("_")[0] if facts.get("sensitive", name) != name else name
        for name, facts in found.items()
        if facts is not None
    )


def tables_of(name: str) -> tuple[str, ...]:
    """List the shipped tables behind a name: two where a release was published in two.

    Examples
    --------
    >>> tables_of("lhcc_table3"), tables_of("dm_table1")
    (('lhcc_table3_qit', 'lhcc_table3_st'), ('dm_table1',))
    """
    if name in _list_names():
        return (name,)
    parts = [part for part in _list_names() if part.rpartition("_")[0] == name]
    first = next(
        (part for part in parts if "sensitive" in _read_description(part).get("release", ())), None
    )
    if first is None:
        raise FormatError(
            f"There is no table {quoted(name)}; verikit has {listed(available(), 40)}."
        )
    return (first, _read_description(first)["release"]["sensitive"])


def describe(name: str) -> Mapping[str, Any]:
    """Describe a shipped table or release: title, paper, item, columns, corrections.

    Examples
    --------
    >>> describe("dm_table1")["item"]
    'Table 1'
    >>> [column["name"] for column in describe("lhcc_table3")["columns"]]
    ['Age', 'Sex', 'Group-ID', 'Disease']
    """
    first, *others = map(_read_description, tables_of(name))
    for other in others:
        known = [column["name"] for column in first["columns"]]
        first["columns"] += [c for c in other["columns"] if c["name"] not in known]
        first["title"] = f"{first['title']}; {other['title'].partition(': ')[2]}"
        first["description"] += other["description"]
        first["corrections"] = first.get("corrections", []) + other.get("corrections", [])
    return first


@cache
def _list_names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in data_path("").glob("*.toml")))


def _read_description(name: str) -> dict[str, Any]:
    with data_path(f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


def load(name: str, *, printed: bool = False) -> Microdata:
    """Load a table of one of the papers.

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
    if len(tables_of(name)) > 1:
        raise FormatError(
            f"{quoted(name)} is a release in two tables; published({quoted(name)}) opens it."
        )
    description = describe(name)
    try:
        return Microdata(_read_table(name, printed), schema_of(description))
    except SchemaError as error:
        if "release" not in description:
            raise
        raise FormatError(
            f"{quoted(name)} holds groups of values, not values; published({quoted(name)}) opens "
            "it."
        ) from error


def published(name: str) -> Release:
    """Open a table that a paper prints as a release, with its method and parameters.

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
    found = tables_of(name)[0]
    facts = describe(found).get("release")
    if facts is None:
        raise FormatError(
            f"{quoted(name)} is no release but an original or a result; load({quoted(name)}) gives "
            "it."
        )
    return _open_split(found, facts) if facts["kind"] == "split" else _open_table(found, facts)


def example_record(name: str) -> dict[str, Any]:
    """Give what others may know of the person with whom a shipped release is shown; mostly nobody.

    Examples
    --------
    >>> example_record("people_masked"), example_record("ks_table4")
    ({'age': 34, 'postcode': '3104'}, {})
    """
    facts = describe(name)["release"]
    if "example" not in facts:
        return {}
    data = load(facts["original"])
    record = data.record(facts["example"])
    return {column.name: record[column.name] for column in data.schema.quasi}


def find_release(source: str, folder: str | Path = ".", **spelling: Any) -> Release:
    """Find a release by where it lies, seen from a folder; or by the name of a printed one.

    How a bare table is written may be said as in `open_release`.

    Examples
    --------
    >>> find_release("dm_table1_masked")
    TableRelease(20 records of X1, X2, X3; method noise)
    """
    place = Path(folder) / Path(source).expanduser()
    named = source in _list_names() or source in releases()
    return published(source) if named and not place.exists() else open_release(place, **spelling)


def _open_table(name: str, facts: Mapping[str, Any]) -> TableRelease:
    schema, frame = schema_of(describe(name)).released, _read_table(name)
    for column in facts.get("spans", ()):
        schema = schema.with_column(column, kind="numeric", order=None)
        frame = frame.assign(**{column: parse_intervals(frame[column])})
    return TableRelease(
        frame[list(schema.names)],
        schema,
        facts["method"],
        facts.get("parameters", {}),
        facts["promise"],
        facts.get("reported_links"),
        facts.get("reported_luck"),
    )


def _open_split(name: str, facts: Mapping[str, Any]) -> SplitRelease:
    """Open a release printed in two tables, or in one whose sensitive column was permuted."""
    quasi, sensitive = (schema_of(describe(part)) for part in (name, facts["sensitive"]))
    group = facts.get("group") or next(c.name for c in quasi if c.name in sensitive.names)
    schema = Schema(tuple({c.name: c for c in (*quasi, *sensitive) if c.name != group}.values()))
    schema = schema.released
    known = [column.name for column in schema if column.role != "sensitive"]
    return SplitRelease(
        _read_table(name)[[*known, group]],
        _read_table(facts["sensitive"])[[group, *(column.name for column in schema.sensitive)]],
        schema,
        facts["method"],
        facts.get("parameters", {}),
        facts["permuted"],
        _read_table(facts["help"]) if "help" in facts else None,
        group,
        facts["promise"],
    )


def _read_table(name: str, printed: bool = False) -> pd.DataFrame:
    """Read a shipped table, its misprinted values corrected."""
    textual = [part["name"] for part in describe(name)["columns"] if part["kind"] != "numeric"]
    frame = read_frame(data_path(f"{name}.csv"), textual)
    for fix in describe(name).get("corrections", ()) if not printed else ():
        column = fix.get("column")
        if column in textual:
            frame[column] = frame[column].replace(fix["printed"], fix["reading"])
    return frame


def schema_of(description: Mapping[str, Any]) -> Schema:
    """Build the schema that a description, such as a shipped table's, holds under ``columns``."""
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

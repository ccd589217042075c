"""Packages that others describe as Frictionless has it: one table, of which nobody tells how."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from verikit.errors import FormatError, SchemaError, quoted
from verikit.release._fetch import Fetch
from verikit.release._package import PACKAGE
from verikit.release._table import TableRelease
from verikit.table import MISSING, Column, read_people, schema_of
from verikit.table.reading import Asked
from verikit.words import listed, text

__all__ = ["open_plain"]

Described = Mapping[str, Any]


def open_plain(fetch: Fetch, package: Described, asked: Asked) -> TableRelease:
    """The one table of a package, or the one asked for, in the terms of its description.

    Separator, decimal mark, marks for missing values, titles and the order of categories are taken
    as they are described.
    """
    resource = _chosen(package["resources"], asked.sheet)
    schema = resource.get("schema", {})
    if not isinstance(schema, dict) or not isinstance(schema.get("fields", []), list):
        raise FormatError(
            f"{PACKAGE} describes the columns of {quoted(resource.get('name'))} in another file or "
            "in no list; put its 'fields' into it."
        )
    fields = [field for field in schema.get("fields", []) if isinstance(field, dict)]
    stream = io.BytesIO(_content(fetch, resource))
    stream.name = PurePosixPath(str(resource["path"])).name
    told = {text(field.get("name", "")): field for field in fields}
    words = [name for name, field in told.items() if field.get("type") == "string"]
    found = read_people(
        stream,
        words or None,
        missing=schema.get("missingValues", MISSING),
        asked=_spelling(resource, fields, asked),
    )
    described = schema_of(found)
    for column in described:
        field = told.get(column.name)
        if field is not None:
            described = described.with_column(column.name, **_said(column, field))
    return TableRelease(found.frame, described, notes=found.notes)


def _chosen(resources: Any, wanted: str | None) -> Described:
    tables = {
        str(one.get("name", place)): one
        for place, one in enumerate(resources)
        if isinstance(one, dict) and isinstance(one.get("path"), str)
    }
    if wanted is not None and wanted in tables:
        return tables[wanted]
    if wanted is None and len(tables) == 1:
        return next(iter(tables.values()))
    raise FormatError(
        f"{PACKAGE} names the tables {listed(tables, 12) or 'of no file'}"
        f"{'' if wanted is None else f', none of them {quoted(wanted)}'}; say which one "
        "(sheet='...')."
    )


def _content(fetch: Fetch, resource: Described) -> bytes:
    path = PurePosixPath(resource["path"])
    if "://" in resource["path"] or path.is_absolute() or ".." in path.parts or "\0" in str(path):
        raise FormatError(
            f"{PACKAGE} points outside its folder, to {quoted(str(path))}; get that file and open "
            "it by itself."
        )
    try:
        return fetch(str(path))
    except (OSError, KeyError) as error:
        raise FormatError(
            f"{PACKAGE} names the table {quoted(str(path))}, but it is not there."
        ) from error


def _spelling(resource: Described, fields: Sequence[Described], asked: Asked) -> Asked:
    """How the table is written: as the person says, else as described, else found out."""
    dialect = resource.get("dialect", {})
    dialect = dialect if isinstance(dialect, dict) else {}
    decimals = {field["decimalChar"] for field in fields if field.get("decimalChar")}
    return replace(
        asked,
        encoding=asked.encoding or resource.get("encoding"),
        separator=asked.separator or dialect.get("delimiter"),
        decimal=asked.decimal or (decimals.pop() if len(decimals) == 1 else None),
        sheet=None,
    )


def _said(column: Column, field: Described) -> dict[str, Any]:
    """What is described of a column: its title, and its categories in their order."""
    changes: dict[str, Any] = {"label": str(field.get("title") or field.get("description") or "")}
    constraints = field.get("constraints", {})
    listed_in = field.get("categories") or (
        constraints.get("enum") if isinstance(constraints, dict) else None
    )
    if column.kind == "numeric" or not isinstance(listed_in, list) or not listed_in:
        return changes
    names = [one.get("value") if isinstance(one, dict) else one for one in listed_in]
    if field.get("categoriesOrdered") is False:
        return changes
    try:
        replace(column, kind="ordinal", order=tuple(map(text, names)))
    except SchemaError:
        return changes
    return {**changes, "kind": "ordinal", "order": tuple(map(text, names))}

"""Columns as a schema file describes them, and hierarchies that lie in files of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from verikit.cli._pairs import pairs
from verikit.datasets import schema_of
from verikit.hierarchy import Hierarchy
from verikit.table import Microdata, Schema

__all__ = ["described", "read_hierarchy", "with_hierarchies"]


def described(description: Mapping[str, Any], folder: Path) -> Schema:
    """The schema of a description in which a hierarchy may be the name of a file in a folder."""
    parts = description["columns"]
    files = {p["name"]: p["hierarchy"] for p in parts if isinstance(p.get("hierarchy"), str)}
    kinds = {p["name"]: p["kind"] for p in parts if p["name"] in files}
    held = [_without_file(part) if part["name"] in files else part for part in parts]
    schema = schema_of({"columns": held})
    for name, file in files.items():
        tree = read_hierarchy(folder / file)
        schema = schema.with_column(name, hierarchy=tree, kind=kinds[name])
    return schema


def _without_file(part: Mapping[str, Any]) -> dict[str, Any]:
    """A column before its hierarchy is read: it is ordinal only once it has that."""
    rest = {name: value for name, value in part.items() if name != "hierarchy"}
    return rest | ({"kind": "nominal"} if part["kind"] == "ordinal" and "order" not in part else {})


def read_hierarchy(path: str | Path) -> Hierarchy:
    """Read a file of levels, separated by semicolons or, where it has none, by commas."""
    tree = Hierarchy.read_csv(path)
    return tree if tree.height else Hierarchy.read_csv(path, sep=",")


def with_hierarchies(data: Microdata, given: Sequence[str]) -> Microdata:
    """Give columns the hierarchies of ``--hierarchy NAME=FILE``."""
    schema = data.schema
    for name, file in pairs(given, "--hierarchy").items():
        schema = schema.with_column(name, hierarchy=read_hierarchy(file))
    return data if schema is data.schema else Microdata(data.frame, schema)

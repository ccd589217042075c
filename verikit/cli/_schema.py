"""``verikit schema``: a description of a table's columns, to be read and edited."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from verikit._support.writing import together
from verikit.cli._hierarchies import read_hierarchy
from verikit.cli._inputs import Commands, add_spelling, spelling
from verikit.cli._pairs import pairs
from verikit.table import Column, Microdata, Schema, read
from verikit.words import count

__all__ = ["add"]

HEAD = """\
# The columns of {name}: read each role and kind, and change what is wrong.
#
# role  identifier  never published
#       quasi       others may know it about a person
#       sensitive   must not be learned about a person
#       other       published as it is
# kind  numeric     numbers
#       ordinal     categories with an order; give it as  order = ["low", "high"]
#       nominal     categories without an order
# hierarchy         groups of the values: a file, one line a value, from the value to the root,
#                   separated by semicolons
"""
FEW = 20
NAMED = re.compile(r"(?:^|[_\W])(?:id|name|e-?mail|phone|ssn|address)(?:$|[_\W])", re.IGNORECASE)


def add(commands: Commands) -> None:
    """Add the subcommand."""
    command = commands.add_parser(
        "schema",
        help="write a template of a table's columns, their roles and kinds, to edit",
        description="Write a TOML file that describes each column of a table, to be edited and "
        "given to  mask, choose, audit and publish  as --schema. A column named like an "
        "identifier, or of text that differs in each record, is proposed as one.",
    )
    command.add_argument("table", help="the original records, a table file")
    command.add_argument(
        "--role", action="append", default=[], metavar="NAME=ROLE", help="the role of a column"
    )
    command.add_argument(
        "--hierarchy",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="the file of a column's hierarchy",
    )
    command.add_argument("--out", metavar="TOML", help="write it to a file instead of the screen")
    command.add_argument("--force", action="store_true", help="replace what stands at --out")
    command.add_argument("--json", action="store_true", help="print the columns as JSON")
    add_spelling(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print or write the description of a table's columns."""
    data = read(given.table, **spelling(given))
    files = pairs(given.hierarchy, "--hierarchy")
    schema = _described(data, pairs(given.role, "--role"), files)
    start = Path(given.out).absolute().parent if given.out else Path.cwd()
    told = {name: Path(os.path.relpath(file, start)).as_posix() for name, file in files.items()}
    text = _toml(Path(given.table).name, data, schema, told)
    if given.out:
        advice = "choose another name, or replace it with --force"
        with together() as new:
            new.file(given.out, text, replace=given.force, advice=advice)
    if given.json:
        print(json.dumps([_facts(column, told) for column in schema], ensure_ascii=False))
    else:
        print(f"Read and edit {given.out!r}, then give it as --schema." if given.out else text)
    return 0


def _described(data: Microdata, roles: Mapping[str, str], files: Mapping[str, str]) -> Schema:
    """The columns as guessed, with what was said of them; what does not fit is refused."""
    schema = data.schema
    for column in data.schema:
        if _names_people(column, data.frame[column.name]):
            schema = schema.with_column(column.name, role="identifier")
    for name, role in roles.items():
        schema = schema.with_column(name, role=role)
    for name, file in files.items():
        schema = schema.with_column(name, hierarchy=read_hierarchy(file))
    return Microdata(data.frame, schema).schema


def _names_people(column: Column, values: pd.Series[Any]) -> bool:
    """Whether a column seems to name people: each value once, and text or such a name."""
    once = len(values) > 1 and values.nunique() == len(values)
    return once and (column.kind != "numeric" or NAMED.search(column.name) is not None)


def _facts(column: Column, files: Mapping[str, str]) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": column.name, "role": column.role, "kind": column.kind}
    if column.order is not None:
        facts["order"] = list(column.order)
    if column.name in files:
        facts["hierarchy"] = files[column.name]
    return facts | ({"label": column.label} if column.label else {})


def _toml(name: str, data: Microdata, schema: Schema, files: Mapping[str, str]) -> str:
    shown = name.replace("\n", " ").replace("\r", " ")
    parts = [_part(column, data.frame[column.name], files) for column in schema]
    return HEAD.format(name=shown) + "\n" + "\n\n".join(parts) + "\n"


def _part(column: Column, values: pd.Series[Any], files: Mapping[str, str]) -> str:
    facts = _facts(column, files)
    different = values.nunique()
    lines = ["[[columns]]", *(f"{key} = {_value(value)}" for key, value in facts.items())]
    lines[1] += f"  # {count(different, 'different value')}"
    if column.kind == "nominal" and not column.categories and different <= FEW:
        found = sorted(str(value) for value in values.dropna().unique())
        lines.append(f"# order = {_value(found)}")
    return "\n".join(lines)


def _value(value: Any) -> str:
    """A value as TOML writes it, whose strings are those of JSON but for one letter."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

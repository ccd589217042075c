"""``verikit data``: the tables that ship with verikit."""

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
from verikit.cli._inputs import (
    Commands,
    add_spelling,
    print_json,
    read_hierarchy,
    read_pairs,
    read_spelling,
    write_document,
)
from verikit.datasets import available, describe, load, published, releases, schema_of, tables_of
from verikit.table import Column, Microdata, Schema, read
from verikit.words import count


def add_data(commands: Commands) -> None:
    """Add the subcommands."""
    whole = commands.add_parser("data", help="the papers' tables that ship with verikit")
    parts = whole.add_subparsers(metavar="action", required=True)
    listed = parts.add_parser("list", help="name every table")
    listed.set_defaults(run=run_list)
    shown = parts.add_parser("describe", help="tell what is known about a table")
    shown.add_argument("name")
    shown.set_defaults(run=run_describe)
    export = parts.add_parser("export", help="copy a table and its description, or save a release")
    export.add_argument("name")
    export.add_argument("--out", default=".", metavar="FOLDER", help="where to (default: here)")
    export.add_argument("--release", action="store_true", help="save a printed release as a folder")
    export.set_defaults(run=run_export)
    for part in (listed, shown, export):
        part.add_argument("--json", action="store_true", help="print the result as JSON")


def run_list(given: argparse.Namespace) -> int:
    """Print name, source and title of every table."""
    if given.json:
        keys = ("paper", "item", "title")
        lines = [(name, describe(name)) for name in available()]
        print_json([{"name": name} | {key: facts[key] for key in keys} for name, facts in lines])
        return 0
    width = max(map(len, available()))
    for name in available():
        facts = describe(name)
        print(f"{name:{width}}  {facts['paper']:4} {facts['item']:18} {facts['title']}")
    return 0


def run_describe(given: argparse.Namespace) -> int:
    """Print title, description, columns and corrections of a table."""
    facts = describe(given.name)
    data = published(given.name) if given.name in releases() else load(given.name)
    if given.json:
        parts = ("name", "role", "kind", "unit", "label")
        columns = [{part: getattr(c, part) for part in parts} for c in schema_of(facts)]
        fixes = list(facts.get("corrections", ()))
        about = {key: facts[key] for key in ("paper", "item", "title", "description")}
        more = {"records": len(data), "columns": columns, "corrections": fixes}
        print_json({"name": given.name} | about | more)
        return 0
    print(
        f"{facts['title']} ([{facts['paper']}] {facts['item']})\n\n{facts['description'].strip()}"
    )
    print(f"\n{count(len(data), 'record')}; columns:")
    for column in schema_of(facts):
        label = f"  {column.label}" if column.label else ""
        unit = f" [{column.unit}]" if column.unit else ""
        print(f"  {column.name}{unit}: {column.role}, {column.kind}{label}")
    for fix in facts.get("corrections", ()):
        print(f"Printed {fix['printed']}, read as {fix['reading']}.")
    return 0


def run_export(given: argparse.Namespace) -> int:
    """Copy the CSV and its description, or save the printed release; nothing is overwritten."""
    describe(given.name)
    folder = Path(given.out)
    if given.release:
        _print_paths([published(given.name).save(folder / given.name)], given)
        return 0
    from verikit._support.resources import data_path

    names = tables_of(given.name)
    targets = [folder / f"{name}{suffix}" for name in names for suffix in (".csv", ".toml")]
    with together() as new:
        new.parents(folder)
        for target in targets:
            content = data_path(target.name).read_bytes()
            new.file(target, content, advice="choose another folder with --out")
    _print_paths(targets, given)
    return 0


def _print_paths(paths: list[Path], given: argparse.Namespace) -> None:
    """Print what was written, in words or as JSON."""
    if given.json:
        print_json({"written": [str(path) for path in paths]})
    else:
        print(*paths, sep="\n")


TOML_HEAD = """\
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
MAX_LISTED = 20
NAMES_PEOPLE = re.compile(
    r"(?:^|[_\W])(?:id|name|e-?mail|phone|ssn|address)(?:$|[_\W])", re.IGNORECASE
)


def add_schema(commands: Commands) -> None:
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
    command.set_defaults(run=run_schema)


def run_schema(given: argparse.Namespace) -> int:
    """Print or write the description of a table's columns."""
    data = read(given.table, **read_spelling(given))
    files = read_pairs(given.hierarchy, "--hierarchy")
    schema = _propose_schema(data, read_pairs(given.role, "--role"), files)
    start = Path(given.out).absolute().parent if given.out else Path.cwd()
    paths = {name: Path(os.path.relpath(file, start)).as_posix() for name, file in files.items()}
    name = Path(given.table).name.replace("\n", " ").replace("\r", " ")
    parts = [_write_column(column, data.frame[column.name], paths) for column in schema]
    text = TOML_HEAD.format(name=name) + "\n" + "\n\n".join(parts) + "\n"
    if given.out:
        write_document(given.out, text, replace=given.force)
    if given.json:
        print_json([_describe_column(column, paths) for column in schema])
    else:
        print(f"Read and edit {given.out!r}, then give it as --schema." if given.out else text)
    return 0


def _propose_schema(data: Microdata, roles: Mapping[str, str], files: Mapping[str, str]) -> Schema:
    """Propose the columns as guessed, with what was said of them; what does not fit is refused."""
    schema = data.schema
    for column in data.schema:
        values = data.frame[column.name]
        # What differs in each record points at people, unless it is a measured number.
        once = len(values) > 1 and values.nunique() == len(values)
        if once and (column.kind != "numeric" or NAMES_PEOPLE.search(column.name)):
            schema = schema.with_column(column.name, role="identifier")
    for name, role in roles.items():
        schema = schema.with_column(name, role=role)
    for name, file in files.items():
        schema = schema.with_column(name, hierarchy=read_hierarchy(file))
    return Microdata(data.frame, schema).schema


def _describe_column(column: Column, files: Mapping[str, str]) -> dict[str, Any]:
    """Describe a column as the schema file does."""
    facts: dict[str, Any] = {"name": column.name, "role": column.role, "kind": column.kind}
    if column.order is not None:
        facts["order"] = list(column.order)
    if column.name in files:
        facts["hierarchy"] = files[column.name]
    return facts | ({"label": column.label} if column.label else {})


def _write_column(column: Column, values: pd.Series[Any], files: Mapping[str, str]) -> str:
    """Write the entry of a column, with what helps to edit it as comments."""
    facts = _describe_column(column, files)
    different = values.nunique()
    lines = ["[[columns]]", *(f"{key} = {_write_value(value)}" for key, value in facts.items())]
    lines[1] += f"  # {count(different, 'different value')}"
    if column.kind == "nominal" and not column.categories and different <= MAX_LISTED:
        found = sorted(str(value) for value in values.dropna().unique())
        lines.append(f"# order = {_write_value(found)}")
    return "\n".join(lines)


def _write_value(value: Any) -> str:
    """Write a value as TOML does, whose strings are those of JSON but for one letter."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

"""``verikit data``: the tables that ship with verikit."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from verikit._support.writing import together
from verikit.cli._declare import Command, Spelling
from verikit.cli._inputs import read_hierarchy, read_pairs, write_document
from verikit.datasets import (
    available,
    describe,
    load,
    published,
    releases,
    schema_of,
    simulate,
    tables_of,
)
from verikit.table import Column, Microdata, Schema, read
from verikit.words import Said, count, listed


@dataclass
class ListTables(Command):
    """Name every table."""

    _: KW_ONLY
    json: bool = False

    def execute(self) -> int:
        """Print name, source and title of every table."""
        keys, width = ("paper", "item", "title"), max(map(len, available()))
        facts = [{"name": n} | {key: describe(n)[key] for key in keys} for n in available()]
        form = f"{{name:{width}}}  {{paper:4}} {{item:18}} {{title}}"
        self.show(facts, "\n".join(form.format(**one) for one in facts))
        return 0


@dataclass
class DescribeTable(Command):
    """Tell what is known about a table.

    Parameters
    ----------
    name
        the table
    """

    name: str
    _: KW_ONLY
    json: bool = False

    def execute(self) -> int:
        """Print title, description, columns and corrections of a table."""
        facts = describe(self.name)
        data = published(self.name) if self.name in releases() else load(self.name)
        parts = ("name", "role", "kind", "unit", "label")
        columns = [{part: getattr(c, part) for part in parts} for c in schema_of(facts)]
        fixes = list(facts.get("corrections", ()))
        about = {key: facts[key] for key in ("paper", "item", "title", "description")}
        more = {"records": len(data), "columns": columns, "corrections": fixes}
        lines = [f"{facts['title']} ([{facts['paper']}] {facts['item']})", ""]
        lines += [facts["description"].strip(), "", f"{count(len(data), 'record')}; columns:"]
        for column in schema_of(facts):
            label = f"  {column.label}" if column.label else ""
            unit = f" [{column.unit}]" if column.unit else ""
            lines.append(f"  {column.name}{unit}: {column.role}, {column.kind}{label}")
        lines += [f"Printed {fix['printed']}, read as {fix['reading']}." for fix in fixes]
        self.show({"name": self.name} | about | more, "\n".join(lines))
        return 0


@dataclass
class ExportTable(Command):
    """Copy a table and its description, or save a release; or make a table up.

    Parameters
    ----------
    name
        the table; with --rows "dm" or "census", which are made up as papers make theirs
    out : FOLDER
        where to (default: here)
    release
        save a printed release as a folder
    rows : COUNT
        make up so many records
    seed
        the randomness of what is made up
    """

    name: str
    _: KW_ONLY
    out: str = "."
    release: bool = False
    rows: int | None = None
    seed: int = 1
    json: bool = False

    def execute(self) -> int:
        """Copy the CSV and its description, or save the printed release; nothing is overwritten."""
        from verikit._support.resources import data_path

        folder = Path(self.out)
        if self.rows is not None:
            return self._make_up(folder, self.rows)
        describe(self.name)
        if self.release:
            paths = [published(self.name).save(folder / self.name)]
        else:
            ends = (".csv", ".toml")
            paths = [folder / f"{name}{end}" for name in tables_of(self.name) for end in ends]
            with together() as new:
                new.parents(folder)
                for path in paths:
                    content = data_path(path.name).read_bytes()
                    new.file(path, content, advice="choose another folder with --out")
        written = [*map(str, paths)]
        self.show({"written": written}, "\n".join(written))
        return 0

    def _make_up(self, folder: Path, rows: int) -> int:
        """Write a table that nobody is in, and the description of its columns."""
        data = simulate(self.name, rows, seed=self.seed)
        paths = [folder / f"{self.name}.csv", folder / f"{self.name}.toml"]
        texts = [data.frame.to_csv(index=False), write_schema(data, data.schema, self.name, {})]
        with together() as new:
            new.parents(folder)
            for path, text in zip(paths, texts, strict=True):
                new.file(path, text, advice="choose another folder with --out")
        self.show({"written": [*map(str, paths)]}, "\n".join(map(str, paths)))
        return 0


TOML_HEAD = """\
# The columns of {name}: read each role and kind, and change what is wrong.
#
# role  identifier  never published
#       quasi       others may know it about a person
#       sensitive   must not be learned about a person
#       other       published as it is
#       weight      of a sample: of how many people a record stands for; never published
#       household   of a sample: which household the person belongs to; never published
# kind  numeric     numbers
#       ordinal     categories with an order; give it as  order = ["low", "high"]
#       nominal     categories without an order
# hierarchy         groups of the values: a file, one line a value, from the value to the root,
#                   separated by semicolons
"""
MAX_LISTED = 20
ROLES = {
    "quasi": "others may know them",
    "sensitive": "must not be learned",
    "other": "published as they are",
    "identifier": "never published",
}
UNCONFIRMED = "Roles and kinds were guessed; nothing is computed before they are confirmed."
NONE: Mapping[str, str] = MappingProxyType({})
NAMES_PEOPLE = re.compile(
    r"(?:^|[_\W])(?:id|name|e-?mail|phone|ssn|address)(?:$|[_\W])", re.IGNORECASE
)


@dataclass
class WriteSchema(Command):
    """Write a template of a table's columns, their roles and kinds, to edit.

    Write a TOML file that describes each column of a table, to be edited and given to  mask,
    choose, audit and publish  as --schema. A column named like an identifier, or of text that
    differs in each record, is proposed as one.

    Parameters
    ----------
    table
        the original records, a table file
    role : NAME=ROLE
        the role of a column
    hierarchy : NAME=FILE
        the file of a column's hierarchy
    out : TOML
        write it to a file instead of the screen
    force
        replace what stands at --out
    json
        print the columns as JSON
    """

    table: str
    _: KW_ONLY
    role: list[str] = field(default_factory=list)
    hierarchy: list[str] = field(default_factory=list)
    out: str | None = None
    force: bool = False
    json: bool = False
    spelling: Spelling

    def execute(self) -> int:
        """Print or write the description of a table's columns."""
        data = read(self.table, **self.spelling.keywords)
        files = read_pairs(self.hierarchy, "--hierarchy")
        schema = propose_schema(data, read_pairs(self.role, "--role"), files)
        start = Path(self.out).absolute().parent if self.out else Path.cwd()
        paths = {name: Path(os.path.relpath(one, start)).as_posix() for name, one in files.items()}
        text = write_schema(data, schema, Path(self.table).name, paths)
        if self.out:
            write_document(self.out, text, replace=self.force)
            text = f"Read and edit {self.out!r}, then give it as --schema."
        self.show([_describe_column(column, paths) for column in schema], text)
        return 0


def write_schema(data: Microdata, schema: Schema, name: str, hierarchies: Mapping[str, str]) -> str:
    """Write the columns of a table as the file that --schema takes."""
    head = TOML_HEAD.format(name=name.replace("\n", " ").replace("\r", " "))
    parts = [_write_column(column, data.frame[column.name], hierarchies) for column in schema]
    return head + "\n" + "\n\n".join(parts) + "\n"


def describe_roles(schema: Schema) -> Said:
    """Describe by their roles what is done with the columns of a table.

    Examples
    --------
    >>> describe_roles(load("people").schema).means
    "'age', 'postcode': others may know them; 'pay': must not be learned."
    """
    named: dict[str, list[str]] = {}
    for column in schema:
        named.setdefault(column.role, []).append(column.name)
    parts = [f"{listed(named[role])}: {said}" for role, said in ROLES.items() if role in named]
    return Said(f"{'; '.join(parts)}.", UNCONFIRMED)


def propose_schema(
    data: Microdata, roles: Mapping[str, str] = NONE, files: Mapping[str, str] = NONE
) -> Schema:
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
    told = {"unit": column.unit, "label": column.label}
    return facts | {key: words for key, words in told.items() if words}


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

"""``verikit data``: the tables that ship with verikit."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from verikit._support.writing import together
from verikit.cli._inputs import Commands
from verikit.datasets import available, describe, load, published, releases, schema_of, tables_of
from verikit.table import Column
from verikit.words import count

__all__ = ["add"]


def add(commands: Commands) -> None:
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
        _print([{"name": name} | {key: facts[key] for key in keys} for name, facts in lines])
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
        columns = [_column(column) for column in schema_of(facts)]
        fixes = list(facts.get("corrections", ()))
        told = {key: facts[key] for key in ("paper", "item", "title", "description")}
        more = {"records": len(data), "columns": columns, "corrections": fixes}
        _print({"name": given.name} | told | more)
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
        _written([published(given.name).save(folder / given.name)], given)
        return 0
    from verikit._support.resources import data_path

    names = tables_of(given.name)
    targets = [folder / f"{name}{suffix}" for name in names for suffix in (".csv", ".toml")]
    with together() as new:
        new.parents(folder)
        for target in targets:
            content = data_path(target.name).read_bytes()
            new.file(target, content, advice="choose another folder with --out")
    _written(targets, given)
    return 0


def _written(paths: list[Path], given: argparse.Namespace) -> None:
    if given.json:
        _print({"written": [str(path) for path in paths]})
    else:
        print(*paths, sep="\n")


def _column(column: Column) -> dict[str, str]:
    return {part: getattr(column, part) for part in ("name", "role", "kind", "unit", "label")}


def _print(told: Any) -> None:
    print(json.dumps(told, ensure_ascii=False, default=str))

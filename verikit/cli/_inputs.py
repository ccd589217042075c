"""What is typed on the command line, as the values that verikit takes."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from verikit._support.files import check_path, open_regular
from verikit._support.writing import together
from verikit.datasets import schema_of
from verikit.errors import FormatError, RecordError, VerikitError, quoted, shortened
from verikit.hierarchy import Hierarchy
from verikit.table import Schema
from verikit.words import listed


def parse_value(value: str) -> Any:
    """Parse a value as JSON where it is JSON, else as the text it is.

    Examples
    --------
    >>> parse_value("0.5"), parse_value('{"age": 2}'), parse_value("clerk")
    (0.5, {'age': 2}, 'clerk')
    """
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def read_record(file: str | None, given: Sequence[str]) -> dict[str, Any]:
    """Read her record from ``--record`` (a JSON file, or - for standard input) and ``--set``."""
    record = {} if file is None else _read_json_record(file)
    twice = sorted(set(record) & set(read_pairs(given, "--set")))
    if twice:
        raise RecordError(f"Both --record and --set give {listed(twice)}; give each value once.")
    return record | read_pairs(given, "--set")


def _read_json_record(file: str) -> dict[str, Any]:
    check_path(file)
    place = "Standard input" if file == "-" else quoted(file)
    try:
        content = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        record = json.loads(content, object_pairs_hook=_refuse_repeated)
    except RecordError:
        raise
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{place} cannot be read: {shortened(str(error), 200)}.") from error
    except (ValueError, RecursionError) as error:
        raise FormatError(
            f"{place} is not JSON ({shortened(str(error))}); expected a record such as "
            '{"age": 41, "income": 52000}.'
        ) from error
    if not isinstance(record, dict):
        raise FormatError(
            f"{place} holds a JSON {type(record).__name__}; expected one record such as "
            '{"age": 41, "income": 52000}.'
        )
    return record


def _refuse_repeated(found: list[tuple[str, Any]]) -> dict[str, Any]:
    # JSON keeps the last of two equal names, which would drop a value in silence.
    names = [name for name, _ in found]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise RecordError(f"The record names {listed(repeated)} twice; give each value once.")
    return dict(found)


def read_schema(path: str) -> Schema:
    """Read a schema from a TOML file: one ``[[columns]]`` with name, role and kind per column.

    A column's ``hierarchy`` may be the name of a file of levels, from where the schema lies.
    """
    check_path(path)
    try:
        with open_regular(Path(path)) as file:
            return build_schema(tomllib.load(file), Path(path).parent)
    except VerikitError:
        raise
    except OSError as error:
        raise FormatError(f"{quoted(path)} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{quoted(path)} is not TOML: {shortened(str(error), 200)}.") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise FormatError(
            f"{quoted(path)} does not describe columns ({quoted(error)}); expected one [[columns]] "
            "with name, role and kind for each."
        ) from error


def read_pairs(given: Sequence[str], option: str) -> dict[str, str]:
    """Read ``NAME=VALUE`` options into a dictionary.

    Examples
    --------
    >>> read_pairs(["age=41", "job=clerk"], "--set")
    {'age': '41', 'job': 'clerk'}
    """
    found: dict[str, str] = {}
    for part in given:
        name, sign, value = part.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise RecordError(
                f"{option} was given {quoted(part)}; expected NAME=VALUE, as in age=41."
            )
        if name.strip() in found:
            raise RecordError(f"{option} names {quoted(name.strip())} twice; give it once.")
        found[name.strip()] = value.strip()
    return found


def build_schema(description: Mapping[str, Any], folder: Path) -> Schema:
    """Build a described schema; a hierarchy may be the name of a file in the folder."""
    columns, files = [], {}
    for part in description["columns"]:
        if not isinstance(part.get("hierarchy"), str):
            columns.append(part)
            continue
        files[part["name"]] = part
        column = {key: value for key, value in part.items() if key != "hierarchy"}
        if part["kind"] == "ordinal" and "order" not in part:
            column["kind"] = "nominal"  # it is ordinal only once it has its hierarchy
        columns.append(column)
    schema = schema_of({"columns": columns})
    for name, part in files.items():
        tree = read_hierarchy(folder / part["hierarchy"])
        schema = schema.with_column(name, hierarchy=tree, kind=part["kind"])
    return schema


def read_hierarchy(path: str | Path) -> Hierarchy:
    """Read a file of levels, separated by semicolons or, where it has none, by commas."""
    tree = Hierarchy.read_csv(path)
    return tree if tree.height else Hierarchy.read_csv(path, sep=",")


def write_document(path: str, content: str, *, replace: bool, private: bool = False) -> None:
    """Write a file that was asked for; a private one so that only its owner may read it."""
    advice = "choose another name, or replace it with --force"
    with together() as new:
        new.file(path, content, private=private, replace=replace, advice=advice)

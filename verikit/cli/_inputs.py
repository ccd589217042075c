"""What is typed on the command line, as the values that verikit takes."""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from verikit._support.files import check_path, open_regular
from verikit.cli._hierarchies import described
from verikit.cli._pairs import pairs
from verikit.errors import FormatError, RecordError, VerikitError, quoted, shortened
from verikit.table import Schema
from verikit.table.reading import MISSING
from verikit.words import listed

__all__ = [
    "Commands",
    "add_requirement",
    "pairs",
    "read_record",
    "read_schema",
    "requirement",
    "typed",
]

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def typed(value: str) -> Any:
    """A value as JSON where it is JSON, else as the text it is.

    Examples
    --------
    >>> typed("0.5"), typed('{"age": 2}'), typed("clerk")
    (0.5, {'age': 2}, 'clerk')
    """
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def read_record(file: str | None, given: Sequence[str]) -> dict[str, Any]:
    """Her record from ``--record`` (a JSON file, or - for standard input) and ``--set``."""
    record = {} if file is None else _json_record(file)
    twice = sorted(set(record) & set(pairs(given, "--set")))
    if twice:
        raise RecordError(f"Both --record and --set give {listed(twice)}; give each value once.")
    return record | pairs(given, "--set")


def _json_record(file: str) -> dict[str, Any]:
    check_path(file)
    place = "Standard input" if file == "-" else quoted(file)
    try:
        content = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        record = json.loads(content, object_pairs_hook=_once)
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


def _once(found: list[tuple[str, Any]]) -> dict[str, Any]:
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
            return described(tomllib.load(file), Path(path).parent)
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


def add_spelling(command: argparse.ArgumentParser) -> None:
    """Add the options that say how a table is written, where it is not to be found out."""
    command.add_argument(
        "--encoding", metavar="NAME", help="of a CSV's letters, such as latin-1 (default: found)"
    )
    command.add_argument(
        "--separator", metavar="MARK", help="between a CSV's values: , ; | tab or space"
    )
    command.add_argument(
        "--decimal", metavar="MARK", help="before a CSV's decimal places: . or , (default: found)"
    )
    command.add_argument(
        "--sheet", metavar="NAME", help="the sheet or table of a file that holds several"
    )
    command.add_argument(
        "--missing",
        metavar="MARK",
        action="append",
        help="what stands for a missing value, besides an empty cell and NA; may be repeated",
    )
    command.add_argument(
        "--labels",
        metavar="FILE",
        help="a DDI codebook (XML) with words for its columns and values",
    )


def spelling(given: argparse.Namespace) -> dict[str, Any]:
    """How a table is written, as keywords of `read` and `open_release`."""
    names = ("encoding", "separator", "decimal", "sheet", "labels")
    told = {name: getattr(given, name) for name in names}
    return told | ({"missing": (*MISSING, *given.missing)} if given.missing else {})


def add_requirement(command: argparse.ArgumentParser) -> None:
    """Add the options that state a requirement."""
    command.add_argument(
        "--distance",
        action="append",
        default=[],
        metavar="[NAME=]PLACES",
        help="places required of every attribute, or of one; may be repeated",
    )
    command.add_argument(
        "--diversity",
        action="append",
        default=[],
        metavar="[NAME=]VALUE",
        help="diversity required within the distance, of every attribute or of one",
    )
    command.add_argument(
        "--criterion", default="variance", help="how diversity is measured (default: variance)"
    )
    command.add_argument(
        "--apart", type=float, metavar="WIDTH", help="for packing: the difference that counts"
    )


def requirement(given: argparse.Namespace) -> dict[str, Any]:
    """The stated requirement as keywords of `check` and `audit`."""
    from verikit.ranks.spread import Criterion

    return {
        "distance": _required(given.distance, "--distance"),
        "diversity": _required(given.diversity, "--diversity"),
        "criterion": Criterion(given.criterion, given.apart),
    }


def _required(given: Sequence[str], option: str) -> Any:
    if not given:
        return None
    if len(given) == 1 and "=" not in given[0]:
        return typed(given[0])
    return {name: typed(value) for name, value in pairs(given, option).items()}

"""``verikit check``: one record against a release, without server, notebook or original table."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from verikit.cli._inputs import Commands, add_requirement, read_record, requirement
from verikit.datasets import find_release
from verikit.errors import FormatError

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the subcommand."""
    command = commands.add_parser(
        "check",
        help="check my own record against a published table",
        description="Check one record against a published table. Values given with --set stay in "
        "the history of your shell; --record - reads them from standard input instead.",
    )
    command.add_argument("release", help="a release's folder, zip, CSV or Parquet file, or a name")
    command.add_argument("--record", metavar="FILE", help="the record as JSON; - reads it")
    command.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="one value of the record"
    )
    add_requirement(command)
    command.add_argument("--json", action="store_true", help="print the whole report as JSON")
    command.add_argument("--html", metavar="FILE", help="write the slip to keep")
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print the report; the last line is the verdict in words."""
    from verikit.subject import check

    record = read_record(given.record, given.set)
    release: Any = find_release(given.release)  # check itself refuses kinds it does not know
    report = check(record, release, **requirement(given))
    if given.html:
        write_private(Path(given.html), report.to_html())
    verdict = f"{report.headline.tag}: {report.headline.text}"
    if report.met is not None:
        verdict += f" Your requirement is {'met' if report.met else 'not met'}."
    if given.json:
        print(report.to_json())
        print(verdict, file=sys.stderr)
    else:
        parts = [said.text for said in report.sentences] + list(report.notes)
        tables = [frame.to_string(index=False, na_rep="-") for frame in report.tables.values()]
        print("\n".join(parts), *tables, verdict, sep="\n\n")
    return int(report.warned)


def write_private(path: Path, content: str) -> None:
    """Write a file that holds her record, so that only its owner may read it."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
    except OSError as error:
        raise FormatError(f"{str(path)!r} cannot be written: {error.strerror}.") from error

"""``verikit check``: one record against a release, without server, notebook or original table."""

from __future__ import annotations

import argparse
import getpass
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from verikit._support.files import checksum_of
from verikit.cli._inputs import (
    Commands,
    add_requirement,
    add_spelling,
    parse_value,
    read_record,
    read_requirement,
    read_spelling,
    write_document,
)
from verikit.datasets import find_release
from verikit.errors import FormatError
from verikit.languages import LANGUAGES, card_text, form_text, translate, use_language
from verikit.release import Release, open_where
from verikit.subject import make_ranked_table, name_columns, nearest_words, tied_words, write_cells

if TYPE_CHECKING:
    from verikit.subject import SubjectReport
    from verikit.table import Schema


MAX_LINES = 20


def add_check(commands: Commands) -> None:
    """Add the subcommand."""
    command = commands.add_parser(
        "check",
        help="check my own record against a published table",
        description="Check one record against a published table. Without --set and --record you "
        "are asked for your values one by one, and they are not shown. Values given with --set "
        "stay in the history of your shell, and every user of this computer can see them in its "
        "list of processes while the command runs; --record FILE reads them from a file of yours, "
        "--record - from standard input.",
    )
    command.add_argument("release", help="a release's folder, zip or table file, or a name")
    command.add_argument("--record", metavar="FILE", help="the record as JSON; - reads it")
    command.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="one value of the record"
    )
    add_requirement(command)
    add_spelling(command)
    command.add_argument(
        "--k",
        metavar="COUNT",
        help="in a generalized table: how many records are to fit my values; in a randomized "
        "one: how many may have been made from them; where numbers were permuted in groups: how "
        "many different ones are to be left for me",
    )
    command.add_argument(
        "--ell",
        metavar="COUNT",
        help="in a generalized table: how many different sensitive values these are to show; in "
        "one published by groups, or drawn anew: in one of how many cases a guess may be right, "
        "if within a group each value is equally likely for everyone",
    )
    command.add_argument(
        "--e",
        metavar="WIDTH",
        help="where numbers were permuted in groups: how far apart the lowest and the highest that "
        "are left for me are to lie",
    )
    command.add_argument(
        "--node",
        metavar="GROUP",
        help="in a table that shows a target: the group of values that may be known of me",
    )
    command.add_argument(
        "--language",
        choices=LANGUAGES,
        default="en",
        help="in which language it asks, answers, refuses and writes the slip",
    )
    command.add_argument("--json", action="store_true", help="print the whole report as JSON")
    command.add_argument("--html", metavar="FILE", help="write the slip to keep, for you alone")
    command.add_argument("--force", action="store_true", help="replace what stands at --html FILE")
    command.set_defaults(run=run_check)


def run_check(given: argparse.Namespace) -> int:
    """Print the report; the last line is the verdict in words."""
    from verikit.subject import check

    record = read_record(given.record, given.set)
    release: Any = _open_published(given, record)  # check itself refuses kinds it does not know
    if given.record is None and not given.set and sys.stdin is not None and sys.stdin.isatty():
        with use_language(given.language):
            record = ask_record(release)
    typed = {name: getattr(given, name) for name in ("k", "ell", "e")}
    counts = {name: None if v is None else parse_value(v) for name, v in typed.items()}
    asked = {**read_requirement(given), **counts, "node": given.node, "language": given.language}
    report = check(record, release, **asked)
    if given.html:
        place = {"table": Path(given.release).name, "checksum": checksum_of(given.release)}
        slip = report.to_html(schema=release.schema, **place)
        write_document(given.html, slip, replace=given.force, private=True)
        given.done = f"your slip lies whole in {given.html!r}"
    verdict = f"{report.headline.tag}: {report.headline.text}"
    if report.met is not None:
        met = f"Your requirement is {'met' if report.met else 'not met'}."
        verdict += f" {met if given.language == 'en' else report.sentence('R') or ''}".rstrip()
    if given.json:
        print(report.to_json())
        print(verdict, file=sys.stderr)
    else:
        with use_language(given.language):
            noted = [translate(note) for note in release.notes]
            tables = [*_list_tables(report, release.schema)]
        parts = [said.text for said in report.sentences] + [*report.notes, *noted]
        print("\n".join(parts), *tables, verdict, sep="\n\n")
    return int(report.warned)


def _list_tables(report: SubjectReport, schema: Schema) -> Iterator[str]:
    """List the tables in the words of the card, and which records are closest."""
    if "first_rank" not in report.attributes:
        yield from (
            _show_lines(name_columns(frame, report))
            for frame in report.tables.values()
            if len(frame)
        )
        return
    yield _show_lines(make_ranked_table(report, schema))
    yield f"{tied_words(report)} {nearest_words(report)}".strip()


def _show_lines(frame: pd.DataFrame) -> str:
    """Show the first lines of a table; all of them are in the JSON."""
    more = len(frame) - MAX_LINES
    found = f"\n{card_text('lines', count=more)} (--json)" if more > 0 else ""
    lines = frame.head(MAX_LINES).dropna(axis="columns", how="all")
    columns = [write_cells(lines.iloc[:, at].tolist()) for at in range(lines.shape[1])]
    shown = pd.DataFrame(dict(enumerate(columns))).set_axis(lines.columns, axis=1)
    return shown.to_string(index=False) + found


def _open_published(given: argparse.Namespace, record: Mapping[str, Any]) -> Any:
    """Open what was published: where it lies, unless it is a name or is said how it is written."""
    written = read_spelling(given)
    if any(written.values()) or not Path(given.release).expanduser().exists():
        return find_release(given.release, **written)
    found = open_where(Path(given.release).expanduser(), list(record) or None)
    # A line that is written again and again belongs on a terminal, not in a log.
    shown = sys.stderr is not None and sys.stderr.isatty()
    return found.watched(_tell_progress) if shown and hasattr(found, "watched") else found


def _tell_progress(done: int, every: int) -> None:
    """Tell how far a large table has been read, in one line that is written again and again."""
    end = "\r\033[K" if done >= every else ""
    print(f"\rreading the table: {100 * done // max(every, 1)} %{end}", end="", file=sys.stderr)


def ask_record(release: Release) -> dict[str, str]:
    """Ask for each value; nothing typed is shown, kept by the shell, or seen by other users."""
    print(form_text("prompt"), file=sys.stderr)
    record: dict[str, str] = {}
    for column in release.asked:
        unit = f" [{column.unit}]" if column.unit else ""
        typed = _read_hidden(f"{column.title}{unit}: ")
        record |= {column.name: typed} if typed else {}
    return record


def _read_hidden(prompt: str) -> str:
    """Read a value that the terminal does not show."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(prompt).strip()
        except getpass.GetPassWarning as error:
            raise FormatError(
                "This terminal cannot hide what is typed; give the record with --record FILE."
            ) from error
        except EOFError as error:
            raise FormatError("The values ended before all were asked for; try again.") from error

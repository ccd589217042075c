"""``verikit check``: one record against a release, without server, notebook or original table."""

from __future__ import annotations

import getpass
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from verikit import subject
from verikit._support.files import checksum_of
from verikit.cli._declare import Command, Requirement, Spelling
from verikit.cli._inputs import parse_value, read_record, write_document
from verikit.datasets import find_release
from verikit.errors import FormatError
from verikit.languages import card_text, form_text, translate, use_language
from verikit.release import Release, open_for_check

if TYPE_CHECKING:
    from verikit.subject import SubjectReport
    from verikit.table import Schema


MAX_LINES = 20


@dataclass
class Check(Command):
    """Check my own record against a published table.

    Check one record against a published table. Without --set and --record you are asked for your
    values one by one, and they are not shown. Values given with --set stay in the history of your
    shell, and every user of this computer can see them in its list of processes while the command
    runs; --record FILE reads them from a file of yours, --record - from standard input.

    Where several tables were published of the same people, give the others by --with: each is
    checked, and what they say together, which may be more than any says alone.

    Parameters
    ----------
    release
        a release's folder, zip or table file, or a name
    with_ : RELEASE
        another release of the same people; may be repeated
    record : FILE
        the record as JSON; - reads it
    set_ : NAME=VALUE
        one value of the record
    k : COUNT
        in a generalized table: how many records are to fit my values; in a randomized one: how
        many may have been made from them; where numbers were permuted in groups: how many
        different ones are to be left for me
    ell : COUNT
        in a generalized table: how many different sensitive values these are to show; in one
        published by groups, or drawn anew: in one of how many cases a guess may be right, if
        within a group each value is equally likely for everyone
    e : WIDTH
        where numbers were permuted in groups: how far apart the lowest and the highest that are
        left for me are to lie
    node : GROUP
        in a table that shows a target: the group of values that may be known of me
    match : ROW
        in a table of single values: the row that I take to be mine, counted from 1, by which what I
        require is judged
    promise : TEXT
        what the publisher of a bare table told you of its values: "as it was", "covers", "another
        order", "changed" or "drawn from a model"
    language
        in which language it asks, answers, refuses and writes the slip
    json
        print the whole report as JSON
    html : FILE
        write the slip to keep, for you alone
    force
        replace what stands at --html FILE
    """

    release: str
    _: KW_ONLY
    with_: list[str] = field(default_factory=list)
    record: str | None = None
    set_: list[str] = field(default_factory=list)
    requirement: Requirement
    spelling: Spelling
    k: str | None = None
    ell: str | None = None
    e: str | None = None
    node: str | None = None
    match: str | None = None
    promise: str | None = None
    language: str = "en"
    json: bool = False
    html: str | None = None
    force: bool = False

    def execute(self) -> int:
        """Print the report; the last line is the verdict in words."""
        from verikit.subject import check

        record = read_record(self.record, self.set_)
        places = [self.release, *self.with_]
        releases = [self._open_published(place, list(record)) for place in places]
        asks = self.record is None and not self.set_
        if asks and sys.stdin is not None and sys.stdin.isatty():
            with use_language(self.language):
                record = ask_record(releases)
        typed = {"k": self.k, "ell": self.ell, "e": self.e, "match": self.match}
        counts = {name: None if v is None else parse_value(v) for name, v in typed.items()}
        asked = {**self.requirement.keywords, **counts, "node": self.node}
        report = check(record, releases, language=self.language, **asked)
        schema = releases[0].schema
        if self.html:
            named = {
                "table": ", ".join(Path(place).name for place in places),
                "checksum": ", ".join(map(checksum_of, places)),
            }
            slip = report.to_html(schema=schema, **named)
            write_document(self.html, slip, replace=self.force, private=True)
            self.done = f"your slip lies whole in {self.html!r}"
        verdict = f"{report.headline.tag}: {report.headline.text}"
        if report.met is not None:
            met = f"Your requirement is {'met' if report.met else 'not met'}."
            verdict += f" {met if self.language == 'en' else report.sentence('R') or ''}".rstrip()
        with use_language(self.language):
            noted = dict.fromkeys(translate(note) for each in releases for note in each.notes)
            tables = [] if self.json else [*_list_tables(report, schema)]
        said = [part.text for part in report.parts if part.name != "term"]
        lines = [*said, *(note for note in noted if note not in said)]
        text = "".join(f"{part}\n\n" for part in ("\n".join(lines), *tables))
        self.show(report.to_json() if self.json else None, text, verdict)
        return int(report.warned)

    def _open_published(self, given: str, names: list[str]) -> Any:
        """Open what was published: where it lies, unless it is a name or told how it is written."""
        written, place = self.spelling.keywords, Path(given).expanduser()
        written |= {"promise": self.promise} if self.promise else {}
        if any(written.values()) or not place.exists() or self.with_:
            return find_release(given, **written)
        found = open_for_check(place, names or None)
        # A line that is written again and again belongs on a terminal, not in a log.
        shown = sys.stderr is not None and sys.stderr.isatty()
        return found.watched(_tell_progress) if shown and hasattr(found, "watched") else found


def _list_tables(report: SubjectReport, schema: Schema) -> Iterator[str]:
    """List the tables in the words of the card, and which records are closest."""
    if "first_rank" not in report.attributes:
        yield from (
            _show_lines(subject.name_columns(frame, report))
            for frame in report.tables.values()
            if len(frame)
        )
        return
    yield _show_lines(subject.make_ranked_table(report, schema))
    yield f"{subject.tied_words(report)} {subject.nearest_words(report)}".strip()


def _show_lines(frame: pd.DataFrame) -> str:
    """Show the first lines of a table; all of them are in the JSON."""
    more = len(frame) - MAX_LINES
    found = f"\n{card_text('lines', count=more)} (--json)" if more > 0 else ""
    lines = frame.head(MAX_LINES).dropna(axis="columns", how="all")
    columns = [subject.write_cells(lines.iloc[:, at].tolist()) for at in range(lines.shape[1])]
    shown = pd.DataFrame(dict(enumerate(columns))).set_axis(lines.columns, axis=1)
    return shown.to_string(index=False) + found


def _tell_progress(done: int, every: int) -> None:
    """Tell how far a large table has been read, in one line that is written again and again."""
    end = "\r\033[K" if done >= every else ""
    print(f"\rreading the table: {100 * done // max(every, 1)} %{end}", end="", file=sys.stderr)


def ask_record(releases: Sequence[Release]) -> dict[str, str]:
    """Ask for each value; nothing typed is shown, kept by the shell, or seen by other users."""
    print(form_text("prompt"), file=sys.stderr)
    record: dict[str, str] = {}
    asked = {column.name: (each, column) for each in releases for column in each.asked}
    for release, column in asked.values():
        unit = f" [{column.unit}]" if column.unit else ""
        words = subject.spellings_of(release, column).offered
        among = f" ({', '.join(words)})" if 0 < len(words) <= MAX_LINES else ""
        typed = _read_hidden(f"{column.title}{unit}{among}: ")
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

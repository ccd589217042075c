"""The page that goes with a release: what it is, how it was made and tested, what stays open."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from verikit._support import html as _html
from verikit.languages import read_language
from verikit.protector import BAR_STYLE, list_policies, loss_facts, show_loss, show_policies
from verikit.release import Release, to_json_value
from verikit.words import count, joined, not_compared

if TYPE_CHECKING:
    from verikit.intruder import Memorized
    from verikit.protector import AuditReport, CorrectLinks, GuessedValues
    from verikit.utility import InformationLoss


REPORT, FACTS = "report.html", "report.json"
UNATTACKED = "No attack was run on it"
NO_ROWS = "No links were counted, as no row is one person's by design."
PROMISES = {
    "as it was": "Every row holds what is true of one person.",
    "covers": "Every cell holds or covers what is true of one person.",
    "another order": "Every column holds the true values, but not in the rows of their people.",
    "changed": "Values were changed; a published value may be nobody's.",
    "drawn from a model": "Rows were drawn from a model, so that none need be anybody's.",
    "untold": "What is true of the published values is not told.",
}
OPEN = (
    "No test shows that people are protected: who knows more, or attacks otherwise, may find more.",
    "The number of right links says how many people were found, and not who they are.",
    "Columns with the role 'other' were published as they are.",
)
WITH_PAGE = "Open check.html, which lies beside this report: it needs nothing but a browser."
CHECK = (
    "A person in this table can check her own record, on her own computer:",
    "verikit check FOLDER, or verikit app and this folder.",
    "Several tables of the same people may tell more together: verikit check FOLDER --with OTHER.",
)


@dataclass(frozen=True, slots=True)
class Publication:
    """What is said of a release when it is given away; nothing in it comes from the key.

    Parameters
    ----------
    title
        What the table is, as its publisher says.
    release
        What is given away.
    audit
        The audit, of which only what discloses nothing is said; None where there is none.
    counted
        How right links were counted, or that no attack was run, and why.
    guessed
        By sensitive column how many values are guessed rightly, rounded; of a release by groups.
    lost
        What is lost for users.
    found
        The right links that are told; None where they were not counted here.
    memorized
        Whether a table drawn from a model memorized people, of whom none may be.
    """

    title: str
    release: Release
    audit: AuditReport | None
    counted: str
    guessed: Sequence[GuessedValues] = ()
    lost: InformationLoss | None = None
    found: CorrectLinks | None = None
    memorized: Memorized | None = None

    @property
    def met(self) -> bool | None:
        """Whether the stated requirement is met; None where none was stated."""
        return None if self.audit is None else self.audit.met

    @property
    def links(self) -> int | None:
        """How many people the strongest attack finds; None where that was not counted."""
        return getattr(self.release, "reported_links", None)

    @property
    def attacked(self) -> bool:
        """Whether an attack was run."""
        return not self.counted.startswith(UNATTACKED)

    @property
    def not_compared(self) -> tuple[str, ...]:
        """The published columns that took no part in what was tested."""
        tested = self.memorized or (self.audit if self.links is None else self.release)
        return getattr(tested, "not_compared", ())

    @property
    def policies(self) -> list[dict[str, Any]]:
        """How many are found, by what an intruder is taken to know."""
        return list_policies(self.found, self.audit.alike if self.audit else None)

    @property
    def sentences(self) -> list[str]:
        """What was tested, in words; or that nothing was."""
        said = [self.counted]
        if self.links is not None:
            names = self.release.schema.names
            used = [name for name in names if name not in self.not_compared]
            on = f" on {joined(used)}" if 0 < len(used) < len(names) else ""
            luck = getattr(self.release, "reported_luck", None)
            said.insert(
                0,
                f"The strongest test attack{on} links {self.links:,} of "
                f"{count(len(self.release), 'person', 'people')} rightly; luck gives about "
                f"{1 if luck is None else luck:.2g}.",
            )
        if self.met is not None:
            said.append("The stated requirement is met for every record.")
        if self.memorized is not None:
            return [*self.memorized.sentences, *said]
        return [line for line in (not_compared(self.not_compared), *said) if line]

    @property
    def facts(self) -> dict[str, Any]:
        """The same for programs."""
        release = self.release
        return {
            "title": self.title,
            "about": dict(release.about),
            "records": len(release),
            "columns": list(release.schema.names),
            "method": release.method,
            "parameters": to_json_value(dict(release.parameters)),
            "reported_links": self.links,
            "reported_luck": getattr(release, "reported_luck", None),
            "attacked": self.attacked,
            "counted": self.counted,
            "guessed": [part.facts for part in self.guessed],
            "policies": self.policies,
            "lost": loss_facts(self.lost),
            "not_compared": list(self.not_compared),
            "met": self.met,
            "audit": None if self.audit is None else json.loads(self.audit.json()),
            "memorized": self.memorized and self.memorized.list_facts(),
        }


def public_report(publication: Publication, folder: Path, *, page: bool = False) -> str:
    """Make the page that lies beside the tables of a release, with the checksum of each file."""
    release = publication.release
    title = publication.title or "A published table"
    today = read_language("en").format_dates(datetime.now(UTC).date().isoformat())
    made = f"{count(len(release), 'record')}. Published {today} with verikit {version('verikit')}."
    promise = PROMISES.get(str(getattr(release, "promise", "")), "")
    columns = [(c.title, c.role, c.kind, c.unit) for c in release.schema]
    body = "".join(
        (
            _html.element("h1", _html.name(title)),
            _html.write_paragraphs(
                not_compared(publication.not_compared), made, *_list_about(release)
            ),
            _make_section("How it was made", [f"Method: {release.method or 'not told'}.", promise]),
            _html.table(_list_parameters(release)),
            _make_section(
                "How it was tested" if publication.attacked else "Not tested by an attack",
                publication.sentences,
            ),
            *show_policies(publication.policies),
            *show_loss(loss_facts(publication.lost)),
            publication.memorized.write_criteria() if publication.memorized else "",
            *(
                _make_section(f"How rightly {part.title} is guessed", part.sentences)
                for part in publication.guessed
            ),
            _make_section("What this does not tell you", OPEN),
            _make_section("Check your own record", [*([WITH_PAGE] if page else []), *CHECK]),
            _html.element("h2", "Columns"),
            _html.table(pd.DataFrame(columns, columns=["column", "role", "kind", "unit"])),
            _html.element("h2", "Files and their checksums (SHA-256)"),
            _list_files(folder),
        )
    )
    style = f"<style>{BAR_STYLE}</style>"
    return _html.page(title, style + _html.element("div", body, class_="vk"))


def _list_about(release: Release) -> list[str]:
    """What the publisher says of himself and of the people in the table."""
    about, names = release.about, ("publisher", "contact", "year", "licence")
    by = ", ".join(about[name] for name in names if name in about)
    people = about.get("people", "")
    return [*([f"Published by: {by}."] if by else []), *([f"In it: {people}."] if people else [])]


def _make_section(title: str, lines: Iterable[str]) -> str:
    return _html.element("h2", escape(title)) + _html.write_paragraphs(*lines)


def _list_parameters(release: Release) -> pd.DataFrame:
    lines = [
        (name.replace("_", " "), part, value)
        for name, given in to_json_value(dict(release.parameters)).items()
        for part, value in (given.items() if isinstance(given, dict) else [("", given)])
    ]
    shown = [(name, part, _show_value(value)) for name, part, value in lines]
    return pd.DataFrame(shown, columns=["parameter", "of", "value"])


def _show_value(value: Any) -> str:
    return ", ".join(map(_show_value, value)) if isinstance(value, list) else str(value)


def _list_files(folder: Path) -> str:
    """List each file with its checksum, which breaks where a narrow screen ends."""
    return "".join(
        _html.element(
            "p",
            f"{_html.name(file.name)}: {hashlib.sha256(file.read_bytes()).hexdigest()}",
            style="overflow-wrap:anywhere",
        )
        for file in sorted(folder.iterdir())
        if file.is_file()
    )

"""``verikit publish``: a draft that was audited becomes what everybody may have."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from verikit._support.writing import together
from verikit.cli import (
    Command,
    Requirement,
    audit_drawn,
    check_document,
    check_places,
    enter_release,
    open_masked,
    read_original_like,
    render_audit,
)
from verikit.errors import FormatError, InfeasibleError, SchemaError
from verikit.matching import count_values_left
from verikit.page._dossier import (
    judge_goal,
    link_dossier,
    list_before,
    tell_dossier,
    write_dossier,
)
from verikit.page._report import FACTS, NO_ROWS, REPORT, UNATTACKED, Publication, public_report
from verikit.protector import Goal, describe_sample
from verikit.release import (
    ABOUT,
    Key,
    Ledger,
    Masked,
    Release,
    TableRelease,
    by_groups,
    whole_records,
)
from verikit.table import Microdata
from verikit.utility import information_loss
from verikit.words import count

if TYPE_CHECKING:
    from verikit.protector import AuditReport, CorrectLinks, GuessedValues


Counted: TypeAlias = "tuple[Release, str, CorrectLinks | None]"
RANDOMNESS = 53
UNASKED = (
    f"{UNATTACKED}: its publisher asked for none (--no-links), which saves most of the time. How "
    "many people can be found is therefore not known."
)


@dataclass
class Publish(Command):
    """Write a release to give away, with its report and its reported links.

    Audit a release that mask or choose wrote, count how many people the strongest attack finds,
    and write a folder to be given away: the release with this number, and one report, as
    report.html for those who read and as report.json for programs. Nothing of the key or the
    original goes into it; --audit writes the audit of every record, for you alone. Where a
    requirement is stated and not met, nothing is written. What was stopped can be given again.

    A table drawn from a model has no key and no links: beside the records of --control it is
    counted how many people the model memorized, and where any was, nothing is written.

    Parameters
    ----------
    original
        the original records, a table file
    release
        the folder that mask or choose wrote; or a table drawn from a model, its folder or file
    key : FILE
        its key; one drawn from a model has none
    out : FOLDER
        what will be given away
    title
        what the table is, in a few words
    publisher
        who publishes it
    contact
        to whom a person can write, such as an address for mail
    year
        of which year it tells
    people
        who is in it, in a few words
    licence
        under which licence it is published
    law
        the law that gives people in it rights, as a letter to the publisher names it
    control : FILE
        records of people who are not in a table published by groups: how many of their values are
        guessed by who learned from it; of one drawn from a model: of people whom it did not learn
        from
    promise : TEXT
        what a bare table promises of its values, such as "drawn from a model"
    no_links
        count no links, which takes most of the time
    audit : FILE
        write the audit of every record too, .html or .json
    dossier : FILE
        write the dossier for whoever decides too, .html, and beside it .jsonld for programs
    goal : FILE
        what was said beforehand to be borne, as Goal.save writes it: {"links": 5}; where it is not
        met nothing is published
    page
        put check.html beside the table, with which people without Python check their record
    """

    stopped = "nothing was published"
    sample = cast("Mapping[str, str]", MappingProxyType({}))
    original: str
    release: str
    _: KW_ONLY
    key: str | None = None
    out: str
    title: str = ""
    publisher: str = ""
    contact: str = ""
    year: str = ""
    people: str = ""
    licence: str = ""
    law: str = ""
    schema: str | None = None
    requirement: Requirement
    control: str | None = None
    promise: str | None = None
    no_links: bool = False
    audit: str | None = None
    dossier: str | None = None
    goal: str | None = None
    page: bool = False
    seed: int | None = None
    json: bool = False
    quiet: bool = False

    def execute(self) -> int:
        """Write the release and its report, unless a stated requirement is not met."""
        if self.audit:  # a file of single records must not be given away
            check_document(self.audit, "--audit")
            check_places(self.out, self.audit, "internal audit")
        if self.dossier:
            check_places(self.out, self.dossier, "dossier")
            if not self.dossier.endswith(".html"):
                raise FormatError(f"--dossier was given as {self.dossier!r}; expected name.html.")
        goal = Goal.open(self.goal) if self.goal else None
        release = open_masked(self.release, self.key, self.promise)
        if self.key is None:
            return self._publish_drawn(release)
        key = Key.open(self.key)
        data = read_original_like(self.original, self.schema, release.schema)
        self.sample = describe_sample(data)
        report = self._audit_release(data, release, key, goal)
        if goal is None and report is not None and report.met is False:
            print("The requirement is not met; nothing was published.", file=sys.stderr)
            return 1
        judged = judge_goal(goal, report) if goal and report else []
        if unmet := [line for line in judged if line["verdict"] != "met"]:
            said = "; ".join(f"{line['asked']}: {line['found']}" for line in unmet)
            print(f"The goal is not met; nothing was published. {said}.", file=sys.stderr)
            return 1
        guessed = [part.round() for part in report.guessed] if report else []
        guessed = guessed or self._count_guesses(data, release, key)
        lost = None if report is None else report.lost
        if report is None and by_groups(release):
            lost = information_loss(data, release)
        release, counted, found = self._count_links(data, release, key)
        ledger = enter_release(data, Masked(release, key), self.key)
        told = Publication(self.title, release, report, counted, guessed, lost, found)
        dossier = None
        if self.dossier and report is not None:
            named = release.describing(**self._about())
            warned = ledger.warn(data, release, key, count_left=count_values_left)
            before = list_before(ledger, warned)
            dossier = tell_dossier(self.title, named, report, goal, before)
        return self._write_folder(told, ledger, dossier)

    def _about(self) -> dict[str, str]:
        return {name: str(getattr(self, name, "")) for name in ABOUT} | dict(self.sample)

    def _publish_drawn(self, release: Release) -> int:
        """Write a table drawn from a model, unless it memorized people."""
        given: dict[str, Any] = {"--no-links": self.no_links, "--dossier": self.dossier}
        given |= {"a requirement": self.requirement.keywords or self.goal}
        found = audit_drawn(self.original, release, self.control, self.schema, given)
        if found.least:
            print(f"{found}\nPeople were memorized; nothing was published.", file=sys.stderr)
            return 1
        return self._write_folder(Publication(self.title, release, None, NO_ROWS, memorized=found))

    def _write_folder(
        self, told: Publication, ledger: Ledger | None = None, dossier: Any = None
    ) -> int:
        """Write the release with its report, all that lies beside it, and say so."""
        release = told.release.describing(**self._about())
        publication, report = replace(told, release=release), told.memorized or told.audit
        with together() as new:
            if self.audit and report is not None:
                new.file(self.audit, render_audit(report, self.audit, internal=True), private=True)
            if self.dossier and dossier is not None:
                new.file(self.dossier, write_dossier(dossier), private=True)
                linked = f"{self.dossier.removesuffix('.html')}.jsonld"
                new.file(linked, link_dossier(dossier), private=True)
            folder = new.folder(self.out)
            release.save(folder, page=self.page)
            facts = json.dumps(publication.facts, indent=1, ensure_ascii=False)
            (folder / FACTS).write_text(facts, encoding="utf-8")
            (folder / REPORT).write_text(
                public_report(publication, folder, page=self.page), encoding="utf-8"
            )
            if ledger is not None and self.key is not None:
                ledger.write_beside(new, self.key)
        self.done = f"the release lies whole in {self.out!r}"
        advice = f"Give away {self.out!r} as it is; its {REPORT} says this to everybody."
        lines = [line for part in told.guessed for line in part.sentences]
        text = "\n".join([repr(release), *publication.sentences, *lines, advice])
        self.show({"out": self.out, **publication.facts}, text)
        return 0

    def _audit_release(
        self, data: Microdata, release: Release, key: Key, goal: Goal | None
    ) -> AuditReport | None:
        """Audit a release; not one without whole records, of which nothing was required."""
        from verikit.protector import audit

        # what everybody is told is counted later
        full = bool(self.audit or self.dossier or goal) and not self.no_links
        asked: Any = dict(self.requirement.keywords)
        required = self.requirement.distance or self.requirement.diversity
        stated = bool(required or self.audit or self.dossier or goal)
        if not stated and not whole_records(release):
            return None
        self.say(f"Auditing {len(data):,} records …")
        try:
            if goal is not None:
                asked |= {n: getattr(goal, n) for n in ("distance", "diversity", "criterion")}
            if full and by_groups(release):
                asked |= {"control": self._read_control(release), "ledger": self._read_ledger()}
            return audit(data, release, key, subject_view=full, **asked)
        except (SchemaError, InfeasibleError):
            if stated:
                raise
            return None

    def _count_guesses(self, data: Microdata, release: Release, key: Key) -> list[GuessedValues]:
        """Count the values guessed rightly from a release by groups, rounded for everybody."""
        from verikit.protector import guessed_values

        if not by_groups(release):
            if self.control:
                raise SchemaError("--control was given, but the release is not by groups.")
            return []
        self.say(f"Counting the values guessed rightly of {len(data):,} people …")
        known: Any = {"control": self._read_control(release), "ledger": self._read_ledger()}
        names = [column.name for column in release.schema.sensitive]
        return [
            guessed_values(data, release, key, sensitive=name, **known).round() for name in names
        ]

    def _read_control(self, release: Release) -> Microdata | None:
        if not self.control:
            return None
        return read_original_like(self.control, self.schema, release.schema)

    def _read_ledger(self) -> Ledger:
        return Ledger.beside(str(self.key))

    def _count_links(self, data: Microdata, release: Release, key: Key) -> Counted:
        """Count the links that the release will report, and say how; or why no attack was run."""
        from verikit.protector import count_again

        if whole_records(release) and release.reported_links is not None:
            return release, "Counted when the table was masked.", None
        if self.no_links:
            return release, UNASKED, None
        if not whole_records(release):
            return release, *_count_in_groups(data, release, key)
        seed = secrets.randbits(RANDOMNESS) if self.seed is None else self.seed
        self.say(f"Counting what the strongest attack finds among {len(data):,} records …")
        try:
            # Fresh randomness tells what the method does, and nothing of this very draw.
            said = "Counted in a table made by the same method with another, secret randomness."
            found = count_again(data, release, seed=seed)
            return _report_links(release, found), said, found
        except InfeasibleError:
            return _count_in_release(data, release, key)
        except SchemaError as error:
            return release, f"{UNATTACKED}: {error}", None


def _report_links(release: TableRelease, found: CorrectLinks) -> TableRelease:
    links, luck = int(found.guessed + 1e-9), round(found.luck, 2)
    return release.reporting(links, luck, without=found.not_compared)


def _count_in_groups(
    data: Microdata, release: Release, key: Key
) -> tuple[str, CorrectLinks | None]:
    """Count the links to rows that may be any record that the values of their group make."""
    from verikit.intruder import link
    from verikit.protector import correct_links, say_draw

    try:
        found = correct_links(link(data, cast("TableRelease", release), attack="strongest"), key)
    except (SchemaError, InfeasibleError) as error:
        return f"{UNATTACKED}: {error}", None
    said = (
        f"The attack by ranks, by somebody who knows all original records, links {found.count:,} "
        f"of {count(found.records, 'person', 'people')} rightly to a row{say_draw(found)}; luck "
        f"gives about {found.luck:.2g}. Counted in these very tables, a row being read as any "
        "record that the values of its group make: her row tells her group, and which of its "
        "values is hers is guessed as told below."
    )
    return said, found


def _count_in_release(data: Microdata, release: TableRelease, key: Key) -> Counted:
    """Count the links in this very release, where its method cannot be repeated."""
    from verikit.intruder import link
    from verikit.protector import correct_links

    try:
        found = correct_links(link(data, release, attack="strongest"), key)
    except (SchemaError, InfeasibleError) as error:
        return release, f"{UNATTACKED}: {error}", None
    return _report_links(release, found), "Counted in this very table.", found

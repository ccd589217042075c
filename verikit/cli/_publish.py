"""``verikit publish``: a draft that was audited becomes what everybody may have."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from typing import TYPE_CHECKING, Any

from verikit._support.writing import together
from verikit.cli._inputs import (
    Commands,
    add_requirement,
    add_shared,
    print_json,
    read_requirement,
    report_progress,
)
from verikit.cli._protector import check_document, check_places, read_original_like, render_audit
from verikit.cli._public_report import FACTS, REPORT, Publication, public_report
from verikit.datasets import find_release
from verikit.errors import InfeasibleError, SchemaError
from verikit.release import Key, Release, TableRelease, whole_records
from verikit.table import Microdata

if TYPE_CHECKING:
    from verikit.protector import AuditReport


RANDOMNESS = 53
UNATTACKED = "No attack was run on it"


def add_publish(commands: Commands) -> None:
    """Add the subcommand."""
    command = commands.add_parser(
        "publish",
        help="write a release to give away, with its report and its reported links",
        description="Audit a release that mask or choose wrote, count how many people the "
        "strongest attack finds, and write a folder to be given away: the release with this "
        f"number, and one report, as {REPORT} for those who read and as {FACTS} for programs. "
        "Nothing of the key or the original goes into it; --audit writes the audit of every "
        "record, for you alone. Where a requirement is stated and not met, nothing is written. "
        "What was stopped can be given again.",
    )
    command.add_argument("original", help="the original records, a table file")
    command.add_argument("release", help="the folder that mask or choose wrote")
    command.add_argument("--key", required=True, metavar="FILE", help="its key")
    command.add_argument("--out", required=True, metavar="FOLDER", help="what will be given away")
    command.add_argument("--title", default="", help="what the table is, in a few words")
    add_shared(command, "--schema")
    add_requirement(command)
    command.add_argument(
        "--no-links", action="store_true", help="count no links, which takes most of the time"
    )
    command.add_argument(
        "--audit", metavar="FILE", help="write the audit of every record too, .html or .json"
    )
    command.add_argument(
        "--page",
        action="store_true",
        help="put check.html beside the table, with which people without Python check their record",
    )
    add_shared(command, "--seed", "--json", "--quiet")
    command.set_defaults(run=run_publish, stopped="nothing was published")


def run_publish(given: argparse.Namespace) -> int:
    """Write the release and its report, unless a stated requirement is not met."""
    if given.audit:  # a file of single records must not be given away
        check_document(given.audit, "--audit")
        check_places(given.out, given.audit, "internal audit")
    release, key = find_release(given.release), Key.open(given.key)
    data = read_original_like(given.original, given.schema, release.schema)
    report = _audit_release(given, data, release, key)
    if report is not None and report.met is False:
        print("The requirement is not met; nothing was published.", file=sys.stderr)
        return 1
    release, counted = _count_links(given, data, release, key)
    publication = Publication(given.title, release, report, counted)
    with together() as new:
        if given.audit and report is not None:
            new.file(given.audit, render_audit(report, given.audit, internal=True), private=True)
        folder = new.folder(given.out)
        release.save(folder, page=given.page)
        facts = json.dumps(publication.facts, indent=1, ensure_ascii=False)
        (folder / FACTS).write_text(facts, encoding="utf-8")
        (folder / REPORT).write_text(public_report(publication, folder), encoding="utf-8")
    given.done = f"the release lies whole in {given.out!r}"
    if given.json:
        print_json({"out": given.out, **publication.facts})
    else:
        print(release, *publication.sentences, sep="\n")
        print(f"Give away {given.out!r} as it is; its {REPORT} says this to everybody.")
    return 0


def _audit_release(
    given: argparse.Namespace, data: Microdata, release: Release, key: Key
) -> AuditReport | None:
    """Audit a release; not one without whole records, of which nothing was required."""
    from verikit.protector import audit

    stated = bool(given.distance or given.diversity)
    if not stated and not given.audit and not whole_records(release):
        return None
    report_progress(given)(f"Auditing {len(data):,} records …")
    try:
        return audit(data, release, key, subject_view=False, **read_requirement(given))
    except (SchemaError, InfeasibleError):
        if stated or given.audit:
            raise
        return None


def _count_links(
    given: argparse.Namespace, data: Microdata, release: Release, key: Key
) -> tuple[Release, str]:
    """Count the links that the release will report, and say how; or why no attack was run."""
    from verikit.protector import reporting

    if not whole_records(release):
        return release, (
            f"{UNATTACKED}: it was published in separate tables, whose rows no attack by ranks "
            "links. How surely sensitive values are guessed was not tested."
        )
    if release.reported_links is not None:
        return release, "Counted when the table was masked."
    if given.no_links:
        return release, f"{UNATTACKED}: its publisher asked for none."
    seed = secrets.randbits(RANDOMNESS) if given.seed is None else given.seed
    report_progress(given)(
        f"Counting what the strongest attack finds among {len(data):,} records …"
    )
    try:
        # Fresh randomness tells what the method does, and nothing of this very draw.
        said = "Counted in a table made by the same method with another, secret randomness."
        return reporting(data, release, seed=seed), said
    except InfeasibleError:
        return _count_in_release(data, release, key)
    except SchemaError as error:
        return release, f"{UNATTACKED}: {error}"


def _count_in_release(data: Microdata, release: TableRelease, key: Key) -> tuple[Any, str]:
    """Count the links in this very release, where its method cannot be repeated."""
    from verikit.intruder import link
    from verikit.protector import correct_links

    try:
        found = correct_links(link(data, release, attack="strongest"), key)
    except (SchemaError, InfeasibleError) as error:
        return release, f"{UNATTACKED}: {error}"
    links = int(found.guessed + 1e-9)
    publication = release.reporting(links, found.luck, without=found.not_compared)
    return publication, "Counted in this very table."

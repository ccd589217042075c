"""``verikit mask`` and ``verikit audit``: for whoever holds the original records."""

from __future__ import annotations

import argparse
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verikit.cli._inputs import (
    Commands,
    add_hierarchies,
    add_requirement,
    add_shared,
    add_spelling,
    print_json,
    read_requirement,
    read_schema,
    read_spelling,
    report_progress,
    write_document,
)
from verikit.cli._methods import MethodHelp, add_groups, build_arguments, check_method
from verikit.datasets import find_release
from verikit.errors import FormatError
from verikit.release import Key, Masked, TableRelease, to_json_value
from verikit.table import Microdata, Schema, read
from verikit.words import joined, not_compared

if TYPE_CHECKING:
    from verikit.protector import AuditReport


REPORTED = (
    "how many people the strongest attack links rightly, counted with a fresh seed, and how many "
    "luck gives"
)
MANY_RECORDS = 1_000  # records from which on an audit may take seconds
DOCUMENTS = (".html", ".htm", ".json")


def add_mask(commands: Commands) -> None:
    """Add the subcommand."""
    command = commands.add_parser(
        "mask",
        help="make a release and its key from a table",
        description="Make a release and its key from a table. Both are written, or neither; what "
        "was stopped can be given again.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    command.add_argument("-h", "--help", nargs=0, action=MethodHelp, help="show this and end")
    command.add_argument("method", help="a method of verikit.mask, such as noise")
    command.add_argument("original", help="the original records, a table file")
    add_spelling(command)
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter, listed below; numbers, true, false and JSON are understood",
    )
    add_groups(command)
    command.add_argument("--out", required=True, metavar="FOLDER", help="where to publish")
    command.add_argument("--key", required=True, metavar="FILE", help="where to keep the key")
    add_shared(command, "--schema", "--seed")
    command.add_argument("--links", action="store_true", help=f"write into the release {REPORTED}")
    add_shared(command, "--json", "--quiet")
    command.set_defaults(run=run_mask, stopped="nothing was published")


def add_audit(commands: Commands) -> None:
    """Add the subcommand."""
    command = commands.add_parser("audit", help="check a release record by record, with its key")
    command.add_argument("original", help="the original records, CSV or Parquet")
    command.add_argument("release", help="the release's folder or file")
    command.add_argument("--key", required=True, metavar="FILE", help="the key of the release")
    add_shared(command, "--schema")
    add_requirement(command)
    command.add_argument(
        "--worst", type=int, default=20, metavar="N", help="records to print (default: 20)"
    )
    command.add_argument("--json", action="store_true", help="print every record as JSON")
    add_shared(command, "--quiet")
    command.add_argument(
        "--out", metavar="FOLDER", help=f"write the release once more, with {REPORTED}"
    )
    command.add_argument(
        "--report", metavar="FILE", help="write the audit as .html or .json, to be handed out"
    )
    command.add_argument(
        "--internal", action="store_true", help="tell of single records too, for you alone"
    )
    command.add_argument("--force", action="store_true", help="replace what stands at FILE")
    command.set_defaults(run=run_audit)


def run_mask(given: argparse.Namespace) -> int:
    """Mask a table; write the release and, somewhere else, its key."""
    from verikit.mask import METHODS

    check_method(given.method)
    check_places(given.out, given.key)
    say = report_progress(given)
    data = read_original(given)
    for note in data.notes:
        print(note, file=sys.stderr)
    seed = secrets.randbits(63) if given.seed is None else given.seed
    parameters = build_arguments(given, data, seed)
    say(f"Masking {len(data):,} records …")
    masked = METHODS[given.method].function(data, **parameters, seed=seed)
    reported = _report_links(data, masked.release) if given.links else None
    masked = masked if reported is None else Masked(reported, masked.key)
    save_both(given, masked)
    if given.json:
        print_json(describe_written(given, masked))
    else:
        print(masked.release)
        print(f"Published in {given.out!r}; keep the key {given.key!r} to yourself.")
        if reported is not None:
            print(_say_reported(reported))
    return 0


def _report_links(data: Microdata, release: Any) -> TableRelease:
    """Report in the release the count of a seed that nobody chose and nobody keeps."""
    from verikit.protector import reporting

    return reporting(data, release, seed=secrets.randbits(63))


def _say_reported(release: TableRelease) -> str:
    said = (
        f"It reports that the strongest attack links {release.reported_links:,} of "
        f"{len(release):,} people rightly; luck gives about {release.reported_luck:.1f}."
    )
    return " ".join(filter(None, (not_compared(release.not_compared), said)))


def check_places(out: str, key: str, what: str = "key") -> None:
    """Refuse a key that would be published, before any work is done."""
    folder, place = Path(out), Path(key)
    if folder.resolve() in (place.resolve(), *place.resolve().parents):
        raise FormatError(
            f"The {what} {key!r} would lie in the published folder {out!r}; keep it somewhere else."
        )


def read_original(given: argparse.Namespace) -> Microdata:
    """Read the original records with the schema and the hierarchies that were given."""
    schema = read_schema(given.schema) if given.schema else None
    return add_hierarchies(read(given.original, schema, **read_spelling(given)), given.hierarchy)


def save_both(given: argparse.Namespace, masked: Masked) -> None:
    """Write a release and its key: both, or neither."""
    masked.save(given.out, given.key)
    given.done = f"the release lies whole in {given.out!r}, its key in {given.key!r}"


def describe_written(given: argparse.Namespace, masked: Masked) -> dict[str, object]:
    """Describe what was written, without anything of the key."""
    release = masked.release
    facts = {"method": release.method, "parameters": to_json_value(dict(release.parameters))}
    return {"out": given.out, "key": given.key, "records": len(release), **facts}


def run_audit(given: argparse.Namespace) -> int:
    """Print the audit, its verdict last."""
    from verikit.protector import audit

    if given.internal and not given.report:
        raise FormatError("--internal says what --report FILE holds; give both.")
    if given.report:
        check_document(given.report, "--report")
    release, key = find_release(given.release), Key.open(given.key)
    data = read_original_like(given.original, given.schema, release.schema)
    if len(data) > MANY_RECORDS:
        report_progress(given)(f"Auditing {len(data):,} records …")
    report = audit(data, release, key, **read_requirement(given))
    if given.report:
        document = render_audit(report, given.report, internal=given.internal)
        write_document(given.report, document, replace=given.force, private=given.internal)
        given.done = f"the audit lies whole in {given.report!r}"
    if given.json:
        print(report.to_frame().to_json(orient="records"))
        print(report, file=sys.stderr)
    else:
        print(report.to_frame(given.worst).to_string(index=False), report, sep="\n\n")
    if given.out:
        describe_written = _report_links(data, release)
        describe_written.save(given.out)
        print(
            f"Written to {given.out!r}. {_say_reported(describe_written)}",
            file=sys.stderr if given.json else None,
        )
    return int(report.met is False)


def check_document(name: str, option: str) -> None:
    """Refuse a name that does not say whether a page or JSON is meant."""
    if Path(name).suffix.lower() not in DOCUMENTS:
        raise FormatError(
            f"{option} was given as {name!r}; expected a name that ends in "
            f"{joined(DOCUMENTS, 'or')}."
        )


def render_audit(report: AuditReport, name: str, *, internal: bool) -> str:
    """Render the audit as the name of its file asks for."""
    write = report.json if Path(name).suffix.lower() == ".json" else report.html
    return write(internal=internal)


def read_original_like(path: str, schema: str | None, released: Schema) -> Microdata:
    """Read the original records, described as the release is unless a schema is given."""
    if schema:
        return read(path, read_schema(schema))
    data = read(path)
    known = {column.name: column for column in released}
    columns = tuple(known.get(column.name, column) for column in data.schema)
    return read(path, Schema(columns))

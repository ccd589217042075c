"""The commands of this room: ``verikit page``, and those that serve pages here."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from verikit.cli import Commands, add_spelling, read_spelling
from verikit.datasets import find_release
from verikit.errors import FormatError
from verikit.languages import LANGUAGES
from verikit.page._app import add_app, add_doctor, add_lab

INDEX = b"verikit index "  # what its file begins with


def add(commands: Commands) -> None:
    """Add the subcommands."""
    for add_served in (add_app, add_lab, add_doctor):
        add_served(commands)
    command = commands.add_parser(
        "page",
        help="write a page to publish beside a table: who is in it checks her record with it",
        description="Write one file that opens by a double click, without Python, server or "
        "network, and says of a person's own values what  verikit check  says. It holds the "
        "published table, and no connection can be opened from it.",
    )
    command.add_argument(
        "release", nargs="?", help="a release's folder, zip or table file, an index, or a name"
    )
    command.add_argument("file", help="the page, such as check.html")
    command.add_argument("--title", default="", help='what stands first (default "Check your …")')
    command.add_argument(
        "--language",
        choices=LANGUAGES,
        help="in which language the page opens (default that of the reader's browser)",
    )
    command.add_argument(
        "--empty",
        action="store_true",
        help="leave the values out: the page takes the published CSV from the reader's disk; "
        "without RELEASE it takes the files of any release",
    )
    command.add_argument("--force", action="store_true", help="replace what stands at FILE")
    command.add_argument("--json", action="store_true", help="print the checksum as JSON")
    add_spelling(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Write the page, and print the checksum that belongs on the publisher's site."""
    from verikit.page import write

    if given.release is None and not given.empty:
        raise FormatError(
            "verikit page was given one name; give a release and the page to write, or --empty for "
            "a page that takes the files of any release."
        )
    release = given.release and _read_published(given)
    asked = {"title": given.title, "language": given.language, "replace": given.force}
    checksum = write(release, given.file, data=not given.empty, **asked)
    given.done = f"the page lies whole in {given.file!r}"
    if given.json:
        print(json.dumps({"file": given.file, "sha256": checksum}, ensure_ascii=False))
        return 0
    print(f"Publish {given.file} beside your table, and its checksum on a site of your own:")
    print(f"sha256 {checksum}")
    return 0


def _read_published(given: argparse.Namespace) -> Any:
    """What is to be on the page: a release, or the short form of one."""
    path = Path(given.release)
    if path.is_file():
        with path.open("rb") as file:
            if file.read(len(INDEX)) == INDEX:
                from verikit.large import open_index

                return open_index(path)
    return find_release(given.release, **read_spelling(given))

"""``verikit page``: a page to publish beside a table, for those who are in it."""

from __future__ import annotations

import argparse
import json
from typing import Any

from verikit.cli._inputs import Commands, add_spelling, spelling
from verikit.datasets import find_release

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the subcommand."""
    command = commands.add_parser(
        "page",
        help="write a page to publish beside a table: who is in it checks her record with it",
        description="Write one file that opens by a double click, without Python, server or "
        "network, and says of a person's own values what  verikit check  says. It holds the "
        "published table, and no connection can be opened from it.",
    )
    command.add_argument("release", help="a release's folder, zip or table file, or a name")
    command.add_argument("file", help="the page, such as check.html")
    command.add_argument("--title", default="", help='what stands first (default "Check your …")')
    command.add_argument("--force", action="store_true", help="replace what stands at FILE")
    command.add_argument("--json", action="store_true", help="print the checksum as JSON")
    add_spelling(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Write the page, and print the checksum that belongs on the publisher's site."""
    from verikit.page import write

    release: Any = find_release(given.release, **spelling(given))
    checksum = write(release, given.file, title=given.title, replace=given.force)
    given.done = f"the page lies whole in {given.file!r}"
    if given.json:
        print(json.dumps({"file": given.file, "sha256": checksum}, ensure_ascii=False))
        return 0
    print(f"Publish {given.file} beside your table, and its checksum on a site of your own:")
    print(f"sha256 {checksum}")
    return 0

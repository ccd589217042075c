"""``verikit index``: the short form of a published table, for people to fetch."""

from __future__ import annotations

import argparse
import json
import sys

from verikit.cli import Commands


def add(commands: Commands) -> None:
    """Add the subcommand."""
    command = commands.add_parser(
        "index",
        help="make a short form of a published table, which bounds everybody's distance",
        description="Make a short form of a published table: a file of a few megabytes, with which "
        "people check their records (verikit check OUT). It tells nothing beyond the table.",
    )
    command.add_argument("release", help="a release's folder or file, or a name")
    command.add_argument("out", help="the file to write")
    command.add_argument(
        "--bits", type=int, default=12, help="how finely values are told apart (default: 12)"
    )
    command.add_argument("--force", action="store_true", help="replace what stands at OUT")
    command.add_argument("--json", action="store_true", help="print the result as JSON")
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Make the index, write it whole, and say how large it is."""
    from verikit.datasets import find_release
    from verikit.large import index

    print("Reading and sorting the table ...", file=sys.stderr)
    made = index(find_release(given.release), given.bits)
    place = made.save(given.out, replace=given.force)
    given.done = f"the index lies whole in {given.out!r}"
    if given.json:
        told = {"records": len(made), "file": given.out, "bytes": place.stat().st_size}
        print(json.dumps(told, ensure_ascii=False))
        return 0
    print(made)
    print(f"Written to {given.out!r}: {place.stat().st_size / 1e6:,.2f} MB.")
    return 0

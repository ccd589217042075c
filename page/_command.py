"""The commands of this room: ``verikit page``, and those that serve pages here."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any

from verikit.cli import Command, Commands, Spelling, declare
from verikit.datasets import find_release
from verikit.errors import FormatError
from verikit.page._app import App, Bench, Doctor, Lab
from verikit.page._publish import Publish
from verikit.release import PACKAGE

INDEX = b"verikit index "  # what its file begins with


def add(commands: Commands) -> None:
    """Add the subcommands."""
    kinds = {
        "app": App,
        "bench": Bench,
        "lab": Lab,
        "publish": Publish,
        "page": Page,
        "verify": Verify,
        "doctor": Doctor,
    }
    for name, kind in kinds.items():
        declare(commands, name, kind)


@dataclass
class Page(Command):
    """Write a page to publish beside a table: who is in it checks her record with it.

    Write one file that opens by a double click, without Python, server or network, and says of a
    person's own values what  verikit check  says. It holds the published table, and no connection
    can be opened from it.

    Parameters
    ----------
    release
        a release's folder, zip or table file, an index, or a name
    file
        the page, such as check.html
    promise : TEXT
        what a bare table promises of its values, such as "drawn from a model"
    title
        what stands first (default "Check your …")
    language
        in which language the page opens (default that of the reader's browser)
    empty
        leave the values out: the page takes the published CSV from the reader's disk; without
        RELEASE it takes the files of any release
    force
        replace what stands at FILE
    json
        print the checksum as JSON
    """

    release: str | None
    file: str
    _: KW_ONLY
    promise: str | None = None
    title: str = ""
    language: str | None = None
    empty: bool = False
    force: bool = False
    json: bool = False
    spelling: Spelling

    def execute(self) -> int:
        """Write the page, and print the checksum that belongs on the publisher's site."""
        from verikit.page import write

        if self.release is None and not self.empty:
            raise FormatError(
                "verikit page was given one name; give a release and the page to write, or --empty "
                "for a page that takes the files of any release."
            )
        told = self.spelling.keywords | ({"promise": self.promise} if self.promise else {})
        release = None if self.release is None else read_published(self.release, told)
        asked: Any = {"title": self.title, "language": self.language, "replace": self.force}
        checksum = write(release, self.file, data=not self.empty, **asked)
        self.done = f"the page lies whole in {self.file!r}"
        self.show(
            {"file": self.file, "sha256": checksum},
            f"Publish {self.file} beside your table, and its checksum on a site of your own:\n"
            f"sha256 {checksum}",
        )
        return 0


@dataclass
class Verify(Command):
    """Say whether a page to check one's record is one of ours.

    Take a check.html apart: whether its program, its policy, its words and its style are those that
    this version of verikit writes, and whether it holds the published values and nothing else, if
    the table is given. It exits with 1 where something differs.

    Parameters
    ----------
    page
        the page, such as check.html
    against : RELEASE
        what was published: a release's folder, zip or table file, an index, or a name
    json
        print what was found as JSON
    """

    page: str
    _: KW_ONLY
    against: str | None = None
    json: bool = False
    spelling: Spelling

    def execute(self) -> int:
        """Print of each part of the page whether it is as it should be."""
        from verikit.page import verify

        given = self.against
        place = Path(given or PACKAGE)
        beside, named = place.with_name(PACKAGE), f'"path": "{place.name}"'
        if given and beside.is_file() and named in beside.read_text(encoding="utf-8"):
            given = str(beside)  # which says how the table was made
        published = None if given is None else read_published(given, self.spelling.keywords)
        found = verify(self.page, published)
        lines = [f"{name}: {'ours' if same else 'NOT OURS'}" for name, same in found.items()]
        if published is None:
            lines.append("values: not compared; give the table by --against")
        elif "cells" in found:
            lines.append(
                f"values: each cell of the page was compared with {len(published):,} rows of the "
                "table, in any order; that they were made as the page says was not"
            )
        whole = all(found.values())
        verdict = "The page is as this verikit writes it." if whole else "Do not trust this page."
        self.show(found, "\n".join(lines) + "\n", verdict)
        return int(not whole)


def read_published(given: str, told: dict[str, Any]) -> Any:
    """Read what is to be on a page: a release, or the short form of one."""
    path = Path(given)
    if path.is_file():
        with path.open("rb") as file:
            if file.read(len(INDEX)) == INDEX:
                from verikit.large import open_index

                return open_index(path)
    return find_release(given, **told)

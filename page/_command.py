"""The commands of this room: ``verikit page``, and those that serve pages here."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any

from verikit.cli import Command, Commands, Spelling, declare
from verikit.datasets import find_release
from verikit.errors import FormatError
from verikit.page._app import App, Doctor, Lab
from verikit.page._publish import Publish

INDEX = b"verikit index "  # what its file begins with


def add(commands: Commands) -> None:
    """Add the subcommands."""
    kinds = {"app": App, "lab": Lab, "publish": Publish, "page": Page, "doctor": Doctor}
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
        release = None if self.release is None else self._read_published(Path(self.release))
        asked: Any = {"title": self.title, "language": self.language, "replace": self.force}
        checksum = write(release, self.file, data=not self.empty, **asked)
        self.done = f"the page lies whole in {self.file!r}"
        self.show(
            {"file": self.file, "sha256": checksum},
            f"Publish {self.file} beside your table, and its checksum on a site of your own:\n"
            f"sha256 {checksum}",
        )
        return 0

    def _read_published(self, path: Path) -> Any:
        """Read what is to be on the page: a release, or the short form of one."""
        if path.is_file():
            with path.open("rb") as file:
                if file.read(len(INDEX)) == INDEX:
                    from verikit.large import open_index

                    return open_index(path)
        return find_release(str(self.release), **self.spelling.keywords)

"""``verikit index``: the short form of a published table, for people to fetch."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from verikit.cli import Command, Commands, declare


def add(commands: Commands) -> None:
    """Add the subcommand."""
    declare(commands, "index", MakeIndex)


@dataclass
class MakeIndex(Command):
    """Make a short form of a published table, which bounds everybody's distance.

    Make a short form of a published table: a file of a few megabytes, with which people check
    their records (verikit check OUT). It tells nothing beyond the table.

    Parameters
    ----------
    release
        a release's folder or file, or a name
    out
        the file to write
    bits
        how finely values are told apart (default: 12)
    force
        replace what stands at OUT
    """

    release: str
    out: str
    _: KW_ONLY
    bits: int = 12
    force: bool = False
    json: bool = False

    def execute(self) -> int:
        """Make the index, write it whole, and say how large it is."""
        from verikit.datasets import find_release
        from verikit.large import index

        self.say("Reading and sorting the table ...")
        made = index(find_release(self.release), self.bits)
        size = made.save(self.out, replace=self.force).stat().st_size
        self.done = f"the index lies whole in {self.out!r}"
        facts = {"records": len(made), "file": self.out, "bytes": size}
        self.show(facts, f"{made}\nWritten to {self.out!r}: {size / 1e6:,.2f} MB.")
        return 0

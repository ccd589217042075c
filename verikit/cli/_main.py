"""One command, its subcommands, and errors as one sentence."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from verikit._guard import guard
from verikit.cli import _app, _doctor, _lab, _protector, _subject, _tables
from verikit.errors import VerikitError

__all__ = ["main", "parser"]

EPILOG = """\
exit codes: 0 all well, 1 a warning or a requirement not met, 2 wrong input
(the last line says it in words)
"""


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command; each part adds its own subcommands."""
    from importlib.metadata import version

    whole = argparse.ArgumentParser(
        prog="verikit",
        description="Learn, apply and check the anonymization of microdata.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument("--version", action="version", version=f"verikit {version('verikit')}")
    commands = whole.add_subparsers(metavar="command", required=True)
    for part in (_app, _lab, _subject, _protector, _tables, _doctor):
        part.add(commands)
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 all well, 1 a warning or a requirement not met, 2 wrong input."""
    given = parser().parse_args(arguments)
    try:
        with guard("What was asked for"):
            return int(given.run(given))
    except VerikitError as error:
        print(f"verikit: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # as in  verikit data list | head
        sys.stdout = None
        return 0

"""One command, its subcommands, and errors as one sentence."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
import warnings
from collections.abc import Sequence

from verikit._support.guard import FOREIGN
from verikit._support.joined import load_joined
from verikit.cli._check import Check
from verikit.cli._declare import Command, Parser, build, declare
from verikit.cli._mask import Audit, Choose, Mask, describe_methods
from verikit.cli._tables import DescribeTable, ExportTable, ListTables, WriteSchema
from verikit.errors import VerikitError

EPILOG = """\
a first try, with invented people:
  verikit check people_masked --set age=34 --set postcode=3104

exit codes:
  0    all well
  1    a warning, or a requirement not met (the last line says it in words)
  2    wrong input, or no room on the disk or in memory: one sentence says which
  3    a fault of verikit itself: one sentence says how to report it
  130  stopped by Ctrl-C
  141  whoever read the output stopped reading
"""
COMMANDS: dict[str, type[Command]] = {
    "check": Check,
    "schema": WriteSchema,
    "choose": Choose,
    "mask": Mask,
    "audit": Audit,
}
DATA = {"list": ListTables, "describe": DescribeTable, "export": ExportTable}
FINE, NOT_MET, WRONG, OURS, STOPPED, UNREAD = 0, 1, 2, 3, 130, 141
REASONS = {
    MemoryError: "there is not enough memory for this; try fewer records",
    RecursionError: "something in the input is nested too deeply to be read",
    OverflowError: "a number in the input is too large",
    EOFError: "the input ends too early",
    UnicodeError: "a text cannot be shown or read in this encoding; set PYTHONIOENCODING=utf-8",
}


def make_parser() -> argparse.ArgumentParser:
    """Make the parser of the whole command; each part adds its own subcommands."""
    from importlib.metadata import version

    whole = Parser(
        prog="verikit",
        description="Learn, apply and check the anonymization of microdata.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument("--version", action="version", version=f"verikit {version('verikit')}")
    debug = "on an error show where it happened (so does the environment variable VERIKIT_DEBUG)"
    whole.add_argument("--debug", action="store_true", help=debug)
    commands = whole.add_subparsers(metavar="command", required=True)
    for name, kind in COMMANDS.items():
        declare(commands, name, kind, describe_methods if kind is Mask else None)
    data = commands.add_parser("data", help="the tables that ship with verikit")
    actions = data.add_subparsers(metavar="action", required=True)
    for name, kind in DATA.items():
        declare(actions, name, kind)
    for add in load_joined("verikit.commands"):
        add(commands)
    for command in commands.choices.values():  # there it may stand too
        command.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=debug)
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and give the exit code that its help explains."""
    given = argparse.Namespace(debug=False, done="", stopped="nothing was written")
    try:
        words = sys.argv[1:] if arguments is None else list(arguments)
        make_parser().parse_args(words or ["--help"], given)
        given.command = build(given.declared, given)
        with warnings.catch_warnings():
            warnings.showwarning = _say_warning
            code = given.command.execute()
        if sys.stdout is not None:
            sys.stdout.flush()  # what cannot be printed must be known before we end
    except BaseException as error:
        if isinstance(error, SystemExit):  # of argparse, which has said what is wrong
            raise
        if isinstance(error, OSError):
            try:  # keep Python from complaining at its end of output that nobody takes
                sys.stdout.flush()
            except (OSError, ValueError, AttributeError):
                sys.stdout = None
        code, sentence = _judge_error(error, getattr(given, "command", given))
        if given.debug or os.environ.get("VERIKIT_DEBUG"):
            traceback.print_exception(error)
        if sentence and sys.stderr is not None:
            print(f"verikit: {sentence}", file=sys.stderr)
    return code


def _say_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Say a warning as a sentence, without the line of the program that gave it."""
    if sys.stderr is not None:
        print(f"verikit: {message}", file=sys.stderr)


def _judge_error(error: BaseException, given: Command | argparse.Namespace) -> tuple[int, str]:
    """Judge an error: its exit code, and what is said of it."""
    if isinstance(error, VerikitError):
        from verikit.languages import translate, use_language

        with use_language(getattr(given, "language", None) or "en"):
            return WRONG, translate(error.told)
    if isinstance(error, BrokenPipeError):  # as in  verikit data list | head
        return UNREAD, ""
    if isinstance(error, KeyboardInterrupt):
        return STOPPED, f"stopped; {given.done or given.stopped}."
    if isinstance(error, FOREIGN):
        known = [words for kind, words in REASONS.items() if isinstance(error, kind)]
        reason = known[0] if known else str(getattr(error, "strerror", None) or error)
        name = getattr(error, "filename", None)
        if name and not known:
            reason = f"{str(name)[-80:]!r}: {reason}"
        return WRONG, "; ".join(filter(None, [reason, given.done])) + "."
    return OURS, (
        f"this is a fault of verikit, not yours ({type(error).__name__}); please report it to its "
        "authors with what the same command prints after  verikit --debug  and without your values."
    )

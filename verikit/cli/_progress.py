"""What a command says while it works: lines on standard error, so that output stays clean."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

__all__ = ["add_output", "progress"]


def add_output(command: argparse.ArgumentParser) -> None:
    """Add the options that say how a command reports."""
    command.add_argument("--json", action="store_true", help="print the result as JSON")
    command.add_argument("--quiet", action="store_true", help="say nothing while it works")


def progress(given: argparse.Namespace) -> Callable[[str], None]:
    """A function that tells what is being done, or says nothing if that was asked for."""

    def say(words: str) -> None:
        if not given.quiet and sys.stderr is not None:
            print(words, file=sys.stderr, flush=True)

    return say

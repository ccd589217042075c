"""The ``verikit`` command."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for the commands of other rooms; importing this must load next to nothing
    from verikit.cli._inputs import Commands as Commands
    from verikit.cli._inputs import add_shared as add_shared
    from verikit.cli._inputs import add_spelling as add_spelling
    from verikit.cli._inputs import read_spelling as read_spelling

__all__ = ["main"]

STOPPED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; Ctrl-C ends it in one sentence, also while it is still being loaded."""
    try:
        from verikit.cli._main import main as run
    except KeyboardInterrupt:
        print("verikit: stopped; nothing was written.", file=sys.stderr)
        return STOPPED
    return run(arguments)


def __getattr__(name: str) -> Any:
    """Give the commands of other rooms what all commands are made of."""
    if name not in {"Commands", "add_shared", "add_spelling", "read_spelling"}:
        raise AttributeError(f"module 'verikit.cli' has no attribute {name!r}")
    from verikit.cli import _inputs

    return getattr(_inputs, name)

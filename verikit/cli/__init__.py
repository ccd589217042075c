"""The ``verikit`` command."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for the commands of other rooms; importing this must load next to nothing
    from verikit.cli._declare import Command as Command
    from verikit.cli._declare import Commands as Commands
    from verikit.cli._declare import Requirement as Requirement
    from verikit.cli._declare import Spelling as Spelling
    from verikit.cli._declare import declare as declare
    from verikit.cli._declare import read_parameters as read_parameters
    from verikit.cli._inputs import parse_value as parse_value
    from verikit.cli._inputs import read_schema as read_schema
    from verikit.cli._mask import Groups as Groups
    from verikit.cli._mask import Mask as Mask
    from verikit.cli._mask import audit_drawn as audit_drawn
    from verikit.cli._mask import check_document as check_document
    from verikit.cli._mask import check_places as check_places
    from verikit.cli._mask import enter_release as enter_release
    from verikit.cli._mask import list_parameters as list_parameters
    from verikit.cli._mask import open_masked as open_masked
    from verikit.cli._mask import read_original_like as read_original_like
    from verikit.cli._mask import render_audit as render_audit
    from verikit.cli._tables import describe_roles as describe_roles
    from verikit.cli._tables import propose_schema as propose_schema
    from verikit.cli._tables import write_schema as write_schema

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
    if name.startswith("_"):
        raise AttributeError(f"module 'verikit.cli' has no attribute {name!r}")
    from verikit.cli import _declare, _mask, _tables

    rooms = (_declare, _mask, _tables)
    return getattr(next((room for room in rooms if hasattr(room, name)), _mask), name)

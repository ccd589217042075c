"""What is being written lies under a name of its own until it is whole, and is told by it."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import time
from contextlib import suppress
from pathlib import Path
from stat import S_ISLNK

from verikit.errors import FormatError

__all__ = ["part_of", "place_of", "refuse_unfinished", "remove", "shown", "sweep"]

PART = re.compile(r"\..*\.part-[0-9a-f]{16}", re.DOTALL)
OLD = 3600.0  # seconds after which nobody is writing any more
NAME = 58  # characters of a name that fit beside ".part-" and 16 digits into 255 bytes


def place_of(path: str | Path) -> Path:
    """Where a path leads, but for a link at its end, which is itself the place.

    Examples
    --------
    >>> place_of("a/../key.json") == Path.cwd() / "key.json"
    True
    """
    try:
        place = Path(path).parent.resolve() / Path(path).name
        place.is_dir()  # which refuses names that no file can have
    except (OSError, RuntimeError, ValueError) as error:
        raise FormatError(f"{shown(path)} is no place to write to: {error}.") from error
    if "\0" in place.name:
        raise FormatError(f"{shown(path)} is no place to write to: no name holds a null character.")
    return place


def part_of(target: Path) -> Path:
    """A new name beside a place for what shall lie there.

    Examples
    --------
    >>> part_of(Path("key.json")).name
    '.key.json.part-...'
    """
    return target.with_name(_head(target) + secrets.token_hex(8))


def refuse_unfinished(path: Path) -> None:
    """Refuse what lies in a folder that was never finished, such as half a table.

    Examples
    --------
    >>> refuse_unfinished(Path(".out.part-0f1e2d3c4b5a6978/out/table.csv"))
    Traceback (most recent call last):
    verikit.errors.FormatError: '...table.csv' was never finished: ...
    """
    parts = path.parts
    with suppress(OSError, ValueError):
        parts += Path(os.path.realpath(path)).parts
    if any(PART.fullmatch(part) for part in parts):
        raise FormatError(
            f"{shown(path)} was never finished: its writing was stopped; open what was published, "
            "or write it again."
        )


def sweep(target: Path) -> None:
    """Remove what processes of this user that were killed left of the same thing, an hour ago."""
    with suppress(OSError), os.scandir(target.parent) as entries:
        names = [entry.name for entry in entries if entry.name.startswith(_head(target))]
        for part in map(target.with_name, filter(PART.fullmatch, names)):
            if _is_ours_and_old(part):
                remove(part)


def remove(part: Path) -> None:
    """Remove a part, whatever it is and as far as it is there."""
    with suppress(OSError):
        if part.is_dir() and not part.is_symlink():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)


def shown(path: str | Path) -> str:
    """A path in quotes; of a long one its end.

    Examples
    --------
    >>> shown("out/table.csv"), len(shown("o" * 1000))
    ("'out/table.csv'", 80)
    """
    words = repr(str(path))
    return words if len(words) <= 80 else f"'…{words[-78:]}"


def _head(target: Path) -> str:
    return f".{target.name[:NAME]}.part-"


def _is_ours_and_old(part: Path) -> bool:
    facts = part.lstat()
    mine = not hasattr(os, "geteuid") or facts.st_uid == os.geteuid()
    times = [facts.st_mtime, *(inside.lstat().st_mtime for inside in part.rglob("*"))]
    return mine and not S_ISLNK(facts.st_mode) and max(times) < time.time() - OLD

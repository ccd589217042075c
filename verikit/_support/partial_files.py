"""What is being written lies under a name of its own until it is whole, and is told by it."""

from __future__ import annotations

import os
import platform
import re
import secrets
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from stat import S_ISLNK

from verikit.errors import FormatError

PROCESS = 8  # of the digits of a part, those that tell which process makes it
HOST = 3  # and those after them, on which machine
FIRST = "00"  # the end of a part that gets its name before the others of its writing
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


def new_token() -> str:
    """What the parts of one writing have in common: its process, its machine, and randomness.

    Examples
    --------
    >>> len(new_token())
    14
    """
    return f"{os.getpid() % 16**PROCESS:0{PROCESS}x}{_host()}{secrets.token_hex(2)[:3]}"


@cache
def _host() -> str:
    """A mark of where processes have their numbers from: this machine, or a container on it."""
    place = platform.node()
    with suppress(OSError):
        place += str(Path("/proc/self/ns/pid").stat().st_ino)
    return sha256(place.encode("utf-8", "replace")).hexdigest()[:HOST]


def part_of(target: Path, token: str, number: int) -> Path:
    """A new name beside a place for what shall lie there.

    Examples
    --------
    >>> part_of(Path("key.json"), "0f1e2d3c4b5a69", 120).name
    '.key.json.part-0f1e2d3c4b5a6978'
    """
    return target.with_name(f"{_head(target)}{token}{number % 256:02x}")


def is_left(target: Path) -> bool:
    """Whether a file may be what a process named that was then killed: its part is there too."""
    return bool(_find_left_parts(target))


def left_alone(target: Path, others: Sequence[Path]) -> Path | None:
    """The part of a file that a killed process named before the others that belong to it.

    Until all are whole its part is the same file, and lies there beside those of the others. That
    of a living process, and that of a writing of other things, is none.
    """
    for part in _find_left_parts(target):
        if any(_waits(other, _token(part)) for other in others):
            return part
    return None


def _find_left_parts(target: Path) -> list[Path]:
    with suppress(OSError):
        same = [part for part in _parts(target) if not part.is_dir() and target.samefile(part)]
        return [part for part in same if _is_mine(part) and not _alive(part)]
    return []


def _waits(target: Path, token: str) -> bool:
    """Whether a writing came to have made something, and not to have named it."""
    with suppress(OSError):
        for part in _parts(target):
            whole = part / target.name if part.is_dir() else part
            if _token(part) == token and whole.exists() and not target.exists():
                return True
    return False


def _token(part: Path) -> str:
    return part.name[-16:-2]


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
    """Remove what processes of this user that were killed left in the folder of a place.

    A part of the same thing goes once it is an hour old, whoever made it; any other as soon as its
    process is gone, unless its writing may have named something already: the same writing needs
    the part to take that back.
    """
    with suppress(OSError):
        for part in _parts(target):
            if _is_ours_and_old(part):
                remove(part)
        every = _parts_in(target.parent, ".")
        unnamed = {
            _token(part)
            for part in every
            if part.name.endswith(FIRST) and _has_no_second_name(part)
        }
        for part in every:
            if _token(part) in unnamed and _is_abandoned(part):
                remove(part)


def remove_leftovers_of(target: Path) -> None:
    """Remove what processes that are gone left of a thing that is whole now."""
    with suppress(OSError):
        for part in _parts(target):
            if _is_abandoned(part):
                remove(part)


def _is_abandoned(part: Path) -> bool:
    return _is_mine(part) and not part.is_symlink() and not _alive(part)


def _has_no_second_name(part: Path) -> bool:
    """Whether a part has no second name, which is how a file gets its own."""
    return part.is_dir() or part.lstat().st_nlink == 1


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


def outside(path: str | Path) -> Path:
    """A path as it will be once what is being written has its names.

    Examples
    --------
    >>> outside(".out.part-0f1e2d3c4b5a6978/out/table.csv").as_posix()
    'out/table.csv'
    """
    return Path(*(part for part in Path(path).parts if not PART.fullmatch(part)))


def _head(target: Path) -> str:
    return f".{target.name[:NAME]}.part-"


def _parts(target: Path) -> list[Path]:
    """What lies beside a place under the name of something unfinished of it."""
    return _parts_in(target.parent, _head(target))


def _parts_in(folder: Path, beginning: str) -> list[Path]:
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.name.startswith(beginning)]
    return [folder / name for name in names if PART.fullmatch(name)]


def _is_mine(part: Path) -> bool:
    return not hasattr(os, "geteuid") or part.lstat().st_uid == os.geteuid()


def _alive(part: Path) -> bool:
    """Whether the process that makes a part is still running, as far as can be told here."""
    if os.name != "posix" or _token(part)[PROCESS : PROCESS + HOST] != _host():
        return True
    try:
        os.kill(int(_token(part)[:PROCESS], 16), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _is_ours_and_old(part: Path) -> bool:
    facts = part.lstat()
    mine = _is_mine(part)
    times = [facts.st_mtime, *(inside.lstat().st_mtime for inside in part.rglob("*"))]
    return mine and not S_ISLNK(facts.st_mode) and max(times) < time.time() - OLD

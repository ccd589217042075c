"""Writing whole or not at all: files and folders come into being together, or nothing does."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_IMODE

from verikit._support.partial_files import (
    is_left,
    left_alone,
    new_token,
    outside,
    part_of,
    place_of,
    remove,
    remove_leftovers_of,
    shown,
    sweep,
)
from verikit.errors import FormatError

WINDOWS = os.name == "nt"
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
NEW |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EFBIG: "it would be larger than a file may be here",
    getattr(errno, "EDQUOT", -1): "your share of the disk is full",
}
UNABLE = {errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EPERM, errno.EACCES}


@dataclass(frozen=True, slots=True)
class Staged:
    """One file or folder: where it shall be, and the part where it lies until all are whole."""

    target: Path
    part: Path
    advice: str
    replace: bool = False
    is_folder: bool = False

    @property
    def whole(self) -> Path:
        """What is renamed; a folder lies under its own name in its part."""
        return self.part / self.target.name if self.is_folder else self.part

    def place(self) -> None:
        """Give it its name, by one step of the file system."""
        try:
            if self.is_folder:
                _place_folder(self.whole, self.target)
            elif self.replace:
                self.part.replace(self.target)
            else:
                _place_file(self.part, self.target)
        except OSError as error:
            if error.errno in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                raise FormatError(self.refusal()) from error
            raise FormatError(_failure(self.target, error)) from error

    def take_back(self) -> None:
        """Undo `place` if it was done, unless it replaced something."""
        if self.replace or not os.path.lexists(self.target):
            return
        moved = not self.whole.exists()
        if moved and self.is_folder:
            self.part.mkdir(0o700, exist_ok=True)
            self.target.rename(self.whole)
        elif moved or self.target.samefile(self.whole):
            self.target.unlink()

    def refusal(self) -> str:
        """What is said where something is there already."""
        more = " and is not empty" if self.is_folder else ""
        return f"{shown(self.target)} exists already{more}; {self.advice}."


@dataclass(slots=True)
class Writing:
    """What is to be written together; see `together`."""

    _staged: list[Staged] = field(default_factory=list)
    _made: list[Path] = field(default_factory=list)
    _placing: bool = False
    _token: str = field(default_factory=new_token)

    def _part(self, target: Path) -> Path:
        return part_of(target, self._token, len(self._staged))

    def file(
        self,
        path: str | Path,
        content: str | bytes,
        *,
        private: bool = False,
        replace: bool = False,
        advice: str = "choose another name",
    ) -> Path:
        """Write a file; a private one is its owner's alone, whatever the umask."""
        staged = self._stage_file(path, advice, replace)
        handle = os.open(staged.part, NEW, 0o600 if private else 0o666)
        with os.fdopen(handle, "wb") as file:
            if private and not WINDOWS:
                os.fchmod(handle, 0o600)
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(handle)
        return staged.target

    def elsewhere(self, path: str | Path, *, advice: str = "choose another name") -> Path:
        """Where somebody else is to write a file, which gets its name when all is whole."""
        return self._stage_file(path, advice, replace=False).part

    def _stage_file(self, path: str | Path, advice: str, replace: bool) -> Staged:
        target = place_of(path)
        if target.is_dir() and not target.is_symlink():
            raise FormatError(f"{shown(target)} is a folder; expected the name of a file.")
        staged = Staged(target, self._part(target), advice, replace)
        if not replace and os.path.lexists(target) and not is_left(target):
            raise FormatError(staged.refusal())
        self._staged.append(staged)  # before it is there, so that it is removed whatever happens
        return staged

    def folder(self, path: str | Path) -> Path:
        """Where to make and fill a new folder; it is moved to its place when all is whole."""
        target = place_of(path)
        target = target.resolve() if target.is_dir() else target
        advice = "choose a new folder, so that nothing is published by mistake"
        staged = Staged(target, self._part(target), advice, is_folder=True)
        if os.path.lexists(target) and (not target.is_dir() or any(target.iterdir())):
            raise FormatError(staged.refusal())
        if target == Path.cwd() or os.path.ismount(target):
            raise FormatError(
                f"{shown(target)} is the folder you are in, or a disk; name a new folder in it."
            )
        self.parents(target.parent)
        self._staged.append(staged)
        staged.part.mkdir(0o700)
        return staged.whole

    def parents(self, folder: str | Path) -> None:
        """Make a folder and those above it; they are removed if nothing comes to lie in them."""
        wanted = Path(folder).absolute()
        lacking = [place for place in (wanted, *wanted.parents) if not place.exists()]
        self._made += lacking
        try:
            if lacking:
                wanted.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FormatError(_failure(wanted, error)) from error

    def _finish(self) -> None:
        """Bring everything to the disk, then into place, then the places to the disk."""
        for staged in self._staged:
            if staged.is_folder:
                _sync_tree(staged.whole)
            else:
                _sync(staged.part)
            sweep(staged.target)
        for staged in self._staged:
            self._take_back_left(staged)
        self._placing = True
        for staged in self._staged:
            staged.place()
        for home in {made.parent for made in self._made} | {s.target.parent for s in self._staged}:
            _sync(home)
        for staged in self._staged:
            remove(staged.part)
            remove_leftovers_of(staged.target)

    def _take_back_left(self, staged: Staged) -> None:
        """Remove what the same writing named before it was killed; refuse what is whole."""
        if staged.replace or staged.is_folder or not os.path.lexists(staged.target):
            return
        part = left_alone(staged.target, [s.target for s in self._staged if s is not staged])
        if part is None:
            raise FormatError(staged.refusal())
        staged.target.unlink()
        remove(part)

    def _undo(self) -> None:
        """Take back, last first; a key stays where its release could not be taken back."""
        with suppress(OSError):
            for staged in reversed(self._staged if self._placing else []):
                staged.take_back()
        for staged in self._staged:
            remove(staged.part)
        for made in self._made:
            with suppress(OSError):
                made.rmdir()


@contextmanager
def together() -> Iterator[Writing]:
    """Write files and folders so that all of them are there afterwards, or none.

    Each is written under a name such as ``.key.json.part-0f1e2d3c4b5a6978`` beside its place,
    brought to the disk, and renamed when the block ends. An error, or Ctrl-C, removes it. What a
    killed process leaves is never taken for the thing itself, is in nobody's way, and is swept
    away by the next writing into the folder.

    Returns
    -------
    Writing
        Its methods ``file``, ``folder`` and ``parents``; files and folders get their names in the
        order in which they were asked for.

    Raises
    ------
    FormatError
        If something is there already, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     with together() as new:
    ...         path = new.file(f"{home}/a.txt", "whole")
    ...         before = path.exists()
    ...     before, path.read_text()
    (False, 'whole')
    """
    new = Writing()
    try:
        yield new
        new._finish()
    except BaseException as error:
        new._undo()
        if isinstance(error, OSError):
            target = new._staged[-1].target if new._staged else error.filename or "The file"
            raise FormatError(_failure(target, error)) from error
        raise


def _place_file(part: Path, target: Path) -> None:
    """Name a file without ever replacing another."""
    if WINDOWS:
        part.rename(target)  # refuses what exists
        return
    try:
        target.hardlink_to(part)
    except OSError as error:
        if error.errno not in UNABLE:
            raise
        target.touch(0o600, exist_ok=False)  # a file system without links: take the name first
        try:
            part.replace(target)
        except BaseException:
            target.unlink()
            raise


def _place_folder(whole: Path, target: Path) -> None:
    """Rename a folder, onto an empty one if there is one, whose mode it takes over."""
    if target.is_dir() and not target.is_symlink():
        whole.chmod(S_IMODE(target.stat().st_mode))
        if WINDOWS:
            target.rmdir()
    whole.rename(target)


def _sync_tree(folder: Path) -> None:
    for place, _, names in os.walk(folder):
        for name in names:
            _sync(Path(place, name))
        _sync(Path(place))


def _sync(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk."""
    if WINDOWS and path.is_dir():
        return
    handle = os.open(path, os.O_RDWR if WINDOWS else os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in UNABLE:  # some network disks cannot do it for folders
            raise
    finally:
        os.close(handle)


def _failure(target: str | Path, error: OSError) -> str:
    reason = REASONS.get(error.errno or 0, error.strerror or str(error))
    return f"{shown(outside(target))} cannot be written: {reason}; nothing was written."

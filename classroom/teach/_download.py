"""What was downloaded: files in folders and zips, one at a time, none of them trusted."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path, PurePosixPath

from verikit._support.files import open_regular
from verikit.errors import FormatError, VerikitError, quoted
from verikit.teach._notebook import MOST

__all__ = ["File", "downloaded", "is_notebook"]

UPLOAD, FILES, DEPTH = 60_000_000, 2_000, 2  # of one student's zip: bytes, files, zips in zips
PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others unpack to any size at once
DIRECTORY = b"PK\x01\x02"  # begins the entry of a file in a zip


@dataclass(frozen=True)
class File:
    """A downloaded file: where it lay, when it was written, and what is in it.

    What is no notebook comes without its content; what cannot be taken says why in ``fault``.
    """

    path: str
    when: datetime
    content: bytes = b""
    fault: str = ""


@dataclass
class Budget:
    """What may still be unpacked of one upload."""

    size: int = UPLOAD
    files: int = FILES

    def take(self, size: int, files: int = 1) -> None:
        """Refuse an upload that comes to more than is allowed."""
        self.size, self.files = self.size - size, self.files - files
        if self.size < 0 or self.files < 0:
            raise FormatError(
                f"it unpacks to more than {UPLOAD // 10**6} MB or {FILES:,} files; open it by hand."
            )


@dataclass(frozen=True)
class Archive:
    """A zip as it lies in the downloads."""

    path: str
    when: datetime
    content: bytes = field(repr=False)
    budget: Budget = field(default_factory=Budget)
    depth: int = 1


def is_notebook(name: str) -> bool:
    """Whether a file may be a student's notebook, whatever was added to its name."""
    parts = PurePosixPath(name).parts
    other = {"__MACOSX", ".ipynb_checkpoints"} & {*parts}
    return bool(parts) and ".ipynb" in parts[-1].lower() and not other and not _is_zip(name)


def downloaded(downloads: Path) -> Iterator[File]:
    """Each file of a folder, or of a zip, one after the other."""
    if downloads.is_dir():
        for path in sorted(downloads.rglob("*")):
            if path.is_symlink() or not path.is_dir():
                inner = path.relative_to(downloads).as_posix()
                yield from _guarded(path, inner.encode("utf-8", "backslashreplace").decode())
    elif downloads.is_file() and zipfile.is_zipfile(downloads):
        with open_regular(downloads) as file:
            when = datetime.fromtimestamp(downloads.stat().st_mtime, UTC)
            everything = Budget(2**62, 2**62)  # whoever downloaded it vouches for the whole
            yield from _unpacked(Archive("", when, file.read(), everything, depth=0))
    else:
        raise FormatError(
            f"{quoted(str(downloads))} is neither a folder nor a zip; name what was downloaded."
        )


def _guarded(path: Path, inner: str) -> Iterator[File]:
    """A file of a folder, whatever is wrong with it."""
    when = datetime.fromtimestamp(0, UTC)
    try:
        facts = path.lstat()
        when = datetime.fromtimestamp(facts.st_mtime, UTC)
        if stat.S_ISLNK(facts.st_mode):
            yield File(inner, when, fault="it is a link, and no file of its own")
        elif not is_notebook(inner) and not _is_zip(inner):
            yield File(inner, when)
        elif facts.st_size > MOST:
            yield File(inner, when, fault=_large())
        else:
            with open_regular(path, links=False) as file:
                content = file.read(MOST)
            yield from _opened(Archive(inner, when, content))
    except (OSError, VerikitError, ValueError, OverflowError) as error:
        yield File(inner, when, fault=_cause(error))


def _opened(one: Archive) -> Iterator[File]:
    """A notebook itself, or what a zip holds."""
    if not _is_zip(one.path):
        yield File(one.path, one.when, one.content)
    elif one.depth > DEPTH:
        yield File(one.path, one.when, fault="it is a zip in a zip in a zip; unpack it by hand")
    else:
        yield from _unpacked(one)


def _unpacked(one: Archive) -> Iterator[File]:
    """The files of a zip; of a damaged one those before the damage, and what became of it."""
    try:
        one.budget.take(0, one.content.count(DIRECTORY))
        with zipfile.ZipFile(BytesIO(one.content)) as archive:
            for entry in archive.infolist():
                if not entry.is_dir():
                    yield from _entry(one, archive, entry)
    except Exception as error:  # a zip can be damaged in any way: zlib.error, EOFError …
        yield File(one.path, one.when, fault=_cause(error))


def _entry(one: Archive, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[File]:
    path = f"{one.path}/{entry.filename}".lstrip("/")
    when = _time(entry, one.when)
    wanted = is_notebook(path) or _is_zip(path)
    if stat.S_ISLNK(entry.external_attr >> 16):
        yield File(path, when, fault="it is a link, and no file of its own")
    elif not wanted:
        yield File(path, when)
    elif entry.file_size > MOST:
        yield File(path, when, fault=_large())
    elif entry.compress_type not in PACKED:
        yield File(path, when, fault="it is packed in an unusual way; unpack it by hand")
    else:
        try:
            one.budget.take(entry.file_size)
            content = archive.read(entry)
        except Exception as error:
            yield File(path, when, fault=_cause(error))
            return
        inside = Budget() if one.depth == 0 else one.budget  # an upload in the zip of a class
        yield from _opened(Archive(path, when, content, inside, one.depth + 1))


def _time(entry: zipfile.ZipInfo, otherwise: datetime) -> datetime:
    """When a file in a zip was written, which zips say in the time of their place."""
    try:
        return datetime(*entry.date_time).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return otherwise


def _is_zip(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() == ".zip"


def _large() -> str:
    return f"it is larger than {MOST // 10**6} MB"


def _cause(error: Exception) -> str:
    """What is wrong with a file, in words of ours."""
    if isinstance(error, VerikitError):
        return str(error).rstrip(".")
    if isinstance(error, OSError) and error.strerror:
        return f"it cannot be read: {error.strerror}"
    return "it is damaged, or locked by a password; ask for it again"

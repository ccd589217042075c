"""What was downloaded: files in folders and zips, one at a time, none of them trusted."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path, PurePosixPath

from verikit._support.files import open_regular
from verikit.errors import FormatError, VerikitError, quoted
from verikit.teach._notebook import MAX_BYTES

# Of one student's zip: bytes, files, zips in zips.
MAX_UPLOAD, MAX_FILES, MAX_DEPTH = 60_000_000, 2_000, 2
KNOWN_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others unpack to any size at once
TOO_LARGE = f"it is larger than {MAX_BYTES // 10**6} MB"
ENTRY_MARK = b"PK\x01\x02"  # begins the entry of a file in a zip


@dataclass(frozen=True)
class File:
    """A downloaded file: where it lay, when it was written, and what is in it.

    What is no notebook comes without its content; what cannot be taken says why in ``fault``.
    """

    path: str
    when: datetime
    content: bytes = b""
    fault: str = ""

    def without_content(self) -> File:
        """Give the same file with nothing in it."""
        return replace(self, content=b"")


@dataclass
class Budget:
    """What may still be unpacked of one upload."""

    size: int = MAX_UPLOAD
    files: int = MAX_FILES

    def take(self, size: int, files: int = 1) -> None:
        """Refuse an upload that comes to more than is allowed."""
        self.size, self.files = self.size - size, self.files - files
        if self.size < 0 or self.files < 0:
            raise FormatError(
                f"it unpacks to more than {MAX_UPLOAD // 10**6} MB or {MAX_FILES:,} files; "
                "open it by hand."
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
    """Tell whether a file may be a student's notebook, whatever was added to its name."""
    parts = PurePosixPath(name).parts
    other = {"__MACOSX", ".ipynb_checkpoints"} & {*parts}
    return bool(parts) and ".ipynb" in parts[-1].lower() and not other and not _is_zip(name)


def list_downloads(downloads: Path) -> Iterator[File]:
    """List each file of a folder, or of a zip, one after the other."""
    if downloads.is_dir():
        for path in sorted(downloads.rglob("*")):
            if path.is_symlink() or not path.is_dir():
                inner = path.relative_to(downloads).as_posix()
                yield from _read_upload(path, inner.encode("utf-8", "backslashreplace").decode())
    elif downloads.is_file() and zipfile.is_zipfile(downloads):
        with open_regular(downloads) as file:
            when = datetime.fromtimestamp(downloads.stat().st_mtime, UTC)
            everything = Budget(2**62, 2**62)  # whoever downloaded it vouches for the whole
            yield from _unpack_archive(Archive("", when, file.read(), everything, depth=0))
    else:
        raise FormatError(
            f"{quoted(str(downloads))} is neither a folder nor a zip; name what was downloaded."
        )


def _read_upload(path: Path, inner: str) -> Iterator[File]:
    """Read a file of a folder, whatever is wrong with it."""
    when = datetime.fromtimestamp(0, UTC)
    try:
        facts = path.lstat()
        when = datetime.fromtimestamp(facts.st_mtime, UTC)
        if stat.S_ISLNK(facts.st_mode):
            yield File(inner, when, fault="it is a link, and no file of its own")
        elif not is_notebook(inner) and not _is_zip(inner):
            yield File(inner, when)
        elif facts.st_size > MAX_BYTES:
            yield File(inner, when, fault=TOO_LARGE)
        else:
            with open_regular(path, links=False) as file:
                content = file.read(MAX_BYTES)
            yield from _open_archive(Archive(inner, when, content))
    except (OSError, VerikitError, ValueError, OverflowError) as error:
        yield File(inner, when, fault=_describe_fault(error))


def _open_archive(one: Archive) -> Iterator[File]:
    """Give a notebook itself, or what a zip holds."""
    if not _is_zip(one.path):
        yield File(one.path, one.when, one.content)
    elif one.depth > MAX_DEPTH:
        yield File(one.path, one.when, fault="it is a zip in a zip in a zip; unpack it by hand")
    else:
        yield from _unpack_archive(one)


def _unpack_archive(one: Archive) -> Iterator[File]:
    """Unpack a zip; of a damaged one the files before the damage, and what became of it."""
    try:
        one.budget.take(0, one.content.count(ENTRY_MARK))
        with zipfile.ZipFile(BytesIO(one.content)) as archive:
            for entry in archive.infolist():
                if not entry.is_dir():
                    yield from _unpack_entry(one, archive, entry)
    except Exception as error:  # a zip can be damaged in any way: zlib.error, EOFError …
        yield File(one.path, one.when, fault=_describe_fault(error))


def _unpack_entry(one: Archive, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[File]:
    path = f"{one.path}/{entry.filename}".lstrip("/")
    try:
        when = datetime(*entry.date_time).astimezone(UTC)  # zips say it in the time of their place
    except (ValueError, OverflowError, OSError):
        when = one.when
    wanted = is_notebook(path) or _is_zip(path)
    if stat.S_ISLNK(entry.external_attr >> 16):
        yield File(path, when, fault="it is a link, and no file of its own")
    elif not wanted:
        yield File(path, when)
    elif entry.file_size > MAX_BYTES:
        yield File(path, when, fault=TOO_LARGE)
    elif entry.compress_type not in KNOWN_PACKINGS:
        yield File(path, when, fault="it is packed in an unusual way; unpack it by hand")
    else:
        try:
            one.budget.take(entry.file_size)
            content = archive.read(entry)
        except Exception as error:
            yield File(path, when, fault=_describe_fault(error))
            return
        inside = Budget() if one.depth == 0 else one.budget  # an upload in the zip of a class
        yield from _open_archive(Archive(path, when, content, inside, one.depth + 1))


def _is_zip(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() == ".zip"


def _describe_fault(error: Exception) -> str:
    """Say what is wrong with a file, in words of ours."""
    if isinstance(error, VerikitError):
        return str(error).rstrip(".")
    if isinstance(error, OSError) and error.strerror:
        return f"it cannot be read: {error.strerror}"
    return "it is damaged, or locked by a password; ask for it again"

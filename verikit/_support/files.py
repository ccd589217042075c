"""Files as bytes: regular files only, unpacked only up to a limit."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from verikit._support.guard import named
from verikit.errors import FormatError, quoted

LIMIT_MB = "VERIKIT_UNPACKED_MB"
UNPACKED = 500 * 10**6
FOLD, SMALL, DESCRIPTION = 200, 10 * 10**6, 50 * 10**6
CHUNK = 2**20
KINDS = (
    (stat.S_ISDIR, "it is a folder"),
    (stat.S_ISFIFO, "it is a pipe"),
    (stat.S_ISCHR, "it is a device"),
    (stat.S_ISBLK, "it is a device"),
    (stat.S_ISSOCK, "it is a socket"),
)


def check_path(path: str | Path) -> None:
    """Refuse addresses, and texts that can be no path."""
    if "://" in str(path):
        raise FormatError(
            f"{quoted(str(path))} is an address, and nothing is asked from the network; save the "
            "file and give its path."
        )
    if "\0" in str(path):
        raise FormatError(f"{quoted(str(path))} is no path: it holds a NUL; correct it.")


def open_regular(path: Path, *, links: bool = True) -> BinaryIO:
    """Open a regular file; pipes, which block, and devices, which never end, are refused.

    Parameters
    ----------
    path
        The file.
    links
        Whether a link to a file counts as the file.

    Raises
    ------
    FormatError
        If it is something else.
    OSError
        If it is not there or cannot be opened.
    """
    if not links and path.is_symlink():
        raise FormatError(f"{named(path)} is a link; a release holds its files themselves.")
    flags = ("O_RDONLY", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY", *([] if links else ["O_NOFOLLOW"]))
    if path.is_socket():
        mode = stat.S_IFSOCK  # it cannot be opened
    else:
        handle = os.open(path, sum(getattr(os, flag, 0) for flag in flags))
        mode = os.fstat(handle).st_mode
        if stat.S_ISREG(mode):
            return os.fdopen(handle, "rb")
        os.close(handle)
    kind = next((word for test, word in KINDS if test(mode)), "it is no file")
    raise FormatError(f"{named(path)} cannot be read: {kind}; expected an ordinary file.")


@contextmanager
def open_given(source: Any) -> Iterator[BinaryIO]:
    """Open a path, or take an open binary file from its beginning."""
    if isinstance(source, (str, Path)):
        with open_regular(Path(source)) as file:
            yield file
    else:
        source.seek(0)
        _binary(source.read(0), named(source))
        yield source


def allowance(packed: int, least: int = SMALL, most: int = UNPACKED) -> int:
    """How many bytes a packed file of some bytes may become.

    At most 500 MB, and at most 200 times its own size, but 10 MB always, unless other bounds are
    given; or what ``VERIKIT_UNPACKED_MB`` says.

    Examples
    --------
    >>> allowance(20_000), allowance(1_000_000), allowance(10**9)
    (10000000, 200000000, 500000000)
    """
    said = os.environ.get(LIMIT_MB)
    if said is None:
        return min(most, max(least, FOLD * packed))
    if not said.isdecimal() or len(said) > 9:
        raise FormatError(
            f"{LIMIT_MB} was set to {quoted(said)}; expected a whole number of megabytes."
        )
    return int(said) * 10**6


def check_archive(archive: zipfile.ZipFile, name: str, packed: int) -> None:
    """Refuse a zip file whose files would become too large together, before any is unpacked."""
    check_size(name, sum(part.file_size for part in archive.infolist()), allowance(packed))


def check_cells(file: BinaryIO, name: str, cells: int) -> None:
    """Refuse a file that holds values in columns if it is far too small for so many of them."""
    packed = file.seek(0, os.SEEK_END)
    file.seek(0)
    check_size(name, 8 * cells, allowance(packed, UNPACKED, sys.maxsize))


def unpack_parts(file: BinaryIO, compression: Any, name: str) -> Iterator[bytes]:
    """The content of a packed file, part by part.

    Parameters
    ----------
    file
        It, open.
    compression
        How it is packed, as pandas has it.
    name
        What it is called in a sentence.

    Raises
    ------
    FormatError
        If it would unpack to more than is allowed.
    """
    most = allowance(file.seek(0, os.SEEK_END))
    file.seek(0)
    how: Any = {"compression": compression, "is_text": False}
    try:
        with pd.io.common.get_handle(file, "rb", **how) as opened:
            yield from count_parts(opened.handle, name, most)
    except Exception as error:
        if type(error).__name__ != "ZstdError":  # of a library that is imported when needed
            raise
        raise EOFError from error


def count_parts(stream: Any, name: str, most: int) -> Iterator[bytes]:
    """All bytes of an open stream, counted while they are read."""
    size = 0
    while part := _binary(stream.read(CHUNK), name):
        size += len(part)
        check_size(name, size, most)
        yield part


def read_counted(stream: Any, name: str, most: int) -> bytes:
    """All bytes of an open stream together."""
    content = BytesIO()  # which holds no part twice
    content.writelines(count_parts(stream, name, most))
    return content.getvalue()


def _binary(content: Any, name: str) -> bytes:
    if not isinstance(content, bytes):
        raise FormatError(f"{name} was opened as text; open it as bytes, with mode 'rb'.")
    return content


def check_size(name: str, size: int, most: int) -> None:
    """Refuse a file that comes to more bytes than are allowed."""
    if size > most:
        raise FormatError(
            f"{name} comes to {size / 1e6:,.1f} MB or more, but {most / 1e6:,.0f} MB are allowed; "
            f"if you trust it, set the environment variable {LIMIT_MB} to the megabytes it needs."
        )


def checksum_of(source: str | Path) -> str:
    """The SHA-256 of a file, or of the description in a release's folder, which names its tables'.

    Nothing for what lies nowhere, such as the name of a shipped table.
    """
    place = Path(source).expanduser()
    file = place / "datapackage.json" if place.is_dir() else place
    if not file.is_file():
        return ""
    with open_regular(file) as content:
        return hashlib.sha256(content.read()).hexdigest()

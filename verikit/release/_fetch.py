"""Where the files of a release come from: its folder, or the zip of it."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias

from verikit._support.files import DESCRIPTION, allowance, check_archive, open_regular, read_counted
from verikit._support.guard import named
from verikit.errors import FormatError, quoted, shortened
from verikit.release._package import PACKAGE

__all__ = ["Fetch", "from_folder", "from_zip"]

Fetch: TypeAlias = Callable[[str], bytes]


def from_folder(folder: Path) -> Fetch:
    """Read files of a folder, which must be files and no links to somewhere else."""

    def fetch(name: str) -> bytes:
        with open_regular(folder / name, links=False) as file:
            if name == PACKAGE:
                return read_counted(file, quoted(name), allowance(0, DESCRIPTION))
            return file.read()

    return fetch


@contextmanager
def from_zip(source: BinaryIO) -> Iterator[Fetch]:
    """Read files of a zip that holds one release, at its top or in a folder."""
    packed = source.seek(0, os.SEEK_END)
    with zipfile.ZipFile(source) as archive:
        check_archive(archive, named(source), packed)
        inside = [name for name in archive.namelist() if Path(name).name == PACKAGE]
        if len(inside) != 1:
            raise FormatError(
                f"The zip file holds {len(inside)} files named {PACKAGE}; expected one release."
            )
        base = inside[0][: -len(PACKAGE)]

        def fetch(name: str) -> bytes:
            most = allowance(0, DESCRIPTION) if name == PACKAGE else allowance(packed)
            try:
                with archive.open(base + name) as file:
                    return read_counted(file, quoted(name), most)
            except (RecursionError, NotImplementedError):
                raise
            except RuntimeError as error:  # it wants a password
                reason = shortened(str(error))
                raise FormatError(f"The zip file cannot be unpacked: {reason}.") from error

        yield fetch

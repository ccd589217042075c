"""Opening any file: what format, how packed, and who reads it."""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

import pandas as pd

from verikit._support.files import (
    allowance,
    check_archive,
    count_parts,
    open_given,
    unpack_parts,
)
from verikit._support.guard import named
from verikit.errors import FormatError, quoted
from verikit.table._values import note_lost_digits
from verikit.table.reading._arrow import read_parquet
from verikit.table.reading._native import read_natively
from verikit.table.reading._office import read_format
from verikit.table.reading._reading import FORMATS, HEAD, Asked, Reading, find_format
from verikit.table.reading._scan import Content
from verikit.table.reading._text import read_text
from verikit.words import listed

AT_ONCE = 2**20  # bytes of JSON that are read without a child
PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}


def read_file(
    source: Any,
    textual: Collection[str] | None = None,
    *,
    missing: Sequence[str],
    asked: Asked,
    options: Mapping[str, Any],
) -> Reading:
    """Read a path or an open binary file, of the format that its first bytes show.

    Parameters
    ----------
    source
        The file.
    textual, missing, asked, options
        How it is to be read; see `read_text`.
    """
    name, on_disk = str(getattr(source, "name", source)), isinstance(source, (str, Path))
    if on_disk and name.endswith((".parquet", ".pq")) and Path(source).is_dir():
        return Reading(read_parquet(source, named(source), options))  # a table in several files
    said = None if name.endswith(".zip") else options.get("compression", "infer")
    with open_given(source) as file:
        content = unpack_content(file, source, said)
        found = (how for start, how in PACKED.items() if content[: len(start)] == start)
        content = unpack_content(content.file, source, next(found, None))
        kind = find_format(content[:HEAD])
        if kind == "zip":
            content, chosen = unpack_table(content, named(source), asked.sheet)
            asked = replace(asked, sheet=None) if chosen else asked
            kind = find_format(content[:HEAD])
        if "instead" in FORMATS[kind]:
            raise FormatError("The file is {words}; {instead}.".format_map(FORMATS[kind]))
        if kind == "parquet":
            return Reading(read_parquet(content.file, named(source), options))
        if kind == "text":
            return read_text(content, textual, missing, asked, options)
        if kind == "json" and len(content) < AT_ONCE:
            return read_format(kind, content, asked)
        if content[:2] == b"PK":
            with zipfile.ZipFile(content.file) as archive:
                check_archive(archive, named(source), len(content))
        place = Path(source) if on_disk and content.file is file else None
        reading = read_natively(kind, content, place, asked, named(source))
    # all others keep long numbers as floats
    lost = () if kind in ("feather", "json") else note_lost_digits(reading.frame)
    return replace(reading, notes=(*reading.notes, *lost))


def unpack_content(file: BinaryIO, source: Any, how: Any = "infer") -> Content:
    """Unpack a file as it is said to be packed, by default by the ending of its source's name."""
    if isinstance(how, str) and how == "infer":
        how = pd.io.common.infer_compression(str(getattr(source, "name", source)), how)
    return Content.of(file if how is None else unpack_parts(file, how, named(source)))


SYSTEM = ("__MACOSX", ".")  # folders


def unpack_table(content: Content, name: str, wanted: str | None) -> tuple[Content, bool]:
    r"""Unpack the table in a zip file that holds one, or the one asked for.

    Parameters
    ----------
    content
        The zip file.
    name
        What it is called in a sentence.
    wanted
        The name of the table, if somebody said it.

    Examples
    --------
    >>> from io import BytesIO
    >>> packed = BytesIO()
    >>> with zipfile.ZipFile(packed, "w") as archive:
    ...     archive.writestr("people.csv", "age\n41\n")
    >>> unpack_table(Content.of(packed), "'people.zip'", None)[0][:]
    b'age\n41\n'
    """
    with zipfile.ZipFile(content.file) as archive:
        check_archive(archive, name, len(content))
        files = [
            one for one in archive.namelist() if not (one.endswith("/") or one.startswith(SYSTEM))
        ]
        asked = [one for one in files if wanted in (one, PurePosixPath(one).name)]
        if not files:
            raise FormatError("The zip file holds no file; expected a table, or one release.")
        if len(asked or files) != 1:
            held = f"the files {listed(files, 12)}"
            told = f", none of them {quoted(wanted)}" if wanted else ""
            raise FormatError(f"The zip file holds {held}{told}; say which one (sheet='...').")
        try:
            with archive.open((asked or files)[0]) as file:
                parts = count_parts(file, name, allowance(len(content)))
                return Content.of(parts), bool(asked)
        except RuntimeError as error:
            if isinstance(error, (RecursionError, NotImplementedError)):
                raise
            raise FormatError(
                f"{name} asks for a password; unpack it, and give the table in it."
            ) from error

"""Opening any file: what format, how packed, and who reads it."""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd

from verikit._support.files import (
    allowance,
    check_archive,
    open_given,
    open_regular,
    read_bytes,
    read_counted,
)
from verikit._support.guard import named
from verikit.errors import FormatError, quoted
from verikit.table._values import note_lost_digits
from verikit.table.reading._arrow import read_parquet
from verikit.table.reading._native import read_natively
from verikit.table.reading._office import read_format
from verikit.table.reading._reading import FORMATS, HEAD, Asked, Reading, find_format
from verikit.table.reading._text import read_text
from verikit.words import listed

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
    head = _read_head(source)
    kind = find_format(head)
    if kind == "parquet":
        return Reading(read_parquet(source, options))
    if kind == "text" and _is_plain(source, head, options):
        with open_regular(Path(source)) as file:
            return read_text(file, textual, missing, asked, options)
    content = _unpack_file(source, options)
    kind = find_format(content[:HEAD])
    if kind == "zip":
        content, found = unpack_table(content, named(source), asked.sheet)
        asked = replace(asked, sheet=None) if found else asked
        kind = find_format(content[:HEAD])
    if "instead" in FORMATS[kind]:
        raise FormatError("The file is {words}; {instead}.".format_map(FORMATS[kind]))
    if content.startswith(b"PK"):
        with zipfile.ZipFile(BytesIO(content)) as archive:
            check_archive(archive, named(source), len(content))
    if kind == "text":
        return read_text(BytesIO(content), textual, missing, asked, options)
    if kind == "json":
        return read_format(kind, content, asked)
    plain = find_format(head) == kind and _is_plain(source, head, options)
    place = Path(source) if plain else None
    packed = [content]
    del content
    reading = read_natively(kind, packed, place, asked, named(source))
    # all but Feather keep long numbers as floats
    lost = () if kind == "feather" else note_lost_digits(reading.frame)
    return replace(reading, notes=(*reading.notes, *lost))


def _read_head(source: Any) -> bytes:
    """Read the first bytes, by which a format is known; a table in several files has Parquet's."""
    folder = isinstance(source, (str, Path)) and Path(source).is_dir()
    if folder and str(source).endswith((".parquet", ".pq")):
        return b"PAR1"
    with open_given(source) as file:
        head = file.read(HEAD)
        file.seek(0)
    return head if isinstance(head, bytes) else b""


def _is_plain(source: Any, head: bytes, options: Mapping[str, Any]) -> bool:
    """Whether something is a file on the disk, and not packed."""
    if not isinstance(source, (str, Path)) or head.startswith(tuple(PACKED)):
        return False
    how = options.get("compression", "infer")
    return (pd.io.common.infer_compression(str(source), how) if how else None) is None


def _unpack_file(source: Any, options: Mapping[str, Any]) -> bytes:
    """Unpack the content by the ending of its name, or by its first bytes."""
    is_zip = str(getattr(source, "name", source)).endswith(".zip")
    content = read_bytes(source, None if is_zip else options.get("compression", "infer"))
    found = next((kind for start, kind in PACKED.items() if content.startswith(start)), None)
    return content if found is None else read_bytes(BytesIO(content), found)


SYSTEM = ("__MACOSX", ".")  # folders


def unpack_table(content: bytes, name: str, wanted: str | None) -> tuple[bytes, bool]:
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
    >>> packed = BytesIO()
    >>> with zipfile.ZipFile(packed, "w") as archive:
    ...     archive.writestr("people.csv", "age\n41\n")
    >>> unpack_table(packed.getvalue(), "'people.zip'", None)
    (b'age\n41\n', False)
    """
    with zipfile.ZipFile(BytesIO(content)) as archive:
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
                return read_counted(file, name, allowance(len(content))), bool(asked)
        except RuntimeError as error:
            if isinstance(error, (RecursionError, NotImplementedError)):
                raise
            raise FormatError(
                f"{name} asks for a password; unpack it, and give the table in it."
            ) from error

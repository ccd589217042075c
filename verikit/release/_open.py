"""Opening what was published: a folder, its zip, or a bare table."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from verikit._support.files import check_path, open_regular
from verikit._support.guard import guard, named
from verikit._support.told import Told
from verikit._support.unfinished import refuse_unfinished
from verikit.errors import FormatError, quoted, shortened
from verikit.release._described import check_package
from verikit.release._fetch import Fetch, from_folder, from_zip
from verikit.release._kind import KINDS, Release
from verikit.release._package import FORMAT, PACKAGE, read_table
from verikit.release._plain import open_plain
from verikit.release._table import TableRelease
from verikit.table import read_people, schema_of
from verikit.table.reading import Asked
from verikit.words import listed

__all__ = ["open_release", "open_spelled", "open_where"]


def open_release(
    source: str | Path | BinaryIO,
    *,
    missing: str | Sequence[str] | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    labels: str | Path | BinaryIO | None = None,
) -> Release:
    """Open what was published: a release's folder (or its zip), or a bare table in any format.

    A bare table (CSV, Parquet, Feather, Stata, SAS, SPSS, R, Excel, JSON; see `read`) tells
    neither method nor parameters, and its columns are guessed. A checksum that
    `datapackage.json` promises is checked (sha256, sha512, sha1 or md5); one that it does not
    promise is not asked for. A zip, gz, bz2 or xz may unpack to 500 MB and to 200 times its size
    (10 MB always), or to as many megabytes as the environment variable ``VERIKIT_UNPACKED_MB``
    says; `datapackage.json` may have 50 MB. Pipes, devices and links inside a release are refused.

    Parameters
    ----------
    source
        A path, or an open binary file.
    missing
        The marks that stand for a missing value in a bare table, and no others; by default an
        empty cell, ``NA``, ``NaN`` and ``nan``.
    encoding, separator, decimal, sheet, labels
        How a bare table is written, where it is not to be found out; see `read`.

    Returns
    -------
    TableRelease or SplitRelease
        What was published, with its method and parameters where they are told.

    Raises
    ------
    FormatError
        If the folder's description and its table disagree, or nothing can be read, or it would
        unpack to more than is allowed.

    Examples
    --------
    >>> import tempfile
    >>> import verikit as vk
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved = vk.published("dm_table1_masked").save(f"{folder}/release")
    ...     open_release(saved)
    TableRelease(20 records of X1, X2, X3; method noise)
    """
    return open_spelled(source, Asked(encoding, separator, decimal, sheet, labels, missing))[0]


def open_spelled(source: Any, asked: Asked) -> tuple[Release, Asked | None]:
    """What was published, and how a bare table was taken to be written; None of a release."""
    with guard(named(source)):
        return _opened(source, asked)


def _opened(source: Any, asked: Asked) -> tuple[Release, Asked | None]:
    if not isinstance(source, (str, Path)):
        if not _is_package(source, str(getattr(source, "name", ""))):
            return _bare(source, asked)
        with from_zip(source) as fetch:
            return _open_package(fetch, "the zip file", asked), None
    check_path(source)
    path = Path(source)
    if path.name == PACKAGE:
        path = path.parent
    refuse_unfinished(path)
    if path.is_dir():
        return _open_package(from_folder(path), str(path), asked), None
    if not path.exists():
        said = f"{quoted(path)} does not exist; give a release's folder or a table."
        raise FormatError(Told(said, "not-there", path=quoted(path)))
    with open_regular(path) as file:
        if not _is_package(file, path.name):
            return _bare(path, asked)
        with from_zip(file) as fetch:
            return _open_package(fetch, "the zip file", asked), None


def _is_package(file: Any, name: str) -> bool:
    """Whether a file is the zip of a described release, not of a bare table."""
    if not name.endswith(".zip"):
        return False
    with zipfile.ZipFile(file) as archive:
        return any(Path(part).name == PACKAGE for part in archive.namelist())


def _bare(source: Any, asked: Asked) -> tuple[TableRelease, Asked | None]:
    """A table of which nobody tells how it was made."""
    found = read_people(source, asked=asked)
    schema, notes, box = schema_of(found), found.notes, [found.frame]
    how = found.how or Asked()  # a format that is written in one way only
    del found
    return TableRelease._read(box, schema, notes), how


def _open_package(fetch: Fetch, place: str, asked: Asked) -> Release:
    try:
        package = json.loads(fetch(PACKAGE).decode("utf-8"))
    except FormatError:
        raise
    except (OSError, KeyError, ValueError) as error:
        raise FormatError(
            f"{quoted(place)} holds no readable {PACKAGE}, so it is no release; give the folder "
            "that was published."
        ) from error
    if isinstance(package, dict) and "verikit" not in package and package.get("resources"):
        return open_plain(fetch, package, asked)
    try:
        facts = package["verikit"]
        check_package(package)
        if facts["format"] > FORMAT:
            raise FormatError(
                f"{quoted(place)} was written by a newer verikit (format "
                f"{quoted(facts['format'])}); update yours."
            )
        kind = _kind(facts.get("kind", "table"), place)
        tables = {part["name"]: read_table(fetch, part) for part in package["resources"]}
        return kind.opened(tables, facts)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise FormatError(
            f"{PACKAGE} in {quoted(place)} does not describe a release; "
            f"{shortened(repr(error))} is missing or misplaced."
        ) from error


def _kind(kind: str, place: str) -> type[Release]:
    try:
        return KINDS[kind]
    except KeyError:
        raise FormatError(
            f"{quoted(place)} holds a release of the kind {quoted(kind)}, made by a newer verikit "
            f"or by a package that is not installed; this one knows {listed(KINDS)}: update yours."
        ) from None


def open_where(given: Any, names: Sequence[str] | None = None) -> Any:
    """Open what lies somewhere as cheaply as a check in some columns allows.

    Parameters
    ----------
    given
        A path; what a room outside the core can open, such as a relation of DuckDB; or a release.
    names
        The columns in which a record is to be compared; all that can be ranked by default.

    Returns
    -------
    Release
        What the rooms that join under ``verikit.openers`` make of it, or `open_release`.

    Examples
    --------
    >>> import verikit as vk
    >>> open_where(vk.published("dm_table1_masked"))
    TableRelease(20 records of X1, X2, X3; method noise)
    """
    from verikit._support.joined import load_joined

    for opened in load_joined("verikit.openers"):
        return opened(given, names)
    return open_release(given) if isinstance(given, (str, Path)) else given

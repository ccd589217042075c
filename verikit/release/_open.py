"""Opening what was published: a folder, its zip, a Frictionless package of others, a bare table."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, TypeAlias

from verikit._support.files import (
    DESCRIPTION,
    allowance,
    check_archive,
    check_path,
    open_regular,
    read_counted,
)
from verikit._support.guard import guard, named
from verikit._support.partial_files import refuse_unfinished
from verikit._support.told import Told
from verikit.errors import FormatError, SchemaError, quoted, shortened
from verikit.release._datapackage import FORMAT, PACKAGE, check_package, read_domain, read_table
from verikit.release._kinds import KINDS, Release, require_promise
from verikit.release._table import TableRelease
from verikit.table import MISSING, Column, read_people, schema_of
from verikit.table.reading import Asked
from verikit.words import listed, text


def open_release(  # noqa: PLR0913 - one door for all that people have
    source: str | Path | BinaryIO,
    *,
    missing: str | Sequence[str] | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    labels: str | Path | BinaryIO | None = None,
    words: str | Sequence[str] | None = None,
    promise: str = "untold",
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
    words
        The columns of a bare table whose cells are words, even those that look like a band or a
        set, such as ``<=50K``; the notes of a table ask it of each such column.
    promise
        What the publisher of a bare table promises of its values (`Published`), as he told you: a
        table of SDV or synthpop is ``"drawn from a model"``. A folder tells it itself.

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
    asked = Asked(encoding, separator, decimal, sheet, labels, missing, words)
    return open_with_spelling(source, asked, promise)[0]


def open_with_spelling(
    source: Any, asked: Asked, promise: str = "untold"
) -> tuple[Release, Asked | None]:
    """Open what was published, and tell how a bare table was taken to be written."""
    with guard(named(source)):
        if not isinstance(source, (str, Path)):
            return _open_file(source, source, str(getattr(source, "name", "")), asked, promise)
        check_path(source)
        path = Path(source)
        if path.name == PACKAGE:
            path = path.parent
        refuse_unfinished(path)
        if path.is_dir():
            _refuse_promise(promise, quoted(path))
            return _open_package(fetch_from_folder(path), str(path), asked), None
        if not path.exists():
            said = f"{quoted(path)} does not exist; give a release's folder or a table."
            raise FormatError(Told(said, "not-there", path=quoted(path)))
        with open_regular(path) as file:
            return _open_file(file, path, path.name, asked, promise)


def _refuse_promise(promise: str, place: str) -> None:
    """Refuse what is told of the values of a release that tells it itself."""
    if require_promise(promise) != "untold":
        raise SchemaError(
            f"A promise was given as {promise!r}, but {place} is described, and promises of its "
            "values what its description says; leave the promise out."
        )


def _open_file(
    file: Any, source: Any, name: str, asked: Asked, promise: str
) -> tuple[Release, Asked | None]:
    """Open the zip of a described release; any other file is a bare table."""
    described = False
    if name.endswith(".zip"):
        with zipfile.ZipFile(file) as archive:
            described = any(Path(part).name == PACKAGE for part in archive.namelist())
    if described:
        _refuse_promise(promise, quoted(name))
        with fetch_from_zip(file) as fetch:
            return _open_package(fetch, "the zip file", asked), None
    found = read_people(source, asked=asked)
    how = found.how or Asked()  # a format that is written in one way only
    schema, notes, box = schema_of(found), found.notes, [found.frame]
    del found
    told = require_promise(promise)
    return TableRelease._of_others(box, schema, notes, asked.words, promise=told), how


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
        return open_frictionless(fetch, package, asked)
    try:
        facts = package["verikit"]
        check_package(package)
        if facts["format"] > FORMAT:
            raise FormatError(
                f"{quoted(place)} was written by a newer verikit (format "
                f"{quoted(facts['format'])}); update yours."
            )
        kind = _release_class(facts.get("kind", "table"), place)
        tables = {part["name"]: read_table(fetch, part) for part in package["resources"]}
        found = kind.opened(tables, facts)
        return found._asking(asked.words) if isinstance(found, TableRelease) else found
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise FormatError(
            f"{PACKAGE} in {quoted(place)} does not describe a release; "
            f"{shortened(repr(error))} is missing or misplaced."
        ) from error


def _release_class(kind: str, place: str) -> type[Release]:
    try:
        return KINDS[kind]
    except KeyError:
        raise FormatError(
            f"{quoted(place)} holds a release of the kind {quoted(kind)}, made by a newer verikit "
            f"or by a package that is not installed; this one knows {listed(KINDS)}: update yours."
        ) from None


def open_for_check(given: Any, names: Sequence[str] | None = None) -> Any:
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
    >>> open_for_check(vk.published("dm_table1_masked"))
    TableRelease(20 records of X1, X2, X3; method noise)
    """
    from verikit._support.joined import load_joined

    for opened in load_joined("verikit.openers"):
        return opened(given, names)
    return open_release(given) if isinstance(given, (str, Path)) else given


Fetch: TypeAlias = Callable[[str], bytes]


def fetch_from_folder(folder: Path) -> Fetch:
    """Read files of a folder, which must be files and no links to somewhere else."""

    def fetch(name: str) -> bytes:
        with open_regular(folder / name, links=False) as file:
            if name == PACKAGE:
                return read_counted(file, quoted(name), allowance(0, DESCRIPTION))
            return file.read()

    return fetch


@contextmanager
def fetch_from_zip(source: BinaryIO) -> Iterator[Fetch]:
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


Described = Mapping[str, Any]


def open_frictionless(fetch: Fetch, package: Described, asked: Asked) -> TableRelease:
    """Open the one table of a package of others, or the one asked for, as it is described.

    Separator, decimal mark, marks for missing values, titles and the order of categories are taken
    as they are described.
    """
    resource = _choose_table(package["resources"], asked.sheet)
    schema = resource.get("schema", {})
    if not isinstance(schema, dict) or not isinstance(schema.get("fields", []), list):
        raise FormatError(
            f"{PACKAGE} describes the columns of {quoted(resource.get('name'))} in another file or "
            "in no list; put its 'fields' into it."
        )
    fields = [field for field in schema.get("fields", []) if isinstance(field, dict)]
    stream = io.BytesIO(_fetch_table(fetch, resource))
    stream.name = PurePosixPath(str(resource["path"])).name
    told = {text(field.get("name", "")): field for field in fields}
    words = [name for name, field in told.items() if field.get("type") == "string"]
    found = read_people(
        stream,
        words or None,
        missing=schema.get("missingValues", MISSING),
        asked=_how_written(resource, fields, asked),
    )
    described = schema_of(found)
    for column in described:
        field = told.get(column.name)
        if field is not None:
            described = described.with_column(column.name, **_column_words(column, field))
    return TableRelease._of_others([found.frame], described, found.notes, asked.words)


def _choose_table(resources: Any, wanted: str | None) -> Described:
    tables = {
        str(one.get("name", place)): one
        for place, one in enumerate(resources)
        if isinstance(one, dict) and isinstance(one.get("path"), str)
    }
    if wanted is not None and wanted in tables:
        return tables[wanted]
    if wanted is None and len(tables) == 1:
        return next(iter(tables.values()))
    raise FormatError(
        f"{PACKAGE} names the tables {listed(tables, 12) or 'of no file'}"
        f"{'' if wanted is None else f', none of them {quoted(wanted)}'}; say which one "
        "(sheet='...')."
    )


def _fetch_table(fetch: Fetch, resource: Described) -> bytes:
    path = PurePosixPath(resource["path"])
    if "://" in resource["path"] or path.is_absolute() or ".." in path.parts or "\0" in str(path):
        raise FormatError(
            f"{PACKAGE} points outside its folder, to {quoted(str(path))}; get that file and open "
            "it by itself."
        )
    try:
        return fetch(str(path))
    except (OSError, KeyError) as error:
        raise FormatError(
            f"{PACKAGE} names the table {quoted(str(path))}, but it is not there."
        ) from error


def _how_written(resource: Described, fields: Sequence[Described], asked: Asked) -> Asked:
    """Tell how the table is written: as the person says, else as described, else found out."""
    dialect = resource.get("dialect", {})
    dialect = dialect if isinstance(dialect, dict) else {}
    decimals = {field["decimalChar"] for field in fields if field.get("decimalChar")}
    return replace(
        asked,
        encoding=asked.encoding or resource.get("encoding"),
        separator=asked.separator or dialect.get("delimiter"),
        decimal=asked.decimal or (decimals.pop() if len(decimals) == 1 else None),
        sheet=None,
    )


def _column_words(column: Column, field: Described) -> dict[str, Any]:
    """Read what is described of a column: its title, and its categories in their order."""
    changes: dict[str, Any] = {"label": str(field.get("title") or field.get("description") or "")}
    if column.kind == "numeric":
        changes["domain"] = read_domain(field)
    constraints = field.get("constraints", {})
    listed_in = field.get("categories") or (
        constraints.get("enum") if isinstance(constraints, dict) else None
    )
    if column.kind == "numeric" or not isinstance(listed_in, list) or not listed_in:
        return changes
    names = [one.get("value") if isinstance(one, dict) else one for one in listed_in]
    if field.get("categoriesOrdered") is False:
        return changes
    try:
        replace(column, kind="ordinal", order=tuple(map(text, names)))
    except SchemaError:
        return changes
    return {**changes, "kind": "ordinal", "order": tuple(map(text, names))}

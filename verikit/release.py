"""What leaves the house and what stays: releases, keys, and their way to disk and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._described import check_package
from verikit._fetch import Fetch, from_folder, from_zip
from verikit._files import check_path, open_regular
from verikit._fit import fitted
from verikit._guard import guard, named
from verikit._package import FORMAT, PACKAGE, read_table, told, write_package
from verikit._promise import Promise, checked_promise, promise_of
from verikit._read import read_people
from verikit._split import SplitRelease
from verikit._support.unfinished import place_of, refuse_unfinished
from verikit._support.writing import Writing, together
from verikit.cells import cells_of, written
from verikit.errors import FormatError, RecordError, SchemaError, quoted, shortened
from verikit.hierarchy import listed
from verikit.table import Column, Microdata, Schema, Scores

__all__ = ["Key", "Masked", "Release", "SplitRelease", "TableRelease", "open_release"]

Rows: TypeAlias = npt.NDArray[np.intp]
KEYLESS = (
    OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError,
)  # fmt: skip


class Ordered(NamedTuple):
    """A column of a prepared release: its values, their sorted copy, and the rows in that order."""

    values: Scores
    ordered: Scores
    rows: Rows


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False)
class TableRelease:
    """A published table with the columns of the original, and how it was made.

    Parameters
    ----------
    frame
        The published records; categories may be groups of their hierarchy, numbers intervals.
    schema
        Its columns.
    method, parameters
        How it was made, complete but for the randomness ([DM]_ Definition 4).
    promise
        What the publisher promises about the values: ``"as it was"``, ``"covers"`` (each cell
        holds or covers the true value), ``"another order"`` (each column holds just the original
        values in another order), ``"changed"``, or ``"untold"``.
    reported_links
        How many records the publisher's own test attack linked correctly; None if not reported.

    Examples
    --------
    >>> import verikit as vk
    >>> vk.published("dm_table1_masked")
    TableRelease(20 records of X1, X2, X3; method noise)
    """

    frame: pd.DataFrame
    schema: Schema
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    promise: Promise = "untold"
    reported_links: int | None = None
    _prepared: Mapping[str, Ordered] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Hold a checked copy; identifiers are refused."""
        named = [column.name for column in self.schema if column.role == "identifier"]
        if named:
            raise SchemaError(
                f"A release must not hold the identifiers {listed(named)}; drop them."
            )
        checked_promise(self.promise)
        object.__setattr__(self, "frame", fitted(self.frame, self.schema, nodes=True))
        object.__setattr__(self, "parameters", told(self.method, self.parameters))
        if self.reported_links is not None and not 0 <= self.reported_links <= len(self.frame):
            raise SchemaError(
                f"{self.reported_links} correct links were reported of {len(self.frame)} records; "
                "expected a count from 0 to their number."
            )

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        schema: Schema | None = None,
        *,
        method: str = "",
        parameters: Mapping[str, Any] | None = None,
        promise: str = "untold",
        permutation: bool = False,
    ) -> TableRelease:
        """A release made elsewhere; the schema is guessed from the frame where none is given.

        ``permutation=True`` says the same as ``promise="another order"``.
        """
        if not isinstance(frame, pd.DataFrame):
            raise SchemaError(
                f"A release was given as {type(frame).__name__}; expected a pandas DataFrame "
                "(verikit.open_release takes files)."
            )
        found = Schema.guess(frame) if schema is None else schema
        told = promise_of(promise, permutation=permutation)
        return cls(frame, found, method, parameters or {}, told)

    def __len__(self) -> int:
        return len(self.frame)

    def __repr__(self) -> str:
        method = f"; method {self.method}" if self.method else ""
        return f"TableRelease({len(self)} records of {', '.join(self.schema.names)}{method})"

    def _repr_html_(self) -> str:
        return str(self.frame.to_html(max_rows=12))

    @property
    def permutation(self) -> bool:
        """Whether every column holds just the original values in another order."""
        return self.promise == "another order"

    @property
    def generalized(self) -> bool:
        """Whether cells stand for several values: intervals, groups or sets of categories."""
        return self.generalized_in(self.schema.names)

    def generalized_in(self, names: Iterable[str]) -> bool:
        """Whether the release says that it was generalized, or cells of some columns show it."""
        return self.promise == "covers" or bool(self.generalized_columns(names))

    def generalized_columns(self, names: Iterable[str] | None = None) -> dict[str, str]:
        """The columns, of all or of some, whose cells stand for several values, and such a cell.

        A label that looks like a range and cannot be read counts as one that does.

        Examples
        --------
        >>> frame = pd.DataFrame({"age": ["20-29", "30+"], "grade": ["A*", "B"], "pay": [1.5, 2]})
        >>> TableRelease.of(frame).generalized_columns()
        {'age': '20-29'}
        """
        asked = self.schema.names if names is None else tuple(names)
        found = {name: _first_of_several(self.frame[name], self.schema[name]) for name in asked}
        return {name: cell for name, cell in found.items() if cell is not None}

    def scores(self, name: str) -> Scores:
        """One column as numbers in its order (see `Column.scores`)."""
        if name in self._prepared:
            return self._prepared[name].values
        values = self.frame[name]
        if isinstance(values.dtype, pd.IntervalDtype):
            raise SchemaError(
                f"Column {quoted(name)} was published as intervals, which have no single rank."
            )
        return self.schema[name].scores(values)

    def ordered(self, name: str) -> Scores:
        """One column sorted; at hand where the release is prepared, else one sort."""
        if name in self._prepared:
            return self._prepared[name].ordered
        return np.sort(self.scores(name))

    def order(self, name: str) -> Rows | None:
        """The rows in the order of one column, if the release is prepared."""
        return self._prepared[name].rows if name in self._prepared else None

    def prepare(self) -> TableRelease:
        """The same release with its columns sorted once, so that each check takes milliseconds."""
        prepared = {}
        for column in self.schema:
            if column.ranked and not isinstance(self.frame[column.name].dtype, pd.IntervalDtype):
                values = np.ascontiguousarray(self.scores(column.name))
                rows = np.argsort(values)
                prepared[column.name] = Ordered(values, values[rows], rows)
        return replace(self, _prepared=prepared)

    def save(self, folder: str | Path, *, parquet: bool = False) -> Path:
        """Write the release as a folder: the table, and `datapackage.json` with all that is public.

        Neither seed nor key nor the order of the original rows can be found in it.
        """
        facts: dict[str, Any] = {
            "kind": "table",
            "method": self.method,
            "parameters": self.parameters,
            "promise": self.promise,
        }
        if self.reported_links is not None:
            facts["reported_links"] = self.reported_links
        return write_package(Path(folder), {"table": (self.frame, self.schema)}, facts, parquet)

    @classmethod
    def opened(
        cls, tables: Mapping[str, tuple[pd.DataFrame, Schema]], facts: Mapping[str, Any]
    ) -> TableRelease:
        """The release that `save` wrote, from its table and what was said about it."""
        frame, schema = tables["table"]
        method, parameters = facts.get("method", ""), facts.get("parameters", {})
        told = promise_of(facts.get("promise", "untold"), permutation=facts.get("permutation"))
        return cls(frame, schema, method, parameters, told, facts.get("reported_links"))

    def reporting(self, links: int) -> TableRelease:
        """The same release with the number of links that the publisher's test attack got right."""
        return replace(self, reported_links=int(links))


def _first_of_several(values: pd.Series[Any], column: Column) -> str | None:
    """A cell of a column that stands for several values; None where none does."""
    if isinstance(values.dtype, pd.IntervalDtype):
        return next((written(value) for value in values if not pd.isna(value)), "missing")
    if not isinstance(values.dtype, pd.CategoricalDtype):
        return None
    found = cells_of(values, column).several
    return next((cell for cell in found if cell.strip("*")), next(iter(found), None))


Release: TypeAlias = TableRelease | SplitRelease
KINDS: Mapping[str, type[TableRelease] | type[SplitRelease]] = {
    "table": TableRelease,
    "split": SplitRelease,
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Key:
    """What must stay with the protector: which released row came from which record, and the seed.

    Parameters
    ----------
    rows
        For each original record the place of its released row, counted from 0.
    seed
        The randomness that was used, if known.
    columns
        For a release in two tables, where a record's values lie apart: by column the place of
        each record's value.

    Examples
    --------
    >>> Key.of([2, 0, 1])
    Key(hidden)
    """

    rows: Rows
    seed: int | None = None
    columns: Mapping[str, Rows] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Hold read-only copies of the places, each used once."""
        object.__setattr__(self, "rows", _places(self.rows))
        columns = {name: _places(places) for name, places in self.columns.items()}
        object.__setattr__(self, "columns", columns)

    @classmethod
    def of(cls, rows: npt.ArrayLike) -> Key:
        """A key made elsewhere, without its seed."""
        return cls(np.asarray(rows))

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return "Key(hidden)"

    def take(self, records: Rows) -> Key:
        """The key of the same records in another order."""
        columns = {name: places[records] for name, places in self.columns.items()}
        return Key(self.rows[records], self.seed, columns)

    def undo(self, release: TableRelease) -> Microdata:
        """The released records in the order of the originals: what only the protector can see."""
        if not isinstance(release, TableRelease):
            raise SchemaError("Only a release of whole records can be put back into their order.")
        if len(self) and self.rows.max() >= len(release):
            raise RecordError(
                f"The key points to row {self.rows.max() + 1}, but the release has "
                f"{len(release)}; use the key that was made with it."
            )
        return Microdata(release.frame.take(self.rows), release.schema)

    def save(self, path: str | Path) -> Path:
        """Write the key to a file that only its owner may read; never beside the release."""
        with together() as new:
            return self._write(new, path)

    def _write(self, new: Writing, path: str | Path) -> Path:
        target = place_of(path)
        if any((folder / PACKAGE).exists() for folder in target.parents):
            raise FormatError(
                f"{str(target)!r} lies in the folder of a release; keep the key somewhere else."
            )
        columns = {name: places.tolist() for name, places in self.columns.items()}
        content = json.dumps({"rows": self.rows.tolist(), "seed": self.seed, "columns": columns})
        return new.file(path, content, private=True, advice="a key is never overwritten")

    @classmethod
    def open(cls, path: str | Path) -> Key:
        """Read a key from its file."""
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            columns = {n: np.asarray(v) for n, v in content.get("columns", {}).items()}
            return cls(np.asarray(content["rows"]), content.get("seed"), columns)
        except KEYLESS as error:
            raise FormatError(
                f"{quoted(str(path))} is not a key; expected the file that Key.save wrote."
            ) from error


def _places(places: npt.ArrayLike) -> Rows:
    given = np.asarray(places)
    whole = given.ndim == 1 and (given.dtype.kind in "iu" or not len(given))
    ordered = np.sort(given) if whole else given
    if not whole or (ordered[:1] < 0).any() or (ordered[1:] == ordered[:-1]).any():
        raise RecordError(
            "A key needs one released row for each record, counted from 0 and used once."
        )
    found = given.astype(np.intp)
    found.setflags(write=False)
    return found


class Masked(NamedTuple):
    """What a method returns: ``release, key = vk.mask.noise(...)``."""

    release: Release
    key: Key

    def save(self, folder: str | Path, key: str | Path, *, parquet: bool = False) -> Path:
        """Write the release as a folder and its key to a file somewhere else: both, or neither.

        If the process is killed, both or neither are there too, but for the moment between their
        last two steps, which can leave a key alone; a release is never there without its key.
        """
        published, place = place_of(folder).resolve(), place_of(key)
        if published in (place, *place.parents):
            raise FormatError(
                f"The key {str(key)!r} would lie in the published folder {str(folder)!r}; keep it "
                "somewhere else."
            )
        with together() as new:
            self.key._write(new, key)
            self.release.save(new.folder(folder), parquet=parquet)
        return Path(folder)


def open_release(source: str | Path | BinaryIO) -> Release:
    """Open what was published: a release's folder (or its zip), or a bare CSV or Parquet table.

    A bare table tells neither method nor parameters, and its columns are guessed. A checksum that
    `datapackage.json` promises is checked (sha256, sha512, sha1 or md5); one that it does not
    promise is not asked for. A zip, gz, bz2 or xz may unpack to 500 MB and to 200 times its size
    (10 MB always), or to as many megabytes as the environment variable ``VERIKIT_UNPACKED_MB``
    says; `datapackage.json` may have 50 MB. Pipes, devices and links inside a release are refused.

    Parameters
    ----------
    source
        A path, or an open binary file.

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
    with guard(named(source)):
        return _opened(source)


def _opened(source: Any) -> Release:
    if not isinstance(source, (str, Path)):
        if Path(str(getattr(source, "name", ""))).suffix != ".zip":
            return TableRelease.of(read_people(source))
        with from_zip(source) as fetch:
            return _open_package(fetch, "the zip file")
    check_path(source)
    path = Path(source)
    if path.name == PACKAGE:
        path = path.parent
    refuse_unfinished(path)
    if path.is_dir():
        return _open_package(from_folder(path), str(path))
    if not path.exists():
        raise FormatError(
            f"{quoted(str(path))} does not exist; give a release's folder or a CSV file."
        )
    if path.suffix == ".zip":
        with open_regular(path) as file, from_zip(file) as fetch:
            return _open_package(fetch, "the zip file")
    return TableRelease.of(read_people(path))


def _open_package(fetch: Fetch, place: str) -> Release:
    try:
        package = json.loads(fetch(PACKAGE).decode("utf-8"))
    except FormatError:
        raise
    except (OSError, KeyError, ValueError) as error:
        raise FormatError(
            f"{quoted(place)} holds no readable {PACKAGE}, so it is no release; give the folder "
            "that was published."
        ) from error
    try:
        facts = package["verikit"]
        check_package(package)
        if facts["format"] > FORMAT:
            raise FormatError(
                f"{quoted(place)} was written by a newer verikit (format "
                f"{quoted(facts['format'])}); update yours."
            )
        kind = KINDS[facts.get("kind", "table")]
        tables = {part["name"]: read_table(fetch, part) for part in package["resources"]}
        return kind.opened(tables, facts)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise FormatError(
            f"{PACKAGE} in {quoted(place)} does not describe a release; "
            f"{shortened(repr(error))} is missing or misplaced."
        ) from error

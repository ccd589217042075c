"""What was published, where it lies: opened as a stream where a record can be checked in one."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from verikit._support.files import check_path, open_regular
from verikit._support.guard import guard, named
from verikit._support.partial_files import refuse_unfinished
from verikit._support.requests import whole
from verikit.errors import FormatError, RecordError, SchemaError, VerikitError, quoted
from verikit.large._index import INDEX, TOLD, Buckets, Index, open_index
from verikit.large._source import (
    CsvFile,
    ParquetFiles,
    Query,
    Source,
    allowed_bytes,
    check_room,
)
from verikit.large._stream import Stream
from verikit.ranks import distance_of
from verikit.release import (
    FORMAT,
    PACKAGE,
    Release,
    TableRelease,
    check_hash,
    check_package,
    fetch_from_folder,
    open_release,
    promise_of,
    read_column,
    redraw_of,
    reported_without,
    whole_records,
)
from verikit.table import Schema, read_people, schema_of
from verikit.table.reading import find_layout

PARQUET = (".parquet", ".pq")
CSV = (".csv", ".tsv", ".txt")
LARGE_CSV = 50 * 10**6
HEAD = 1 << 20
HELD = 24  # bytes a cell takes while a table is read


def located(given: Any, names: Sequence[str] | None = None) -> Any:
    """A release as it is; a path or a DuckDB relation as a stream, if that is enough.

    Parameters
    ----------
    given
        A release, a folder or a file of one, or a relation of DuckDB.
    names
        The columns in which a record is to be compared; all with a declared order by default.

    Returns
    -------
    Release
        A `Stream` where single values of Parquet files, of a large CSV file or of a query are
        compared; else what `open_release` reads, if there is room for it.

    Raises
    ------
    FormatError
        If it cannot be read, or is too large to be loaded where it has to be.

    Examples
    --------
    >>> import tempfile
    >>> import verikit as vk
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved = vk.published("dm_table1_masked").save(f"{folder}/release", parquet=True)
    ...     located(saved, ["X1", "X2"])
    Stream(20 records of X1, X2, X3)
    """
    if isinstance(given, (str, Path)):
        check_path(given)
        with guard(named(given)):
            return _open_path(Path(given), names)
    if type(given).__module__.partition(".")[0] in ("duckdb", "_duckdb") and hasattr(
        given, "aggregate"
    ):
        return _guess_stream(Query(given))
    return given


def _open_path(path: Path, names: Sequence[str] | None) -> Any:
    path = path.parent if path.name == PACKAGE else path
    refuse_unfinished(path)
    if path.is_file():
        with open_regular(path) as file:
            if file.read(len(INDEX)) == INDEX:
                return open_index(path)
    stream = _open_stream(path)
    if stream is None:
        return open_release(path)
    return stream if _compares_values(stream, names) else load_whole(stream)


def _open_stream(path: Path) -> Stream | None:
    if (path / PACKAGE).is_file():
        try:
            return _open_folder(path)
        except VerikitError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, IndexError):
            return None  # what is wrong with it is said where it is opened
    if path.is_dir():
        parts = tuple(sorted(part for end in PARQUET for part in path.glob(f"[!._]*{end}")))
        return _guess_stream(ParquetFiles(parts)) if parts else None
    if path.is_file() and path.suffix in PARQUET:
        return _guess_stream(ParquetFiles((path,)))
    if path.is_file() and path.suffix in CSV and path.stat().st_size > LARGE_CSV:
        return _open_large_csv(path)
    return None


def _compares_values(stream: Stream, names: Sequence[str] | None) -> bool:
    """Whether single values are compared, all of which have an order."""
    known = stream.schema.names
    if names is None:
        compared = [column.name for column in stream.asked]
    else:
        compared = [name for name in names if name in known]  # others are refused by the check
    if any(distance_of(stream.schema[name]) != "ranks" for name in compared):
        return False
    head = stream.head()
    return not head.generalized_in(compared) and redraw_of(head) is None


def small_enough(stream: Stream) -> bool:
    """Whether a table can be loaded besides."""
    return HELD * len(stream) * len(stream.schema) <= allowed_bytes()


def load_whole(stream: Stream) -> TableRelease:
    """A stream that has to be loaded, as its cells have to be read one by one."""
    check_room(
        HELD * len(stream) * len(stream.schema),
        "This table is compared by cells that stand for several values, or by values without an "
        "order, so it has to be loaded; its cells",
        "compare fewer columns, all with an order",
    )
    return stream.whole()


def _guess_stream(source: Source) -> Stream:
    frame = source.head()
    return Stream(source, Schema.guess(frame))


def _open_large_csv(path: Path) -> Stream:
    """A plain CSV file, by its beginning."""
    with open_regular(path) as file:
        content = file.read(HEAD)
    content = content[: content.rfind(b"\n") + 1]
    found = read_people(io.BytesIO(content))
    layout = find_layout(content.decode("utf-8-sig"))
    if found.notes or layout.skipped or layout.row_names:
        raise FormatError(
            f"{named(path)} is too large to be loaded, and no plain CSV; write it as Parquet."
        )
    return Stream(CsvFile(path, found.frame, layout.separator), schema_of(found))


def _open_folder(folder: Path) -> Stream | None:
    """A release's folder, if it holds one table of whole records in Parquet or a large CSV."""
    package = json.loads(fetch_from_folder(folder)(PACKAGE).decode("utf-8"))
    facts = package.get("verikit") if isinstance(package, dict) else None
    if not isinstance(facts, dict) or facts.get("kind", "table") != "table":
        return None
    check_package(package)
    resource = package["resources"][0]
    path = folder / resource["path"]
    if len(package["resources"]) > 1 or path.name != resource["path"] or not path.is_file():
        return None  # refused there
    fits = path.suffix in PARQUET or path.stat().st_size > LARGE_CSV
    if not fits or facts.get("format", 0) > FORMAT or path.is_symlink():
        return None
    fields = resource["schema"]["fields"]
    if any(field.get("verikit", {}).get("spans") for field in fields):
        return None
    return _make_stream(path, resource, Schema(tuple(map(read_column, fields))), facts)


def _make_stream(
    path: Path, resource: Mapping[str, Any], schema: Schema, facts: Mapping[str, Any]
) -> Stream:
    if "hash" in resource:
        with path.open("rb") as file:
            check_hash(path.name, file, resource["hash"])
    source: Source = (
        ParquetFiles((path,)) if path.suffix in PARQUET else _open_large_csv(path).source
    )
    stream = Stream(
        source,
        schema,
        facts.get("method", ""),
        facts.get("parameters", {}),
        promise_of(facts.get("promise", "untold"), permutation=facts.get("permutation")),
        facts.get("reported_links"),
        facts.get("reported_luck"),
        reported_without=reported_without(facts),
    )
    lacking = [name for name in schema.names if name not in source.head().columns]
    if lacking:
        raise SchemaError(f"{named(path)} lacks the column {quoted(lacking[0])}; ask for it again.")
    if resource.get("verikit", {}).get("rows", len(stream)) != len(stream):
        raise FormatError(
            f"{PACKAGE} promises {resource['verikit']['rows']} records, but {named(path)} holds "
            f"{len(stream)}."
        )
    return stream


def index(release: Release | str | Path, bits: int = 12) -> Index:
    """A short form of a published table that people can fetch instead of it.

    Of each value it keeps the bucket of neighbouring values that it lies in; equal values are
    never parted, and the rows are sorted, so that their order is lost. A check with it
    (`verikit.check`) gives a lower and an upper bound of the distance that a check with the table
    gives. It is made of the published table alone, and tells nothing beyond it. Give it out whole:
    who asks for the part around her values tells where she stands.

    Parameters
    ----------
    release
        A release of single values, or where it lies. Columns that have no order, or no value, are
        left out.
    bits
        How finely values are told apart: at most 2 to this power of buckets a column, one of them
        for missing values; 1 to 16.

    Returns
    -------
    Index
        To be saved by its ``save``, and opened by `verikit.check`.

    Raises
    ------
    SchemaError
        If the release holds no table of single values, or no column with an order.
    RecordError
        If the bits are no whole number from 1 to 16.

    References
    ----------
    [DM]_ Algorithm 2

    Notes
    -----
    The index is our own. With B the largest bucket, the upper bound is at most 2(B - 1) places
    above the lower one. Made by one sort a column and one of the rows; the same table gives the
    same index, whatever the order of its rows.

    Examples
    --------
    >>> import verikit as vk
    >>> release = vk.published("dm_table1_masked")
    >>> record = vk.load("dm_table1").record(2)
    >>> report = vk.check(record, index(release, bits=2))
    >>> report.facts["lower"], report.facts["upper"]
    (1, 9)
    >>> vk.check(record, release).facts["distance"]
    4
    """
    if whole(bits, "bits") > 16:
        raise RecordError(f"bits was given as {bits}; expected a whole number from 1 to 16.")
    found: Any = located(release) if isinstance(release, (str, Path)) else release
    held = found
    if isinstance(found, Stream):
        check_room(
            HELD * len(found) * len(found.schema),
            "An index is made of a table in memory, whose cells",
            "make it on a larger machine",
        )
        held = found.whole()
    if not whole_records(held) or not len(held):
        raise SchemaError(
            "An index can be made of a table of single values that holds records; this is "
            f"{type(held).__name__}."
        )
    ranked = [column for column in held.schema if distance_of(column) == "ranks"]
    columns = {c: held.scores(c.name) for c in ranked if held.compares(c.name)}
    if not columns:
        raise SchemaError(
            "No column of this release has an order, and an index is made by ranks; give one with "
            "numbers or ordered categories, or the table itself."
        )
    buckets = []
    for values in columns.values():  # missing ones take a bucket of their own
        known = np.sort(values[~np.isnan(values)])
        buckets.append(Buckets.of(known, (1 << bits) - (len(known) < len(values))))
    parts = [part.code_values(v) for part, v in zip(buckets, columns.values(), strict=True)]
    codes = np.column_stack(parts)
    told: Any = {name: getattr(held, name) for name in TOLD[:-1]}
    told["reported_without"] = None if held.reported_links is None else held.not_compared
    ordered = codes[np.lexsort(codes.T[::-1])]
    return Index(Schema(tuple(columns)), tuple(buckets), ordered, **told)

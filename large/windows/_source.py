"""Where a large table lies: Parquet files, a CSV file or a query of DuckDB, in batches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from verikit._support.extras import needed
from verikit._support.guard import named
from verikit.errors import FormatError, VerikitError, quoted, shortened
from verikit.table.reading import frame_of
from verikit.words import listed

BATCH = 1 << 17
PLACES = 16
ZONED = "TIMESTAMP WITH TIME ZONE"


class Source(Protocol):
    """A table that can be passed over again and again, always in the same order."""

    @property
    def rows(self) -> int:
        """The number of its records."""

    def head(self) -> pd.DataFrame:
        """Its first records, with all columns."""

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Some columns of all records, as record batches of Arrow."""

    def sample_batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Some records from several places of it, as record batches."""


@contextmanager
def _refuse_faults(name: str) -> Iterator[None]:
    """Turn what a library says of a table into one sentence."""
    try:
        yield
    except (VerikitError, GeneratorExit):
        raise
    except MemoryError as error:
        refusal = FormatError(f"{name} needs more memory than there is; give fewer columns.")
        raise refusal from error
    except Exception as error:  # its reader fails in many ways
        if "OutOfMemory" in type(error).__name__:
            refusal = FormatError(
                f"{name} needs more memory than it is allowed; set the memory_limit of DuckDB "
                "higher, or give it a folder on a disk with room (temp_directory)."
            )
            raise refusal from error
        reason = " ".join(str(error).split()).rstrip(".")
        refusal = FormatError(
            f"{name} cannot be read to its end, it may be damaged or cut short: "
            f"{shortened(reason, 160) or type(error).__name__}."
        )
        raise refusal from error


@dataclass(frozen=True)
class ParquetFiles:
    """One table in one Parquet file or in several, in the order of their names.

    Parameters
    ----------
    paths
        The files.
    """

    paths: tuple[Path, ...]

    def __post_init__(self) -> None:
        """Refuse files that are no parts of one table, before anything is read."""
        needed("Checking a Parquet file without loading it", "scale", "pyarrow")
        first, *others = self._files
        for path, file in zip(self.paths[1:], others, strict=True):
            _compare_columns(self.paths[0], first.schema_arrow, path, file.schema_arrow)

    @cached_property
    def _files(self) -> list[Any]:
        from pyarrow.parquet import ParquetFile

        found = []
        for path in self.paths:
            with _refuse_faults(named(path)):
                found.append(ParquetFile(path, pre_buffer=False, memory_map=False))
        return found

    @property
    def rows(self) -> int:
        """The number of records, as the files say."""
        return sum(file.metadata.num_rows for file in self._files)

    def head(self) -> pd.DataFrame:
        """The first records."""
        for path, file in zip(self.paths, self._files, strict=True):
            with _refuse_faults(named(path)):
                for batch in file.iter_batches(batch_size=1000):
                    return frame_of(batch.to_pandas())
        return frame_of(self._files[0].schema_arrow.empty_table().to_pandas())

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Some columns, batch by batch; never more than one group of rows is unpacked."""
        for path, file in zip(self.paths, self._files, strict=True):
            with _refuse_faults(named(path)):
                yield from file.iter_batches(batch_size=BATCH, columns=list(names))

    def sample_batches(self, names: Sequence[str]) -> Iterator[Any]:
        """The first records of some groups of rows, spread over the files."""
        groups = [
            (path, file, group)
            for path, file in zip(self.paths, self._files, strict=True)
            for group in range(file.metadata.num_row_groups)
            if file.metadata.row_group(group).num_rows
        ]
        for path, file, group in groups[:: max(len(groups) // PLACES, 1)][:PLACES]:
            size = max(50_000 // min(len(groups), PLACES), 1)
            with _refuse_faults(named(path)):
                part = file.iter_batches(batch_size=size, row_groups=[group], columns=list(names))
                yield next(part)


def _compare_columns(first: Path, expected: Any, path: Path, found: Any) -> None:
    lacking = [name for name in expected.names if name not in found.names]
    extra = [name for name in found.names if name not in expected.names]
    if lacking or extra:
        words = [f"lacks {listed(lacking)}"] * bool(lacking)
        words += [f"has {listed(extra)} besides"] * bool(extra)
        raise FormatError(
            f"{named(path)} {' and '.join(words)}, unlike {named(first)}; the files are no parts "
            "of one table: ask for it again, or give one file."
        )
    for name in expected.names:
        one, other = expected.field(name).type, found.field(name).type
        if one != other and not (_is_number(one) and _is_number(other)):
            raise FormatError(
                f"Column {quoted(name)} is {one} in {named(first)} and {other} in {named(path)}; "
                "the files are no parts of one table: ask for it again, or give one file."
            )


def _is_number(kind: Any) -> bool:
    from pyarrow import types

    return types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)


@dataclass(frozen=True)
class CsvFile:
    """A CSV file, read as its beginning shows it.

    Parameters
    ----------
    path
        The file.
    first
        Its first records, as they are read from their text.
    separator, decimal, encoding
        How it is written.
    """

    path: Path
    first: pd.DataFrame
    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        """Refuse to begin without pyarrow."""
        needed("Checking a large CSV file without loading it", "scale", "pyarrow")

    @cached_property
    def rows(self) -> int:
        """The number of records, counted in one pass."""
        return sum(batch.num_rows for batch in self.batches(list(self.first.columns[:1])))

    def head(self) -> pd.DataFrame:
        """The first records."""
        return self.first

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Some columns, block by block; numbers must stay numbers to the end."""
        import pyarrow as pa
        from pyarrow import csv

        numeric = [n for n in names if pd.api.types.is_numeric_dtype(self.first[n])]
        kinds = {name: pa.float64() if name in numeric else pa.string() for name in names}
        with _refuse_faults(named(self.path)):
            yield from csv.open_csv(
                self.path,
                read_options=csv.ReadOptions(block_size=1 << 22, encoding=self.encoding),
                parse_options=csv.ParseOptions(delimiter=self.separator),
                convert_options=csv.ConvertOptions(
                    include_columns=list(names),
                    column_types=kinds,
                    null_values=["", "NA", "NaN", "nan"],
                    strings_can_be_null=True,
                    decimal_point=self.decimal,
                ),
            )

    def sample_batches(self, names: Sequence[str]) -> Iterator[Any]:
        """The first block."""
        yield from islice(self.batches(names), 1)


@dataclass(frozen=True)
class Query:
    """A table or a query of DuckDB, which runs it anew for each pass.

    Parameters
    ----------
    relation
        The relation; its rows must come in the same order each time.

    Notes
    -----
    A column of instants (``TIMESTAMP WITH TIME ZONE``) names no time zone in DuckDB: it is read by
    the clock of UTC, whatever ``TimeZone`` the connection or the machine is set to.
    """

    relation: Any

    @cached_property
    def rows(self) -> int:
        """The number of records."""
        with _refuse_faults("The query of DuckDB"):
            return int(self.relation.aggregate("count(*)").fetchall()[0][0])

    def head(self) -> pd.DataFrame:
        """The first records."""
        with _refuse_faults("The query of DuckDB"):
            return self._select_columns(self.relation.limit(1000), self.relation.columns).df()

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Some columns, batch by batch."""
        yield from self._read_batches(self.relation, names)

    def sample_batches(self, names: Sequence[str]) -> Iterator[Any]:
        """The first records."""
        yield from self._read_batches(self.relation.limit(50_000), names)

    def _read_batches(self, relation: Any, names: Sequence[str]) -> Iterator[Any]:
        with _refuse_faults("The query of DuckDB"):
            chosen = self._select_columns(relation, names)
            read = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_record_batch
            yield from read(BATCH)

    def _select_columns(self, relation: Any, names: Sequence[str]) -> Any:
        """Some columns, instants as the clock of UTC shows them."""
        kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
        quoted_names = ['"' + name.replace('"', '""') + '"' for name in names]
        shown = [
            f"timezone('UTC', {said}) as {said}" if kinds[name] == ZONED else said
            for name, said in zip(names, quoted_names, strict=True)
        ]
        return relation.project(", ".join(shown))


LIMIT_MB = "VERIKIT_MEMORY_MB"
DEFAULT_MB = 1000


def allowed_bytes() -> int:
    """The bytes that may be held: 1,000 MB, or what the environment variable says.

    Examples
    --------
    >>> allowed_bytes()
    1000000000
    """
    said = os.environ.get(LIMIT_MB, str(DEFAULT_MB))
    if not said.isdecimal() or len(said) > 9 or not int(said):
        raise FormatError(
            f"{LIMIT_MB} was set to {quoted(said)}; expected a whole number of megabytes."
        )
    return int(said) * 10**6


def holds_too_much(held: int, last: bool) -> bool:
    """Tell whether no more may be held; refused where a better sample would not help."""
    if last:
        check_room(
            held,
            "The values and records near hers",
            "give more of her values, or ask for fewer places",
        )
    return held > allowed_bytes()


def check_room(needed: int, what: str, advice: str) -> None:
    """Refuse what needs more than may be held.

    Examples
    --------
    >>> check_room(2 * 10**9, "The values near hers", "give fewer attributes")
    Traceback (most recent call last):
    verikit.errors.FormatError: The values near hers take 2,000 MB or more, but 1,000 MB may be
    held; give fewer attributes, or set the environment variable VERIKIT_MEMORY_MB higher.
    """
    limit = allowed_bytes()
    if needed > limit:
        raise FormatError(
            f"{what} take {needed / 1e6:,.0f} MB or more, but {limit / 1e6:,.0f} MB may be "
            f"held; {advice}, or set the environment variable {LIMIT_MB} higher."
        )

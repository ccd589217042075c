"""A table of records, checked and held in one form."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.files import check_path, open_given
from verikit._support.guard import guard, named
from verikit._support.plotted import Plotted
from verikit._support.skip_validation import make_unchecked
from verikit.errors import QUOTED, FormatError, RecordError, SchemaError, quoted, shortened
from verikit.table._fit import fit_frame, take_rows
from verikit.table._schema import Schema
from verikit.table._values import long_numbers_as_names
from verikit.table.reading import MISSING, Asked, Reading, frame_of, holds_table, read_file
from verikit.table.reading._arrow import read_parquet
from verikit.table.reading._numbers import without_marks
from verikit.table.reading._open_file import unpack_content
from verikit.table.reading._reading import read_codebook, with_codebook
from verikit.table.reading._text import read_written
from verikit.values.columns import Scores
from verikit.words import count


class Framed(Plotted):
    """What a table of records shares with a frame; each part is a copy.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("dm_table1")
    >>> data.shape, list(data.columns), data["X1"].iloc[2]
    ((20, 3), ['X1', 'X2', 'X3'], np.float64(100.87))
    """

    __slots__ = ()

    frame: pd.DataFrame

    @property
    def columns(self) -> pd.Index[Any]:
        """The names of the columns."""
        return self.frame.columns

    @property
    def shape(self) -> tuple[int, int]:
        """How many records and columns there are."""
        return self.frame.shape

    def head(self, n: int = 5) -> pd.DataFrame:
        """The first records, as a frame."""
        return self.frame.head(n).copy()

    def to_frame(self) -> pd.DataFrame:
        """All records, as a frame."""
        return self.frame.copy()

    def __getitem__(self, name: str | Sequence[str]) -> Any:
        return self.frame[name if isinstance(name, str) else list(name)].copy()


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False)
class Microdata(Framed):
    """A table of records, one line a person, with what is known about its columns.

    Numbers are held as numbers, categories as categories in their declared order; the row index
    of the given frame is dropped, so that nothing can depend on it.

    Parameters
    ----------
    frame
        The records.
    schema
        Its columns; `Schema.guess` where none is given.
    notes
        In sentences how it was read from a file, where another reading was possible.

    Raises
    ------
    SchemaError
        If frame and schema disagree: in one sentence, with the column and the value.

    Examples
    --------
    >>> data = Microdata(pd.DataFrame({"age": [34, 51], "job": ["clerk", "welder"]}))
    >>> data.record(1)
    {'age': 51, 'job': 'welder'}
    """

    holds_sets: ClassVar[bool] = True  # as nothing is promised of it
    frame: pd.DataFrame
    schema: Schema = field(default=None)  # type: ignore[assignment]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Hold a checked copy of the frame in the schema's terms."""
        if not holds_table(self.frame):
            raise SchemaError(
                f"A table was given as {type(self.frame).__name__}; expected a DataFrame "
                "or records (verikit.read takes files)."
            )
        frame = frame_of(self.frame)
        notes, schema = tuple(self.notes), self.schema
        if schema is None:
            frame, long = long_numbers_as_names(frame)
            notes, schema = (*notes, *long), Schema.guess(frame)
        if not isinstance(schema, Schema):
            raise SchemaError(
                f"A schema was given as {type(schema).__name__}; expected verikit.Schema."
            )
        object.__setattr__(self, "schema", schema)
        object.__setattr__(self, "notes", notes)
        object.__setattr__(self, "frame", fit_frame(frame, schema))

    @classmethod
    def _of(cls, frame: pd.DataFrame, schema: Schema) -> Self:
        """A table from a frame that was fitted to this schema; nothing is checked again."""
        return make_unchecked(cls, frame=frame, schema=schema)

    def __len__(self) -> int:
        return len(self.frame)

    def __repr__(self) -> str:
        names = ", ".join(self.schema.names)
        return f"Microdata({count(len(self), 'record')} of {names})"

    def _repr_html_(self) -> str:
        return str(self.frame.to_html(max_rows=12))

    def record(self, place: int) -> dict[str, Any]:
        """The record at a place, counted from 0, as a dictionary."""
        if not -len(self) <= place < len(self):
            raise RecordError(
                f"There is no record {place}; the table has {len(self)}, counted from 0."
            )
        values = {name: self.frame[name].iloc[place] for name in self.schema.names}
        plain = {n: v.item() if isinstance(v, np.generic) else v for n, v in values.items()}
        return {name: None if pd.isna(value) else value for name, value in plain.items()}

    def take(self, rows: Rows) -> Microdata:
        """The records at the given places, in that order."""
        return self._of(take_rows(self.frame, self.schema, rows), self.schema)

    def only(self, *names: str) -> Microdata:
        """The same records with some of the columns, in that order."""
        schema = Schema(tuple(self.schema[name] for name in names))
        return self._of(self.frame[list(names)].copy(), schema)

    def scores(self, name: str) -> Scores:
        """One column as numbers in its order (see `Column.scores`)."""
        return self.schema[name].scores(self.frame[name])

    def codes(self, name: str) -> tuple[Rows, pd.Index[Any]]:
        """One column as codes and the sorted values they stand for; -1 where a value is missing."""
        values = self.frame[name]
        if isinstance(values.dtype, pd.CategoricalDtype):
            return values.cat.codes.to_numpy().astype(np.intp), values.cat.categories
        codes, found = pd.factorize(values, sort=True)
        return codes, pd.Index(found)

    def canonical_order(self, *ties: Rows) -> Rows:
        """The places of the records sorted by their values, whatever order they were given in.

        Equal records are told apart by further codes from 0 up, if any are given.
        """
        first = self.frame[self.schema.names[0]].to_numpy()
        if first.dtype.kind in "fi":
            order = np.argsort(first)
            ordered = first[order]
            if bool((ordered[1:] > ordered[:-1]).all()):  # untied, so no other column matters
                return order
        keys, span = np.zeros(len(self), np.int64), 1
        # categories in as few bytes as they are held in
        held = [(name, self.frame[name]) for name in self.schema.names]
        columns = [
            v.cat.codes.to_numpy() if v.dtype == "category" else self.codes(n)[0] for n, v in held
        ]
        for codes in (*columns, *ties) if len(self) else ():
            size = int(codes.max()) + 2
            if span * size > 2**62:
                return np.lexsort((*ties[::-1], *columns[::-1]))
            keys *= size
            keys += codes  # from -1 up: all keys are less by the same number
            span *= size
        return np.argsort(keys)


def read(  # noqa: PLR0913 - one door for all that people have
    source: Any,
    schema: Schema | None = None,
    *,
    missing: str | Sequence[str] = MISSING,
    encoding: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    labels: Any = None,
    words: str | Sequence[str] | None = None,
    **options: Any,
) -> Microdata:
    """Read a table: a file of any usual format, or a frame of any library.

    The format is known by the first bytes of the file: CSV in its usual spellings, Parquet,
    Feather, Stata, SAS, SPSS, R, Excel, records in JSON. How a CSV is written is found out where
    it is not said, and `Microdata.notes` tells what was found. Codes with leading zeros
    (``02138``) stay text.

    Parameters
    ----------
    source
        A path or an open binary file; or a frame of pandas, polars or pyarrow, a DuckDB relation,
        a dictionary of columns, a list of records.
    schema
        What is known about the columns; guessed where nothing is given, with the labels and the
        orders that the file holds.
    missing
        The marks that stand for a missing value in a file, and no others.
    encoding, separator, decimal
        How a CSV file is written, such as ``"latin-1"``, ``";"`` and ``","``.
    sheet
        Which sheet of an Excel file, or which table of an R file.
    labels
        A DDI codebook (2.5, XML) of the file: its labels of variables become titles, those of
        values the categories.
    words
        The columns whose cells are words, even those that look like a band or a set: ``<=50K``.
    options
        Further options for `pandas.read_csv` or `pandas.read_parquet`.

    Returns
    -------
    Microdata
        The records, every one of them.

    Raises
    ------
    FormatError
        If the file cannot be read as a table.
    SchemaError
        If table and schema disagree.

    Examples
    --------
    >>> read(pd.DataFrame({"age": [34, 51], "job": ["clerk", "welder"]}))
    Microdata(2 records of age, job)
    >>> read([{"age": 34, "job": "clerk"}]).record(0)
    {'age': 34, 'job': 'clerk'}
    """
    told = None if missing is MISSING else missing
    asked = Asked(
        encoding, separator or options.pop("sep", None), decimal, sheet, labels, told, words
    )
    with guard(named(source)):
        if holds_table(source):
            found = Reading(frame_of(source))
            if schema is None:
                frame, long = long_numbers_as_names(found.frame)
                found = Reading(frame, notes=tuple(long))
            found = found if labels is None else add_labels(found, labels)
        else:
            textual = None if schema is None else schema.textual
            found = read_people(source, textual, asked=asked, **options)
        schema = schema_of(found) if schema is None else schema
        for name in asked.words or ():
            schema = schema.with_column(name, words=True)
        if holds_table(source):
            return Microdata(found.frame, schema, found.notes)
        notes, box = found.notes, [found.frame]
        del found
        return make_unchecked(
            Microdata, frame=fit_frame(box.pop(), schema), schema=schema, notes=notes
        )


READING = (
    ImportError, LookupError, OSError, TypeError, ValueError, csv.Error, pd.errors.ParserWarning,
)  # fmt: skip
TAG = re.compile(r"\s*<[!?/a-zA-Z]")
TOO_LONG = re.compile(r"Expected \d+ fields in line (\d+), saw (\d+)")
OPEN_ENDED = "EOF inside string"
AS_FOUND = Asked()


def read_frame(
    source: Any,
    textual: Collection[str] | None = None,
    *,
    missing: Sequence[str] = MISSING,
    **options: Any,
) -> pd.DataFrame:
    """Read a table as verikit writes it: CSV in UTF-8 (a path or an open binary file), or Parquet.

    ``textual`` names the columns to keep as text; by default those that hold codes with leading
    zeros.
    """
    with _one_sentence_errors(source), open_given(source) as file:
        name = str(getattr(source, "name", source))
        if name.endswith((".parquet", ".pq")):
            frame = read_parquet(file, named(source), options)
        else:
            content = unpack_content(file, source, options.pop("compression", "infer"))
            frame = read_written(content, textual, missing, options)
    coded = (one for one in frame.items() if one[1].dtype == "category")  # of texts, as read
    texts = {n: np.asarray(held) for n, held in coded if held.cat.categories.dtype == object}
    return frame.assign(**texts) if texts else frame


def read_people(
    source: Any,
    textual: Collection[str] | None = None,
    *,
    missing: Sequence[str] = MISSING,
    asked: Asked = AS_FOUND,
    **options: Any,
) -> Reading:
    """Read a table that a person has, in any usual format; it must hold records."""
    marks = missing if asked.missing is None else asked.missing
    with _one_sentence_errors(source):
        reading = read_file(source, textual, missing=marks, asked=asked, options=options)
        frame, long = long_numbers_as_names(frame_of(reading.frame))
        reading = replace(reading, frame=frame, notes=(*reading.notes, *long))
    if reading.how is None and asked.missing is not None:
        reading = replace(reading, frame=without_marks(reading.frame, asked.missing))
    if asked.labels is not None:
        reading = add_labels(reading, asked.labels)
    odd = [str(name) for name in reading.frame if TAG.match(str(name)) or "\0" in str(name)]
    if odd:
        raise FormatError(
            f"{named(source)} names a column {quoted(odd[0])}, as a web page or a damaged file "
            "does; expected a line of column names, then the records."
        )
    if not len(reading.frame):
        raise FormatError(
            f"{named(source)} holds a line of names and no record; expected at least one record."
        )
    return reading


def add_labels(reading: Reading, codebook: Any) -> Reading:
    """Give a table the words of a DDI codebook: a path, or an open binary file."""
    with _one_sentence_errors(codebook):
        return with_codebook(reading, read_codebook(codebook))


def schema_of(reading: Reading) -> Schema:
    """Guess the columns, with the words that the file holds for them."""
    schema = Schema.guess(reading.frame)
    for name, label in reading.labels.items():
        schema = schema.with_column(name, label=label) if label else schema
    return schema


@contextmanager
def _one_sentence_errors(source: Any) -> Iterator[None]:
    """Turn what a library says of a file into one sentence."""
    if isinstance(source, (str, Path)):
        check_path(source)
    elif not (hasattr(source, "read") and hasattr(source, "seek")):
        raise FormatError(
            f"A file was given as {type(source).__name__}; expected a path or an open binary file "
            "(verikit.read and TableRelease.of take tables: a DataFrame, records, columns)."
        )
    with guard(named(source)):
        try:
            yield
        except (FormatError, SchemaError, OverflowError, UnicodeEncodeError):
            raise
        except READING as error:
            refusal = FormatError(f"{named(source)} {_explain_error(error)}.")
            raise refusal from error


def _explain_error(error: Exception) -> str:
    """Tell what a library's error means for a file."""
    if isinstance(error, FileNotFoundError):
        return "cannot be read: there is no such file"
    if isinstance(error, UnicodeDecodeError):
        return (
            "is not written in UTF-8; save it so, or name its encoding, such as encoding='latin-1'"
        )
    if OPEN_ENDED in str(error):
        return "ends inside a quoted value; close the quotes, or ask for it again"
    long = TOO_LONG.search(str(error))
    if isinstance(error, pd.errors.ParserWarning) or long:
        where = f" ({long[2]} in line {long[1]})" if long else ""
        return (
            f"has records with more values than its first line has names{where}; name each "
            "column, or remove the values"
        )
    reason = " ".join(str(getattr(error, "strerror", None) or error).split()).rstrip(".")
    return f"cannot be read as a table: {shortened(reason, 2 * QUOTED) or type(error).__name__}"

"""Files into frames, with every reason for failing in one sentence."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from verikit._support.files import check_path, read_bytes
from verikit._support.guard import guard, named
from verikit.errors import QUOTED, FormatError, SchemaError, quoted, shortened
from verikit.table._schema import Schema
from verikit.table._values import long_numbers_as_names, with_digits
from verikit.table.reading import MISSING, Asked, Reading, frame_of, read_file
from verikit.table.reading._ddi import read_codebook, with_codebook
from verikit.table.reading._layout import names_of
from verikit.table.reading._numbers import without_marks
from verikit.table.reading._open_file import read_parquet
from verikit.table.reading._scan import find_code_columns, may_hold_long_numbers
from verikit.table.reading._text import EXACT, read_csv

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
    with _one_sentence_errors(source):
        name = str(getattr(source, "name", source))
        if name.endswith((".parquet", ".pq")):
            return read_parquet(source, options)
        return _read_csv(source, textual, list(missing), options)


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
    for name, told in reading.told.items():
        schema = schema.with_column(name, label=told.label) if told.label else schema
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


def _read_csv(
    source: Any, textual: Collection[str] | None, missing: list[str], options: Mapping[str, Any]
) -> pd.DataFrame:
    """Read a CSV file in the separator and with the names that its first line shows."""
    content = read_bytes(source, options.get("compression", "infer"))
    opened = partial(io.BytesIO, content)
    settings: dict[str, Any] = {
        "na_values": missing,
        "keep_default_na": False,
        "encoding": "utf-8-sig",
        "skipinitialspace": True,
        "index_col": False,
        **EXACT,
    } | {name: value for name, value in options.items() if name != "compression"}
    lines = io.TextIOWrapper(io.BytesIO(content), encoding=settings["encoding"], newline="")
    first = next((line for line in lines if line.strip()), "")
    if not first:
        raise FormatError("The file is empty; expected a line of column names, then the records.")
    settings["sep"] = settings.get("sep") or max(",;\t|", key=first.count)
    if "names" not in settings:
        lines.seek(0)
        spaces = settings["skipinitialspace"]
        rows = csv.reader(lines, delimiter=settings["sep"], skipinitialspace=spaces)
        names = [name.strip() if spaces else name for name in next(row for row in rows if row)]
        settings |= {"names": names_of(names), "header": 0}
    if textual is None:
        words = partial(read_csv, opened, {**settings, "dtype": str})
        textual = find_code_columns(content, settings["names"], settings["sep"], 0, words)
    settings["dtype"] = {name: str for name in settings["names"] if name in textual}

    def again(**more: Any) -> pd.DataFrame:
        return read_csv(opened, settings | more)

    return with_digits(again(), again, may_hold_long_numbers(content))[0]

"""Files into frames, with every reason for failing in one sentence."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from verikit._support.files import check_path, open_regular, read_bytes
from verikit._support.guard import guard, named
from verikit.errors import QUOTED, FormatError, SchemaError, quoted, shortened
from verikit.words import listed

__all__ = ["MISSING", "read_frame", "read_people"]

MISSING = ("", "NA", "NaN", "nan")
READING = (
    ImportError, LookupError, OSError, TypeError, ValueError, csv.Error, pd.errors.ParserWarning,
)  # fmt: skip
PAGE = re.compile(r"<(!doctype|html|\?xml)", re.IGNORECASE)
TAG = re.compile(r"\s*<[!?/a-zA-Z]")
CODED = re.compile(rb"0(?<![\w.]0)\d")
EXACT = (
    {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
    else {"float_precision": "round_trip"}  # what later versions do by themselves
)  # fmt: skip


def read_frame(
    source: Any,
    textual: Collection[str] | None = None,
    *,
    missing: Sequence[str] = MISSING,
    **options: Any,
) -> pd.DataFrame:
    """Read a CSV (a path or an open binary file) or Parquet file as a frame.

    ``textual`` names the columns to keep as text; by default those that hold codes with leading
    zeros.
    """
    _check_source(source)
    name = str(getattr(source, "name", source))
    with guard(named(source)):
        try:
            if name.endswith((".parquet", ".pq")):
                return _read_parquet(source, options)
            return _read_csv(source, textual, list(missing), options)
        except (FormatError, SchemaError, OverflowError, UnicodeEncodeError):
            raise
        except READING as error:
            refusal = FormatError(f"{named(source)} {_reason(error)}.")
            raise refusal from error


def read_people(source: Any, *arguments: Any, **options: Any) -> pd.DataFrame:
    """Read a table that a person opens, which must hold records and be no page of the web."""
    frame = read_frame(source, *arguments, **options)
    odd = [str(name) for name in frame.columns if TAG.match(str(name)) or "\0" in str(name)]
    if odd:
        raise FormatError(
            f"{named(source)} names a column {quoted(odd[0])}, as a web page or a damaged file "
            "does; expected a line of column names, then the records."
        )
    if not len(frame):
        raise FormatError(
            f"{named(source)} holds a line of names and no record; expected at least one record."
        )
    return frame


def _check_source(source: Any) -> None:
    if isinstance(source, (str, Path)):
        check_path(source)
    elif not (hasattr(source, "read") and hasattr(source, "seek")):
        raise FormatError(
            f"A file was given as {type(source).__name__}; expected a path or an open binary file."
        )


def _reason(error: Exception) -> str:
    """What a library's error means for a file."""
    if isinstance(error, FileNotFoundError):
        return "cannot be read: there is no such file"
    if isinstance(error, UnicodeDecodeError):
        return (
            "is not written in UTF-8; save it so, or name its encoding, such as encoding='latin-1'"
        )
    if isinstance(error, pd.errors.ParserWarning):
        return (
            "has records with more values than its first line has names; name each column, or "
            "remove the values"
        )
    reason = " ".join(str(getattr(error, "strerror", None) or error).split()).rstrip(".")
    return f"cannot be read as a table: {shortened(reason, 2 * QUOTED) or type(error).__name__}"


def _read_parquet(source: Any, options: Mapping[str, Any]) -> pd.DataFrame:
    path = Path(source) if isinstance(source, (str, Path)) else None
    if path is None or path.is_dir():  # a table in several files
        return _parquet(source, options)
    with open_regular(path) as file:
        return _parquet(file, options)


def _parquet(source: Any, options: Mapping[str, Any]) -> pd.DataFrame:
    try:
        return pd.read_parquet(source, **options)
    except ImportError as error:
        raise FormatError(
            "Parquet files need pyarrow; install it with  pip install pyarrow."
        ) from error
    except (OSError, MemoryError, RecursionError, FormatError):
        raise
    except Exception as error:  # its reader fails in many ways
        refusal = FormatError(f"{named(source)} {_reason(error)}.")
        raise refusal from error


def _read_csv(
    source: Any, textual: Collection[str] | None, missing: list[str], options: Mapping[str, Any]
) -> pd.DataFrame:
    content = read_bytes(source, options.get("compression", "infer"))
    settings: dict[str, Any] = {
        "na_values": missing,
        "keep_default_na": False,
        "encoding": "utf-8-sig",
        "skipinitialspace": True,
        "index_col": False,
        **EXACT,
    } | {name: value for name, value in options.items() if name != "compression"}
    settings |= _header(content, settings)
    if textual is None:
        textual = _coded(content, settings)
    settings["dtype"] = {name: str for name in settings["names"] if name in textual}
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # it would drop what is too long
        return pd.read_csv(io.BytesIO(content), **settings)


def _header(content: bytes, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The separator, and the names of the columns unless they were given."""
    lines = io.TextIOWrapper(io.BytesIO(content), encoding=settings["encoding"], newline="")
    first = next((line for line in lines if line.strip()), "")
    if not first:
        raise FormatError("The file is empty; expected a line of column names, then the records.")
    sep = settings.get("sep") or max(",;\t|", key=first.count)
    if "names" in settings:
        return {"sep": sep}
    lines.seek(0)
    spaces = settings["skipinitialspace"]
    rows = csv.reader(lines, delimiter=sep, skipinitialspace=spaces)
    found = [name.strip() if spaces else name for name in next(row for row in rows if row)]
    if PAGE.match(found[0]):
        raise FormatError("The file is a web page; expected a line of column names, then records.")
    names = [name or f"column {place}" for place, name in enumerate(found, 1)]
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise SchemaError(f"The file has several columns named {listed(repeated)}; rename them.")
    return {"sep": sep, "names": names, "header": 0}


def _coded(content: bytes, settings: Mapping[str, Any]) -> set[str]:
    """Name the columns that hold codes with leading zeros, which are no numbers."""
    if not CODED.search(content):
        return set()
    words = pd.read_csv(io.BytesIO(content), **{**settings, "dtype": str})
    return {str(name) for name in words if words[name].str.match(r"0\d", na=False).any()}

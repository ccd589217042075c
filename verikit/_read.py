"""Files into frames, with every reason for failing in one sentence."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from verikit.errors import FormatError, SchemaError
from verikit.hierarchy import listed

__all__ = ["MISSING", "read_frame"]

MISSING = ("", "NA", "NaN", "nan")
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
    name = Path(str(getattr(source, "name", source))).name
    try:
        if name.endswith((".parquet", ".pq")):
            return pd.read_parquet(source, **options)
        return _read_csv(source, textual, list(missing), options)
    except (FormatError, SchemaError):
        raise
    except ImportError as error:
        raise FormatError(
            "Parquet files need pyarrow; install it with  pip install pyarrow."
        ) from error
    except FileNotFoundError as error:
        raise FormatError(f"{name!r} cannot be read: there is no such file.") from error
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{name!r} is not written in UTF-8; save it so, or name its encoding, such as "
            "encoding='latin-1'."
        ) from error
    except pd.errors.ParserWarning as error:
        raise FormatError(
            f"{name!r} has records with more values than its first line has names; name each "
            "column, or remove the values."
        ) from error
    except (OSError, ValueError, csv.Error) as error:
        reason = " ".join(str(getattr(error, "strerror", None) or error).split()).rstrip(".")
        raise FormatError(f"{name!r} cannot be read as a table: {reason}.") from error


def _read_csv(
    source: Any, textual: Collection[str] | None, missing: list[str], options: Mapping[str, Any]
) -> pd.DataFrame:
    content = _content(source, options.get("compression", "infer"))
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


def _content(source: Any, compression: Any) -> bytes:
    if isinstance(source, (str, Path)):
        handles = pd.io.common.get_handle(source, "rb", compression=compression, is_text=False)
        with handles as opened:
            return bytes(opened.handle.read())
    source.seek(0)
    return bytes(source.read())


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
    names = [name or f"column {place}" for place, name in enumerate(found, 1)]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise SchemaError(f"The file has several columns named {listed(repeated)}; rename them.")
    return {"sep": sep, "names": names, "header": 0}


def _coded(content: bytes, settings: Mapping[str, Any]) -> set[str]:
    """Name the columns that hold codes with leading zeros, which are no numbers."""
    if not CODED.search(content):
        return set()
    words = pd.read_csv(io.BytesIO(content), **{**settings, "dtype": str})
    return {str(name) for name in words if words[name].str.match(r"0\d", na=False).any()}

"""Files into frames, with every reason for failing in one sentence."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from verikit.errors import FormatError, SchemaError
from verikit.hierarchy import listed

__all__ = ["MISSING", "read_frame"]

MISSING = ("", "NA", "NaN", "nan")


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
    name = str(getattr(source, "name", source))
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
    except (OSError, ValueError, csv.Error) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise FormatError(f"{Path(name).name!r} cannot be read as a table: {reason}.") from error


def _read_csv(
    source: Any, textual: Collection[str] | None, missing: list[str], options: Mapping[str, Any]
) -> pd.DataFrame:
    first = _first_line(source, options.get("compression", "infer"))
    if not first.strip():
        raise FormatError("The file is empty; expected a line of column names, then the records.")
    sep = options.get("sep") or max(",;\t|", key=first.count)
    header = [name.strip() for name in next(csv.reader([first], delimiter=sep))]
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise SchemaError(f"The file has several columns named {listed(repeated)}; rename them.")
    settings: dict[str, Any] = {
        "sep": sep,
        "na_values": missing,
        "keep_default_na": False,
        "encoding": "utf-8-sig",
        "skipinitialspace": True,
        "index_col": False,
    } | dict(options)
    if textual is None:
        textual = _coded(_rewound(source), settings)
    settings["dtype"] = {name: str for name in header if name in textual}
    return pd.read_csv(_rewound(source), **settings)


def _first_line(source: Any, compression: Any) -> str:
    if not isinstance(source, (str, Path)):
        line: bytes = _rewound(source).readline()
        return line.decode("utf-8-sig")
    handles = pd.io.common.get_handle(source, "rb", compression=compression, is_text=False)
    with handles as opened:
        return str(io.BufferedReader(opened.handle).readline().decode("utf-8-sig"))


def _rewound(source: Any) -> Any:
    if not isinstance(source, (str, Path)):
        source.seek(0)
    return source


def _coded(source: Any, settings: Mapping[str, Any]) -> set[str]:
    """Name the columns whose first lines hold codes with leading zeros, which are no numbers."""
    head = pd.read_csv(source, **{**settings, "dtype": str, "nrows": 1000})
    return {
        str(name)
        for name in head.columns
        if head[name].dropna().astype(str).str.match(r"^0\d").any()
    }

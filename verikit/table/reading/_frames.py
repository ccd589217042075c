"""Tables of other libraries, and plain Python, as frames of pandas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from verikit.errors import SchemaError, quoted
from verikit.table._long import EXACT
from verikit.words import listed, text

__all__ = ["frame_of", "holds_table"]


def holds_table(source: object) -> bool:
    """Whether something is a table in memory, and no file.

    Examples
    --------
    >>> holds_table({"age": [31]}), holds_table([{"age": 31}]), holds_table("people.csv")
    (True, True, False)
    """
    if isinstance(source, (pd.DataFrame, Mapping)) or hasattr(source, "__arrow_c_stream__"):
        return True
    return (
        isinstance(source, Sequence)
        and all(isinstance(one, Mapping) for one in source)
        and (not isinstance(source, (str, bytes)))
    )


def frame_of(source: Any) -> pd.DataFrame:
    """A frame from a table of pandas, polars, pyarrow or DuckDB, a dictionary, or records.

    A named index becomes a column.

    Examples
    --------
    >>> frame_of([{"age": 31, "job": "clerk"}]).to_dict("list")
    {'age': [31], 'job': ['clerk']}
    """
    if isinstance(source, pd.DataFrame):
        return _with_index(source)
    if hasattr(source, "__arrow_c_stream__"):
        return _from_arrow(source)
    try:
        return pd.DataFrame(dict(source) if isinstance(source, Mapping) else list(source))
    except (TypeError, ValueError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise SchemaError(
            f"The table could not be made: {quoted(reason)}; expected columns of the same length, "
            "such as {'age': [31, 45], 'income': [100, 200]}."
        ) from None


def _with_index(frame: pd.DataFrame) -> pd.DataFrame:
    named = [name for name in frame.index.names if name is not None]
    if not named:
        return frame
    twice = [text(name) for name in named if name in frame.columns]
    if twice:
        raise SchemaError(
            f"The index and a column are both named {listed(twice)}; rename one, or drop the index."
        )
    return frame.reset_index(level=named)


def _from_arrow(source: Any) -> pd.DataFrame:
    if isinstance(source, pd.Series):
        raise SchemaError(_one_column(source))
    if hasattr(pd.DataFrame, "from_arrow"):
        try:
            return _with_long(source)
        except (TypeError, ValueError):  # words of pandas and pyarrow for what has no columns
            raise SchemaError(_one_column(source)) from None
    for door in ("to_pandas", "df"):
        if hasattr(source, door):
            found = getattr(source, door)()
            if isinstance(found, pd.DataFrame):
                return found
            raise SchemaError(_one_column(source))
    raise SchemaError(
        f"A table was given as {type(source).__name__}, which this pandas cannot take; give a "
        "pandas DataFrame, or update pandas to 3 or later."
    )


def _with_long(source: Any) -> pd.DataFrame:
    """A frame of Arrow's columns; long whole numbers beside gaps keep their digits."""
    import pyarrow as pa

    held = pa.table(source)
    frame = pd.DataFrame.from_arrow(held)
    for at, column in enumerate(held.columns):
        values = frame.iloc[:, at]
        if not (pa.types.is_integer(column.type) and values.dtype.kind == "f"):
            continue
        if bool((values.abs() >= EXACT).any()):
            frame.isetitem(at, pd.Series(column.to_pylist(), dtype=object))
    return frame


def _one_column(source: object) -> str:
    return (
        f"A table was given as {type(source).__name__}, which is one column; expected a table "
        "of columns with names, such as {'age': [31, 45], 'income': [100, 200]}."
    )

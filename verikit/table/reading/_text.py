"""Text files into tables: letters, layout and numbers found out where nobody says them."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, BinaryIO

import pandas as pd

from verikit._support.told import Told
from verikit.errors import FormatError, quoted
from verikit.table._long import with_digits
from verikit.table.reading._codes import coded
from verikit.table.reading._days import with_dates
from verikit.table.reading._layout import SEPARATORS, Layout, layout_of
from verikit.table.reading._letters import encoding_of
from verikit.table.reading._numbers import (
    COMMAS,
    as_written_elsewhere,
    disturbed,
    perhaps_thousands,
)
from verikit.table.reading._reading import Asked, Reading
from verikit.table.reading._short import short_records

__all__ = ["EXACT", "read_csv", "read_text"]

EXACT: Mapping[str, Any] = (
    {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
    else {"float_precision": "round_trip"}  # what later versions do by themselves
)  # fmt: skip
HEAD = 2**18
DECIMALS: Mapping[str | None, Mapping[str, str]] = {
    None: {},
    ".": {"decimal": "."},
    ",": {"decimal": ",", "thousands": "."},
}


def read_text(
    box: list[bytes],
    textual: Collection[str] | None,
    missing: Sequence[str],
    asked: Asked,
    options: Mapping[str, Any],
    reopen: Callable[[], BinaryIO] | None = None,
) -> Reading:
    """Read a text file: separator, encoding, title lines and decimal mark as asked or found.

    Parameters
    ----------
    box
        Its bytes, which are taken out.
    textual
        The columns to keep as text; by default those that hold codes with leading zeros.
    missing
        What stands for a missing value.
    asked
        What was said of the file.
    options
        Further options of `pandas.read_csv`.
    reopen
        Opens the file again, so that its bytes need no room beside its table.
    """
    content = box.pop()
    opened = reopen or partial(io.BytesIO, content)
    encoding, guessed = _encoding(content, asked)
    layout = layout_of(_head(content, encoding), _separator(asked))
    settings = _settings(layout, encoding, missing, asked, options)
    if b" " not in content and b"\t" not in content:
        settings["skipinitialspace"] = False  # there are none, and looking takes a quarter longer
    kept, lines = set(textual or ()), layout.skipped + ("names" not in options)
    if textual is None:
        words = partial(read_csv, opened, settings | {"dtype": str})
        kept = coded(content, settings["names"], layout.separator, lines, words)
    del content
    settings["dtype"] = dict.fromkeys(kept.intersection(settings["names"]), str)

    def again(**more: Any) -> pd.DataFrame:
        return read_csv(opened, settings | more)

    frame, notes = again(), [note for note in (guessed, *layout.notes) if note]
    decimal = asked.decimal or "."
    if asked.decimal is None:
        frame, found = as_written_elsewhere(frame, again, kept)
        decimal = "," if COMMAS in "".join(found) else "."
        unsure = [] if found or layout.separator == "," else perhaps_thousands(frame, again)
        notes += [*found, *unsure]
    frame, long = with_digits(frame, again)
    how = Asked(encoding, layout.separator, decimal)
    if layout.row_names:
        frame = frame.iloc[:, 1:]
    if "names" not in options and _ends_empty(frame):
        frame = frame.iloc[:, :-1]
        said = "Its lines end with a separator; the empty column after it was left out."
        notes.append(Told(said, "empty-end"))
    if not options.keys() - {"names", "compression"}:
        width = len(frame.columns) + layout.row_names
        notes += short_records(frame, width, opened, how, lines)
    if textual is None:
        frame, found = with_dates(frame)
        notes += found
    return Reading(frame, {}, (*notes, *disturbed(frame, kept), *long), how)


def _settings(
    layout: Layout,
    encoding: str,
    missing: Sequence[str],
    asked: Asked,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """The options of `pandas.read_csv` for a file of this layout."""
    names = list(options.get("names", layout.names))
    return {
        "sep": layout.separator,
        "names": ["row name", *names] if layout.row_names else names,
        "header": None if "names" in options else 0,
        "skiprows": layout.skipped,
        "encoding": encoding,
        "na_values": list(missing),
        "keep_default_na": False,
        "skipinitialspace": True,
        "index_col": False,
        **EXACT,
        **_decimal(asked),
    } | {name: value for name, value in options.items() if name not in ("names", "compression")}


def _ends_empty(frame: pd.DataFrame) -> bool:
    """Whether the last of several columns has neither a name nor a value."""
    last = len(frame.columns)
    return (
        last > 1 and frame.columns[-1] == f"column {last}" and bool(frame.iloc[:, -1].isna().all())
    )


def _encoding(content: bytes, asked: Asked) -> tuple[str, str]:
    if asked.encoding is None:
        return encoding_of(content)
    try:
        "".encode(asked.encoding)
    except (LookupError, TypeError, ValueError):
        raise FormatError(
            f"The encoding was given as {quoted(asked.encoding)}; expected one such as 'utf-8', "
            "'latin-1' or 'utf-16'."
        ) from None
    return asked.encoding, ""


def _separator(asked: Asked) -> str | None:
    given = {"tab": "\t", "\\t": "\t", "space": " "}.get(str(asked.separator), asked.separator)
    if given is not None and given not in SEPARATORS:
        raise FormatError(
            f"The separator was given as {quoted(given)}; expected one of a comma, a semicolon, "
            "'tab', a bar '|' or 'space'."
        )
    return given


def _decimal(asked: Asked) -> Mapping[str, str]:
    if asked.decimal not in DECIMALS:
        raise FormatError(
            f"The decimal mark was given as {quoted(asked.decimal)}; expected '.' or ','."
        )
    return DECIMALS[asked.decimal]


def _head(content: bytes, encoding: str) -> str:
    """The beginning of the text, cut at the end of a line."""
    stream = io.TextIOWrapper(io.BytesIO(content), encoding=encoding, newline="")
    head = stream.read(HEAD).removeprefix("\ufeff")
    return head if len(head) < HEAD else head[: head.rfind("\n") + 1] or head


def read_csv(opened: Callable[[], BinaryIO], settings: Mapping[str, Any]) -> pd.DataFrame:
    """Read a CSV file that is opened for it; what would be dropped is refused."""
    with warnings.catch_warnings(), opened() as file:
        warnings.simplefilter("error", pd.errors.ParserWarning)  # it would drop what is too long
        return pd.read_csv(file, **settings)

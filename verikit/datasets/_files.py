"""What the readers of real data sets share: find a file in its folder, and read it as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from verikit._support.requests import instance
from verikit.errors import FormatError, quoted
from verikit.table import Column, Microdata, Schema

__all__ = ["columns_of", "found_file", "read_columns", "table_of"]


def found_file(path: str | Path, *names: str) -> Path:
    """A file itself, or the first of some names, compressed or not, in a folder.

    Examples
    --------
    >>> found_file("no/such/folder", "PUMS.csv")
    Traceback (most recent call last):
    verikit.errors.FormatError: 'no/such/folder' does not exist; give the file PUMS.csv or its
    folder.
    """
    instance(path, (str, Path), "The reader", "a file or a folder")
    place = Path(path)
    offered = [place, *(place / f"{name}{end}" for name in names for end in ("", ".gz"))]
    file = next((offer for offer in offered if offer.is_file()), None)
    if file is None:
        wrong = f"holds no {names[0]}" if place.exists() else "does not exist"
        raise FormatError(f"{quoted(path)} {wrong}; give the file {names[0]} or its folder.")
    return file


def read_columns(file: Path, expected: Sequence[str], **options: Any) -> pd.DataFrame:
    """A text file as a frame, which must have the columns of its data set and no others."""
    try:
        frame = pd.read_csv(file, keep_default_na=False, **options)
    except (OSError, ValueError) as error:
        raise FormatError(f"{quoted(file.name)} cannot be read as a table: {error}.") from error
    if list(frame.columns) != list(expected) or not len(frame):
        raise FormatError(
            f"{quoted(file.name)} has {len(frame)} lines and {len(frame.columns)} columns that do "
            f"not all fit; expected the {len(expected)} columns of this data set, from "
            f"{quoted(expected[0])} to {quoted(expected[-1])}."
        )
    return frame


def columns_of(
    names: Sequence[str],
    numeric: Iterable[str],
    quasi: Iterable[str] = (),
    sensitive: Iterable[str] = (),
    identifier: Iterable[str] = (),
) -> tuple[Column, ...]:
    """Columns with their roles and kinds; what is named nowhere is nominal and ``other``."""
    roles = dict.fromkeys(names, "other")
    for role, named in (("quasi", quasi), ("sensitive", sensitive), ("identifier", identifier)):
        roles |= dict.fromkeys(named, role)
    kinds = dict.fromkeys(names, "nominal") | dict.fromkeys(numeric, "numeric")
    return tuple(Column(name, roles[name], kinds[name]) for name in names)  # type: ignore[arg-type]


def table_of(frame: pd.DataFrame, columns: tuple[Column, ...]) -> Microdata:
    """The records with the schema of their data set."""
    return Microdata(frame, Schema(columns))

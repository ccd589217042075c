"""Records of a text file that hold fewer values than there are names, as in a file cut short."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from itertools import islice
from typing import BinaryIO

import numpy as np
import pandas as pd

from verikit._support.told import Told
from verikit.table.reading._reading import Asked

__all__ = ["short_records"]

CHUNK, FEW = 2**16, 10_000  # a chunk fits into the cache of a core
QUOTE = ord('"')


def short_records(
    frame: pd.DataFrame,
    width: int,
    opened: Callable[[], BinaryIO],
    how: Asked,
    lines: int,
) -> list[str]:
    r"""Say which record is the first that ends before its last value.

    The last value of such a record is missing, so that most files need not be looked at again.

    Parameters
    ----------
    frame
        The table as it was read.
    width
        How many values belong to a record.
    opened
        Opens its file.
    how
        How it is written.
    lines
        How many lines stand above the records.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [31, 45], "pay": [5, None]})
    >>> file, how = io.BytesIO(b"age,pay\n31,5\n45\n"), Asked("utf-8", ",")
    >>> (note,) = short_records(people, 2, lambda: io.BytesIO(file.getvalue()), how, 1)
    >>> note[: note.index(".")]
    'Record 2 of 2 ends early; the values that it lacks count as missing'
    """
    separator = how.separator or ","
    if width < 2 or not frame.iloc[:, -1].isna().any():
        return []
    if len(frame) > FEW and _seem_whole(frame, width, opened, ord(separator), lines):
        return []
    with opened() as file:
        counts = _counts(io.TextIOWrapper(file, how.encoding, newline=""), lines, separator)
        row = next((at for at, count in enumerate(counts, 1) if count < width), 0)
    if not 0 < row <= len(frame) or not pd.isna(frame.iloc[row - 1, -1]):
        return []
    said = f"Record {row} of {len(frame)} ends early; the values that it lacks count as missing. "
    said += "If the file was cut short, ask for it again."
    return [Told(said, "short-record", row=row, records=len(frame))]


def _seem_whole(
    frame: pd.DataFrame, width: int, opened: Callable[[], BinaryIO], separator: int, lines: int
) -> bool:
    """Whether there are as many separators as belong to the records, or all end with one more."""
    with opened() as file:
        found = _separators(file, lines, separator)
    return found in ((width - 1) * len(frame), width * len(frame))


def _separators(file: BinaryIO, lines: int, separator: int) -> int:
    """How many separators stand outside quotes, below some lines."""
    for _ in range(lines):
        file.readline()
    found, within = 0, 0
    while chunk := file.read(CHUNK):
        held = np.frombuffer(chunk, np.uint8)
        marks = held == separator
        if within or QUOTE in chunk:
            quotes = np.add.accumulate(held == QUOTE, dtype=np.uint8) + np.uint8(within)
            marks &= quotes % 2 == 0
            within = int(quotes[-1]) % 2
        found += int(np.count_nonzero(marks))
    return found


def _counts(text: io.TextIOWrapper, lines: int, separator: str) -> Iterator[int]:
    """How many values each record holds; blank lines hold none and are none."""
    records = csv.reader(islice(text, lines, None), delimiter=separator, skipinitialspace=True)
    try:
        for values in records:
            if len(values) > 1 or "".join(values).strip(" \t"):
                yield len(values)
    except csv.Error:
        return

"""What is found in the bytes of a text file: codes with leading zeros, and truncated rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import BinaryIO

import numpy as np
import pandas as pd

from verikit._support.told import Told
from verikit.table.reading._reading import Asked

CODED = re.compile(rb"0(?<![\w.]0)\d")
CODE = re.compile(r"0\d")
CHUNK = 2**16  # fits into the cache of a core
ALL_EIGHT = 0x0101010101010101  # eight times true
ZERO, TEN, LINE, SPACE = ord("0"), 10, ord("\n"), ord(" ")


def find_code_columns(
    content: bytes,
    names: Sequence[str],
    separator: str,
    lines: int,
    read: Callable[[], pd.DataFrame],
    missing: Sequence[str] = (),
) -> set[str]:
    r"""Name the columns that hold codes with leading zeros, which are no numbers.

    Parameters
    ----------
    content
        The file.
    names
        The names of its columns.
    separator
        What separates its values.
    lines
        How many lines stand above the records.
    read
        Reads all of it as text; asked only where quotes, wide letters or line ends are in the way,
        or a mark of missing values may be taken for a code.
    missing
        The marks that stand for a missing value.

    Examples
    --------
    >>> find_code_columns(b"zip,age\n02138,41\n", ["zip", "age"], ",", 1, pd.DataFrame)
    {'zip'}
    """
    lone = content.count(b"\r") != content.count(b"\r\n")
    if b'"' in content or b"\0" in content or b"\n" not in content or lone:
        if not CODED.search(content.replace(b"\0", b"")):
            return set()
        return _names_with_codes(read())
    found: set[int] = set()
    start = 0
    for _ in range(lines):  # which may be blank
        start = content.find(b"\n", start) + 1 or len(content)
    for chunk in _split_at_lines(content, start):
        found |= _find_code_places(chunk, ord(separator))
    named = {names[place] for place in found if place < len(names)}
    return named & _names_with_codes(read()) if named and any(map(CODE.match, missing)) else named


def _names_with_codes(words: pd.DataFrame) -> set[str]:
    return {str(n) for n in words if words[n].astype(str).str.match(CODE, na=False).any()}


def _split_at_lines(content: bytes, start: int) -> Iterator[bytes]:
    """Split the content into pieces that end with a line, each with the line end before it."""
    while start < len(content):
        end = content.rfind(b"\n", start, start + CHUNK) + 1 or content.find(b"\n", start) + 1
        end = end or len(content)
        yield b"\n" + content[start:end]
        start = end


def _find_code_places(chunk: bytes, separator: int) -> set[int]:
    """Find the places in their lines of the values that begin with a zero and a digit."""
    # Bytes are compared as an array, so that a column of a million codes costs milliseconds: a
    # value begins behind a separator or a line end, blanks passed over.
    held = np.frombuffer(chunk, np.uint8)
    marks = (held == separator) | (held == LINE)
    zeros = (held[1:-1] == ZERO) & (held[2:] - ZERO < TEN)
    zeros &= marks[:-2] | (held[:-2] == SPACE) if b" " in chunk else marks[:-2]
    if not zeros.any():
        return set()
    ends = np.flatnonzero(marks)
    first = np.flatnonzero(held[ends] == LINE)
    at = np.flatnonzero(zeros)
    while len(spaces := np.flatnonzero(held[at] == SPACE)):
        at[spaces] -= 1
    place = np.searchsorted(ends, at)
    place = place[(place < len(ends)) & (ends[np.minimum(place, len(ends) - 1)] == at)]
    return set((place - first[np.searchsorted(first, place, side="right") - 1]).tolist())


def may_hold_long_numbers(content: bytes) -> bool:
    r"""Whether some number may have more than 15 digits, so that a float may not keep it.

    Fifteen digits and points in a row fill eight bytes that begin at a multiple of eight.

    Examples
    --------
    >>> may_hold_long_numbers(b"pay\n0.1234567890123456"), may_hold_long_numbers(b"pay\n12.5\n9\n")
    (True, False)
    """
    for start in range(0, len(content) - 7, 8 * CHUNK):
        size = min(CHUNK, (len(content) - start) // 8)
        held = np.frombuffer(content, np.uint8, 8 * size, start)
        if bool((((held - ord(".")) < 12).view(np.uint64) == ALL_EIGHT).any()):  # . / 0 to 9
            return True
    return False


MIN_ROWS_TO_COUNT = 10_000  # below, a file is read again sooner than its separators are counted
QUOTE = ord('"')


def find_truncated_rows(
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
    >>> (note,) = find_truncated_rows(people, 2, lambda: io.BytesIO(file.getvalue()), how, 1)
    >>> note[: note.index(".")]
    'Record 2 of 2 ends early; the values that it lacks count as missing'
    """
    separator = how.separator or ","
    if width < 2 or not frame.iloc[:, -1].isna().any():
        return []
    if len(frame) > MIN_ROWS_TO_COUNT and _seem_whole(frame, width, opened, ord(separator), lines):
        return []
    with opened() as file:
        counts = _count_values(io.TextIOWrapper(file, how.encoding, newline=""), lines, separator)
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
        found = _count_separators(file, lines, separator)
    return found in ((width - 1) * len(frame), width * len(frame))


def _count_separators(file: BinaryIO, lines: int, separator: int) -> int:
    """Count the separators that stand outside quotes, below some lines."""
    for _ in range(lines):
        file.readline()
    found, within = 0, 0
    while chunk := file.read(CHUNK):
        held = np.frombuffer(chunk, np.uint8)
        marks = held == separator
        # A byte stands outside quotes if an even number of them precede it, doubled ones too; the
        # sums wrap at 256, which keeps them even or odd.
        if within or QUOTE in chunk:
            quotes = np.add.accumulate(held == QUOTE, dtype=np.uint8) + np.uint8(within)
            marks &= quotes % 2 == 0
            within = int(quotes[-1]) % 2
        found += int(np.count_nonzero(marks))
    return found


def _count_values(text: io.TextIOWrapper, lines: int, separator: str) -> Iterator[int]:
    """Count the values of each record; blank lines hold none and are none."""
    records = csv.reader(islice(text, lines, None), delimiter=separator, skipinitialspace=True)
    try:
        for values in records:
            if len(values) > 1 or "".join(values).strip(" \t"):
                yield len(values)
    except csv.Error:
        return

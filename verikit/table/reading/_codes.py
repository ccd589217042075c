"""Columns of codes with leading zeros, found in the bytes of a file without reading it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd

__all__ = ["coded"]

CODED = re.compile(rb"0(?<![\w.]0)\d")
CODE = re.compile(r"0\d")
CHUNK = 2**16  # fits into the cache of a core
ZERO, TEN, LINE, SPACE = ord("0"), 10, ord("\n"), ord(" ")


def coded(
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
    >>> coded(b"zip,age\n02138,41\n", ["zip", "age"], ",", 1, pd.DataFrame)
    {'zip'}
    """
    lone = content.count(b"\r") != content.count(b"\r\n")
    if b'"' in content or b"\0" in content or b"\n" not in content or lone:
        if not CODED.search(content.replace(b"\0", b"")):
            return set()
        return _named_in(read())
    found: set[int] = set()
    for chunk in _chunks(content, _after(content, lines)):
        found |= _places(chunk, ord(separator))
    named = {names[place] for place in found if place < len(names)}
    return named & _named_in(read()) if named and any(map(CODE.match, missing)) else named


def _named_in(words: pd.DataFrame) -> set[str]:
    return {str(n) for n in words if words[n].astype(str).str.match(CODE, na=False).any()}


def _after(content: bytes, lines: int) -> int:
    """Where the line after so many begins; lines may be blank."""
    place = 0
    for _ in range(lines):
        place = content.find(b"\n", place) + 1
        if not place:
            return len(content)
    return place


def _chunks(content: bytes, start: int) -> Iterator[bytes]:
    """The content in pieces that end with a line, each beginning with the end of a line before."""
    while start < len(content):
        end = content.rfind(b"\n", start, start + CHUNK) + 1 or content.find(b"\n", start) + 1
        end = end or len(content)
        yield b"\n" + content[start:end]
        start = end


def _places(chunk: bytes, separator: int) -> set[int]:
    """The places in their lines of the values that begin with a zero and a digit."""
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
